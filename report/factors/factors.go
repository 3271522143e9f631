// Package factors makes the tables that say which parameters matter: Sobol'
// indices, Morris' screening or correlations of a sampled design, and
// elasticities of one-at-a-time changes. It reads the table of effects and makes
// no statistics.
package factors

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"scoville/core/table"
	"scoville/report/number"
	"scoville/report/view"
	"scoville/sweep/results"
)

// Bounds of the tables.
const (
	maxRows   = 24 // parameters of a table
	maxTables = 6  // combinations of the axes around a design
	maxSaid   = 6  // sentences below a table on a terminal
)

// Table is what people read. Brief stands for it on a terminal; nil is itself.
type Table struct {
	Title string
	Head  []string
	Rows  [][]string
	Notes []string
	Long  bool // in report.md only
	Brief *Table
}

// kind is how the results of a method of [sample] are shown.
type kind struct {
	title        string
	main, beside string // methods of a cell: the measure, and what stands behind the stroke
	legend       string
	of           string   // what the design consists of
	more         []string // further methods of the long tables
	relative     bool     // the measure has the unit of the metric: rows compare by its largest
}

var kinds = map[string]kind{
	"saltelli": {
		title: "Which parameters matter (Sobol' indices)", main: "sobol_total", beside: "sobol_first", of: "blocks",
		legend: "cells: total index ± half of its 95% interval / first-order index. Shares of the metric's variance over the ranges of [sample.space] while every parameter varies: total with all interactions, first order by itself. ~ = none, or not above what the dummy or the scatter between replicates gives",
	},
	"morris": {
		title: "Which parameters matter (Morris screening)", main: "morris_mu_star", beside: "morris_sigma", of: "trajectories", more: []string{"morris_mu"}, relative: true,
		legend: "cells: mu* ± half of its 95% interval / sigma, in the unit of the metric across the whole range of the parameter. mu* is the mean size of the effect wherever the others stand; sigma as large as mu* = curved, or interacting. ~ = none, or not above what the dummy or the scatter between replicates gives",
	},
	"": {
		title: "Which parameters matter (rank correlation)", main: "rank_correlation", beside: "src", of: "rows",
		legend: "cells: rank correlation ± half of its 95% interval / standardised regression coefficient, over the ranges of [sample.space] while every parameter varies. ~ = the interval includes 0, or the largest of as many inert parameters is as large in one of twenty samples",
	},
}

// kindOf returns how a method is shown.
func kindOf(method string) kind {
	if k, ok := kinds[method]; ok {
		return k
	}
	return kinds[""]
}

// Measure is an effect with its interval, NaN where there is none.
type Measure struct{ Value, Lo, Hi float64 }

// Group are the effects of a sample at one combination of the axes around it.
type Group struct {
	Title      string // that names the combination; "" with one
	Parameters []string
	measures   map[[3]string]Measure // by metric, method and parameter
	n          map[string]int64      // by metric
	judged     map[string]results.Judgement
}

// Of returns a measure.
func (g *Group) Of(metric, method, parameter string) (Measure, bool) {
	m, ok := g.measures[[3]string{metric, method, parameter}]
	return m, ok && !math.IsNaN(m.Value)
}

// Floor is what the measure of any parameter must exceed to be an effect: what
// the inert dummy shows, for correlations what chance gives.
func (g *Group) Floor(metric, method string) float64 {
	if method == "rank_correlation" {
		return results.Chance(float64(len(g.Parameters)), float64(g.n[metric]))
	}
	if m, ok := g.Of(metric, method, dummy); ok {
		return math.Max(0, m.Value)
	}
	return 0
}

// dummy is the inert parameter.
const dummy = "dummy"

// Groups reads the effects of a sampled design by combination of the axes around
// it; none without a sample.
func Groups(v *view.View) ([]*Group, error) {
	if v.Manifest.Sample == nil {
		return nil, nil
	}
	f, err := v.Effects()
	if err != nil {
		return nil, err
	}
	var out []*Group
	byName := map[string]*Group{}
	text := func(column string, i int) string {
		s, _ := f.String(f.Index(column), i)
		return s
	}
	for i := range f.Len() {
		if text("method", i) == "oat" {
			continue
		}
		name := place(f, i)
		g := byName[name]
		if g == nil {
			g = &Group{Title: name, measures: map[[3]string]Measure{}, n: map[string]int64{}, judged: judgements(v, f, i)}
			byName[name] = g
			out = append(out, g)
		}
		metric, parameter := text("metric", i), text("parameter", i)
		if parameter != "" && !slices.Contains(g.Parameters, parameter) {
			g.Parameters = append(g.Parameters, parameter)
		}
		m := Measure{math.NaN(), math.NaN(), math.NaN()}
		for to, column := range map[*float64]string{&m.Value: "effect", &m.Lo: "ci_lo", &m.Hi: "ci_hi"} {
			if x, ok := f.Float(f.Index(column), i); ok {
				*to = x
			}
		}
		g.measures[[3]string{metric, text("method", i), parameter}] = m
		g.n[metric], _ = f.Int(f.Index("n"), i)
	}
	return out, nil
}

