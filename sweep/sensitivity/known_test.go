package sensitivity

import (
	"fmt"
	"math"
	"math/bits"
	"math/rand/v2"
	"testing"
)

// halton is a low-discrepancy sequence for tests, in up to eighteen
// dimensions, from a point where its bases are mixed.
func halton(j, dim int) float64 {
	base := []int{2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53, 59, 61}[dim]
	x, scale := 0.0, 1.0
	for i := j + 409; i > 0; i /= base {
		scale /= float64(base)
		x += scale * float64(i%base)
	}
	return x
}

// saltelli evaluates f on Saltelli blocks from a source of uniform numbers.
func saltelli(n, k int, u func(j, dim int) float64, f func(x []float64) float64) []float64 {
	var y []float64
	a, b := make([]float64, k), make([]float64, k)
	for j := range n {
		for i := range k {
			a[i], b[i] = u(j, i), u(j, k+i)
		}
		y = append(y, f(a))
		for i := range k {
			keep := a[i]
			a[i] = b[i]
			y = append(y, f(a))
			a[i] = keep
		}
		y = append(y, f(b))
	}
	return y
}

func random(seed uint64) func(j, dim int) float64 {
	r := rand.New(rand.NewPCG(seed, 1))
	return func(int, int) float64 { return r.Float64() }
}

// ishigami is Ishigami and Homma's function (1990) of three uniform factors on
// the unit cube, with a = 7, b = 0.1; a fourth does nothing.
func ishigami(x []float64) float64 {
	z := func(i int) float64 { return math.Pi * (2*x[i] - 1) }
	return math.Sin(z(0)) + 7*math.Pow(math.Sin(z(1)), 2) + 0.1*math.Pow(z(2), 4)*math.Sin(z(0))
}

// ishigamiIndices are the analytic indices: V = a^2/8 + b pi^4/5 + b^2 pi^8/18
// + 1/2, V1 = (1 + b pi^4/5)^2 / 2, V2 = a^2/8, V13 = b^2 pi^8 (1/18 - 1/50).
func ishigamiIndices() (first, total []float64) {
	const a, b = 7.0, 0.1
	p4 := math.Pow(math.Pi, 4)
	v1, v2, v13 := math.Pow(1+b*p4/5, 2)/2, a*a/8, b*b*p4*p4*(1.0/18-1.0/50)
	v := v1 + v2 + v13
	return []float64{v1 / v, v2 / v, 0, 0}, []float64{(v1 + v13) / v, v2 / v, v13 / v, 0}
}

// gParameters are those of the g-function in Saltelli et al. (2010).
var gParameters = []float64{0, 1, 4.5, 9, 99, 99, 99, 99}

// g is Sobol's g-function: the product of (|4 x_i - 2| + a_i) / (1 + a_i).
func g(x []float64) float64 {
	y := 1.0
	for i, a := range gParameters {
		y *= (math.Abs(4*x[i]-2) + a) / (1 + a)
	}
	return y
}

// gIndices: V_i = 1 / (3 (1 + a_i)^2), V = prod (1 + V_i) - 1, and the total
// index of i has V_i times the product of 1 + V_j over the others.
func gIndices() (first, total []float64) {
	product := 1.0
	var vi []float64
	for _, a := range gParameters {
		vi = append(vi, 1/(3*(1+a)*(1+a)))
		product *= 1 + vi[len(vi)-1]
	}
	for _, v := range vi {
		first = append(first, v/(product-1))
		total = append(total, v*product/(1+v)/(product-1))
	}
	return first, total
}

func inside(t *testing.T, what string, got []Estimate, want []float64) {
	t.Helper()
	for i, e := range got {
		t.Logf("%s %d: %.4f (%.4f to %.4f), analytic %.4f", what, i, e.Value, e.Lo, e.Hi, want[i])
		if !(e.Lo <= want[i] && want[i] <= e.Hi) {
			t.Errorf("%s %d: %.5f is outside %.5f to %.5f", what, i, want[i], e.Lo, e.Hi)
		}
	}
}

// The indices of two functions with analytic ones lie within their intervals,
// and those are narrow enough to be called converged.
func TestKnownIndices(t *testing.T) {
	for _, c := range []struct {
		name    string
		k       int
		f       func([]float64) float64
		indices func() (first, total []float64)
	}{{"ishigami", 4, ishigami, ishigamiIndices}, {"g", 8, g, gIndices}} {
		v := Sobol(saltelli(4096, c.k, halton, c.f), c.k, Stream(1))
		first, total := c.indices()
		inside(t, c.name+" first", v.First, first)
		inside(t, c.name+" total", v.Total, total)
		if v.Blocks != 4096 || v.Dropped != 0 {
			t.Errorf("%d blocks, %d dropped", v.Blocks, v.Dropped)
		}
	}
	first, total := ishigamiIndices() // published: 0.3139, 0.4424, 0; 0.5576, 0.4424, 0.2437
	for i, want := range []float64{0.3139, 0.4424, 0, 0} {
		if math.Abs(first[i]-want) > 5e-5 || math.Abs(total[i]-[]float64{0.5576, 0.4424, 0.2437, 0}[i]) > 5e-5 {
			t.Errorf("analytic index %d is %.5f, %.5f", i, first[i], total[i])
		}
	}
}

