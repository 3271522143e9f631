package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"scoville/report/number"
	"scoville/report/predicted"
	"scoville/report/section"
	"scoville/report/summary"
	"scoville/report/verdict"
	"scoville/report/view"
	"scoville/sweep/results"
)

// withInterval prints a mean, with its interval where there is one.
func withInterval(e view.Estimate) string {
	if e.Hi-e.Mean >= 0 {
		return number.WithHalf(e.Mean, e.Hi-e.Mean)
	}
	return number.Significant(e.Mean)
}

// fronts lists the points on the front of the objectives, and those that the
// study keeps.
func (r *Report) fronts() []section.Section {
	var out []section.Section
	if list := r.data.Manifest.Objectives; len(list) > 0 {
		var goals, metrics []string
		for _, o := range list {
			goals, metrics = append(goals, o.Metric+" "+o.Goal), append(metrics, o.Metric)
		}
		s := r.flagged("pareto", metrics)
		s.Title = "Pareto front of " + strings.Join(goals, ", ")
		s.Notes = append(s.Notes, "on the front: no other point is at least as good in every objective and better in one; pareto_probability: share of replicates in which it is"+summary.Raced(r.data))
		if len(list) == 1 {
			s.Title, s.Notes = "best by "+goals[0], s.Notes[:1]
		}
		out = append(out, s)
	}
	if keep := r.data.Manifest.Report.Keep; keep != "" {
		s := r.flagged("kept", names(keep))
		s.Title = "kept: " + keep
		if base := r.data.Manifest.Report.Baseline; base != "" {
			s.Notes = append(s.Notes, "gains against "+base)
		}
		out = append(out, s)
	}
	return out
}

// flagged is the table of the points with a flag, best in the first column
// first.
func (r *Report) flagged(flag string, columns []string) section.Section {
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
		if _, gain := results.GainMetric(c.Name); gain {
			slices.SortStableFunc(members, func(i, j int) int {
				x, _ := r.data.Gain(c.Name, i)
				y, _ := r.data.Gain(c.Name, j)
				return cmp.Compare(y, x)
			})
		} else {
			r.data.Rank(members, r.data.Deciders(c, r.metrics))
		}
	}
	s := section.Section{Head: []string{"point"}}
	for _, c := range r.data.Axes() {
		s.Head = append(s.Head, c.Heading())
	}
	columns = slices.Compact(slices.Clone(columns))
	columns = slices.DeleteFunc(columns, func(name string) bool {
		c, ok := r.data.Column(name)
		_, gain := results.GainMetric(name)
		return !gain && (!ok || c.Path != "")
	})
	s.Head = append(s.Head, columns...)
	if _, ok := r.data.Column("pareto_probability"); ok && flag == "pareto" {
		s.Head = append(s.Head, "pareto_probability")
		for _, c := range predicted.Columns(r.data, "pareto_draw_probability") {
			s.Head = append(s.Head, c.Heading())
		}
	}
	for _, i := range members[:min(len(members), maxListed)] {
		row := append([]string{r.label(fmt.Sprint(r.data.Index(i)), i)}, r.cells(r.data.Axes(), i)...)
		for _, name := range s.Head[len(row):] {
			row = append(row, r.number(name, i))
		}
		s.Rows = append(s.Rows, row)
	}
	s.Notes = []string{fmt.Sprintf("%s of %s", number.Grouped(len(members)), number.Plural(known, "point"))}
	if more := len(members) - len(s.Rows); more > 0 {
		s.Notes[0] += fmt.Sprintf("; %s more: column %s of points.parquet", number.Grouped(more), flag)
	}
	return s
}

// number is a value of point i with its interval; "saturated" where it is the
// mean of a growing queue.
func (r *Report) number(name string, i int) string {
	if _, is := results.GainMetric(name); is {
		if g, ok := r.data.Gain(name, i); ok {
			return number.Percent(g, 1)
		}
		return "-"
	}
	e, ok := r.data.Estimate(name, i)
	switch {
	case !ok:
		return number.Plain(r.data.Value(name, i))
	case r.state(i) == view.Saturated && !verdict.HoldsAnyway[name]:
		return "saturated"
	}
	return withInterval(e)
}
