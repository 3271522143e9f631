package objective

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"scoville/calibrate/fit"
	"scoville/calibrate/measured/row"
	"scoville/core/scenario"
	"scoville/core/unit"
)

// quantity is a parameter of the performance model with what is known of it
// whatever the chip: bounds, and how sure its prior is (standard deviation of
// the logarithm).
type quantity struct {
	name, path, unit string
	sd, min, max     float64
	log              bool
	held             bool // not identifiable from one chip and model: kept at its prior
	moe              bool // only where a model has experts
	mixed            bool // only where some models have experts and some have not
	linked           bool // only where several chips work together
	client           bool // only where a client's clock is read
	groups           bool // only where models differ in query heads per KV head
	fp8              bool // only where dense GEMMs take fp8: their kernels change with the number of tokens
	cold             bool // only where whole batches were timed from a cold start
	launched         bool // only where the family has a centre for it: prompts run outside captured graphs there
}

// Efficiencies are shares of the datasheet's figure. Bounds of the host times
// are those of engines from 2025 on: without the one on step_overhead_us it
// trades against layer_overhead_us for ever. The further time per MoE layer is
// a parameter only where models with and without experts are pooled: within one
// model it is part of layer_overhead_us. A batch that is timed as a whole holds
// whatever the engine does once, before its first step.
var quantities = []quantity{
	{name: "compute_util", path: "hardware.compute_util", unit: "ratio", sd: 0.3, min: 0.02, max: 1},
	{name: "expert_compute_util", path: "hardware.expert_compute_util", unit: "ratio", sd: 0.7, min: 0.03, max: 2, log: true, moe: true},
	{name: "weight_bandwidth_util", path: "hardware.weight_bandwidth_util", unit: "ratio", sd: 0.2, min: 0.3, max: 1},
	{name: "gemm_small_tokens", path: "hardware.gemm_small_tokens", unit: "tokens", sd: 1, min: 1, max: 1000, log: true, held: true, fp8: true},
	{name: "gemm_large_loss", path: "hardware.gemm_large_loss", unit: "ratio", sd: 0.7, min: 0.002, max: 1, log: true, fp8: true},
	{name: "gemm_large_tokens", path: "hardware.gemm_large_tokens", unit: "tokens", sd: 1, min: 1, max: 1000, log: true, held: true, fp8: true},
	{name: "kv_bandwidth_util", path: "hardware.kv_bandwidth_util", unit: "ratio", sd: 0.3, min: 0.1, max: 1},
	{name: "gqa_reread", path: "hardware.gqa_reread", unit: "ratio", sd: 1, min: 0.001, max: 1, log: true, groups: true},
	{name: "attention_compute_util", path: "hardware.attention_compute_util", unit: "ratio", sd: 0.5, min: 0.05, max: 1, held: true},
	{name: "link_util", path: "hardware.link_util", unit: "ratio", sd: 0.5, min: 0.02, max: 1, linked: true},
	{name: "link_latency_us", path: "hardware.link_latency_us", unit: "us", sd: 0.7, min: 0.5, max: 100, log: true, held: true, linked: true},
	{name: "step_overhead_us", path: "engine.step_overhead_us", unit: "us", sd: 0.5, min: 50, max: 1200, log: true},
	{name: "layer_overhead_us", path: "engine.layer_overhead_us", unit: "us", sd: 0.5, min: 1, max: 500, log: true},
	{name: "moe_layer_overhead_us", path: "engine.moe_layer_overhead_us", unit: "us", sd: 0.5, min: 0.5, max: 2000, log: true, mixed: true},
	{name: "sequence_overhead_us", path: "engine.sequence_overhead_us", unit: "us", sd: 0.7, min: 0.5, max: 500, log: true},
	{name: "prefill_step_overhead_us", path: "engine.prefill_step_overhead_us", unit: "us", sd: 1, min: 10, max: 100_000, log: true},
	{name: "prefill_launch_us", path: "engine.prefill_launch_us", unit: "us", sd: 1, min: 100, max: 300_000, log: true, launched: true},
	{name: "frontend_us_per_prompt_token", path: "engine.frontend_us_per_prompt_token", unit: "us", sd: 1, min: 0.01, max: 20, log: true, client: true},
	{name: "experts_always_read", path: "engine.experts_always_read", unit: "ratio", sd: 1.5, min: 0.01, max: 1, moe: true},
	{name: "cold_start_ms", path: "engine.cold_start_ms", unit: "ms", sd: 1.5, min: 0.1, max: 10_000, log: true, cold: true},
	{name: "client_overhead_us", path: "engine.client_overhead_us", unit: "us", sd: 0.7, min: 100, max: 100_000, log: true, client: true},
}

