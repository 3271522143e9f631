// Package report turns the results of a sweep into what people read: tables
// for the terminal and report.md. It reads files and never simulates, and it
// labels what must not be taken for a steady value.
package report

import (
	"fmt"
	"path/filepath"
	"slices"

	"scoville/core/expr"
	"scoville/core/table"
	"scoville/report/drill"
	"scoville/report/number"
	"scoville/report/page"
	"scoville/report/plots"
	"scoville/report/section"
	"scoville/report/summary"
	"scoville/report/view"
	"scoville/report/web"
	"scoville/sweep/results"
	"scoville/sweep/results/details"
)

// File is the report's name in a folder of results.
const File = "report.md"

// Report is the answer of one sweep: what ran, and its tables.
type Report struct {
	data     *view.View
	metrics  []table.Column // of the tables
	plots    []plots.Plot
	summary  []string
	sections []section.Section

	web         web.Input
	explanation string // of a study of one point; "" = none
	mixed       bool   // a calibration applies to some points and not to others
}

// maxSections is how many baselines have their table in the report.
const maxSections = 12

// Load reads the results in a folder.
func Load(dir string) (*Report, error) {
	m, err := results.ReadManifest(dir)
	if err != nil {
		m = &results.Manifest{} // Open says it better
	}
	v, err := view.Open(dir, shown, needed(m))
	if err != nil {
		return nil, err
	}
	r := &Report{data: v}
	r.mixed = len(v.Bare()) > 0
	names := shown(v.Manifest.Metrics)
	r.metrics = slices.DeleteFunc(v.Metrics(), func(c table.Column) bool { return !slices.Contains(names, c.Name) })
	if r.explanation, err = v.Explanation(); err != nil {
		return nil, err
	}
	r.summary = summary.Lines(v)
	r.web = web.Input{View: v, Metrics: r.metrics, Summary: summary.Timeless(v), Explanation: r.explanation}
	if r.sections, err = r.searches(); err != nil {
		return nil, err
	}
	searched := r.sections != nil // its points are what the searches tried
	if !searched {
		r.sections = r.effects()
	}
	if r.sections == nil {
		r.sections = r.pointTables()
	}
	factors, err := r.factors()
	if err != nil {
		return nil, err
	}
	for i := range r.sections {
		r.sections[i].Long = r.sections[i].Long || factors != nil // its points are a sample, the factors the answer
	}
	elasticities, err := r.elasticities()
	if err != nil {
		return nil, err
	}
	r.sections = slices.Concat(factors, r.sections, elasticities)
	if n := len(r.sections) - maxSections; n > 0 {
		r.sections = r.sections[:maxSections]
		last := &r.sections[maxSections-1]
		last.Notes = append(last.Notes, fmt.Sprintf("%s more baselines: see %s", number.Grouped(n), results.EffectsFile))
	}
	w := &r.web
	w.Main, w.Published, w.Grades = r.sections, r.published(), r.grades()
	if !searched {
		w.Fronts, w.Classes, w.Parts = r.fronts(), r.classes(), r.deviations()
	}
	r.sections = slices.Concat(w.Published, w.Main, w.Fronts, w.Classes, w.Parts, w.Grades)
	var main []string
	for _, c := range r.metrics {
		main = append(main, c.Name)
	}
	r.plots = plots.All(v, main)
	w.Plots = r.plots
	r.inside()
	return r, v.Err()
}

// inside adds the parts of a page that look into a few points; where their file
// cannot be read, every form of the report says why.
func (r *Report) inside() {
	x, err := details.Read(r.data.Dir, r.data.Manifest.Digest)
	if err != nil {
		why := "not shown: " + err.Error()
		r.summary = append(r.summary, "distributions of latencies "+why)
		r.web.Extra = []page.Section{{ID: "latencies", Title: "How the latencies are distributed", Notes: []string{why}}}
		return
	}
	r.web.Extra, r.web.Details = drill.Sections(x), drill.Details(x)
}

// needed names what the report reads beside the metrics of its tables.
func needed(m *results.Manifest) []string {
	out := []string{"running_mean_seqs", "resident_mean_tok", "onchip_hit_ratio"}
	for _, d := range decompositions {
		out = append(out, d.simulated, d.closed)
		for _, p := range d.parts {
			out = append(out, p.column)
		}
	}
	for _, p := range m.Report.Published {
		out = append(append(append(out, p.Metric), names(p.At)...), names(p.RatioTo)...)
	}
	for _, p := range m.Report.Plots {
		out = append(out, names(p.Where)...)
	}
	for _, o := range m.Objectives {
		out = append(out, o.Metric)
	}
	for _, name := range names(m.Report.Keep) {
		if metric, ok := results.GainMetric(name); ok {
			out = append(out, metric)
		}
	}
	return slices.DeleteFunc(slices.Concat(out, names(m.Report.Keep), plots.Names(m.Report.Plots)), func(name string) bool { return name == "" })
}

// names are those that a condition uses; none if it is not one.
func names(condition string) []string {
	e, err := expr.Parse(condition)
	if err != nil {
		return nil
	}
	var out []string
	for _, n := range e.Names() {
		out = append(out, n.Text)
	}
	return out
}

// Write writes report.md, report.html and the plots into the folder of the
// results. It ends at the first file that cannot be written.
func (r *Report) Write() error {
	if err := results.WriteFile(filepath.Join(r.data.Dir, File), r.markdown()); err != nil {
		return err
	}
	if err := r.WritePage(filepath.Join(r.data.Dir, web.File)); err != nil {
		return err
	}
	return r.writePlots()
}

// WritePage writes the page to a file.
func (r *Report) WritePage(path string) error {
	p := web.Page(r.web)
	html, err := p.HTML()
	if err != nil {
		return err
	}
	return results.WriteFile(path, html)
}

// preferred are the metrics of the tables when the study chose none.
var preferred = []string{"tpot_mean_ms", "ttft_mean_ms", "ttft_p99_ms", "output_tok_s"}

// maxShown is how many metrics fit into a table.
const maxShown = 8

// shown chooses the metrics of the tables: those the study selected, or the
// preferred ones when that is too many.
func shown(selected []string) []string {
	if len(selected) <= maxShown {
		return selected
	}
	fewer := slices.DeleteFunc(slices.Clone(selected), func(name string) bool { return !slices.Contains(preferred, name) })
	if len(fewer) > 0 {
		return fewer
	}
	return selected[:maxShown]
}

func (r *Report) state(i int) view.State { return r.data.State(i) }

// label marks the name of point i where its numbers need it.
func (r *Report) label(name string, i int) string {
	if r.state(i) == view.Unjudged {
		name += " (not judged)"
	}
	if calibrated, ran := r.data.Calibrated(i); r.mixed && ran && !calibrated {
		name += view.NotCalibrated
	}
	return name + r.data.Dropped(i)
}

// cells returns the values of columns at point i as text.
func (r *Report) cells(columns []table.Column, i int) []string {
	row := r.data.Points.Row(i)
	var out []string
	for _, c := range columns {
		out = append(out, number.Plain(row[r.data.Points.Index(c.Name)]))
	}
	return out
}
