package core

import (
	"math"
	"testing"

	"scoville/core/metrics"
	"scoville/core/workload"
)

// TestClosedForm: on the reference chip the closed form is the write-up's, and
// the difference to the simulation is the sum of its columns.
func TestClosedForm(t *testing.T) {
	sc := reference(t, map[string]any{"workload.requests": 200, "workload.rate_rps": 0.01, "workload.arrival": "constant"})
	sc.Workload.Class[0].Prompt.Mean, sc.Workload.Class[0].Output.Mean = 2048, 50
	sc.Workload.Class[0].Output.CV = 0
	r := simulate(t, sc, Options{})
	of := func(name string) float64 {
		i, ok := metrics.Index(name + "_mean_ms")
		if !ok {
			t.Fatalf("no metric %s", name)
		}
		return r.Summary[i]
	}
	for name, want := range map[string]float64{"ttft_closed": 460, "tpot_closed": 1.123} { // 2 N P / C at 60 TOPS, W / B at 6 TB/s
		if got := of(name); math.Abs(got/want-1) > 2e-3 {
			t.Errorf("%s = %.4g ms, arithmetic says %v", name, got, want)
		}
	}
	for _, sum := range [][]string{
		{"ttft", "ttft_closed", "ttft_host", "ttft_queue", "ttft_blocked", "ttft_prefill_excess", "ttft_adapter"},
		{"tpot", "tpot_closed", "tpot_host", "tpot_prefill", "tpot_batch", "tpot_own_excess", "tpot_adapter"},
		{"ttft", "ttft_alone"}, // one at a time
		{"tpot", "tpot_alone"},
	} {
		got := 0.0
		for _, name := range sum[1:] {
			got += of(name)
		}
		if want := of(sum[0]); math.Abs(got/want-1) > 1e-9 {
			t.Errorf("%s is %v ms, the parts %v add up to %v", sum[0], want, sum[1:], got)
		}
	}
	if of("tpot_adapter") == 0 || math.Abs(of("tpot_adapter")-0.020) > 1e-9 {
		t.Errorf("adapter takes %v ms of TPOT, 20 us a step", of("tpot_adapter"))
	}
}

// TestDecodeBound: a run of long prompts waits for arithmetic most, its decodes
// for KV; those of short prompts wait for the weights; answers of one token
// have no decodes.
func TestDecodeBound(t *testing.T) {
	for _, c := range []struct {
		prompt, output float64
		bound, decode  string
	}{
		{8192, 64, "compute", "kv_memory"},
		{128, 256, "weight_memory", "weight_memory"},
		{8192, 1, "compute", ""},
	} {
		sc := reference(t, map[string]any{"workload.requests": 40, "engine.max_num_seqs": 4})
		sc.Workload.Arrival, sc.Workload.RateRPS = workload.Burst, 0
		sc.Workload.Class[0].Prompt.Mean = c.prompt
		sc.Workload.Class[0].Output = workload.Dist{Kind: workload.Fixed, Mean: c.output}
		for _, plain := range []bool{false, true} {
			if r := simulate(t, sc, Options{Plain: plain}); r.Status != OK || r.Bound != c.bound || r.DecodeBound != c.decode {
				t.Errorf("%v + %v tokens, plain %v: status %s, bound %q, decodes %q; want %q, %q", c.prompt, c.output, plain, r.Status, r.Bound, r.DecodeBound, c.bound, c.decode)
			}
		}
	}
}

// TestSamplingIsHost: sampling is the host's time, as `bound` says it is, in
// TTFT as in TPOT, and no part of a request's own.
func TestSamplingIsHost(t *testing.T) {
	sc := reference(t, map[string]any{"workload.requests": 20, "engine.sampling_us": 5000})
	sc.Workload.Arrival, sc.Workload.RateRPS, sc.Workload.Concurrent = workload.Closed, 0, 1
	r := simulate(t, sc, Options{})
	for name, want := range map[string]float64{"ttft_host_mean_ms": 5, "tpot_host_mean_ms": 5, "tpot_batch_mean_ms": 0} {
		i, _ := metrics.Index(name)
		if got := r.Summary[i]; math.Abs(got-want) > 1e-9 {
			t.Errorf("%s is %v, want %v", name, got, want)
		}
	}
	if r.DecodeBound != "host" {
		t.Errorf("decodes wait for %s", r.DecodeBound)
	}
}
