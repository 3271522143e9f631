package scenario

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"

	"scoville/core/hardware"
	"scoville/core/model"
	"scoville/core/workload"
)

// rule is one condition on a scenario. When it does not hold, path is the key
// to blame and related are others that the rule speaks of.
type rule struct {
	holds   bool
	path    string
	text    string // reads after the value when shown, else alone
	show    bool   // say the value
	hint    string
	related []string
}

// check returns the first broken rule.
func (s *Scenario) check(rules []rule) *FieldError {
	for _, r := range rules {
		if r.holds {
			continue
		}
		e := &FieldError{Path: r.path, Rule: r.text, Hint: r.hint, Related: r.related}
		if r.show {
			e.Value, _ = s.Get(r.path)
		}
		return e
	}
	return nil
}

// Validate checks the rules between the values of a resolved scenario. A
// broken rule is a *FieldError. A scenario that is sound but asks of its chip
// what that does not have is an *InfeasibleError, see Unmet. Whether it fits into memory
// is not checked here, nor whether the metrics of service levels exist.
func (s *Scenario) Validate() error {
	if err := s.checkRanges(); err != nil {
		return err
	}
	return s.checkRules()
}

// checkRules is Validate of values that are in their ranges.
func (s *Scenario) checkRules() error {
	for _, check := range []func() *FieldError{
		s.checkModel, s.checkLists, s.checkHardware, s.checkDerates, s.checkEngine, s.checkWorkload, s.checkClasses, s.checkSLO,
	} {
		if err := check(); err != nil {
			return err
		}
	}
	return s.Unmet()
}

// checkRanges checks every number against its range and every string against
// its values. Zero means "not given" for a key without default.
func (s *Scenario) checkRanges() *FieldError {
	root := reflect.ValueOf(s).Elem()
	for _, n := range study().nodes {
		if n.inClass {
			for i := range s.Workload.Class {
				c := &s.Workload.Class[i]
				if err := n.recheck(n.Path, reflect.ValueOf(c).Elem()); err != nil {
					err.Path = classPrefix + c.Name + err.Path[len(anyClass)-1:]
					return err
				}
			}
		} else if err := n.recheck(n.Path, root); err != nil {
			return err
		}
	}
	return nil
}

func (n *node) recheck(path string, root reflect.Value) *FieldError {
	v := root.FieldByIndex(n.Index)
	switch {
	case n.keys != nil, n.Kind == Float && n.Holds(v.Float()), n.Kind == Int && n.Holds(float64(v.Int())), v.IsZero() && !n.HasDefault:
		return nil
	}
	_, err := n.convert(path, n.Get(root))
	return err
}

func (s *Scenario) checkModel() *FieldError {
	m := &s.Model
	if m.Layers == 0 && m.Hidden == 0 {
		return &FieldError{Path: "model.name", Rule: "no model is given", Hint: `name = "llama-2-7b", config = "path/to/config.json", or all dimensions`}
	}
	if ke, ok := errors.AsType[*model.KeyError](m.Check()); ok {
		return &FieldError{Path: "model." + ke.Key, Value: ke.Value, Rule: ke.Rule, Hint: ke.Hint}
	}
	if ke, ok := errors.AsType[*model.KeyError](m.CheckDeclared()); ok {
		return &FieldError{
			Path: "model." + ke.Key, Value: ke.Value, Rule: ke.Rule, Hint: ke.Hint,
			Related: []string{"model.layers", "model.hidden", "model.heads", "model.head_dim", "model.ffn", "model.config", "model.profile"},
		}
	}
	return s.check([]rule{
		{m.SlidingWindow == 0 || m.SlidingLayers > 0, "model.sliding_layers", "needed with sliding_window", false, "layers that use the window", []string{"model.sliding_window"}},
		{m.Experts > 0 || m.DenseLayers == 0, "model.dense_layers", "has no meaning without experts", true, "", []string{"model.experts"}},
	})
}

// Keys of the two memory organisations: those it needs, and those that only it
// has a use for.
var (
	sharedKeys   = []string{"hardware.memory_bandwidth_gb_s", "hardware.memory_gib"}
	separateKeys = []string{"hardware.weight_bandwidth_gb_s", "hardware.state_bandwidth_gb_s", "hardware.weight_memory_gib", "hardware.state_memory_gib"}
	adapterKeys  = []string{"hardware.adapter_latency_us", "hardware.adapter_peak_tflops", "hardware.adapter_link_gb_s"}
)

