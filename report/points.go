package report

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"scoville/core/table"
	"scoville/sweep/results"
)

// maxListed is how many points are all listed, maxPoints how many of more.
const maxListed, maxPoints = 24, 10

// best makes the table of a design without baselines: every point if they are
// few, else those best in the first metric.
func (r *Report) best() section {
	points, axes, metrics := r.data.Points, r.data.Axes(), r.data.Metrics()
	s := section{title: "points", head: []string{"point"}}
	var rank []int
	for i := range points.Len() {
		rank = append(rank, i)
	}
	if len(rank) > maxListed {
		by := metrics[max(0, slices.IndexFunc(metrics, func(c table.Column) bool { return c.Better != "" }))]
		rank = r.ranked(by)
		s.title = fmt.Sprintf("best %d of %s, by %s", min(maxPoints, len(rank)), r.kind(rank), by.Name)
		rank = rank[:min(maxPoints, len(rank))]
	}
	for _, c := range axes {
		s.head = append(s.head, c.Name)
	}
	load := r.loaded()
	if load {
		s.head = append(s.head, "load_ratio")
	}
	slo := r.judged()
	if slo {
		s.head = append(s.head, "slo_ok")
	}
	for _, m := range metrics {
		s.head = append(s.head, m.Name)
	}
	for _, i := range rank {
		index, _ := points.Int(points.Index("point_index"), i)
		row := append([]string{r.label(fmt.Sprint(index), i)}, r.cells(axes, i)...)
		if load {
			row = append(row, r.load(i))
		}
		if slo {
			row = append(row, r.cells([]table.Column{{Name: "slo_ok"}}, i)...)
		}
		for _, m := range metrics {
			row = append(row, r.mean(i, m))
		}
		s.rows = append(s.rows, row)
	}
	if points.Len() == 1 {
		s.notes = r.bound(0)
	} else {
		s.notes = r.bounds()
	}
	return s
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
		case bounded:
			return plural(len(rank), "point")
		case unjudged:
			word = "not judged point"
		}
	}
	return plural(len(rank), word)
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
		names[i] = fmt.Sprintf("%s %s", name, grouped(count[name]))
	}
	return []string{r.kind(held) + " by the resource they wait for most: " + strings.Join(names, ", ")}
}

// holding lists the points with a property that are steady, closed loops or
// bursts; where there are none, those that nobody could judge.
func (r *Report) holding(has func(i int) bool) []int {
	byState := map[state][]int{}
	for i := range r.data.Points.Len() {
		s := r.state(i)
		if s == bounded {
			s = steady
		}
		if has(i) {
			byState[s] = append(byState[s], i)
		}
	}
	if len(byState[steady]) == 0 {
		return byState[unjudged]
	}
	return byState[steady]
}

// ranked returns the ok points that hold and have a value of the metric, best
// first; equal ones in plan order. A saturated point has no value to rank.
func (r *Report) ranked(by table.Column) []int {
	points := r.data.Points
	col := points.Index(by.Name + "_mean")
	rank := r.holding(func(i int) bool {
		status, _ := points.String(points.Index("status"), i)
		_, ok := points.Float(col, i)
		return ok && status == results.OK
	})
	slices.SortStableFunc(rank, func(a, b int) int {
		x, _ := points.Float(col, a)
		y, _ := points.Float(col, b)
		if by.Better == "higher" {
			x, y = y, x
		}
		return cmp.Compare(x, y)
	})
	return rank
}
