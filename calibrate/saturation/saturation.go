// Package saturation scores runs beyond saturation on throughput alone: their
// latencies are those of a queue that grows as long as the run lasts, but how
// much a full server gets done is a measurement of its own.
package saturation

import (
	"context"
	"fmt"
	"math"
	"slices"

	"scoville/calibrate/measured"
	"scoville/calibrate/objective"
	"scoville/calibrate/results"
	"scoville/core/workload"
)

// Rates that are compared: those the benchmark reports and, where it reports
// none, in a closed loop that which follows from its latencies by Little's law,
// concurrency x output / (TTFT + TPOT x (output - 1)).
const (
	requests = "throughput_rps"
	tokens   = "output_tok_s"
	implied  = "implied_output_tok_s"
)

// targets are what is simulated, in this order.
var targets = []objective.Target{{Metric: requests}, {Metric: tokens}, {Metric: "ttft_mean_ms"}, {Metric: "tpot_mean_ms"}}

// Join gives conditions of other rows the models of a fit, so that its parameters
// act on them: those of the fit's chips, engine eras and models stay. Of a model
// that the fit has in several variants it takes the one with the row's version
// and format.
func Join(fitted, others []objective.Condition) []objective.Condition {
	var out []objective.Condition
	for _, c := range others {
		like := func(f *objective.Condition, exact bool) bool {
			a, b := &c.Scenario, &f.Scenario
			return a.Hardware.Name == b.Hardware.Name && a.Model.Name == b.Model.Name && objective.Era(a.Engine.Version) == objective.Era(b.Engine.Version) &&
				(!exact || a.Engine.Version == b.Engine.Version && a.Model.DenseWeights() == b.Model.DenseWeights())
		}
		k := slices.IndexFunc(fitted, func(f objective.Condition) bool { return like(&f, true) })
		if k < 0 {
			k = slices.IndexFunc(fitted, func(f objective.Condition) bool { return like(&f, false) })
		}
		if k >= 0 {
			c.Variant = fitted[k].Variant
			out = append(out, c)
		}
	}
	return out
}

// At is what runs are simulated with: parameters at their values, none to leave
// everything as the conditions say, and how many simulations run at once.
type At struct {
	Params []objective.Param
	Values []float64
	Jobs   int
}

// Score simulates the conditions at the values of the parameters and compares
// throughput. why lists runs that could not be simulated at all; they are passed
// on. Runs without any rate, measured or implied, are among them. nil when there
// is nothing to say.
func Score(ctx context.Context, conds []objective.Condition, why []string, at At) (*results.Throughput, []results.Residual, error) {
	if len(conds) == 0 {
		if len(why) == 0 {
			return nil, nil, nil
		}
		return &results.Throughput{Unscored: why}, nil, nil
	}
	obj, err := objective.New(conds, at.Params, targets, 1, at.Jobs)
	if err != nil {
		return nil, nil, err
	}
	all := make([]int, len(conds))
	for i := range all {
		all[i] = i
	}
	predicted, err := obj.Predict(ctx, [][]float64{at.Values}, all)
	if err != nil {
		return nil, nil, err
	}
	t := &results.Throughput{Unscored: why}
	var out []results.Residual
	for i := range conds {
		for _, o := range conds[i].Rows {
			from := len(out)
			out = compare(out, &conds[i], o, predicted[0][i])
			if len(out) == from {
				t.Unscored = append(t.Unscored, fmt.Sprintf("%s:%d: neither a throughput nor, in a closed loop, mean TTFT and TPOT", o.File, o.Line))
				continue
			}
			t.Rows++
		}
	}
	t.Errors = results.Summarise(out)
	return t, out, nil
}

// compare appends what is measured of one run beside its prediction.
func compare(dst []results.Residual, c *objective.Condition, o *measured.Observation, predicted []float64) []results.Residual {
	sc := &c.Scenario
	prompt, output := c.Lengths()
	r := results.Residual{
		File: o.File, Line: o.Line, ID: o.ID, Source: o.Source,
		Hardware: sc.Hardware.Name, Model: sc.Model.Name, Version: sc.Engine.Version,
		Prompt: (prompt[0] + prompt[1]) / 2, Output: (output[0] + output[1]) / 2,
		Concurrency: c.Concurrency(), TP: sc.Engine.TP, Rate: math.NaN(), Lo: math.NaN(), Hi: math.NaN(), Sigma: math.NaN(),
		Split: results.Saturated,
	}
	if c.Open() {
		r.Rate = sc.Workload.RateRPS
	}
	for _, m := range o.Rates {
		if i := slices.Index([]string{requests, tokens}, m.Metric); i >= 0 {
			r.Metric, r.Measured, r.Predicted = m.Metric, m.Value, predicted[i]
			dst = append(dst, r)
		}
	}
	ttft, ok := o.Target("ttft_mean_ms")
	tpot, ok2 := o.Target("tpot_mean_ms")
	if len(o.Rates) > 0 || !ok || !ok2 || sc.Workload.Arrival != workload.Closed {
		return dst
	}
	r.Metric, r.Measured, r.Predicted = implied, little(c, ttft, tpot), little(c, predicted[2], predicted[3])
	return append(dst, r)
}

// little is the output rate, in tokens per second, of a closed loop with these
// mean latencies, in ms.
func little(c *objective.Condition, ttft, tpot float64) float64 {
	w := &c.Scenario.Workload
	n := float64(w.Concurrent)
	if w.Requests > 0 {
		n = min(n, float64(w.Requests))
	}
	out := w.Class[0].Output.Mean * (1 + c.Scenario.Measurement.LengthRange) / 2
	return 1e3 * n * out / (ttft + tpot*(out-1))
}
