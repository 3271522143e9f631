package core

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"scoville/core/hardware"
	"scoville/core/scenario"
	"scoville/core/workload"
)

// labels are study keys that name things or act elsewhere than in a simulation,
// with what reads them.
var labels = map[string]string{
	"model.name":               "names a catalogue entry, whose values act",
	"model.config":             "names a file, whose values act",
	"model.profile":            "names a file, whose values act",
	"model.source":             "text for the reader",
	"model.declared_params":    "checked against the dimensions",
	"model.max_context":        "longer requests are noted, not refused",
	"hardware.name":            "names a catalogue entry, whose values act",
	"engine.version":           "picks the calibration that applies",
	"measurement.statistic":    "read by calibrate",
	"workload.class.NAME.name": "address of a class",
	"workload.trace":           "names a file, whose records act",
}

// companions are keys that must change together with another.
var companions = map[string]map[string]any{
	"hardware.gemm_small_tokens": {"hardware.gemm_large_loss": 0.5},
	"hardware.gemm_large_loss":   {"hardware.gemm_small_tokens": 1.0},
	"hardware.gemm_large_tokens": {"hardware.gemm_small_tokens": 1.0, "hardware.gemm_large_loss": 0.5},
	"hardware.kv_path": {
		"hardware.memory_bandwidth_gb_s": 0.0, "hardware.memory_gib": 0.0,
		"hardware.weight_bandwidth_gb_s": 2000.0, "hardware.state_bandwidth_gb_s": 2000.0, "hardware.weight_memory_gib": 80.0, "hardware.state_memory_gib": 80.0,
	},
}

// knobBases are scenarios that between them use every feature.
func knobBases(t *testing.T) map[string]*scenario.Scenario {
	small := map[string]any{"workload.requests": 60, "hardware.w_idle": 100.0, "hardware.pj_per_flop": 1.0, "hardware.pj_per_byte": 10.0, "hardware.usd_per_hour": 2.0}
	with := func(extra map[string]any) *scenario.Scenario {
		set := map[string]any{}
		for _, m := range []map[string]any{small, extra} {
			for k, v := range m {
				set[k] = v
			}
		}
		return reference(t, set)
	}
	gpu := map[string]any{"hardware.name": "h100-sxm", "model.weight_dtype": "bf16", "model.kv_dtype": "bf16"}
	on := func(extra map[string]any) *scenario.Scenario {
		for k, v := range gpu {
			if _, ok := extra[k]; !ok {
				extra[k] = v
			}
		}
		return with(extra)
	}
	bases := map[string]*scenario.Scenario{
		"reference": with(map[string]any{"hardware.overlap": 0.5, "hardware.adapter_link_gb_s": 100.0}),
		"preempt":   with(map[string]any{"engine.kv_blocks": 90, "workload.rate_rps": 30.0, "engine.preemption": "swap", "hardware.pcie_gb_s": 10.0}),
		"moe":       on(map[string]any{"model.name": "mixtral-8x7b", "engine.tp": 4, "engine.ep": 2, "workload.rate_rps": 30.0, "hardware.link_latency_us": 1.0, "engine.step_overhead_us": 500.0, "engine.client_overhead_us": 1000.0}),
		"mla":       on(map[string]any{"model.name": "deepseek-v3", "model.weight_dtype": "fp8", "engine.tp": 16}),
		"sliding":   on(map[string]any{"model.name": "gpt-oss-20b", "model.weight_dtype": "bf16"}),
		"closed":    with(map[string]any{"measurement.prompts_per_concurrency": 10}),
		"gamma":     with(map[string]any{"workload.arrival": "gamma", "workload.arrival_cv": 2.0, "workload.duration_s": 5.0, "measurement.warmup_requests": 5}),
		"load":      with(nil),
		"dynamic":   with(map[string]any{"engine.scheduler": "bucketed"}),
		"drafts":    with(map[string]any{"engine.speculative_tokens": 3, "engine.draft_token_us": 10.0}),
		"effects": on(map[string]any{
			"engine.embedding": "host", "engine.kernel_launch_us": 5.0, "engine.prefill_launch_us": 20_000.0, "hardware.kv_access_us": 100.0,
			"hardware.llc_context_tokens": 200, "hardware.llc_growth": 0.5, "hardware.tlb_reach_gib": 0.01, "hardware.tlb_penalty": 0.5,
		}),
		"replicas":  with(map[string]any{"engine.dp": 3, "workload.rate_rps": 40.0}),
		"needs":     on(map[string]any{"model.min_sm_arch": 8.0, "model.required_features": "tma", "model.required_dtypes": "fp8"}),
		"disturbed": with(map[string]any{"engine.cold_start_ms": 100.0, "engine.ingress_ms": 5.0, "engine.allocator_jitter_us": 100.0, "engine.allocator_jitter_probability": 0.5}),
		"priority":  with(map[string]any{"engine.scheduler": "priority", "workload.rate_rps": 100.0}),
		"tokens":    with(map[string]any{"engine.max_num_batched_tokens": 300, "engine.kv_blocks": 150, "workload.rate_rps": 60.0, "hardware.tokens_half": 10.0}),
	}
	bases["disturbed"].Derate = []hardware.Derate{{Path: "hardware.weight_bandwidth_gb_s", Factor: 0.5, FromS: 0.25, ToS: 3}}
	c, l := &bases["closed"].Workload, &bases["load"].Workload
	c.Arrival, c.RateRPS, c.Concurrent, c.ThinkTimeS = workload.Closed, 0, 5, 0.1
	l.RateRPS, l.Load = 0, 0.5
	for _, d := range []string{"int4", "fp4", "fp32"} {
		bases[d] = with(map[string]any{"model.activation_dtype": d, "hardware.peak_tflops." + d: 50.0})
	}
	trace := with(map[string]any{"workload.requests": 20})
	trace.Workload.Arrival, trace.Workload.RateRPS, trace.Workload.TraceFile = workload.Trace, 0, "t"
	for i := range 40 {
		trace.Workload.Records = append(trace.Workload.Records, workload.Record{Arrival: float64(i) / 4, Prompt: int32(600 + 10*i), Output: int32(20 + i), Prefix: []int32{int32(i % 2), int32(10 + i)}})
	}
	bases["trace"] = trace
	for _, sc := range bases {
		sc.Model.DeclaredParams = 0 // else every change of a dimension would contradict it
		sc.Workload.Class = append([]workload.Class(nil), sc.Workload.Class...)
		if len(sc.Workload.Class) == 0 {
			continue
		}
		sc.Workload.Class[0].Shared = 64
		other := sc.Workload.Class[0]
		other.Name, other.Priority = "other", 2
		other.Prompt = workload.Dist{Kind: workload.Uniform, Min: 100, Max: 700}
		other.Output = workload.Dist{Kind: workload.GammaDist, Mean: 40, CV: 0.5, Min: 10, Max: 100}
		listed := other
		listed.Name = "listed"
		listed.Prompt = workload.Dist{Kind: workload.Empirical, Values: []float64{100, 700}}
		listed.Output = workload.Dist{Kind: workload.Empirical, Values: []float64{10, 50}}
		swapped := other
		swapped.Name, swapped.Prompt, swapped.Output = "swapped", other.Output, other.Prompt
		sc.Workload.Class = append(sc.Workload.Class, other, listed, swapped)
	}
	return bases
}

