package results

import (
	"scoville/sweep/results/forecast"
	"scoville/sweep/results/spec"
)

// What a study asks of its report and what its points rest on, as the manifest
// keeps it.
type (
	ReportSpec = spec.Report
	Published  = spec.Published
	Plot       = spec.Plot
	Level      = spec.Level
	Limit      = spec.Limit
	Objective  = spec.Objective
	Number     = spec.Number

	Forecast = forecast.Forecast // what draws of the calibration say of a point
)
