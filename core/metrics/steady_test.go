package metrics

import (
	"math"
	"math/rand/v2"
	"testing"
)

// singleServer simulates an M/M/1 queue that starts empty: what each arrival
// finds in the system. Service is memoryless, so between two arrivals it draws
// services until one outlasts the gap.
func singleServer(rng *rand.Rand, load float64, reqs []Request) {
	in := int32(0)
	for i := range reqs {
		reqs[i].Waiting = in
		in++
		for gap := rng.ExpFloat64() / load; in > 0; in-- {
			if gap -= rng.ExpFloat64(); gap < 0 {
				break
			}
		}
	}
}

// growing returns the share of queues that Growing takes for growing.
func growing(load float64, n, seeds int) float64 {
	reqs := make([]Request, n)
	count := 0
	for s := range seeds {
		singleServer(rand.New(rand.NewPCG(uint64(s), math.Float64bits(load))), load, reqs)
		if Growing(reqs) == Yes {
			count++
		}
	}
	return float64(count) / float64(seeds)
}

// TestSingleServer checks the simulator itself: an M/M/1 queue holds
// rho / (1 - rho) on average.
func TestSingleServer(t *testing.T) {
	reqs := make([]Request, 400_000)
	for _, load := range []float64{0.5, 0.8} {
		singleServer(rand.New(rand.NewPCG(1, 2)), load, reqs)
		sum := 0.0
		for _, q := range reqs {
			sum += float64(q.Waiting)
		}
		if mean, want := sum/float64(len(reqs)), load/(1-load); math.Abs(mean/want-1) > 0.04 {
			t.Errorf("load %g: %.3f in the system, want %.3f", load, mean, want)
		}
	}
}

// TestGrowingFalseAlarms: stable queues are taken for growing in at most 1 % of
// runs, three standard errors allowed.
func TestGrowingFalseAlarms(t *testing.T) {
	const seeds = 1000
	for _, load := range []float64{0.5, 0.8, 0.9} {
		for _, n := range []int{growingMin, 700, 1000, 4000} {
			if p := growing(load, n, seeds); p > 0.01+3*math.Sqrt(0.01*0.99/seeds) {
				t.Errorf("load %g, %d requests: false alarm in %.1f %% of runs", load, n, 100*p)
			}
		}
	}
}

// TestGrowingPower: overloaded queues are found.
func TestGrowingPower(t *testing.T) {
	for _, c := range []struct {
		load  float64
		n     int
		least float64
	}{{1.05, 8000, 0.88}, {1.1, 2000, 0.90}, {1.1, 4000, 0.97}, {1.3, 1000, 0.99}, {1.3, 2000, 0.99}} {
		if p := growing(c.load, c.n, 500); p <= c.least {
			t.Errorf("load %g, %d requests: found in %.1f %% of runs, want more than %.0f %%", c.load, c.n, 100*p, 100*c.least)
		}
	}
}

func TestGrowingShapes(t *testing.T) {
	for _, c := range []struct {
		name string
		n    int
		in   func(i int) int
		want Tri
	}{
		{"none", 0, nil, Unknown},
		{"too few", growingMin - 1, func(i int) int { return i }, Unknown},
		{"enough", growingMin, func(i int) int { return i }, Yes},
		{"constant", 1000, func(int) int { return 500 }, No},
		{"falling", 1000, func(i int) int { return 1000 - i }, No},
		{"rising by 0.05 a request", 4000, func(i int) int { return i / 20 }, Yes},
		{"the same above a base", 4000, func(i int) int { return 300 + i/20 }, Yes},
		{"rising in the first half only", 4000, func(i int) int { return min(i, 2000) }, No},
		{"waves", 4000, func(i int) int { return int(200 + 200*math.Sin(float64(i)/50)) }, No},
		{"last burst", 4000, func(i int) int { return 300 * (i / 3900) }, No},
	} {
		reqs := make([]Request, c.n)
		for i := range reqs {
			reqs[i].Waiting = int32(c.in(i))
		}
		if got := Growing(reqs); got != c.want {
			t.Errorf("%s: %d, want %d", c.name, got, c.want)
		}
	}
}
