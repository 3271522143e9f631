// Package suggest says which further measurements would narrow what an overlay
// leaves open: it simulates candidates around the overlay's values, takes its
// covariance for what is known, and chooses by optimal design. Nothing is fitted
// or measured.
package suggest

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"scoville/calibrate/design"
	"scoville/calibrate/measured"
	"scoville/calibrate/objective"
	"scoville/core/metrics"
	"scoville/core/scenario"
)

// Input is what is asked.
type Input struct {
	Overlay    scenario.Layer
	Hardware   string   // chip, model: where the overlay holds for several or for any
	Model      string   // likewise
	Predict    []string // METRIC@KEY=VALUE,KEY=VALUE; none = all parameters
	Candidates []string // KEY=VALUE,VALUE: over the usual grid
	Runs       int      // measurements to suggest
	Jobs       int
}

// Interval of a normal error that holds 90 %.
const z90 = 1.6448536269514722

// Prediction is a number whose interval is to shrink.
type Prediction struct {
	Text     string
	Unit     string
	Value    float64 // with the overlay's values
	SD       float64 // of ln value by the parameters, before any measurement
	ModelSD  float64 // what parameters do not explain; 0 = not said
	gradient []float64
}

// Interval is the 90 % interval of a prediction by the parameters alone, at a
// standard deviation.
func (p *Prediction) Interval(sd float64) (lo, hi float64) {
	return p.Value * math.Exp(-z90*sd), p.Value * math.Exp(z90*sd)
}

// Run is a suggested measurement.
type Run struct {
	Text    string    // its conditions
	Server  string    // command that starts the server
	Command string    // command that measures
	SD      []float64 // of each prediction, after it and those before
	Shrink  float64   // without predictions: factor on the parameters' standard deviations, geometric mean, likewise
}

// Suggestion is the answer.
type Suggestion struct {
	Overlay     string
	Parameters  int
	Candidates  int
	Dropped     []string // candidates that cannot be measured, by reason
	Assumed     []string
	Predictions []Prediction
	Runs        []Run
}

// plan is what is simulated.
type plan struct {
	in       Input
	cov      scenario.Covariance
	noise    []objective.Target // what a run measures, with its errors
	fixed    []setting          // of every condition
	settings []setting          // axes of the grid
}

// For returns the suggestion. Its errors are the user's to fix, or the context's.
func For(ctx context.Context, in Input) (*Suggestion, error) {
	p, err := newPlan(in)
	if err != nil {
		return nil, err
	}
	out := &Suggestion{Overlay: in.Overlay.Name, Parameters: len(p.cov.Paths)}
	out.Assumed = p.assumed()
	for _, text := range in.Predict {
		one, err := p.prediction(ctx, text)
		if err != nil {
			return nil, err
		}
		out.Predictions = append(out.Predictions, *one)
	}
	conds, dropped, err := p.grid(ctx)
	if err != nil {
		return nil, err
	}
	out.Candidates, out.Dropped = len(conds), dropped
	candidates, err := p.responses(ctx, conds)
	if err != nil {
		return nil, err
	}
	goal := design.Goal{}
	for _, one := range out.Predictions {
		goal.Predictions = append(goal.Predictions, one.gradient)
	}
	s, shrunk := p.cov.Matrix, 0.0
	for _, i := range design.Choose(p.cov.Matrix, candidates, goal, in.Runs) {
		r := p.command(&conds[i])
		shrunk += design.Gain(s, candidates[i])
		s = design.Update(s, candidates[i])
		for _, one := range out.Predictions {
			r.SD = append(r.SD, math.Sqrt(design.Variance(s, one.gradient)))
		}
		r.Shrink = math.Exp(-shrunk / 2 / float64(len(p.cov.Paths)))
		out.Runs = append(out.Runs, r)
	}
	return out, nil
}

func newPlan(in Input) (*plan, error) {
	p := &plan{in: in}
	var ok bool
	if p.cov, ok = in.Overlay.Covariance(); !ok {
		return nil, fmt.Errorf("%s: has no [calibration.covariance]: it does not say how sure it is; fit it again with calibrate fit", in.Overlay.Name)
	}
	p.noise = objective.DefaultTargets()
	for i, sd := range []float64{p.cov.TTFT, p.cov.TPOT} {
		if sd > 0 {
			p.noise[i].Sigma = sd
		}
	}
	if err := p.machine(); err != nil {
		return nil, err
	}
	return p, p.axes()
}

func (p *plan) assumed() (out []string) {
	for i, sd := range []float64{p.cov.TTFT, p.cov.TPOT} {
		if sd == 0 {
			out = append(out, fmt.Sprintf("a measured %s lies %g off, as a logarithm: the overlay has no [calibration.model_error]", p.noise[i].Metric, p.noise[i].Sigma))
		}
	}
	return out
}

