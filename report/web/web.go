// Package web makes the page of a sweep's results: the answer in one sentence,
// then what supports it, by the kind of the study. It says what report.md says,
// with the same tables and pictures, and adds what a page can do: pictures that
// answer when they are pointed at. It reads the view of the results and draws
// nothing itself.
package web

import (
	"slices"
	"strings"

	"scoville/core/table"
	"scoville/report/page"
	"scoville/report/plots"
	"scoville/report/section"
	"scoville/report/view"
	"scoville/report/web/scene"
	"scoville/sweep/results"
)

// File is the name of the page in a folder of results.
const File = results.PageFile

// Input is what a page is made of: the results, and the tables that report.md
// has of them.
type Input struct {
	View        *view.View
	Metrics     []table.Column // of the tables, the most important first
	Summary     []string       // what a reader must know first; nothing that changes from one making of the same results to the next
	Published   []section.Section
	Main        []section.Section // searches, effects, factors or points
	Fronts      []section.Section
	Classes     []section.Section
	Parts       []section.Section // of latencies, against their closed forms
	Grades      []section.Section
	Plots       []plots.Plot
	Explanation string // of the only point; "" = none

	Details map[string]page.Detail // by point_index: what the panel of a point shows beside its values
	Extra   []page.Section         // put before the tables of parts
}

// maker makes one page.
type maker struct {
	in Input
	*scene.Scene
	probes bool // points are what searches tried
	pick   []page.Section
}

// Page makes the page.
func Page(in Input) page.Page {
	m := &maker{in: in, Scene: scene.New(in.View, in.Metrics), probes: slices.Contains(in.View.Manifest.Tables, results.SearchesFile)}
	lead, rest := m.lead()
	p := page.Page{Title: m.V.Manifest.Study, Kind: "sweep report", Answer: m.answer(), Lead: lead}
	m.add("published", "Published against simulated", m.in.Published)
	few := m.probes || m.Changes || m.V.Manifest.Sample != nil || len(m.All) == 1
	if few {
		m.effects()
	}
	if !m.probes {
		m.fronts()
	}
	m.put(m.Rates())
	if !m.probes {
		m.put(m.Cliff())
	}
	m.studyPlots()
	if !m.probes {
		m.put(m.Maps())
	}
	if !few {
		m.effects()
	}
	if !m.probes {
		m.put(m.Parallel())
	}
	m.pick = append(m.pick, m.in.Extra...)
	if m.in.Explanation != "" {
		m.put(page.Section{ID: "explanation", Title: "Explanation", Texts: []page.Text{{Body: m.in.Explanation}}})
	}
	m.add("classes", "By class of requests", m.in.Classes)
	m.add("parts", "Closed form against simulated", m.in.Parts)
	m.unsteady()
	m.add("numbers", "Sources of the hardware's numbers", m.in.Grades)
	m.basis(rest)
	m.provenance()
	p.Sections, p.Footer = m.pick, m.footer()
	p.Points, p.Details = m.rows(), m.in.Details
	return p
}

// folded are the sections that are closed until a reader asks.
var folded = map[string]bool{"parts": true, "numbers": true, "provenance": true, "classes": true}

// put adds a section that has something to show.
func (m *maker) put(s page.Section) {
	if len(s.Charts)+len(s.Tables)+len(s.Texts)+len(s.Lines)+len(s.Notes) == 0 {
		return
	}
	s.Folded = folded[s.ID]
	m.pick = append(m.pick, s)
}

// add is put of tables of the report.
func (m *maker) add(id, title string, sections []section.Section) {
	s := page.Section{ID: id, Title: title}
	for _, t := range sections {
		s.Tables = append(s.Tables, tableOf(t, title))
	}
	m.put(s)
}

// tableOf is a table of the report; a title that says what the section's does is
// left out.
func tableOf(t section.Section, title string) page.Table {
	out := page.Table{Title: t.Title, Head: t.Head, Rows: t.Rows, Notes: t.Notes}
	if strings.EqualFold(out.Title, title) || title == "The point" {
		out.Title = ""
	}
	return out
}

// effects are the tables of searches, changes, factors or points, with the
// pictures of changes and factors.
func (m *maker) effects() {
	s := page.Section{ID: "points", Title: "Points", TablesFirst: true}
	switch {
	case m.probes:
		s.ID, s.Title = "searches", "What the searches found"
	case m.Changes:
		s.ID, s.Title = "effects", "What each change does"
	case m.V.Manifest.Sample != nil:
		s.ID, s.Title = "factors", "Which parameters matter"
	case len(m.All) == 1:
		s.Title = "The point"
	}
	more := page.Section{ID: s.ID + "-more", Title: "More tables", Folded: true}
	for _, t := range m.in.Main {
		if t.Long {
			more.Tables = append(more.Tables, tableOf(t, ""))
		} else {
			s.Tables = append(s.Tables, tableOf(t, s.Title))
		}
	}
	if c := m.found(); c != nil {
		s.Charts = append(s.Charts, *c)
	}
	for i := range m.in.Plots {
		if p := &m.in.Plots[i]; p.Bars != nil {
			s.Charts = append(s.Charts, m.bars(p))
		}
	}
	m.put(s)
	if more.Tables != nil {
		m.pick = append(m.pick, more)
	}
}

// fronts are the tables of the best points, with the front drawn.
func (m *maker) fronts() {
	s := page.Section{ID: "front", Title: "Best points", Charts: m.Fronts()}
	if len(m.V.Manifest.Objectives) > 1 {
		s.Title = "Pareto front"
	}
	for _, t := range m.in.Fronts {
		s.Tables = append(s.Tables, tableOf(t, ""))
	}
	m.put(s)
}
