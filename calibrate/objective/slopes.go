package objective

import (
	"context"
	"math"
	"slices"

	"scoville/calibrate/fit"
	"scoville/core/scenario"
)

// slopeStep is the difference of a coordinate to each side that slopes are taken
// over: 5 % of a value on a logarithmic scale. Smaller ones would see single
// decisions of the scheduler.
const slopeStep = 0.05

// Slopes returns what conditions paired with an overlay are predicted to measure,
// in ms, and how ln of it goes with the coordinates of the overlay's covariance:
// by condition, target and parameter. A parameter that changes nothing, or beyond
// what a run can give, has slope 0. Only the metrics of the targets are read.
func Slopes(ctx context.Context, conds []Condition, cov *scenario.Covariance, targets []Target, jobs int) (at [][]float64, slope [][][]float64, err error) {
	var params []Param
	var values []float64
	for i, path := range cov.Paths {
		x := cov.Value(i, cov.Mean[i])
		params = append(params, Param{Path: path, Param: fit.Param{Name: path, Init: x, Fixed: true}})
		values = append(values, x)
	}
	obj, err := New(conds, params, targets, 1, jobs)
	if err != nil {
		return nil, nil, err
	}
	points := [][]float64{values}
	for i := range params {
		for _, h := range []float64{-slopeStep, slopeStep} {
			x := slices.Clone(values)
			x[i] = cov.Value(i, cov.Mean[i]+h)
			points = append(points, x)
		}
	}
	all := make([]int, len(conds))
	for i := range all {
		all[i] = i
	}
	out, err := obj.Predict(ctx, points, all)
	if err != nil {
		return nil, nil, err
	}
	for c := range conds {
		at = append(at, out[0][c])
		var of [][]float64
		for t := range targets {
			g := make([]float64, len(params))
			for i := range g {
				if d := math.Log(out[2+2*i][c][t]/out[1+2*i][c][t]) / (2 * slopeStep); !math.IsNaN(d) && !math.IsInf(d, 0) {
					g[i] = d
				}
			}
			of = append(of, g)
		}
		slope = append(slope, of)
	}
	return at, slope, nil
}
