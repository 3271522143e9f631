package scene

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"scoville/core/table"
	"scoville/report/number"
	"scoville/report/page"
	"scoville/report/view"
)

// Bounds of heat maps and parallel coordinates.
const (
	maxAcross, maxDown = 16, 24
	maxSlices          = 4   // heat maps of a metric, at values of a further axis
	maxMaps            = 8   // heat maps
	leastLines         = 12  // points from which parallel coordinates say more than a table
	bestLines          = 100 // of a large grid, and
	moreLines          = 300 // evenly over the others
	maxAxes            = 10
)

// Maps draws heat maps of a grid of two axes, or of slices of one of three; an
// empty section for other designs.
func (m *Scene) Maps() (s page.Section) {
	if m.Changes || m.V.Manifest.Sample != nil || len(m.Axes) < 2 || len(m.Axes) > 3 {
		return s
	}
	axes := slices.Clone(m.Axes)
	slices.SortStableFunc(axes, func(a, b table.Column) int { return cmp.Compare(len(m.values(b)), len(m.values(a))) })
	across, down := axes[0], axes[1]
	var slice *table.Column
	if len(axes) == 3 {
		slice = &axes[2]
	}
	if len(m.values(across)) > maxAcross && len(m.values(down)) <= maxAcross {
		across, down = down, across
	}
	nx, ny := len(m.values(across)), len(m.values(down))
	if nx < 2 || ny < 2 || nx*ny < 6 || nx > maxAcross || ny > maxDown || slice != nil && len(m.values(*slice)) > maxSlices {
		return s
	}
	s.ID, s.Title = "maps", "Over "+across.Heading()+" and "+down.Heading()
	for _, c := range m.Metrics {
		if len(s.Charts) >= maxMaps || slice == nil && len(s.Charts) >= maxCharts {
			break
		}
		if slice == nil {
			if h := m.heat(c, across, down, m.All); h != nil {
				s.Charts = append(s.Charts, *h)
			}
			continue
		}
		for _, v := range m.values(*slice) {
			points := slices.DeleteFunc(slices.Clone(m.All), func(i int) bool { return Word(m.V.Value(slice.Name, i)) != v })
			if h := m.heat(c, across, down, points); h != nil && len(s.Charts) < maxMaps {
				m.shared(h, c)
				h.Title += ", at " + slice.Heading() + " = " + v
				s.Charts = append(s.Charts, *h)
			}
		}
	}
	return s
}

// shared gives the slices of a metric one scale of colours.
func (m *Scene) shared(h *page.Chart, c table.Column) {
	least, most, ok := m.Spread(c.Name, m.All)
	if !ok {
		return
	}
	lo, _ := m.V.Estimate(c.Name, least)
	hi, _ := m.V.Estimate(c.Name, most)
	h.Colour.Min, h.Colour.Max = lo.Mean, hi.Mean
	h.Colour.Log = wide([]float64{lo.Mean, hi.Mean})
}

// values are those of an axis as text: numbers by size, words in the order of
// the plan.
func (m *Scene) values(c table.Column) []string {
	seen := map[string]float64{}
	var out []string
	for _, i := range m.All {
		w := Word(m.V.Value(c.Name, i))
		if _, ok := seen[w]; !ok {
			x, _ := m.V.Estimate(c.Name, i)
			seen[w] = x.Mean
			out = append(out, w)
		}
	}
	if view.Numeric(c) {
		slices.SortStableFunc(out, func(a, b string) int { return cmp.Compare(seen[a], seen[b]) })
	}
	return out
}

// heat is the map of one metric; nil where no cell has a value, or several points
// fall into one.
func (m *Scene) heat(c, across, down table.Column, points []int) *page.Chart {
	out := &page.Chart{Kind: page.Heat, Title: c.Name + " over " + across.Heading() + " and " + down.Heading(), X: heading(across), Y: heading(down), Colour: heading(c), Reading: m.ranges(c, points), Whole: "points.parquet"}
	out.X.Words, out.Y.Words = m.values(across), m.values(down)
	if view.Numeric(down) {
		slices.Reverse(out.Y.Words) // the largest at the top
	}
	taken := map[[2]int]bool{}
	var values []float64
	bad := map[string]int{}
	for _, i := range points {
		at := [2]int{slices.Index(out.X.Words, Word(m.V.Value(across.Name, i))), slices.Index(out.Y.Words, Word(m.V.Value(down.Name, i)))}
		if taken[at] {
			return nil
		}
		taken[at] = true
		cell := page.Cell{X: at[0], Y: at[1], Value: math.NaN(), Ref: m.Ref(i)}
		e, ok := m.V.Estimate(c.Name, i)
		switch {
		case !m.V.OK(i), m.V.State(i) == view.Saturated:
			cell.Text, cell.Hollow = m.State(i), true
			bad[cell.Text]++
		case ok:
			cell.Value, cell.Text = e.Mean, number.Significant(e.Mean)
			values = append(values, e.Mean)
		}
		out.Cells = append(out.Cells, cell)
	}
	if len(values) == 0 {
		return nil
	}
	out.Colour.Log = wide(values)
	for _, w := range []string{"saturated", "infeasible", "failed", "timeout"} {
		if n := bad[w]; n > 0 {
			out.Notes = append(out.Notes, fmt.Sprintf("%s %s: no value that may be drawn", number.Plural(n, "point"), w))
		}
	}
	return out
}

