package scenario

import (
	"errors"
	"math"
	"strings"
	"testing"

	"scoville/core/workload"
)

// TestRules breaks every rule between values, one at a time, starting from
// the plain study. Keys are set in the order given.
func TestRules(t *testing.T) {
	const in, out = "workload.class.short.prompt_tokens", "workload.class.short.output_tokens"
	for _, c := range []struct {
		set  []any
		want string // "" = valid
	}{
		{nil, ""},
		{[]any{"model.kv_heads", 5}, "model.kv_heads: 5 must divide the number of query heads, 32"},
		{[]any{"model.kv_heads", 64}, "model.kv_heads: 64 must divide the number of query heads, 32"},
		{[]any{"model.experts", 8, "model.expert_ffn", 100, "model.experts_per_token", 9}, "model.experts_per_token: 9 must lie in 1 to 8, the number of experts"},
		{[]any{"model.experts", 8, "model.experts_per_token", 2}, "model.expert_ffn: 0 must be positive with 8 experts"},
		{[]any{"model.ffn", 0}, "model.ffn: 0 must be positive with 32 dense layers"},
		{[]any{"model.dense_layers", 3}, "model.dense_layers: 3 has no meaning without experts"},
		{[]any{"model.sliding_layers", 3}, "model.sliding_window: 0 must be positive with 3 sliding layers"},
		{[]any{"model.sliding_window", 128}, "model.sliding_layers: needed with sliding_window; layers that use the window"},
		{[]any{"model.sliding_window", 128, "model.sliding_layers", 33}, "model.sliding_layers: 33 must lie in 0 to 32, the number of layers"},
		{[]any{"model.sliding_window", 128, "model.sliding_layers", 16}, ""},
		{[]any{"model.kv_lora_rank", 512, "model.rope_head_dim", 64}, "model.kv_lora_rank: 512 means latent attention, which also needs rope_head_dim, nope_head_dim and value_head_dim (have 64, 0, 0)"},

		{[]any{"hardware.memory_gib", 0}, `hardware.memory_gib: is 0 or not given; needed with kv_path = "shared"; give a number above 0, or a hardware.name that has it`},
		{[]any{"hardware.memory_bandwidth_gb_s", 0}, `hardware.memory_bandwidth_gb_s: is 0 or not given; needed with kv_path = "shared"; give a number above 0, or a hardware.name that has it`},
		{[]any{"hardware.weight_bandwidth_gb_s", 6000}, `hardware.weight_bandwidth_gb_s: 6000 has no effect with kv_path = "shared"; add kv_path = "separate" if weights and KV have a memory each, or remove it`},
		{[]any{"hardware.state_memory_gib", 6}, `hardware.state_memory_gib: 6 has no effect with kv_path = "shared"; add kv_path = "separate" if weights and KV have a memory each, or remove it`},
		{[]any{"hardware.adapter_latency_us", 20}, `hardware.adapter_latency_us: 20 has no effect with kv_path = "shared"; add kv_path = "separate" if weights and KV have a memory each, or remove it`},
		{[]any{"hardware.kv_path", "separate"}, `hardware.memory_bandwidth_gb_s: 3350 has no effect with kv_path = "separate"; use weight_bandwidth_gb_s and state_bandwidth_gb_s, or remove it or kv_path = "separate"`},
		{[]any{"hardware.name", "jalapeno", "model.weight_dtype", "int8"}, ""},
		{[]any{"hardware.name", "jalapeno", "hardware.state_memory_gib", 0}, `hardware.state_memory_gib: is 0 or not given; needed with kv_path = "separate"; give a number above 0, or a hardware.name that has it`},
		{[]any{"hardware.name", "jalapeno", "hardware.onchip_kv_gb_s", 0}, `hardware.onchip_kv_gb_s: is 0 or not given; needed with onchip_kv_mib > 0; give a number above 0, or a hardware.name that has it`},
		{[]any{"hardware.name", "jalapeno", "hardware.onchip_kv_gb_s", 0, "hardware.onchip_kv_policy", "none", "model.weight_dtype", "int8"}, ""},
		{[]any{"hardware.onchip_kv_hit_ratio", -0.5}, "hardware.onchip_kv_hit_ratio: -0.5 is neither a ratio in [0,1] nor -1; -1 = from policy and working set"},
		{[]any{"engine.tp", 2}, ""},
		{[]any{"engine.tp", 2, "hardware.link_bandwidth_gb_s", 0}, "hardware.link_bandwidth_gb_s: is 0 or not given; needed with engine.tp = 2; give a number above 0, or a hardware.name that has it"},

		{[]any{"engine.ep", 2}, "engine.ep: 2 needs a model with experts; set ep = 1"},
		{[]any{"model.name", "mixtral-8x7b", "engine.tp", 4, "engine.ep", 3}, "engine.ep: 3 does not divide tp = 4; expert-parallel ranks are a part of the tp chips"},
		{[]any{"model.name", "mixtral-8x7b", "engine.tp", 4, "engine.ep", 2}, ""},
		{[]any{"engine.max_num_batched_tokens", 255}, "engine.max_num_batched_tokens: 255 is less than max_num_seqs = 256; every running sequence needs a token of the budget"},

		{[]any{"workload.class.short.share", 0}, "workload.class.short.share: 0 is the share of every class: nothing is left to draw; give one class a share > 0"},
		{[]any{in, map[string]any{"dist": "lognormal", "cv": 0.5}}, in + `.mean: needed with dist = "lognormal"; give the mean length, in tokens`},
		{[]any{in + ".dist", "uniform"}, in + `.max: needed with dist = "uniform"; give min and max`},
		{[]any{in, map[string]any{"dist": "uniform", "min": 100, "max": 50}}, in + ".max: 50 is less than the smallest length, 100"},
		{[]any{out + ".max", 0.5}, out + ".max: 0.5 is less than the smallest length, 1"},
		{[]any{in, map[string]any{"dist": "empirical"}}, in + `.values: needed with dist = "empirical"; list the lengths: values = [128, 512]`},
		{[]any{in, map[string]any{"dist": "empirical", "values": []any{128, 0}}}, in + ".values: 0 is not a length: a whole number in [1,1e8] (tokens)"},
		{[]any{out, map[string]any{"dist": "empirical", "values": []any{1.5}}}, out + ".values: 1.5 is not a length: a whole number in [1,1e8] (tokens)"},
		{[]any{in + ".values", []any{1}}, in + `.values: has no effect with dist = "fixed"; set dist = "empirical"`},
		{[]any{"hardware.pcie_gb_s", 0, "engine.embedding", "host-pinned"}, `engine.embedding: "host-pinned" needs hardware.pcie_gb_s; give the link to host memory, or keep the table on the device`},
		{[]any{"hardware.pcie_gb_s", 0, "engine.logits", "host"}, `engine.logits: "host" needs hardware.pcie_gb_s; give the link to host memory, or read the logits from memory`},
		{[]any{"hardware.pcie_gb_s", 0, "engine.logits", "memory"}, ""},
		{[]any{"slo.x.max", 1, "slo.x.min", 2}, "slo.x.min: 2 is above max = 1"},
		{[]any{"slo.x.max", 1, "slo.y.min", 2}, ""},
	} {
		tryRules(t, plain, c.set, c.want)
	}
}

