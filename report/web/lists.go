package web

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"scoville/report/number"
	"scoville/report/page"
	"scoville/report/view"
	"scoville/report/web/scene"
	"scoville/sweep/results"
)

// maxBad is how many points each list of those without a result has.
const maxBad = 60

// list is a table of the points that something is true of, the first maxBad of
// them, with their axes and what else is to be said; nil where there are none.
func (m *maker) list(title string, head []string, is func(i int) bool, more func(i int) []string) []page.Table {
	axes := m.V.Varying(m.All)
	t := page.Table{Head: []string{"point"}}
	for _, c := range axes {
		t.Head = append(t.Head, scene.Named(c))
	}
	t.Head = append(t.Head, head...)
	n := 0
	for _, i := range m.All {
		if !is(i) {
			continue
		}
		if n++; n > maxBad {
			continue
		}
		row := []string{strconv.Itoa(m.V.Index(i))}
		for _, c := range axes {
			row = append(row, scene.Said(m.V.Value(c.Name, i)))
		}
		t.Rows = append(t.Rows, append(row, more(i)...))
	}
	if n == 0 {
		return nil
	}
	t.Title = fmt.Sprintf("%s: %s", title, number.Plural(n, "point"))
	if n > maxBad {
		t.Notes = []string{fmt.Sprintf("the first %d of %s: all are in %s", maxBad, number.Grouped(n), results.PointsFile)}
	}
	return []page.Table{t}
}

// unsteady lists the points whose numbers must not be used, and those without
// any.
func (m *maker) unsteady() {
	s := page.Section{ID: "unsteady", Title: "Saturated, infeasible and failed points"}
	plain := func(name string, i int) string {
		if e, ok := m.V.Estimate(name, i); ok {
			return number.Significant(e.Mean)
		}
		return "-"
	}
	if !m.probes { // a search tries what fails
		s.Tables = append(s.Tables, m.list("saturated", []string{"offered (requests/s)", "capacity (requests/s)", "load_ratio"}, func(i int) bool { return m.V.State(i) == view.Saturated }, func(i int) []string {
			return []string{plain("offered_rps", i), plain("capacity_rps", i), m.load(i)}
		})...)
		s.Tables = append(s.Tables, m.list("not judged: runs too short to tell", []string{"offered (requests/s)", "load_ratio"}, func(i int) bool { return m.V.State(i) == view.Unjudged }, func(i int) []string {
			return []string{plain("offered_rps", i), m.load(i)}
		})...)
	}
	for _, status := range []string{results.Infeasible, results.Failed, results.Timeout} {
		s.Tables = append(s.Tables, m.list(status, []string{"why"}, func(i int) bool {
			got, _ := m.V.Points.String(m.V.Points.Index("status"), i)
			return got == status
		}, func(i int) []string {
			reason, _ := m.V.Points.String(m.V.Points.Index("error"), i)
			return []string{reason}
		})...)
	}
	m.put(s)
}

// basis says what the numbers rest on, and the notes of the plan.
func (m *maker) basis(rest []string) {
	m.put(page.Section{ID: "basis", Title: "What must be known", Lines: rest, Notes: m.V.Manifest.Notes})
}

// provenance says where the results come from, and shows the study.
func (m *maker) provenance() {
	f := m.V.Manifest
	t := page.Table{Head: []string{"what", "value"}}
	add := func(what, value string) { t.Rows = append(t.Rows, []string{what, value}) }
	add("study", f.Study)
	add(results.StudyFile+", SHA-256", f.StudySHA256)
	add("seed", strconv.FormatUint(f.Seed, 10))
	add("simulator version", strconv.Itoa(f.SimVersion))
	add("result schema", strconv.Itoa(f.Schema))
	if f.Until != "" {
		add("stopping rule", f.Until)
	}
	for _, s := range f.Set {
		add("set on the command line", s)
	}
	for _, o := range f.Overlays {
		add("overlay "+o+", SHA-256", f.Inputs[o])
	}
	for _, name := range slices.Sorted(maps.Keys(f.Inputs)) {
		if !slices.Contains(f.Overlays, name) {
			add("input "+name+", SHA-256", f.Inputs[name])
		}
	}
	s := page.Section{ID: "provenance", Title: "Provenance and the study", Tables: []page.Table{t}}
	if m.V.Study != "" {
		s.Texts = []page.Text{{Title: results.StudyFile, Body: m.V.Study}}
	}
	m.put(s)
}

func (m *maker) footer() []string {
	f := m.V.Manifest
	out := []string{fmt.Sprintf("Study %s, SHA-256 %s, seed %d, simulator version %d, result schema %d. All values: %s and the other tables beside this page.", f.Study, f.StudySHA256, f.Seed, f.SimVersion, f.Schema, results.PointsFile)}
	var drawn []string
	for _, p := range m.in.Plots {
		if p.Err == nil {
			drawn = append(drawn, p.Name+".svg")
		}
	}
	switch {
	case len(drawn) > 3:
		out = append(out, fmt.Sprintf("Pictures for papers, in the folder plots: %s and %d more.", drawn[0], len(drawn)-1))
	case drawn != nil:
		out = append(out, "Pictures for papers, in the folder plots: "+strings.Join(drawn, ", ")+".")
	}
	return out
}
