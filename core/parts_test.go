package core

import (
	"math"
	"testing"

	"scoville/core/metrics"
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
