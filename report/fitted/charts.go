package fitted

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"scoville/calibrate/results"
	"scoville/report/page"
)

// Bounds of the pictures: metrics that have one, points of a series.
const maxMetrics, maxPoints = 6, 3000

// band is how far from equal a prediction may lie to count as close.
const band = 0.10

// metrics are those compared, latencies or rates, in the order of the record.
func (m *maker) metrics(saturated bool) (out []string) {
	for _, r := range m.rows {
		if r.saturated() == saturated && !slices.Contains(out, r.Metric) {
			out = append(out, r.Metric)
		}
	}
	return out[:min(len(out), maxMetrics)]
}

// splits are the splits of a metric, fitted rows first.
func (m *maker) splits(metric string) (out []string) {
	for _, r := range m.rows {
		if r.Metric == metric && !slices.Contains(out, r.Split) {
			out = append(out, r.Split)
		}
	}
	return out
}

// drawable reports whether a row has a place on logarithmic axes.
func (r *Row) drawable() bool {
	return r.Measured > 0 && r.Predicted > 0 && r.Measured < huge && r.Predicted < huge
}

// measured draws each metric, measured against simulated.
func (m *maker) measured() page.Section {
	s := page.Section{ID: "measured", Title: "Measured against simulated"}
	for _, metric := range append(m.metrics(false), m.metrics(true)...) {
		if c := m.against(metric); c != nil {
			s.Charts = append(s.Charts, *c)
		}
	}
	return s
}

// against is the chart of one metric; nil where nothing can be drawn.
func (m *maker) against(metric string) *page.Chart {
	unit, what := "ms", "latency"
	lo, hi := math.Inf(1), 0.0
	inside, all := map[string]int{}, map[string]int{}
	var series []page.Series
	var notes []string
	for _, split := range m.splits(metric) {
		l := page.Series{Name: split}
		if split == results.HeldOut || split == results.Inside {
			l.Role = page.Front
		}
		for i := range m.rows {
			r := &m.rows[i]
			if r.Metric != metric || r.Split != split || !r.drawable() {
				continue
			}
			if r.saturated() {
				unit, what = rate(metric), "throughput beyond saturation"
			}
			all[split]++
			if math.Abs(r.off()) <= 100*band {
				inside[split]++
			}
			lo, hi = min(lo, r.Measured, r.Predicted), max(hi, r.Measured, r.Predicted)
			l.Points = append(l.Points, page.Point{X: r.Measured, Y: r.Predicted, Lo: within(r.Lo), Hi: within(r.Hi), Ref: r.key(), Text: fmt.Sprintf("%+.1f %%, %s", r.off(), split)})
		}
		l.Points, notes = thin(l.Points, split, notes)
		if l.Points != nil {
			series = append(series, l)
		}
	}
	if series == nil {
		return nil
	}
	lo, hi = lo/1.3, hi*1.3
	var counts []string
	for _, l := range series {
		counts = append(counts, fmt.Sprintf("%d of %d %s rows", inside[l.Name], all[l.Name], l.Name))
	}
	if slices.ContainsFunc(series, func(l page.Series) bool { return l.Name == results.HeldOut }) {
		notes = append(notes, "held out: predicted by a fit that has not seen the row, with its 90 % interval")
	}
	line := func(by float64) [][2]float64 { return [][2]float64{{lo, lo * by}, {hi, hi * by}} }
	return &page.Chart{
		Kind: page.XY, Title: fmt.Sprintf("%s, measured against simulated (%s)", metric, what),
		Reading: fmt.Sprintf("On the line a prediction is right; within 10 %% of it lie %s.", enumerate(counts)),
		Notes:   notes, X: page.Axis{Label: "measured", Unit: unit, Log: true, Min: lo, Max: hi}, Y: page.Axis{Label: "simulated", Unit: unit, Log: true, Min: lo, Max: hi},
		Series: series, Bands: []page.Band{{Label: "within 10 %", Lower: line(1 - band), Upper: line(1 + band)}}, Levels: []page.Level{{Label: "equal", Line: line(1)}},
		Interval: "90 % interval", Whole: "the residuals beside this page",
	}
}

// rate is the unit of a throughput.
func rate(metric string) string {
	if strings.HasSuffix(metric, "tok_s") {
		return "tok/s"
	}
	return "req/s"
}

// within is an end of an interval that can be drawn.
func within(x float64) float64 {
	if x <= 0 || x > huge {
		return math.NaN()
	}
	return x
}

