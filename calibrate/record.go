package calibrate

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"scoville/calibrate/diagnose"
	"scoville/calibrate/fold"
	"scoville/calibrate/measured"
	"scoville/calibrate/objective"
	"scoville/calibrate/results"
	"scoville/calibrate/saturation"
	"scoville/core"
)

// record turns a finished job into what is written.
func (j *job) record(ctx context.Context, in *input) (*results.Fit, []results.Residual, error) {
	r := j.result
	predicted, err := j.obj.Predict(ctx, [][]float64{j.values}, j.fitted)
	if err != nil {
		return nil, nil, err
	}
	residuals := j.residuals(nil, results.Fitted, j.fitted, diagnose.Plain(predicted[0]))
	for _, h := range j.held {
		residuals = j.residuals(residuals, results.HeldOut, h.Out, h.predicted)
	}
	f := &results.Fit{
		Schema: results.Schema, SimVersion: core.Version,
		DataSHA256: measured.Hash(in.files), Where: in.opt.Where, AppliesTo: j.appliesTo(j.fitted),
		Conditions: len(j.fitted), Dropped: in.dropped,
		Status: string(r.Status), Cost: r.Cost, Iterations: r.Iterations, Evals: r.Evals, Agreement: r.Agreement(),
		Condition: r.Weak.Condition, Weak: r.Weak.String(),
		Errors: results.Summarise(residuals), Validity: j.validity(), Chips: j.chips(), HeldOut: j.how, Assumed: in.notes(), Suspects: in.suspects(),
	}
	for _, file := range in.files {
		f.Files = append(f.Files, results.File{Name: file.Name, SHA256: file.SHA256, Form: file.Form})
	}
	for _, i := range j.fitted {
		f.Rows += len(j.obj.Conditions[i].Rows)
	}
	for _, s := range r.Starts {
		f.Starts = append(f.Starts, results.Start{From: s.From, To: s.To, Cost: s.Cost, Status: string(s.Status), Iterations: s.Iterations, Polished: s.Polished})
	}
	j.parameters(f)
	j.judge(f, residuals)
	j.models(f, residuals)
	f.Judge()
	en, because := &j.obj.Conditions[j.fitted[0]].Scenario.Engine, "the form of the engine's era, %s, or what was fixed"
	if en.HostOverlap != "sum" {
		f.Modes = append(f.Modes, results.Mode{Path: objective.HostOverlap, Value: en.HostOverlap, Because: fmt.Sprintf(because, en.Version)})
	}
	if en.Async {
		f.Modes = append(f.Modes, results.Mode{Path: objective.Async, Value: en.Async, Because: fmt.Sprintf(because, en.Version)})
	}
	if en.ClientSpread > 0 {
		f.Modes = append(f.Modes, results.Mode{Path: "engine.client_spread", Value: en.ClientSpread, Because: "what was fixed"})
	}
	j.gates(f)
	return f, residuals, nil
}

// parameters fills in the estimates, their notes and their covariance.
func (j *job) parameters(f *results.Fit) {
	for i, e := range j.result.Estimates {
		p := results.Parameter{
			Name: e.Name, Path: j.obj.Params[i].Path, Unit: e.Unit, Value: j.values[i],
			Lo: e.Lo, Hi: e.Hi, Min: e.Min, Max: e.Max, Init: e.Init, Held: e.Fixed,
			Linear: !e.Relative(), Base: j.obj.Params[i].Base, Scope: j.obj.Params[i].Scope,
		}
		if tied := j.obj.Params[i].Tied; tied != nil {
			p.Tied = tied.String()
		}
		if e.Prior.SD > 0 {
			p.Prior = &results.Prior{Center: e.Prior.Center, SDLn: e.Prior.SD}
		}
		switch span := e.Span(); {
		case p.Tied != "":
			p.Lo, p.Hi = p.Value, p.Value
			p.Notes = append(p.Notes, "= "+p.Tied)
		case e.Fixed:
			p.Lo, p.Hi = p.Value, p.Value
			p.Notes = append(p.Notes, "held")
		case e.NoEffect:
			p.NoEffect = true
			p.Notes = append(p.Notes, "NO EFFECT on these data")
		default:
			if e.Bound != "" {
				p.AtBound = true
				p.Notes = append(p.Notes, "AT ITS "+strings.ToUpper(e.Bound))
			}
			if e.AsPrior() {
				p.AsPrior = true
				p.Notes = append(p.Notes, "as its prior: the data hardly say")
			} else if span > weakSpan {
				p.Notes = append(p.Notes, fmt.Sprintf("WEAK: interval spans %.0fx", span))
			}
		}
		f.Parameters = append(f.Parameters, p)
		if !e.Fixed {
			f.Free = append(f.Free, e.Name)
		}
	}
	for i := range f.Free {
		row := make([]float64, len(f.Free))
		for k := range row {
			row[k] = j.result.Covariance.At(i, k)
		}
		f.Covariance = append(f.Covariance, row)
	}
}

// weakSpan is the ratio of the ends of a 95 % interval from which a parameter
// is called weak.
const weakSpan = 3

