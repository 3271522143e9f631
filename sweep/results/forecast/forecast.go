// Package forecast says what the draws of a calibration's parameters tell of a
// point: the interval that each metric of another run is expected in, and how
// probable it is that the point keeps its service levels, is saturated, or is on
// the front. It knows neither simulator nor files.
package forecast

import (
	"math"
	"slices"

	"scoville/core/table"
)

// Inside is the share of runs that a prediction interval is expected to hold.
const Inside = 0.90

// least is the number of values below which quantiles at 5 and 95 % say nothing.
const least = 20

// Columns are those of a point beside the intervals of its metrics.
var Columns = []table.Column{
	{Name: "draws", Kind: table.Int64, Definition: "draws of the calibrated parameters that ran; NULL where no overlay with a covariance applies, and without [uncertainty]"},
	{Name: "saturated_draw_ratio", Kind: table.Float64, Unit: "ratio", Better: "lower", Definition: "share of the draws in which the queue grows or nothing runs"},
	{Name: "slo_probability", Kind: table.Float64, Unit: "ratio", Better: "higher", Definition: "share of the draws in which every service-level objective is met, the model's error included; NULL without one, or when fewer than half of the draws can be judged"},
	{Name: "pareto_draw_probability", Kind: table.Float64, Unit: "ratio", Better: "higher", Definition: "share of the draws in which the point is on the front of the objectives; pareto_probability is the share of the replicates"},
}

// Statistics are the suffixes of a metric's columns.
var Statistics = []string{"_pred_lo", "_pred_hi"}

// Forecast is what the draws of one point say. NaN is not known.
type Forecast struct {
	Draws                  int       // that ran
	Lo, Hi                 []float64 // by metric: interval that holds Inside of other runs
	Saturated, SLO, Pareto float64   // shares of the draws
}

// Range returns the interval of a metric as cells; NULL from no forecast.
func (f *Forecast) Range(metric int) (lo, hi any) {
	if f == nil {
		return nil, nil
	}
	return cell(f.Lo[metric]), cell(f.Hi[metric])
}

// Cells returns those of Columns.
func (f *Forecast) Cells() []any {
	if f == nil {
		return make([]any, len(Columns))
	}
	return []any{int64(f.Draws), cell(f.Saturated), cell(f.SLO), cell(f.Pareto)}
}

func cell(x float64) any {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return nil
	}
	return x
}

// Sample is the run of one draw.
type Sample struct {
	OK      bool
	Metrics []float64 // of an ok run
	SLO     *bool     // every level is met; nil = there is none, or it cannot be judged
	Steady  *bool     // nil = not known, or no open loop
}

// saturated reports whether a run of that length says nothing of others.
func (s *Sample) saturated() bool { return !s.OK || s.Steady != nil && !*s.Steady }

// Of summarises the samples of a point for some of the metrics, given by
// position. A saturated sample stands for the worst value of what is better
// lower, so that an interval whose end lies among them has none.
func Of(samples []Sample, metrics []table.Column, selected []int) *Forecast {
	nan := math.NaN()
	f := &Forecast{Lo: slices.Repeat([]float64{nan}, len(metrics)), Hi: slices.Repeat([]float64{nan}, len(metrics)), SLO: nan, Pareto: nan}
	met, judged, saturated := 0, 0, 0
	for i := range samples {
		s := &samples[i]
		if s.OK {
			f.Draws++
		}
		if s.saturated() {
			saturated++
		}
		if s.SLO != nil || s.saturated() {
			judged++
		}
		if s.SLO != nil && *s.SLO && !s.saturated() {
			met++
		}
	}
	n := float64(len(samples))
	f.Saturated = float64(saturated) / n
	levels := slices.ContainsFunc(samples, func(s Sample) bool { return s.SLO != nil })
	if levels && 2*judged >= len(samples) {
		f.SLO = float64(met) / float64(judged)
	}
	for _, m := range selected {
		f.Lo[m], f.Hi[m] = interval(samples, m, metrics[m].Better == "lower")
	}
	return f
}

// interval returns the quantiles of a metric that leave equal shares outside.
func interval(samples []Sample, m int, lower bool) (lo, hi float64) {
	var values []float64
	for i := range samples {
		switch s := &samples[i]; {
		case lower && s.saturated():
			values = append(values, math.Inf(1))
		case s.OK && !math.IsNaN(s.Metrics[m]):
			values = append(values, s.Metrics[m])
		}
	}
	if len(values) < least || 2*len(values) < len(samples) {
		return math.NaN(), math.NaN()
	}
	slices.Sort(values)
	return quantile(values, (1-Inside)/2), quantile(values, (1+Inside)/2)
}

// quantile interpolates linearly between sorted values.
func quantile(sorted []float64, p float64) float64 {
	h := p * float64(len(sorted)-1)
	i := int(h)
	if i+1 >= len(sorted) || h == float64(i) {
		return sorted[i]
	}
	return sorted[i] + (h-float64(i))*(sorted[i+1]-sorted[i])
}
