package table

import (
	"math"
	"strconv"
)

// Frame is a table in memory, by column: 8 bytes per number, 4 per string (a
// code into the column's distinct strings), 1 per bool; a column without any
// value takes nothing.
type Frame struct {
	Columns []Column
	Meta    map[string]string // footer metadata, keys without the "sweep." prefix and without "columns"
	rows    int
	data    []series
}

// series is one column: the slice of its kind has an element per row, or none
// at all where every cell is NULL.
type series struct {
	floats []float64 // NaN = NULL
	ints   []int64   // NULL where null is set
	null   []bool    // of ints; none = no cell is NULL
	bools  []int8    // 0, 1; -1 = NULL
	codes  []int32   // into words; -1 = NULL
	words  []string
}

// float, int, bool and word read a cell; false = NULL.
func (s *series) float(i int) (float64, bool) {
	if len(s.floats) == 0 {
		return math.NaN(), false
	}
	return s.floats[i], !math.IsNaN(s.floats[i])
}

func (s *series) int(i int) (int64, bool) {
	if len(s.ints) == 0 {
		return 0, false
	}
	return s.ints[i], len(s.null) == 0 || !s.null[i]
}

func (s *series) bool(i int) (value, ok bool) {
	if len(s.bools) == 0 {
		return false, false
	}
	return s.bools[i] == 1, s.bools[i] >= 0
}

func (s *series) word(i int) (string, bool) {
	if len(s.codes) == 0 || s.codes[i] < 0 {
		return "", false
	}
	return s.words[s.codes[i]], true
}

// Len returns the number of rows.
func (f *Frame) Len() int { return f.rows }

// Index returns the position of a column, -1 if there is none.
func (f *Frame) Index(name string) int {
	for i, c := range f.Columns {
		if c.Name == name {
			return i
		}
	}
	return -1
}

// Row returns the cells of row i. It panics where a slice would.
func (f *Frame) Row(i int) Row {
	r := make(Row, len(f.Columns))
	for c := range f.Columns {
		r[c] = f.cell(c, i)
	}
	return r
}

func (f *Frame) cell(col, row int) any {
	switch s := &f.data[col]; f.Columns[col].Kind {
	case Float64:
		return present(s.float(row))
	case Int64:
		return present(s.int(row))
	case Bool:
		return present(s.bool(row))
	case String:
		return present(s.word(row))
	}
	return nil
}

func present[T any](v T, ok bool) any {
	if !ok {
		return nil
	}
	return v
}

// Cell returns a cell as Row has it: nil for NULL and for column -1.
func (f *Frame) Cell(col, row int) any {
	if col < 0 {
		return nil
	}
	return f.cell(col, row)
}

// Float returns a number of a Float64 or Int64 column; false for NULL, for a
// column of another kind, and for column -1 (one that Index did not find).
func (f *Frame) Float(col, row int) (float64, bool) {
	switch f.kind(col) {
	case Float64:
		return f.data[col].float(row)
	case Int64:
		v, ok := f.data[col].int(row)
		return float64(v), ok
	}
	return math.NaN(), false
}

// Int returns a cell of an Int64 column; false as for Float.
func (f *Frame) Int(col, row int) (int64, bool) {
	if f.kind(col) != Int64 {
		return 0, false
	}
	v, ok := f.data[col].int(row)
	if !ok {
		return 0, false
	}
	return v, true
}

// Bool returns a cell of a Bool column; ok is false as for Float.
func (f *Frame) Bool(col, row int) (value, ok bool) {
	if f.kind(col) != Bool {
		return false, false
	}
	return f.data[col].bool(row)
}

// String returns a cell of a String column; false as for Float.
func (f *Frame) String(col, row int) (string, bool) {
	if f.kind(col) != String {
		return "", false
	}
	return f.data[col].word(row)
}

func (f *Frame) kind(col int) Kind {
	if col < 0 {
		return -1
	}
	return f.Columns[col].Kind
}

// Text is a cell as text: the shortest number that reads back as the same, "" for
// NULL.
func Text(v any) string {
	switch v := v.(type) {
	case float64:
		return strconv.FormatFloat(v, 'g', -1, 64)
	case int64:
		return strconv.FormatInt(v, 10)
	case bool:
		return strconv.FormatBool(v)
	case string:
		return v
	}
	return ""
}

// Take appends rows of from, which has the same columns, to a frame that was made
// by Take alone: the zero Frame at first.
func (f *Frame) Take(from *Frame, rows []int) {
	if f.data == nil {
		f.Columns, f.Meta, f.data = from.Columns, from.Meta, make([]series, len(from.Columns))
	}
	codes := map[string]int32{}
	for c := range f.data {
		s := &f.data[c]
		clear(codes)
		for i, w := range s.words {
			codes[w] = int32(i)
		}
		for _, row := range rows {
			s.add(from.Columns[c].Kind, &from.data[c], row, codes)
		}
	}
	f.rows += len(rows)
}

// add appends a cell of another column of the kind.
func (s *series) add(k Kind, from *series, row int, codes map[string]int32) {
	switch k {
	case Float64:
		v, _ := from.float(row)
		s.floats = append(s.floats, v)
	case Int64:
		v, ok := from.int(row)
		s.ints, s.null = append(s.ints, v), append(s.null, !ok)
	case Bool:
		v, ok := from.bool(row)
		s.bools = append(s.bools, truth(v, ok))
	case String:
		code := int32(-1)
		if word, ok := from.word(row); ok {
			code = s.code([]byte(word), codes)
		}
		s.codes = append(s.codes, code)
	}
}

// truth is a cell of a Bool column.
func truth(v, ok bool) int8 {
	switch {
	case !ok:
		return -1
	case v:
		return 1
	}
	return 0
}