// Parallel draws a line for each point of a grid of several axes, or of a sample:
// all of few, of many the best and some of the others.
func (m *Scene) Parallel() (s page.Section) {
	if m.Changes || len(m.Axes) < 3 {
		return s
	}
	k := slices.IndexFunc(m.Metrics, func(c table.Column) bool { return c.Better != "" })
	if k < 0 {
		return s
	}
	by := m.Metrics[k]
	var points []int
	left := 0
	for _, i := range m.All {
		if _, ok := m.V.Estimate(by.Name, i); ok && m.Usable(i) {
			points = append(points, i)
		} else {
			left++
		}
	}
	if len(points) < leastLines {
		return s
	}
	columns := append(slices.Clone(m.Axes[:min(len(m.Axes), maxAxes-2)]), m.Metrics[:min(len(m.Metrics), 3)]...)
	out := page.Chart{Kind: page.Parallel, Title: "every point across its axes, coloured by " + by.Name, Colour: heading(by), Whole: "points.parquet", Reading: "A line is a point: " + m.ranges(by, points) + ". Drag along an axis to keep the lines through that range; a click on a line opens its point."}
	shown := m.thin(points, by)
	if n := len(points) - len(shown); n > 0 {
		out.Notes = append(out.Notes, fmt.Sprintf("of %s points %s are drawn: the %d best by %s, and %d evenly over the others", number.Grouped(len(points)), number.Grouped(len(shown)), bestLines, by.Name, len(shown)-bestLines))
	}
	if left > 0 {
		out.Notes = append(out.Notes, number.Plural(left, "point")+" without a steady value: not drawn")
	}
	if n := len(m.Axes) - (maxAxes - 2); n > 0 {
		word := "axes"
		if n == 1 {
			word = "axis"
		}
		out.Notes = append(out.Notes, fmt.Sprintf("%d further %s not drawn", n, word))
	}
	words := make([][]string, len(columns))
	for a, c := range columns {
		axis := heading(c)
		var values []float64
		if view.Numeric(c) {
			for _, i := range shown {
				if e, ok := m.V.Estimate(c.Name, i); ok {
					values = append(values, e.Mean)
				}
			}
			axis.Log = wide(values)
		} else {
			words[a] = m.values(c)
			axis.Words = words[a]
		}
		out.Axes = append(out.Axes, axis)
	}
	var colours []float64
	for _, i := range shown {
		l := page.Line{Ref: m.Ref(i)}
		for a, c := range columns {
			x := math.NaN()
			if e, ok := m.V.Estimate(c.Name, i); ok {
				x = e.Mean
			}
			if words[a] != nil {
				x = float64(slices.Index(words[a], Word(m.V.Value(c.Name, i))))
			}
			l.Values = append(l.Values, x)
		}
		e, _ := m.V.Estimate(by.Name, i)
		l.Colour = e.Mean
		colours = append(colours, e.Mean)
		out.Lines = append(out.Lines, l)
	}
	out.Colour.Log = wide(colours)
	out.Table = m.table(columns, shown)
	return page.Section{ID: "all", Title: "All points", Charts: []page.Chart{out}}
}

// thin keeps the best points and some evenly over the others, in the order of
// the plan but for the best, which come last and are drawn on top.
func (m *Scene) thin(points []int, by table.Column) []int {
	if len(points) <= bestLines+moreLines {
		return points
	}
	rank := slices.Clone(points)
	m.V.Rank(rank, m.V.Deciders(by, m.Metrics))
	best, rest := rank[:bestLines], rank[bestLines:]
	out := evenly(rest, moreLines) // with the worst, where the colours end
	slices.Reverse(best)
	return append(out, best...)
}