// Intervals from random blocks hold the analytic indices about as often as
// they say: also those from groups of blocks.
func TestIntervalsCover(t *testing.T) {
	first, total := ishigamiIndices()
	for _, c := range []struct{ n, trials int }{{500, 50}, {1500, 20}} {
		hits, all := 0, 0
		for seed := range c.trials {
			v := Sobol(saltelli(c.n, 3, random(uint64(seed)), ishigami), 3, Stream(uint64(seed)))
			for i := range 3 {
				for _, x := range []struct {
					e    Estimate
					want float64
				}{{v.First[i], first[i]}, {v.Total[i], total[i]}} {
					all++
					if x.e.Lo <= x.want && x.want <= x.e.Hi {
						hits++
					}
				}
			}
		}
		if share := float64(hits) / float64(all); share < 0.90 || share > 0.99 {
			t.Errorf("n = %d: intervals hold %.1f %% of %d indices", c.n, 100*share, all)
		}
	}
}

// A factor without effect has indices of exactly 0, of any width; with noise
// its total index is the noise's share of the variance.
func TestInertFactor(t *testing.T) {
	v := Sobol(saltelli(64, 4, halton, ishigami), 4, Stream(7))
	if v.First[3] != (Estimate{}) || v.Total[3] != (Estimate{}) {
		t.Errorf("inert factor: %+v %+v", v.First[3], v.Total[3])
	}
	r := rand.New(rand.NewPCG(3, 4))
	noisy := func(x []float64) float64 { return x[0] + 0.2*r.NormFloat64() } // variances 1/12 and 0.04
	v = Sobol(saltelli(2048, 2, random(5), noisy), 2, Stream(7))
	want := 0.04 / (0.04 + 1.0/12)
	if e := v.Total[1]; !(e.Lo <= want && want <= e.Hi) || e.Width() > 0.1 {
		t.Errorf("total index of the inert factor under noise is %+v, want %.4f", e, want)
	}
	if e := v.First[1]; !(e.Lo < 0 && e.Hi > 0) {
		t.Errorf("first-order index of the inert factor under noise is %+v", e)
	}
}

// A factor that changes the last digits alone does nothing.
func TestRounding(t *testing.T) {
	f := func(x []float64) float64 { return 100 + x[0] + 1e-14*x[1] }
	if v := Sobol(saltelli(64, 2, halton, f), 2, Stream(7)); v.Total[1] != (Estimate{}) || !(v.Total[0].Value > 0.9) {
		t.Errorf("%+v", v.Total)
	}
	unit := trajectories(rand.New(rand.NewPCG(1, 1)), 10, 2, 4)
	if s := Morris(unit, outputs(unit, f), Stream(3)); s.MuStar[1] != (Estimate{}) || math.Abs(s.MuStar[0].Value-1) > 1e-9 {
		t.Errorf("%+v", s.MuStar)
	}
}

// Missing values take their blocks with them and nothing else.
func TestMissingBlocks(t *testing.T) {
	y := saltelli(256, 3, halton, ishigami)
	var rest []float64
	for j := range 256 {
		block := y[j*5 : (j+1)*5]
		if j%10 == 3 {
			block[j%5] = []float64{math.NaN(), math.Inf(1)}[j/10%2]
			continue
		}
		rest = append(rest, block...)
	}
	got, want := Sobol(y, 3, Stream(2)), Sobol(rest, 3, Stream(2))
	if got.Dropped != 26 || got.Blocks != 230 {
		t.Errorf("%d dropped, %d kept", got.Dropped, got.Blocks)
	}
	got.Dropped = 0
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("%+v\n%+v", got, want)
	}
	for i := range y {
		y[i] = math.NaN()
	}
	if v := Sobol(append(make([]float64, 127*5), y[:129*5]...), 3, Stream(2)); !v.Few || v.First[0].Known() || v.Dropped != 129 {
		t.Errorf("most are missing: %+v", v)
	}
	if v := Sobol(y, 3, Stream(2)); v.Blocks != 0 || v.First[0].Known() || v.Constant {
		t.Errorf("nothing left: %+v", v)
	}
	if v := Sobol(make([]float64, 100), 3, Stream(2)); !v.Constant || v.Total[0].Known() {
		t.Errorf("constant output: %+v", v)
	}
}