// TestWorkloadRules does the same for the rules of arrivals, from the plain
// study and from one without a rate.
func TestWorkloadRules(t *testing.T) {
	for _, c := range []struct {
		set  []any
		want string
	}{
		{[]any{"workload.load", 0.6}, "workload.load: 0.6 contradicts rate_rps: each gives the rate; keep one"},
		{[]any{"workload.arrival", "closed", "workload.concurrency", 4}, `workload.rate_rps: 1 contradicts arrival = "closed"; remove it, or set arrival to poisson, gamma or constant`},
		{[]any{"workload.arrival", "burst"}, `workload.rate_rps: 1 contradicts arrival = "burst"; remove it, or set arrival to poisson, gamma or constant`},
		{[]any{"workload.arrival", "trace"}, `workload.trace: needed with arrival = "trace"; name the trace file`},
		{[]any{"workload.concurrency", 4}, `workload.concurrency: 4 contradicts arrival = "poisson"; remove it, or set arrival = "closed"`},
		{[]any{"workload.trace", "x.csv"}, `workload.trace: "x.csv" has no effect with arrival = "poisson"; set arrival = "trace"`},
		{[]any{"workload.requests", 0}, `workload.requests: 0 is no request with arrival = "poisson"; give a number; only an open rate can be limited by duration_s alone`},
		{[]any{"workload.requests", 0, "workload.duration_s", 60}, ""},
		{[]any{"measurement.warmup_requests", 999}, ""},
		{[]any{"measurement.warmup_requests", 1000}, "measurement.warmup_requests: 1000 leaves none of the 1000 requests to measure; lower it, or raise workload.requests"},
		{[]any{"measurement.warmup_requests", 1000, "workload.duration_s", 60}, ""},
	} {
		tryRules(t, plain, c.set, c.want)
	}
	unrated := strings.Replace(plain, "rate_rps = 1\n", "", 1)
	const arrival = "workload.arrival"
	for _, c := range []struct {
		set  []any
		want string
	}{
		{[]any{arrival, "closed"}, `workload.concurrency: needed with arrival = "closed"; requests in flight, at least 1`},
		{[]any{arrival, "closed", "workload.concurrency", 4}, ""},
		{[]any{arrival, "closed", "workload.concurrency", 4, "workload.load", 0.5}, `workload.load: 0.5 contradicts arrival = "closed"; remove it, or set arrival to poisson, gamma or constant`},
		{[]any{arrival, "closed", "workload.concurrency", 4, "workload.requests", 0, "measurement.prompts_per_concurrency", 5}, ""},
		{[]any{arrival, "closed", "workload.concurrency", 4, "measurement.warmup_requests", 20, "measurement.prompts_per_concurrency", 5}, "measurement.warmup_requests: 20 leaves none of the 20 requests to measure; lower it, or raise workload.requests"},
		{[]any{arrival, "closed", "workload.concurrency", 4, "workload.requests", 0, "workload.duration_s", 5}, `workload.requests: 0 is no request with arrival = "closed"; give a number; only an open rate can be limited by duration_s alone`},
		{[]any{arrival, "burst"}, ""},
		{[]any{arrival, "burst", "workload.concurrency", 4}, `workload.concurrency: 4 contradicts arrival = "burst"; remove it, or set arrival = "closed"`},
	} {
		tryRules(t, unrated, c.set, c.want)
	}
	s := resolve(t, Layer{Doc: doc(t, "s.toml", plain)}).Scenario
	s.Workload.Arrival, s.Workload.TraceFile = "trace", "t.csv"
	if err := s.Validate(); err == nil || !strings.HasPrefix(err.Error(), `workload.rate_rps: 1 contradicts arrival = "trace"`) {
		t.Errorf("got %v", err)
	}
}

