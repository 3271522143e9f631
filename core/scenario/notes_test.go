package scenario

import (
	"slices"
	"strings"
	"testing"

	"scoville/core/hardware"
	"scoville/core/workload"
)

// TestNotes sets every key that acts only with another one: alone it is noted,
// with the other it is not.
func TestNotes(t *testing.T) {
	for _, c := range []struct {
		path    string
		value   any
		without string
		acts    []any // keys that make it act
	}{
		{"workload.think_time_s", 2, `= 2 has no effect with arrival = "poisson"`, []any{"workload.arrival", "closed"}},
		{"workload.arrival_cv", 2, `= 2 has no effect with arrival = "poisson"`, []any{"workload.arrival", "gamma"}},
		{"workload.rate_scale", 2, `= 2 has no effect with arrival = "poisson"`, []any{"workload.arrival", "trace"}},
		{"workload.max_prompt_tokens", 2, `= 2 has no effect with arrival = "poisson"`, []any{"workload.arrival", "trace"}},
		{"workload.max_output_tokens", 2, `= 2 has no effect with arrival = "poisson"`, []any{"workload.arrival", "trace"}},
		{"workload.trace_prefix_block_tokens", 16, `= 16 has no effect with arrival = "poisson"`, []any{"workload.arrival", "trace"}},
		{"measurement.prompts_per_concurrency", 2, `= 2 has no effect with arrival = "poisson"`, []any{"workload.arrival", "closed"}},
		{"engine.batch_window_ms", 9, `= 9 has no effect with scheduler = "continuous"`, []any{"engine.scheduler", "dynamic"}},
		{"engine.bucket_tokens", 9, `= 9 has no effect with scheduler = "continuous"`, []any{"engine.scheduler", "bucketed"}},
		{"engine.speculative_acceptance", 0.5, "= 0.5 has no effect with speculative_tokens = 0", []any{"engine.speculative_tokens", 2}},
		{"engine.draft_token_us", 5, "= 5 has no effect with speculative_tokens = 0", []any{"engine.speculative_tokens", 2}},
		{"engine.routing", "least-loaded", `= "least-loaded" has no effect with dp = 1`, []any{"engine.dp", 2}},
		{"hardware.onchip_kv_gb_s", 5, "= 5 has no effect with onchip_kv_mib = 0", []any{"hardware.onchip_kv_mib", 2}},
		{"hardware.onchip_kv_hit_ratio", 0.5, "= 0.5 has no effect with onchip_kv_mib = 0", []any{"hardware.onchip_kv_mib", 2}},
		{"hardware.pcie_util", 0.5, "= 0.5 has no effect without pcie_gb_s", []any{"hardware.pcie_gb_s", 64}},
		{"hardware.pcie_unpinned_util", 0.4, `= 0.4 has no effect with embedding = "device"`, []any{"engine.embedding", "host"}},
		{"engine.kernels_per_layer", 5, "= 5 has no effect with kernel_launch_us = 0", []any{"engine.kernel_launch_us", 5}},
		{"engine.kv_prefetch", true, "= true has no effect with kv_access_us = 0", []any{"hardware.kv_access_us", 5}},
		{"engine.kv_dequant_flops", 2, `= 2 has no effect with kv_dtype = "fp16"`, []any{"model.kv_dtype", "int4"}},
		{"hardware.llc_context_tokens", 8192, "= 8192 has no effect with llc_growth = 0", []any{"hardware.llc_growth", 0.3}},
		{"hardware.llc_growth", 0.3, "= 0.3 has no effect with llc_context_tokens = 0", []any{"hardware.llc_context_tokens", 8192}},
		{"hardware.tlb_reach_gib", 2, "= 2 has no effect with tlb_penalty = 0", []any{"hardware.tlb_penalty", 0.1}},
		{"hardware.tlb_penalty", 0.1, "= 0.1 has no effect with tlb_reach_gib = 0", []any{"hardware.tlb_reach_gib", 2}},
		{"hardware.overlap", 0.5, `= 0.5 has no effect with kv_path = "shared"`, []any{"hardware.kv_path", "separate"}},
	} {
		s := resolve(t, Layer{Doc: doc(t, "s.toml", plain)}, values("hardware.pcie_gb_s", 0, c.path, c.value)).Scenario
		if got := s.Notes(); !slices.Equal(got, []string{c.path + " " + c.without}) {
			t.Errorf("%s: %q, want %q", c.path, got, c.without)
		}
		if err := s.Set(c.acts[0].(string), c.acts[1]); err != nil {
			t.Fatal(err)
		}
		if got := s.Notes(); got != nil {
			t.Errorf("%s with %v: %q", c.path, c.acts, got)
		}
	}
	s := resolve(t, Layer{Doc: doc(t, "s.toml", plain)}, values("workload.duration_s", 60)).Scenario
	for arrival, want := range map[string]int{"poisson": 0, "trace": 0, "burst": 1, "closed": 1} {
		if s.Workload.Arrival = arrival; len(s.Notes()) != want {
			t.Errorf("duration_s with %s: %q", arrival, s.Notes())
		}
	}
}

