// Package score applies an overlay to measurements without fitting: it predicts
// every row, and keeps rows apart that lie outside of what the overlay says it
// holds for. It reads no measurements and writes nothing.
package score

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"scoville/calibrate/design"
	"scoville/calibrate/measured"
	"scoville/calibrate/objective"
	"scoville/calibrate/results"
	"scoville/calibrate/saturation"
	"scoville/core"
	"scoville/core/scenario"
	"scoville/core/scenario/file"
)

// Overlay reads the file of an overlay.
func Overlay(name string) (scenario.Layer, error) {
	text, err := file.Read(name, file.MaxText)
	if err != nil {
		return scenario.Layer{}, &scenario.Error{File: name, Msg: "cannot read the overlay: " + err.Error()}
	}
	doc, err := scenario.ParseTOML(name, text)
	if err != nil {
		return scenario.Layer{}, err
	}
	l, err := scenario.OverlayLayer(doc)
	if err == nil {
		_, err = scenario.NewCatalog(".").Resolve(l) // its values, before those of any row
	}
	return l, err
}

// Input is what is scored.
type Input struct {
	Overlay  scenario.Layer
	Rows     []*measured.Observation // read and selected; dropped ones are left out
	Extra    []scenario.Assignment   // values for all rows
	Dir      string                  // where names of further files start
	MaxError float64                 // largest median error of rows that the overlay holds for, of the metrics of a fit; 0 = any
	Jobs     int
}

// Run predicts the rows with the overlay's values. The record lacks what only
// the reader of the files knows. Rows that cannot be predicted are dropped, with
// the reason in them. Errors point at the row.
func Run(ctx context.Context, in Input) (*results.Score, []results.Residual, error) {
	for _, o := range in.Rows {
		if err := in.said(o); err != nil {
			return nil, nil, err
		}
	}
	conds, err := objective.PairWith(ctx, in.Rows, in.Extra, scenario.NewCatalog(in.Dir), in.Overlay)
	if err != nil {
		return nil, nil, err
	}
	s := &results.Score{
		Schema: results.Schema, SimVersion: core.Version, Overlay: in.Overlay.Name, OverlaySHA256: in.Overlay.Doc.SHA256,
		Conditions: len(conds),
	}
	var residuals []results.Residual
	for _, split := range []string{results.Inside, results.OutsideRange, results.Elsewhere} {
		more, err := in.split(ctx, s, conds, split)
		if err != nil {
			return nil, nil, err
		}
		residuals = append(residuals, more...)
	}
	s.Errors = results.Summarise(residuals)
	results.SortErrors(s.Errors)
	s.Gates = in.gates(s)
	more, err := in.saturated(ctx, s)
	return s, append(residuals, more...), err
}

// saturated compares the throughput of runs beyond saturation. Their load is
// beyond the range of a fit by nature, so only applies_to keeps them apart.
func (in *Input) saturated(ctx context.Context, s *results.Score) ([]results.Residual, error) {
	conds, why := objective.Beyond(in.Rows, in.Extra, scenario.NewCatalog(in.Dir), &in.Overlay)
	t, residuals, err := saturation.Score(ctx, conds, why, saturation.At{Jobs: in.Jobs})
	if err != nil || t == nil {
		return nil, err
	}
	n := 0
	for i := range conds {
		for n < len(residuals) && residuals[n].File == conds[i].Rows[0].File && residuals[n].Line == conds[i].Rows[0].Line {
			if !conds[i].Applies {
				residuals[n].Split = results.Saturated + ", " + results.Elsewhere
			}
			n++
		}
	}
	t.Errors = results.Summarise(residuals)
	slices.SortStableFunc(t.Errors, func(a, b results.Error) int { return strings.Compare(a.Split, b.Split) })
	s.Saturated = t
	return residuals, nil
}