// tryRules resolves a study with further values and compares the broken rule.
func tryRules(t *testing.T, study string, set []any, want string) {
	t.Helper()
	r, err := NewCatalog(".").Resolve(Layer{Doc: doc(t, "s.toml", study)}, values(set...))
	if err != nil {
		t.Errorf("%v: %v", set, err)
		return
	}
	got := ""
	if err := r.Scenario.Validate(); err != nil {
		got = err.Error()
	}
	if got != want {
		t.Errorf("%v:\ngot  %s\nwant %s", set, got, want)
	}
}

// TestAbsent leaves out whole parts of a study: the errors point at the table
// that lacks the key.
func TestAbsent(t *testing.T) {
	for _, c := range []struct{ drop, want string }{
		{"name = \"llama-2-7b\"\n", "s.toml:1:1: model.name: no model is given\n    1 | [model]\n      | ^ name = \"llama-2-7b\", config = \"path/to/config.json\", or all dimensions"},
		{"[hardware]\nname = \"h100-sxm\"\n", "s.toml: hardware.name: no hardware is given; name = \"h100-sxm\", or peak_tflops, bandwidths and capacities"},
		{"rate_rps = 1\n", "s.toml:5:1: workload.rate_rps: needed with arrival = \"poisson\"\n    5 | [workload]\n      | ^ give rate_rps, or load as a share of capacity"},
		{"prompt_tokens = 128\n", "s.toml:8:1: workload.class.short.prompt_tokens.mean: needed with dist = \"fixed\"\n    8 | name = \"short\"\n      | ^ give the mean length, in tokens"},
		{plain[strings.Index(plain, "[[workload"):], "s.toml:5:1: workload.class: at least one class is needed\n    5 | [workload]\n      | ^ add [[workload.class]] with name, prompt_tokens and output_tokens"},
	} {
		l := Layer{Doc: doc(t, "s.toml", strings.Replace(plain, c.drop, "", 1))}
		err := Locate(resolve(t, l).Scenario.Validate(), l)
		if err == nil || err.Error() != c.want {
			t.Errorf("without %q:\ngot\n%v\nwant\n%s", c.drop, err, c.want)
		}
	}
	// A rule is located by the keys it speaks of; a key that an assignment
	// sets is not blamed on a line.
	l := Layer{Doc: doc(t, "s.toml", "engine.tp = 2\nhardware.link_bandwidth_gb_s = 0\n"+plain)}
	if err := Locate(resolve(t, l).Scenario.Validate(), l); err == nil || !strings.HasPrefix(err.Error(), "s.toml:2:1: hardware.link_bandwidth_gb_s: is 0 or not given; needed with engine.tp = 2\n") {
		t.Errorf("got %v", err)
	}
	both := []Layer{{Doc: doc(t, "s.toml", plain)}, values("engine.ep", 2)}
	if err := Locate(resolve(t, both...).Scenario.Validate(), both...); err == nil || !strings.HasPrefix(err.Error(), "engine.ep: 2 needs") {
		t.Errorf("got %v", err)
	}
	if err := errors.New("other"); Locate(err, both...) != err || Point(both[0].Doc, "x", err) != err {
		t.Error("another error changed")
	}
	s := Default()
	if err := s.Validate(); err == nil {
		t.Error("an empty scenario is valid")
	}
}

