package view

import (
	"strconv"
	"strings"

	"scoville/report/number"
)

// Broken says which service levels that hold for all points the mean of point
// i breaks, and by how much: "ttft_p99_ms 2270 ± 75 above 2000"; "" if none. A
// metric without a steady value there breaks none.
func (v *View) Broken(i int) string {
	var broken []string
	for _, l := range v.Manifest.Report.Limits {
		e, ok := v.Estimate(l.Metric, i)
		if !ok {
			continue
		}
		value := number.Significant(e.Mean)
		if e.Hi-e.Mean >= 0 { // false without an interval
			value = number.WithHalf(e.Mean, e.Hi-e.Mean)
		}
		switch {
		case l.Max != nil && e.Mean > *l.Max:
			broken = append(broken, l.Metric+" "+value+" above "+strconv.FormatFloat(*l.Max, 'f', -1, 64))
		case l.Min != nil && e.Mean < *l.Min:
			broken = append(broken, l.Metric+" "+value+" below "+strconv.FormatFloat(*l.Min, 'f', -1, 64))
		}
	}
	return strings.Join(broken, ", ")
}
