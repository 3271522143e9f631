package objective

import (
	"fmt"
	"math"
	"slices"

	"scoville/calibrate/fit"
	"scoville/calibrate/measured/row"
	"scoville/core/expr"
	"scoville/core/scenario"
)

// apply sets the parameters that act on a condition.
func (o *Objective) apply(c int, sc *scenario.Scenario, x []float64) error {
	for _, k := range o.acts[c] {
		if err := sc.Set(o.Params[k].Path, x[k]); err != nil {
			return fmt.Errorf("parameter %s: %w", o.Params[k].Name, err)
		}
	}
	return nil
}

// task is the simulation of one run, by its conditions, at one point; of is the
// point that has the same parameters there.
type task struct {
	run   []int
	k, of int
}

// tasks lists what must be simulated, dearest runs first, and what has the
// result of another point: a parameter of one model moves no run of another.
func (o *Objective) tasks(points [][]float64, runs [][]int) (todo, same []task) {
	for _, run := range runs {
		acts := o.acts[run[0]]
		var distinct []int
		for k := range points {
			j := slices.IndexFunc(distinct, func(d int) bool {
				return !slices.ContainsFunc(acts, func(p int) bool { return points[d][p] != points[k][p] })
			})
			if j >= 0 {
				same = append(same, task{run, k, distinct[j]})
				continue
			}
			distinct = append(distinct, k)
			todo = append(todo, task{run: run, k: k})
		}
	}
	return todo, same
}

