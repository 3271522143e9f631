package model

import (
	"errors"
	"strings"
	"testing"

	"scoville/core/unit"
)

func TestDetails(t *testing.T) {
	for text, want := range map[string]Details{
		`{}`: {},
		`{"hidden_act": "silu", "rope_theta": 10000, "torch_dtype": "float16", "max_position_embeddings": 2048}`:                                       {Activation: "silu", RopeTheta: 10000, Format: "float16", MaxPositions: 2048},
		`{"rope_theta": 1e4, "rope_scaling": {"type": "yarn", "factor": 40, "original_max_position_embeddings": 4096}}`:                                {RopeTheta: 10000, RopeScaling: "yarn", RopeFactor: 40, RopeOriginal: 4096},
		`{"rope_scaling": null, "rope_parameters": {"rope_type": "default", "rope_theta": 5000000}}`:                                                   {RopeTheta: 5000000},
		`{"rope_parameters": {"full_attention": {"rope_theta": 1e6, "factor": 8.0, "rope_type": "linear"}, "sliding_attention": {"rope_theta": 1e4}}}`: {RopeTheta: 1e6, RopeScaling: "linear", RopeFactor: 8},
		`{"text_config": {"rope_theta": 7}}`: {RopeTheta: 7},
	} {
		if got, err := ReadDetails([]byte(text)); err != nil || got != want {
			t.Errorf("%s: %+v %v, want %+v", text, got, err, want)
		}
	}
	for text, key := range map[string]string{
		`{"rope_theta": "x"}`:                   "rope_theta",
		`{"rope_theta": -1}`:                    "rope_theta",
		`{"rope_theta": 1e999}`:                 "rope_theta",
		`{"rope_scaling": 8}`:                   "rope_scaling",
		`{"rope_scaling": {"factor": "8"}}`:     "rope_scaling.factor",
		`{"rope_parameters": {"rope_type": 1}}`: "rope_parameters.rope_type",
		`{"hidden_act": 1}`:                     "hidden_act",
	} {
		_, err := ReadDetails([]byte(text))
		if k, ok := errors.AsType[*KeyError](err); !ok || k.Key != key {
			t.Errorf("%s: %v, want %s", text, err, key)
		}
	}
	if _, err := ReadDetails(nil); err == nil {
		t.Error("an empty file has details")
	}
}

// TestMisaligned: rows of the cache and sides of the GEMMs by the tile, the
// width of a feed-forward as each of tp chips has it.
func TestMisaligned(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(*Model)
		tp     int
		want   string // "" = all aligned
	}{
		{"llama-3-8b", func(*Model) {}, 1, ""},
		{"llama-3-8b", func(*Model) {}, 8, ""},
		{"deepseek-v3", func(*Model) {}, 16, ""},
		{"llama-3-8b", func(m *Model) { m.HeadDim = 80 }, 1, "model.head_dim: a KV row of 160 B (bf16) is no multiple of a 64 B line: set hardware.line_bytes = 64 to have each row padded to 192 B"},
		{"llama-3-8b", func(m *Model) { m.HeadDim, m.KVDType = 64, unit.INT4 }, 1, "a KV row of 32 B"},
		{"deepseek-v3", func(m *Model) { m.RopeHeadDim = 60 }, 1, "model.kv_lora_rank: a KV row of 1144 B"},
		{"llama-3-8b", func(m *Model) { m.Vocab = 50257 }, 1, "model.vocab: 50257 on a chip is no multiple of 8, the N side of the tensor-core tile 16x8x16"},
		{"llama-3-8b", func(m *Model) { m.Hidden = 4100 }, 1, "model.hidden: 4100"},
		{"gpt-oss-120b", func(*Model) {}, 1, ""},
		{"gpt-oss-120b", func(*Model) {}, 8, "model.expert_ffn: 360 on a chip is no multiple of 16, the K side"},
	} {
		m := catalog(t, c.name)
		c.change(&m)
		got := strings.Join(m.Misaligned(64, c.tp, TileOf(m.Activations())), "\n")
		if (got == "") != (c.want == "") || !strings.Contains(got, c.want) {
			t.Errorf("%s on %d chips: %q, want %q", c.name, c.tp, got, c.want)
		}
	}
	if TileOf(unit.FP8).K != 32 || TileOf(unit.INT4).K != 64 || TileOf(unit.FP32).K != 8 {
		t.Error("the K side of a tile is 32 bytes")
	}
	for d, want := range map[unit.DType]float64{unit.FP16: 7, unit.INT8: 7.5, unit.BF16: 8, unit.FP8: 8.9, unit.FP4: 10} {
		if SMArchOf(d) != want {
			t.Errorf("%s: %v", d, SMArchOf(d))
		}
	}
}
