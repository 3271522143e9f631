package view_test

import (
	"fmt"
	"math"
	"testing"

	"scoville/core/table"
	"scoville/report/sample"
	"scoville/report/view"
	"scoville/sweep/results"
)

// What rounding tells apart is equal; a value and none are not.
func TestEqual(t *testing.T) {
	for _, c := range []struct {
		a, b float64
		want bool
	}{
		{17.216, 17.2160001, true},
		{-17.216, -17.2160001, true},
		{17.216, 17.2161, false},
		{0, 0, true},
		{0, 1e-12, false},
		{-1e-9, 1e-9, false},
		{math.Inf(1), 3, false},
		{math.Inf(1), math.Inf(1), true},
	} {
		if view.Equal(c.a, c.b) != c.want || view.Equal(c.b, c.a) != c.want {
			t.Errorf("%v and %v: want %t", c.a, c.b, c.want)
		}
	}
}

// Points equal in the first metric follow the objectives, then the plan; those
// without a value come last.
func TestRank(t *testing.T) {
	meta := results.Meta{
		Axes:       []results.Axis{{Path: "x", Kind: table.Float64}},
		Objectives: []results.Objective{{Metric: "running_mean_seqs", Goal: "max"}},
	}
	var points []sample.Point
	for i, c := range []struct {
		x    float64
		runs int // running_mean_seqs is their mean number
	}{{10.000001, 1}, {10, 3}, {10.000002, 3}, {9, 1}, {11, 1}} {
		p := sample.Point{Axes: []any{float64(i)}, State: view.Steady}
		for range c.runs {
			p.TPOT = append(p.TPOT, c.x)
		}
		points = append(points, p)
	}
	points = append(points, sample.Point{Axes: []any{9.0}, TPOT: []float64{1}, Reason: "too large"})
	v := sample.Open(t, meta, points...)
	tpot, _ := v.Column("tpot_mean_ms")
	rank := []int{5, 4, 3, 2, 1, 0}
	v.Rank(rank, v.Deciders(tpot, v.Metrics()))
	if got := fmt.Sprint(rank); got != "[3 1 2 0 4 5]" {
		t.Error(got)
	}
	for _, c := range []struct {
		rank []int
		n    int
		next string
	}{{rank, 1, "in the order of the plan"}, {rank[1:], 3, "by running_mean_seqs"}, {[]int{1, 2, 4}, 2, "in the order of the plan"}, {nil, 0, "in the order of the plan"}} {
		if n, next := v.Ties(c.rank, tpot, v.Metrics()); n != c.n || next != c.next {
			t.Errorf("%v: %d %s, want %d %s", c.rank, n, next, c.n, c.next)
		}
	}
}
