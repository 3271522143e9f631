// Package found makes the table of a study with [search]: what each search
// found, instead of the points that it tried. It knows the columns of the table
// of searches and words; it reads no files.
package found

import (
	"fmt"
	"slices"
	"strings"

	"scoville/core/table"
	"scoville/report/number"
	"scoville/report/view"
	"scoville/sweep/results"
)

// maxSearches is how many searches the table lists, maxReasons how many of them
// are explained below it.
const maxSearches, maxReasons = 60, 8

// Table is what people read of the searches.
type Table struct {
	Title string
	Head  []string
	Rows  [][]string
	Notes []string
}

// Make makes the table of searches, which must have a row. bare are those, by
// search_id, that no calibration applies to while one applies to others.
func Make(f *table.Frame, bare map[string]bool) Table {
	t := searchTable{f: f, bare: bare}
	for _, c := range f.Columns {
		if c.Path != "" {
			t.axes = append(t.axes, c)
		}
	}
	for i := range f.Len() {
		t.changes = t.changes || t.text("oat_path", i) != ""
	}
	return t.table()
}

// searchTable reads the table of searches.
type searchTable struct {
	f       *table.Frame
	axes    []table.Column
	changes bool // it has one-at-a-time changes
	bare    map[string]bool
}

func (t *searchTable) text(column string, i int) string {
	s, _ := t.f.String(t.f.Index(column), i)
	return s
}

func (t *searchTable) float(column string, i int) (float64, bool) {
	return t.f.Float(t.f.Index(column), i)
}

func (t *searchTable) table() Table {
	over := t.text("over", 0)
	goal, beyond := "largest", "first fail above"
	if t.text("goal", 0) == "min" {
		goal, beyond = "smallest", "first fail below"
	}
	name := over[strings.LastIndexByte(over, '.')+1:]
	s := Table{Title: fmt.Sprintf("search: %s %s that meets every service level", goal, over)}
	for _, a := range t.axes {
		s.Head = append(s.Head, a.Heading())
	}
	if t.changes {
		s.Head = append(s.Head, "change")
	}
	s.Head = append(s.Head, goal+" "+name, beyond, "outcome", "bound by")
	if t.changes {
		s.Head = append(s.Head, "effect on it")
	}
	for i := range min(t.f.Len(), maxSearches) {
		s.Rows = append(s.Rows, t.row(i))
	}
	if n := t.f.Len() - maxSearches; n > 0 {
		s.Notes = append(s.Notes, fmt.Sprintf("%s more searches: see %s", number.Grouped(n), results.SearchesFile))
	}
	s.Notes = append(s.Notes, t.reasons()...)
	if slices.ContainsFunc(s.Rows, func(row []string) bool {
		return slices.ContainsFunc(row, func(cell string) bool { return strings.HasPrefix(cell, "found") })
	}) {
		s.Notes = append(s.Notes, "a value passes when the whole 95 % interval of every limited metric keeps its limit; the boundary lies between it and the first value shown to fail")
	}
	if t.changes {
		s.Notes = append(s.Notes, "effect on the boundary on the same requests; in brackets what the tolerance of the two searches allows, no confidence interval. ~ = includes 0")
	}
	return s
}

// row is a search in the table.
func (t *searchTable) row(i int) []string {
	var row []string
	cells := t.f.Row(i)
	for _, a := range t.axes {
		row = append(row, number.Plain(cells[t.f.Index(a.Name)]))
	}
	if t.changes {
		row = append(row, t.change(i))
	}
	value, fail := "-", "-"
	if v, ok := t.float("value", i); ok {
		value = number.Plain(v)
		if fail = "none in the range"; t.known("first_fail", i) {
			v, _ := t.float("first_fail", i)
			fail = number.Plain(v)
		}
	}
	row = append(row, value, fail, t.outcome(i), number.Plain(cells[t.f.Index("binding_slo")]))
	if t.changes {
		row = append(row, t.effect(i))
	}
	if t.bare[t.text("search_id", i)] {
		row[0] += view.NotCalibrated
	}
	return row
}

func (t *searchTable) known(column string, i int) bool {
	_, ok := t.float(column, i)
	return ok
}

// change names a one-at-a-time change as the tables of effects do.
func (t *searchTable) change(i int) string {
	path := t.text("oat_path", i)
	if path == "" {
		return "baseline"
	}
	return path[strings.LastIndexByte(path, '.')+1:] + " " + number.Level(t.text("oat_level", i))
}

// outcome is how a search ended, in words.
func (t *searchTable) outcome(i int) string {
	from, _ := t.float("search_from", i)
	to, _ := t.float("search_to", i)
	if t.text("goal", i) == "min" {
		from, to = to, from
	}
	switch outcome := t.text("outcome", i); outcome {
	case "found":
		if sure, _ := t.f.Bool(t.f.Index("confirmed"), i); !sure {
			return "found, not confirmed"
		}
		if close, _ := t.f.Bool(t.f.Index("resolved"), i); !close {
			return "found, not resolved"
		}
		return "found"
	case "none_feasible":
		return "none: even " + number.Plain(from) + " fails"
	case "all_feasible":
		return "all: even " + number.Plain(to) + " passes"
	case "non_monotone":
		return "no single boundary"
	case "budget":
		return "not found within max_probes"
	case "error":
		return "no answer"
	default:
		return outcome
	}
}

// effect is the change of the value from the baseline's.
func (t *searchTable) effect(i int) string {
	delta, ok := t.float("delta_ratio", i)
	if !ok {
		if t.text("oat_path", i) == "" {
			return ""
		}
		return "-"
	}
	lo, known := t.float("delta_lo", i)
	hi, both := t.float("delta_hi", i)
	switch {
	case !known || !both:
		return number.Percent(delta, 1)
	case lo <= 0 && hi >= 0:
		return fmt.Sprintf("~ (%s to %s)", number.Percent(lo, 1), number.Percent(hi, 1))
	}
	return fmt.Sprintf("%s (%s to %s)", number.Percent(delta, 1), number.Percent(lo, 1), number.Percent(hi, 1))
}

// reasons say what must be known of single searches, of several with the same
// reason once.
func (t *searchTable) reasons() []string {
	var order []string
	count, first := map[string]int{}, map[string]string{}
	for i := range t.f.Len() {
		reason := t.text("reason", i)
		if reason == "" {
			continue
		}
		if count[reason]++; count[reason] == 1 {
			order, first[reason] = append(order, reason), t.name(i)
		}
	}
	var out []string
	for i, reason := range order {
		if i == maxReasons {
			return append(out, number.Plural(len(order)-i, "more reason")+": see the column reason of "+results.SearchesFile)
		}
		line := reason
		if name := first[reason]; name != "" {
			line = name + ": " + reason
		}
		if n := count[reason] - 1; n > 0 {
			line += fmt.Sprintf(" (the same for %s)", number.Plural(n, "other"))
		}
		out = append(out, line)
	}
	return out
}

// name tells a search from the others.
func (t *searchTable) name(i int) string {
	var names []string
	for _, a := range t.axes {
		names = append(names, a.Heading()+" = "+number.Plain(t.f.Row(i)[t.f.Index(a.Name)]))
	}
	if t.changes {
		names = append(names, t.change(i))
	}
	return strings.Join(names, ", ")
}
