package report

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"scoville/core/table"
	"scoville/report/number"
	"scoville/report/predicted"
	"scoville/report/section"
	"scoville/report/view"
	"scoville/sweep/results"
)

// maxListed is how many points are all listed, maxFew the same with one or two
// axes, maxPoints how many of more.
const maxListed, maxFew, maxPoints = 24, 64, 10

// pointTables show a design without baselines: every point if they are few or
// have two axes at most, else those best in the first metric.
func (r *Report) pointTables() []section.Section {
	n := r.data.Points.Len()
	if n == 0 {
		return nil
	}
	all := make([]int, n)
	for i := range all {
		all[i] = i
	}
	varying := r.data.Independent(all)
	if n > maxListed && len(varying) == 2 {
		if s := r.crossed(varying); s != nil {
			return s
		}
	}
	if n <= maxListed || len(varying) <= 2 && n <= maxFew {
		return []section.Section{r.table("points", all)}
	}
	by := r.metrics[max(0, slices.IndexFunc(r.metrics, func(c table.Column) bool { return c.Better != "" }))]
	rank := r.ranked(by)
	shown := rank[:min(maxPoints, len(rank))]
	s := r.table(r.bestOf(rank, len(shown), by), shown)
	if hidden := n - len(shown); hidden > 0 && len(shown) > 0 {
		s.Notes = append(s.Notes, fmt.Sprintf("%s not shown; over all points %s", number.Plural(hidden, "point"), r.spans(all)))
	}
	return []section.Section{s}
}

// bestOf is the title of the first n of ranked points: where the best are equal
// it says how many, and what ranks them.
func (r *Report) bestOf(rank []int, n int, by table.Column) string {
	title := fmt.Sprintf("best %d of %s, by %s", n, r.kind(rank), by.Name)
	if ties, next := r.data.Ties(rank, by, r.metrics); ties > 1 {
		title += fmt.Sprintf("; %s tie for the best, ranked %s", number.Grouped(ties), next)
	}
	return title
}

// spans says how many values each axis has.
func (r *Report) spans(points []int) string {
	var out []string
	for _, c := range r.data.Varying(points) {
		seen := map[any]bool{}
		for _, i := range points {
			seen[r.data.Value(c.Name, i)] = true
		}
		out = append(out, fmt.Sprintf("%s has %d values", c.Heading(), len(seen)))
	}
	return strings.Join(out, ", ")
}

// table lists points with their axes, what bounds them and the metrics.
func (r *Report) table(title string, rank []int) section.Section {
	points, axes := r.data.Points, r.data.Axes()
	s := section.Section{Title: title, Head: []string{"point"}}
	for _, c := range axes {
		s.Head = append(s.Head, c.Heading())
	}
	var marks []table.Column
	load := r.loaded()
	if load {
		s.Head = append(s.Head, "load_ratio")
	}
	if r.judged() {
		marks = append(marks, table.Column{Name: "slo_ok"})
	}
	marks = append(marks, predicted.Columns(r.data, "slo_probability", "saturated_draw_ratio")...)
	if points.Len() > 1 && slices.ContainsFunc(rank, func(i int) bool { return r.data.Value("bound", i) != nil }) {
		marks = append(marks, table.Column{Name: "bound"})
		if slices.ContainsFunc(rank, r.decodesApart) {
			marks = append(marks, table.Column{Name: "decode_bound"})
		}
	}
	for _, c := range slices.Concat(marks, r.metrics) {
		s.Head = append(s.Head, c.Heading())
	}
	for _, i := range rank {
		row := append([]string{r.label(fmt.Sprint(r.data.Index(i)), i)}, r.cells(axes, i)...)
		if load {
			row = append(row, r.load(i))
		}
		row = append(row, r.cells(marks, i)...)
		for _, m := range r.metrics {
			row = append(row, r.mean(i, m))
		}
		s.Rows = append(s.Rows, row)
	}
	if points.Len() == 1 {
		s.Notes = r.bound(0)
	} else {
		s.Notes = r.bounds()
	}
	s.Notes = append(s.Notes, predicted.Notes(r.data)...)
	return s
}

// Bounds of a table with an axis down and one across, and how many there are.
const maxDown, maxAcross, maxCrossed = 40, 12, 4

