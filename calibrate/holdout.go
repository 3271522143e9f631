package calibrate

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"scoville/calibrate/diagnose"
	"scoville/calibrate/fit"
	"scoville/calibrate/fold"
	"scoville/calibrate/objective"
)

// heldOut is a prediction of conditions that had no part in the fit it comes
// from: condition, target; ms.
type heldOut struct {
	fold.Fold
	predicted []diagnose.Prediction // per condition
	noise     []float64             // of each target: what the fit's own rows leave
	logs      [][]float64           // of each target: ln(predicted / measured) of the held-out rows
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
// specification holds out, or those of each fold.
func (j *job) holdOut(ctx context.Context) error {
	if j.outside != nil {
		j.how = fmt.Sprintf("%d conditions of [holdout]", len(j.outside))
		err := j.predictHeld(ctx, j.result, fold.Fold{Name: "[holdout]", In: j.fitted, Out: j.outside})
		j.widen()
		return err
	}
	folds, how := fold.Of(j.obj.Conditions, j.fitted, j.spec)
	j.how = how
	for _, f := range folds {
		j.log(fmt.Sprintf("holding out %s: %d conditions", f.Name, len(f.Out)))
		r, err := j.refit(ctx, f.In)
		if err != nil {
			return err
		}
		if err := j.predictHeld(ctx, r, f); err != nil {
			return err
		}
	}
	j.widen()
	return nil
}

// widen adds to the intervals of each fold what parameters do not explain: the
// spread that the fit's own rows leave or, where it is larger, that of the rows
// held out in the other folds, beside the stated scale (diagnose.Scale). Rows of
// the fold itself have no part in it.
func (j *job) widen() {
	for k := range j.held {
		noise := slices.Clone(j.held[k].noise)
		for t := range noise {
			var others []float64
			for i := range j.held {
				if i != k {
					others = append(others, j.held[i].logs[t]...)
				}
			}
			if s := diagnose.Spread(others, 0); s > noise[t] {
				noise[t] = s
			}
			noise[t] = j.scale(noise[t], j.held[k].In, t)
		}
		for i := range j.held[k].predicted {
			j.held[k].predicted[i].Widen(noise)
		}
	}
}

// scale is what parameters do not explain of a target, of which rows show spread
// and groups of the conditions listed speak. The stated scale is that of models
// in the fit: where others are predicted, a larger spread is not argued away.
func (j *job) scale(spread float64, conds []int, t int) float64 {
	s := diagnose.Scale(spread, fold.Groups(j.obj.Conditions, conds, j.spec), j.obj.Targets[t].Scale())
	if strings.HasPrefix(j.spec.By, "model") && spread > s {
		return spread
	}
	return s
}

// refit fits some of the conditions as the whole fit does, from the priors'
// centres and scattered starts: it knows nothing of where the whole fit ended,
// which has seen the rows that are held out.
func (j *job) refit(ctx context.Context, conds []int) (*fit.Result, error) {
	p := j.obj.Problem(ctx, conds, j.loss)
	set := fit.Settings{Starts: refitStarts, Polish: refitPolish, Screen: every(3, len(conds))}
	if j.large() {
		set.Starts, set.Polish = refitStarts/4, 1
	}
	return fit.Run(p, set)
}

// Starts of a refit, and how many of them are continued on all its conditions.
const (
	refitStarts = 8
	refitPolish = 2
)

// large reports whether several models have parameters of their own: there are
// many, and their priors guide the search more than scattered starts do. Models
// that share all parameters are searched as one is.
func (j *job) large() bool {
	return slices.ContainsFunc(j.obj.Params, func(p objective.Param) bool { return p.Scope != "" })
}

// predictHeld simulates held-out conditions with their intervals.
func (j *job) predictHeld(ctx context.Context, r *fit.Result, f fold.Fold) error {
	p, err := j.predict(ctx, r, f.Out)
	if err != nil {
		return err
	}
	own, err := j.obj.Predict(ctx, [][]float64{r.Values}, f.In)
	if err != nil {
		return err
	}
	h := heldOut{Fold: f, predicted: p}
	values := make([][]float64, len(p))
	for i := range p {
		values[i] = p[i].Value
	}
	for t := range j.obj.Targets {
		h.noise = append(h.noise, diagnose.Spread(j.logs(f.In, own[0], t), r.Effective()))
		h.logs = append(h.logs, j.logs(f.Out, values, t))
	}
	j.held = append(j.held, h)
	return nil
}

// predict returns the prediction of conditions with the standard deviation of
// its logarithm that comes of the parameters' covariance.
func (j *job) predict(ctx context.Context, r *fit.Result, conds []int) ([]diagnose.Prediction, error) {
	const step = 0.03
	points := [][]float64{r.Values}
	var width []float64
	for i := range j.obj.Params {
		p := &j.obj.Params[i]
		if p.Fixed {
			continue
		}
		x := r.Values[i]
		a, b := max(x*(1-step), p.Min), min(x*(1+step), p.Max)
		for _, v := range []float64{b, a} {
			q := slices.Clone(r.Values)
			q[i] = v
			points = append(points, q)
		}
		if w := b - a; p.Relative() && x != 0 {
			width = append(width, w/x)
		} else {
			width = append(width, w)
		}
	}
	out, err := j.obj.Predict(ctx, points, conds)
	if err != nil {
		return nil, err
	}
	preds := make([]diagnose.Prediction, len(conds))
	for i := range conds {
		preds[i].Value = out[0][i]
		for t := range j.obj.Targets {
			g := make([]float64, len(width))
			for k := range g {
				if d := math.Log(out[1+2*k][i][t] / out[2+2*k][i][t]); !math.IsNaN(d) && !math.IsInf(d, 0) && width[k] > 0 {
					g[k] = d / width[k]
				}
			}
			preds[i].SD = append(preds[i].SD, math.Sqrt(r.Variance(g)))
		}
	}
	return preds, nil
}

// logs returns ln(predicted / measured) of a target over conditions.
func (j *job) logs(conds []int, predicted [][]float64, t int) []float64 {
	var out []float64
	for n, i := range conds {
		for _, o := range j.obj.Conditions[i].Rows {
			if m, ok := o.Target(j.obj.Targets[t].Metric); ok {
				out = append(out, math.Log(predicted[n][t]/m))
			}
		}
	}
	return out
}

// levels returns the load axis of the fitted conditions and its distinct
// values, in order.
func (j *job) levels() (path string, levels []float64) {
	return fold.Levels(j.obj.Conditions, j.fitted)
}
