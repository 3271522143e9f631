// Package design chooses measurements: from what is known of some parameters and
// how each candidate would respond to them, those that tell most. Everything is
// linear around the known values, and errors are normal. It knows neither
// simulator nor files.
//
// A measurement y = g x + e with e of standard deviation s changes the covariance
// S of the parameters x to S - S g g' S / (s^2 + g' S g).
package design

import (
	"math"
	"slices"
)

// Response is one number that a candidate would measure: its gradient by the
// parameters, and the standard deviation of what is measured around it.
type Response struct {
	Gradient []float64
	SD       float64
}

// Candidate is one run: everything it would measure.
type Candidate []Response

// Goal is what measurements are for: the variance of some linear predictions
// (c-optimal for one, V-optimal for several), each relative to its own before
// any measurement; without predictions the volume of the parameters' covariance
// (D-optimal).
type Goal struct{ Predictions [][]float64 }

// Update returns the covariance after a candidate is measured.
func Update(s [][]float64, c Candidate) [][]float64 {
	out := make([][]float64, len(s))
	for i := range s {
		out[i] = slices.Clone(s[i])
	}
	for _, r := range c {
		v := times(out, r.Gradient)
		f := r.SD*r.SD + dot(r.Gradient, v)
		if f <= 0 {
			continue
		}
		for i := range out {
			for j := range out {
				out[i][j] -= v[i] * v[j] / f
			}
		}
	}
	return out
}

// Variance is that of a linear prediction.
func Variance(s [][]float64, gradient []float64) float64 {
	return max(0, dot(gradient, times(s, gradient)))
}

// Gain is ln of the factor by which a candidate shrinks the determinant of s.
func Gain(s [][]float64, c Candidate) float64 {
	sum := 0.0
	for i, r := range c {
		sum += math.Log1p(Variance(s, r.Gradient) / (r.SD * r.SD))
		if i+1 < len(c) {
			s = Update(s, c[i:i+1])
		}
	}
	return sum
}

// loss is what is left after all of a set is measured, the less the better; for
// D-optimal designs minus the gain.
func (g *Goal) loss(prior [][]float64, set []Candidate) float64 {
	s, shrunk := prior, 0.0
	for _, c := range set {
		if len(g.Predictions) == 0 {
			shrunk += Gain(s, c)
		}
		s = Update(s, c)
	}
	if len(g.Predictions) == 0 {
		return -shrunk
	}
	sum := 0.0
	for _, p := range g.Predictions {
		if before := Variance(prior, p); before > 0 {
			sum += Variance(s, p) / before
		}
	}
	return sum
}

// passes bounds the rounds of exchanges.
const passes = 10

// Choose returns n candidates, each once, by position: greedily, then exchanged
// one for another while that helps, and in the order in which each helps most
// after those before. Fewer where there are fewer. Ties go to the earlier
// candidate.
func Choose(prior [][]float64, candidates []Candidate, goal Goal, n int) []int {
	n = min(n, len(candidates))
	list := func(set []int) (out []Candidate) {
		for _, i := range set {
			out = append(out, candidates[i])
		}
		return out
	}
	best := func(set []int, among []int) (int, float64) {
		at, least := -1, math.Inf(1)
		for _, i := range among {
			if slices.Contains(set, i) {
				continue
			}
			if l := goal.loss(prior, list(append(slices.Clone(set), i))); l < least-1e-12 {
				at, least = i, l
			}
		}
		return at, least
	}
	all := make([]int, len(candidates))
	for i := range all {
		all[i] = i
	}
	var set []int
	for range n {
		i, _ := best(set, all)
		set = append(set, i)
	}
	for range passes {
		changed := false
		for k := range set {
			rest := slices.Delete(slices.Clone(set), k, k+1)
			now := goal.loss(prior, list(set))
			if i, l := best(rest, all); l < now-1e-9*math.Abs(now) {
				set, changed = append(rest, i), true
			}
		}
		if !changed {
			break
		}
	}
	var ordered []int
	for range set {
		i, _ := best(ordered, set)
		ordered = append(ordered, i)
	}
	return ordered
}

func dot(a, b []float64) float64 {
	sum := 0.0
	for i := range a {
		sum += a[i] * b[i]
	}
	return sum
}

func times(s [][]float64, v []float64) []float64 {
	out := make([]float64, len(s))
	for i := range s {
		out[i] = dot(s[i], v)
	}
	return out
}
