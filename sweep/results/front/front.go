// Package front compares the points of a sweep by several objectives: which
// are on the Pareto front, and in what share of the replicates. It knows
// neither metrics nor files.
//
// One point dominates another if it is no worse in every objective and better
// in one; the front are the points that none dominates. Points with equal
// values dominate neither, so ties are all members. A point without a value in
// some objective is not compared.
package front

import (
	"math"
	"slices"
)

// Of returns which points are on the front. Of each point values has the
// objectives, all to be minimised; NaN is no value. Two objectives take
// O(n log n), more O(n m) with m members.
func Of(values [][]float64) []bool {
	member := make([]bool, len(values))
	order := make([]int, 0, len(values))
	for i, v := range values {
		if !slices.ContainsFunc(v, math.IsNaN) && len(v) > 0 {
			order = append(order, i)
		}
	}
	// In lexical order a point is dominated by earlier ones only.
	slices.SortStableFunc(order, func(a, b int) int { return slices.Compare(values[a], values[b]) })
	if len(order) > 0 && len(values[order[0]]) <= 2 {
		stairs(values, order, member)
		return member
	}
	var front []int
	for _, i := range order {
		if !slices.ContainsFunc(front, func(j int) bool { return dominates(values[j], values[i]) }) {
			front = append(front, i)
			member[i] = true
		}
	}
	return member
}

// stairs marks the members of a front of one or two objectives: in lexical
// order those whose last objective is below that of all before, and their
// equals.
func stairs(values [][]float64, order []int, member []bool) {
	last := order[0]
	member[last] = true
	for _, i := range order[1:] {
		v, best := values[i], values[last]
		switch {
		case slices.Equal(v, best):
			member[i] = true
		case len(v) == 2 && v[1] < best[1]:
			member[i], last = true, i
		}
	}
}

func dominates(a, b []float64) bool {
	better := false
	for i := range a {
		if a[i] > b[i] {
			return false
		}
		better = better || a[i] < b[i]
	}
	return better
}

// Ranks returns the rank of each value, the smallest first, from 1; equal
// values share the best of their ranks, NaN has 0.
func Ranks(values []float64) []int {
	sorted := slices.DeleteFunc(slices.Clone(values), math.IsNaN)
	slices.Sort(sorted)
	out := make([]int, len(values))
	for i, v := range values {
		if !math.IsNaN(v) {
			at, _ := slices.BinarySearch(sorted, v)
			out[i] = at + 1
		}
	}
	return out
}

// Point is what is compared of a point of the sweep.
type Point struct {
	Compared bool        // it runs, and its queue does not grow
	Runs     [][]float64 // of each replicate the objectives, all to be minimised; NaN = no value
}

// Verdict is what the comparison says of a point.
type Verdict struct {
	Member      bool
	Probability float64 // share of the replicates in which it is a member; NaN for a point not compared, and with fewer than two replicates
	Rank        int     // by a single objective, from 1; 0 with several, and for a point not compared
}

// Judge compares points by the means over their replicates, and in each
// replicate. A point that has one run, since nothing about it is random, takes
// part with it in every replicate.
func Judge(points []Point) []Verdict {
	means := make([][]float64, len(points))
	replicates := 0
	for i, p := range points {
		if p.Compared && len(p.Runs) > 0 {
			means[i] = mean(p.Runs)
			replicates = max(replicates, len(p.Runs))
		}
	}
	out := make([]Verdict, len(points))
	single := make([]float64, len(points))
	for i, member := range Of(means) {
		out[i] = Verdict{Member: member, Probability: math.NaN()}
		single[i] = math.NaN()
		if len(means[i]) == 1 {
			single[i] = means[i][0]
		}
	}
	for i, rank := range Ranks(single) {
		out[i].Rank = rank
	}
	if replicates < 2 {
		return out
	}
	count := make([]int, len(points))
	for k := range replicates {
		for i, member := range Of(replicate(points, means, k)) {
			if member {
				count[i]++
			}
		}
	}
	for i := range out {
		if means[i] != nil && !slices.ContainsFunc(means[i], math.IsNaN) {
			out[i].Probability = float64(count[i]) / float64(replicates)
		}
	}
	return out
}

// replicate returns the objectives of the compared points in replicate k.
func replicate(points []Point, means [][]float64, k int) [][]float64 {
	values := make([][]float64, len(points))
	for i, p := range points {
		switch {
		case means[i] == nil:
		case len(p.Runs) == 1:
			values[i] = p.Runs[0]
		case k < len(p.Runs):
			values[i] = p.Runs[k]
		}
	}
	return values
}

// mean leaves runs without a value out, objective by objective.
func mean(runs [][]float64) []float64 {
	out := make([]float64, len(runs[0]))
	for j := range out {
		sum, n := 0.0, 0.0
		for _, r := range runs {
			if !math.IsNaN(r[j]) {
				sum += r[j]
				n++
			}
		}
		out[j] = sum / n
	}
	return out
}
