package impact

import (
	"math"
	"testing"

	"scoville/core/table"
	"scoville/sweep/sample"
)

// cube is a design over the unit cube.
func cube(method string, n, k int) sample.Design {
	d := sample.Design{Method: method, N: n, Seed: 11, Dummy: true}
	for i := range k {
		d.Dims = append(d.Dims, sample.Dim{Path: string(rune('a' + i)), Kind: sample.Range, Min: end(0), Max: end(1)})
	}
	return d
}

// measured runs a function over a design and returns its measures by method,
// in the order of the parameters.
func measured(t *testing.T, d sample.Design, f func(x []float64) float64) map[string][]Row {
	t.Helper()
	e := New(&sample.Record{Design: d, Combinations: 1}, []table.Column{{Name: "y"}})
	for i := range d.Rows() {
		y := f(d.Unit(i))
		e.Add(Point{Index: i, Compared: true, Runs: func(int) []float64 { return []float64{y} }})
	}
	out := map[string][]Row{}
	if _, err := e.Rows(func(r Row) error { out[r.Method] = append(out[r.Method], r); return nil }); err != nil {
		t.Fatal(err)
	}
	return out
}

func within(t *testing.T, what string, rows []Row, want []float64) {
	t.Helper()
	for i, r := range rows {
		e := r.Estimate
		t.Logf("%s %s: %.4f (%.4f to %.4f), analytic %.4f", what, r.Parameter, e.Value, e.Lo, e.Hi, want[i])
		if !(e.Lo <= want[i] && want[i] <= e.Hi) || e.Width() > 0.1 {
			t.Errorf("%s %s: %.5f, interval %.5f to %.5f", what, r.Parameter, want[i], e.Lo, e.Hi)
		}
	}
}

// Ishigami's function (a = 7, b = 0.1) and Sobol's g-function (a = 0, 1, 4.5, 9,
// 99, 99, 99, 99) on the scrambled Sobol' blocks of a study with n = 4096: every
// index and the dummy's 0 within its interval, each narrower than 0.1. The
// analytic values are those of Saltelli et al., Comput. Phys. Commun. 181 (2010)
// 259.
func TestKnownIndicesOnSaltelli(t *testing.T) {
	got := measured(t, cube(sample.Saltelli, 4096, 3), func(x []float64) float64 {
		z := func(i int) float64 { return math.Pi * (2*x[i] - 1) }
		return math.Sin(z(0)) + 7*math.Pow(math.Sin(z(1)), 2) + 0.1*math.Pow(z(2), 4)*math.Sin(z(0))
	})
	within(t, "ishigami first", got[First], []float64{0.31391, 0.44241, 0, 0})
	within(t, "ishigami total", got[Total], []float64{0.55759, 0.44241, 0.24368, 0})
	a := []float64{0, 1, 4.5, 9, 99, 99, 99, 99}
	got = measured(t, cube(sample.Saltelli, 4096, len(a)), func(x []float64) float64 {
		y := 1.0
		for i := range a {
			y *= (math.Abs(4*x[i]-2) + a[i]) / (1 + a[i])
		}
		return y
	})
	product := 1.0
	for _, p := range a {
		product *= 1 + 1/(3*(1+p)*(1+p))
	}
	var first, total []float64
	for _, p := range a {
		v := 1 / (3 * (1 + p) * (1 + p))
		first = append(first, v/(product-1))
		total = append(total, v*product/(1+v)/(product-1))
	}
	within(t, "g first", got[First], append(first, 0))
	within(t, "g total", got[Total], append(total, 0))
}

// On a plane Morris' trajectories give the slopes exactly, also of whole numbers
// and levels, whose steps are not those of the grid.
func TestMorrisExactOnAPlane(t *testing.T) {
	d := cube(sample.Morris, 12, 2)
	d.Dims = append(d.Dims,
		sample.Dim{Path: "whole", Kind: sample.Range, Min: end(1), Max: end(6), Whole: true},
		sample.Dim{Path: "levels", Kind: sample.Levels, Values: []string{"10", "20", "30"}})
	got := measured(t, d, func(x []float64) float64 {
		return 3*x[0] - 2*x[1] + 4*d.Dims[2].Position(x[2]) - d.Dims[3].Position(x[3])
	})
	for i, want := range []float64{3, -2, 4, -1, 0} {
		for method, w := range map[string]float64{Mu: want, MuStar: math.Abs(want), Sigma: 0} {
			if e := got[method][i].Estimate; math.Abs(e.Value-w) > 1e-9 || math.Abs(e.Lo-w)+math.Abs(e.Hi-w) > 1e-9 {
				t.Errorf("%s of %s is %+v, want %g", method, got[method][i].Parameter, e, w)
			}
		}
	}
}
