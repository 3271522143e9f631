package model

import (
	"encoding/json"
	"errors"
	"maps"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"scoville/core/unit"
)

// configs are the real config.json files of the shared data with the catalogue
// entry they must equal ("" = none) or the parameters their publisher states.
var configs = []struct {
	file, entry string
	total       float64
	source      string
}{
	{"aiconfigurator/MiniMaxAI--MiniMax-M2.5_config.json", "minimax-m2.5", 0, ""},
	{"aiconfigurator/Qwen--Qwen3-235B-A22B-FP8_config.json", "qwen3-235b-a22b-fp8", 0, ""},
	{"aiconfigurator/Qwen--Qwen3-235B-A22B_config.json", "qwen3-235b-a22b", 0, ""},
	{"aiconfigurator/Qwen--Qwen3-30B-A3B_config.json", "qwen3-30b-a3b", 0, ""},
	{"aiconfigurator/Qwen--Qwen3-32B_config.json", "qwen3-32b", 0, ""},
	{"aiconfigurator/Qwen--Qwen3-8B_config.json", "qwen3-8b", 0, ""},
	{"aiconfigurator/deepseek-ai--DeepSeek-V3_config.json", "deepseek-v3", 0, ""},
	{"aiconfigurator/meta-llama--Meta-Llama-3.1-405B_config.json", "llama-3.1-405b", 0, ""},
	{"aiconfigurator/meta-llama--Meta-Llama-3.1-70B_config.json", "llama-3.1-70b", 0, ""},
	{"aiconfigurator/meta-llama--Meta-Llama-3.1-8B_config.json", "llama-3.1-8b", 0, ""},
	{"aiconfigurator/mistralai--Mixtral-8x7B-v0.1_config.json", "mixtral-8x7b", 0, ""},
	{"aiconfigurator/moonshotai--Kimi-K2.5_config.json", "", 1.04e12, "Hugging Face moonshotai/Kimi-K2-Instruct, model card: 1T total; arXiv:2507.20534: 1.04T"},
	{"aiconfigurator/nvidia--Llama-3.1-70B-Instruct-FP8_config.json", "llama-3.1-70b", 0, ""}, // its quantisation is in another file
	{"aiconfigurator/openai--gpt-oss-120b_config.json", "gpt-oss-120b", 0, ""},
	{"aiconfigurator/openai--gpt-oss-20b_config.json", "gpt-oss-20b", 0, ""},
	{"inference-sim/codellama-34b-instruct-hf/config.json", "codellama-34b", 0, ""},
	{"inference-sim/deepseek-v2-lite/config.json", "", 15.7e9, "arXiv:2405.04434 appendix B: 15.7B total"},
	{"inference-sim/llama-2-7b-hf/config.json", "llama-2-7b", 0, ""},
	{"inference-sim/mistral-nemo-instruct-2407/config.json", "mistral-nemo", 0, ""},
	{"inference-sim/qwen2.5-7b-instruct/config.json", "qwen2.5-7b", 0, ""},
	{"inference-sim/qwen3-14b/config.json", "qwen3-14b", 0, ""},
	{"inference-sim/yi-34b/config.json", "", 34_388_917_248, "Hugging Face 01-ai/Yi-34B"},
	{"llmservingsim/Qwen/Qwen3-30B-A3B-Instruct-2507.json", "qwen3-30b-a3b-2507", 0, ""},
	{"llmservingsim/Qwen/Qwen3-32B.json", "qwen3-32b", 0, ""},
	{"llmservingsim/meta-llama/Llama-3.1-8B.json", "llama-3.1-8b", 0, ""},
}

