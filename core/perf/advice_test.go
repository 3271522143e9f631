package perf_test

import (
	"fmt"
	"strings"
	"testing"

	"scoville/core/perf"
	"scoville/core/scenario"
	"scoville/core/unit"
	"scoville/core/workload"
)

// outOfMemory is the published case: 13e9 parameters in fp16 (26 GB), 128 KiB
// of KV per token, 40 GB, and a cache of 16 sequences of so many tokens.
func outOfMemory(t *testing.T, tokens int) *scenario.Scenario {
	t.Helper()
	sc := reference(t, "a100-40", map[string]any{
		"model.weight_dtype": "fp16", "model.kv_dtype": "fp16", "model.activation_dtype": "fp16",
		"model.heads": 16, "model.kv_heads": 16, "model.head_dim": 64, "model.ffn": 31030,
		"hardware.memory_gib": 40e9 / unit.GiB, "hardware.workspace_gib": 0.0,
		"engine.memory_fraction": 1.0, "engine.max_num_seqs": 16, "engine.max_num_batched_tokens": 16,
	})
	sc.Engine.KVBlocks = 16 * tokens / sc.Engine.BlockSize
	sc.Workload.Class = []workload.Class{{Name: "a", Share: 1, Prompt: workload.Dist{Kind: workload.Fixed, Mean: float64(tokens - 1)}, Output: workload.Dist{Kind: workload.Fixed, Mean: 1}}}
	return sc
}

// TestOutOfMemory: 34.4 GB of KV and 26 GB of weights are more than 40 GB, and
// so are 17.2 and 26. The parts and the cures are those of the arithmetic: 14
// GB hold 6 x 16,384 or 13 x 8,192 tokens of 128 KiB.
func TestOutOfMemory(t *testing.T) {
	for _, c := range []struct {
		tokens int
		want   []string
	}{
		{16384, []string{
			"kv_blocks = 16384 do not fit memory: weights 24.2 GiB", "KV 32 GiB per chip, usable 37.3 GiB", "activations 2.",
			"engine.max_num_seqs <= 6 at the longest request, 16384 tokens", `model.kv_dtype = "int4"`, "engine.tp = 2",
		}},
		{8192, []string{
			"KV 16 GiB", "engine.max_num_seqs <= 13 at the longest request, 8192 tokens", `model.weight_dtype = "int8"`, `model.kv_dtype = "int8"`, "engine.tp = 2",
		}},
	} {
		sc := outOfMemory(t, c.tokens)
		b := perf.Memory(sc)
		near(t, "weights", b.Weights, 26e9, 1e-4)
		near(t, "KV", float64(b.Blocks)*b.BlockSize, float64(c.tokens)*16*131072, 1e-12)
		near(t, "left for KV", b.KVSpace, 14e9, 1e-3)
		err := perf.Fits(sc)
		for _, part := range c.want {
			if err == nil || !strings.Contains(err.Error(), part) {
				t.Errorf("%d tokens: %v: not a word of %q", c.tokens, err, part)
			}
		}
	}
	if err := perf.Fits(outOfMemory(t, 6144)); err != nil { // 12.9 + 26 GB
		t.Errorf("6,144 tokens: %v", err)
	}
}

