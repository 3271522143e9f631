package drill

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"scoville/report/number"
	"scoville/report/page"
	"scoville/sweep/results/details"
)

// maxLines is how many distributions a chart shows, as many as there are colours.
const maxLines = 8

// maxGroups is how many baselines have charts of their own.
const maxGroups = 2

// latencyNames are what latencies are called.
var latencyNames = map[string]string{"ttft": "time to first token (TTFT)", "tpot": "time per output token (TPOT)", "e2e": "end-to-end latency (E2E)"}

// few is how few requests leave a P99 to one of them.
const few = 100

// latencies is the section of distributions.
func (b *book) latencies() page.Section {
	s := page.Section{
		ID: "latencies", Title: "How the latencies are distributed",
		Lines: []string{"Each line is one point by its first replicate: how many of its requests have a latency of so much or less. A click on a line opens the point."},
		Notes: notes(b.Details),
	}
	all := b.groups()
	if len(all) > maxGroups { // a chart of each would be too many
		one := group{}
		for _, g := range all {
			one.points = append(one.points, g.points...)
		}
		all = []group{one}
	}
	for _, g := range all {
		for _, metric := range []string{"ttft", "tpot", "e2e"} {
			if c, ok := b.distribution(&g, metric, len(all) > 1); ok {
				s.Charts = append(s.Charts, c)
			}
		}
	}
	return s
}

// quantiles are those of a latency of a point; nil if it has none.
func quantiles(p *details.Point, metric string) *details.Quantiles {
	i := slices.IndexFunc(p.Latencies, func(q details.Quantiles) bool { return q.Metric == metric })
	if i < 0 {
		return nil
	}
	return &p.Latencies[i]
}

// at is quantile p of q, p one of its levels or near to one.
func at(q *details.Quantiles, p float64) details.Number {
	return q.MS[int(math.Round(p*float64(len(q.MS)-1)))]
}

// distribution is the chart of one latency of a group of points.
func (b *book) distribution(g *group, metric string, several bool) (page.Chart, bool) {
	name := latencyNames[metric]
	c := page.Chart{
		Kind: page.XY, Title: "distribution of " + name,
		X:     page.Axis{Label: name, Unit: "ms", Better: "lower"},
		Y:     page.Axis{Label: "requests with so much or less", Unit: "%", Min: 0, Max: 100},
		Table: &page.Table{Head: []string{"point", "requests", "P10 (ms)", "P50 (ms)", "P90 (ms)", "P95 (ms)", "P99 (ms)", "largest (ms)"}},
	}
	if several && g.where != "" {
		c.Title += ", " + g.where
	}
	low, high := math.Inf(1), 0.0
	shown := b.shown(g, metric)
	left := -len(shown)
	whole := !several && len(b.groups()) > 1
	for _, p := range g.points {
		q := quantiles(p, metric)
		if q == nil {
			continue
		}
		left++
		row := []string{b.label(p, whole), number.Grouped(q.Count)}
		for _, level := range []float64{0.1, 0.5, 0.9, 0.95, 0.99, 1} {
			if saturated(p) {
				row = append(row, "saturated")
			} else {
				row = append(row, ms(at(q, level)))
			}
		}
		c.Table.Rows = append(c.Table.Rows, row)
		if !slices.Contains(shown, p) {
			continue
		}
		low, high = min(low, float64(q.MS[0])), max(high, float64(q.MS[len(q.MS)-1]))
		c.Series = append(c.Series, line(b.label(p, whole), p, q, len(c.Series)))
	}
	if len(c.Series) == 0 {
		return c, false
	}
	c.X.Log = low > 0 && high > 20*low
	c.Levels = objectives(g, metric)
	r := reader{metric: metric, points: shown, label: func(p *details.Point) string { return b.label(p, whole) }}
	c.Reading = r.reading()
	c.Notes = append(r.caveats(), r.alike()...)
	if left > 0 {
		c.Notes = append(c.Notes, fmt.Sprintf("%d more points are only among the numbers", left))
	}
	return c, true
}

// shown are the points of a group whose lines are drawn: those that were chosen
// for a reason of their own first.
func (b *book) shown(g *group, metric string) []*details.Point {
	plain := func(p *details.Point) bool {
		return !slices.ContainsFunc(p.Chosen, func(why string) bool {
			return why == "baseline" || strings.HasPrefix(why, "best ") || strings.HasPrefix(why, "worst ") || strings.HasPrefix(why, "lowest ") || strings.HasPrefix(why, "highest ")
		})
	}
	var out []*details.Point
	for _, p := range g.points {
		if quantiles(p, metric) != nil {
			out = append(out, p)
		}
	}
	slices.SortStableFunc(out, func(a, b *details.Point) int {
		switch x, y := plain(a), plain(b); {
		case x == y:
			return 0
		case y:
			return -1
		}
		return 1
	})
	out = out[:min(len(out), maxLines)]
	slices.SortStableFunc(out, func(a, b *details.Point) int { return slices.Index(g.points, a) - slices.Index(g.points, b) })
	return out
}

