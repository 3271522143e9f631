package report

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"scoville/core/table"
	"scoville/report/number"
	"scoville/report/predicted"
	"scoville/report/section"
	"scoville/report/summary"
	"scoville/report/view"
	"scoville/sweep/results"
)

// effects makes a section per baseline: the baseline's own values, then the
// change that each one-at-a-time level brings. nil without such a design.
func (r *Report) effects() []section.Section {
	points := r.data.Points
	metrics := r.metrics
	var out []section.Section
	base := 0
	for i := range points.Len() {
		if is, _ := points.Bool(points.Index("baseline"), i); is {
			base = i
			out = append(out, r.baseline(i, metrics))
		}
		path, changed := points.String(points.Index("oat_path"), i)
		if !changed || len(out) == 0 {
			continue
		}
		level, _ := points.String(points.Index("oat_level"), i)
		label := path[strings.LastIndexByte(path, '.')+1:]
		s := &out[len(out)-1]
		worse := i
		if r.state(base) == view.Unjudged {
			worse = base
		}
		row := []string{r.label(label+" "+number.Level(level), worse)}
		for _, m := range metrics {
			row = append(row, r.effect(i, base, m))
		}
		s.Rows = append(s.Rows, row)
		if used, ok := points.Float(points.Index("oat_change_ratio"), i); ok && differs(level, used) {
			s.Notes = append(s.Notes, fmt.Sprintf("%s: asked %s, used %s", label, level, number.Percent(used, 1)))
		}
	}
	for i := range out {
		out[i].Notes = append(append(out[i].Notes, summary.Legend(r.data)), predicted.Notes(r.data)...)
	}
	return out
}

// differs reports whether a level in percent was not used as asked.
func differs(level string, used float64) bool {
	asked, err := strconv.ParseFloat(strings.TrimSuffix(level, "%"), 64)
	return err == nil && strings.HasSuffix(level, "%") && math.Abs(asked/100-used) > 5e-5
}

// baseline starts the section of a baseline point.
func (r *Report) baseline(i int, metrics []table.Column) section.Section {
	points := r.data.Points
	s := section.Section{Head: []string{""}}
	var outer []string
	for _, name := range r.data.Manifest.Outer {
		column := points.Index(name)
		outer = append(outer, points.Columns[column].Heading()+" = "+number.Plain(points.Row(i)[column]))
	}
	s.Title = strings.Join(outer, ", ")
	row := []string{r.label("baseline", i)}
	for _, m := range metrics {
		s.Head = append(s.Head, m.Name)
		row = append(row, r.mean(i, m))
	}
	s.Rows = [][]string{row}
	s.Notes = r.bound(i)
	if len(s.Notes) > 0 {
		s.Notes[0] = "baseline " + s.Notes[0]
	}
	if broken := r.data.Broken(i); broken != "" && r.unusable(i) == "" {
		s.Notes = append(s.Notes, "the baseline breaks [slo]: "+broken)
	}
	return s
}

// mean is a metric of a point with its interval, or why there is none.
func (r *Report) mean(i int, m table.Column) string {
	if why := r.unusable(i); why != "" {
		return why
	}
	e, ok := r.data.Estimate(m.Name, i)
	if !ok {
		return "-"
	}
	return withInterval(e) + predicted.Interval(r.data, m.Name, i)
}

// unusable is why the first of some points that has no steady values has none:
// its status, or saturated; "" where all have.
func (r *Report) unusable(points ...int) string {
	for _, i := range points {
		if status, _ := r.data.Points.String(r.data.Points.Index("status"), i); status != results.OK {
			return status
		}
		if r.state(i) == view.Saturated {
			return "saturated"
		}
	}
	return ""
}

// tiny is a change that two decimals of a percentage do not show.
const tiny = 0.5e-4

// effect is the change of a metric from point base to point i: ~ when its
// interval includes 0.
func (r *Report) effect(i, base int, m table.Column) string {
	if why := r.unusable(i, base); why != "" {
		return why
	}
	points := r.data.Points
	delta, ok := points.Float(points.Index(m.Name+"_delta_ratio"), i)
	if !ok {
		return "-"
	}
	lo, ok := points.Float(points.Index(m.Name+"_delta_ci_lo"), i)
	if !ok {
		return number.Percent(delta, 1)
	}
	hi, _ := points.Float(points.Index(m.Name+"_delta_ci_hi"), i)
	if lo <= 0 && hi >= 0 {
		return "~"
	}
	half := (hi - lo) / 2
	d := min(max(number.Decimals(100*half), 1), 2)
	if math.Abs(delta) < tiny {
		return "<0.01%"
	}
	return number.Percent(delta, d) + fmt.Sprintf(" ± %.*f", d, 100*half)
}

// bound names the resources that a point's busy time waits for, largest first,
// and how loaded it is.
func (r *Report) bound(i int) []string {
	type share struct {
		name  string
		value float64
	}
	var shares []share
	runs, err := r.data.Runs()
	if err != nil {
		return nil // Load reports it
	}
	for _, c := range runs.Columns {
		name, ok := strings.CutPrefix(c.Name, "wait_")
		if !ok || c.Path != "" {
			continue
		}
		if v, _, _, ok := r.data.RunMean(c.Name, i); ok {
			shares = append(shares, share{strings.TrimSuffix(name, "_ratio"), v})
		}
	}
	if len(shares) == 0 {
		return nil
	}
	slices.SortStableFunc(shares, func(a, b share) int {
		switch {
		case a.value > b.value:
			return -1
		case a.value < b.value:
			return 1
		}
		return 0
	})
	line := fmt.Sprintf("bound by %s, %s of busy time", shares[0].name, number.Share(shares[0].value))
	var rest []string
	for _, s := range shares[1:] {
		if s.value >= 0.0005 {
			rest = append(rest, s.name+" "+number.Share(s.value))
		}
	}
	if rest != nil {
		line += " (" + strings.Join(rest, ", ") + ")"
	}
	out := []string{line}
	var state []string
	if load, ok := r.data.Points.Float(r.data.Points.Index("load_ratio"), i); ok {
		state = append(state, fmt.Sprintf("load %.2f of capacity", load))
	}
	for _, m := range []struct{ column, text string }{{"running_mean_seqs", "sequences running"}, {"resident_mean_tok", "tokens resident"}} {
		if v, _, _, ok := r.data.RunMean(m.column, i); ok {
			state = append(state, number.Significant(v)+" "+m.text)
		}
	}
	if state != nil {
		out = append(out, "on average "+strings.Join(state, ", "))
	}
	return out
}