// TestAdviceHolds: what the advice names fits, and a little more does not.
func TestAdviceHolds(t *testing.T) {
	for _, tokens := range []int{8192, 16384} {
		sc := outOfMemory(t, tokens)
		text := perf.Fits(sc).Error()
		var blocks, length, seqs, longest, tp int
		scan(t, text, "engine.kv_blocks <= %d", &blocks)
		scan(t, text, "requests of up to %d tokens", &length)
		scan(t, text, "engine.max_num_seqs <= %d at the longest request, %d", &seqs, &longest)
		scan(t, text, "engine.tp = %d", &tp)
		for _, c := range []struct {
			what string
			set  func(*scenario.Scenario)
			fits bool
		}{
			{"kv_blocks", func(s *scenario.Scenario) { s.Engine.KVBlocks = blocks }, true},
			{"one block more", func(s *scenario.Scenario) { s.Engine.KVBlocks = blocks + 1 }, false},
			{"sequences", func(s *scenario.Scenario) { s.Engine.KVBlocks = seqs * longest / 16 }, true},
			{"one sequence more", func(s *scenario.Scenario) { s.Engine.KVBlocks = (seqs + 1) * longest / 16 }, false},
			{"tp", func(s *scenario.Scenario) { s.Engine.TP = tp }, true},
		} {
			changed := *sc
			if c.set(&changed); (perf.Fits(&changed) == nil) != c.fits {
				t.Errorf("%d tokens, %s: %v", tokens, c.what, perf.Fits(&changed))
			}
		}
		if strings.Contains(text, "or requests of up to") || strings.Contains(text, "or engine.max_num_seqs") {
			t.Errorf("neither alone makes kv_blocks = %d fit: %s", sc.Engine.KVBlocks, text)
		}
		if length != 16*blocks+1 {
			t.Errorf("a request of %d tokens in %d blocks", length, blocks)
		}
	}
}

func scan(t *testing.T, text, format string, into ...any) {
	t.Helper()
	word, _, _ := strings.Cut(format, "%d")
	_, rest, ok := strings.Cut(text, word)
	if _, err := fmt.Sscanf(word+rest, format, into...); !ok || err != nil {
		t.Fatalf("%q has no %q: %v", text, format, err)
	}
}

// TestAdviceOfWeights: where the weights alone do not fit there is no context
// to name, and formats and chips are judged with the longest request.
func TestAdviceOfWeights(t *testing.T) {
	for _, c := range []struct {
		device     string
		set        map[string]any
		want, gone string
	}{
		{"h100-sxm", map[string]any{"model.name": "llama-3-70b", "model.weight_dtype": "bf16", "model.activation_dtype": "bf16"}, `what would fit: model.weight_dtype = "fp8", or engine.tp = 2`, "requests of"},
		{"h100-sxm", map[string]any{"engine.max_num_batched_tokens": 10_000_000}, "engine.max_num_batched_tokens < ", "requests of"},
		{"l40s", map[string]any{"model.name": "deepseek-v3"}, "what would fit: engine.tp = 32", "weight_dtype"},
		{"l40s", map[string]any{"model.layers": 64, "model.weight_dtype": "bf16", "hardware.link_bandwidth_gb_s": 0.0, "hardware.memory_gib": 20.0}, `model.weight_dtype = "fp8", or engine.tp = 2 with hardware.link_bandwidth_gb_s`, "requests of"},
		{"rtx-4090", map[string]any{"model.heads": 31, "model.kv_heads": 31, "model.layers": 10000}, "no number format and no engine.tp would fit", "what would fit"},
		{"jalapeno", map[string]any{"model.name": "llama-2-7b", "model.weight_dtype": "int8", "model.kv_dtype": "int8", "model.activation_dtype": "", "hardware.weight_memory_gib": 8.0}, `= "fp4" with model.activation_dtype = "int8", or engine.tp = 2`, "requests of"},
		{"h100-sxm", map[string]any{"engine.kv_blocks": 1_000_000}, "engine.kv_blocks <= ", "weight_dtype"},
	} {
		err := perf.Fits(reference(t, c.device, c.set))
		if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), c.gone) {
			t.Errorf("%s %v: %v", c.device, c.set, err)
		}
	}
}

// TestAdviceOfPool: a given pool too small for a request names the pool it needs.
func TestAdviceOfPool(t *testing.T) {
	sc := reference(t, "h100-sxm", map[string]any{"engine.kv_blocks": 10})
	text := perf.Advise(sc, 1000)
	for _, want := range []string{"weights 6.28 GiB", "workspace 3 GiB", "KV 40 MiB", "engine.kv_blocks >= 63", "requests of up to 161 tokens"} {
		if !strings.Contains(strings.ReplaceAll(text, "3.00 GiB", "3 GiB"), want) {
			t.Errorf("%q: not a word of %q", text, want)
		}
	}
}
