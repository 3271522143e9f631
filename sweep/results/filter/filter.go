// Package filter knows conditions on the rows of a table of results: which names
// they may use, and which rows they hold for. It reads no files.
package filter

import (
	"maps"
	"slices"
	"strings"

	"scoville/core/expr"
	"scoville/core/table"
	"scoville/sweep/results/scope"
)

// meanSuffix ends the column that the name of a metric stands for in points and
// classes.
const meanSuffix = "_mean"

// Binding is another name for what bounds a point: the columns bound and
// decode_bound together, with what people call the resources, so that ~ finds
// either: "host_link (PCIe) weight_memory".
const Binding = "binding"

// words are what people call the resources, where it is not their name.
var words = map[string]string{"kv_memory": "KV memory", "onchip_kv": "on-chip KV", "host_link": "PCIe"}

// Word is what people call a resource: PCIe for host_link.
func Word(resource string) string {
	if w := words[resource]; w != "" {
		return w
	}
	return strings.ReplaceAll(resource, "_", " ")
}

var bounds = []string{"bound", "decode_bound"}

// Resolve returns the column that a name stands for: the column itself, an axis by
// its path (also without ".name"), a metric by its name for its mean, a gain by
// its short name.
func Resolve(cols []table.Column, name string) (table.Column, bool) {
	if i := slices.IndexFunc(cols, func(c table.Column) bool { return c.Name == name }); i >= 0 {
		return cols[i], true
	}
	for _, path := range []string{name, name + ".name"} {
		if i := slices.IndexFunc(cols, func(c table.Column) bool { return c.Path == path }); i >= 0 {
			return cols[i], true
		}
	}
	full := name + meanSuffix
	if metric, ok := scope.GainMetric(name); ok {
		full = metric + scope.GainSuffix
	}
	if i := slices.IndexFunc(cols, func(c table.Column) bool { return c.Name == full }); i >= 0 {
		return cols[i], true
	}
	return table.Column{}, false
}

// Rows is a condition on rows. The zero Rows holds for all.
type Rows struct {
	*expr.Expr
	fixed map[string]any
}

// Parse reads a condition. Its names are not checked: tables differ in them.
func Parse(text string) (Rows, error) {
	e, err := expr.Parse(text)
	return Rows{Expr: e}, err
}

// With returns the condition for a table beside whose columns there are values that
// all rows share: float64, int64, string or bool by name.
func (r Rows) With(fixed map[string]any) Rows {
	r.fixed = fixed
	return r
}

// Check returns an error at the first name that a table of these columns does not
// have, or at an operator that its operands do not suit.
func (r Rows) Check(cols []table.Column) error {
	s := expr.Scope{What: "column", Find: func(name string) (expr.Kind, bool) { return r.kind(cols, name) }}
	for _, c := range cols {
		s.Names = append(s.Names, c.Name)
		if c.Path != "" {
			s.Names = append(s.Names, c.Path)
		}
		if metric, ok := strings.CutSuffix(c.Name, meanSuffix); ok {
			s.Names = append(s.Names, metric)
		}
	}
	s.Names = append(s.Names, slices.Sorted(maps.Keys(r.fixed))...)
	if len(sources(cols, Binding)) > 0 {
		s.Names = append(s.Names, Binding)
	}
	s.Hint = func(string) string {
		return "sweep list columns says which there are; keys that the study sets count too"
	}
	return r.Expr.Check(s)
}

func (r Rows) kind(cols []table.Column, name string) (expr.Kind, bool) {
	c, ok := Resolve(cols, name)
	if !ok {
		switch r.fixed[name].(type) {
		case float64, int64:
			return expr.Number, true
		case string:
			return expr.Text, true
		case bool:
			return expr.Bool, true
		}
		return expr.Text, name == Binding && len(sources(cols, name)) > 0
	}
	switch c.Kind {
	case table.String:
		return expr.Text, true
	case table.Bool:
		return expr.Bool, true
	}
	return expr.Number, true
}

// sources are the columns that the value of a name comes from.
func sources(cols []table.Column, name string) (out []string) {
	if c, ok := Resolve(cols, name); ok {
		return []string{c.Name}
	}
	if name != Binding {
		return nil
	}
	for _, b := range bounds {
		if slices.ContainsFunc(cols, func(c table.Column) bool { return c.Name == b }) {
			out = append(out, b)
		}
	}
	return out
}

// Uses returns which columns of a table the condition reads.
func (r Rows) Uses(cols []table.Column) map[string]bool {
	used := map[string]bool{}
	if r.Empty() {
		return used
	}
	for _, n := range r.Names() {
		for _, s := range sources(cols, n.Text) {
			used[s] = true
		}
	}
	return used
}

// Distinct are the names that the condition uses, each once, in its order.
func (r Rows) Distinct() (out []string) {
	if r.Empty() {
		return nil
	}
	for _, n := range r.Names() {
		if !slices.Contains(out, n.Text) {
			out = append(out, n.Text)
		}
	}
	return out
}

// Values returns what gives the values of Distinct in a row of a table, as text; ""
// is NULL.
func (r Rows) Values(f *table.Frame) func(row int) []string {
	at := r.positions(f)
	return func(row int) (out []string) {
		for _, name := range r.Distinct() {
			out = append(out, r.value(f, at[name], name, row).String())
		}
		return out
	}
}

// positions are the columns of each name.
func (r Rows) positions(f *table.Frame) map[string][]int {
	at := map[string][]int{}
	for _, name := range r.Distinct() {
		at[name] = nil
		for _, s := range sources(f.Columns, name) {
			at[name] = append(at[name], f.Index(s))
		}
	}
	return at
}

// Of returns what says whether the condition holds for a row of a table. Names
// that the table does not have are null.
func (r Rows) Of(f *table.Frame) func(row int) bool {
	if r.Empty() {
		return func(int) bool { return true }
	}
	at := r.positions(f)
	return func(row int) bool {
		return r.Match(func(name string) expr.Value { return r.value(f, at[name], name, row) })
	}
}

// value is a cell, or several texts as one, or what all rows share.
func (r Rows) value(f *table.Frame, cols []int, name string, row int) expr.Value {
	switch len(cols) {
	case 0:
		return expr.Of(r.fixed[name])
	case 1:
		return expr.Of(f.Cell(cols[0], row))
	}
	var bound []string
	for _, c := range cols {
		w, ok := f.String(c, row)
		if ok && !strings.EqualFold(Word(w), strings.ReplaceAll(w, "_", " ")) {
			w += " (" + Word(w) + ")"
		}
		if ok && !slices.Contains(bound, w) {
			bound = append(bound, w)
		}
	}
	if len(bound) == 0 {
		return expr.Value{}
	}
	return expr.Of(strings.Join(bound, " "))
}