// residuals appends measured and predicted values of conditions.
func (j *job) residuals(dst []results.Residual, split string, conds []int, predicted []diagnose.Prediction) []results.Residual {
	for n, i := range conds {
		c := &j.obj.Conditions[i]
		sc := &c.Scenario
		for _, o := range c.Rows {
			for t, target := range j.obj.Targets {
				m, ok := o.Target(target.Metric)
				if !ok {
					continue
				}
				r := results.Residual{
					File: o.File, Line: o.Line, ID: o.ID, Source: o.Source,
					Hardware: sc.Hardware.Name, Model: sc.Model.Name, Version: sc.Engine.Version,
					Prompt: sc.Workload.Class[0].Prompt.Mean, Output: sc.Workload.Class[0].Output.Mean,
					Concurrency: c.Concurrency(), TP: sc.Engine.TP, Rate: math.NaN(),
					Metric: target.Metric, Split: split, Measured: m, Predicted: predicted[n].Value[t], Sigma: target.Sigma,
					Lo: math.NaN(), Hi: math.NaN(),
				}
				if predicted[n].SD != nil {
					r.Lo, r.Hi = predicted[n].Interval(t)
				}
				if c.Open() {
					r.Rate = sc.Workload.RateRPS
				}
				dst = append(dst, r)
			}
		}
	}
	return dst
}

// appliesTo lists the chips, models, formats and versions of the fitted
// conditions, or the versions that the specification says. What none of them
// says is no condition.
func (j *job) appliesTo(conds []int) results.AppliesTo {
	list := func(path string) (values []string) {
		for _, i := range conds {
			v, err := j.obj.Conditions[i].Scenario.Get(path)
			if s, ok := v.(string); err == nil && ok && s != "" && !slices.Contains(values, s) {
				values = append(values, s)
			}
		}
		return values
	}
	versions := j.spec.Versions
	if versions == nil {
		versions = list("engine.version")
	}
	return results.AppliesTo{
		Hardware: list("hardware.name"), Model: list("model.name"),
		WeightDType: list("model.weight_dtype"), KVDType: list("model.kv_dtype"), EngineVersion: versions,
	}
}

// validity returns the span of each condition over the fitted rows; quantities
// that the rows do not show are left out.
func (j *job) validity() []results.Range {
	path, _ := j.levels()
	spans := []results.Range{{Path: "workload.prompt_tokens"}, {Path: "workload.output_tokens"}, {Path: "engine.tp"}, {Path: path}}
	for k := range spans {
		spans[k].Lo, spans[k].Hi = math.Inf(1), math.Inf(-1)
	}
	for _, i := range j.fitted {
		c := &j.obj.Conditions[i]
		prompt, output := c.Lengths()
		tp, load := float64(c.Scenario.Engine.TP), fold.Level(c, path)
		for k, x := range [][2]float64{prompt, output, {tp, tp}, {load, load}} {
			if x[1] > 0 {
				spans[k].Lo, spans[k].Hi = min(spans[k].Lo, x[0]), max(spans[k].Hi, x[1])
			}
		}
	}
	return slices.DeleteFunc(spans, func(r results.Range) bool { return r.Lo > r.Hi })
}

// chips returns what the fitted rows had of each chip that has a name.
func (j *job) chips() (out []results.Chip) {
	for _, i := range j.fitted {
		s := &j.obj.Conditions[i].Scenario
		if s.Hardware.Name == "" {
			continue
		}
		n := slices.IndexFunc(out, func(c results.Chip) bool { return c.Name == s.Hardware.Name })
		if n < 0 {
			n = len(out)
			out = append(out, results.Chip{Name: s.Hardware.Name, KVPath: s.Hardware.KVPath})
		}
		for _, a := range s.Chip() {
			x, ok := a.Value.(float64)
			if !ok || slices.ContainsFunc(j.obj.Params, func(p objective.Param) bool { return p.Path == a.Path }) {
				continue
			}
			spans := out[n].Spans
			k := slices.IndexFunc(spans, func(r results.Range) bool { return r.Path == a.Path })
			if k < 0 {
				k = len(spans)
				spans = append(spans, results.Range{Path: a.Path, Lo: x, Hi: x})
			}
			spans[k].Lo, spans[k].Hi = min(spans[k].Lo, x), max(spans[k].Hi, x)
			out[n].Spans = spans
		}
	}
	return out
}

// gates fills in the requirements that do not hold.
func (j *job) gates(f *results.Fit) {
	if f.Status != results.Converged {
		f.Gates = append(f.Gates, results.Gate{What: "fit " + f.Status})
	}
	learned := func(p results.Parameter) bool { return !p.Held && !p.AsPrior && !p.NoEffect && p.Lo < p.Hi }
	if !slices.ContainsFunc(f.Parameters, learned) {
		f.Gates = append(f.Gates, results.Gate{What: "the data determine no parameter: every one is as its prior or without effect"})
	}
	if limit := j.spec.MaxError; limit > 0 {
		for _, e := range f.Errors {
			if e.Split == results.HeldOut && e.Median > limit {
				f.Gates = append(f.Gates, results.Gate{What: "held-out " + e.Metric, Value: e.Median, Limit: limit})
			}
		}
	}
}

// beyond scores the runs of the fitted models that are beyond saturation.
func (j *job) beyond(ctx context.Context, in *input, f *results.Fit, residuals []results.Residual) ([]results.Residual, error) {
	conds, why := objective.Beyond(in.rows, in.spec.Fixed, in.catalog(), nil)
	var more []results.Residual
	var err error
	f.Saturated, more, err = saturation.Score(ctx, saturation.Join(j.obj.Conditions, conds), why, saturation.At{Params: j.obj.Params, Values: j.values, Jobs: in.opt.Jobs})
	return append(residuals, more...), err
}
