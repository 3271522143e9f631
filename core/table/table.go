// Package table knows typed columns with units and how they lie in Parquet
// files: one flat row type, NULL instead of NaN, descriptions of the columns
// and the caller's metadata in the footer, whole files only. It does not know
// what any column means.
package table

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// Kind is the type of a column's values.
type Kind int

// The kinds of a column and the Go type of their cells.
const (
	Float64 Kind = iota // float64; NaN and infinities are written as NULL
	Int64               // int64
	Bool                // bool
	String              // string; bytes that are not UTF-8 are written as U+FFFD
)

var kindNames = [...]string{"float64", "int64", "bool", "string"}

// String returns the name the footer uses: float64, int64, bool or string.
func (k Kind) String() string {
	if k < 0 || int(k) >= len(kindNames) {
		return fmt.Sprintf("Kind(%d)", int(k))
	}
	return kindNames[k]
}

// MarshalText returns the name of a valid kind.
func (k Kind) MarshalText() ([]byte, error) {
	if k < 0 || int(k) >= len(kindNames) {
		return nil, fmt.Errorf("no column kind %d", int(k))
	}
	return []byte(kindNames[k]), nil
}

// UnmarshalText accepts the names that MarshalText returns.
func (k *Kind) UnmarshalText(text []byte) error {
	i := slices.Index(kindNames[:], string(text))
	if i < 0 {
		return fmt.Errorf("no column kind %q", text)
	}
	*k = Kind(i)
	return nil
}

// Column describes one column. Every column may hold NULL.
type Column struct {
	Name       string `json:"name"`                 // snake_case, unique in the table, ends in the unit where there is one
	Kind       Kind   `json:"kind"`                 // type of the cells
	Path       string `json:"path,omitempty"`       // scenario path the values belong to; empty if none
	Unit       string `json:"unit,omitempty"`       // unit of the values; empty if they have none
	Better     string `json:"better,omitempty"`     // "lower", "higher" or empty
	Definition string `json:"definition,omitempty"` // one sentence
}

// Heading is what people read over the column: its name, but of a column "name"
// that holds the names of something the thing that is named, the segment of the
// path before it: "hardware" of hardware.name.
func (c Column) Heading() string {
	if thing, ok := strings.CutSuffix(c.Path, ".name"); ok && c.Name == "name" {
		return thing[strings.LastIndexByte(thing, '.')+1:]
	}
	return c.Name
}

// Row is one cell per column: float64, int64, bool or string after the
// column's kind, or nil for NULL.
type Row []any

// Limits a file must keep, so that a damaged or hostile one cannot ask for
// all memory.
const (
	maxColumns = 10_000
	maxCells   = 1 << 28 // rows x columns; 2 GiB of float64
)

// Footer keys. Callers name metadata without the prefix.
const (
	metaPrefix = "sweep."
	columnsKey = "columns"
)

var snakeCase = regexp.MustCompile(`^[a-z][a-z0-9_]*$`)

// checkColumns refuses names that are not snake_case or occur twice, unknown
// kinds, and tables without columns.
func checkColumns(cols []Column) error {
	if len(cols) == 0 || len(cols) > maxColumns {
		return fmt.Errorf("%d columns, want 1 to %d", len(cols), maxColumns)
	}
	seen := make(map[string]bool, len(cols))
	for _, c := range cols {
		if !snakeCase.MatchString(c.Name) {
			return fmt.Errorf("column %q: a name is snake_case: a-z, 0-9 and _, a letter first", c.Name)
		}
		if seen[c.Name] {
			return fmt.Errorf("column %q: occurs twice", c.Name)
		}
		if c.Kind < Float64 || c.Kind > String {
			return fmt.Errorf("column %q: no kind %d", c.Name, int(c.Kind))
		}
		seen[c.Name] = true
	}
	return nil
}

func decodeColumns(text string) ([]Column, error) {
	var cols []Column
	if err := json.Unmarshal([]byte(text), &cols); err != nil {
		return nil, err
	}
	return cols, checkColumns(cols)
}
