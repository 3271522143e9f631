package model

import (
	"errors"
	"math"
	"strings"
	"testing"

	"scoville/core/unit"
)

// published are the parameter counts of the publishers. Exact ones are the
// checkpoint's own: Hugging Face's count of safetensors elements. tolerance
// is relative: biases and norms inside heads are not derived, and names are
// rounded.
var published = []struct {
	name          string
	total, active float64 // active 0 = dense or not published
	tolerance     float64
	source        string
}{
	{"llama-2-7b", 6_738_415_616, 0, 0, "Hugging Face meta-llama/Llama-2-7b-hf"},
	{"llama-2-13b", 13_015_864_320, 0, 0, "Hugging Face meta-llama/Llama-2-13b-hf"},
	{"llama-2-70b", 68_976_648_192, 0, 0, "Hugging Face meta-llama/Llama-2-70b-hf"},
	{"codellama-34b", 33_743_970_304, 0, 0, "Hugging Face codellama/CodeLlama-34b-Instruct-hf"},
	{"llama-3-8b", 8_030_261_248, 0, 0, "Hugging Face meta-llama/Meta-Llama-3-8B"},
	{"llama-3-70b", 70_553_706_496, 0, 0, "Hugging Face meta-llama/Meta-Llama-3-70B"},
	{"llama-3.1-8b", 8_030_261_248, 0, 0, "Hugging Face meta-llama/Llama-3.1-8B"},
	{"llama-3.1-70b", 70_553_706_496, 0, 0, "Hugging Face meta-llama/Llama-3.1-70B"},
	{"llama-3.1-405b", 405_853_388_800, 0, 0, "Hugging Face meta-llama/Llama-3.1-405B"},
	{"llama-3.2-1b", 1_235_814_400, 0, 0, "Hugging Face meta-llama/Llama-3.2-1B"},
	{"llama-3.2-3b", 3_212_749_824, 0, 0, "Hugging Face meta-llama/Llama-3.2-3B"},
	{"mistral-7b-v0.1", 7_241_732_096, 0, 0, "Hugging Face mistralai/Mistral-7B-v0.1"},
	{"mistral-nemo", 12_247_782_400, 0, 0, "Hugging Face mistralai/Mistral-Nemo-Base-2407"},
	{"mixtral-8x7b", 46_702_792_704, 12.9e9, 0, "Hugging Face mistralai/Mixtral-8x7B-v0.1; arXiv:2401.04088, 13B active"},
	{"qwen2.5-7b", 7_615_616_512, 0, 1e-4, "Hugging Face Qwen/Qwen2.5-7B"},
	{"qwen2.5-14b", 14_770_033_664, 0, 1e-4, "Hugging Face Qwen/Qwen2.5-14B"},
	{"qwen2.5-32b", 32_763_876_352, 0, 1e-4, "Hugging Face Qwen/Qwen2.5-32B"},
	{"deepseek-r1-distill-qwen-1.5b", 1_777_088_000, 0, 1e-4, "Hugging Face deepseek-ai/DeepSeek-R1-Distill-Qwen-1.5B"},
	{"qwen2.5-72b", 72_706_203_648, 0, 1e-4, "Hugging Face Qwen/Qwen2.5-72B"},
	{"qwen3-4b", 4_022_468_096, 0, 1e-5, "Hugging Face Qwen/Qwen3-4B"},
	{"qwen3-8b", 8_190_735_360, 0, 1e-5, "Hugging Face Qwen/Qwen3-8B"},
	{"qwen3-14b", 14_768_307_200, 0, 1e-5, "Hugging Face Qwen/Qwen3-14B"},
	{"qwen3-32b", 32_762_123_264, 0, 1e-5, "Hugging Face Qwen/Qwen3-32B"},
	{"qwen3-30b-a3b", 30_532_122_624, 3.3e9, 1e-5, "Hugging Face Qwen/Qwen3-30B-A3B; arXiv:2505.09388"},
	{"qwen3-30b-a3b-2507", 30_532_122_624, 3.3e9, 1e-5, "Hugging Face Qwen/Qwen3-30B-A3B-Instruct-2507"},
	{"qwen3-235b-a22b", 235_093_634_560, 22e9, 1e-5, "Hugging Face Qwen/Qwen3-235B-A22B; arXiv:2505.09388"},
	{"gemma-2-2b", 2_614_341_888, 0, 1e-4, "Hugging Face google/gemma-2-2b-it"},
	{"gemma-2-9b", 9_241_705_984, 0, 1e-4, "Hugging Face google/gemma-2-9b-it"},
	{"gemma-2-27b", 27_227_128_320, 0, 1e-4, "Hugging Face google/gemma-2-27b-it"},
	{"codellama-7b", 6_738_546_688, 0, 0, "Hugging Face codellama/CodeLlama-7b-hf"},
	{"codellama-13b", 13_016_028_160, 0, 0, "Hugging Face codellama/CodeLlama-13b-hf"},
	{"tinyllama-1.1b", 1_100_048_384, 0, 0, "Hugging Face TinyLlama/TinyLlama-1.1B-Chat-v1.0"},
	{"mistral-7b-v0.2", 7_241_732_096, 0, 0, "Hugging Face mistralai/Mistral-7B-Instruct-v0.2"},
	{"mistral-7b-v0.3", 7_248_023_552, 0, 0, "Hugging Face mistralai/Mistral-7B-Instruct-v0.3"},
	{"mixtral-8x22b", 140_620_634_112, 39.1e9, 0, "Hugging Face mistralai/Mixtral-8x22B-v0.1"},
	{"mixtral-8x22b-instruct-v0.1", 140_630_071_296, 39.1e9, 0, "Hugging Face mistralai/Mixtral-8x22B-Instruct-v0.1"},
	{"mistral-small-24b", 23_572_403_200, 0, 0, "Hugging Face mistralai/Mistral-Small-24B-Instruct-2501"},
	{"mistral-large-2407", 122_610_069_504, 0, 0, "Hugging Face mistralai/Mistral-Large-Instruct-2407"},
	{"phi-3-mini-4k", 3_821_079_552, 0, 0, "Hugging Face microsoft/Phi-3-mini-4k-instruct"},
	{"phi-3-mini-128k", 3_821_079_552, 0, 0, "Hugging Face microsoft/Phi-3-mini-128k-instruct"},
	{"phi-3-medium-4k", 13_960_238_080, 0, 0, "Hugging Face microsoft/Phi-3-medium-4k-instruct"},
	{"phi-3-medium-128k", 13_960_238_080, 0, 0, "Hugging Face microsoft/Phi-3-medium-128k-instruct"},
	{"phi-4", 14_659_507_200, 0, 0, "Hugging Face microsoft/phi-4"},
	{"phi-4-mini", 3_836_021_760, 0, 0, "Hugging Face microsoft/Phi-4-mini-instruct"},
	{"qwen2.5-0.5b", 494_032_768, 0, 1e-4, "Hugging Face Qwen/Qwen2.5-0.5B-Instruct"},
	{"qwen2.5-1.5b", 1_543_714_304, 0, 1e-4, "Hugging Face Qwen/Qwen2.5-1.5B-Instruct"},
	{"qwen2.5-3b", 3_085_938_688, 0, 1e-4, "Hugging Face Qwen/Qwen2.5-3B-Instruct"},
	{"qwen3-0.6b", 596_049_920, 0, 1e-4, "Hugging Face Qwen/Qwen3-0.6B"},
	{"qwen3-1.7b", 1_720_574_976, 0, 1e-4, "Hugging Face Qwen/Qwen3-1.7B"},
	{"qwen3-4b-2507", 4_022_468_096, 0, 1e-4, "Hugging Face Qwen/Qwen3-4B-Instruct-2507"},
	{"qwen3-235b-a22b-2507", 235_093_634_560, 22e9, 1e-4, "Hugging Face Qwen/Qwen3-235B-A22B-Instruct-2507"},
	{"yi-6b", 6_061_035_520, 0, 0, "Hugging Face 01-ai/Yi-6B"},
	{"yi-34b", 34_388_917_248, 0, 0, "Hugging Face 01-ai/Yi-34B"},
	{"gpt-oss-20b", 20.91e9, 0, 1e-3, "arXiv:2508.10925 table 1"},
	{"gpt-oss-120b", 116.83e9, 0, 1e-3, "arXiv:2508.10925 table 1"},
	{"deepseek-v3", 671e9, 37e9, 1e-3, "arXiv:2412.19437, without multi-token prediction"},
	{"minimax-m2.5", 230e9, 0, 1e-2, "Hugging Face MiniMaxAI/MiniMax-M2.5, model card"},
}

