package view

import (
	"math"
	"slices"
	"strings"

	"scoville/core/expr"
	"scoville/core/table"
)

// GainMetric returns the metric that a gain is of: tpot_mean_ms_gain_ratio of
// tpot_mean_ms, as tpot_gain_ratio; false if the name is no gain.
func GainMetric(name string) (string, bool) {
	metric, ok := strings.CutSuffix(name, "_gain_ratio")
	if ok && (metric == "ttft" || metric == "tpot") {
		metric += "_mean_ms"
	}
	return metric, ok
}

// Gain is by how much a metric of point i is better than at its baseline,
// relative to the baseline: the point of the one-at-a-time design, or that of
// the report's condition which agrees with it in the axes the condition does
// not name. false where either has no steady value.
func (v *View) Gain(name string, i int) (float64, bool) {
	metric, ok := GainMetric(name)
	column, known := v.Column(metric)
	if !ok || !known || column.Better == "" {
		return math.NaN(), false
	}
	change := math.NaN()
	if v.Manifest.Report.Baseline == "" {
		change, _ = v.Points.Float(v.Points.Index(metric+"_delta_ratio"), i)
	} else if base := v.base(i); base >= 0 {
		e, _ := v.Estimate(metric, i)
		to, _ := v.Estimate(metric, base)
		change = e.Mean/to.Mean - 1
	}
	if column.Better == "lower" {
		change = -change
	}
	return change, !math.IsNaN(change) && !math.IsInf(change, 0) && v.State(i) != Saturated
}

// base returns the baseline of point i by the report's condition; -1 if there
// is none, or more than one.
func (v *View) base(i int) int {
	condition := v.Manifest.Report.Baseline
	points, err := v.Find(condition)
	e, err2 := expr.Parse(condition)
	if err != nil || err2 != nil {
		return -1
	}
	var named []string
	for _, n := range e.Names() {
		c, _ := v.Column(n.Text)
		named = append(named, c.Name)
	}
	all := make([]int, v.Points.Len())
	for k := range all {
		all[k] = k
	}
	apart := slices.DeleteFunc(v.Independent(all), func(c table.Column) bool { return slices.Contains(named, c.Name) })
	found := -1
	for _, k := range points {
		if v.State(k) == Saturated || slices.ContainsFunc(apart, func(c table.Column) bool { return v.Value(c.Name, k) != v.Value(c.Name, i) }) {
			continue
		}
		if found >= 0 {
			return -1
		}
		found = k
	}
	return found
}
