package calibrate

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"scoville/calibrate/fit"
	"scoville/core/scenario"
	"scoville/core/workload"
)

// heldOut is a prediction of conditions that had no part in the fit it comes
// from.
type heldOut struct {
	conds     []int
	predicted [][]float64 // condition, target; ms
}

// split decides which conditions are fitted to. A condition is held out when
// any of its rows is.
func (j *job) split() error {
	j.fitted, j.outside = nil, nil
	where := j.spec.holdout
	for i := range j.obj.Conditions {
		if where != nil && slices.ContainsFunc(j.obj.Conditions[i].Rows, where.Match) {
			j.outside = append(j.outside, i)
		} else {
			j.fitted = append(j.fitted, i)
		}
	}
	if where != nil && len(j.outside) == 0 {
		return fmt.Errorf("[holdout] where matches no row")
	}
	if len(j.fitted) == 0 {
		return fmt.Errorf("[holdout] where matches every row: nothing is left to fit")
	}
	return nil
}

// holdOut predicts conditions from fits that did not see them: those the
// specification holds out or else, one level at a time, each interior level of
// concurrency (of the request rate in an open loop).
func (j *job) holdOut(ctx context.Context) error {
	if j.outside != nil {
		j.how = fmt.Sprintf("%d conditions of [holdout]", len(j.outside))
		return j.predictHeld(ctx, j.values, j.outside)
	}
	path, levels := j.levels()
	if len(levels) < 3 {
		j.how = "none: fewer than three levels of load"
		return nil
	}
	names := make([]string, len(levels))
	for i, l := range levels {
		names[i] = fmt.Sprintf("%g", l)
	}
	interior := levels[1 : len(levels)-1]
	j.how = fmt.Sprintf("each of %s = %s in turn", strings.TrimPrefix(path, "workload."), strings.Join(names[1:len(names)-1], ", "))
	for _, l := range interior {
		var in, out []int
		for _, i := range j.fitted {
			if level(&j.obj.Conditions[i].Scenario, path) == l {
				out = append(out, i)
			} else {
				in = append(in, i)
			}
		}
		j.log(fmt.Sprintf("holding out %s = %g: %d conditions", path, l, len(out)))
		values, err := j.refit(ctx, in)
		if err != nil {
			return err
		}
		if err := j.predictHeld(ctx, values, out); err != nil {
			return err
		}
	}
	return nil
}

// refit fits some of the conditions as the whole fit does, from the priors'
// centres and scattered starts: it knows nothing of where the whole fit ended,
// which has seen the rows that are held out.
func (j *job) refit(ctx context.Context, conds []int) ([]float64, error) {
	p := j.obj.Problem(ctx, conds, j.loss)
	r, err := fit.Run(p, fit.Settings{Starts: refitStarts, Polish: refitPolish, Screen: every(3, len(conds))})
	if err != nil {
		return nil, err
	}
	return r.Values, nil
}

// Starts of a refit, and how many of them are continued on all its conditions.
const (
	refitStarts = 8
	refitPolish = 2
)

// predictHeld simulates held-out conditions.
func (j *job) predictHeld(ctx context.Context, values []float64, conds []int) error {
	out, err := j.obj.Predict(ctx, [][]float64{values}, conds)
	if err != nil {
		return err
	}
	j.held = append(j.held, heldOut{conds, out[0]})
	return nil
}

// levels returns the load axis of the fitted conditions and its distinct
// values, in order.
func (j *job) levels() (path string, levels []float64) {
	path = "workload.concurrency"
	first := &j.obj.Conditions[j.fitted[0]].Scenario
	if first.Workload.Arrival != workload.Closed {
		path = "workload.rate_rps"
	}
	for _, i := range j.fitted {
		levels = append(levels, level(&j.obj.Conditions[i].Scenario, path))
	}
	slices.Sort(levels)
	return path, slices.Compact(levels)
}

func level(sc *scenario.Scenario, path string) float64 {
	if path == "workload.rate_rps" {
		return sc.Workload.RateRPS
	}
	return float64(sc.Workload.Concurrent)
}
