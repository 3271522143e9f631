package metrics

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

var allStats = []string{"mean", "sd", "p50", "p90", "p95", "p99", "max"}

// oracle computes a statistic from the sorted values.
func oracle(values []float64, stat string) float64 {
	x := slices.Sorted(slices.Values(values))
	n := float64(len(x))
	if n == 0 {
		return math.NaN()
	}
	mean := 0.0
	for _, v := range x {
		mean += v / n
	}
	switch stat {
	case "mean":
		return mean
	case "max":
		return x[len(x)-1]
	case "sd":
		ss := 0.0
		for _, v := range x {
			ss += (v - mean) * (v - mean)
		}
		if n == 1 {
			return math.NaN()
		}
		return math.Sqrt(ss / (n - 1))
	}
	h := map[string]float64{"p50": 0.5, "p90": 0.9, "p95": 0.95, "p99": 0.99}[stat] * (n - 1)
	lo := x[int(math.Floor(h))]
	return lo + (h-math.Floor(h))*(x[int(math.Ceil(h))]-lo)
}

// same reports whether two numbers agree to 1e-12, NaN with NaN.
func same(a, b float64) bool {
	return math.IsNaN(a) && math.IsNaN(b) || math.Abs(a-b) <= 1e-12*math.Max(1, math.Abs(b))
}

// samples returns sets of n values with and without ties, in several orders.
func samples(rng *rand.Rand, n int) map[string][]float64 {
	fill := func(f func(i int) float64) []float64 {
		x := make([]float64, n)
		for i := range x {
			x[i] = f(i)
		}
		return x
	}
	return map[string][]float64{
		"random":     fill(func(int) float64 { return rng.Float64() }),
		"heavy":      fill(func(int) float64 { return math.Exp(5 * rng.NormFloat64()) }),
		"ties":       fill(func(int) float64 { return float64(rng.IntN(4)) }),
		"equal":      fill(func(int) float64 { return 7 }),
		"ascending":  fill(func(i int) float64 { return float64(i) }),
		"descending": fill(func(i int) float64 { return float64(-i) }),
		"pipe":       fill(func(i int) float64 { return float64(min(i, n-i)) }),
	}
}

// TestDistribution compares with the oracle, statistics asked in the order of
// the columns and in the opposite one.
func TestDistribution(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	backwards := slices.Clone(allStats)
	slices.Reverse(backwards)
	for _, n := range []int{0, 1, 2, 3, 4, 10, 101, 1000} {
		for name, values := range samples(rng, n) {
			for _, stats := range [][]string{allStats, backwards} {
				var d distribution
				d.of(slices.Clone(values), stats)
				for i, s := range stats {
					if want := oracle(values, s); !same(d.stats[i], want) {
						t.Errorf("%s of %d %s values: %v, want %v", s, n, name, d.stats[i], want)
					}
				}
			}
		}
	}
}

// TestQuantileAscending asks one array for many quantiles, each starting where
// the one before ended.
func TestQuantileAscending(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for range 100 {
		for name, values := range samples(rng, 1+rng.IntN(60)) {
			x, sorted := slices.Clone(values), slices.Sorted(slices.Values(values))
			from := 0
			for _, p := range []float64{0, 0.01, 0.5, 0.5, 0.77, 0.9, 0.99, 1} {
				var got float64
				got, from = quantile(x, from, p)
				h := p * float64(len(x)-1)
				k := int(h)
				want := sorted[k] + (h-float64(k))*(sorted[min(k+1, len(x)-1)]-sorted[k])
				if !same(got, want) {
					t.Fatalf("%s: quantile %g of %v is %v, want %v", name, p, values, got, want)
				}
				if !slices.Equal(slices.Sorted(slices.Values(x)), sorted) {
					t.Fatalf("%s: quantile %g changed the values", name, p)
				}
			}
		}
	}
}

// gapSets returns random sets of progressions.
func gapSets(rng *rand.Rand, n int) map[string][]Gap {
	fill := func(f func() Gap) []Gap {
		g := make([]Gap, n)
		for i := range g {
			g[i] = f()
		}
		return g
	}
	steps := func(n int) int32 { return 1 + rng.Int32N(int32(n)) }
	return map[string][]Gap{
		"random": fill(func() Gap { return Gap{rng.Float64(), rng.Float64() / 100, steps(50), steps(6)} }),
		"flat":   fill(func() Gap { return Gap{float64(rng.IntN(5)), 0, steps(20), steps(6)} }),
		"ones":   fill(func() Gap { return Gap{rng.Float64(), rng.Float64(), 1, 1} }),
		"ties":   fill(func() Gap { return Gap{float64(rng.IntN(5)), float64(rng.IntN(3)), steps(20), steps(3)} }),
		"equal":  fill(func() Gap { return Gap{0.02, 1e-6, 30, 4} }),
		"nearly flat": fill(func() Gap {
			return Gap{0.02 + 1e-3*rng.Float64(), 1e-18 * float64(rng.IntN(9)), steps(200), steps(3)}
		}),
		"decode and stalls": fill(func() Gap {
			if rng.IntN(9) == 0 {
				return Gap{0.5 + rng.Float64(), 0, 1, 1}
			}
			return Gap{0.02 + 1e-3*rng.Float64(), 1e-8 * rng.Float64(), steps(40), steps(5)}
		}),
	}
}

// TestGaps compares with the statistics of every latency written out.
func TestGaps(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	stats := []string{"mean", "p50", "p90", "p95", "p99", "max"}
	var s gapSelector
	for round := range 40 {
		n := []int{0, 1, 2, 3, 10, 60}[round%6]
		for name, gaps := range gapSets(rng, n) {
			var all []float64
			for _, g := range gaps {
				for k := range g.Steps {
					for range g.Weight {
						all = append(all, g.Start+g.Slope*float64(k))
					}
				}
			}
			given := slices.Clone(gaps)
			var d distribution
			d.ofGaps(&s, gaps, stats)
			for i, stat := range stats {
				if want := oracle(all, stat); !same(d.stats[i], want) {
					t.Errorf("%s of %d %s gaps: %v, want %v", stat, n, name, d.stats[i], want)
				}
			}
			if !slices.Equal(given, gaps) {
				t.Fatalf("%s: the gaps changed", name)
			}
		}
	}
}

// TestGapsMany has more latencies than could be written out: 10^12.
func TestGapsMany(t *testing.T) {
	var s gapSelector
	var d distribution
	d.ofGaps(&s, []Gap{{1, 1, 1_000_000, 1_000_000}}, []string{"mean", "p50", "p99", "max"})
	for i, want := range []float64{500_000.5, 500_000.5, 990_000, 1_000_000} {
		if math.Abs(d.stats[i]-want) > 0.5 {
			t.Errorf("statistic %d: %v, want %v", i, d.stats[i], want)
		}
	}
}
