package core

import (
	"context"
	"testing"

	"scoville/core/hardware"
)

// TestAloneIsUndisturbed: a request alone is on the machine as it is: no cold
// start, no allocator, no fault, as in ttft_alone and tpot_alone.
func TestAloneIsUndisturbed(t *testing.T) {
	disturbed := single(t, 3, map[string]any{"engine.cold_start_ms": 700.0, "engine.allocator_jitter_us": 300.0})
	disturbed.Derate = []hardware.Derate{{Path: "hardware.weight_bandwidth_gb_s", Factor: 0.5, ToS: 1e9}}
	run := simulate(t, disturbed, Options{})
	alone, err := NewSimulator(NewCapacities()).Alone(context.Background(), disturbed, int(disturbed.Workload.Class[0].Prompt.Mean), 101)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"ttft", "tpot"} {
		about(t, name+" alone", metric(t, alone, name+"_mean_ms"), metric(t, run, name+"_alone_mean_ms"), 1e-12)
	}
}
