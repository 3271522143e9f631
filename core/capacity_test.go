package core

import (
	"math"
	"slices"
	"testing"

	"scoville/core/metrics"
	"scoville/core/workload"
)

// TestCapacity compares the measured capacity with the rate at which a long
// overloaded run of the same mix completes requests in its middle, for mixes
// from constant to heavy-tailed lengths, with and without a KV limit.
func TestCapacity(t *testing.T) {
	if testing.Short() {
		t.Skip("long runs for a tight bound")
	}
	fixed := func(n float64) workload.Dist { return workload.Dist{Kind: workload.Fixed, Mean: n} }
	skewed := func(n, cv float64) workload.Dist {
		return workload.Dist{Kind: workload.LogNormal, Mean: n, CV: cv, Max: 32 * n}
	}
	for name, c := range map[string]struct {
		prompt, output workload.Dist
		seqs, blocks   int
		within         float64
	}{
		"fixed":            {fixed(1024), fixed(128), 256, 0, 0.02},
		"skewed":           {skewed(1024, 0.7), skewed(512, 0.7), 256, 0, 0.02},
		"heavy tails":      {skewed(512, 1.5), skewed(256, 1.5), 256, 0, 0.02},
		"uniform":          {workload.Dist{Kind: workload.Uniform, Min: 100, Max: 4000}, workload.Dist{Kind: workload.Uniform, Min: 10, Max: 1000}, 128, 0, 0.02},
		"few sequences":    {skewed(512, 1), skewed(256, 1), 8, 0, 0.02},
		"one sequence":     {skewed(512, 1), skewed(256, 1), 1, 0, 0.02},
		"one output token": {skewed(2000, 1), fixed(1), 64, 0, 0.02},
		"long outputs":     {fixed(100), skewed(2000, 1), 64, 0, 0.02},
		"KV is the limit":  {skewed(512, 1), skewed(256, 1), 256, 3000, 0.02},
	} {
		t.Run(name, func(t *testing.T) {
			sc := reference(t, map[string]any{
				"hardware.name": "h100-sxm", "model.name": "llama-3.1-8b", "model.weight_dtype": "bf16", "model.kv_dtype": "bf16",
				"engine.max_num_seqs": c.seqs, "engine.kv_blocks": c.blocks, "engine.step_overhead_us": 500.0,
				"workload.requests": max(20_000, 150*c.seqs), "workload.rate_rps": 1000.0, "hardware.compute_util": 0.5,
			})
			sc.Workload.Class = []workload.Class{{Name: "only", Share: 1, Prompt: c.prompt, Output: c.output}}
			var finish []float64
			s := NewSimulator(NewCapacities())
			r, err := s.Run(t.Context(), sc, Options{Requests: func(reqs []metrics.Request) {
				for i := range reqs {
					finish = append(finish, reqs[i].Finish)
				}
			}})
			if err != nil || r.Status != OK {
				t.Fatal(err, r.Reason)
			}
			slices.Sort(finish)
			from, to := len(finish)*2/10, len(finish)*9/10
			rate := float64(to-from) / (finish[to] - finish[from])
			if math.Abs(r.CapacityRPS/rate-1) > c.within {
				t.Errorf("capacity %.3f req/s, a long overloaded run completes %.3f: %+.1f %%", r.CapacityRPS, rate, 100*(r.CapacityRPS/rate-1))
			}
		})
	}
}