// crossed makes a table per metric with the longer of two axes down and the
// other across; nil where it would be too large or cells would hold several
// points.
func (r *Report) crossed(axes []table.Column) []section.Section {
	values := func(c table.Column) (out []string) {
		for i := range r.data.Points.Len() {
			if v := number.Plain(r.data.Value(c.Name, i)); !slices.Contains(out, v) && len(out) <= maxDown {
				out = append(out, v)
			}
		}
		return out
	}
	down, across := axes[0], axes[1]
	rows, columns := values(down), values(across)
	if len(columns) > len(rows) {
		down, across, rows, columns = across, down, columns, rows
	}
	if len(rows) > maxDown || len(columns) > maxAcross {
		return nil
	}
	at := map[[2]string]int{}
	for i := range r.data.Points.Len() {
		key := [2]string{number.Plain(r.data.Value(down.Name, i)), number.Plain(r.data.Value(across.Name, i))}
		if _, twice := at[key]; twice {
			return nil
		}
		at[key] = i
	}
	grid := func(title string, cell func(i int) string) section.Section {
		s := section.Section{Title: title, Head: []string{down.Heading()}}
		for _, c := range columns {
			s.Head = append(s.Head, across.Heading()+" = "+c)
		}
		for _, name := range rows {
			row := []string{name}
			for _, c := range columns {
				text := ""
				if i, ok := at[[2]string{name, c}]; ok {
					text = r.label(cell(i), i)
				}
				row = append(row, text)
			}
			s.Rows = append(s.Rows, row)
		}
		return s
	}
	var out []section.Section
	for _, m := range r.metrics[:min(maxCrossed, len(r.metrics))] {
		out = append(out, grid(m.Name, func(i int) string { return r.mean(i, m) }))
	}
	if bounds := r.bounds(); bounds != nil {
		s := grid("bound", func(i int) string { return number.Plain(r.data.Value("bound", i)) })
		s.Notes = bounds
		out = append(out, s)
	}
	if len(out) > 0 {
		out[0].Notes = append(out[0].Notes, predicted.Notes(r.data)...)
	}
	if more := len(r.metrics) - maxCrossed; more > 0 && len(out) > 0 {
		out[0].Notes = append(out[0].Notes, number.Plural(more, "more metric")+" in points.parquet")
	}
	return out
}

// decodesApart reports whether decodes of point i wait for another resource than
// the run.
func (r *Report) decodesApart(i int) bool {
	v := r.data.Value("decode_bound", i)
	return v != nil && v != r.data.Value("bound", i)
}

// loaded reports whether requests arrive by themselves at some point of
// several, so that a load says how far each is from its capacity.
func (r *Report) loaded() bool {
	points := r.data.Points
	for i := range points.Len() {
		if _, ok := points.Float(points.Index("load_ratio"), i); ok {
			return points.Len() > 1
		}
	}
	return false
}

// judged reports whether some point was held against service-level objectives.
func (r *Report) judged() bool {
	points := r.data.Points
	for i := range points.Len() {
		if _, ok := points.Bool(points.Index("slo_ok"), i); ok {
			return true
		}
	}
	return false
}

// load returns offered load over capacity at point i as text.
func (r *Report) load(i int) string {
	v, ok := r.data.Points.Float(r.data.Points.Index("load_ratio"), i)
	if !ok {
		return ""
	}
	return fmt.Sprintf("%.2f", v)
}

// kind counts points by what they are: "2 steady points", or "2 points" where
// some are closed loops or bursts, which are bounded in another way.
func (r *Report) kind(rank []int) string {
	word := "steady point"
	for _, i := range rank {
		switch r.state(i) {
		case view.Bounded:
			return number.Plural(len(rank), "point")
		case view.Unjudged:
			word = "not judged point"
		}
	}
	return number.Plural(len(rank), word)
}

// bounds counts the points whose numbers hold by the resource that bounds them.
func (r *Report) bounds() []string {
	points := r.data.Points
	count := map[string]int{}
	held := r.holding(func(i int) bool {
		_, ok := points.String(points.Index("bound"), i)
		return ok
	})
	for _, i := range held {
		name, _ := points.String(points.Index("bound"), i)
		count[name]++
	}
	if len(count) == 0 {
		return nil
	}
	names := slices.Sorted(maps.Keys(count))
	slices.SortStableFunc(names, func(a, b string) int { return count[b] - count[a] })
	for i, name := range names {
		names[i] = fmt.Sprintf("%s %s", name, number.Grouped(count[name]))
	}
	return []string{r.kind(held) + " by the resource they wait for most: " + strings.Join(names, ", ")}
}

// holding lists the points with a property that are steady, closed loops or
// bursts; where there are none, those that nobody could judge.
func (r *Report) holding(has func(i int) bool) []int {
	byState := map[view.State][]int{}
	for i := range r.data.Points.Len() {
		s := r.state(i)
		if s == view.Bounded {
			s = view.Steady
		}
		if has(i) {
			byState[s] = append(byState[s], i)
		}
	}
	if len(byState[view.Steady]) == 0 {
		return byState[view.Unjudged]
	}
	return byState[view.Steady]
}

// ranked returns the ok points that hold and have a value of the metric, best
// first; equal ones by the next metric, or in plan order. A saturated point has no value to rank.
func (r *Report) ranked(by table.Column) []int {
	points := r.data.Points
	col := points.Index(by.Name + "_mean")
	rank := r.holding(func(i int) bool {
		status, _ := points.String(points.Index("status"), i)
		_, ok := points.Float(col, i)
		return ok && status == results.OK
	})
	r.data.Rank(rank, r.data.Deciders(by, r.metrics))
	return rank
}
