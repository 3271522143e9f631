package core

import (
	"math"
	"testing"

	"scoville/core/metrics"
	"scoville/core/scenario"
	"scoville/core/workload"
)

// alone is one request of 128 prompt tokens and 2 output tokens of Llama-2-7B
// at int8 on an H100, with the given keys.
func alone(t *testing.T, set map[string]any) *scenario.Scenario {
	values := map[string]any{"hardware.name": "h100-sxm", "model.kv_dtype": "int8", "workload.requests": 1}
	for k, v := range set {
		values[k] = v
	}
	sc := reference(t, values)
	sc.Workload.Class[0].Output = workload.Dist{Kind: workload.Fixed, Mean: 2}
	return sc
}

// TestEnergyAndCost holds joules and dollars per token against arithmetic by
// hand: 128 + 2 tokens through 6.476e9 weights of the layers, two rows through
// the LM head of 0.131e9, attention of 128*129/2 and 129 pairs; two passes over
// the weights; four chips of two replicas.
func TestEnergyAndCost(t *testing.T) {
	const (
		layers, head = 32 * (4*4096*4096 + 3*4096*11008), 32000 * 4096
		attention    = 32 * 4 * 4096 // FLOPs per pair
		flops        = 2*129*layers + 2*2*head + attention*(128*129/2+129)
		bytes        = 2 * (layers + head) // KV and embedding rows are under 1 % of it
	)
	metric := func(sc *scenario.Scenario, name string) float64 {
		r := simulate(t, sc, Options{})
		i, ok := metrics.Index(name)
		if !ok || r.Status != OK {
			t.Fatalf("%s: %s %s", name, r.Status, r.Reason)
		}
		return r.Summary[i]
	}
	span := metric(alone(t, nil), "duration_s")
	four := map[string]any{"engine.tp": 2, "engine.dp": 2, "hardware.w_idle": 100.0, "hardware.usd_per_hour": 3.6}
	spanOfFour := metric(alone(t, four), "duration_s")
	for _, c := range []struct {
		what, metric    string
		set             map[string]any
		want, tolerance float64
	}{
		{"1 pJ per FLOP", "energy_j_per_tok", map[string]any{"hardware.pj_per_flop": 1.0}, flops * 1e-12 / 2, 1e-9},
		{"10 pJ per byte", "energy_j_per_tok", map[string]any{"hardware.pj_per_byte": 10.0}, bytes * 10e-12 / 2, 0.01},
		{"100 W idle", "energy_j_per_tok", map[string]any{"hardware.w_idle": 100.0}, 100 * span / 2, 1e-9},
		{"100 W idle, four chips", "energy_j_per_tok", four, 4 * 100 * spanOfFour / 2, 1e-9},
		{"3.6 USD/h, four chips", "cost_usd_per_mtok", four, 4 * 3.6 / 3600 * spanOfFour / 2 * 1e6, 1e-9},
		{"all three", "energy_j_per_tok", map[string]any{"hardware.w_idle": 100.0, "hardware.pj_per_flop": 1.0, "hardware.pj_per_byte": 10.0}, (100*span + flops*1e-12 + bytes*10e-12) / 2, 0.01},
	} {
		if got := metric(alone(t, c.set), c.metric); math.Abs(got/c.want-1) > c.tolerance {
			t.Errorf("%s: %v, want %v", c.what, got, c.want)
		}
	}
	for _, name := range []string{"energy_j_per_tok", "cost_usd_per_mtok"} {
		if x := metric(alone(t, nil), name); !math.IsNaN(x) {
			t.Errorf("%s is %v on a chip that states no watts and no price", name, x)
		}
	}
}