// thin keeps every so manieth of many points.
func thin(points []page.Point, name string, notes []string) ([]page.Point, []string) {
	if len(points) <= maxPoints {
		return points, notes
	}
	each := (len(points) + maxPoints - 1) / maxPoints
	var out []page.Point
	for i := 0; i < len(points); i += each {
		out = append(out, points[i])
	}
	return out, append(notes, fmt.Sprintf("%s: %d of %d rows are drawn, one in %d", name, len(out), len(points), each))
}

// condition is what residuals are drawn against.
type condition struct {
	name, unit string
	number     func(*Row) float64
	word       func(*Row) string
}

func conditionsOf() []condition {
	return []condition{
		{name: "concurrency", unit: "requests", number: func(r *Row) float64 { return r.Concurrency }},
		{name: "rate", unit: "req/s", number: func(r *Row) float64 { return r.Rate }},
		{name: "input length", unit: "tokens", number: func(r *Row) float64 { return r.Prompt }},
		{name: "output length", unit: "tokens", number: func(r *Row) float64 { return r.Output }},
		{name: "tensor parallelism", unit: "chips", number: func(r *Row) float64 { return r.TP }},
		{name: "model", word: func(r *Row) string { return r.Model }},
		{name: "engine version", word: func(r *Row) string { return r.Version }},
		{name: "chip", word: func(r *Row) string { return r.Hardware }},
		{name: "file", word: func(r *Row) string { return r.File }},
	}
}

const noPattern = "No condition has a pattern that chance would not leave."

// conditions draws the residuals against every condition that varies.
func (m *maker) conditions() page.Section {
	s := page.Section{ID: "residuals", Title: "Residuals against the conditions"}
	var steady []string
	var drawn []condition
	for _, c := range conditionsOf() {
		chart, values := m.residuals(c)
		with := ""
		for _, d := range drawn {
			if chart != nil && with == "" && m.together(c, d) {
				with = d.name
			}
		}
		switch {
		case with != "":
			s.Lines = append(s.Lines, fmt.Sprintf("The %s moves with the %s in every row: what is of one and what of the other is not known.", c.name, with))
		case chart != nil:
			drawn = append(drawn, c)
			s.Charts = append(s.Charts, *chart)
		case values == 1:
			steady = append(steady, c.name)
		}
	}
	for _, p := range m.Patterns {
		s.Lines = append(s.Lines, fmt.Sprintf("%s runs %s at large %s: rank correlation %+.2f, p %.1g", p.Metric, map[bool]string{true: "high", false: "low"}[p.Rho > 0], p.Condition, p.Rho, p.P))
	}
	if m.Patterns == nil && s.Charts != nil {
		s.Lines = append(s.Lines, noPattern)
	}
	if steady != nil {
		s.Lines = append(s.Lines, "One value only, so that nothing is known of others: "+enumerate(steady)+".")
	}
	return s
}

// of is the value of a row as text, "" where it has none.
func (c condition) of(r *Row) string {
	if c.word != nil {
		return c.word(r)
	}
	return plain(c.number(r))
}

// together reports whether two conditions have values that go one to one.
func (m *maker) together(a, b condition) bool {
	to, from := map[string]string{}, map[string]string{}
	for i := range m.rows {
		x, y := a.of(&m.rows[i]), b.of(&m.rows[i])
		if m.rows[i].saturated() {
			continue
		}
		if was, ok := to[x]; ok && was != y {
			return false
		}
		if was, ok := from[y]; ok && was != x {
			return false
		}
		to[x], from[y] = y, x
	}
	return true
}

// residuals is the chart of one condition; nil where it does not vary. values is
// how many values it has.
func (m *maker) residuals(c condition) (*page.Chart, int) {
	chart := framed{&page.Chart{Kind: page.XY, X: page.Axis{Label: c.name, Unit: c.unit}, Y: page.Axis{Label: "predicted / measured - 1", Unit: "%"}, Whole: "the residuals beside this page"}}
	seen := map[float64]bool{}
	place := func(r *Row) float64 {
		if c.number != nil {
			return c.number(r)
		}
		w := c.word(r)
		if w == "" {
			return math.NaN()
		}
		k := slices.Index(chart.X.Words, w)
		if k < 0 {
			k = len(chart.X.Words)
			chart.X.Words = append(chart.X.Words, w)
		}
		return float64(k)
	}
	for _, metric := range m.metrics(false) {
		for _, split := range m.splits(metric) {
			l := page.Series{Name: metric + ", " + split}
			for i := range m.rows {
				r := &m.rows[i]
				if r.Metric != metric || r.Split != split || !r.drawable() {
					continue
				}
				if x := place(r); !math.IsNaN(x) {
					seen[x] = true
					p := page.XYPoint(x, r.off())
					p.Ref, p.Text = r.key(), split
					l.Points = append(l.Points, p)
				}
			}
			l.Points, chart.Notes = thin(l.Points, l.Name, chart.Notes)
			if l.Points != nil {
				chart.Series = append(chart.Series, l)
			}
		}
	}
	if len(seen) < 2 {
		return nil, len(seen)
	}
	chart.X.Log = c.number != nil && spans(seen)
	chart.Title = "errors against " + c.name
	chart.Reading = fmt.Sprintf("Points that rise or fall with %s are an effect that the simulator lacks; the band is 10 %%.", c.name)
	if c.word != nil {
		chart.Reading = fmt.Sprintf("Points of one %s that lie beside the line are an effect that the simulator lacks; the band is 10 %%.", c.name)
	}
	chart.frame(seen)
	return chart.Chart, len(seen)
}