// A shift of the output changes no index, a scale neither.
func TestIndicesOfShiftedOutput(t *testing.T) {
	y := saltelli(256, 3, halton, ishigami)
	want := Sobol(y, 3, Stream(2))
	for i := range y {
		y[i] = 1e4 + 1e-3*y[i]
	}
	got := Sobol(y, 3, Stream(2))
	for i := range 3 {
		for _, p := range [][2]Estimate{{got.First[i], want.First[i]}, {got.Total[i], want.Total[i]}} {
			if math.Abs(p[0].Value-p[1].Value)+math.Abs(p[0].Lo-p[1].Lo)+math.Abs(p[0].Hi-p[1].Hi) > 1e-6 {
				t.Errorf("factor %d: %+v, want %+v", i, p[0], p[1])
			}
		}
	}
}

// trajectories are Morris' on p levels: one factor after the other, up or down
// by p / (2 (p - 1)).
func trajectories(r *rand.Rand, n, k, p int) [][]float64 {
	delta := float64(p) / float64(2*(p-1))
	var out [][]float64
	for range n {
		x := make([]float64, k)
		for i := range x {
			x[i] = float64(r.IntN(p/2)) / float64(p-1)
			if r.IntN(2) == 1 {
				x[i] += delta
			}
		}
		out = append(out, x)
		for _, i := range r.Perm(k) {
			x = append([]float64{}, x...)
			if x[i] >= delta {
				x[i] -= delta
			} else {
				x[i] += delta
			}
			out = append(out, x)
		}
	}
	return out
}

func outputs(unit [][]float64, f func([]float64) float64) []float64 {
	y := make([]float64, len(unit))
	for j, x := range unit {
		y[j] = f(x)
	}
	return y
}

// On a plane every elementary effect is the slope: mu exact, sigma 0, intervals
// of nothing.
func TestMorrisOnAPlane(t *testing.T) {
	slopes := []float64{3, -2, 0.5, 0}
	unit := trajectories(rand.New(rand.NewPCG(1, 1)), 10, 4, 4)
	s := Morris(unit, outputs(unit, func(x []float64) float64 {
		y := 7.0
		for i, b := range slopes {
			y += b * x[i]
		}
		return y
	}), Stream(3))
	for i, b := range slopes {
		for _, p := range []struct {
			e    Estimate
			want float64
		}{{s.Mu[i], b}, {s.MuStar[i], math.Abs(b)}, {s.Sigma[i], 0}} {
			if math.Abs(p.e.Value-p.want) > 1e-12 || math.Abs(p.e.Lo-p.want) > 1e-12 || math.Abs(p.e.Hi-p.want) > 1e-12 {
				t.Errorf("slope %g: %+v, want %g", b, p.e, p.want)
			}
		}
	}
	if lines := (Judge{N: 10, Factors: []string{"a", "b", "c", "d"}, Dummy: 3}).Screening(s); len(lines) != 1 || lines[0][:9] != "converged" {
		t.Error(lines)
	}
}

// (x - 1/2)^2 rises as much as it falls: mu cancels, mu* and sigma do not. Its
// elementary effects on four levels are +-1/3; those of x z are 0 to 1.
func TestMorrisOnCurves(t *testing.T) {
	unit := trajectories(rand.New(rand.NewPCG(5, 1)), 400, 3, 4)
	y := outputs(unit, func(x []float64) float64 { return math.Pow(x[0]-0.5, 2) + x[1]*x[2] })
	s := Morris(unit, y, Stream(3))
	if e := s.MuStar[0]; math.Abs(e.Value-1.0/3) > 1e-12 {
		t.Errorf("mu* %+v", e)
	}
	if e := s.Mu[0]; !(e.Lo < 0 && e.Hi > 0) {
		t.Errorf("mu %+v", e)
	}
	if e := s.Sigma[0]; math.Abs(e.Value-1.0/3) > 0.01 {
		t.Errorf("sigma %+v", e)
	}
	if e, f := s.Mu[1], s.Sigma[1]; math.Abs(e.Value-0.5) > 4*math.Sqrt(5.0/36/400) || math.Abs(f.Value-math.Sqrt(5.0/36)) > 0.03 {
		t.Errorf("of x z: %+v, sigma %+v", e, f)
	}
	y[2] = math.NaN()
	unit[5][0], unit[5][1], unit[5][2] = 0.1, 0.2, 0.3 // moves all at once
	if d := Morris(unit, y, Stream(3)); d.Dropped != 2 || d.Trajectories != 398 || !d.Sigma[2].Known() {
		t.Errorf("%d dropped, %d kept", d.Dropped, d.Trajectories)
	}
}