// TestEveryKnobActs changes every study key in every base scenario and fails
// for a key that never changes a result: a knob that does nothing misleads.
func TestEveryKnobActs(t *testing.T) {
	bases := knobBases(t)
	before := map[string]string{}
	for name, sc := range bases {
		if before[name] = fingerprint(t, sc); before[name] == broken {
			t.Fatalf("base %s: %v", name, sc.Validate())
		}
	}
	for _, f := range scenario.Fields() {
		paths := []string{f.Path}
		if strings.Contains(f.Path, "NAME") {
			paths = paths[:0]
			for _, class := range []string{"short", "other", "listed", "swapped"} {
				paths = append(paths, strings.ReplaceAll(f.Path, "NAME", class))
			}
		}
		act := acts(t, f, paths, bases, before)
		if _, label := labels[f.Path]; label == act {
			t.Errorf("%s: changes a result: %v, is listed as a label: %v", f.Path, act, label)
		}
	}
}

// acts reports whether some change of a key changes the result of some base.
func acts(t *testing.T, f scenario.Field, paths []string, bases map[string]*scenario.Scenario, before map[string]string) bool {
	for name, sc := range bases {
		for _, path := range paths {
			old, err := sc.Get(path)
			if err != nil {
				continue
			}
			for _, v := range changes(f, old) {
				changed := *sc
				if changed.Set(path, v) != nil {
					continue
				}
				for key, w := range companions[path] {
					if err := changed.Set(key, w); err != nil {
						t.Fatal(err)
					}
				}
				if after := fingerprint(t, &changed); after != before[name] && after != broken {
					return true
				}
			}
		}
	}
	return false
}

// changes proposes other values for a key.
func changes(f scenario.Field, old any) []any {
	switch v := old.(type) {
	case bool:
		return []any{!v}
	case float64:
		return []any{v * 0.5, v*2 + 1, v * 0.9, 0.25, 0.8, 3.0, 150.0}
	case int:
		return []any{v / 2, v*2 + 1, v + 1, 1, 4, 64, 300}
	case string:
		var out []any
		for _, e := range f.Enum {
			out = append(out, e)
		}
		return append(out, "int8", "fp8", "int4", "bf16", "async-copy", "hardware.state_bandwidth_gb_s", "hardware.peak_tflops")
	case []float64:
		return []any{[]float64{77, 300}}
	}
	return []any{37.0} // a whole distribution
}

// broken is the fingerprint of a scenario that breaks a rule, which is no effect.
const broken = "broken"

// fingerprint is the result of a run as text.
func fingerprint(t *testing.T, sc *scenario.Scenario) string {
	t.Helper()
	if err := sc.Validate(); err != nil {
		if _, ok := errors.AsType[*scenario.InfeasibleError](err); !ok {
			return broken
		}
	}
	r := simulate(t, sc, Options{})
	out := string(r.Status) + r.Reason
	for _, v := range r.Summary {
		out += fmt.Sprintf(" %x", math.Float64bits(v))
	}
	return out
}