func TestPublishedParams(t *testing.T) {
	if len(published) != len(Names()) {
		t.Errorf("%d published counts for %d catalogue entries", len(published), len(Names()))
	}
	for _, c := range published {
		m := catalog(t, c.name)
		p := m.Params()
		if math.Abs(p.Total-c.total) > c.tolerance*c.total {
			t.Errorf("%s: %.0f parameters, published %.0f (%s)", c.name, p.Total, c.total, c.source)
		}
		if c.active > 0 && math.Abs(p.Active/c.active-1) > 0.02 {
			t.Errorf("%s: %.3g active parameters, published %.3g (%s)", c.name, p.Active, c.active, c.source)
		}
		if m.Experts == 0 && p.Active != p.Total {
			t.Errorf("%s: dense, but %v of %v active", c.name, p.Active, p.Total)
		}
		if m.DeclaredParams != c.total {
			t.Errorf("%s: declares %.0f, published %.0f", c.name, m.DeclaredParams, c.total)
		}
		if err := m.CheckDeclared(); err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

// TestParamsByUse holds gpt-oss-120b against the table of its model card:
// MLP 114.71e9, attention 0.96e9, embedding and unembedding 1.16e9; active
// 5.13e9 counts the unembedding alone.
func TestParamsByUse(t *testing.T) {
	p := catalog(t, "gpt-oss-120b").Params()
	for _, c := range []struct {
		what      string
		got, want float64
	}{
		{"MLP", p.Experts + p.Router, 114.71e9},
		{"attention", p.Attention, 0.96e9},
		{"embed and unembed", p.Embedding + p.LMHead, 1.16e9},
		{"active without embedding", p.Active - p.Embedding, 5.13e9},
	} {
		if math.Abs(c.got/c.want-1) > 0.01 {
			t.Errorf("%s: %.4g, want %.4g", c.what, c.got, c.want)
		}
	}
}

// TestGroupsSum: the GEMM groups and the parameters are the same matrices.
func TestGroupsSum(t *testing.T) {
	for _, name := range Names() {
		m := catalog(t, name)
		g, p := m.GEMMs(), m.Params()
		gemms := g.Attention + g.Dense + float64(m.MoELayers()*m.Experts)*g.Expert + g.LMHead
		want := p.Total - p.Norms - p.Embedding
		if m.TiedEmbed { // the embedding matrix is the LM head too
			want += p.Embedding
		}
		if gemms != want {
			t.Errorf("%s: GEMM groups %v, parameters %v", name, gemms, want)
		}
		tied := m
		tied.TiedEmbed = true
		if tied.GEMMs() != g || tied.Params().Total != p.Total-p.LMHead {
			t.Errorf("%s: a tied LM head is a GEMM but not a second matrix in memory", name)
		}
	}
}

func TestBytes(t *testing.T) {
	llama2 := catalog(t, "llama-2-7b")
	llama2.WeightDType, llama2.KVDType = unit.INT8, unit.INT8
	llama3 := catalog(t, "llama-3-8b")
	gptOSS := catalog(t, "gpt-oss-120b")
	deepseek := catalog(t, "deepseek-v3")
	naive := llama3 // keys and values as wide as the residual stream
	naive.KVHeads = naive.Heads
	for _, c := range []struct {
		what      string
		got, want float64
	}{
		{"Llama-2-7B at INT8", llama2.WeightBytes(), 6_738_415_616},
		{"Llama-2-7B KV at INT8", llama2.KVBytesPerToken(), 256 << 10},
		{"Llama-3-8B at bf16", llama3.WeightBytes(), 2 * 8_030_261_248},
		{"Llama-3-8B KV of 128 Ki tokens", llama3.KVBytesPerToken() * 131072, 16 << 30},
		{"naive KV over grouped queries", naive.KVBytesPerToken() / llama3.KVBytesPerToken(), 4},
		{"DeepSeek-V3 KV at bf16", deepseek.KVBytesPerToken(), 61 * (512 + 64) * 2},
		// MLP 114.66e9 at 4.25 bits, the rest at 16: the model card states a
		// checkpoint of 60.8 GiB with biases.
		{"gpt-oss-120b GiB", math.Round(gptOSS.WeightBytes()/(1<<30)*10) / 10, 60.7},
	} {
		if c.got != c.want {
			t.Errorf("%s: %v, want %v", c.what, c.got, c.want)
		}
	}
	dense, experts, head := gptOSS.GroupBytes()
	if head != 2*2*201088*2880 || experts != gptOSS.Params().Experts*0.53125 || dense+experts+head != gptOSS.WeightBytes() {
		t.Errorf("groups of gpt-oss-120b: %v %v %v", dense, experts, head)
	}
}

func TestFormats(t *testing.T) {
	for _, c := range []struct {
		m                        Model
		dense, experts, head, kv unit.DType
		activations              unit.DType
	}{
		{Model{}, unit.BF16, unit.BF16, unit.BF16, unit.BF16, unit.BF16},
		{Model{WeightDType: unit.INT8}, unit.INT8, unit.INT8, unit.INT8, unit.BF16, unit.INT8},
		{Model{WeightDType: unit.FP8, LMHeadDType: unit.BF16, KVDType: unit.FP8}, unit.FP8, unit.FP8, unit.BF16, unit.FP8, unit.FP8},
		{Model{WeightDType: unit.INT4}, unit.INT4, unit.INT4, unit.INT4, unit.BF16, unit.BF16},
		{Model{WeightDType: unit.FP16, ExpertDType: unit.FP4}, unit.FP16, unit.FP4, unit.FP16, unit.BF16, unit.FP16},
		{Model{WeightDType: unit.FP4, ActivationDType: unit.FP8}, unit.FP4, unit.FP4, unit.FP4, unit.BF16, unit.FP8},
	} {
		got := [...]unit.DType{c.m.DenseWeights(), c.m.ExpertWeights(), c.m.HeadWeights(), c.m.KV(), c.m.Activations()}
		if want := [...]unit.DType{c.dense, c.experts, c.head, c.kv, c.activations}; got != want {
			t.Errorf("%+v: %v, want %v", c.m, got, want)
		}
	}
}

func TestAttention(t *testing.T) {
	for _, c := range []struct {
		name            string
		prefill, decode float64
		full, moe       int
	}{
		{"llama-2-7b", 4 * 32 * 128, 4 * 32 * 128, 32, 0},
		{"llama-3.1-70b", 4 * 64 * 128, 4 * 64 * 128, 80, 0},
		{"gpt-oss-120b", 4 * 64 * 64, 4 * 64 * 64, 18, 36},
		{"deepseek-v3", 81_920, 278_528, 61, 58},
	} {
		m := catalog(t, c.name)
		p, d := m.AttentionFLOPsPerPair()
		if p != c.prefill || d != c.decode || m.FullLayers() != c.full || m.MoELayers() != c.moe {
			t.Errorf("%s: %v %v FLOPs, %d full layers, %d MoE layers", c.name, p, d, m.FullLayers(), m.MoELayers())
		}
	}
}

// TestCheckDeclared: 32 layers of 16 heads of 64 at hidden 4096 are 5.1e9
// parameters and no 13e9; with 32 heads of 128 they are 6.7e9.
func TestCheckDeclared(t *testing.T) {
	m := Model{
		Layers: 32, Hidden: 4096, Heads: 16, KVHeads: 16, HeadDim: 64, FFN: 11008, GatedFFN: true, Vocab: 32000,
		WeightDType: unit.FP16, DeclaredParams: 13e9,
	}
	err := m.CheckDeclared()
	k, ok := errors.AsType[*KeyError](err)
	if !ok || k.Key != "declared_params" || !strings.Contains(err.Error(), "13 G") || !strings.Contains(err.Error(), "5.13 G") {
		t.Errorf("16 heads of 64: %v", err)
	}
	m.Heads, m.KVHeads, m.HeadDim = 32, 32, 128
	if err := m.CheckDeclared(); err == nil || !strings.Contains(err.Error(), "6.74 G") {
		t.Errorf("32 heads of 128: %v", err)
	}
	for _, rounded := range []float64{0, 7e9, 6.7e9} {
		m.DeclaredParams = rounded
		if err := m.CheckDeclared(); err != nil {
			t.Errorf("declared %v: %v", rounded, err)
		}
	}
}

func TestCheck(t *testing.T) {
	for _, c := range []struct {
		key, base string
		change    func(*Model)
	}{
		{"layers", "llama-2-7b", func(m *Model) { m.Layers = 0 }},
		{"layers", "llama-2-7b", func(m *Model) { m.Layers = maxLayers + 1 }},
		{"vocab", "llama-2-7b", func(m *Model) { m.Vocab = -1 }},
		{"kv_heads", "llama-2-7b", func(m *Model) { m.KVHeads = 5 }},
		{"kv_heads", "llama-2-7b", func(m *Model) { m.KVHeads = 64 }},
		{"head_dim", "llama-2-7b", func(m *Model) { m.HeadDim = 0 }},
		{"ffn", "llama-2-7b", func(m *Model) { m.FFN = 0 }},
		{"experts_per_token", "llama-2-7b", func(m *Model) { m.ExpertsPerTok = 2 }},
		{"experts_per_token", "mixtral-8x7b", func(m *Model) { m.ExpertsPerTok = 9 }},
		{"experts_per_token", "mixtral-8x7b", func(m *Model) { m.ExpertsPerTok = 0 }},
		{"expert_ffn", "mixtral-8x7b", func(m *Model) { m.ExpertFFN = 0 }},
		{"ffn", "mixtral-8x7b", func(m *Model) { m.DenseLayers = 1 }},
		{"dense_layers", "deepseek-v3", func(m *Model) { m.DenseLayers = 62 }},
		{"experts", "deepseek-v3", func(m *Model) { m.SharedExperts = -1 }},
		{"kv_lora_rank", "deepseek-v3", func(m *Model) { m.RopeHeadDim = 0 }},
		{"sliding_layers", "gpt-oss-20b", func(m *Model) { m.SlidingLayers = 25 }},
		{"sliding_window", "gpt-oss-20b", func(m *Model) { m.SlidingWindow = 0 }},
		{"kv_dtype", "llama-2-7b", func(m *Model) { m.KVDType = "int3" }},
	} {
		m := catalog(t, c.base)
		c.change(&m)
		k, ok := errors.AsType[*KeyError](m.Check())
		if !ok || k.Key != c.key || k.Value == nil {
			t.Errorf("%s of %s: %v", c.key, c.base, m.Check())
		}
	}
}

func catalog(t *testing.T, name string) Model {
	t.Helper()
	m, err := Catalog(name)
	if err != nil {
		t.Fatal(err)
	}
	return m
}
