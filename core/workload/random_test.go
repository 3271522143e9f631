package workload

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/mathext"
)

// TestMix compares with the first outputs of SplitMix64 from state 0, as the
// generator's authors publish them (prng.di.unimi.it/splitmix64.c).
func TestMix(t *testing.T) {
	state := uint64(0)
	for k, want := range []uint64{0xe220a8397b1dcdaf, 0x6e789e6aa1b965f4, 0x06c45d188009454f, 0xf88bb8a8724c81ec} {
		if got := mix(state); got != want {
			t.Errorf("output %d is %#x, want %#x", k, got, want)
		}
		state += 0x9e3779b97f4a7c15
	}
}

// TestUniformPinned holds the draws of named streams for ever: other values
// would change the requests of every study.
func TestUniformPinned(t *testing.T) {
	for _, c := range []struct {
		seed      uint64
		replicate int
		name      string
		k         int
		want      float64
	}{
		{0, 0, "arrivals", 0, 0.6711568479215188},
		{0, 0, "arrivals", 1, 0.7820200988943758},
		{1, 0, "arrivals", 0, 0.3722983560972849},
		{0, 1, "arrivals", 0, 0.2885617136264159},
		{42, 3, "prompt", 0, 0.8566305776615436},
		{42, 3, "output", 1_000_000, 0.5414401690876248},
		{math.MaxUint64, 9, "class", 7, 0.618847574830847},
	} {
		if got := NewStream(c.seed, c.replicate, c.name).Uniform(c.k); got != c.want {
			t.Errorf("draw %d of %q, seed %d, replicate %d: %v, want %v", c.k, c.name, c.seed, c.replicate, got, c.want)
		}
	}
}

// TestStreamsDiffer draws from many streams: no two share a value.
func TestStreamsDiffer(t *testing.T) {
	seen := map[float64]bool{}
	for _, name := range []string{"arrivals", "class", "prompt", "output", ""} {
		for seed := range uint64(40) {
			for replicate := range 40 {
				s := NewStream(seed, replicate, name)
				if s != NewStream(seed, replicate, name) {
					t.Fatal("a stream is not a function of its name")
				}
				u := s.Uniform(0)
				if seen[u] {
					t.Fatalf("%q of seed %d, replicate %d repeats another stream", name, seed, replicate)
				}
				seen[u] = true
			}
		}
	}
}

// TestStreamsIndependent correlates pairs of streams, and each with itself one
// draw later, and checks the moments of each.
func TestStreamsIndependent(t *testing.T) {
	const n = 20_000
	base := NewStream(0, 0, "arrivals")
	for name, other := range map[string]Stream{
		"seed":      NewStream(1, 0, "arrivals"),
		"replicate": NewStream(0, 1, "arrivals"),
		"name":      NewStream(0, 0, "prompt"),
		"swapped":   NewStream(1, 1, "arrivals"),
	} {
		var sum, sum2, cross, lag float64
		for k := range n {
			a, b := base.Uniform(k)-0.5, other.Uniform(k)-0.5
			if a <= -0.5 || a >= 0.5 {
				t.Fatalf("draw %d is %v", k, a+0.5)
			}
			sum, sum2 = sum+b, sum2+b*b
			cross += a * b
			lag += b * (other.Uniform(k+1) - 0.5)
		}
		// Standard errors for uniform draws, whose variance is 1/12.
		for what, z := range map[string]float64{
			"mean":            sum / n / math.Sqrt(1.0/12/n),
			"variance":        (sum2/n - 1.0/12) / math.Sqrt(1.0/180/n),
			"correlation":     cross / n * 12 * math.Sqrt(n),
			"autocorrelation": lag / n * 12 * math.Sqrt(n),
		} {
			if math.Abs(z) > 3.5 {
				t.Errorf("%s: %s is %.1f standard errors off", name, what, z)
			}
		}
	}
}

// TestQuantilesInvert puts quantiles back into the distribution functions.
func TestQuantilesInvert(t *testing.T) {
	for _, u := range []float64{1e-9, 1e-3, 0.1, 0.3, 0.5, 0.7, 0.9, 0.999, 1 - 1e-9} {
		near(t, "exponential", -math.Expm1(-Exponential(u)), u)
		near(t, "normal", math.Erfc(-normalQuantile(u)/math.Sqrt2)/2, u)
		for _, cv := range []float64{0.001, 0.05, 0.5, 1, 2, 8, 100} {
			if x, shape := gammaQuantile(u, cv), 1/(cv*cv); x > 0 {
				near(t, "gamma", mathext.GammaIncReg(shape, x*shape), u)
			} else if shape > 0.3 { // a heavy one has its lower end below the smallest float
				t.Errorf("gamma quantile %g at cv %g is %g", u, cv, x)
			}
		}
		if gammaQuantile(u, 0) != 1 {
			t.Error("cv 0 is not constant")
		}
	}
}

// TestDrawsFinite takes the extreme draws.
func TestDrawsFinite(t *testing.T) {
	for _, u := range []float64{0x1p-53, 1 - 0x1p-53} {
		for _, cv := range []float64{0, 1e-3, 1, 3, 100} {
			for _, x := range []float64{Exponential(u), normalQuantile(u), gammaQuantile(u, cv)} {
				if math.IsNaN(x) || math.IsInf(x, 0) {
					t.Errorf("u %g, cv %g: %v", u, cv, x)
				}
			}
		}
	}
}

func near(t *testing.T, name string, got, want float64) {
	t.Helper()
	if math.Abs(got-want) > 1e-6*math.Min(want, 1-want) {
		t.Errorf("%s: %.12g, want %.12g", name, got, want)
	}
}
