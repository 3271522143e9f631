package core

import (
	"context"
	"math"
	"testing"

	"scoville/core/metrics"
	"scoville/core/scenario"
	"scoville/core/unit"
	"scoville/core/workload"
)

// queue returns a machine whose service time is proportional to the prompt and
// nothing else: one sequence, one output token, GEMMs bound by compute, free
// attention and no host.
func queue(prompt workload.Dist, n int) scenario.Scenario {
	sc := scenario.Default()
	sc.Model.Layers, sc.Model.Hidden, sc.Model.Heads, sc.Model.KVHeads, sc.Model.HeadDim = 4, 1024, 8, 1, 16
	sc.Model.FFN, sc.Model.Vocab = 4096, 1
	sc.Model.WeightDType, sc.Model.KVDType, sc.Model.ActivationDType, sc.Model.AttentionDType = unit.INT8, unit.INT4, unit.INT8, unit.BF16
	h := &sc.Hardware
	h.Peak.INT8, h.Peak.BF16 = 1, 1e9
	h.MemoryBandwidthGBs, h.MemoryGiB = 1e8, 1000
	sc.Engine.MaxNumSeqs, sc.Engine.MaxTokens = 1, 100_000_000
	h.WorkspaceGiB = 0
	h.MemoryGiB = 1e6
	sc.Workload.Requests = n
	sc.Workload.Class = []workload.Class{{Name: "only", Share: 1, Prompt: prompt, Output: workload.Dist{Kind: workload.Fixed, Mean: 1}}}
	sc.Measurement.Warmup = n / 20
	return sc
}

func get(t *testing.T, r Result, name string) float64 {
	t.Helper()
	i, ok := metrics.Index(name)
	if !ok {
		t.Fatalf("no metric %s", name)
	}
	return r.Summary[i]
}

// TestMD1 and TestMM1 compare mean waiting times with queueing theory: rho / (2
// (1 - rho)) service times for constant service, rho / (1 - rho) for
// exponential service (Pollaczek-Khinchine).
func TestMD1(t *testing.T) {
	for _, load := range []float64{0.3, 0.5, 0.7} {
		sc := queue(workload.Dist{Kind: workload.Fixed, Mean: 10_000}, 1_000_000)
		checkWait(t, &sc, load, load/(2*(1-load)))
	}
}

func TestMM1(t *testing.T) {
	for _, load := range []float64{0.3, 0.5, 0.7} {
		sc := queue(workload.Dist{Kind: workload.GammaDist, Mean: 10_000, CV: 1}, 1_000_000)
		checkWait(t, &sc, load, load/(1-load))
	}
}

func checkWait(t *testing.T, sc *scenario.Scenario, load, want float64) {
	t.Helper()
	if testing.Short() {
		t.Skip("long runs for a tight bound")
	}
	perToken := 2 * (sc.Model.GEMMs().Attention + sc.Model.GEMMs().Dense) / 1e12
	sc.Workload.RateRPS = load / (perToken * sc.Workload.Class[0].Prompt.Mean)
	res, err := Simulate(context.Background(), sc, Options{Seed: 3})
	if err != nil || res.Status != OK {
		t.Fatalf("%v %v %s", err, res.Status, res.Reason)
	}
	got := get(t, res, "ttft_queue_mean_ms") / get(t, res, "ttft_prefill_mean_ms")
	if math.Abs(got/want-1) > 0.02 {
		t.Errorf("load %g: mean wait %.4f service times, theory %.4f", load, got, want)
	}
	if res.Steady != metrics.Yes || math.Abs(res.LoadRatio/load-1) > 0.1 {
		t.Errorf("load %g: steady %v, load_ratio %.3f", load, res.Steady, res.LoadRatio)
	}
}
