package engine

import (
	"context"
	"math"
	"testing"

	"scoville/core/perf"
	"scoville/core/scenario"
	"scoville/core/workload"
)

// TestAhead: steps take 10 ms whatever they hold. The second request comes
// during the third step. It runs in the fourth; where that was formed while the
// third ran, in the fifth. The third request comes when nothing runs and the
// fourth request to a machine that it finds in its last step: that is idle when
// the step is over, so that neither waits for more.
func TestAhead(t *testing.T) {
	sc := newTrial(1).sc
	sc.Engine = scenario.Engine{TP: 1, StepUs: 10_000, AttnSpeed: 1, AttnOccupancy: 1}
	for _, rate := range []*float64{&sc.Hardware.MemoryBandwidthGBs, &sc.Hardware.WeightBandwidthGBs, &sc.Hardware.StateBandwidthGBs, &sc.Hardware.Peak.INT8, &sc.Hardware.Peak.BF16} {
		*rate = 1e18
	}
	sc.Hardware.AdapterLatencyUs, sc.Hardware.LinkLatencyUs, sc.Hardware.KVAccessUs = 0, 0, 0
	m := perf.New(&sc)
	reqs := []workload.Request{
		{Prompt: 1, Output: 20},
		{Arrival: 0.0251, Prompt: 1, Output: 2},
		{Arrival: 5, Prompt: 1, Output: 2},
		{Arrival: 5.0151, Prompt: 1, Output: 1},
	}
	for _, c := range []struct {
		ahead bool
		first [4]float64
	}{
		{false, [4]float64{0.01, 0.04, 5.01, 5.03}},
		{true, [4]float64{0.01, 0.05, 5.01, 5.03}},
	} {
		cfg := Config{MaxSeqs: 8, MaxTokens: 100, Blocks: 100, BlockSize: 16, Ahead: c.ahead}
		var e Engine
		var jump, plain Output
		if err := e.Run(context.Background(), m, cfg, reqs, &jump); err != nil {
			t.Fatal(err)
		}
		if err := Plain(context.Background(), m, cfg, reqs, &plain); err != nil {
			t.Fatal(err)
		}
		for i, want := range c.first {
			for _, out := range []*Output{&jump, &plain} {
				if got := out.Requests[i].First; math.Abs(got-want) > 1e-6 {
					t.Errorf("ahead %v, request %d: first token at %.4f, by hand %.4f", c.ahead, i, got, want)
				}
			}
		}
	}
}
