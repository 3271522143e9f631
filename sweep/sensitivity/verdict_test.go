package sensitivity

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"
)

func TestVerdicts(t *testing.T) {
	names := []string{"a", "b", "dummy"}
	j := Judge{N: 64, Factors: names, Dummy: 2, Noise: math.NaN()}
	narrow, wide := Estimate{0.5, 0.48, 0.52}, Estimate{0.4, 0.2, 0.5}
	noisy := j
	noisy.Dummy, noisy.Noise = -1, 0.2
	for _, c := range []struct {
		what  string
		lines []string
		want  []string
		not   string
	}{
		{"converged", j.Variance(Variance{First: []Estimate{narrow, narrow, {}}, Total: []Estimate{narrow, narrow, {}}, Blocks: 64}), []string{"converged: every index interval is narrower than 0.100", "first-order indices sum to 1"}, "noise"},
		{"wide", j.Variance(Variance{First: []Estimate{narrow, wide, {}}, Total: []Estimate{narrow, narrow, {}}, Blocks: 64}), []string{"not converged: the interval of b, 0.200 to 0.500, is wider than 0.100: double n to 128, and on to about 1024"}, "left out"},
		{"dropped", j.Variance(Variance{First: []Estimate{narrow, narrow, {}}, Total: []Estimate{narrow, narrow, {}}, Blocks: 60, Dropped: 4}), []string{"4 of 64 blocks left out"}, "even sample"},
		{"many dropped", j.Variance(Variance{First: []Estimate{narrow, narrow, {}}, Total: []Estimate{narrow, narrow, {}}, Blocks: 32, Dropped: 32}), []string{"32 of 64 blocks left out", "no even sample"}, "noise"},
		{"noise", j.Variance(Variance{First: []Estimate{narrow, narrow, {}}, Total: []Estimate{narrow, narrow, {0.1, 0.08, 0.12}}, Blocks: 64}), []string{"the inert dummy has a total index of 0.100"}, "scatter"},
		{"noise of replicates", noisy.Variance(Variance{First: []Estimate{narrow, narrow, {}}, Total: []Estimate{narrow, narrow, {}}, Blocks: 64}), []string{"scatter between replicates makes up 20% of"}, "dummy"},
		{"constant", j.Variance(Variance{First: unknown(3), Total: unknown(3), Blocks: 64, Constant: true}), []string{"no factor matters"}, "converged"},
		{"nothing", j.Variance(Variance{First: unknown(3), Total: unknown(3), Dropped: 64, Few: true}), []string{"64 of 64 blocks", "no indices: with 64 of 64 missing"}, "converged"},
		{"few", j.Screening(Screening{MuStar: unknown(3), Trajectories: 3, Few: true}), []string{"no effects: 3 are too few, give n = 4 at least"}, "left out"},
		{"screening", j.Screening(Screening{MuStar: []Estimate{{10, 9, 12}, {1, 0.9, 1.2}, {}}, Trajectories: 10}), []string{"not converged: the interval of a, 9 to 12, is wider than 2"}, "noise"},
		{"screening under noise", j.Screening(Screening{MuStar: []Estimate{{10, 9.5, 11}, {1, 0.9, 1.2}, {0.3, 0.2, 0.4}}, Trajectories: 10}), []string{"converged", "dummy has a mu* of 0.300"}, "not converged"},
		{"curve", j.Fit(Fit{Rank: []Estimate{narrow, narrow, {}}, R2: Estimate{0.4, 0.3, 0.5}, Rows: 64}), []string{"explains 0.400 of the variance only"}, "not converged"},
		{"plane", j.Fit(Fit{Rank: []Estimate{narrow, wide, {}}, R2: Estimate{0.9, 0.8, 0.95}, Rows: 64}), []string{"explains 0.900 of the variance (R2)", "not converged: the interval of b"}, "only"},
		{"no plane", j.Fit(Fit{Rank: []Estimate{narrow, narrow, {}}, R2: unknown(1)[0], Rows: 4}), []string{"no regression"}, "explains"},
	} {
		text := strings.Join(c.lines, "\n")
		for _, w := range c.want {
			if !strings.Contains(text, w) {
				t.Errorf("%s: no %q in\n%s", c.what, w, text)
			}
		}
		if strings.Contains(text, c.not) {
			t.Errorf("%s: %q in\n%s", c.what, c.not, text)
		}
	}
}

// Noise of variance 4 over 5 replicates under points of variance 9 is
// 0.8 / 9.8 of the means' variance, however much the replicates are shifted
// together.
func TestNoiseShare(t *testing.T) {
	for _, shift := range []float64{0, 100} {
		r := rand.New(rand.NewPCG(9, 9))
		var s Noise
		for range 4000 {
			at := 1e5 + 3*r.NormFloat64()
			values := make([]float64, 5)
			for i := range values {
				values[i] = at + 2*r.NormFloat64() + shift*float64(i)
			}
			s.Add(values)
		}
		s.Add([]float64{1, math.NaN(), 3, 4, 5})
		s.Add([]float64{1, 2})
		if got := s.Share(); math.Abs(got-0.8/9.8) > 0.005 {
			t.Errorf("shift %g: share %.4f, want %.4f", shift, got, 0.8/9.8)
		}
	}
	var none Noise
	none.Add([]float64{1})
	none.Add([]float64{2})
	if !math.IsNaN(none.Share()) {
		t.Error("a share without replicates")
	}
}

// Replicates with a scatter of variance 0.04 that a factor does not shift alike
// give its total index 2 x 0.04 / 5 / 2 V of five replicates, and mu* the mean
// size of a normal variable; a scatter that both rows share gives nothing.
func TestFloors(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 2))
	const blocks, k = 2000, 2
	var rows [][]float32
	var unit [][]float64
	for range blocks {
		shared := make([]float32, 5)
		for i := range shared {
			shared[i] = float32(r.NormFloat64())
		}
		for row := range k + 2 { // factor 0 shifts every replicate alike, factor 1 does not
			values := make([]float32, 5)
			for i := range values {
				values[i] = shared[i] + float32(row%2)
				if row == 2 {
					values[i] += float32(0.2 * r.NormFloat64())
				}
			}
			rows = append(rows, values)
		}
	}
	got := TotalFloor(func(row int) []float32 { return rows[row] }, blocks, k, 0.5)
	if got[0] > 1e-9 || math.Abs(got[1]/(0.04/5/2/0.5)-1) > 0.05 {
		t.Errorf("floors %v", got)
	}
	if none := TotalFloor(func(int) []float32 { return nil }, blocks, k, 0.5); !math.IsNaN(none[0]) {
		t.Errorf("without replicates %v", none)
	}
	rows = rows[:0]
	for range 2000 {
		rows = append(rows, []float32{0, 0, 0, 0, 0}, []float32{1, 1, 1, 1, 1})
		unit = append(unit, []float64{0}, []float64{0.5})
		for i := range 5 {
			rows[len(rows)-1][i] += float32(0.2 * r.NormFloat64())
		}
	}
	want := math.Sqrt(0.04/5/0.25) * math.Sqrt(2/math.Pi)
	if got := StepFloor(func(row int) []float32 { return rows[row] }, unit); math.Abs(got[0]/want-1) > 0.05 {
		t.Errorf("floor of mu* %v, want %.4f", got, want)
	}
}