// ofTwo are the keys of a chip with two memories that are there for one of a
// chip with a single one.
var ofTwo = map[string]string{
	"hardware.memory_bandwidth_gb_s": "weight_bandwidth_gb_s and state_bandwidth_gb_s", "hardware.memory_gib": "weight_memory_gib and state_memory_gib",
}

// NoBase says what to do about a relative level of a key whose value is 0.
func (s *Scenario) NoBase(path string) string {
	if two := ofTwo[path]; two != "" && s.Hardware.KVPath == hardware.Separate {
		return "the chip has a memory for weights and one for KV: vary " + two
	}
	return "write absolute levels"
}

func (s *Scenario) checkHardware() *FieldError {
	h := &s.Hardware
	if h.Peak == (hardware.Peaks{}) && h.MemoryBandwidthGBs == 0 && h.WeightBandwidthGBs == 0 {
		return &FieldError{Path: "hardware.name", Rule: "no hardware is given", Hint: `name = "h100-sxm", or peak_tflops, bandwidths and capacities`}
	}
	want, unwanted := sharedKeys, append(separateKeys[:4:4], adapterKeys...)
	mend := `add kv_path = "separate" if weights and KV have a memory each, or remove it`
	if h.KVPath == hardware.Separate {
		want, unwanted = separateKeys, sharedKeys
	}
	rules := make([]rule, 0, 16)
	root := reflect.ValueOf(s).Elem()
	given := func(path string) bool { return study().byPath[path].Get(root) != 0.0 }
	need := func(key, why, related string) {
		rules = append(rules, rule{
			given(key), key, "is 0 or not given; needed " + why, false,
			"give a number above 0, or a hardware.name that has it",
			[]string{related},
		})
	}
	with := with("kv_path", h.KVPath)
	for _, key := range unwanted {
		if two := ofTwo[key]; two != "" {
			mend = `use ` + two + `, or remove it or kv_path = "separate"`
		}
		rules = append(rules, rule{!given(key), key, "has no effect " + with, true, mend, []string{"hardware.kv_path"}})
	}
	for _, key := range want {
		need(key, with, "hardware.kv_path")
	}
	if s.Engine.TP > 1 {
		need("hardware.link_bandwidth_gb_s", fmt.Sprintf("with engine.tp = %d", s.Engine.TP), "engine.tp")
	}
	if h.OnchipKVMiB > 0 && h.OnchipKVPolicy != hardware.None {
		need("hardware.onchip_kv_gb_s", "with onchip_kv_mib > 0", "hardware.onchip_kv_mib")
	}
	hit := h.OnchipKVHitRatio
	return s.check(append(rules, rule{hit == -1 || hit >= 0, "hardware.onchip_kv_hit_ratio", "is neither a ratio in [0,1] nor -1", true, "-1 = from policy and working set", nil}))
}

func (s *Scenario) checkEngine() *FieldError {
	e := &s.Engine
	return s.check([]rule{
		{e.EP == 1 || s.Model.Experts > 0, "engine.ep", "needs a model with experts", true, "set ep = 1", []string{"model.experts", "model.name"}},
		{e.EP >= 1 && e.TP%e.EP == 0, "engine.ep", fmt.Sprintf("does not divide tp = %d", e.TP), true, "expert-parallel ranks are a part of the tp chips", []string{"engine.tp"}},
		{
			e.Preemption != Swap || s.Hardware.PCIeGBs > 0, "engine.preemption", "needs hardware.pcie_gb_s", true,
			"give the link to host memory, or use recompute",
			[]string{"hardware.pcie_gb_s"},
		},
		s.hostLink("engine.embedding", e.Embedding == HostPinned || e.Embedding == Host, "keep the table on the device"),
		s.hostLink("engine.logits", e.Logits == Host, "read the logits from memory"),
		{
			e.SpecTokens == 0 || e.DP <= 1 && !slices.Contains([]string{Static, Dynamic, Bucketed}, e.Scheduler), "engine.speculative_tokens",
			fmt.Sprintf("is not simulated with dp = %d and scheduler %s", e.DP, e.Scheduler), true,
			"set speculative_tokens = 0, or dp = 1 and a scheduler that joins and leaves at every step",
			[]string{"engine.dp", "engine.scheduler"},
		},
		{
			e.DP <= 1 || !slices.Contains([]string{Static, Dynamic, Bucketed}, e.Scheduler), "engine.dp", "is not simulated for scheduler " + e.Scheduler, true,
			"set dp = 1, or a scheduler that joins and leaves at every step",
			[]string{"engine.scheduler"},
		},
		{
			!e.Async || e.DP <= 1 && !slices.Contains([]string{Static, Dynamic, Bucketed}, e.Scheduler), "engine.async_scheduling",
			fmt.Sprintf("is not simulated with dp = %d and scheduler %s", e.DP, e.Scheduler), true,
			"set async_scheduling = false, or dp = 1 and a scheduler that joins and leaves at every step",
			[]string{"engine.dp", "engine.scheduler"},
		},
		{
			e.MaxTokens >= e.MaxNumSeqs, "engine.max_num_batched_tokens", fmt.Sprintf("is less than max_num_seqs = %d", e.MaxNumSeqs), true,
			"every running sequence needs a token of the budget",
			[]string{"engine.max_num_seqs"},
		},
	})
}