// place names the combination of the axes around the design in a row.
func place(f *table.Frame, i int) string {
	var words []string
	for k, c := range f.Columns {
		if c.Path != "" {
			words = append(words, c.Heading()+" = "+number.Plain(f.Row(i)[k]))
		}
	}
	return strings.Join(words, ", ")
}

// judgements are the sentences on the combination of a row, by metric.
func judgements(v *view.View, f *table.Frame, i int) map[string]results.Judgement {
	var outer []string
	for k, c := range f.Columns {
		if c.Path != "" {
			outer = append(outer, fmt.Sprint(f.Row(i)[k]))
		}
	}
	out := map[string]results.Judgement{}
	for _, j := range v.Manifest.Sensitivity {
		if slices.Equal(j.Outer, outer) {
			out[j.Metric] = j
		}
	}
	return out
}

// Sampled makes the tables of a sampled design: of each combination one of all
// metrics, and one of each metric with every interval.
func Sampled(v *view.View, metrics []table.Column) ([]Table, error) {
	groups, err := Groups(v)
	if err != nil || len(groups) == 0 {
		return nil, err
	}
	k := kindOf(v.Manifest.Sample.Method)
	var short, long []Table
	for i, g := range groups {
		if i == maxTables {
			last := &short[len(short)-1]
			last.Notes = append(last.Notes, fmt.Sprintf("%s more combinations of axes: see %s", number.Grouped(len(groups)-i), results.EffectsFile))
			break
		}
		short = append(short, g.summary(k, metrics))
		for _, m := range metrics {
			if t, ok := g.detail(k, m); ok {
				long = append(long, t)
			}
		}
	}
	return append(short, long...), nil
}

// ranked are the parameters, the one that matters most to any metric first, the
// dummy last.
func (g *Group) ranked(k kind, metrics []table.Column) []string {
	most := map[string]float64{}
	for _, m := range metrics {
		largest := 1.0
		if k.relative {
			largest = 0
			for _, p := range g.Parameters {
				if x, ok := g.Of(m.Name, k.main, p); ok {
					largest = math.Max(largest, math.Abs(x.Value))
				}
			}
		}
		for _, p := range g.Parameters {
			if x, ok := g.Of(m.Name, k.main, p); ok && largest > 0 {
				most[p] = math.Max(most[p], math.Abs(x.Value)/largest)
			}
		}
	}
	out := slices.Clone(g.Parameters)
	slices.SortStableFunc(out, func(a, b string) int {
		if (a == dummy) != (b == dummy) {
			if a == dummy {
				return 1
			}
			return -1
		}
		return cmp.Compare(most[b], most[a])
	})
	return out
}

// summary is the table of all metrics.
func (g *Group) summary(k kind, metrics []table.Column) Table {
	t := Table{Title: g.title(k.title), Head: []string{"parameter"}}
	for _, m := range metrics {
		t.Head = append(t.Head, m.Name)
	}
	ranked := g.ranked(k, metrics)
	if n := len(ranked) - maxRows; n > 0 {
		t.Notes = append(t.Notes, number.Plural(n, "more parameter")+" that matter less, in "+results.EffectsFile)
		ranked = ranked[:maxRows]
	}
	for _, p := range ranked {
		row := []string{p}
		for _, m := range metrics {
			row = append(row, g.cell(k, m.Name, p))
		}
		t.Rows = append(t.Rows, row)
	}
	brief := t
	t.Notes = append(append(t.Notes, k.legend), g.said(metrics)...)
	brief.Notes = slices.Clone(t.Notes)
	if n := len(brief.Notes) - 1 - maxSaid; n > 1 {
		brief.Notes = append(brief.Notes[:1+maxSaid:1+maxSaid], fmt.Sprintf("%d more sentences on these in report.md", n))
	}
	t.Brief = &brief
	return t
}

func (g *Group) title(title string) string {
	if g.Title == "" {
		return title
	}
	return title + ", " + g.Title
}

// least is the smallest share that is told from another.
const least = 0.001

