package view

import (
	"fmt"
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
	if v.bases == nil {
		v.bases = map[string]int{}
		v.findBases()
	}
	if found, ok := v.bases[v.group(i)]; ok {
		return found
	}
	return -1
}

// findBases looks the baselines up, one per group of the points that share it.
func (v *View) findBases() {
	condition := v.Manifest.Report.Baseline
	points, err := v.Find(condition)
	e, err2 := expr.Parse(condition)
	if err != nil || err2 != nil {
		return
	}
	all := make([]int, v.Points.Len())
	for k := range all {
		all[k] = k
	}
	v.apart = v.Independent(all)
	for _, n := range e.Names() {
		c, _ := v.Column(n.Text)
		if c.Path == "" { // no axis: one baseline for all points
			v.apart = nil
		}
		v.apart = slices.DeleteFunc(v.apart, func(a table.Column) bool {
			return a.Name == c.Name || v.determines(a, c, all) && v.determines(c, a, all) // of one zip
		})
	}
	for _, k := range points {
		if v.State(k) == Saturated {
			continue
		}
		key := v.group(k)
		if _, again := v.bases[key]; again {
			k = -1
		}
		v.bases[key] = k
	}
}

// group identifies the points that share a baseline with point i.
func (v *View) group(i int) string {
	var key strings.Builder
	for _, c := range v.apart {
		fmt.Fprintf(&key, "%q;", fmt.Sprint(v.Value(c.Name, i)))
	}
	return key.String()
}