// hostLink is the rule that what uses the link to host memory needs one.
func (s *Scenario) hostLink(path string, uses bool, instead string) rule {
	return rule{
		!uses || s.Hardware.PCIeGBs > 0, path, "needs hardware.pcie_gb_s", true,
		"give the link to host memory, or " + instead,
		[]string{"hardware.pcie_gb_s"},
	}
}

// rated reports whether requests arrive at a rate.
func rated(w *workload.Spec) bool {
	return w.Arrival == workload.Poisson || w.Arrival == workload.Gamma || w.Arrival == workload.Constant
}

func (s *Scenario) checkWorkload() *FieldError {
	w := &s.Workload
	const arrival = "workload.arrival"
	related := []string{arrival}
	with := fmt.Sprintf("with arrival = %q", w.Arrival)
	contradicts := fmt.Sprintf("contradicts arrival = %q", w.Arrival)
	rate, trace, closed := rated(w), w.Arrival == workload.Trace, w.Arrival == workload.Closed
	const noRate, noLoop = "remove it, or set arrival to poisson, gamma or constant", `remove it, or set arrival = "closed"`
	most := w.Requests // that there can be; 0 = as many as duration_s or the trace gives
	if closed && s.Measurement.PerConc > 0 {
		most = s.Measurement.PerConc * w.Concurrent
	}
	counted := most > 0 || rate && w.DurationS > 0 || trace
	return s.check([]rule{
		{w.RateRPS == 0 || w.Load == 0, "workload.load", "contradicts rate_rps: each gives the rate", true, "keep one", []string{"workload.rate_rps"}},
		{!rate || w.RateRPS > 0 || w.Load > 0, "workload.rate_rps", "needed " + with, false, "give rate_rps, or load as a share of capacity", related},
		{!closed || w.Concurrent > 0, "workload.concurrency", "needed " + with, false, "requests in flight, at least 1", related},
		{!trace || w.TraceFile != "", "workload.trace", "needed " + with, false, "name the trace file", related},
		{rate || w.RateRPS == 0, "workload.rate_rps", contradicts, true, noRate, related},
		{rate || w.Load == 0, "workload.load", contradicts, true, noRate, related},
		{closed || w.Concurrent == 0, "workload.concurrency", contradicts, true, noLoop, related},
		{trace || w.TraceFile == "", "workload.trace", "has no effect " + with, true, `set arrival = "trace"`, related},
		{trace || len(w.Class) > 0, "workload.class", "at least one class is needed", false, "add [[workload.class]] with name, prompt_tokens and output_tokens", related},
		{counted, "workload.requests", "is no request " + with, true, "give a number; only an open rate can be limited by duration_s alone", []string{arrival, "workload.duration_s"}},
		{
			most == 0 || s.Measurement.Warmup < most, "measurement.warmup_requests", fmt.Sprintf("leaves none of the %d requests to measure", most), true,
			"lower it, or raise workload.requests",
			[]string{"workload.requests", "measurement.prompts_per_concurrency"},
		},
	})
}

