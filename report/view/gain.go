package view

import (
	"math"

	"scoville/sweep/results"
)

// Gain is by how much a metric of point i is better than at its baseline,
// relative to the baseline: the gain column of the metric, by its own name or
// that of its family. false where it has no value.
func (v *View) Gain(name string, i int) (float64, bool) {
	metric, ok := results.GainMetric(name)
	if !ok {
		return math.NaN(), false
	}
	return v.Points.Float(v.Points.Index(metric+results.GainSuffix), i)
}
