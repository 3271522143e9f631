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

// Bounds of pictures of lines.
const (
	maxLines   = 8
	leastTicks = 3      // values along the axis
	wideFrom   = 20     // largest over smallest value from which an axis is logarithmic
	farFrom    = 20     // times beyond the values that a service level would flatten them
	maxCharts  = 4      // of a section
	maxFolded  = 50_000 // points from which axes are not looked at for whether they change anything
)

// curve is what a picture of lines is made of: along an axis, a line for each
// combination of the others.
type curve struct {
	x      table.Column
	others []table.Column // that make the lines
	fixed  string         // at which values of further axes; "" = there are none
	names  []string       // of the lines, in the order of the plan
	lines  map[string][]int
	left   int // points at other values of the further axes
}

// curve lays out the points along x. Axes that change nothing of the metric fold;
// where there would be too many lines, all axes but the first keep the value of
// the first point.
func (m *Scene) curve(x table.Column, metric string) *curve {
	points := slices.DeleteFunc(slices.Clone(m.All), func(i int) bool { return m.V.Value("oat_path", i) != nil || !m.V.OK(i) })
	c := &curve{x: x}
	for _, a := range m.Axes {
		if a.Name != x.Name && !m.same(x, a, points) {
			c.others = append(c.others, a)
		}
	}
	for k := len(c.others) - 1; k >= 0 && len(points) <= maxFolded; k-- {
		less := slices.Delete(slices.Clone(c.others), k, k+1)
		if m.folds(append(less, x), metric, points) {
			c.others = less
		}
	}
	c.split(m, points)
	if len(c.names) > maxLines {
		var keep []table.Column
		for _, a := range c.others { // the first that makes a picture
			if n := m.count(a, points); n >= 2 && n <= maxLines {
				keep = []table.Column{a}
				break
			}
		}
		rest := slices.DeleteFunc(slices.Clone(c.others), func(a table.Column) bool { return len(keep) > 0 && a.Name == keep[0].Name })
		c.fixed = m.At(rest, points[0])
		some := slices.DeleteFunc(slices.Clone(points), func(i int) bool { return m.At(rest, i) != c.fixed })
		c.left, c.others = len(points)-len(some), keep
		c.split(m, some)
	}
	longest := 0
	for _, l := range c.lines {
		longest = max(longest, len(l))
	}
	if longest < leastTicks || len(c.names) > maxLines {
		return nil
	}
	return c
}

// same reports whether two axes go one to one among some points, so that one of
// them says it all.
func (m *Scene) same(a, b table.Column, points []int) bool {
	seen, back := map[any]any{}, map[any]any{}
	for _, i := range points {
		x, y := m.V.Value(a.Name, i), m.V.Value(b.Name, i)
		if old, ok := seen[x]; ok && old != y {
			return false
		}
		if old, ok := back[y]; ok && old != x {
			return false
		}
		seen[x], back[y] = y, x
	}
	return true
}

// folds reports whether points of equal values of some axes have equal values of
// a metric.
func (m *Scene) folds(axes []table.Column, metric string, points []int) bool {
	seen := map[string]float64{}
	for _, i := range points {
		e, ok := m.V.Estimate(metric, i)
		if !ok {
			continue
		}
		key := m.At(axes, i)
		if old, twice := seen[key]; twice && math.Abs(old-e.Mean) > 1e-9*math.Abs(old) {
			return false
		}
		seen[key] = e.Mean
	}
	return true
}

func (m *Scene) count(a table.Column, points []int) int {
	seen := map[any]bool{}
	for _, i := range points {
		seen[m.V.Value(a.Name, i)] = true
	}
	return len(seen)
}

// split makes the lines, one point for each value along the axis.
func (c *curve) split(m *Scene, points []int) {
	c.names, c.lines = nil, map[string][]int{}
	for _, i := range points {
		name := m.At(c.others, i)
		if c.lines[name] == nil {
			c.names = append(c.names, name)
		}
		if !slices.ContainsFunc(c.lines[name], func(k int) bool { return m.V.Value(c.x.Name, k) == m.V.Value(c.x.Name, i) }) {
			c.lines[name] = append(c.lines[name], i)
		}
	}
	for _, l := range c.lines {
		slices.SortStableFunc(l, func(a, b int) int {
			x, _ := m.V.Estimate(c.x.Name, a)
			y, _ := m.V.Estimate(c.x.Name, b)
			return cmp.Compare(x.Mean, y.Mean)
		})
	}
}

