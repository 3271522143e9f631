// Package predicted words what draws of a calibration's parameters say of points:
// the interval that other runs are expected in, and probabilities.
package predicted

import (
	"fmt"

	"scoville/core/table"
	"scoville/report/number"
	"scoville/report/view"
)

// Interval is the one that holds 90 % of other runs of point i in a metric, as
// " [13.10 .. 15.60]"; "" where nothing was drawn. An end that nobody knows, since
// draws beyond it are saturated, is "?".
func Interval(v *view.View, metric string, i int) string {
	lo, low := v.Points.Float(v.Points.Index(metric+"_pred_lo"), i)
	hi, high := v.Points.Float(v.Points.Index(metric+"_pred_hi"), i)
	if !low && !high {
		return ""
	}
	ends := []string{"?", "?"}
	if low {
		ends[0] = number.Significant(lo)
	}
	if high {
		ends[1] = number.Significant(hi)
	}
	return fmt.Sprintf(" [%s .. %s]", ends[0], ends[1])
}

// Columns are those of some columns of numbers that have a value at some point.
func Columns(v *view.View, names ...string) (out []table.Column) {
	for _, name := range names {
		for i := range v.Points.Len() {
			if _, ok := v.Points.Float(v.Points.Index(name), i); ok {
				out = append(out, table.Column{Name: name})
				break
			}
		}
	}
	return out
}

// Notes say what the brackets are; none where nothing was drawn.
func Notes(v *view.View) []string {
	draws := int64(0)
	for i := range v.Points.Len() {
		n, _ := v.Points.Int(v.Points.Index("draws"), i)
		draws = max(draws, n)
	}
	if draws == 0 {
		return nil
	}
	return []string{fmt.Sprintf("[..]: 90 %% of other runs are expected inside, over %s draws of what the calibration leaves open", number.Grouped(int(draws)))}
}
