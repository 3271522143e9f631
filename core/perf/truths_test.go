package perf_test

import (
	"testing"

	"scoville/core/perf"
	"scoville/core/scenario"
)

// gpt3 resolves the layers of GPT-3-175B in bf16 on four A100-like chips: 312
// TFLOP/s, 2 TB/s, 600 GB/s links. With vector set, the kernels between the GEMMs
// are counted as well.
func gpt3(t *testing.T, vector bool, set map[string]any) *scenario.Scenario {
	t.Helper()
	all := map[string]any{
		"model.layers": 96, "model.hidden": 12288, "model.heads": 96, "model.kv_heads": 96, "model.head_dim": 128, "model.ffn": 49152,
		"model.gated_ffn": false, "model.vocab": 50257, "model.weight_dtype": "bf16", "model.kv_dtype": "bf16", "model.activation_dtype": "bf16",
		"engine.tp": 4, "hardware.memory_bandwidth_gb_s": 2000.0, "hardware.link_latency_us": 10.0, "hardware.link_util": 0.7,
	}
	if vector {
		// Per chip and layer: two norms and two residual sums 10 T h; the activation
		// function 2 of T 4h/4, queries, keys and values 3 of T h/4; scores written,
		// softmax read and written, and read, 4 of T 24 heads 2048 / h = 16 T h.
		all["engine.activation_passes"] = 29.0
		all["engine.kernel_launch_us"] = 5.0
		all["engine.kernels_per_layer"] = 15.0
	}
	for k, v := range set {
		all[k] = v
	}
	return reference(t, "a100-80", all)
}

// TestDirections holds the published directions of a design study of this
// machine (batch 8, prompts of 2048) against the step model, bare and with the
// kernels between the GEMMs:
//
//	                                       published   bare   with them
//	800 -> 2000 GB/s   prefill faster by       14 %       0        15 %
//	                   decode faster           1.9x    2.4x        2.3x
//	a quarter of the   prefill slower          3.3x    3.8x        3.5x
//	compute            decode slower           none    none        none
//
// The bare model is a roofline whose GEMMs reach their whole share of either
// resource. Kernels between them (norms, activation functions, above all the
// scores and the softmax of attention, not fused in the study) move activations,
// which scales with bandwidth and not with compute, and launches scale with
// neither. What is left of the difference lies in GEMMs of 8 rows that do not
// stream at the datasheet's rate, and in vector arithmetic.
func TestDirections(t *testing.T) {
	times := func(sc *scenario.Scenario) (prefill, token float64) {
		c, d := step(sc, prompts(8, 2048)), decode(sc, 8, 2048)
		return c.Total.Value, d.Total.Value
	}
	narrow := map[string]any{"hardware.memory_bandwidth_gb_s": 800.0}
	quarter := map[string]any{"hardware.peak_tflops.bf16": 78.0, "hardware.peak_tflops.fp16": 78.0}
	for _, c := range []struct {
		vector                                             bool
		bwPrefill, bwDecode, computePrefill, computeDecode float64
	}{
		{false, 1, 2.44, 3.83, 1},
		{true, 1.15, 2.28, 3.54, 1},
	} {
		p, d := times(gpt3(t, c.vector, nil))
		pn, dn := times(gpt3(t, c.vector, narrow))
		pq, dq := times(gpt3(t, c.vector, quarter))
		near(t, "2.5x bandwidth, prefill", pn/p, c.bwPrefill, 0.01)
		near(t, "2.5x bandwidth, decode", dn/d, c.bwDecode, 0.01)
		near(t, "a quarter of the compute, prefill", pq/p, c.computePrefill, 0.01)
		near(t, "a quarter of the compute, decode", dq/d, c.computeDecode, 0.01)
	}
}

// prompts returns a step of n whole prompts.
func prompts(n, tokens int) *perf.Batch {
	var b perf.Batch
	for range n {
		b.AddChunk(0, tokens, 0, true)
	}
	return &b
}