// draw makes the picture of a metric.
func (c *curve) draw(m *Scene, metric table.Column) page.Chart {
	out := page.Chart{Kind: page.XY, Title: metric.Name + " against " + c.x.Heading(), X: heading(c.x), Y: heading(metric), Whole: "points.parquet"}
	if c.fixed != "" {
		out.Title += ", at " + c.fixed
		out.Notes = append(out.Notes, fmt.Sprintf("a slice of the grid: the other %s are in points.parquet and in the sections below", number.Plural(c.left, "point")))
	}
	var xs, ys []float64
	for _, name := range c.names {
		s := page.Series{Name: name, Joined: true}
		if name == "" {
			s.Name = metric.Name
		}
		for _, i := range c.lines[name] {
			x, _ := m.V.Estimate(c.x.Name, i)
			e, ok := m.V.Estimate(metric.Name, i)
			p := page.Point{X: x.Mean, Y: e.Mean, Lo: e.Lo, Hi: e.Hi, Hollow: m.V.State(i) == view.Saturated, Ref: m.Ref(i)}
			if !ok {
				p.Y = math.NaN()
			}
			s.Points = append(s.Points, p)
			xs = append(xs, x.Mean)
			if ok && !p.Hollow {
				ys = append(ys, e.Mean)
			}
		}
		out.Series = append(out.Series, s)
	}
	out.X.Log, out.Y.Log = wide(xs), wide(ys) && metric.Unit != "ratio"
	out.Reading = Reading(&out)
	if n := hollow(&out); n > 0 {
		out.Notes = append(out.Notes, fmt.Sprintf("hollow: saturated (%s), no steady value: the queue grows as long as the run lasts; at the edge where beyond the axis", number.Plural(n, "point")))
	}
	for _, l := range m.limits(metric.Name) {
		if len(ys) > 0 && (l.At > farFrom*slices.Max(ys) || l.At < slices.Min(ys)/farFrom) {
			out.Notes = append(out.Notes, l.Label+", which is far from all values and not drawn")
			continue
		}
		out.Levels = append(out.Levels, l)
	}
	if len(c.names) == 1 {
		out.Bands = append(out.Bands, m.forecast(c, metric.Name)...)
	}
	return out
}

func hollow(c *page.Chart) (n int) {
	for _, s := range c.Series {
		for _, p := range s.Points {
			if p.Hollow {
				n++
			}
		}
	}
	return n
}

// wide reports whether positive values span much.
func wide(values []float64) bool {
	if len(values) == 0 {
		return false
	}
	lo, hi := slices.Min(values), slices.Max(values)
	return lo > 0 && hi >= wideFrom*lo
}

// limits are the service levels on a metric.
func (m *Scene) limits(metric string) (out []page.Level) {
	for _, l := range m.V.Manifest.Report.Limits {
		if l.Metric != metric {
			continue
		}
		if l.Max != nil {
			out = append(out, page.Level{Axis: "y", At: *l.Max, Label: "SLO: at most " + m.level(metric, *l.Max)})
		}
		if l.Min != nil {
			out = append(out, page.Level{Axis: "y", At: *l.Min, Label: "SLO: at least " + m.level(metric, *l.Min)})
		}
	}
	return out
}

// level is a service level with its unit.
func (m *Scene) level(metric string, x float64) string {
	c, _ := m.V.Column(metric)
	return strings.TrimSpace(Word(x) + " " + UnitOf(c))
}

// forecast is where 90 % of other runs are expected, of a line whose calibration
// was drawn from. It breaks where a point between has no steady value.
func (m *Scene) forecast(c *curve, metric string) (out []page.Band) {
	b := page.Band{Label: "90 % of other runs"}
	end := func() {
		if len(b.Lower) > 1 {
			out = append(out, b)
		}
		b.Lower, b.Upper = nil, nil
	}
	for _, i := range c.lines[c.names[0]] {
		x, _ := m.V.Estimate(c.x.Name, i)
		lo, low := m.V.Points.Float(m.V.Points.Index(metric+"_pred_lo"), i)
		hi, high := m.V.Points.Float(m.V.Points.Index(metric+"_pred_hi"), i)
		if !low || !high || !m.Usable(i) {
			end()
			continue
		}
		b.Lower, b.Upper = append(b.Lower, [2]float64{x.Mean, lo}), append(b.Upper, [2]float64{x.Mean, hi})
	}
	end()
	return out
}

// loads are the axes that say how much is asked of a machine.
var loads = []string{"workload.rate_rps", "workload.load", "workload.rate_scale", "workload.concurrency"}

// Load reports whether an axis says how much is asked of a machine.
func Load(c table.Column) bool { return slices.Contains(loads, c.Path) }

