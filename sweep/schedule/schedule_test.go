package schedule

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"scoville/core/metrics"
	"scoville/sweep/plan"
	"scoville/sweep/results"
	"scoville/sweep/study"
)

const scenario = `schema = 1
[model]
name = "llama-2-7b"
[hardware]
name = "jalapeno"
[workload]
requests = 10
rate_rps = 1.0
[[workload.class]]
name = "a"
prompt_tokens = 128
output_tokens = 256
`

// planned expands the scenario with a design.
func planned(t *testing.T, design string) *plan.Plan {
	t.Helper()
	file := filepath.Join(t.TempDir(), "demo.toml")
	if err := os.WriteFile(file, []byte(scenario+design), 0o600); err != nil {
		t.Fatal(err)
	}
	st, err := study.Load(file, nil)
	if err != nil {
		t.Fatal(err)
	}
	p, err := plan.New(st)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// world says what a run gives: the first metrics of a summary, nil = it failed.
type world func(point, replicate int) (values []float64, steady *bool)

var (
	ttft, _ = metrics.Index("ttft_p99_ms")
	tpot, _ = metrics.Index("tpot_mean_ms")
)

// play runs a schedule in a world, and returns how many replicates each point had.
// pick chooses which of the waiting runs ends next.
func play(t *testing.T, p *plan.Plan, w world, pick func(n int) int) ([]int, Schedule) {
	t.Helper()
	s := New(p)
	seen := make([]map[int]bool, p.Len())
	waiting := s.Start()
	for len(waiting) > 0 {
		k := pick(len(waiting))
		item := waiting[k]
		waiting = slices.Delete(waiting, k, k+1)
		point, replicate := p.Run(item)
		if seen[point] == nil {
			seen[point] = map[int]bool{}
		}
		if seen[point][replicate] {
			t.Fatalf("point %d replicate %d runs twice", point, replicate)
		}
		seen[point][replicate] = true
		r := results.Run{PointIndex: point, Replicate: replicate, Status: results.Failed, Metrics: make([]float64, len(metrics.Columns()))}
		if values, steady := w(point, replicate); values != nil {
			r.Status, r.Steady, r.Metrics[ttft] = results.OK, steady, values[0]
			if len(values) > 1 {
				r.Metrics[tpot] = values[1]
			}
		}
		waiting = append(waiting, s.Done(item, &r)...)
	}
	counts := make([]int, p.Len())
	for i, replicates := range seen {
		counts[i] = len(replicates)
		for k := range counts[i] {
			if !replicates[k] {
				t.Fatalf("point %d: replicate %d is left out of %d", i, k, counts[i])
			}
		}
	}
	return counts, s
}

func inTurn(int) int { return 0 }

// normal is a number drawn for a point and a replicate.
func normal(seed, point, replicate int) float64 {
	return rand.New(rand.NewPCG(uint64(seed)<<32+uint64(point), uint64(replicate))).NormFloat64()
}

const untilStudy = `[axes]
"engine.max_num_seqs" = [1, 2, 3, 4, 5, 6]
[replicates]
n = 5
until = { metric = ["ttft_p99_ms", "tpot_mean_ms"], rel_ci = "5%", max = 30 }
`

// Each point goes its own way, the same in whatever order runs end; one that fails
// or saturates has the first runs and no more.
func TestUntil(t *testing.T) {
	p := planned(t, untilStudy)
	if p.Runs() != 180 || p.LeastRuns() != 30 {
		t.Fatalf("%d to %d runs", p.LeastRuns(), p.Runs())
	}
	no := false
	w := func(point, replicate int) ([]float64, *bool) {
		x := normal(1, point, replicate)
		switch point {
		case 0:
			return []float64{100, 5}, nil // without any spread
		case 1:
			return []float64{100 * (1 + 0.06*x), 5}, nil
		case 2:
			return []float64{100, 5 * (1 + 2*x)}, nil // never narrow: of the second metric
		case 3:
			if replicate == 2 {
				return nil, nil
			}
		case 4:
			return []float64{100 * x, 5}, &no
		}
		return []float64{math.NaN(), 5}, nil // no value at all
	}
	counts, s := play(t, p, w, inTurn)
	text := func(s Schedule) (out string) {
		for i := range p.Len() {
			out += fmt.Sprint(s.Fate(i).Cells()[0], " ")
		}
		return out
	}
	if want := "true true false <nil> <nil> false "; text(s) != want {
		t.Errorf("reached: %s, want %s", text(s), want)
	}
	if counts[0] != 5 || counts[2] != 30 || counts[3] != 5 || counts[4] != 5 || counts[5] != 30 || counts[1] != 12 {
		t.Errorf("replicates %v", counts)
	}
	for seed := range uint64(20) {
		r := rand.New(rand.NewPCG(seed, 0))
		other, o := play(t, p, w, r.IntN)
		if !slices.Equal(other, counts) || text(o) != text(s) {
			t.Fatalf("in another order: %v %s, was %v %s", other, text(o), counts, text(s))
		}
	}
}

// Of a point where nothing is random one run says all.
func TestUntilWithoutChance(t *testing.T) {
	p := planned(t, "[axes]\n\"workload.arrival\" = [\"constant\", \"poisson\"]\n[replicates]\nuntil = { metric = \"ttft_p99_ms\", rel_ci = 0.05, max = 10 }\n")
	counts, s := play(t, p, func(int, int) ([]float64, *bool) { return []float64{3}, nil }, inTurn)
	if !slices.Equal(counts, []int{1, 5}) || !*s.Fate(0).Narrow || p.LeastRuns() != 6 {
		t.Errorf("replicates %v, least %d", counts, p.LeastRuns())
	}
}

// How often the interval that ends the sampling holds the mean: less often than
// 95 %, most of all where the first look is early.
func TestUntilCovers(t *testing.T) {
	for _, c := range []struct {
		n      int
		spread float64 // over the mean
	}{{3, 0.05}, {3, 0.10}, {5, 0.05}, {5, 0.10}, {10, 0.10}} {
		p := planned(t, fmt.Sprintf("[replicates]\nn = %d\nuntil = { metric = \"ttft_p99_ms\", rel_ci = \"5%%\", max = 400 }\n", c.n))
		const trials = 1500
		held, runs := 0, 0
		for trial := range trials {
			r := rand.New(rand.NewPCG(uint64(c.n), uint64(trial)))
			var x []float64
			counts, _ := play(t, p, func(int, int) ([]float64, *bool) {
				x = append(x, 100*(1+c.spread*r.NormFloat64()))
				return []float64{x[len(x)-1]}, nil
			}, inTurn)
			u := newUntil(p)
			if e := u.t.Mean(x); e.Lo <= 100 && 100 <= e.Hi {
				held++
			}
			runs += counts[0]
		}
		share := float64(held) / trials
		if share < 0.905 || share > 0.955 {
			t.Errorf("first look at %d, spread %g %%: intervals hold the mean in %.1f %% of trials", c.n, 100*c.spread, 100*share)
		}
		t.Logf("first look at %d, spread %g %%: %.1f runs, holds in %.1f %%", c.n, 100*c.spread, float64(runs)/trials, 100*share)
	}
}