// table are points with values of columns.
func (m *Scene) table(columns []table.Column, points []int) *page.Table {
	t := &page.Table{Head: []string{"point"}}
	for _, c := range columns {
		t.Head = append(t.Head, Named(c))
	}
	for k := len(points) - 1; k >= 0; k-- {
		i := points[k]
		row := []string{fmt.Sprint(m.V.Index(i))}
		for _, c := range columns {
			if c.Path != "" {
				row = append(row, Said(m.V.Value(c.Name, i)))
			} else {
				row = append(row, m.Mean(c, i))
			}
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// maxRest is how many points behind a front are drawn, maxFront how many of it.
const maxRest, maxFront = 2000, 400

// Fronts draws the points by the first objective against the second, and the
// third, the front before the rest.
func (m *Scene) Fronts() (out []page.Chart) {
	goals := m.V.Goals()
	for k := 1; k < len(goals) && k <= 2; k++ {
		if c := m.frontier(goals[0], goals[k], len(goals) == 2); c != nil {
			out = append(out, *c)
		}
	}
	return out
}

// frontier is one picture of two objectives; nil without a front.
func (m *Scene) frontier(y, x table.Column, joined bool) *page.Chart {
	var front, rest, full []int
	lost := 0
	for _, i := range m.All {
		_, ok := m.V.Estimate(x.Name, i)
		_, ok2 := m.V.Estimate(y.Name, i)
		if !ok || !ok2 || !m.V.OK(i) {
			lost++
			continue
		}
		yes, _ := m.V.Points.Bool(m.V.Points.Index("pareto"), i)
		switch {
		case yes:
			front = append(front, i)
		case m.V.State(i) == view.Saturated:
			full = append(full, i)
		default:
			rest = append(rest, i)
		}
	}
	if len(front) == 0 {
		return nil
	}
	m.charted[x.Name+" "+y.Name] = true
	out := &page.Chart{Kind: page.XY, Title: y.Name + " against " + x.Name + ", and the front", X: heading(x), Y: heading(y), Whole: "points.parquet"}
	b, n := m.acrossFront(front, x, y), len(front)
	a := front[0]
	note := func(format string, args ...any) { out.Notes = append(out.Notes, fmt.Sprintf(format, args...)) }
	if n > maxFront {
		front = evenly(front, maxFront)
		note("%d of %s points of the front are drawn, evenly along it", maxFront, number.Grouped(n))
	}
	if n := len(rest); n > maxRest {
		rest = evenly(rest, maxRest)
		note("%s of %s points behind the front are drawn, evenly over the plan", number.Grouped(maxRest), number.Grouped(n))
	}
	if n := len(full); n > 0 {
		note("%s saturated: not drawn, their values are not steady", number.Plural(n, "point"))
	}
	if lost > 0 {
		note("%s infeasible, failed or without a value: not drawn", number.Plural(lost, "point"))
	}
	if len(rest) > 0 {
		out.Series = append(out.Series, m.objectives("other points", rest, x, y))
		out.Series[0].Role = page.Rest
	}
	best := m.objectives("front", front, x, y)
	best.Role, best.Joined = page.Front, joined
	out.Series = append(out.Series, best)
	var xs, ys []float64
	for _, s := range out.Series {
		for _, p := range s.Points {
			xs, ys = append(xs, p.X), append(ys, p.Y)
		}
	}
	out.X.Log, out.Y.Log = wide(xs), wide(ys)
	out.Reading = fmt.Sprintf("%s on the front, from %s with %s to %s with %s. %s",
		number.Plural(n, "point"), m.Mean(x, a), m.Mean(y, a), m.Mean(x, b), m.Mean(y, b), better(x, y))
	return out
}

// acrossFront sorts a front by its axis across, of equal points the best in the
// other first, and returns the best of those at its right end.
func (m *Scene) acrossFront(front []int, x, y table.Column) (right int) {
	x.Better = "lower"
	m.V.Rank(front, []table.Column{x, y})
	end, _ := m.V.Estimate(x.Name, front[len(front)-1])
	return front[slices.IndexFunc(front, func(i int) bool {
		e, _ := m.V.Estimate(x.Name, i)
		return view.Equal(e.Mean, end.Mean)
	})]
}

// better says where good points lie.
func better(x, y table.Column) string {
	side := map[string]string{"lower": "left", "higher": "right"}[x.Better]
	level := map[string]string{"lower": "Lower", "higher": "Higher"}[y.Better]
	return strings.TrimSpace(level + " and to the " + side + " is better.")
}

// evenly keeps n of a list.
func evenly(list []int, n int) []int {
	out := make([]int, n)
	for k := range n {
		out[k] = list[k*(len(list)-1)/(n-1)]
	}
	return out
}

func (m *Scene) objectives(name string, points []int, x, y table.Column) page.Series {
	s := page.Series{Name: name}
	many := len(points) > maxFront
	for _, i := range points {
		a, _ := m.V.Estimate(x.Name, i)
		b, _ := m.V.Estimate(y.Name, i)
		p := page.Point{X: a.Mean, Y: b.Mean, Lo: b.Lo, Hi: b.Hi, Ref: m.Ref(i)}
		if many || name != "front" {
			p.Lo, p.Hi = math.NaN(), math.NaN()
		}
		s.Points = append(s.Points, p)
	}
	return s
}