func TestInfeasible(t *testing.T) {
	for _, c := range []struct {
		set  []any
		want string
	}{
		{[]any{"model.weight_dtype", "fp4", "model.activation_dtype", "fp4"}, "h100-sxm has no fp4 units (hardware.peak_tflops.fp4 = 0), only int8, fp8, fp16, bf16, fp32: give an activation_dtype it has; chips that have it: b200"},
		{[]any{"hardware.name", "a100-80", "model.weight_dtype", "fp8"}, "a100-80 has no fp8 units (hardware.peak_tflops.fp8 = 0), only int4,"},
		{[]any{"model.attention_dtype", "int4"}, "h100-sxm has no int4 units (hardware.peak_tflops.int4 = 0), only"},
		{[]any{"model.required_dtypes", "fp8|fp4"}, "h100-sxm has no fp4 units (hardware.peak_tflops.fp4 = 0), only"},
		{[]any{"hardware.name", "a100-80", "model.min_sm_arch", 8.9}, "llama-2-7b needs compute capability 8.9 (model.min_sm_arch) and a100-80 has 8.0 (hardware.sm_arch); chips that have it: b200, gh200, h100-nvl, h100-pcie, h100-sxm, h20 and others"},
		{[]any{"model.min_sm_arch", 99.0}, "llama-2-7b needs compute capability 99.0 (model.min_sm_arch) and h100-sxm has 9.0 (hardware.sm_arch); no chip of the catalogue has it"},
		{[]any{"hardware.name", "l40s", "model.required_features", "async-copy | tma"}, "llama-2-7b needs tma (model.required_features) and l40s has only async-copy (hardware.features); chips that have it: b200, gh200, h100-nvl, h100-pcie"},
		{[]any{"model.min_sm_arch", 9.0, "model.required_features", "tma", "model.required_dtypes", "fp8"}, ""},
		{[]any{"hardware.name", "mi300x", "model.min_sm_arch", 9.0, "model.required_features", "tma"}, ""}, // not known is not refused
	} {
		s := resolve(t, Layer{Doc: doc(t, "s.toml", plain)}, values(c.set...)).Scenario
		err := s.Validate()
		if ie, ok := errors.AsType[*InfeasibleError](err); (c.want != "") != ok || ok && !strings.HasPrefix(ie.Error(), c.want) {
			t.Errorf("%v: %v", c.set, err)
		}
	}
	s := resolve(t, Layer{Doc: doc(t, "s.toml", plain)}, values("hardware.name", "mi300x", "model.min_sm_arch", 9.0, "model.required_features", "tma")).Scenario
	if notes := strings.Join(s.Notes(), "\n"); !strings.Contains(notes, "model.min_sm_arch = 9.0 is not compared: mi300x states no hardware.sm_arch") || !strings.Contains(notes, "required_features") {
		t.Errorf("notes %q", notes)
	}
	for key, v := range map[string]string{"model.required_dtypes": "fp8|fp9", "model.required_features": "tma|", "hardware.features": "TMA"} {
		s := resolve(t, Layer{Doc: doc(t, "s.toml", plain)}, values(key, v)).Scenario
		if err := s.Validate(); err == nil || !strings.HasPrefix(err.Error(), key+": ") {
			t.Errorf("%s = %q: %v", key, v, err)
		}
	}
}