func (s *Scenario) checkClasses() *FieldError {
	total := 0.0
	for i, c := range s.Workload.Class {
		total += c.Share
		path := classPrefix + c.Name
		if !classNames.MatchString(c.Name) {
			return &FieldError{Path: "workload.class", Value: c.Name, Rule: "is not a name of a class", Hint: "use a-z, 0-9, _ and -"}
		}
		if first, _ := s.classIndex(path, c.Name); first < i {
			return &FieldError{Path: path, Rule: "two classes have this name", Hint: "give each class its own name"}
		}
		if err := cmp.Or(checkDist(path+".prompt_tokens", c.Prompt), checkDist(path+".output_tokens", c.Output)); err != nil {
			return err
		}
	}
	if len(s.Workload.Class) > 0 && total == 0 {
		first := classPrefix + s.Workload.Class[0].Name + ".share"
		return &FieldError{Path: first, Value: 0.0, Rule: "is the share of every class: nothing is left to draw", Hint: "give one class a share > 0"}
	}
	return nil
}

// checkDist checks that a length distribution is complete and can give a
// length of at least one token.
func checkDist(path string, d workload.Dist) *FieldError {
	fail := func(key, text, hint string) *FieldError {
		return &FieldError{Path: path + key, Rule: text, Hint: hint, Related: []string{path, path + ".dist"}}
	}
	with := fmt.Sprintf("with dist = %q", d.Kind)
	switch d.Kind {
	case workload.Empirical:
		if len(d.Values) == 0 {
			return fail(".values", "needed "+with, "list the lengths: values = [128, 512]")
		}
		for _, x := range d.Values {
			if !(x >= 1 && x <= 1e8) || x != math.Trunc(x) {
				return &FieldError{Path: path + ".values", Value: x, Rule: "is not a length: a whole number in [1,1e8] (tokens)", Related: []string{path}}
			}
		}
	case workload.Uniform:
		if d.Max == 0 {
			return fail(".max", "needed "+with, "give min and max")
		}
	default:
		if d.Mean == 0 {
			return fail(".mean", "needed "+with, "give the mean length, in tokens")
		}
	}
	if d.Max > 0 && (d.Max < d.Min || d.Max < 1) {
		return &FieldError{Path: path + ".max", Value: d.Max, Rule: fmt.Sprintf("is less than the smallest length, %v", max(1, d.Min)), Related: []string{path, path + ".min"}}
	}
	if d.Kind != workload.Empirical && d.Values != nil {
		return fail(".values", "has no effect "+with, `set dist = "empirical"`)
	}
	return nil
}

func (s *Scenario) checkSLO() *FieldError {
	for _, l := range s.SLO {
		if l.Min > l.Max { // false when one is not set
			return &FieldError{Path: sloPrefix + l.Metric + ".min", Value: l.Min, Rule: fmt.Sprintf("is above max = %v", l.Max), Related: []string{sloPrefix + l.Metric}}
		}
		if err := l.reachable(); err != nil {
			return err
		}
	}
	return nil
}

// reachable refuses a limit below what the metric can be: every metric is 0 or
// more but the excesses over a closed form, and the time a request takes is
// more than 0.
func (l *Limit) reachable() *FieldError {
	if strings.Contains(l.Metric, "_excess_") {
		return nil
	}
	name, stat, _ := strings.Cut(l.Metric, "_")
	time := slices.Contains([]string{"ttft", "tpot", "e2e"}, name) && slices.Contains([]string{"mean_ms", "p50_ms", "p90_ms", "p95_ms", "p99_ms", "max_ms"}, stat)
	fail := func(bound string, x float64, hint string) *FieldError {
		rule := "is below 0, which " + l.Metric + " never is"
		if x == 0 {
			rule = "is not above 0, as " + l.Metric + " always is"
		}
		return &FieldError{Path: sloPrefix + l.Metric + "." + bound, Value: x, Rule: rule, Hint: hint, Related: []string{sloPrefix + l.Metric}}
	}
	switch {
	case l.Max < 0 || l.Max == 0 && time: // false when it is not set
		return fail("max", l.Max, "no design can meet it: give a limit above 0")
	case l.Min < 0:
		return fail("min", l.Min, "every design meets it: give a limit above 0, or leave it out")
	}
	return nil
}
