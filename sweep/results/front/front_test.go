package front

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// brute is the definition: a point is on the front if no other dominates it.
func brute(values [][]float64) []bool {
	out := make([]bool, len(values))
	for i, v := range values {
		out[i] = len(v) > 0 && !slices.ContainsFunc(v, math.IsNaN)
		for j, w := range values {
			if len(w) == 0 || slices.ContainsFunc(w, math.IsNaN) || i == j || !out[i] {
				continue
			}
			noWorse, better := true, false
			for k := range w {
				noWorse = noWorse && w[k] <= v[k]
				better = better || w[k] < v[k]
			}
			if noWorse && better {
				out[i] = false
			}
		}
	}
	return out
}

// The front is that of the definition, with ties and missing values.
func TestFrontEqualsTheDefinition(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for trial := range 3000 {
		n, objectives, levels := r.IntN(40), 1+trial%4, 1+r.IntN(12)
		values := make([][]float64, n)
		for i := range values {
			if r.IntN(10) == 0 {
				continue // not compared
			}
			values[i] = make([]float64, objectives)
			for k := range values[i] {
				values[i][k] = float64(r.IntN(levels))
				if r.IntN(20) == 0 {
					values[i][k] = math.NaN()
				}
				if r.IntN(50) == 0 {
					values[i][k] = math.Inf(1 - 2*r.IntN(2))
				}
			}
		}
		if got, want := Of(values), brute(values); !slices.Equal(got, want) {
			t.Fatalf("%v\n got %v\nwant %v", values, got, want)
		}
	}
}

func TestFrontByHand(t *testing.T) {
	nan := math.NaN()
	values := [][]float64{{1, 5}, {2, 3}, {2, 3}, {2, 4}, {3, 3}, {4, 1}, {nan, 0}, {0, nan}, nil, {4, 1}}
	want := []bool{true, true, true, false, false, true, false, false, false, true}
	if got := Of(values); !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	if got := Ranks([]float64{3, nan, 1, 3, 2, 1}); !slices.Equal(got, []int{4, 0, 1, 4, 3, 1}) {
		t.Errorf("ranks %v", got)
	}
}

func TestJudge(t *testing.T) {
	nan := math.NaN()
	points := []Point{
		{true, [][]float64{{1, 5}, {1, 5}, {3, 3}, {1, 5}}},  // a: beaten by the constant in the third
		{true, [][]float64{{2, 2}}},                          // b: nothing random
		{true, [][]float64{{3, 4}, {1, 1}, {3, 4}, {3, 4}}},  // c: on the front in the second alone, where it beats all
		{false, [][]float64{{0, 0}, {0, 0}, {0, 0}, {0, 0}}}, // saturated
		{true, nil}, // infeasible
		{true, [][]float64{{0, nan}, {0, nan}, {0, nan}, {0, nan}}}, // no value
	}
	got := Judge(points)
	for i, want := range []Verdict{{true, 0.5, 0}, {true, 0.75, 0}, {false, 0.25, 0}, {false, nan, 0}, {false, nan, 0}, {false, nan, 0}} {
		g := got[i]
		if g.Member != want.Member || g.Rank != want.Rank || g.Probability != want.Probability && !(math.IsNaN(g.Probability) && math.IsNaN(want.Probability)) {
			t.Errorf("point %d: %+v, want %+v", i, g, want)
		}
	}
	one := Judge([]Point{{true, [][]float64{{2}}}, {true, [][]float64{{1}}}, {true, [][]float64{{1}}}, {false, [][]float64{{0}}}, {true, [][]float64{{nan}}}})
	for i, want := range []Verdict{{Rank: 3}, {Member: true, Rank: 1}, {Member: true, Rank: 1}, {}, {}} {
		if g := one[i]; g.Member != want.Member || g.Rank != want.Rank || !math.IsNaN(g.Probability) {
			t.Errorf("ranking, point %d: %+v, want %+v", i, g, want)
		}
	}
}

// More points never put a dominated point onto the front, and the order of
// points does not matter.
func TestFrontDoesNotDependOnOrder(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	values := make([][]float64, 200)
	for i := range values {
		values[i] = []float64{float64(r.IntN(50)), float64(r.IntN(50))}
	}
	before := Of(values)
	perm := r.Perm(len(values))
	shuffled := make([][]float64, len(values))
	for i, j := range perm {
		shuffled[i] = values[j]
	}
	for i, member := range Of(shuffled) {
		if member != before[perm[i]] {
			t.Fatalf("%v depends on the order", shuffled[i])
		}
	}
	for i, member := range Of(append(values, []float64{-1, 49})) {
		if i < len(values) && member && !before[i] {
			t.Errorf("%v came onto the front by another point", values[i])
		}
	}
}

func BenchmarkFront(b *testing.B) {
	r := rand.New(rand.NewPCG(5, 6))
	values := make([][]float64, 100_000)
	for i := range values {
		x := r.Float64()
		values[i] = []float64{x, 1 - x}
	}
	for b.Loop() {
		Of(values)
	}
}
