package view

import (
	"math"
	"sort"

	"scoville/core/table"
)

// Classes reads the values by class; nil where the study has not several.
func (v *View) Classes() *table.Frame {
	if !v.asked && v.failed == nil {
		v.asked = true
		v.classes, v.failed = v.Dataset.Classes()
	}
	return v.classes
}

// ClassRows returns the rows of the classes of point i: from, up to but not to.
func (v *View) ClassRows(i int) (from, to int) {
	f := v.Classes()
	if f == nil {
		return 0, 0
	}
	column := f.Index("point_index")
	first := func(point int64) int {
		return sort.Search(f.Len(), func(j int) bool {
			p, _ := f.Int(column, j)
			return p >= point
		})
	}
	return first(int64(v.Index(i))), first(int64(v.Index(i)) + 1)
}

// OfClass is Estimate for the requests of one class.
func (v *View) OfClass(metric, class string, i int) (Estimate, bool) {
	from, to := v.ClassRows(i)
	for j := from; j < to; j++ {
		if name, _ := v.classes.String(v.classes.Index("class"), j); name == class {
			return v.ClassEstimate(metric, j)
		}
	}
	return Estimate{math.NaN(), math.NaN(), math.NaN()}, false
}

// ClassEstimate returns a metric in a row of the classes.
func (v *View) ClassEstimate(metric string, row int) (Estimate, bool) {
	e := Estimate{math.NaN(), math.NaN(), math.NaN()}
	mean, ok := v.classes.Float(v.classes.Index(metric+"_mean"), row)
	if !ok {
		mean, ok = v.classes.Float(v.classes.Index(metric), row)
	}
	e.Mean = mean
	if lo, known := v.classes.Float(v.classes.Index(metric+"_ci_lo"), row); known {
		e.Lo = lo
		e.Hi, _ = v.classes.Float(v.classes.Index(metric+"_ci_hi"), row)
	}
	return e, ok
}