// completed returns the points with the tied parameters filled in.
func (o *Objective) completed(points [][]float64) ([][]float64, error) {
	if !slices.ContainsFunc(o.Params, func(p Param) bool { return p.Tied != nil }) {
		return points, nil
	}
	out := make([][]float64, len(points))
	for k := range points {
		out[k] = slices.Clone(points[k])
		if err := o.Complete(out[k]); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// Complete fills the values of tied parameters in. A name in an expression is
// the parameter of the same model where there is one. The error names a value
// that the key does not allow.
func (o *Objective) Complete(x []float64) error {
	for i, p := range o.Params {
		if p.Tied == nil {
			continue
		}
		v, ok := p.Tied.Number(func(name string) expr.Value {
			for k, q := range o.Params {
				if (q.Name == name || q.Base == name) && q.Tied == nil && (q.Scope == "" || q.Scope == p.Scope) {
					return expr.Of(x[k])
				}
			}
			return expr.Value{}
		})
		if !ok {
			return fmt.Errorf("parameter %s: expr %q gives no number", p.Name, p.Tied)
		}
		x[i] = v
	}
	return nil
}

// pools ties the priors of the parameters that one expanded to.
func (o *Objective) pools() []fit.Pool {
	var out []fit.Pool
	at := map[string]int{}
	for i, p := range o.Params {
		if p.Scope == "" || p.Pool == 0 || p.Prior.SD == 0 || p.Fixed {
			continue
		}
		k, ok := at[p.Base]
		if !ok {
			k = len(out)
			at[p.Base] = k
			out = append(out, fit.Pool{Correlation: p.Pool})
		}
		out[k].Members = append(out[k].Members, i)
	}
	return out
}

// Variants lists the models of the conditions, in order of first occurrence.
func Variants(conds []Condition) []string {
	var out []string
	for i := range conds {
		if v := conds[i].Variant; !slices.Contains(out, v) {
			out = append(out, v)
		}
	}
	return out
}

// Expand gives a parameter of a specification that is per model one copy for
// each model. With a single model nothing changes.
func Expand(params []Param, conds []Condition) []Param {
	variants := Variants(conds)
	if len(variants) < 2 {
		return params
	}
	var out []Param
	for _, p := range params {
		if !p.PerModel {
			out = append(out, p)
			continue
		}
		for _, v := range variants {
			out = append(out, p.of(v))
		}
	}
	return out
}

// of is the copy for one model.
func (p Param) of(variant string) Param {
	p.Base, p.Scope, p.PerModel = p.Name, variant, false
	p.Name += "@" + variant
	return p
}

// perModel are the quantities that differ between models on one chip: how well
// kernels fit the model's shapes, and what its layers cost the host. The others
// are the chip's and the engine's.
var perModel = []string{
	"compute_util", "gemm_large_loss", "expert_compute_util", "experts_always_read", "link_util", "layer_overhead_us", "sequence_overhead_us",
	"prefill_step_overhead_us", "prefill_launch_us", "frontend_us_per_prompt_token", "client_overhead_us",
}

// alike is the correlation of the priors of one quantity between models on one
// chip: half of what is not known of it is the chip's and the engine's, half
// the model's.
const alike = 0.5

// Hierarchy returns what is fitted to rows of one chip and engine era, and one
// model or several: with several, the quantities of a model once for each, tied
// by their priors, and the link's latency free.
func Hierarchy(conds []Condition) []Param {
	variants := Variants(conds)
	groups := make([][]Param, len(variants))
	linked := 0
	for i, v := range variants {
		tp := 1
		var first *scenario.Scenario
		for k := range conds {
			if conds[k].Variant == v {
				tp = max(tp, conds[k].Scenario.Engine.TP)
				if first == nil {
					first = &conds[k].Scenario
				}
			}
		}
		if tp > 1 {
			linked++
		}
		groups[i] = Parameters(first, tp)
	}
	if len(variants) == 1 {
		return ParametersOf(conds)
	}
	var out []Param
	for _, q := range quantities {
		shared := !slices.Contains(perModel, q.name) && (q.name != "kv_bandwidth_util" || oneKV(conds))
		for i, v := range variants {
			at := slices.IndexFunc(groups[i], func(p Param) bool { return p.Name == q.name })
			if at < 0 {
				continue
			}
			p := groups[i][at]
			if shared {
				p.Fixed = p.Fixed && !(q.name == "link_latency_us" && linked > 1)
				out = append(out, p)
				break
			}
			p = p.of(v)
			p.Pool = alike
			out = append(out, p)
		}
	}
	return out
}

// oneKV reports whether the KV caches are all of 16 bits, or all of less:
// attention kernels that unpack KV reach another share of the bandwidth.
func oneKV(conds []Condition) bool {
	narrow := func(c *Condition) bool { return c.Scenario.Model.KV().Bytes() < 2 }
	return !slices.ContainsFunc(conds, func(c Condition) bool { return narrow(&c) != narrow(&conds[0]) })
}

// label names the model of each condition: by what distinguishes it among the
// others, its engine version and weight format where one model has several.
func label(conds []Condition) {
	versions, formats := map[string][]string{}, map[string][]string{}
	add := func(m map[string][]string, key, value string) {
		if !slices.Contains(m[key], value) {
			m[key] = append(m[key], value)
		}
	}
	for i := range conds {
		sc := &conds[i].Scenario
		add(versions, sc.Model.Name, sc.Engine.Version)
		add(formats, sc.Model.Name, string(sc.Model.DenseWeights()))
	}
	for i := range conds {
		c := &conds[i]
		c.Variant = c.Scenario.Model.Name
		if len(formats[c.Variant]) > 1 {
			c.Variant += " " + string(c.Scenario.Model.DenseWeights())
		}
		if n := c.Scenario.Model.Name; len(versions[n]) > 1 && c.Scenario.Engine.Version != "" {
			c.Variant += " " + c.Scenario.Engine.Version
		}
	}
}

// Features are the logarithms of lengths, load and parallelism, and of the
// model's sizes: active and stored parameters.
func (c *Condition) Features() []float64 {
	sc := &c.Scenario
	load := float64(c.Concurrency())
	if c.Open() {
		load = sc.Workload.RateRPS
	}
	size := sc.Model.Params()
	prompt, output := c.Lengths()
	x := []float64{load, float64(sc.Engine.TP), size.Active, size.Total, (prompt[0] + prompt[1]) / 2, (output[0] + output[1]) / 2}
	if c.Kind == row.Step {
		x[4], x[5] = float64(c.Shape.Prefill), c.Shape.Resident
	}
	for k := range x {
		x[k] = math.Log(max(x[k], 0.5))
	}
	return x
}