// cell is the measure of one parameter for one metric.
func (g *Group) cell(k kind, metric, parameter string) string {
	m, ok := g.Of(metric, k.main, parameter)
	if !ok {
		return "-"
	}
	if !g.above(k, metric, parameter) {
		return "~"
	}
	if !k.relative && math.Abs(m.Value) < 0.0005 && m.Hi < least {
		return fmt.Sprintf("< %g", least)
	}
	text := number.Significant(m.Value)
	if !math.IsNaN(m.Lo) {
		text = number.WithHalf(m.Value, (m.Hi-m.Lo)/2)
	}
	if b, ok := g.Of(metric, k.beside, parameter); ok {
		half := (m.Hi - m.Lo) / 2
		if !(half > 1e-6*math.Abs(m.Value)) {
			half = math.Abs(m.Value) / 100 // exact: as many digits as a reader wants
		}
		text += fmt.Sprintf(" / %.*f", min(max(number.Decimals(half), 1), 4), b.Value)
	}
	return text
}

// above reports whether a parameter's measure is above the noise, by its
// interval.
func (g *Group) above(k kind, metric, parameter string) bool {
	m, _ := g.Of(metric, k.main, parameter)
	if m.Value == 0 {
		return false
	}
	floor := math.Max(g.Floor(metric, k.main), g.judged[metric].Floors[parameter])
	if k.main == "rank_correlation" {
		return !(m.Lo <= 0 && m.Hi >= 0) && math.Abs(m.Value) > floor
	}
	return !(m.Lo <= floor)
}

// said are the sentences on the metrics; one on all of them is said once.
func (g *Group) said(metrics []table.Column) []string {
	var lines []string
	by := map[string][]string{}
	for _, m := range metrics {
		for _, line := range g.judged[m.Name].Lines {
			if by[line] == nil {
				lines = append(lines, line)
			}
			by[line] = append(by[line], m.Name)
		}
	}
	important := func(line string) bool {
		return !strings.HasPrefix(line, "converged") && !strings.HasPrefix(line, "first-order")
	}
	slices.SortStableFunc(lines, func(a, b string) int {
		switch {
		case important(a) == important(b):
			return 0
		case important(a):
			return -1
		}
		return 1
	})
	for i, line := range lines {
		who := strings.Join(by[line], ", ")
		if len(by[line]) == len(metrics) && len(metrics) > 1 {
			who = "all metrics"
		}
		lines[i] = who + ": " + line
	}
	return lines
}

// detail is the table of one metric with every interval.
func (g *Group) detail(k kind, m table.Column) (Table, bool) {
	methods := append([]string{k.main, k.beside}, k.more...)
	t := Table{Title: g.title(m.Name + ", " + strings.TrimSuffix(strings.TrimPrefix(k.title, "Which parameters matter ("), ")")), Head: []string{"parameter"}, Long: true}
	for _, method := range methods {
		t.Head = append(t.Head, method, "95% interval")
	}
	found := false
	for _, p := range g.ranked(k, []table.Column{m}) {
		row := []string{p}
		for _, method := range methods {
			x, ok := g.Of(m.Name, method, p)
			found = found || ok
			row = append(row, precise(x.Value, ok), span(x, ok))
		}
		t.Rows = append(t.Rows, row)
	}
	unit := "ratios"
	if k.relative {
		unit = m.Unit
	}
	t.Notes = append([]string{fmt.Sprintf("in %s; from %s of the design", unit, fmt.Sprintf("%s %s", number.Grouped(int(g.n[m.Name])), k.of))}, g.judged[m.Name].Lines...)
	return t, found
}

func precise(x float64, ok bool) string {
	if !ok {
		return "-"
	}
	if math.Abs(x) < 10 {
		return fmt.Sprintf("%.4f", x)
	}
	return number.Significant(x)
}

func span(m Measure, ok bool) string {
	if !ok || math.IsNaN(m.Lo) {
		return "-"
	}
	return precise(m.Lo, true) + " to " + precise(m.Hi, true)
}

// Strongest is the parameter with the largest rank correlation with a metric, in
// the first combination; false where no correlation is above chance, and for
// samples whose rows belong together.
func Strongest(v *view.View, metric string) (parameter string, ok bool) {
	groups, err := Groups(v)
	if err != nil || len(groups) == 0 || kindOf(v.Manifest.Sample.Method).main != kinds[""].main {
		return "", false
	}
	parameter = groups[0].ranked(kinds[""], []table.Column{{Name: metric}})[0]
	return parameter, groups[0].above(kinds[""], metric, parameter)
}
