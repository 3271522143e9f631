package profile

import (
	"errors"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"scoville/core/hardware"
	"scoville/core/model"
	"scoville/core/scenario/document"
	"scoville/core/schema"
	"scoville/core/unit"
)

// chip finds catalogue chips.
func chip(name string) (hardware.Hardware, error) {
	e, err := hardware.Catalog(name)
	return e.Hardware, err
}

func catalog(t testing.TB, name string) *model.Model {
	t.Helper()
	m, err := model.Catalog(name)
	if err != nil {
		t.Fatal(err)
	}
	return &m
}

// written is the text of the profile of a model.
func written(t testing.TB, m *model.Model, o Origin) string {
	t.Helper()
	p, err := New(m, &o)
	if err != nil {
		t.Fatal(err)
	}
	return string(Write(p, &o))
}

// configs are small config.json texts of each kind of model.
var configs = map[string]string{
	"dense": `{"num_hidden_layers": 4, "hidden_size": 256, "vocab_size": 1000, "num_attention_heads": 8, "num_key_value_heads": 2, "intermediate_size": 512,
		"hidden_act": "silu", "torch_dtype": "float16", "max_position_embeddings": 4096, "rope_theta": 500000.0, "rope_scaling": {"rope_type": "llama3", "factor": 8.0, "original_max_position_embeddings": 512}}`,
	"plain":   `{"num_hidden_layers": 4, "hidden_size": 256, "vocab_size": 1000, "num_attention_heads": 8, "intermediate_size": 512, "hidden_act": "gelu", "tie_word_embeddings": true, "num_parameters": 2360000}`,
	"moe":     `{"num_hidden_layers": 4, "hidden_size": 256, "vocab_size": 1000, "num_attention_heads": 8, "head_dim": 64, "num_local_experts": 8, "num_experts_per_tok": 2, "intermediate_size": 512, "quantization_config": {"quant_method": "mxfp4", "modules_to_not_convert": ["self_attn"]}}`,
	"mla":     `{"num_hidden_layers": 4, "hidden_size": 256, "vocab_size": 1000, "num_attention_heads": 8, "kv_lora_rank": 64, "q_lora_rank": 96, "qk_rope_head_dim": 16, "qk_nope_head_dim": 32, "v_head_dim": 32, "n_routed_experts": 8, "num_experts_per_tok": 2, "n_shared_experts": 1, "first_k_dense_replace": 1, "moe_intermediate_size": 128, "intermediate_size": 512, "quantization_config": {"quant_method": "fp8"}}`,
	"sliding": `{"model_type": "gemma3_text", "num_hidden_layers": 6, "hidden_size": 256, "vocab_size": 1000, "num_attention_heads": 8, "intermediate_size": 512, "sliding_window": 128, "sliding_window_pattern": 3, "rope_parameters": {"full_attention": {"rope_theta": 1000000, "rope_type": "linear", "factor": 4}, "sliding_attention": {"rope_theta": 10000}}}`,
}

// TestRoundTrip: what a profile says is the model it was made from, for every
// catalogue entry and every kind of configuration, with and without a chip.
func TestRoundTrip(t *testing.T) {
	b200, err := chip("b200")
	if err != nil {
		t.Fatal(err)
	}
	check := func(name string, m *model.Model, o Origin) {
		text := written(t, m, o)
		p, err := Read("p.toml", []byte(text), chip)
		if err != nil {
			t.Errorf("%s: %v", name, err)
		} else if p.Model != *m {
			t.Errorf("%s: read back %+v, was %+v", name, p.Model, *m)
		} else if made, _ := New(m, &o); !slices.Equal(p.Notes, made.Notes) || p.Stated != made.Stated {
			t.Errorf("%s: read %+v %q, made %+v %q", name, p.Stated, p.Notes, made.Stated, made.Notes)
		}
		for line := range strings.Lines(text) {
			if i := strings.Index(line, " = "); i > 0 && !strings.Contains(line, "#") && !strings.HasPrefix(line, "profile = ") {
				t.Errorf("%s: %q says not where it is from", name, line)
			}
		}
	}
	for _, name := range model.Names() {
		check(name, catalog(t, name), Origin{Name: "catalogue"})
		check(name, catalog(t, name), Origin{Name: "catalogue", Chip: "b200", Device: &b200})
	}
	for name, text := range configs {
		m, err := model.ReadConfig([]byte(text))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		d, err := model.ReadDetails([]byte(text))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		m.Name = "a \"quoted\\ name\"\n[model] of a file"
		check(name, &m, Origin{Name: "x\ny/config.json", SHA256: "ab", Details: d})
	}
}

