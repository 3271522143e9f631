package scenario

import (
	"fmt"
	"reflect"
	"slices"

	"scoville/core/hardware"
	"scoville/core/model"
	"scoville/core/schema"
	"scoville/core/workload"
)

// Notes says, one sentence each, what is no error but may not be meant: keys
// that are set and cannot act with the other values, lengths whose limits move
// their mean, rates of a chip that look like another unit, and requests longer
// than the model's context. A sentence starts with the key. A key counts as set when
// it has another value than its default and than the catalogue entry of the
// chip. The scenario is a resolved, valid one.
func (s *Scenario) Notes() []string {
	var notes []string
	for _, k := range s.conditional() {
		if k.acts {
			continue
		}
		if v, set := s.given(k.path); set {
			notes = append(notes, fmt.Sprintf("%s = %s has no effect %s", k.path, schema.Show(v), k.without))
		}
	}
	notes = append(notes, s.notCompared()...)
	notes = append(notes, s.Model.Misaligned(64, s.Engine.TP, model.TileOf(s.Model.Activations()))...)
	notes = append(notes, s.clampedMeans()...)
	notes = append(notes, s.Hardware.Implausible()...)
	return append(notes, s.beyondContext()...)
}

// conditionalKey is a key that acts only with certain values of another.
type conditionalKey struct {
	acts    bool
	path    string
	without string // the value that keeps it from acting
}

func (s *Scenario) conditional() []conditionalKey {
	w, e, h := &s.Workload, &s.Engine, &s.Hardware
	arrival, scheduler := with("arrival", w.Arrival), with("scheduler", e.Scheduler)
	trace, closed := w.Arrival == workload.Trace, w.Arrival == workload.Closed
	const noDrafts, noStore = "with speculative_tokens = 0", "with onchip_kv_mib = 0"
	llc, tlb := h.LLCContext > 0 && h.LLCGrowth > 0, h.TLBReach > 0 && h.TLBPenalty > 0
	return []conditionalKey{
		{!closed && w.Arrival != workload.Burst, "workload.duration_s", arrival},
		{w.Arrival == workload.Gamma, "workload.arrival_cv", arrival},
		{closed, "workload.think_time_s", arrival},
		{trace, "workload.rate_scale", arrival},
		{trace, "workload.max_prompt_tokens", arrival},
		{trace, "workload.max_output_tokens", arrival},
		{trace, "workload.trace_prefix_block_tokens", arrival},
		{closed, "measurement.prompts_per_concurrency", arrival},
		{e.Scheduler == Dynamic || e.Scheduler == Bucketed, "engine.batch_window_ms", scheduler},
		{e.Scheduler == Bucketed, "engine.bucket_tokens", scheduler},
		{e.SpecTokens > 0, "engine.speculative_acceptance", noDrafts},
		{e.SpecTokens > 0, "engine.draft_token_us", noDrafts},
		{e.DP > 1, "engine.routing", "with dp = 1"},
		{h.OnchipKVMiB > 0, "hardware.onchip_kv_gb_s", noStore},
		{h.OnchipKVMiB > 0, "hardware.onchip_kv_hit_ratio", noStore},
		{h.PCIeGBs > 0, "hardware.pcie_util", "without pcie_gb_s"},
		{e.Embedding == Host, "hardware.pcie_unpinned_util", with("embedding", e.Embedding)},
		{e.LaunchUs > 0, "engine.kernels_per_layer", "with kernel_launch_us = 0"},
		{h.KVAccessUs > 0, "engine.kv_prefetch", "with kv_access_us = 0"},
		{e.ClientUs > 0, "engine.client_spread", "with client_overhead_us = 0"},
		{s.Model.KV().Bytes() < 2, "engine.kv_dequant_flops", with("kv_dtype", string(s.Model.KV()))},
		{llc, "hardware.llc_context_tokens", "with llc_growth = 0"},
		{llc, "hardware.llc_growth", "with llc_context_tokens = 0"},
		{tlb, "hardware.tlb_reach_gib", "with tlb_penalty = 0"},
		{tlb, "hardware.tlb_penalty", "with tlb_reach_gib = 0"},
		{h.KVPath == hardware.Separate, "hardware.overlap", with("kv_path", h.KVPath)},
	}
}

// with words the value of a key that keeps another from acting.
func with(key, value string) string { return "with " + key + ` = "` + value + `"` }

// given returns the value of a key outside classes and whether somebody chose
// it: neither the default nor the catalogue.
func (s *Scenario) given(path string) (any, bool) {
	n := study().byPath[path]
	v := n.Get(reflect.ValueOf(s).Elem())
	if v == n.Get(reflect.ValueOf(&study().defaults).Elem()) {
		return v, false
	}
	chip, known := hardware.Chip(s.Hardware.Name)
	entry := Scenario{Hardware: chip}
	return v, !known || v != n.Get(reflect.ValueOf(&entry).Elem())
}

// beyond says what becomes of requests beyond model.max_context.
const beyond = ": simulated in full, though a server would refuse them or cut them short"

// beyondContext lists the classes, or counts the requests of the trace, whose
// prompt and output together exceed model.max_context. A class counts with its
// longest lengths where they are bounded, else with its means.
func (s *Scenario) beyondContext() (notes []string) {
	limit := s.Model.MaxContext
	if limit == 0 {
		return nil
	}
	if w := &s.Workload; w.Arrival == workload.Trace {
		n := 0
		for _, r := range w.Records {
			if !dropped(w, &r) && int(r.Prompt)+int(r.Output) > limit {
				n++
			}
		}
		if n > 0 {
			notes = append(notes, fmt.Sprintf("workload.trace: prompt and output of %d requests together exceed model.max_context = %d%s", n, limit, beyond))
		}
		return notes
	}
	for _, c := range s.Workload.Class {
		if prompt, output := longest(&c.Prompt), longest(&c.Output); c.Share > 0 && prompt+output > float64(limit) {
			notes = append(notes, fmt.Sprintf("%s%s: prompt and output of %.0f + %.0f tokens exceed model.max_context = %d%s", classPrefix, c.Name, prompt, output, limit, beyond))
		}
	}
	return notes
}

// dropped reports whether the limits of the workload leave out a trace record.
func dropped(w *workload.Spec, r *workload.Record) bool {
	return w.MaxPrompt > 0 && int(r.Prompt) > w.MaxPrompt || w.MaxOutput > 0 && int(r.Output) > w.MaxOutput
}

// LongestRequest returns the most tokens, prompt and output together, that one
// request of the workload has: of a trace the longest that is not dropped, else
// of any class that is drawn, by its bounds or else its means. 0 = no request.
func (s *Scenario) LongestRequest() float64 {
	w, most := &s.Workload, 0.0
	if w.Arrival == workload.Trace {
		for _, r := range w.Records {
			if !dropped(w, &r) {
				most = max(most, float64(r.Prompt)+float64(r.Output))
			}
		}
		return most
	}
	for _, c := range w.Class {
		if c.Share > 0 {
			most = max(most, longest(&c.Prompt)+longest(&c.Output))
		}
	}
	return most
}

// longest returns the largest length of a distribution, or its mean when it
// has no bound, in tokens.
func longest(d *workload.Dist) float64 {
	x := d.Mean
	if d.Kind == workload.Empirical && len(d.Values) > 0 {
		x = slices.Max(d.Values)
	}
	switch {
	case d.Max > 0 && (d.Kind == workload.LogNormal || d.Kind == workload.GammaDist || d.Kind == workload.Uniform):
		return d.Max
	case d.Max > 0:
		return min(x, d.Max)
	}
	return x
}
