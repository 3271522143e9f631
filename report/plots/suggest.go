package plots

import (
	"math"

	"scoville/core/table"
	"scoville/report/factors"
	"scoville/report/view"
	"scoville/sweep/results"
)

// Bounds of the plots that nobody asked for.
const (
	maxSuggested = 4
	maxFolds     = 12 // lines
	leastValues  = 3  // of the axis
	logFrom      = 20 // largest over smallest value from which an axis is logarithmic
)

// suggested plots each main metric against the one numeric axis, a line per
// value of the others. None for a one-at-a-time design.
func suggested(v *view.View, main []string) []results.Plot {
	if v.Manifest.Sample != nil {
		return scattered(v, main)
	}
	all := make([]int, v.Points.Len())
	for i := range all {
		if all[i] = i; v.Value("oat_path", i) != nil {
			return nil
		}
	}
	if len(all) < leastValues {
		return nil
	}
	out := fronts(v)
	var x []table.Column
	var series []string
	for _, c := range v.Independent(all) {
		if view.Numeric(c) {
			x = append(x, c)
		} else {
			series = append(series, c.Name)
		}
	}
	if len(x) != 1 || distinct(v, []string{x[0].Name}) < leastValues || len(series) > 0 && distinct(v, series) > maxFolds {
		return out
	}
	mark := ""
	if distinct(v, []string{"bound"}) > 1 {
		mark = "bound"
	}
	for _, metric := range main {
		p := results.Plot{Name: metric, X: x[0].Name, Y: metric, Series: series, Mark: mark, Crossings: len(series) > 0}
		p.Scale = scaleOf(wide(v, x[0].Name), wide(v, metric))
		if len(out) < maxSuggested && hasValue(v, metric) {
			out = append(out, p)
		}
	}
	return out
}

// fronts plots two objectives against each other, with the front marked.
func fronts(v *view.View) []results.Plot {
	list := v.Manifest.Objectives
	if len(list) != 2 || distinct(v, []string{"pareto"}) < 2 {
		return nil
	}
	y, x := list[0].Metric, list[1].Metric
	for _, metric := range []string{x, y} {
		if c, ok := v.Column(metric); !ok || c.Path != "" || !hasValue(v, metric) {
			return nil
		}
	}
	return []results.Plot{{Name: "front", Title: y + " against " + x + ", and the front", X: x, Y: y, Mark: "pareto", Scale: scaleOf(wide(v, x), wide(v, y))}}
}

// scattered plots each main metric against the parameter that it goes with most,
// for a sample whose rows stand alone.
func scattered(v *view.View, main []string) (out []results.Plot) {
	for _, metric := range main[:min(len(main), maxSuggested)] {
		x, ok := factors.Strongest(v, metric)
		if c, is := v.Column(x); ok && is && view.Numeric(c) && hasValue(v, metric) {
			p := results.Plot{Name: metric, X: c.Name, Y: metric}
			p.Series = append(p.Series, v.Manifest.Outer...)
			p.Scale = scaleOf(wide(v, c.Name), wide(v, metric))
			out = append(out, p)
		}
	}
	return out
}

func hasValue(v *view.View, metric string) bool {
	for i := range v.Points.Len() {
		if _, ok := v.Estimate(metric, i); ok {
			return true
		}
	}
	return false
}

// distinct counts the combinations of values of some columns.
func distinct(v *view.View, names []string) int {
	seen := map[string]bool{}
	b := builder{v: v, spec: results.Plot{Series: names}}
	for i := range v.Points.Len() {
		if v.OK(i) {
			seen[b.series(i)] = true
		}
	}
	return len(seen)
}

// wide reports whether the positive values of points that hold span much.
func wide(v *view.View, name string) bool {
	lo, hi := math.Inf(1), 0.0
	for i := range v.Points.Len() {
		e, ok := v.Estimate(name, i)
		if !ok || v.State(i) == view.Saturated {
			continue
		}
		if e.Mean <= 0 {
			return false
		}
		lo, hi = min(lo, e.Mean), max(hi, e.Mean)
	}
	return hi >= logFrom*lo
}

func scaleOf(x, y bool) string {
	switch {
	case x && y:
		return "log-log"
	case x:
		return "log-x"
	case y:
		return "log-y"
	}
	return "linear"
}