// family holds the centres of the priors of a family of chips. Source: a first
// fit of this form to the public measurements of aiconfigurator (vLLM 0.11 to
// 0.18), argonne (2024 grid), splitwise and llmservingsim.
type family struct {
	names  []string           // prefixes of catalogue names
	fp8    float64            // compute_util of fp8 GEMMs; 0 = that of the others
	kv8    float64            // kv_bandwidth_util of a KV cache under 16 bits in engines of 2025; 0 = that of others
	center map[string]float64 // by name of quantity
}

var families = []family{
	{[]string{"h100", "h200", "gh200"}, 0.52, 0.5, map[string]float64{
		"compute_util": 0.62, "weight_bandwidth_util": 0.95, "kv_bandwidth_util": 0.83, "attention_compute_util": 0.45,
		"link_util": 0.40, "link_latency_us": 8, "frontend_us_per_prompt_token": 2, "client_overhead_us": 17_000, "prefill_step_overhead_us": 5_000,
		"gemm_large_loss": 0.2,
	}},
	{[]string{"b200"}, 0, 0, map[string]float64{
		"compute_util": 0.47, "weight_bandwidth_util": 0.79, "kv_bandwidth_util": 0.9, "attention_compute_util": 0.36,
		"link_util": 0.20, "link_latency_us": 2, "frontend_us_per_prompt_token": 2, "client_overhead_us": 30_000, "prefill_step_overhead_us": 5_000,
		"prefill_launch_us": 50_000, "gemm_large_loss": 0.03,
	}},
	{[]string{"a100"}, 0, 0, map[string]float64{
		"compute_util": 0.55, "weight_bandwidth_util": 0.88, "kv_bandwidth_util": 0.73, "attention_compute_util": 0.4,
		"link_util": 0.36, "link_latency_us": 15,
	}},
	{[]string{"rtx-4090", "l40s"}, 0, 0, map[string]float64{
		"compute_util": 0.85, "weight_bandwidth_util": 0.87, "kv_bandwidth_util": 0.98, "attention_compute_util": 0.45, "prefill_step_overhead_us": 900,
	}},
	{[]string{"rtx-pro-6000"}, 0, 0, map[string]float64{
		"compute_util": 0.61, "weight_bandwidth_util": 0.78, "kv_bandwidth_util": 0.69, "attention_compute_util": 0.45, "prefill_step_overhead_us": 900,
	}},
	{[]string{"mi250"}, 0, 0, map[string]float64{
		"compute_util": 0.49, "weight_bandwidth_util": 0.95, "kv_bandwidth_util": 0.98, "link_util": 0.64, "link_latency_us": 48, "expert_compute_util": 0.45,
	}},
	{[]string{"mi250-package"}, 0, 0, map[string]float64{
		"compute_util": 0.25, "weight_bandwidth_util": 0.48, "kv_bandwidth_util": 0.5, "link_util": 0.32, "link_latency_us": 48, "expert_compute_util": 0.45,
	}},
	{[]string{"mi300x"}, 0, 0, map[string]float64{
		"compute_util": 0.05, "cold_start_ms": 900, "weight_bandwidth_util": 0.62, "kv_bandwidth_util": 0.53, "link_util": 0.05, "link_latency_us": 58, "expert_compute_util": 1.2,
	}},
}

// unknownChip are centres for chips of no family: the middle of those above,
// and twice the standard deviation.
var unknownChip = map[string]float64{
	"compute_util": 0.55, "expert_compute_util": 0.4, "weight_bandwidth_util": 0.85, "kv_bandwidth_util": 0.75, "attention_compute_util": 0.4,
	"link_util": 0.35, "link_latency_us": 12, "frontend_us_per_prompt_token": 2, "client_overhead_us": 15_000, "prefill_step_overhead_us": 4_000, "cold_start_ms": 20,
	"experts_always_read": 0.1, "gemm_small_tokens": 16, "gemm_large_tokens": 32, "gemm_large_loss": 0.1, "gqa_reread": 0.05,
}

