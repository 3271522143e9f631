package report

import (
	"fmt"
	"slices"

	"scoville/report/number"
	"scoville/report/section"
	"scoville/report/view"
	"scoville/sweep/results"
)

// maxClassRows is how many rows the table of classes has.
const maxClassRows = 48

// classMetrics are the columns of the table of classes.
var classMetrics = []string{"ttft_mean_ms", "ttft_p99_ms", "tpot_mean_ms", "tpot_p99_ms", "e2e_mean_ms"}

// classes shows each class of requests by itself.
func (r *Report) classes() []section.Section {
	f := r.data.Classes()
	if f == nil || f.Len() == 0 {
		return nil
	}
	s := section.Section{Title: "by class of requests", Aside: true, Head: []string{"point"}}
	listed := make([]int, 0, maxClassRows)
	for i := range r.data.Points.Len() {
		if from, to := r.data.ClassRows(i); to > from && len(listed) < maxClassRows {
			listed = append(listed, i)
		}
	}
	if len(listed) == 0 {
		return nil
	}
	axes := r.data.Varying(listed)
	for _, c := range axes {
		s.Head = append(s.Head, c.Heading())
	}
	s.Head = append(s.Head, "class", "requests")
	s.Head = append(s.Head, classMetrics...)
	shown := 0
	for _, i := range listed {
		from, to := r.data.ClassRows(i)
		if len(s.Rows)+to-from > maxClassRows {
			break
		}
		shown = to
		for j := from; j < to; j++ {
			name, _ := f.String(f.Index("class"), j)
			n := "-"
			if e, ok := r.data.ClassEstimate("requests_count", j); ok {
				n = fmt.Sprintf("%.0f", e.Mean)
			}
			row := slices.Concat([]string{r.label(fmt.Sprint(r.data.Index(i)), i)}, r.cells(axes, i), []string{name, n})
			for _, m := range classMetrics {
				row = append(row, r.ofClass(m, i, j))
			}
			s.Rows = append(s.Rows, row)
		}
	}
	if more := f.Len() - shown; more > 0 {
		s.Notes = append(s.Notes, fmt.Sprintf("%s more in %s", number.Plural(more, "row"), results.ClassesFile))
	}
	return []section.Section{s}
}

// ofClass is a metric of a class with its interval.
func (r *Report) ofClass(metric string, i, row int) string {
	if r.state(i) == view.Saturated {
		return "saturated"
	}
	e, ok := r.data.ClassEstimate(metric, row)
	if !ok {
		return "-"
	}
	return withInterval(e)
}