// said makes sure that a row says which chip and model it is of.
func (in *Input) said(o *measured.Observation) error {
	if o.Dropped != "" && !o.Saturated {
		return nil
	}
	if key, what, give := o.Unsaid(in.Extra); what != "" {
		return o.Errorf(key, "give "+give, "%s", what)
	}
	return nil
}

// of tells the split of a condition.
func of(c *objective.Condition) string {
	switch {
	case !c.Applies:
		return results.Elsewhere
	case len(c.Outside) > 0:
		return results.OutsideRange
	}
	return results.Inside
}

// split predicts the conditions of one split, metric by metric, since files may
// have different ones.
func (in *Input) split(ctx context.Context, s *results.Score, conds []objective.Condition, split string) ([]results.Residual, error) {
	mine := slices.DeleteFunc(slices.Clone(conds), func(c objective.Condition) bool { return of(&c) != split })
	var targets []objective.Target
	for i := range mine {
		s.Rows += len(mine[i].Rows)
		for _, o := range mine[i].Rows {
			in.apart(s, &mine[i], o)
			for _, n := range o.Notes {
				if !slices.Contains(s.Assumed, n) {
					s.Assumed = append(s.Assumed, n)
				}
			}
			for _, t := range o.Targets {
				if !slices.ContainsFunc(targets, func(o objective.Target) bool { return o.Metric == t.Metric }) {
					targets = append(targets, objective.Target{Metric: t.Metric, Residual: objective.Log, Sigma: objective.Sigma(t.Metric), Weight: 1})
				}
			}
		}
	}
	if len(mine) == 0 {
		return nil, nil
	}
	cov, _ := in.Overlay.Covariance() // none: no slopes
	predicted, slopes, err := objective.Slopes(ctx, mine, &cov, targets, in.Jobs)
	if err != nil {
		return nil, err
	}
	var out []results.Residual
	cover := map[string]*results.Within{}
	for i := range mine {
		for _, o := range mine[i].Rows {
			from := len(out)
			out = residuals(out, &mine[i], o, targets, predicted[i])
			for n := range out[from:] {
				r := &out[from+n]
				r.Split = split
				k := slices.IndexFunc(targets, func(t objective.Target) bool { return t.Metric == r.Metric })
				if len(cov.Paths) > 0 && smooth(r.Metric) {
					count(cover, r, spread(&cov, r.Metric, slopes[i][k]))
				}
			}
		}
	}
	for _, t := range targets {
		if w := cover[t.Metric]; w != nil {
			s.Within = append(s.Within, *w)
		}
	}
	return out, nil
}

// smooth reports whether a metric moves with the parameters without jumps, so
// that its slopes mean something: a mean, or the time of one step. A quantile
// jumps with single decisions of the scheduler.
func smooth(metric string) bool { return strings.Contains(metric, "_mean_") || metric == "step_ms" }

// spread is the standard deviation of ln measured around a prediction: what the
// parameters leave open, and what the model misses.
func spread(cov *scenario.Covariance, metric string, slope []float64) float64 {
	model := 0.0
	switch family, _, _ := strings.Cut(metric, "_"); family {
	case "ttft":
		model = cov.TTFT
	case "tpot", "itl":
		model = cov.TPOT
	}
	return math.Sqrt(design.Variance(cov.Matrix, slope) + model*model)
}

// z90 is the distance in standard deviations that 90 % of normal errors keep.
const z90 = 1.6448536269514722

// count adds a row to those inside or outside of its 90 % interval.
func count(cover map[string]*results.Within, r *results.Residual, sd float64) {
	w := cover[r.Metric]
	if w == nil {
		w = &results.Within{Metric: r.Metric, Split: r.Split}
		cover[r.Metric] = w
	}
	w.Rows++
	if math.Abs(math.Log(r.Measured/r.Predicted)) <= z90*sd {
		w.Inside++
	}
	w.SD += (sd - w.SD) / float64(w.Rows)
}