// era holds the centres of the host times of an engine era, and of efficiencies
// that are the engine's more than the chip's. Source as family.
type era struct {
	name                       string  // versions of vLLM
	step, layer, moe, sequence float64 // us; moe is what a layer with experts takes more
	slowKV8                    bool    // attention on a KV cache of 8 bits is slow on the chips that say how slow
	overlaps                   bool    // eager execution: a step takes the longer of host and device time, not the sum
	ahead                      bool    // asynchronous scheduling, the default from vLLM 0.14 on
	center                     map[string]float64
}

var eras = []era{
	{"before 0.3", 4_000, 400, 40, 340, false, true, false, map[string]float64{ // 2023; a layer's time is that of its kernel launches
		"weight_bandwidth_util": 0.6, "link_util": 0.1, "prefill_step_overhead_us": 25_000,
	}},
	{"0.3 to 0.7", 2_300, 22, 40, 80, false, false, false, map[string]float64{"gqa_reread": 0.25}}, // 2024: paged attention, a block for each query head
	{"0.8 to 0.15", 450, 47, 42, 38, true, false, false, nil},                                      // 2025
	{"0.16 to 0.18", 600, 65, 42, 24, false, false, true, nil},
	{"0.19 and later", 300, 20, 42, 9, false, false, true, nil},
}

var versionNumber = regexp.MustCompile(`(?i)^\s*(?:vllm)?[\s:=/_-]*v?(\d+)\.(\d+)`)

// eraOf finds the era of an engine version such as "vllm 0.12.0", and whether
// it is known: the newest era stands in for versions from 1.0 on, that of late
// 2025 for an engine or version that is not said or not vLLM's.
func eraOf(version string) (e era, known bool) {
	m := versionNumber.FindStringSubmatch(version)
	switch {
	case m == nil:
		return eras[2], false
	case m[1] != "0":
		return eras[len(eras)-1], false
	}
	switch minor, err := strconv.Atoi(m[2]); {
	case err != nil || minor >= 19:
		return eras[4], true
	case minor < 3:
		return eras[0], true
	case minor < 8:
		return eras[1], true
	case minor < 16:
		return eras[2], true
	}
	return eras[3], true
}

// Era names the engine era of a version, whose host times are alike: "0.8 to
// 0.15". A version that is not said, or not vLLM's, counts to late 2025.
func Era(version string) string {
	e, _ := eraOf(version)
	return e.name
}

// HostTimes says which engine era the priors of the host times are of.
func HostTimes(version string) string {
	e, known := eraOf(version)
	text := "priors of host times are those of vLLM " + e.name
	switch {
	case known:
		return text
	case version == "":
		return text + ", twice as wide: engine.version is not said"
	}
	return fmt.Sprintf("%s, twice as wide: no era is known for engine.version %q", text, version)
}

// subject is what parameters are fitted to.
type subject struct {
	sc     *scenario.Scenario // whose chip, engine and format the priors are of
	moe    bool               // some model has experts
	mixed  bool               // some has, some has not
	linked bool               // some run is on several chips
	pooled bool               // several models on several chips each: what a link's latency is apart from host time shows
	alone  bool               // a model runs on one chip and on several, which shows what a link takes
	groups bool               // models of several group sizes
	cold   bool               // whole batches
}

// Parameters returns what is fitted to rows of one chip, model and engine
// version: free ones with their priors, and those kept at their prior. tp is
// the largest number of chips in the data.
func Parameters(sc *scenario.Scenario, tp int) []Param {
	return subject{sc: sc, moe: sc.Model.Experts > 0, linked: tp > 1}.parameters()
}

