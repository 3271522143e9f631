package results

import (
	"slices"

	"scoville/core/table"
	"scoville/sweep/results/layout"
	"scoville/sweep/results/scope"
)

// GainSuffix ends the points column of a metric's gain.
const GainSuffix = scope.GainSuffix

// GainMetric returns the metric that a gain is of: tpot_mean_ms of
// tpot_mean_ms_gain_ratio and of tpot_gain_ratio; false for another name.
func GainMetric(name string) (string, bool) { return scope.GainMetric(name) }

// Columns are what a condition on points may name. axes are the columns of the
// axes, metrics those of the runs table.
func Columns(axes, metrics []table.Column) *scope.Columns {
	return &scope.Columns{
		Fixed: slices.Concat(layout.Pick(runHead, pointShared), pointHead, pointEnd),
		Axes:  axes, Metrics: metrics, Statistics: statistics,
	}
}

// AxisNames returns the column names of axes by their paths.
func AxisNames(paths []string, metrics []table.Column) []string {
	return layout.AxisNames(paths, metrics)
}