// withoutValue is how a row leaves what was fitted, as all that do have it.
func withoutValue(reason string) string {
	key, rest, _ := strings.Cut(reason, " = ")
	if _, span, ok := strings.Cut(rest, " is outside"); ok {
		return results.OutsideRange + " of " + key + span
	}
	if i := strings.LastIndex(rest, ", fitted"); i >= 0 { // of the chip
		return results.OutsideRange + ": " + key + rest[i:]
	}
	return reason
}

// apart counts a row that the overlay does not hold for.
func (in *Input) apart(s *results.Score, c *objective.Condition, o *measured.Observation) {
	var why []string
	switch of(c) {
	case results.Elsewhere:
		why = []string{results.Elsewhere + ": " + in.missed(&c.Scenario)}
	case results.OutsideRange:
		why = c.Outside
	}
	for _, reason := range why {
		if of(c) == results.OutsideRange {
			reason = withoutValue(reason)
		}
		i := slices.IndexFunc(s.Apart, func(d results.Dropped) bool { return d.Reason == reason })
		if i < 0 {
			i = len(s.Apart)
			s.Apart = append(s.Apart, results.Dropped{Reason: reason})
		}
		s.Apart[i].Rows = append(s.Apart[i].Rows, measured.Place(o))
	}
}

// missed words which condition of applies_to a scenario does not meet.
func (in *Input) missed(sc *scenario.Scenario) string {
	a := in.Overlay.AppliesTo
	var out []string
	for _, c := range []struct {
		path string
		list []string
	}{{"hardware.name", a.Hardware}, {"model.name", a.Model}, {"model.weight_dtype", a.WeightDType}, {"model.kv_dtype", a.KVDType}, {"engine.version", a.EngineVersion}} {
		v, err := sc.Get(c.path)
		text := fmt.Sprint(v)
		if err == nil && len(c.list) > 0 && !slices.ContainsFunc(c.list, func(s string) bool { return strings.EqualFold(s, text) }) {
			out = append(out, fmt.Sprintf("%s %q, the overlay is of %s", c.path, text, strings.Join(c.list, ", ")))
		}
	}
	return strings.Join(out, "; ")
}

func residuals(dst []results.Residual, c *objective.Condition, o *measured.Observation, targets []objective.Target, predicted []float64) []results.Residual {
	sc := &c.Scenario
	prompt, output := c.Lengths()
	for t, target := range targets {
		m, ok := o.Target(target.Metric)
		if !ok {
			continue
		}
		r := results.Residual{
			File: o.File, Line: o.Line, ID: o.ID, Source: o.Source,
			Hardware: sc.Hardware.Name, Model: sc.Model.Name, Version: sc.Engine.Version,
			Prompt: (prompt[0] + prompt[1]) / 2, Output: (output[0] + output[1]) / 2,
			Concurrency: c.Concurrency(), TP: sc.Engine.TP, Rate: math.NaN(),
			Metric: target.Metric, Measured: m, Predicted: predicted[t], Sigma: target.Sigma,
		}
		if c.Open() {
			r.Rate = sc.Workload.RateRPS
		}
		dst = append(dst, r)
	}
	return dst
}

// gates are the requirements that do not hold. The limit is on what a fit is to:
// mean TTFT and TPOT, or whatever there is where rows have neither.
func (in *Input) gates(s *results.Score) (out []results.Gate) {
	known, fitted := false, false
	usual := func(e results.Error) bool {
		return slices.ContainsFunc(objective.DefaultTargets(), func(t objective.Target) bool { return t.Metric == e.Metric })
	}
	for _, e := range s.Errors {
		known = known || e.Split == results.Inside
		fitted = fitted || e.Split == results.Inside && usual(e)
	}
	for _, e := range s.Errors {
		if e.Split == results.Inside && in.MaxError > 0 && e.Median > in.MaxError && (usual(e) || !fitted) {
			out = append(out, results.Gate{What: e.Metric, Value: e.Median, Limit: in.MaxError})
		}
	}
	if !known {
		out = append(out, results.Gate{What: "the overlay holds for none of the rows: nothing is scored"})
	}
	return out
}