// TestDeclared: a declared count that the dimensions do not give is an error
// with both; the count of a catalogue entry does not outlive its dimensions.
func TestDeclared(t *testing.T) {
	with := func(set ...any) error {
		s := resolve(t, Layer{Doc: doc(t, "s.toml", plain)}, values(set...)).Scenario
		return s.Validate()
	}
	small := []any{"model.heads", 16, "model.kv_heads", 16, "model.head_dim", 64}
	if err := with(append(small, "model.declared_params", 13e9)...); err == nil ||
		!strings.Contains(err.Error(), "model.declared_params: 1.3e+10 (13 G) disagrees with the dimensions, which give 5.13 G") ||
		!strings.Contains(err.Error(), "with heads x head_dim = hidden they would give 6.74 G") {
		t.Errorf("13 B: %v", err)
	}
	for _, set := range [][]any{small, append(small, "model.declared_params", 5.1e9), {"model.layers", 16}, {"model.declared_params", 7e9}, {"model.max_context", 100}} {
		if err := with(set...); err != nil {
			t.Errorf("%v: %v", set, err)
		}
	}
	r := resolve(t, Layer{Doc: doc(t, "s.toml", plain)}, values("model.layers", 16))
	if r.Scenario.Model.DeclaredParams != 0 || r.Origin["model.declared_params"] != "" {
		t.Error("half the layers kept the count of the whole model")
	}
}

