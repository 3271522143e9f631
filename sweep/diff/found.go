package diff

import (
	"bytes"
	"fmt"
	"strconv"
	"text/tabwriter"

	"scoville/core/table"
	"scoville/sweep/results"
	"scoville/sweep/results/searches"
)

// Answer is how a search ended.
type Answer struct {
	Outcome   string   `json:"outcome"`
	Value     *float64 `json:"value"`      // null unless found
	FirstFail *float64 `json:"first_fail"` // beyond it; null unless found, and where nothing in the range fails
	Resolved  bool     `json:"resolved"`   // these two are as close as the tolerance asks
	Binding   string   `json:"binding_slo"`
	unit      string
}

// Found is a search that both folders have.
type Found struct {
	Place []string `json:"place"` // "axis = value"
	A     *Answer  `json:"a"`
	B     *Answer  `json:"b"`
	Ratio *float64 `json:"change"`    // of the value, B against A; null unless both are found
	Lo    *float64 `json:"change_lo"` // least change that values and first fails allow, no confidence interval
	Hi    *float64 `json:"change_hi"`
}

// searched refuses folders that do not search for the same.
func searched(a, b *side) error {
	word := func(s *side) string {
		if s.over == "" {
			return "holds points, no searches"
		}
		return "searches the " + s.over
	}
	if a.over != b.over {
		return fmt.Errorf("%s %s, and %s %s: there is nothing to compare", a.data.Dir, word(a), b.data.Dir, word(b))
	}
	return nil
}

// answers reads the table of searches.
func (s *side) answers(f *table.Frame) {
	if f == nil {
		return
	}
	text := func(column string, i int) string {
		v, _ := f.String(f.Index(column), i)
		return v
	}
	number := func(column string, i int) *float64 {
		if v, ok := f.Float(f.Index(column), i); ok {
			return &v
		}
		return nil
	}
	for i := range f.Len() {
		goal := "largest "
		if text("goal", i) == "min" {
			goal = "smallest "
		}
		s.over = goal + text("over", i)
		p := &point{index: i, cells: map[string]string{}, status: results.OK, found: &Answer{
			Outcome: text("outcome", i), Value: number("value", i), FirstFail: number("first_fail", i),
			Binding: text("binding_slo", i), unit: text("unit", i),
		}}
		p.found.Resolved, _ = f.Bool(f.Index("resolved"), i)
		if path := text("oat_path", i); path != "" {
			p.oat = path + " " + text("oat_level", i)
		}
		row := f.Row(i)
		for k, c := range f.Columns {
			if c.Path != "" {
				p.cells[c.Path] = word(row[k])
			}
		}
		s.points = append(s.points, p)
	}
}

// values compares what the searches found.
func (r *Report) values(m *matching) {
	for i := range m.pairs {
		g := &m.pairs[i]
		for k := range min(len(g.a), len(g.b)) {
			r.Found = append(r.Found, found(g.place, g.a[k].found, g.b[k].found))
		}
		if len(g.a) != len(g.b) || len(g.a) > 1 {
			row := g.row()
			r.Notes = append(r.Notes, fmt.Sprintf("warning: %s is of %d searches in A and %d in B, compared in their order: an axis that only one has tells them apart", row.name(), len(g.a), len(g.b)))
		}
	}
	for i := range m.aloneA {
		r.OnlyA = append(r.OnlyA, m.aloneA[i].row())
	}
	for i := range m.aloneB {
		r.OnlyB = append(r.OnlyB, m.aloneB[i].row())
	}
}

func found(place []string, a, b *Answer) Found {
	out := Found{Place: place, A: a, B: b}
	if a.Value == nil || b.Value == nil || *a.Value == 0 {
		return out
	}
	ratio := func(x, y *float64) *float64 {
		if x == nil || y == nil || *y == 0 {
			return nil
		}
		return known(*x / *y - 1)
	}
	out.Ratio = ratio(b.Value, a.Value)
	lo, hi := ratio(b.Value, a.FirstFail), ratio(b.FirstFail, a.Value)
	if lo != nil && hi != nil {
		if *lo > *hi { // the smallest value: the first fail is below
			lo, hi = hi, lo
		}
		out.Lo, out.Hi = lo, hi
	}
	return out
}

// answersText prints the searches side by side.
func (r *Report) answersText(b *bytes.Buffer) {
	t := tabwriter.NewWriter(b, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "search\tA\tB\tchange\tbound by")
	for i := range r.Found[:min(len(r.Found), maxRows)] {
		f := &r.Found[i]
		row := Row{Place: f.Place}
		name := row.name()
		if len(f.Place) == 0 {
			name = "the only search"
		}
		bound := f.A.Binding
		if bound != f.B.Binding {
			bound = orNone(bound) + " -> " + orNone(f.B.Binding)
		}
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\n", name, f.A.text(), f.B.text(), f.change(), bound)
	}
	t.Flush()
	if n := len(r.Found) - maxRows; n > 0 {
		fmt.Fprintf(b, "%s more; --csv has them all\n", count(n, "search"))
	}
	b.WriteString("in brackets the changes that the last passes and the first fails allow, no confidence interval; ~ = they include 0, = the same value\n\n")
}

func (a *Answer) text() string {
	switch {
	case a.Outcome != searches.Found:
		return a.Outcome
	case !a.Resolved:
		return number(a.Value) + " (not resolved)"
	}
	return number(a.Value)
}

func (f *Found) change() string {
	switch {
	case f.Ratio == nil:
		return "-"
	case *f.Ratio == 0:
		return "="
	case f.Lo == nil:
		return percent(*f.Ratio)
	case *f.Lo <= 0 && *f.Hi >= 0:
		return fmt.Sprintf("~ (%s to %s)", percent(*f.Lo), percent(*f.Hi))
	}
	return fmt.Sprintf("%s (%s to %s)", percent(*f.Ratio), percent(*f.Lo), percent(*f.Hi))
}

// answersCSV are the rows of a comparison of searches.
func (r *Report) answersCSV() [][]string {
	rows := [][]string{{"search", "unit", "outcome_a", "outcome_b", "value_a", "value_b", "first_fail_a", "first_fail_b", "change_ratio", "change_lo", "change_hi", "binding_slo_a", "binding_slo_b"}}
	cell := func(x *float64) string {
		if x == nil {
			return ""
		}
		return strconv.FormatFloat(*x, 'g', -1, 64)
	}
	for i := range r.Found {
		f := &r.Found[i]
		place := ""
		for k, p := range f.Place {
			if k > 0 {
				place += ", "
			}
			place += p
		}
		rows = append(rows, []string{place, f.A.unit, f.A.Outcome, f.B.Outcome, cell(f.A.Value), cell(f.B.Value), cell(f.A.FirstFail), cell(f.B.FirstFail), cell(f.Ratio), cell(f.Lo), cell(f.Hi), f.A.Binding, f.B.Binding})
	}
	return rows
}