// conditions reads a table of conditions as fit would, and pairs them with the
// overlay. Those that do not fit, or would be saturated, are told by reason.
func (p *plan) conditions(ctx context.Context, name string, rows [][]setting) ([]objective.Condition, []string, error) {
	var b strings.Builder
	for i, row := range rows {
		var head, cells []string
		for _, s := range row {
			head, cells = append(head, s.key), append(cells, s.values[0])
		}
		if i == 0 {
			fmt.Fprintf(&b, "%s,ttft_mean_ms,tpot_mean_ms\n", strings.Join(head, ","))
		}
		fmt.Fprintf(&b, "%s,%d,10\n", strings.Join(cells, ","), 1000+i) // not measured yet: any
	}
	f, err := measured.Read(name, []byte(b.String()), measured.Options{Format: measured.Tidy})
	if err != nil {
		return nil, nil, err
	}
	if len(f.Ignored) > 0 {
		return nil, nil, fmt.Errorf("%s: %s is no condition; isl, osl, concurrency, rate, tp or a study key are", name, strings.Join(f.Ignored, ", "))
	}
	var list []*measured.Observation
	for i := range f.Rows {
		list = append(list, &f.Rows[i])
	}
	conds, err := objective.PairWith(ctx, list, nil, scenario.NewCatalog("."), p.in.Overlay)
	if err != nil {
		return nil, nil, err
	}
	var dropped []string
	for _, o := range list {
		if o.Dropped != "" {
			reason, _, _ := strings.Cut(o.Dropped, ":")
			if !slices.Contains(dropped, reason) {
				dropped = append(dropped, reason)
			}
		}
	}
	return conds, dropped, nil
}

func (p *plan) responses(ctx context.Context, conds []objective.Condition) ([]design.Candidate, error) {
	_, slope, err := objective.Slopes(ctx, conds, &p.cov, p.noise, p.in.Jobs)
	if err != nil {
		return nil, err
	}
	out := make([]design.Candidate, len(conds))
	for c := range conds {
		for t := range p.noise {
			out[c] = append(out[c], design.Response{Gradient: slope[c][t], SD: p.noise[t].Sigma})
		}
	}
	return out, nil
}

// prediction reads METRIC@KEY=VALUE,KEY=VALUE and simulates it.
func (p *plan) prediction(ctx context.Context, text string) (*Prediction, error) {
	fail := func(format string, args ...any) error {
		return fmt.Errorf("--predict %s: "+format, append([]any{text}, args...)...)
	}
	metric, where, ok := strings.Cut(text, "@")
	i, known := metrics.Index(metric)
	switch {
	case !ok || where == "":
		return nil, fail("write METRIC@KEY=VALUE,KEY=VALUE, such as ttft_mean_ms@isl=8192,osl=256,concurrency=16")
	case !known:
		return nil, fail("no metric %q; sweep list metrics says which there are", metric)
	}
	row := slices.Clone(p.fixed)
	for _, part := range strings.Split(where, ",") {
		key, value, ok := strings.Cut(part, "=")
		if !ok || key == "" || value == "" {
			return nil, fail("%q is not of the form KEY=VALUE", part)
		}
		row = with(row, setting{strings.TrimSpace(key), []string{strings.TrimSpace(value)}})
	}
	conds, dropped, err := p.conditions(ctx, "--predict", [][]setting{row})
	if err != nil {
		return nil, err
	}
	if len(conds) == 0 {
		return nil, fail("cannot be predicted: %s", strings.Join(dropped, ", "))
	}
	at, slope, err := objective.Slopes(ctx, conds, &p.cov, []objective.Target{{Metric: metric, Residual: objective.Log, Sigma: 1, Weight: 1}}, p.in.Jobs)
	if err != nil {
		return nil, err
	}
	one := &Prediction{Text: text, Unit: metrics.Columns()[i].Unit, Value: at[0][0], gradient: slope[0][0]}
	if !(one.Value > 0) {
		return nil, fail("the simulator gives no value above 0")
	}
	one.SD = math.Sqrt(design.Variance(p.cov.Matrix, one.gradient))
	if one.SD == 0 {
		return nil, fail("no parameter of the overlay changes it: measurements cannot narrow it")
	}
	switch family, _, _ := strings.Cut(metric, "_"); family {
	case "ttft":
		one.ModelSD = p.cov.TTFT
	case "tpot", "itl":
		one.ModelSD = p.cov.TPOT
	}
	return one, nil
}
