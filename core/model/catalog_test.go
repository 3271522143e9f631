package model

import (
	"errors"
	"strings"
	"testing"

	"scoville/core/unit"
)

func TestCatalogNames(t *testing.T) {
	if _, err := load(); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name, entry                       string
		weights, activations, head, cache unit.DType
	}{
		{"LLAMA-2-7B", "llama-2-7b", unit.FP16, unit.FP16, unit.FP16, unit.FP16},
		{"meta-llama/Llama-2-7b-hf", "llama-2-7b", unit.FP16, unit.FP16, unit.FP16, unit.FP16},
		{"meta-llama/Llama-2-70b-chat-hf", "llama-2-70b", unit.FP16, unit.FP16, unit.FP16, unit.FP16},
		{"llama2-70b", "llama-2-70b", unit.FP16, unit.FP16, unit.FP16, unit.FP16},
		{"codellama/CodeLlama-34b-Instruct-hf", "codellama-34b", unit.BF16, unit.BF16, unit.BF16, unit.BF16},
		{"meta-llama/Llama-3.1-70B", "llama-3.1-70b", unit.BF16, unit.BF16, unit.BF16, unit.BF16},
		{"meta-llama/Meta-Llama-3-8B-Instruct", "llama-3-8b", unit.BF16, unit.BF16, unit.BF16, unit.BF16},
		{"meta-llama/Llama-3.3-70B-Instruct", "llama-3.1-70b", unit.BF16, unit.BF16, unit.BF16, unit.BF16},
		{"nvidia/Llama-3.1-70B-Instruct-FP8", "llama-3.1-70b", unit.FP8, unit.FP8, unit.BF16, unit.BF16},
		{"RedHatAI/Meta-Llama-3.1-70B-Instruct-FP8-dynamic", "llama-3.1-70b", unit.FP8, unit.FP8, unit.BF16, unit.BF16},
		{"amd/Llama-3.1-405B-Instruct-FP8-KV", "llama-3.1-405b", unit.FP8, unit.FP8, unit.BF16, unit.FP8},
		{"RedHatAI/Meta-Llama-3.1-8B-Instruct-quantized.w8a8", "llama-3.1-8b", unit.INT8, unit.INT8, unit.BF16, unit.BF16},
		{"RedHatAI/Meta-Llama-3.1-8B-Instruct-quantized.w4a16", "llama-3.1-8b", unit.INT4, unit.BF16, unit.BF16, unit.BF16},
		{"Qwen/Qwen3-32B-AWQ", "qwen3-32b", unit.INT4, unit.BF16, unit.BF16, unit.BF16},
		{"Qwen/Qwen3-235B-A22B-FP8", "qwen3-235b-a22b", unit.FP8, unit.FP8, unit.BF16, unit.BF16},
		{"Qwen/Qwen3-30B-A3B-Instruct-2507-FP8", "qwen3-30b-a3b-2507", unit.FP8, unit.FP8, unit.BF16, unit.BF16},
		{"nvidia/Llama-3.3-70B-Instruct-NVFP4", "llama-3.1-70b", unit.FP4, unit.FP4, unit.BF16, unit.BF16},
		{"openai/gpt-oss-120b", "gpt-oss-120b", unit.BF16, unit.BF16, unit.BF16, unit.BF16},
		{"MiniMaxAI/MiniMax-M2.5", "minimax-m2.5", unit.FP8, unit.FP8, unit.BF16, unit.BF16},
		{"deepseek-ai/DeepSeek-R1", "deepseek-v3", unit.FP8, unit.FP8, unit.BF16, unit.BF16},
	} {
		m, err := Catalog(c.name)
		if err != nil {
			t.Error(err)
			continue
		}
		got := [...]unit.DType{m.DenseWeights(), m.Activations(), m.HeadWeights(), m.KV()}
		if want := [...]unit.DType{c.weights, c.activations, c.head, c.cache}; m.Name != c.entry || got != want {
			t.Errorf("%s: %s %v, want %s %v", c.name, m.Name, got, c.entry, want)
		}
	}
}

func TestCatalogUnknown(t *testing.T) {
	for name, hint := range map[string]string{
		"lama-2-7b":            "did you mean llama-2-7b?",
		"meta-llama/Llama-3.1": "llama-3.1-8b or llama-3.1-70b or llama-3.1-405b",
		"qwen3-33b":            "qwen3-32b",
		"x":                    `use a name of the catalogue or config = "path/to/config.json"`,
		"-fp8-fp8-instruct":    `config = "path/to/config.json"`,
		"":                     `config = "path/to/config.json"`,
	} {
		_, err := Catalog(name)
		k, ok := errors.AsType[*KeyError](err)
		if !ok || k.Key != "name" || !strings.Contains(k.Hint, hint) {
			t.Errorf("%q: %v, want a hint at %s", name, err, hint)
		}
	}
}

// TestCatalogueFile: what add refuses.
func TestCatalogueFile(t *testing.T) {
	const sound = "[[model]]\nname='a'\nlayers=1\nhidden=1\nheads=1\nkv_heads=1\nhead_dim=1\nffn=1\nvocab=1\n"
	for text, want := range map[string]string{
		sound:                                   "no source",
		sound + "source='x'\nlayrs=2":           "unknown key",
		sound + "source='x'\naliases=['b','b']": "taken",
		sound + "source='x'\nlayers=2":          "layers",
		"[[model]]\nname='a'\nsource='x'":       "layers = 0",
	} {
		c := &catalogue{models: map[string]Model{}}
		if err := c.add([]byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}
