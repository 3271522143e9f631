// Package layout knows which columns the tables of a dataset have before and
// after those of the axes and metrics, and how the columns of axes are named. It
// holds no results.
package layout

import (
	"slices"

	"scoville/core/table"
	"scoville/sweep/results/compare"
	"scoville/sweep/results/fate"
	"scoville/sweep/results/forecast"
	"scoville/sweep/results/scope"
)

// RunHead are the runs columns before the axes. The search columns are NULL
// without a search.
var RunHead = []table.Column{
	{Name: "point_id", Kind: table.String, Definition: "hash of the resolved scenario"},
	{Name: "point_index", Kind: table.Int64, Definition: "position of the point in the plan, from 0"},
	{Name: "replicate", Kind: table.Int64, Definition: "replicate, from 0; equal replicates of all points meet the same requests"},
	{Name: "status", Kind: table.String, Definition: "ok, infeasible, failed or timeout; metrics are NULL unless ok"},
	{Name: "error", Kind: table.String, Definition: "reason when not ok"},
	{Name: "baseline", Kind: table.Bool, Definition: "the point that one-at-a-time changes are compared with"},
	{Name: "oat_path", Kind: table.String, Definition: "parameter changed one at a time"},
	{Name: "oat_level", Kind: table.String, Definition: "level as requested in the study"},
	{Name: "oat_change_ratio", Kind: table.Float64, Unit: "ratio", Definition: "actual change of the parameter relative to its base value"},
	{Name: "search_id", Kind: table.String, Definition: "search that the run belongs to"},
	{Name: "probe", Kind: table.Int64, Definition: "number of the value in the search in the order of trying, from 0; a point of its own"},
}

// RunTail are the runs columns after the metrics.
var RunTail = []table.Column{
	{Name: "slo_ok", Kind: table.Bool, Definition: "every service-level objective is met; NULL if there is none, and for an open loop that is not steady"},
	{Name: "steady", Kind: table.Bool, Definition: "the queue did not grow, of a point: in more than half of its runs; NULL if too short to tell, and for closed loops and bursts"},
	{Name: "offered_rps", Kind: table.Float64, Unit: "rps", Definition: "requests offered per second; NULL for closed loops and bursts"},
	{Name: "capacity_rps", Kind: table.Float64, Unit: "rps", Definition: "requests per second that the point can serve"},
	{Name: "load_ratio", Kind: table.Float64, Unit: "ratio", Definition: "offered_rps / capacity_rps"},
	{Name: "bound", Kind: table.String, Definition: "resource with the largest share of device time"},
	{Name: "decode_bound", Kind: table.String, Definition: "resource with the largest share of the time of steps with decodes and without prompts: what decodes wait for where prompts decide bound; NULL if there are no such steps"},
	{Name: "weakest_source", Kind: table.String, Definition: "weakest grade among the numbers that went in: published, calibrated, derived or assumed, weakest last"},
	{Name: "calibrated", Kind: table.Bool, Definition: "an overlay from a calibration applies to this point"},
	{Name: "extrapolated", Kind: table.Bool, Definition: "the point lies outside the conditions that its calibration was measured at; NULL without calibration"},
	{Name: "outside", Kind: table.String, Definition: "conditions of the calibration that the point leaves, and how"},
	{Name: "accuracy_loss_ratio", Kind: table.Float64, Unit: "ratio", Better: "lower", Definition: "loss of accuracy by the data types at the longest request, from the study's table; NULL where it has no row"},
	{Name: "sim_s", Kind: table.Float64, Unit: "s", Definition: "simulated time"},
	{Name: "events", Kind: table.Int64, Definition: "simulator events"},
	{Name: "sim_version", Kind: table.Int64, Definition: "version of the simulator; other versions give other results"},
	{Name: "seed_hex", Kind: table.String, Definition: "seed of the replicate, hexadecimal"},
}

// PointHead are the points columns before the axes, as far as they are not
// those of runs.
var PointHead = []table.Column{
	{Name: "runs", Kind: table.Int64, Definition: "runs of the point"},
	{Name: "runs_ok", Kind: table.Int64, Definition: "runs of the point that are ok"},
}

// PointShared and PointTail name the runs columns that points has too, with
// status and error of the first run that is not ok, and means or verdicts over
// the ok runs.
var (
	PointShared = []string{"point_id", "point_index", "status", "error", "baseline", "oat_path", "oat_level", "oat_change_ratio", "search_id"}
	PointTail   = []string{"slo_ok", "steady", "offered_rps", "capacity_rps", "load_ratio", "bound", "decode_bound", "weakest_source", "calibrated", "extrapolated", "outside", "accuracy_loss_ratio", "sim_version"}
)