func TestReadConfigOnRealFiles(t *testing.T) {
	dir := shared(t, "data/hf-model-configs")
	seen := map[string]bool{}
	for _, c := range configs {
		seen[filepath.Join(dir, c.file)] = true
		data, err := os.ReadFile(filepath.Join(dir, c.file))
		if err != nil {
			t.Error(err)
			continue
		}
		m, err := ReadConfig(data)
		if err != nil {
			t.Errorf("%s: %v", c.file, err)
			continue
		}
		if c.entry == "" {
			if total := m.Params().Total; math.Abs(total/c.total-1) > 0.015 {
				t.Errorf("%s: %.4g parameters, published %.4g (%s)", c.file, total, c.total, c.source)
			}
			continue
		}
		want := catalog(t, c.entry)
		want.Name, want.DeclaredParams, want.Source = m.Name, m.DeclaredParams, m.Source
		if m != want {
			t.Errorf("%s:\n  file      %+v\n  catalogue %+v", c.file, m, want)
		}
	}
	err := filepath.WalkDir(dir, func(path string, _ os.DirEntry, err error) error {
		if strings.HasSuffix(path, ".json") && !seen[path] {
			t.Errorf("%s is not in the table", path)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

// shared returns a folder of the shared data, which lies beside the repository.
func shared(t testing.TB, name string) string {
	t.Helper()
	root, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for {
		if _, err := os.Stat(filepath.Join(root, "go.mod")); err == nil {
			break
		}
		if root == filepath.Dir(root) {
			t.Fatal("no go.mod above the test")
		}
		root = filepath.Dir(root)
	}
	dir := filepath.Join(root, "..", "shared", name)
	if _, err := os.Stat(dir); err != nil {
		t.Skipf("shared data not beside the repository: %v", err)
	}
	return dir
}

// llama is a config.json with every key that a Llama has; changes replace keys,
// nil takes one out.
func llama(changes map[string]any) []byte {
	keys := map[string]any{
		"model_type": "llama", "hidden_size": 4096, "intermediate_size": 11008, "num_hidden_layers": 32,
		"num_attention_heads": 32, "num_key_value_heads": 8, "vocab_size": 32000, "hidden_act": "silu",
		"max_position_embeddings": 4096, "torch_dtype": "bfloat16", "tie_word_embeddings": false,
	}
	maps.Copy(keys, changes)
	maps.DeleteFunc(keys, func(_ string, v any) bool { return v == nil })
	data, err := json.Marshal(keys)
	if err != nil {
		panic(err)
	}
	return data
}

func TestReadConfigVariants(t *testing.T) {
	moe := func(changes map[string]any) map[string]any {
		all := map[string]any{"num_experts": 8, "num_experts_per_tok": 2, "moe_intermediate_size": 1408}
		maps.Copy(all, changes)
		return all
	}
	layers := func(types ...string) []string { // eight rounds of four
		var all []string
		for range 8 {
			all = append(all, types...)
		}
		return all
	}
	for _, c := range []struct {
		what    string
		changes map[string]any
		want    func(Model) bool
	}{
		{"no kv heads: as many as query heads", map[string]any{"num_key_value_heads": nil}, func(m Model) bool { return m.KVHeads == 32 }},
		{"head_dim apart from hidden", map[string]any{"head_dim": 64}, func(m Model) bool { return m.HeadDim == 64 }},
		{"integral float", map[string]any{"vocab_size": json.Number("32000.0")}, func(m Model) bool { return m.Vocab == 32000 }},
		{"gemma ties and gates", map[string]any{"model_type": "gemma2", "hidden_act": "gelu", "tie_word_embeddings": nil}, func(m Model) bool { return m.TiedEmbed && m.GatedFFN }},
		{"gelu has no gate", map[string]any{"hidden_act": "gelu_new"}, func(m Model) bool { return !m.GatedFFN }},
		{"nested text model", map[string]any{"text_config": map[string]any{"num_hidden_layers": 30}}, func(m Model) bool { return m.Layers == 30 }},
		{"experts of zero", map[string]any{"n_routed_experts": 0, "num_experts_per_tok": 8}, func(m Model) bool { return m.Experts == 0 && m.FFN == 11008 }},
		{"expert width from intermediate_size", moe(map[string]any{"moe_intermediate_size": nil}), func(m Model) bool { return m.ExpertFFN == 11008 && m.FFN == 0 }},
		{"shared experts by width", moe(map[string]any{"shared_expert_intermediate_size": 5632}), func(m Model) bool { return m.SharedExperts == 4 }},
		{"shared experts by number", moe(map[string]any{"n_shared_experts": 2}), func(m Model) bool { return m.SharedExperts == 2 }},
		{"first layers dense", moe(map[string]any{"first_k_dense_replace": 3}), func(m Model) bool { return m.DenseLayers == 3 && m.FFN == 11008 }},
		{"every other layer sparse", moe(map[string]any{"decoder_sparse_step": 2, "mlp_only_layers": []int{1, 2}}), func(m Model) bool { return m.DenseLayers == 17 }},
		{"DeepSeek's step", moe(map[string]any{"first_k_dense_replace": 1, "moe_layer_freq": 2}), func(m Model) bool { return m.DenseLayers == 17 }},
		{"window on all layers", map[string]any{"sliding_window": 1024}, func(m Model) bool { return m.SlidingWindow == 1024 && m.SlidingLayers == 32 }},
		{"window off", map[string]any{"sliding_window": 1024, "use_sliding_window": false}, func(m Model) bool { return m.SlidingWindow == 0 && m.SlidingLayers == 0 }},
		{"window from a layer on", map[string]any{"model_type": "qwen2", "sliding_window": 1024, "use_sliding_window": true, "max_window_layers": 28}, func(m Model) bool { return m.SlidingLayers == 4 }},
		{"window by pattern", map[string]any{"sliding_window": 1024, "sliding_window_pattern": 6}, func(m Model) bool { return m.SlidingLayers == 27 }},
		{"window by family", map[string]any{"model_type": "gemma2", "sliding_window": 1024}, func(m Model) bool { return m.SlidingLayers == 16 }},
		{"window by list", map[string]any{"sliding_window": 1024, "layer_types": layers("sliding_attention", "sliding_attention", "sliding_attention", "full_attention")}, func(m Model) bool { return m.SlidingLayers == 24 }},
		{"window on no layer", map[string]any{"sliding_window": 1024, "layer_types": layers("full_attention", "full_attention", "full_attention", "full_attention")}, func(m Model) bool { return m.SlidingWindow == 0 }},
	} {
		m, err := ReadConfig(llama(c.changes))
		if err != nil || !c.want(m) {
			t.Errorf("%s: %+v, %v", c.what, m, err)
		}
	}
}

func TestReadConfigFormats(t *testing.T) {
	ct := func(weights, inputs, kv string) string {
		return `{"quant_method": "compressed-tensors", "kv_cache_scheme": ` + kv +
			`, "config_groups": {"group_0": {"weights": ` + weights + `, "input_activations": ` + inputs + `}}}`
	}
	const int4, int8, fp8 = `{"num_bits": 4, "type": "int"}`, `{"num_bits": 8, "type": "int"}`, `{"num_bits": 8, "type": "float"}`
	for _, c := range []struct {
		quantisation                            string
		weights, experts, head, activations, kv unit.DType
	}{
		{`null`, unit.FP16, "", "", "", unit.FP16},
		{`{"quant_method": "fp8"}`, unit.FP8, "", unit.FP16, unit.FP8, unit.FP16},
		{`{"quant_method": "mxfp4", "modules_to_not_convert": ["model.layers.*.self_attn"]}`, unit.FP16, unit.FP4, unit.FP16, unit.FP16, unit.FP16},
		{`{"quant_method": "awq", "bits": 4}`, unit.INT4, "", unit.FP16, unit.FP16, unit.FP16},
		{`{"quant_method": "gptq", "bits": 8}`, unit.INT8, "", unit.FP16, unit.FP16, unit.FP16},
		{`{"quant_method": "bitsandbytes", "load_in_4bit": true}`, unit.INT4, "", unit.FP16, unit.FP16, unit.FP16},
		{`{"quant_method": "bitsandbytes", "load_in_8bit": true}`, unit.INT8, "", unit.FP16, unit.FP16, unit.FP16},
		{`{"quant_method": "modelopt", "quant_algo": "FP8", "kv_cache_quant_algo": "FP8"}`, unit.FP8, "", unit.FP16, unit.FP8, unit.FP8},
		{`{"quant_method": "modelopt", "quant_algo": "NVFP4"}`, unit.FP4, "", unit.FP16, unit.FP4, unit.FP16},
		{ct(fp8, fp8, "null"), unit.FP8, "", unit.FP16, unit.FP8, unit.FP16},
		{ct(fp8, fp8, fp8), unit.FP8, "", unit.FP16, unit.FP8, unit.FP8},
		{ct(int8, int8, "null"), unit.INT8, "", unit.FP16, unit.INT8, unit.FP16},
		{ct(int4, "null", "null"), unit.INT4, "", unit.FP16, unit.FP16, unit.FP16},
	} {
		m, err := ReadConfig(llama(map[string]any{
			"torch_dtype": "float16", "quantization_config": json.RawMessage(c.quantisation),
			"num_local_experts": 8, "num_experts_per_tok": 2,
		}))
		got := [...]unit.DType{m.WeightDType, m.ExpertDType, m.LMHeadDType, m.ActivationDType, m.KVDType}
		if want := [...]unit.DType{c.weights, c.experts, c.head, c.activations, c.kv}; err != nil || got != want {
			t.Errorf("%s: %v %v, want %v", c.quantisation, got, err, want)
		}
	}
}

func TestReadConfigErrors(t *testing.T) {
	type change = map[string]any
	for _, c := range []struct {
		key, rule string
		data      []byte
	}{
		{"num_hidden_layers", "is missing", llama(change{"num_hidden_layers": nil})},
		{"hidden_size", "is missing", llama(change{"hidden_size": nil})},
		{"intermediate_size", "is missing", llama(change{"intermediate_size": nil})},
		{"num_hidden_layers", "must be an integer", llama(change{"num_hidden_layers": "32"})},
		{"num_hidden_layers", "must be an integer", llama(change{"num_hidden_layers": 32.5})},
		{"num_hidden_layers", "must be an integer", llama(change{"num_hidden_layers": -32})},
		{"num_hidden_layers", "must be an integer", llama(change{"num_hidden_layers": json.Number("1e999")})},
		{"num_hidden_layers", "1 to 10000", llama(change{"num_hidden_layers": 20000})},
		{"num_attention_heads", "must be an integer", llama(change{"num_attention_heads": []int{32, 16}})},
		{"num_attention_heads", "does not divide hidden_size = 4096", llama(change{"num_attention_heads": 33})},
		{"num_attention_heads", "1 to", llama(change{"num_attention_heads": 0})},
		{"num_key_value_heads", "must divide the number of query heads, 32", llama(change{"num_key_value_heads": 5})},
		{"tie_word_embeddings", "true or false", llama(change{"tie_word_embeddings": 1})},
		{"model_type", "must be a string", llama(change{"model_type": 1})},
		{"torch_dtype", "must be bfloat16", llama(change{"torch_dtype": "float8"})},
		{"torch_dtype", "must be bfloat16", llama(change{"torch_dtype": change{"x": 1}})},
		{"kv_lora_rank", "latent attention", llama(change{"kv_lora_rank": 512, "qk_rope_head_dim": 0, "qk_nope_head_dim": 1, "v_head_dim": 1})},
		{"v_head_dim", "is missing", llama(change{"kv_lora_rank": 512, "qk_rope_head_dim": 1, "qk_nope_head_dim": 1})},
		{"num_experts_per_tok", "1 to 8", llama(change{"num_experts": 8, "num_experts_per_tok": 9})},
		{"num_experts_per_tok", "is missing", llama(change{"num_experts": 8})},
		{"shared_expert_intermediate_size", "multiple of moe_intermediate_size", llama(change{"num_experts": 8, "num_experts_per_tok": 2, "moe_intermediate_size": 1000, "shared_expert_intermediate_size": 1500})},
		{"mlp_only_layers[0]", "must be an integer", llama(change{"num_experts": 8, "num_experts_per_tok": 2, "mlp_only_layers": []string{"a"}})},
		{"layer_types", "has 1 entries", llama(change{"layer_types": []string{"full_attention"}})},
		{"layer_types[0]", "neither", llama(change{"num_hidden_layers": 1, "layer_types": []string{"linear_attention"}})},
		{"layer_types", "must be an array", llama(change{"layer_types": "full_attention"})},
		{"attn_type_list[1]", "not full attention", llama(change{"attn_type_list": []int{1, 0}})},
		{"mamba_d_state", "not supported", llama(change{"mamba_d_state": 16})},
		{"model_type", "not supported", []byte(`{"model_type": "mamba", "hidden_size": 768, "num_hidden_layers": 24, "vocab_size": 50280}`)},
		{"architectures[0]", "not supported", []byte(`{"architectures": ["MambaForCausalLM"], "d_model": 768, "n_layer": 24, "vocab_size": 50280}`)},
		{"model_type", "not supported", []byte(`{"model_type": "falcon_mamba", "hidden_size": 4096, "num_hidden_layers": 64, "vocab_size": 65024}`)},
		{"is_encoder_decoder", "decoder-only", llama(change{"is_encoder_decoder": true})},
		{"quantization_config", "must be an object", llama(change{"quantization_config": "fp8"})},
		{"quantization_config.quant_method", "not a known", llama(change{"quantization_config": change{"quant_method": "hqq"}})},
		{"quantization_config.quant_method", "not a known", llama(change{"quantization_config": change{"quant_method": "gptq", "bits": 3}})},
		{"quantization_config.quant_method", "not a known", llama(change{"quantization_config": change{}})},
		{"", "line 2", []byte("{\n \"vocab_size\": NaN}")},
		{"", "not a JSON object", []byte("[1]")},
		{"", "not a JSON object", []byte("null")},
		{"", "not a JSON object", []byte("")},
		{"", "not a JSON object", []byte(`{"a": `)},
		{"", "after the closing brace", []byte(`{} {}`)},
		{"", "limit is 4 MiB", []byte("{" + strings.Repeat(" ", maxConfig) + "}")},
	} {
		_, err := ReadConfig(c.data)
		k, ok := errors.AsType[*KeyError](err)
		if !ok || k.Key != c.key || !strings.Contains(err.Error(), c.rule) {
			t.Errorf("%.80s: %v, want %s %s", c.data, err, c.key, c.rule)
		}
	}
}

func FuzzReadConfig(f *testing.F) {
	f.Add(llama(nil))
	f.Add(llama(map[string]any{"num_experts": 8, "num_experts_per_tok": 2, "decoder_sparse_step": 2, "mlp_only_layers": []int{3}}))
	f.Add(llama(map[string]any{"kv_lora_rank": 512, "q_lora_rank": 8, "qk_rope_head_dim": 64, "qk_nope_head_dim": 128, "v_head_dim": 128}))
	f.Add(llama(map[string]any{"sliding_window": 8, "sliding_window_pattern": 6, "text_config": map[string]any{"num_hidden_layers": 3}}))
	f.Add(llama(map[string]any{"quantization_config": map[string]any{
		"quant_method": "compressed-tensors", "ignore": []string{"self_attn"},
		"config_groups": map[string]any{"g": map[string]any{"weights": map[string]any{"num_bits": 4, "type": "int"}}},
	}}))
	f.Add([]byte("{\"num_hidden_layers\": 1e400, \"layer_types\": [[]]}"))
	f.Fuzz(func(t *testing.T, data []byte) {
		m, err := ReadConfig(data)
		if err != nil {
			if _, ok := errors.AsType[*KeyError](err); !ok || err.Error() == "" {
				t.Fatalf("%T %v", err, err)
			}
			return
		}
		if err := m.Check(); err != nil {
			t.Fatalf("read, but does not check: %v", err)
		}
		p := m.Params()
		prefill, decode := m.AttentionFLOPsPerPair()
		for _, x := range []float64{p.Total, p.Active, m.WeightBytes(), m.KVBytesPerToken(), m.GEMMs().Attention, prefill, decode} {
			if !(x > 0) || math.IsInf(x, 0) {
				t.Fatalf("%v of %+v", x, m)
			}
		}
		if p.Active > p.Total || m.FullLayers() < 0 {
			t.Fatalf("%+v %+v", p, m)
		}
	})
}