// TestNotesOfCatalogue: what a chip's own entry says is not noted, also when a
// study switches its user off.
func TestNotesOfCatalogue(t *testing.T) {
	for _, chip := range hardware.Names() {
		s := resolve(t, Layer{Doc: doc(t, "s.toml", plain)}, values("hardware.name", chip, "hardware.onchip_kv_mib", 0)).Scenario
		if got := s.Notes(); got != nil {
			t.Errorf("%s: %q", chip, got)
		}
	}
}

func TestBeyondContext(t *testing.T) {
	const limit = " tokens exceed model.max_context = 4096" + beyond
	for _, c := range []struct {
		prompt, output any
		want           string
	}{
		{128, 3968, ""},
		{128, 3969, "128 + 3969"},
		{map[string]any{"dist": "lognormal", "mean": 4000.0, "cv": 1.0}, 96, ""},
		{map[string]any{"dist": "lognormal", "mean": 10.0, "cv": 1.0, "max": 8192.0}, 96, "8192 + 96"},
		{96, map[string]any{"dist": "uniform", "min": 1.0, "max": 4001.0}, "96 + 4001"},
		{96, map[string]any{"dist": "empirical", "values": []any{5000, 3}}, "96 + 5000"},
		{96, map[string]any{"dist": "empirical", "values": []any{5000, 3}, "max": 4000.0}, ""},
	} {
		s := resolve(t, Layer{Doc: doc(t, "s.toml", plain)}, values("workload.class.short.prompt_tokens", c.prompt, "workload.class.short.output_tokens", c.output)).Scenario
		var want []string
		if c.want != "" {
			want = []string{"workload.class.short: prompt and output of " + c.want + limit}
		}
		if got := s.Notes(); !slices.Equal(got, want) {
			t.Errorf("%v, %v: got %q, want %q", c.prompt, c.output, got, want)
		}
	}
	s := resolve(t, Layer{Doc: doc(t, "s.toml", plain)}).Scenario
	s.Workload.Arrival, s.Workload.MaxPrompt = workload.Trace, 5000
	s.Workload.Records = []workload.Record{{Prompt: 4000, Output: 96}, {Prompt: 4000, Output: 97}, {Prompt: 5001, Output: 1}}
	if got := strings.Join(s.Notes(), "\n"); got != "workload.trace: prompt and output of 1 requests together exceed model.max_context = 4096"+beyond {
		t.Error(got)
	}
	if s.Model.MaxContext = 0; s.Notes() != nil {
		t.Errorf("no limit: %q", s.Notes())
	}
}

// TestRequestsDefault: a trace or a duration is the limit unless somebody gives
// a number of requests.
func TestRequestsDefault(t *testing.T) {
	study := Layer{Doc: doc(t, "s.toml", plain)}
	for _, c := range []struct {
		set  []any
		want int
	}{
		{nil, 1000},
		{[]any{"workload.duration_s", 60}, 0},
		{[]any{"workload.duration_s", 60, "workload.requests", 1000}, 1000},
		{[]any{"workload.arrival", "trace"}, 0},
		{[]any{"workload.arrival", "trace", "workload.requests", 50}, 50},
		{[]any{"workload.arrival", "burst", "workload.duration_s", 60}, 1000},
		{[]any{"workload.arrival", "closed", "workload.duration_s", 60}, 1000},
	} {
		if got := resolve(t, study, values(c.set...)).Scenario.Workload.Requests; got != c.want {
			t.Errorf("%v: %d requests, want %d", c.set, got, c.want)
		}
	}
}