// Statistics are the suffixes of a metric's columns in points.
var Statistics = append([]string{"_mean", "_ci_lo", "_ci_hi", "_n", "_delta_ratio", "_delta_ci_lo", "_delta_ci_hi", scope.GainSuffix}, forecast.Statistics...)

// PointEnd are the points columns after the metrics.
var PointEnd = slices.Concat(Pick(RunTail, PointTail), forecast.Columns, fate.Columns, compare.Columns)

// Pick returns the columns of some names.
func Pick(cols []table.Column, names []string) []table.Column {
	return slices.DeleteFunc(slices.Clone(cols), func(c table.Column) bool { return !slices.Contains(names, c.Name) })
}

// EffectHead are the effects columns before the outer axes.
var EffectHead = []table.Column{
	{Name: "metric", Kind: table.String, Definition: "metric that changes"},
	{Name: "parameter", Kind: table.String, Definition: "scenario path that is changed; dummy is the inert one of a sample, NULL stands for all together"},
	{Name: "level", Kind: table.String, Definition: "level as requested in the study; NULL for methods of [sample]"},
	{Name: "change_ratio", Kind: table.Float64, Unit: "ratio", Definition: "actual change of the parameter relative to its base value"},
	{Name: "method", Kind: table.String, Definition: "how the effect is found: oat = one parameter at a time; sobol_first, sobol_total = share of the metric's variance, by itself and with all interactions; morris_mu_star, morris_mu, morris_sigma = mean size, mean and standard deviation of the elementary effects across the whole range; src = standardised regression coefficient; rank_correlation = Spearman's; r2 = share of the variance that the regression explains"},
	{Name: "effect", Kind: table.Float64, Definition: "oat: change of the metric, paired by replicate (with crn = false of independent means), relative to the baseline's mean; else the measure that method names; NULL without a value"},
	{Name: "unit", Kind: table.String, Definition: "unit of effect, ci_lo and ci_hi"},
	{Name: "ci_lo", Kind: table.Float64, Definition: "lower end of the 95 % interval of the effect, of a bootstrap but for oat; NULL for n < 2"},
	{Name: "ci_hi", Kind: table.Float64, Definition: "upper end of the 95 % interval of the effect, of a bootstrap but for oat; NULL for n < 2"},
	{Name: "n", Kind: table.Int64, Definition: "pairs of runs; of a sample the blocks, trajectories or rows that it rests on"},
	{Name: "steady", Kind: table.Bool, Definition: "changed point and baseline are both steady; false if either is known not to be, NULL if not known and for closed loops and bursts"},
	{Name: "elasticity", Kind: table.Float64, Definition: "effect over change_ratio: percent of the metric per percent of the parameter; the interval scales alike. NULL for a parameter without a relative change"},
}

// Metric are the points columns of a metric.
func Metric(m table.Column) (cols []table.Column) {
	stat := func(suffix, unit, better, definition string) {
		cols = append(cols, table.Column{Name: m.Name + suffix, Unit: unit, Better: better, Definition: definition + m.Name})
	}
	stat("_mean", m.Unit, m.Better, "mean over the ok runs of ")
	stat("_ci_lo", m.Unit, "", "lower end of the 95 % interval of the mean of ")
	stat("_ci_hi", m.Unit, "", "upper end of the 95 % interval of the mean of ")
	cols = append(cols, table.Column{Name: m.Name + "_n", Kind: table.Int64, Definition: "ok runs that have a value of " + m.Name})
	stat("_delta_ratio", "ratio", "", "change from the baseline, paired by replicate (with crn = false of independent means), relative to the baseline's mean of ")
	stat("_delta_ci_lo", "ratio", "", "lower end of the 95 % interval of the change of ")
	stat("_delta_ci_hi", "ratio", "", "upper end of the 95 % interval of the change of ")
	stat(scope.GainSuffix, "ratio", "higher", "by how much better than at the baseline of [oat] or of [report], relative to it; NULL without one, unless both are ok and neither is saturated, and where neither more nor less is better; of the mean of ")
	stat("_pred_lo", m.Unit, "", "lower end of the interval that holds 90 % of other runs, over draws of the calibrated parameters, of ")
	stat("_pred_hi", m.Unit, "", "upper end of the interval that holds 90 % of other runs, over draws of the calibrated parameters, of ")
	return cols
}
