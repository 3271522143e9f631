package report

import (
	"fmt"
	"slices"
	"strings"

	"scoville/report/number"
	"scoville/report/verdict"
	"scoville/report/view"
	"scoville/sweep/results"
)

// maxClassRows is how many rows the table of classes has.
const maxClassRows = 48

// classMetrics are the columns of the table of classes.
var classMetrics = []string{"ttft_mean_ms", "ttft_p99_ms", "tpot_mean_ms", "tpot_p99_ms", "e2e_mean_ms"}

// classes shows each class of requests by itself.
func (r *Report) classes() []section {
	f := r.data.Classes()
	if f == nil || f.Len() == 0 {
		return nil
	}
	s := section{title: "by class of requests", head: []string{"point"}}
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
		s.head = append(s.head, c.Name)
	}
	s.head = append(s.head, "class", "requests")
	s.head = append(s.head, classMetrics...)
	shown := 0
	for _, i := range listed {
		from, to := r.data.ClassRows(i)
		if len(s.rows)+to-from > maxClassRows {
			break
		}
		shown = to
		for j := from; j < to; j++ {
			name, _ := f.String(f.Index("class"), j)
			n := "-"
			if e, ok := r.data.ClassEstimate("requests_count", j); ok {
				n = number.Significant(e.Mean)
			}
			row := slices.Concat([]string{r.label(fmt.Sprint(r.data.Index(i)), i)}, r.cells(axes, i), []string{name, n})
			for _, m := range classMetrics {
				row = append(row, r.ofClass(m, i, j))
			}
			s.rows = append(s.rows, row)
		}
	}
	if more := f.Len() - shown; more > 0 {
		s.notes = append(s.notes, fmt.Sprintf("%s more in %s", number.Plural(more, "row"), results.ClassesFile))
	}
	return []section{s}
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

// withInterval prints a mean, with its interval where there is one.
func withInterval(e view.Estimate) string {
	if e.Hi-e.Mean >= 0 {
		return number.WithHalf(e.Mean, e.Hi-e.Mean)
	}
	return number.Significant(e.Mean)
}

// fronts lists the points on the front of the objectives, and those that the
// study keeps.
func (r *Report) fronts() []section {
	var out []section
	if list := r.data.Manifest.Objectives; len(list) > 0 {
		var goals, metrics []string
		for _, o := range list {
			goals, metrics = append(goals, o.Metric+" "+o.Goal), append(metrics, o.Metric)
		}
		s := r.flagged("pareto", metrics)
		s.title = "Pareto front of " + strings.Join(goals, ", ")
		s.notes = append(s.notes, "on the front: no other point is at least as good in every objective and better in one; pareto_probability: share of replicates in which it is")
		out = append(out, s)
	}
	if keep := r.data.Manifest.Report.Keep; keep != "" {
		s := r.flagged("kept", names(keep))
		s.title = "kept: " + keep
		out = append(out, s)
	}
	return out
}

// flagged is the table of the points with a flag, best in the first column
// first.
func (r *Report) flagged(flag string, columns []string) section {
	var members []int
	known := 0
	for i := range r.data.Points.Len() {
		if yes, ok := r.data.Points.Bool(r.data.Points.Index(flag), i); ok {
			known++
			if yes {
				members = append(members, i)
			}
		}
	}
	if len(columns) > 0 {
		c, _ := r.data.Column(columns[0])
		c.Name = columns[0]
		r.order(members, c)
	}
	s := section{head: []string{"point"}}
	for _, c := range r.data.Axes() {
		s.head = append(s.head, c.Name)
	}
	columns = slices.Compact(slices.Clone(columns))
	columns = slices.DeleteFunc(columns, func(name string) bool { c, ok := r.data.Column(name); return !ok || c.Path != "" })
	s.head = append(s.head, columns...)
	if _, ok := r.data.Column("pareto_probability"); ok && flag == "pareto" {
		s.head = append(s.head, "pareto_probability")
	}
	for _, i := range members[:min(len(members), maxListed)] {
		row := append([]string{r.label(fmt.Sprint(r.data.Index(i)), i)}, r.cells(r.data.Axes(), i)...)
		for _, name := range s.head[len(row):] {
			row = append(row, r.number(name, i))
		}
		s.rows = append(s.rows, row)
	}
	s.notes = []string{fmt.Sprintf("%s of %s", number.Grouped(len(members)), number.Plural(known, "point"))}
	if more := len(members) - len(s.rows); more > 0 {
		s.notes[0] += fmt.Sprintf("; %s more: column %s of points.parquet", number.Grouped(more), flag)
	}
	return s
}

// number is a value of point i with its interval; "saturated" where it is the
// mean of a growing queue.
func (r *Report) number(name string, i int) string {
	e, ok := r.data.Estimate(name, i)
	switch {
	case !ok:
		return number.Plain(r.data.Value(name, i))
	case r.state(i) == view.Saturated && !verdict.HoldsAnyway[name]:
		return "saturated"
	}
	return withInterval(e)
}