func rowsOf(n, k int, u func(j, dim int) float64) [][]float64 {
	out := make([][]float64, n)
	for j := range out {
		for i := range k {
			out[j] = append(out[j], u(j, i))
		}
	}
	return out
}

// y = 3 a - 4 b + 0 c with uniform factors has coefficients 0.6, -0.8 and 0 and
// R2 = 1. exp keeps the ranks of one factor.
func TestRegressionOnAPlane(t *testing.T) {
	x := rowsOf(512, 3, halton)
	f := Regress(x, outputs(x, func(x []float64) float64 { return 3*x[0] - 4*x[1] }), Stream(1))
	for i, want := range []float64{0.6, -0.8, 0} {
		if e := f.Standardised[i]; math.Abs(e.Value-want) > 0.01 || e.Width() > 0.1 {
			t.Errorf("factor %d: %+v, want %g", i, e, want)
		}
	}
	if e := f.R2; math.Abs(e.Value-1) > 1e-12 || math.Abs(e.Lo-1) > 1e-12 {
		t.Errorf("R2 %+v", e)
	}
	f = Regress(x, outputs(x, func(x []float64) float64 { return -math.Exp(20 * x[2]) }), Stream(1))
	if e := f.Rank[2]; math.Abs(e.Value+1) > 1e-12 || math.Abs(e.Hi+1) > 1e-12 {
		t.Errorf("rank correlation %+v", e)
	}
	if e := f.R2; e.Value > LinearR2 {
		t.Errorf("R2 of a curve %+v", e)
	}
}

// Two factors that go together, one that does not vary, too few rows: no
// coefficients, and no number in their place.
func TestRegressionWithoutAnswer(t *testing.T) {
	x := rowsOf(64, 3, halton)
	for _, row := range x {
		row[1], row[2] = 2*row[0]+1, 5
	}
	y := outputs(x, func(x []float64) float64 { return x[0] })
	f := Regress(x, y, Stream(1))
	if f.R2.Known() || f.Standardised[0].Known() || f.Rank[2].Known() || math.Abs(f.Rank[1].Value-1) > 1e-12 {
		t.Errorf("%+v", f)
	}
	if f := Regress(x[:2], y[:2], Stream(1)); f.Rank[0].Known() || f.Rows != 2 {
		t.Errorf("two rows: %+v", f)
	}
	y[0] = math.NaN()
	if f := Regress(x, y, Stream(1)); f.Dropped != 1 || f.Rows != 63 || !f.Rank[0].Known() {
		t.Errorf("a missing row: %+v", f)
	}
}

// The rank correlation of ten pairs with ties, by hand: mean ranks, then
// Pearson's.
func TestRankCorrelationOfTies(t *testing.T) {
	x := []float64{1, 2, 2, 3}
	y := []float64{1, 3, 2, 3}
	var rows [][]float64
	for _, v := range x {
		rows = append(rows, []float64{v})
	}
	// ranks 1, 2.5, 2.5, 4 and 1, 3.5, 2, 3.5: deviations -1.5, 0, 0, 1.5 and
	// -1.5, 1, -0.5, 1 give 3.75 / sqrt(4.5 x 4.5)
	for range 2 { // as often again: the same correlation
		rows, y = append(rows, rows...), append(y, y...)
	}
	if f := Regress(rows, y, Stream(1)); math.Abs(f.Rank[0].Value-3.75/4.5) > 1e-12 {
		t.Errorf("%+v", f.Rank[0])
	}
}

// Of factors that do nothing, about one in twenty is found to do something: no
// more.
func TestFalsePositives(t *testing.T) {
	found, all := 0, 0
	for seed := range 40 {
		u := random(uint64(seed))
		x := rowsOf(100, 6, u)
		y := outputs(x, func([]float64) float64 { return u(0, 0) })
		f := Regress(x, y, Stream(uint64(seed)))
		for i := range 6 {
			for _, e := range []Estimate{f.Standardised[i], f.Rank[i]} {
				all++
				if e.Lo > 0 || e.Hi < 0 {
					found++
				}
			}
		}
	}
	if share := float64(found) / float64(all); share < 0.02 || share > 0.10 {
		t.Errorf("%.1f %% of %d inert factors are found", 100*share, all)
	}
}

// The same values give the same intervals, another seed others.
func TestDeterministic(t *testing.T) {
	y := saltelli(64, 3, halton, ishigami)
	a, b, c := Sobol(y, 3, Stream(1)), Sobol(y, 3, Stream(1)), Sobol(y, 3, Stream(2))
	if fmt.Sprint(a) != fmt.Sprint(b) || fmt.Sprint(a) == fmt.Sprint(c) {
		t.Error("intervals depend on more than the seed, or not on it")
	}
	if bits.OnesCount(maxUnits) != 1 {
		t.Error("a power of two of blocks makes equal groups only by a power of two")
	}
}