// TestKnownNumbers: sizes and times that can be checked by hand.
func TestKnownNumbers(t *testing.T) {
	a100, err := chip("a100-80")
	if err != nil {
		t.Fatal(err)
	}
	p, err := New(catalog(t, "llama-3-8b"), &Origin{Chip: "a100-80", Device: &a100})
	if err != nil {
		t.Fatal(err)
	}
	s := &p.Stated
	for _, c := range []struct {
		what            string
		got, want, near float64
	}{
		{"KV per token", s.Memory.KVPerToken, 32 * 2 * 8 * 128 * 2, 0},
		{"KV per token and layer", s.Memory.KVPerLayer, 4096, 0},
		{"KV row", s.Memory.KVRow, 256, 0},
		{"KV of 128 Ki tokens in GB", s.Memory.KVPerToken * 131072 / unit.GB, 17.2, 0.03},
		{"embedding row", s.IO.Embedding, 8192, 0},
		{"logits", s.IO.Logits, 128256 * 4, 0},
		{"weights", s.Memory.WeightBytes, 2 * 8_030_261_248, 0},
		{"ideal prefill of 2048", s.Latency.PrefillMs, 105.4, 0.05},
		{"ideal decode", s.Latency.DecodeMs, 7.877, 0.001},
		{"capability of bf16", s.Constraints.FormatArc, 8, 0},
	} {
		if math.Abs(c.got-c.want) > c.near {
			t.Errorf("%s: %v, want %v", c.what, c.got, c.want)
		}
	}
	jalapeno, err := chip("jalapeno")
	if err != nil {
		t.Fatal(err)
	}
	m := catalog(t, "llama-2-7b")
	m.WeightDType = unit.INT8
	c, err := NewClosed(m, &jalapeno)
	if err != nil || math.Abs(c.Prefill(2048)-0.460) > 5e-4 || math.Abs(c.Decode()-1.123e-3) > 5e-7 {
		t.Errorf("separate paths: %v %v", c, err)
	}
	if moe, err := NewClosed(catalog(t, "mixtral-8x7b"), &a100); err != nil || math.Abs(moe.Decode()-2*12.88e9/2039e9) > 1e-4 {
		t.Errorf("a decode step reads two experts of eight: %v %v", moe, err)
	}
}

// edit replaces the line of a key in a profile; "" removes it.
func edit(t *testing.T, text, key, line string) string {
	t.Helper()
	var out []string
	found := false
	for l := range strings.Lines(text) {
		if strings.HasPrefix(strings.TrimPrefix(l, "# "), key+" = ") {
			l, found = line+"\n", true
		}
		out = append(out, l)
	}
	if !found {
		t.Fatalf("no line of %s", key)
	}
	return strings.Join(out, "")
}