// framed is a chart of residuals.
type framed struct{ *page.Chart }

// frame gives it the band of 10 % around 0, and an axis that shows both.
func (c framed) frame(seen map[float64]bool) {
	const edge = 1.02
	lo, hi, most := math.Inf(1), math.Inf(-1), 150*band
	for x := range seen {
		lo, hi = min(lo, x), max(hi, x)
	}
	for _, s := range c.Series {
		for _, p := range s.Points {
			most = max(most, math.Abs(p.Y))
		}
	}
	switch {
	case c.X.Words != nil:
		lo, hi = lo-0.5, hi+0.5
	case c.X.Log:
		lo, hi = lo/1.1, hi*1.1
	default:
		lo, hi = lo-0.04*(hi-lo), hi+0.04*(hi-lo)
	}
	line := func(y float64) [][2]float64 { return [][2]float64{{lo, y}, {hi, y}} }
	c.Y.Min, c.Y.Max = -edge*most, edge*most
	c.Bands = []page.Band{{Label: "within 10 %", Lower: line(-100 * band), Upper: line(100 * band)}}
	c.Levels = []page.Level{{Label: "equal", Line: line(0)}}
	if c.X.Words == nil {
		c.X.Min, c.X.Max = lo, hi
	}
}

// spans reports whether positive values reach far enough for logarithms.
func spans(seen map[float64]bool) bool {
	lo, hi := math.Inf(1), 0.0
	for x := range seen {
		lo, hi = min(lo, x), max(hi, x)
	}
	return lo > 0 && hi/lo >= 8
}

// correlations draws which parameters the data cannot tell apart.
func (m *maker) correlations() page.Section {
	s := page.Section{ID: "apart", Title: "What the data tell apart"}
	if m.Weak != "" {
		number := fmt.Sprintf("the condition number is %s, and would be 1 if all were told equally well", plain(m.Condition))
		if !(m.Condition < huge) {
			number = "without what was expected before, these data could not tell all parameters at all"
		}
		s.Lines = append(s.Lines, fmt.Sprintf("The weakest combination is %s; %s.", m.Weak, number))
	}
	type pair struct {
		a, b string
		r    float64
	}
	var pairs []pair
	c := page.Chart{
		Kind: page.Heat, Title: "correlation of the parameters", X: page.Axis{Words: m.Free}, Y: page.Axis{Words: m.Free}, Colour: page.Axis{Label: "correlation", Min: -1, Max: 1},
		Reading: "Near +1 or -1 two parameters can take each other's part: their product or ratio is known, each alone is not.",
	}
	for i, row := range m.Covariance {
		for j := range row[:min(i, len(row))] {
			r := row[j] / math.Sqrt(m.Covariance[i][i]*m.Covariance[j][j])
			if math.IsNaN(r) || math.Abs(r) > 1.000001 {
				continue
			}
			c.Cells = append(c.Cells, page.Cell{X: j, Y: i, Value: r, Text: fmt.Sprintf("%+.2f", r)})
			pairs = append(pairs, pair{m.Free[j], m.Free[i], r})
		}
	}
	if len(pairs) == 0 {
		return s
	}
	s.Charts = []page.Chart{c}
	slices.SortStableFunc(pairs, func(a, b pair) int { return cmp.Compare(math.Abs(b.r), math.Abs(a.r)) })
	for _, p := range pairs[:min(len(pairs), 4)] {
		if math.Abs(p.r) < 0.7 {
			break
		}
		way := "one up with the other down fits as well: their product is known better than either"
		if p.r > 0 {
			way = "both up together fits as well: their ratio is known better than either"
		}
		s.Lines = append(s.Lines, fmt.Sprintf("%s and %s, %+.2f: %s.", p.a, p.b, p.r, way))
	}
	return s
}
