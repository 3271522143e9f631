package calibrate

import (
	"math"
	"slices"

	"scoville/calibrate/diagnose"
	"scoville/calibrate/objective"
	"scoville/calibrate/results"
)

// judge fills in what is to be thought of the fit.
func (j *job) judge(f *results.Fit, residuals []results.Residual) {
	f.Baselines = j.baselines()
	f.Coverage = diagnose.Coverage(residuals)
	f.Patterns = diagnose.Patterns(residuals)
	for t := range j.obj.Targets {
		metric := j.obj.Targets[t].Metric
		var groups [][]float64
		for i := range j.obj.Conditions {
			var g []float64
			for _, o := range j.obj.Conditions[i].Rows {
				if m, ok := o.Target(metric); ok {
					g = append(g, m)
				}
			}
			groups = append(groups, g)
		}
		if n, ok := diagnose.Noise(metric, groups); ok {
			f.Noise = append(f.Noise, n)
		}
		f.ModelError = append(f.ModelError, j.modelError(metric, residuals))
	}
	for i := range f.Free {
		for k := range i {
			r := f.Covariance[i][k] / math.Sqrt(f.Covariance[i][i]*f.Covariance[k][k])
			if math.Abs(r) > correlated && !math.IsInf(r, 0) {
				f.Correlated = append(f.Correlated, results.Correlated{A: f.Free[k], B: f.Free[i], R: results.Round(r, 4)})
			}
		}
	}
}

// correlated is the correlation from which two parameters are named as hardly
// told apart.
const correlated = 0.95

// modelError is the scale of held-out residuals, of fitted ones where none are
// held out.
func (j *job) modelError(metric string, residuals []results.Residual) results.Spread {
	logs := map[string][]float64{}
	for _, r := range residuals {
		if r.Metric == metric {
			logs[r.Split] = append(logs[r.Split], math.Log(r.Predicted/r.Measured))
		}
	}
	out := results.Spread{Metric: metric, Split: results.HeldOut}
	sd := diagnose.Spread(logs[results.HeldOut], 0)
	if len(logs[results.HeldOut]) < 5 {
		out.Split, sd = results.Fitted, diagnose.Spread(logs[results.Fitted], j.result.Effective())
	}
	for i := range j.obj.Targets {
		if j.obj.Targets[i].Metric == metric {
			out.SD = j.scale(sd, j.fitted, i)
		}
	}
	return out
}

// baselines scores trivial predictions on the same splits.
func (j *job) baselines() []results.Error {
	var all []results.Residual
	for _, h := range j.held {
		for t := range j.obj.Targets {
			train := j.rows(h.In, t)
			for _, r := range j.rows(h.Out, t) {
				for _, b := range []struct {
					name string
					of   func([]diagnose.Row, *diagnose.Row) float64
				}{{results.Nearest, diagnose.Nearest}, {results.LogLinear, diagnose.LogLinear}} {
					all = append(all, results.Residual{Metric: j.obj.Targets[t].Metric, Split: b.name, Measured: r.Value, Predicted: b.of(train, &r)})
				}
			}
		}
	}
	return results.Summarise(all)
}

// rows are the measured values of a target with the conditions that a trivial
// prediction may use.
func (j *job) rows(conds []int, t int) []diagnose.Row {
	var out []diagnose.Row
	for _, i := range conds {
		c := &j.obj.Conditions[i]
		for _, o := range c.Rows {
			if m, ok := o.Target(j.obj.Targets[t].Metric); ok {
				out = append(out, diagnose.Row{Group: c.Scenario.Hardware.Name + " " + c.Variant, X: c.Features(), Value: m})
			}
		}
	}
	return out
}

// models fills in what each of several models has of its own.
func (j *job) models(f *results.Fit, residuals []results.Residual) {
	variants := objective.Variants(j.obj.Conditions)
	if len(variants) < 2 {
		return
	}
	type place struct {
		file string
		line int
	}
	of := map[place]string{}
	for _, v := range variants {
		m := results.Model{Name: v}
		var conds []int
		for i := range j.obj.Conditions {
			c := &j.obj.Conditions[i]
			if c.Variant != v {
				continue
			}
			for _, o := range c.Rows {
				of[place{o.File, o.Line}] = v
			}
			if slices.Contains(j.fitted, i) {
				conds = append(conds, i)
				m.Rows += len(c.Rows)
			}
		}
		m.AppliesTo, m.Conditions = j.appliesTo(conds), len(conds)
		var own []results.Residual
		for _, r := range residuals {
			if of[place{r.File, r.Line}] == v {
				own = append(own, r)
			}
		}
		m.Errors = results.Summarise(own)
		f.Models = append(f.Models, m)
	}
}