// TestContradictions: a number that the dimensions do not give is an error at
// its line that names both and, where it is a known mistake, the mistake.
func TestContradictions(t *testing.T) {
	llama := written(t, catalog(t, "llama-3-8b"), Origin{Name: "x"})
	for _, c := range []struct {
		key, line string
		want      []string
	}{
		{"kv_bytes_per_token", "kv_bytes_per_token = 524288", []string{"memory.kv_bytes_per_token: 524288 is stated, 131072 is derived", "32 x 2 x 8 x 128 x 2", "without grouped heads: 4 times too large, 68.7 GB and not 17.2 GB at 128 Ki tokens", "write 131072, or remove the line"}},
		{"kv_bytes_per_token", "kv_bytes_per_token = 4096", []string{"4096 is of one of 32 layers, not over all"}},
		{"kv_bytes_per_token", "kv_bytes_per_token = 65536", []string{"65536 is that of a int8 cache"}},
		{"kv_bytes_per_token_per_layer", "kv_bytes_per_token_per_layer = 131072", []string{"131072 is stated, 4096 is derived", "131072 is over all 32 layers, not of one"}},
		{"kv_bytes_per_token_per_layer", "kv_bytes_per_token_per_layer = 16384", []string{"without grouped heads: 4 times too large"}},
		{"weight_bytes", "weight_bytes = 8.03e9", []string{"that of all weights in int8"}},
		{"weight_dtype", `weight_dtype = "int8"`, []string{"memory.weight_bytes: 16060522496 is stated, 8030261248 is derived", "that of all weights in fp16"}},
		{"kv_heads", "kv_heads = 32", []string{"compute.params", "memory.kv_bytes_per_token"}},
		{"kv_heads", "kv_heads = 5", []string{"model.kv_heads: 5 must divide the number of query heads, 32"}},
		{"declared_params", "declared_params = 13e9", []string{"model.declared_params: 13000000000 (13 G) disagrees with the dimensions, which give 8.03 G"}},
		{"head_dim", "", []string{"model: 0 must lie in 1 to 100000", "hidden / heads = 128"}},
		{"layers", "layers = 1e308", []string{"model.layers: 1e+308 is not a whole number"}},
		{"layers", "layers = 20000", []string{"is not in [1,10000]"}},
		{"layers", `layers = "32"`, []string{"is a string where a number belongs", "write 32 without quotes"}},
		{"kv_dtype", `kv_dtype = "int9"`, []string{`memory.kv_dtype: "int9" is not one of`}},
		{"kv_dtype", `kv_dtyp = "int8"`, []string{"no such key in a profile", `did you mean "memory.kv_dtype"?`}},
		{"kv_dtype", `weight_dtype = "int8"`, []string{"write it under [compute]"}},
		{"name", `config = "c.json"`, []string{"a profile does not refer to another file"}},
		{"tensor_core_tile", `tensor_core_tile = "16x8"`, []string{`"16x8" is not three sides`, "write 16x8x16"}},
		{"embedding_bytes_per_token", "embedding_bytes_per_token = 1.05e9", []string{"io.embedding_bytes_per_token: 1050000000 is stated, 8192 is derived: hidden x bytes = 4096 x 2"}},
		{"dtype_sm_arch", "dtype_sm_arch = 7", []string{"constraints.dtype_sm_arch: 7 is stated, 8 is derived"}},
		{"profile", "profile = 2", []string{"2 is not a version"}},
		{"profile", "", []string{`is no profile: it does not say "profile = 1"`, "sweep profile config.json writes one"}},
	} {
		text := edit(t, llama, c.key, c.line)
		_, err := Read("p.toml", []byte(text), chip)
		e, ok := errors.AsType[*document.Error](err)
		if !ok {
			t.Errorf("%s: %v", c.line, err)
			continue
		}
		if c.want[0] == "compute.params" { // whichever of the derived is first
			c.want = nil
		}
		for _, part := range c.want {
			if part = strings.ReplaceAll(part, "model: 0", "model.head_dim: 0"); !strings.Contains(e.Error(), part) {
				t.Errorf("%s: %v: not a word of %q", c.line, e, part)
			}
		}
		if c.line != "" && e.Line == 0 {
			t.Errorf("%s: no line in %v", c.line, e)
		}
	}
}

// TestThirteenBillion: 32 layers of 16 heads of 64 declared as 13e9 parameters.
func TestThirteenBillion(t *testing.T) {
	m := catalog(t, "llama-2-7b")
	m.Heads, m.KVHeads, m.HeadDim, m.DeclaredParams = 16, 16, 64, 0
	text := edit(t, written(t, m, Origin{Name: "x"}), "declared_params", "declared_params = 13e9")
	_, err := Read("p.toml", []byte(text), chip)
	for _, part := range []string{"(13 G) disagrees with the dimensions, which give 5.13 G", "with heads x head_dim = hidden they would give 6.74 G", "declared_params = 13e9"} {
		if err == nil || !strings.Contains(err.Error(), part) {
			t.Errorf("%v: not a word of %q", err, part)
		}
	}
	m.DeclaredParams = 13e9
	if _, err := New(m, &Origin{}); err == nil || !strings.Contains(err.Error(), "5.13 G") {
		t.Errorf("made: %v", err)
	}
}

