package view

import (
	"cmp"
	"math"
	"slices"

	"scoville/core/table"
)

// tie is how far two values may lie apart, relative, and count as equal: sums of
// many steps differ by their rounding.
const tie = 1e-6

// Equal reports whether two values differ by no more than rounding.
func Equal(a, b float64) bool {
	return a == b || math.Abs(a-b) <= tie*min(math.Abs(a), math.Abs(b))
}

// Deciders are the metrics that rank points by one of them: that one, then the
// objectives, then those of a list that have a better side.
func (v *View) Deciders(first table.Column, metrics []table.Column) []table.Column {
	out := []table.Column{first}
	for _, c := range slices.Concat(v.Goals(), metrics) {
		if c.Better != "" && !slices.ContainsFunc(out, func(o table.Column) bool { return o.Name == c.Name }) {
			out = append(out, c)
		}
	}
	return out
}

// Goals are the metrics of the objectives, the better side that of the study.
func (v *View) Goals() (out []table.Column) {
	for _, o := range v.Manifest.Objectives {
		if c, ok := v.Column(o.Metric); ok && c.Path == "" {
			c.Name, c.Better = o.Metric, map[string]string{"max": "higher", "min": "lower"}[o.Goal]
			out = append(out, c)
		}
	}
	return out
}

// Rank sorts points by the first metric, the best first and those without a
// value last; lower is better unless the metric says otherwise. Equal points
// follow the next metric, and stay in their order where all are equal.
func (v *View) Rank(points []int, by []table.Column) {
	if len(by) == 0 || len(points) < 2 {
		return
	}
	value := func(i int) float64 {
		e, ok := v.Estimate(by[0].Name, i)
		switch {
		case !ok:
			return math.Inf(1)
		case by[0].Better == "higher":
			return -e.Mean
		}
		return e.Mean
	}
	slices.SortStableFunc(points, func(a, b int) int { return cmp.Compare(value(a), value(b)) })
	for from := 0; from < len(points); {
		to := from + 1
		for to < len(points) && Equal(value(points[from]), value(points[to])) {
			to++
		}
		slices.Sort(points[from:to]) // rounding has not decided their order
		v.Rank(points[from:to], by[1:])
		from = to
	}
}

// Ties counts the ranked points that are equal to the first in a metric, and says
// what ranks them: the next metric in which they differ, or the plan.
func (v *View) Ties(rank []int, first table.Column, metrics []table.Column) (n int, next string) {
	for n < len(rank) && v.same(first.Name, rank[0], rank[n]) {
		n++
	}
	for _, c := range v.Deciders(first, metrics)[1:] {
		if slices.ContainsFunc(rank[:n], func(i int) bool { return !v.same(c.Name, rank[0], i) }) {
			return n, "by " + c.Name
		}
	}
	return n, "in the order of the plan"
}

func (v *View) same(metric string, a, b int) bool {
	x, ok := v.Estimate(metric, a)
	y, ok2 := v.Estimate(metric, b)
	return ok == ok2 && (!ok || Equal(x.Mean, y.Mean))
}