// ParametersOf returns what is fitted to conditions of one chip and engine
// version, of one model or several.
func ParametersOf(conds []Condition) []Param {
	s := subject{sc: &conds[0].Scenario}
	linked, single, dense := map[string]bool{}, map[string]bool{}, false
	for i := range conds {
		sc := &conds[i].Scenario
		s.moe = s.moe || sc.Model.Experts > 0
		dense = dense || sc.Model.Experts == 0
		s.cold = s.cold || conds[i].Kind == row.Batch
		if first := &s.sc.Model; !sc.Model.MLA() && sc.Model.Heads*first.KVHeads != first.Heads*sc.Model.KVHeads {
			s.groups = true
		}
		if sc.Engine.TP > 1 {
			linked[sc.Model.Name] = true
		} else {
			single[sc.Model.Name] = true
		}
	}
	for name := range linked {
		s.alone = s.alone || single[name]
	}
	s.linked, s.pooled, s.mixed = len(linked) > 0, len(linked) > 1, s.moe && dense
	if s.mixed { // host times of dense layers, and what layers with experts take more
		i := slices.IndexFunc(conds, func(c Condition) bool { return c.Scenario.Model.Experts == 0 })
		s.sc = &conds[i].Scenario
	}
	return s.parameters()
}

// fp8 reports whether dense GEMMs are of fp8 weights and inputs.
func (s subject) fp8() bool {
	return s.sc.Model.Activations() == unit.FP8 && s.sc.Model.DenseWeights() == unit.FP8
}

func (s subject) parameters() []Param {
	center, known := s.centers()
	var out []Param
	for _, q := range quantities {
		if q.moe && !s.moe || q.mixed && !s.mixed || q.linked && !s.linked || q.cold && !s.cold || q.fp8 && !s.fp8() || q.groups && !s.groups || q.client && s.sc.Measurement.Clock != scenario.Client {
			continue
		}
		if _, ok := center[q.name]; q.launched && !ok {
			continue
		}
		sd := q.sd
		if !known[q.name] {
			sd *= 2
		}
		p := Param{Path: q.path, Param: fit.Param{
			Name: q.name, Unit: q.unit, Log: q.log, Fixed: q.held && !((s.pooled || s.alone) && q.linked),
			Min: q.min, Max: q.max, Prior: fit.Prior{Center: center[q.name], SD: sd},
		}}
		if host := q.name == "step_overhead_us" || q.name == "layer_overhead_us"; host && center[q.name] >= 0.8*q.max {
			p.Max = 10 * center[q.name] // engines before 2025
		}
		p.Init = inside(center[q.name], p.Min, p.Max)
		out = append(out, p)
	}
	return out
}

// inside moves a start that lies on a bound into the range.
func inside(x, lo, hi float64) float64 {
	margin := 0.02 * (hi - lo)
	return math.Min(math.Max(x, math.Min(lo+margin, lo*1.5)), hi-margin)
}

// centers collects the priors' centres for a scenario, and which of them are
// known for its family of chips or its engine.
func (s subject) centers() (center map[string]float64, known map[string]bool) {
	sc := s.sc
	center, known = map[string]float64{}, map[string]bool{}
	for name, x := range unknownChip {
		center[name] = x
	}
	e, ok := eraOf(sc.Engine.Version)
	for name, x := range map[string]float64{
		"step_overhead_us": e.step, "layer_overhead_us": e.layer, "sequence_overhead_us": e.sequence, "moe_layer_overhead_us": e.moe,
	} {
		center[name], known[name] = x, ok
	}
	if sc.Model.Experts > 0 {
		center["layer_overhead_us"] += e.moe
	}
	for _, f := range families {
		for _, prefix := range f.names {
			if !strings.HasPrefix(sc.Hardware.Name, prefix) {
				continue
			}
			for name, x := range f.center {
				center[name], known[name] = x, true
			}
			if f.fp8 > 0 && sc.Model.Activations() == unit.FP8 {
				center["compute_util"] = f.fp8
			}
			if f.kv8 > 0 && sc.Model.KV().Bytes() < 2 && e.slowKV8 {
				center["kv_bandwidth_util"] = f.kv8
			}
		}
	}
	for name, x := range e.center { // stands before the chip's: its kernels are those of the engine
		center[name], known[name] = x, true
	}
	if s.moe && !known["expert_compute_util"] {
		center["expert_compute_util"] = 0.25
		if sc.Model.ExpertWeights() == unit.FP4 {
			center["expert_compute_util"] = 0.3
		}
	}
	return center, known
}