// TestNotes: what changes no result is said, and only that.
func TestNotes(t *testing.T) {
	llama := written(t, catalog(t, "llama-3-8b"), Origin{Name: "x", Details: model.Details{RopeTheta: 500000, RopeScaling: "yarn", RopeFactor: 8, RopeOriginal: 4096, MaxPositions: 32768}})
	a100, _ := chip("a100-80")
	timed := written(t, catalog(t, "llama-3-8b"), Origin{Name: "x", Chip: "a100-80", Device: &a100})
	for _, c := range []struct{ text, key, line, want string }{
		{llama, "rope_theta", "rope_theta = 500000", ""},
		{llama, "rope_theta", "rope_theta = 8", "compute.rope_theta = 8 is the scaling factor"},
		{llama, "rope_theta", "rope_theta = 32768", "compute.rope_theta = 32768 is a context"},
		{llama, "rope_theta", "rope_theta = 64", "compute.rope_theta = 64 is too small"},
		{llama, "max_context", "max_context = 131072", "model.max_context = 131072 is beyond the 32768 positions"},
		{edit(t, llama, "max_positions", ""), "max_context", "max_context = 131072", "beyond rope_original_context x rope_factor = 4096 x 8 = 32768"},
		{llama, "tensor_core_tile", `tensor_core_tile = "64x3x16"`, "model.head_dim: 128 on a chip is no multiple of 3"},
		{llama, "line_bytes", "line_bytes = 512", "a KV row of 256 B (bf16) is no multiple of a 512 B line: set hardware.line_bytes = 512 to have each row padded to 512 B"},
		{llama, "overhead_us_per_token", "overhead_us_per_token = 30", "does not act from here: a study sets engine.sequence_overhead_us"},
		{llama, "prefill_ms", "prefill_ms = 150", "latency.hardware: prefill_ms and decode_ms are not compared: no chip is named"},
		{timed, "prefill_ms", "prefill_ms = 150", "latency.prefill_ms = 150 ms is +42 % off the closed form on a100-80, 105 ms"},
		{timed, "decode_ms", "decode_ms = 8.5", ""}, // 7.9 + 7.9 %
		{timed, "decode_ms", "decode_ms = 6.5", "latency.decode_ms = 6.5 ms is -17 % off"},
		{timed, "prompt_tokens", "", "latency.prefill_ms is not compared: prompt_tokens is not given"},
		{timed, "hardware", `hardware = "a100-79"`, "not compared: name: no hardware"},
	} {
		p, err := Read("p.toml", []byte(edit(t, c.text, c.key, c.line)), chip)
		if err != nil {
			t.Errorf("%s: %v", c.line, err)
			continue
		}
		if got := strings.Join(p.Notes, "\n"); (c.want == "") != (got == "") || !strings.Contains(got, c.want) {
			t.Errorf("%s: notes %q, want %q", c.line, got, c.want)
		}
	}
	m := catalog(t, "llama-2-7b")
	m.Heads, m.KVHeads, m.HeadDim, m.DeclaredParams, m.KVDType, m.Vocab = 16, 16, 64, 0, unit.INT4, 32001
	p, err := New(m, &Origin{})
	if err != nil {
		t.Fatal(err)
	}
	got := strings.Join(p.Notes, "\n")
	for _, want := range []string{"heads x head_dim = 16 x 64 = 1024 is not hidden = 4096", "a KV row of 32 B (int4) is no multiple of a 64 B line", "model.vocab: 32001"} {
		if !strings.Contains(got, want) {
			t.Errorf("notes %q: not a word of %q", got, want)
		}
	}
}

// hostile are texts that are no profile.
var hostile = []string{
	"", "\x00", "profile", "profile = 1", "profile = 1.0", "profile = [1]", "profile = 1\nmodel = 3", "profile = 1\n[[model]]\nlayers = 1",
	"profile = 1\n[model]\nlayers = 1e308", "profile = 1\n[model.layers]\nx = 1", "profile = 1\n[model]\nlayers = { x = 1 }",
	"profile = 1\na = " + strings.Repeat("[", 5000) + strings.Repeat("]", 5000),
	"profile = 1\n" + strings.Repeat("a.", 3000) + "b = 1",
	"schema = 1\nmodel.name = \"llama-2-7b\"", "{\"hidden_size\": 4096}", strings.Repeat("x", 5<<20),
}

func TestHostile(t *testing.T) {
	for _, text := range hostile {
		if _, err := Read("p.toml", []byte(text), chip); err == nil || !strings.HasPrefix(err.Error(), "p.toml") {
			t.Errorf("%.40q: %v", text, err)
		}
	}
}

// TestKeys: every key of a model has one place in a profile.
func TestKeys(t *testing.T) {
	n := 0
	for path, k := range keys() {
		part, name, _ := strings.Cut(path, ".")
		if !slices.Contains(parts, part) || name == "" {
			t.Errorf("%s is in no part", path)
		}
		if k.ofModel {
			n++
		}
		if k.Kind == schema.Floats {
			t.Errorf("%s is a list", path)
		}
	}
	if n < 30 {
		t.Errorf("%d keys of a model", n)
	}
}

// FuzzProfile: no text makes reading panic, and what is read can be written
// and read back as the same model.
func FuzzProfile(f *testing.F) {
	for _, text := range hostile[:len(hostile)-1] {
		f.Add(text)
	}
	for _, name := range []string{"llama-3-8b", "deepseek-v3", "gpt-oss-20b"} {
		f.Add(written(f, catalog(f, name), Origin{Name: "x"}))
	}
	f.Fuzz(func(t *testing.T, text string) {
		p, err := Read("p.toml", []byte(text), func(name string) (hardware.Hardware, error) {
			if strings.HasSuffix(name, ".toml") {
				return hardware.Hardware{}, os.ErrNotExist
			}
			return chip(name)
		})
		if err != nil {
			_ = err.Error()
			return
		}
		again, err := New(&p.Model, &Origin{Name: fmt.Sprint(p.Notes)})
		if err != nil {
			t.Fatal(err)
		}
		q, err := Read("q.toml", Write(again, &Origin{Name: fmt.Sprint(p.Notes)}), chip)
		if err != nil || q.Model != p.Model {
			t.Fatalf("%v: %+v became %+v", err, p.Model, q.Model)
		}
	})
}