// Rates draws latencies against the load, with the service levels and where the
// queue grows; an empty section without an axis of the load.
func (m *Scene) Rates() (s page.Section) {
	k := slices.IndexFunc(loads, func(path string) bool {
		return slices.ContainsFunc(m.Axes, func(c table.Column) bool { return c.Path == path })
	})
	if k < 0 || m.V.Manifest.Sample != nil {
		return s
	}
	x := m.Axes[slices.IndexFunc(m.Axes, func(c table.Column) bool { return c.Path == loads[k] })]
	s.ID, s.Title = "rate", "Latency against "+x.Heading()
	for _, c := range m.Metrics {
		if !slices.ContainsFunc([]string{"ttft_", "tpot_", "itl_", "e2e_"}, func(p string) bool { return strings.HasPrefix(c.Name, p) }) || len(s.Charts) == maxCharts {
			continue
		}
		l := m.curve(x, c.Name)
		if l == nil {
			continue
		}
		chart := l.draw(m, c)
		chart.Bands = append(chart.Bands, m.saturation(l)...)
		if len(chart.Bands) > 0 && chart.Bands[0].Axis == "" {
			chart.Notes = append(chart.Notes, "grey band: 90 % of other runs are expected inside, over draws of what the calibration leaves open")
		}
		m.charted[x.Name+" "+c.Name] = true
		s.Charts = append(s.Charts, chart)
	}
	return s
}

// saturation shades the loads at which every line is saturated: beyond the
// largest capacity, or, where that is not known or a line is steady beyond it,
// from the first load at which each line is and stays saturated.
func (m *Scene) saturation(c *curve) []page.Band {
	from, most, steady := math.Inf(-1), math.Inf(-1), math.Inf(-1)
	largest, known, open := 0.0, true, false
	for _, name := range c.names {
		first := math.Inf(1) // from which this line is saturated
		for _, i := range c.lines[name] {
			x, _ := m.V.Estimate(c.x.Name, i)
			most = max(most, x.Mean)
			switch m.V.State(i) {
			case view.Saturated:
				open, first = true, min(first, x.Mean)
			case view.Steady, view.Unjudged:
				steady, first = max(steady, x.Mean), math.Inf(1)
			}
			capacity, ok := m.V.Estimate("capacity_rps", i)
			known = known && ok
			largest = max(largest, capacity.Mean)
		}
		from = max(from, first)
	}
	label := "saturated"
	if len(c.names) > 1 {
		label = "all saturated"
	}
	switch {
	case !open:
		return nil
	case c.x.Path == "workload.load" && steady <= 1:
		from, label = 1, label+": beyond capacity"
	case c.x.Path == "workload.rate_rps" && known && largest > 0 && steady <= largest:
		from, label = largest, fmt.Sprintf("%s: beyond %s/s", label, number.Significant(largest))
	}
	if from > most {
		return nil
	}
	return []page.Band{{Label: label, Axis: "x", From: from, To: math.Inf(1)}}
}

// Cliff draws the hit rate of the on-chip store, and what it does to TPOT, against
// its size or the context; an empty section where nothing of them varies.
func (m *Scene) Cliff() (s page.Section) {
	const hit = "onchip_hit_ratio"
	least, most, ok := m.Spread(hit, m.All)
	if !ok || m.V.Manifest.Sample != nil {
		return s
	}
	lo, _ := m.V.Estimate(hit, least)
	hi, _ := m.V.Estimate(hit, most)
	if hi.Mean-lo.Mean < 0.001 {
		return s
	}
	k := slices.IndexFunc(m.Axes, func(c table.Column) bool { return c.Path == "hardware.onchip_kv_mib" })
	if k < 0 {
		k = slices.IndexFunc(m.Axes, func(c table.Column) bool {
			return strings.HasSuffix(c.Path, "prompt_tokens") || strings.HasSuffix(c.Path, "output_tokens")
		})
	}
	if k < 0 || !view.Numeric(m.Axes[k]) {
		return s
	}
	s.ID, s.Title = "onchip", "The on-chip store: hit rate against "+m.Axes[k].Heading()
	for _, name := range []string{hit, "tpot_mean_ms"} {
		c, known := m.V.Column(name)
		c.Name = name
		l := m.curve(m.Axes[k], name)
		if !known || l == nil || m.charted[m.Axes[k].Name+" "+name] {
			continue
		}
		m.charted[m.Axes[k].Name+" "+name] = true
		s.Charts = append(s.Charts, l.draw(m, c))
	}
	if len(s.Charts) > 0 {
		s.Lines = []string{"Decodes read the whole state of every running sequence each step. A store that pins part of it hits the share that fits; one that replaces the least recently used hits everything while the working set fits and nothing once it does not."}
	}
	return s
}
