package calibrate

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"scoville/calibrate/fit"
	"scoville/calibrate/measured/row"
	"scoville/calibrate/objective"
	"scoville/calibrate/spec"
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
	where := j.spec.Holdout
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
// specification holds out or else, for batches and steps, random ones, for
// servers, one level at a time, each interior level of concurrency (of the
// request rate in an open loop).
func (j *job) holdOut(ctx context.Context) error {
	switch kind := j.obj.Conditions[j.fitted[0]].Kind; {
	case j.outside != nil:
		j.how = fmt.Sprintf("%d conditions of [holdout]", len(j.outside))
		return j.predictHeld(ctx, j.values, j.outside)
	case j.spec.By != "":
		return j.leaveOut(ctx, j.spec.By)
	case j.spec.Random.Fraction > 0:
		return j.drawOut(ctx, j.spec.Random)
	case kind == row.Replay:
		j.how = "none: one run; [holdout] where = 'request >= 100' holds out its later requests"
		return nil
	case pooled(kind):
		return j.drawOut(ctx, spec.Usual())
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
		err := j.without(ctx, fmt.Sprintf("%s = %g", path, l), func(i int) bool {
			return level(&j.obj.Conditions[i], path) == l
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// without predicts the conditions that out names from a fit to the others.
func (j *job) without(ctx context.Context, what string, out func(i int) bool) error {
	var in, held []int
	for _, i := range j.fitted {
		if out(i) {
			held = append(held, i)
		} else {
			in = append(in, i)
		}
	}
	if len(in) == 0 || len(held) == 0 {
		return nil
	}
	j.log(fmt.Sprintf("holding out %s: %d conditions", what, len(held)))
	values, err := j.refit(ctx, in)
	if err != nil {
		return err
	}
	return j.predictHeld(ctx, values, held)
}

// leaveOut holds out each value of a scenario key in turn.
func (j *job) leaveOut(ctx context.Context, path string) error {
	var values []string
	of := map[int]string{}
	for _, i := range j.fitted {
		v, err := j.obj.Conditions[i].Scenario.Get(path)
		if err != nil {
			return &InputError{fmt.Errorf("[holdout] by: %w", err)}
		}
		of[i] = fmt.Sprint(v)
		if !slices.Contains(values, of[i]) {
			values = append(values, of[i])
		}
	}
	if len(values) < 2 {
		j.how = fmt.Sprintf("none: all conditions have %s = %s", path, values[0])
		return nil
	}
	j.how = fmt.Sprintf("each of %s = %s in turn", path, strings.Join(values, ", "))
	for _, v := range values {
		if err := j.without(ctx, path+" = "+v, func(i int) bool { return of[i] == v }); err != nil {
			return err
		}
	}
	return nil
}

// drawOut holds out random conditions, once for each seed.
func (j *job) drawOut(ctx context.Context, d spec.Random) error {
	n := int(math.Round(d.Fraction * float64(len(j.fitted))))
	if n < 1 || len(j.fitted) < 5 {
		j.how = fmt.Sprintf("none: %g of %d conditions are none", d.Fraction, len(j.fitted))
		return nil
	}
	j.how = fmt.Sprintf("%.0f %% of the conditions at random, with %d seeds from %d", 100*d.Fraction, d.Seeds, d.Seed)
	for s := range d.Seeds {
		stream := workload.NewStream(d.Seed+uint64(s), 0, "holdout")
		key := map[int]float64{}
		for _, i := range j.fitted {
			key[i] = stream.Uniform(i)
		}
		order := slices.Clone(j.fitted)
		slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(key[a], key[b]) })
		out := map[int]bool{}
		for _, i := range order[:n] {
			out[i] = true
		}
		if err := j.without(ctx, fmt.Sprintf("random conditions, seed %d", d.Seed+uint64(s)), func(i int) bool { return out[i] }); err != nil {
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
	if j.obj.Conditions[j.fitted[0]].Open() {
		path = "workload.rate_rps"
	}
	for _, i := range j.fitted {
		levels = append(levels, level(&j.obj.Conditions[i], path))
	}
	slices.Sort(levels)
	return path, slices.Compact(levels)
}

func level(c *objective.Condition, path string) float64 {
	if path == "workload.rate_rps" {
		return c.Scenario.Workload.RateRPS
	}
	return float64(c.Concurrency())
}
