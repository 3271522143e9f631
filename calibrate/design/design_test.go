package design

import (
	"math"
	"slices"
	"testing"
)

// A measurement of the mean of n equal ones: the variances add as in the
// textbook, 1/S = 1/S0 + n/s^2, in whatever order.
func TestUpdateIsTheNormalPosterior(t *testing.T) {
	s := [][]float64{{4}}
	for range 5 {
		s = Update(s, Candidate{{[]float64{2}, 3}})
	}
	if want := 1 / (1/4.0 + 5*4/9.0); math.Abs(s[0][0]-want) > 1e-12 {
		t.Errorf("variance %g, want %g", s[0][0], want)
	}
	a, b := Candidate{{[]float64{1, 1}, 1}}, Candidate{{[]float64{1, -2}, 0.5}, {[]float64{0, 1}, 2}}
	prior := [][]float64{{2, 0.5}, {0.5, 1}}
	x, y := Update(Update(prior, a), b), Update(Update(prior, b), a)
	for i := range x {
		for j := range x {
			if math.Abs(x[i][j]-y[i][j]) > 1e-12 {
				t.Errorf("the order matters: %v and %v", x, y)
			}
		}
	}
	if det := func(m [][]float64) float64 { return m[0][0]*m[1][1] - m[0][1]*m[1][0] }; math.Abs(math.Log(det(prior)/det(x))-Gain(prior, a)-Gain(Update(prior, a), b)) > 1e-12 {
		t.Error("the gains are not ln of the determinants' ratio")
	}
}

// The slope of a line with known noise is best measured at its ends (D-optimal),
// a point of it at that point (c-optimal).
func TestChooseLine(t *testing.T) {
	prior := [][]float64{{100, 0}, {0, 100}}
	var grid []Candidate
	for i := range 11 { // x = -1 to 1
		grid = append(grid, Candidate{{[]float64{1, float64(i)/5 - 1}, 0.1}})
	}
	if got := Choose(prior, grid, Goal{}, 2); !slices.Equal(sorted(got), []int{0, 10}) {
		t.Errorf("D-optimal: %v", got)
	}
	if got := Choose(prior, grid, Goal{[][]float64{{1, 0.2}}}, 1); !slices.Equal(got, []int{6}) {
		t.Errorf("c-optimal: %v", got)
	}
	if got := Choose(prior, grid, Goal{}, 30); len(got) != 11 {
		t.Errorf("each once: %v", got)
	}
}

// Exchange reaches the best of all subsets where greed alone may not.
func TestChooseAgainstAllSubsets(t *testing.T) {
	prior := [][]float64{{1, 0.3, 0}, {0.3, 2, 0.1}, {0, 0.1, 0.5}}
	var grid []Candidate
	for i := range 12 {
		x := float64(i)
		grid = append(grid, Candidate{{[]float64{math.Sin(x), math.Cos(2 * x), math.Sin(3*x + 1)}, 0.3 + 0.1*math.Mod(x, 3)}})
	}
	for _, goal := range []Goal{{}, {[][]float64{{1, 1, 0}}}, {[][]float64{{1, 0, 0}, {0, 0, 1}}}} {
		got := goal.loss(prior, pick(grid, Choose(prior, grid, goal, 3)))
		least := math.Inf(1)
		for i := range grid {
			for j := range i {
				for k := range j {
					least = min(least, goal.loss(prior, pick(grid, []int{i, j, k})))
				}
			}
		}
		if got > least+0.02*math.Abs(least) {
			t.Errorf("%v: left %g, the best subset leaves %g", goal, got, least)
		}
	}
}

func pick(grid []Candidate, set []int) (out []Candidate) {
	for _, i := range set {
		out = append(out, grid[i])
	}
	return out
}

func sorted(x []int) []int {
	slices.Sort(x)
	return x
}