// reader says what lines show.
type reader struct {
	metric string
	points []*details.Point
	label  func(*details.Point) string
}

// line is the distribution of a point. One of a queue that grows is not joined.
func line(name string, p *details.Point, q *details.Quantiles, k int) page.Series {
	s := page.Series{Name: name, Joined: true, Dashed: k%2 == 1}
	for i, v := range q.MS {
		y := 100 * float64(i) / float64(len(q.MS)-1)
		x := page.XYPoint(float64(v), y)
		x.Ref, x.Hollow = key(p), saturated(p)
		s.Points = append(s.Points, x)
	}
	return s
}

// objectives are the limits on a latency, each once.
func objectives(g *group, metric string) (out []page.Level) {
	for _, p := range g.points {
		for _, l := range p.SLO {
			stat, is := strings.CutPrefix(l.Metric, metric+"_")
			if !is || !l.Max.Known() {
				continue
			}
			stat = strings.ToUpper(strings.TrimSuffix(stat, "_ms"))
			if stat == "MEAN" || stat == "MAX" {
				stat = strings.ToLower(stat)
			}
			level := page.Level{At: float64(l.Max), Axis: "x", Label: "SLO: " + stat + " " + number.Plain(float64(l.Max)) + " ms"}
			if !slices.ContainsFunc(out, func(o page.Level) bool { return o.Label == level.Label }) {
				out = append(out, level)
			}
		}
	}
	return out
}

// reading says what a chart of distributions shows.
func (r *reader) reading() string {
	metric := r.metric
	points := slices.DeleteFunc(slices.Clone(r.points), saturated)
	if len(points) == 0 {
		return "Saturated: the marks are the requests of one run each, and with more requests all of these latencies would be larger."
	}
	first := points[0]
	q := quantiles(first, metric)
	s := fmt.Sprintf("of %s half of the requests are within %s ms, 99 of 100 within %s ms", r.label(first), ms(at(q, 0.5)), ms(at(q, 0.99)))
	worst, most := first, at(q, 0.99)
	for _, p := range points[1:] {
		if v := at(quantiles(p, metric), 0.99); v > most*(1+1e-6) {
			worst, most = p, v
		}
	}
	switch {
	case len(points) == 1:
	case worst == first:
		s += "; no other line has a larger P99"
	default:
		s += fmt.Sprintf("; the largest P99 is %s ms, of %s", ms(most), r.label(worst))
	}
	return sentence(s) + "."
}

// alike says which lines lie on those of others.
func (r *reader) alike() (out []string) {
	points, metric := r.points, r.metric
	on := map[int][]string{}
	taken := map[int]bool{}
	for i, a := range points {
		for k := i + 1; k < len(points) && !taken[i]; k++ {
			if !taken[k] && together(quantiles(a, metric), quantiles(points[k], metric)) {
				taken[k] = true
				on[i] = append(on[i], r.label(points[k]))
			}
		}
	}
	for i, a := range points {
		switch n := len(on[i]); {
		case n == 1:
			out = append(out, fmt.Sprintf("the line of %s lies on that of %s", on[i][0], r.label(a)))
		case n > 1:
			out = append(out, fmt.Sprintf("the lines of %s and %s lie on that of %s", strings.Join(on[i][:n-1], ", "), on[i][n-1], r.label(a)))
		}
	}
	return out
}

// together reports whether two distributions are nowhere further apart than a
// reader of the chart sees.
func together(a, b *details.Quantiles) bool {
	for i := range a.MS {
		if len(a.MS) != len(b.MS) || math.Abs(float64(a.MS[i]-b.MS[i])) > 0.004*float64(a.MS[i]) {
			return false
		}
	}
	return true
}

// caveats are what must be known of lines.
func (r *reader) caveats() (out []string) {
	thin, repeated := 0, false
	for _, p := range r.points {
		repeated = repeated || p.Runs > 1
		if saturated(p) {
			out = append(out, r.label(p)+" is saturated: its latencies grow for as long as requests come, and are no steady values")
		}
		if quantiles(p, r.metric).Count < few {
			thin++
		}
	}
	if repeated {
		out = append(out, "quantiles are those of the first run of each point, not the means over its runs that the tables of metrics have")
	}
	if thin > 0 {
		out = append(out, fmt.Sprintf("%s of fewer than %d requests: the ends of these lines rest on one or two of them", number.Plural(thin, "line"), few))
	}
	return out
}
