// Package report turns the results of a sweep into what people read: tables
// for the terminal and report.md. It reads files and never simulates, and it
// labels what must not be taken for a steady value.
package report

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"scoville/core/expr"
	"scoville/core/table"
	"scoville/report/number"
	"scoville/report/plots"
	"scoville/report/view"
	"scoville/sweep/results"
)

// File is the report's name in a folder of results.
const File = "report.md"

// Report is the answer of one sweep: what ran, and its tables.
type Report struct {
	data     *view.View
	metrics  []table.Column // of the tables
	plots    []plots.Plot
	summary  []string
	sections []section

	explanation string // of a study of one point; "" = none
}

// section is a table with what must be said about it.
type section struct {
	title string
	head  []string
	rows  [][]string
	notes []string
	long  bool // in report.md only
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
	names := shown(v.Manifest.Metrics)
	r.metrics = slices.DeleteFunc(v.Metrics(), func(c table.Column) bool { return !slices.Contains(names, c.Name) })
	if r.explanation, err = v.Explanation(); err != nil {
		return nil, err
	}
	r.summary = r.counts()
	r.sections = r.effects()
	if r.sections == nil {
		r.sections = r.pointTables()
	}
	if n := len(r.sections) - maxSections; n > 0 {
		r.sections = r.sections[:maxSections]
		last := &r.sections[maxSections-1]
		last.notes = append(last.notes, fmt.Sprintf("%s more baselines: see %s", number.Grouped(n), results.EffectsFile))
	}
	r.sections = slices.Concat(r.published(), r.sections, r.fronts(), r.classes(), r.deviations(), r.grades())
	var main []string
	for _, c := range r.metrics {
		main = append(main, c.Name)
	}
	r.plots = plots.All(v, main)
	return r, v.Err()
}

// needed names what the report reads beside the metrics of its tables.
func needed(m *results.Manifest) []string {
	out := []string{"running_mean_seqs", "resident_mean_tok"}
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

// Write writes report.md and the plots into the folder of the results.
func (r *Report) Write() error {
	return errors.Join(r.writePlots(), results.WriteFile(filepath.Join(r.data.Dir, File), r.markdown()))
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

// counts says how many points and runs ended how, and why those that failed.
func (r *Report) counts() []string {
	points, m := r.data.Points, r.data.Manifest
	status, states := map[string]int{}, map[view.State]int{}
	for i := range points.Len() {
		s, _ := points.String(points.Index("status"), i)
		status[s]++
		states[r.state(i)]++
	}
	line := fmt.Sprintf("%s: %s", m.Study, number.Plural(points.Len(), "point"))
	for _, s := range []string{results.OK, results.Infeasible, results.Failed, results.Timeout} {
		if status[s] > 0 {
			line += fmt.Sprintf(", %s %s", number.Grouped(status[s]), s)
		}
	}
	runs := 0
	for _, n := range m.Counts {
		runs += n
	}
	out := []string{line + fmt.Sprintf("; %s in %.3g s", number.Plural(runs, "run"), m.WallSeconds)}
	if n := states[view.Saturated]; n > 0 {
		out = append(out, r.saturation(n)...)
	}
	if n := states[view.Unjudged]; n > 0 {
		out = append(out, number.Plural(n, "point")+" not judged: most runs are too short to tell whether the queue is stable or grows; a mean may be one of a longer run or not")
	}
	if status[results.OK] > 0 {
		out = append(out, r.basis())
	}
	for _, path := range m.Inert {
		out = append(out, path+" changed nothing: every metric of every run is the same along it")
	}
	return append(out, r.causes()...)
}

// basis says what the numbers rest on.
func (r *Report) basis() string {
	points := r.data.Points
	calibrated, outside, ok := 0, 0, 0
	var keys, sources []string
	for i := range points.Len() {
		if s, _ := points.String(points.Index("status"), i); s != results.OK {
			continue
		}
		ok++
		if c, _ := points.Bool(points.Index("calibrated"), i); c {
			calibrated++
		}
		if text, out := points.String(points.Index("outside"), i); out {
			outside++
			for _, sentence := range strings.Split(text, results.OutsideSeparator) {
				if key, _, _ := strings.Cut(sentence, " "); !slices.Contains(keys, key) {
					keys = append(keys, key)
				}
			}
		}
		if s, _ := points.String(points.Index("weakest_source"), i); s != "" && !slices.Contains(sources, s) {
			sources = append(sources, s)
		}
	}
	weakest := ""
	if len(sources) > 0 {
		slices.Sort(sources)
		weakest = "; weakest source of a hardware number: " + strings.Join(sources, ", ")
	}
	beyond := ""
	if outside > 0 {
		beyond = fmt.Sprintf("; %s of them extrapolated beyond what it was measured at, in %s", number.Grouped(outside), listed(keys))
	}
	switch {
	case calibrated == 0:
		none := ""
		if n := len(r.data.Manifest.Overlays); n > 0 {
			none = " (no overlay of the study comes from a calibration that applies here)"
		}
		return "not calibrated" + none + ": efficiencies that nobody gave are 1 and host costs 0, so times are what the figures allow at best" + weakest
	case calibrated < ok:
		return fmt.Sprintf("calibrated at %s of %s points, the others lie outside what the calibration applies to%s%s", number.Grouped(calibrated), number.Grouped(ok), beyond, weakest)
	}
	return fmt.Sprintf("calibrated at %s%s%s", number.Plural(calibrated, "point"), beyond, weakest)
}

// listed joins at most four words.
func listed(words []string) string {
	slices.Sort(words)
	if n := len(words) - 4; n > 0 {
		words = append(slices.Clone(words[:4]), fmt.Sprintf("%d more", n))
	}
	return strings.Join(words, ", ")
}

// maxCauses is how many reasons are named.
const maxCauses = 5

// causes groups the points that are not ok by reason, numbers aside, with an
// example each.
func (r *Report) causes() []string {
	points := r.data.Points
	type cause struct {
		count, example int
		status, reason string
	}
	var causes []*cause
	byText := map[string]*cause{}
	for i := range points.Len() {
		status, _ := points.String(points.Index("status"), i)
		if status == results.OK {
			continue
		}
		reason, _ := points.String(points.Index("error"), i)
		key := status + strings.Map(func(c rune) rune {
			if c >= '0' && c <= '9' || c == '.' {
				return -1
			}
			return c
		}, reason)
		c := byText[key]
		if c == nil {
			c = &cause{status: status, reason: reason, example: i}
			byText[key] = c
			causes = append(causes, c)
		}
		c.count++
	}
	slices.SortStableFunc(causes, func(a, b *cause) int { return b.count - a.count })
	var out []string
	for i, c := range causes {
		if i == maxCauses {
			out = append(out, fmt.Sprintf("%d more reasons: see the column error of %s", len(causes)-i, results.PointsFile))
			break
		}
		index, _ := points.Int(points.Index("point_index"), c.example)
		out = append(out, fmt.Sprintf("%s x %s, for example point %d: %s", number.Grouped(c.count), c.status, index, c.reason))
	}
	return out
}

func (r *Report) state(i int) view.State { return r.data.State(i) }

// label marks the name of point i where its numbers need it.
func (r *Report) label(name string, i int) string {
	if r.state(i) == view.Unjudged {
		return name + " (not judged)"
	}
	return name
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