// TestRanges checks that values which did not come through Set are judged too.
func TestRanges(t *testing.T) {
	for want, edit := range map[string]func(s *Scenario){
		"hardware.memory_gib: -1 is not in [0,1e9] (GiB)":          func(s *Scenario) { s.Hardware.MemoryGiB = -1 },
		"engine.tp: 0 is not in [1,1024] (chips)":                  func(s *Scenario) { s.Engine.TP = 0 },
		"engine.memory_fraction: NaN is not a finite number":       func(s *Scenario) { s.Engine.MemoryFrac = math.NaN() },
		`workload.arrival: "never" is not one of`:                  func(s *Scenario) { s.Workload.Arrival = "never" },
		`model.kv_dtype: "fp9" is not one of`:                      func(s *Scenario) { s.Model.KVDType = "fp9" },
		"workload.rate_rps: -1 is not in (0,1e9] (req/s)":          func(s *Scenario) { s.Workload.RateRPS = -1 },
		"workload.class.short.output_tokens.mean: 0.5 is not in":   func(s *Scenario) { s.Workload.Class[0].Output.Mean = 0.5 },
		`workload.class: "A" is not a name of a class`:             func(s *Scenario) { s.Workload.Class[0].Name = "A" },
		"workload.class.short: two classes have this name":         func(s *Scenario) { s.Workload.Class = append(s.Workload.Class, s.Workload.Class[0]) },
		"workload.class.short.share: -1 is not in [0,1e9] (ratio)": func(s *Scenario) { s.Workload.Class[0].Share = -1 },
		"workload.class.short.prompt_tokens.values: NaN is not a finite numb": func(s *Scenario) {
			s.Workload.Class[0].Prompt = workload.Dist{Kind: "empirical", Values: []float64{math.NaN()}}
		},
	} {
		s := resolve(t, Layer{Doc: doc(t, "s.toml", plain)}).Scenario
		s.Workload.Class = append([]workload.Class{}, s.Workload.Class...)
		edit(&s)
		if err := s.Validate(); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}

// FuzzStudy: no study text makes resolving, judging or printing panic.
func FuzzStudy(f *testing.F) {
	f.Add(plain)
	f.Add("[[workload.class]]\nname = 1\n")
	f.Add("workload = { class = [ { name = \"a\" } ] }\nhardware.name = \"x.toml\"")
	f.Add("model.name = \"llama-2-7b\"\n\"workload.class.a.prompt_tokens\" = { mean = [1] }\nslo.x = { max = 1 }\n[calibration]\napplies_to = 3\n[sources]\nx = 1")
	f.Add(fitted + plain[strings.Index(plain, "[workload]"):])
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, text string) {
		d, err := ParseTOML("f.toml", []byte(text))
		if err != nil {
			return
		}
		l, err := OverlayLayer(d)
		if err != nil {
			_ = err.Error()
			l = Layer{Doc: d}
		}
		r, err := NewCatalog(dir).Resolve(l)
		if err != nil {
			_ = err.Error()
			return
		}
		if err := Locate(r.Scenario.Validate(), l); err != nil {
			_ = err.Error()
		}
		_, _ = r.Canonical(), r.Scenario.Notes()
	})
}

// BenchmarkResolve resolves one point of a study with three axes; a study of
// 100,000 points should spend no more than 3 s here (30 us each).
func BenchmarkResolve(b *testing.B) {
	c := NewCatalog(".")
	study := Layer{Name: "study", Doc: doc(b, "s.toml", "engine.max_num_seqs = 16\n"+plain)}
	base := overlay(b, "[hardware]\ncompute_util = 0.5\n[calibration]\napplies_to = { hardware = [\"h100-sxm\"], model = [\"llama-2-7b\"] }\n")
	for i := range b.N {
		point := Layer{Name: "axes", Values: []Assignment{
			{"hardware.memory_bandwidth_gb_s", 3000 + i%7},
			{"engine.tp", 1 + i%2},
			{"workload.class.short.prompt_tokens", 100 + i%9},
		}}
		if _, err := c.Resolve(base, study, point); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkValidateAndCanonical(b *testing.B) {
	r := resolve(b, Layer{Doc: doc(b, "s.toml", plain)})
	for b.Loop() {
		if err := r.Scenario.Validate(); err != nil {
			b.Fatal(err)
		}
		r.Canonical()
	}
}
