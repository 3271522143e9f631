package program

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"scoville/core/sheet"
)

// Form is how a verb writes its answer: for people, or on request as CSV or JSON.
type Form struct{ CSV, JSON bool }

// Flags adds --csv, of a table that what names, and --json.
func (f *Form) Flags(c *cobra.Command, what string) {
	f.Table(c, what)
	c.Flags().BoolVar(&f.JSON, "json", false, "write everything as JSON")
}

// Table adds --csv alone.
func (f *Form) Table(c *cobra.Command, what string) {
	c.Flags().BoolVar(&f.CSV, "csv", false, "write "+what+" as CSV, and nothing else")
}

// Check refuses both forms at once.
func (f *Form) Check() error {
	if f.CSV && f.JSON {
		return fmt.Errorf("--csv and --json: one of them")
	}
	return nil
}

// Write writes an answer in the form that is asked for: x as JSON, rows of it as
// CSV, text for people.
func (f *Form) Write(w io.Writer, x any, rows func() ([][]string, error), text func(io.Writer) error) error {
	switch {
	case f.CSV:
		table, err := rows()
		if err != nil {
			return err
		}
		return CSV(w, table)
	case f.JSON:
		return JSON(w, x)
	}
	return text(w)
}

// CSV writes rows, the first of which is the heading, as CSV that no spreadsheet
// takes for formulas. Its cells are visible; the door would spell them twice.
func CSV(w io.Writer, rows [][]string) error { return sheet.NewWriter(Raw(w)).WriteAll(rows) }

// JSON writes a value, indented.
func JSON(w io.Writer, x any) error {
	text, err := json.MarshalIndent(x, "", "  ")
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(w, "%s\n", text)
	return err
}

// Text writes rows in aligned columns, two blanks apart.
func Text(w io.Writer, rows [][]string) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, row := range rows {
		fmt.Fprintln(t, strings.Join(row, "\t"))
	}
	return t.Flush()
}

// Objects are rows with the names of the heading, as JSON has them.
func Objects(rows [][]string) []map[string]string {
	out := make([]map[string]string, 0, len(rows))
	for _, row := range rows[1:] {
		o := map[string]string{}
		for i, name := range rows[0] {
			o[name] = row[i]
		}
		out = append(out, o)
	}
	return out
}

// Rows makes a table of a list of structures as JSON has them: a row for each, a
// column for each value, those of structures within as NAME_PART. A list of values
// is one cell; of structures within a list the cell has the number. What is null is
// empty.
func Rows(list any) ([][]string, error) {
	items, err := decode(list)
	if err != nil {
		return nil, err
	}
	array, ok := items.([]any)
	if !ok {
		return nil, fmt.Errorf("no list: %T", list)
	}
	var head []string
	var cells []map[string]string
	for _, item := range array {
		row := map[string]string{}
		flat(item, "", "_", func(name, value string) {
			if !slices.Contains(head, name) {
				head = append(head, name)
			}
			row[name] = value
		})
		cells = append(cells, row)
	}
	head = slices.DeleteFunc(head, func(name string) bool { // null in one row, a structure in another
		return slices.ContainsFunc(head, func(other string) bool { return strings.HasPrefix(other, name+"_") }) &&
			!slices.ContainsFunc(cells, func(row map[string]string) bool { return row[name] != "" })
	})
	out := [][]string{head}
	for _, row := range cells {
		var line []string
		for _, name := range head {
			line = append(line, row[name])
		}
		out = append(out, line)
	}
	return out, nil
}

// Tidy makes a table of any value as JSON has it, a row for each number, text and
// switch in it: the part it is in, the name of the item of a list, and the
// quantity.
func Tidy(x any) ([][]string, error) {
	v, err := decode(x)
	if err != nil {
		return nil, err
	}
	out := [][]string{{"part", "name", "quantity", "value"}}
	tidy(v, "", "", func(row ...string) { out = append(out, row) })
	return out, nil
}

func tidy(v any, part, name string, add func(...string)) {
	o, ok := v.(object)
	if !ok {
		add(part, name, "", cell(v))
		return
	}
	for _, f := range o {
		switch inner := f.value.(type) {
		case object:
			tidy(inner, named(part, f.name, "."), name, add)
		case []any:
			for i, item := range inner {
				if entry, ok := item.(object); ok {
					label, rest := entry.label(i)
					tidy(rest, named(part, f.name, "."), named(name, label, ": "), add)
				}
			}
			if text := cell(inner); text != "" {
				add(part, name, f.name, text)
			}
		default:
			add(part, name, f.name, cell(inner))
		}
	}
}

// flat hands on the values of a structure with their names.
func flat(v any, prefix, by string, add func(name, value string)) {
	o, _ := v.(object)
	for _, f := range o {
		switch inner := f.value.(type) {
		case object:
			flat(inner, named(prefix, f.name, by), by, add)
		case []any:
			text := cell(inner)
			if slices.ContainsFunc(inner, func(item any) bool { _, is := item.(object); return is }) {
				text = fmt.Sprint(len(inner))
			}
			add(named(prefix, f.name, by), text)
		default:
			add(named(prefix, f.name, by), cell(inner))
		}
	}
}

func named(a, b, by string) string {
	if a == "" || b == "" {
		return a + b
	}
	return a + by + b
}

// cell is a value as text; "" for null, and for a list of structures.
func cell(v any) string {
	switch v := v.(type) {
	case nil:
		return ""
	case []any:
		var out []string
		for _, item := range v {
			if _, is := item.(object); !is {
				out = append(out, cell(item))
			}
		}
		return strings.Join(out, "; ")
	}
	return fmt.Sprint(v)
}

// object is a JSON object in its order.
type object []field

type field struct {
	name  string
	value any
}

// label is what tells the item of a list, and the rest of it.
func (o object) label(i int) (string, object) {
	for _, key := range []string{"name", "path", "metric"} {
		for k, f := range o {
			if text, ok := f.value.(string); ok && f.name == key {
				return text, slices.Delete(slices.Clone(o), k, k+1)
			}
		}
	}
	return fmt.Sprint(i + 1), o
}

// decode turns a value into objects, lists, json.Number, text, switches and nil.
func decode(x any) (any, error) {
	text, err := json.Marshal(x)
	if err != nil {
		return nil, err
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	return value(d)
}

func value(d *json.Decoder) (any, error) {
	token, err := d.Token()
	if err != nil {
		return nil, err
	}
	open, _ := token.(json.Delim)
	if open == 0 {
		return token, nil
	}
	o, list := object{}, []any{}
	for d.More() {
		name := ""
		if open == '{' {
			key, err := d.Token()
			if err != nil {
				return nil, err
			}
			name, _ = key.(string)
		}
		v, err := value(d)
		if err != nil {
			return nil, err
		}
		if o, list = append(o, field{name, v}), append(list, v); open == '{' {
			list = nil
		}
	}
	if _, err := d.Token(); err != nil {
		return nil, err
	}
	if open == '{' {
		return o, nil
	}
	return list, nil
}
