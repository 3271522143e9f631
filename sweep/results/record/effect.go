package record

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"scoville/core/table"
)

// headline are the metrics that a main effect is looked for in: others change by
// large ratios of small numbers.
var headline = []string{"ttft_mean_ms", "tpot_mean_ms", "output_tok_s", "ttft_p99_ms", "tpot_p99_ms", "e2e_mean_ms", "throughput_rps", "goodput_rps"}

// methods of the effects table that an effect is taken from, the best first; a
// method of a sample says more than another for the same metric.
var methods = []string{"oat", "sobol_total", "morris_mu_star", "rank_correlation"}

// dummy is the inert parameter of a sample: what it seems to do is noise.
const dummy = "dummy"

// candidate is an effect that may be the main one. rank is that of its method and
// metric, the least the best; size compares those of one rank.
type candidate struct {
	effect Effect
	place  string // combination of the axes around a sample
	rank   int
	size   float64
}

// better says whether an effect is the main one rather than that of o: one with an
// interval before one without.
func (c *candidate) better(o *candidate) bool {
	if o == nil {
		return true
	}
	if a, b := c.effect.Unresolved, o.effect.Unresolved; a != b {
		return b
	}
	return c.rank < o.rank || c.rank == o.rank && c.size > o.size
}

// noise is what the size of any parameter of a sample must exceed, by metric, place
// and method, and for single parameters beside it.
type noise map[string]float64

func (n noise) raise(x float64, key ...string) {
	name := strings.Join(key, "\x00")
	n[name] = max(n[name], x)
}

func (n noise) of(key ...string) float64 { return n[strings.Join(key, "\x00")] }

// Floors takes what the scatter between replicates gives at one combination of the
// axes around a sample, by parameter: no smaller size is an effect.
func (b *Builder) Floors(metric string, outer []string, floors map[string]float64) {
	for parameter, x := range floors {
		b.floor.raise(x, metric, strings.Join(outer, "\x00"), parameter)
	}
}

// Effect takes a row of effects with its columns. An effect whose interval includes
// 0, or for a size what noise gives, or of a saturated point, is none. A change
// without an interval is unresolved, a measure of a sample without one none.
func (b *Builder) Effect(cols Columns, row table.Row) {
	get := func(name string) any { return cols.cell(row, name) }
	word := func(name string) string {
		s, _ := get(name).(string)
		return s
	}
	e := Effect{Metric: word("metric"), Parameter: word("parameter"), Level: word("level"), Method: word("method")}
	method := slices.Index(methods, e.Method)
	value, is := finite(get("effect"))
	if method < 0 || !is || value == 0 || !slices.Contains(headline, e.Metric) || e.Parameter == "" {
		return
	}
	if steady, known := get("steady").(bool); known && !steady {
		return
	}
	var outer []string
	for _, i := range cols.axes {
		outer = append(outer, fmt.Sprint(row[i]))
	}
	c := candidate{place: strings.Join(outer, "\x00"), rank: method, size: math.Abs(value)}
	if e.Parameter == dummy {
		b.floor.raise(value, e.Metric, c.place, e.Method)
		return
	}
	if e.Method != "oat" {
		b.parameters[e.Parameter] = true
	}
	lo, lower := finite(get("ci_lo"))
	hi, upper := finite(get("ci_hi"))
	if e.Unresolved = !lower || !upper; !e.Unresolved {
		e.Lo, e.Hi = &lo, &hi
	}
	n, _ := get("n").(int64)
	e.Value, e.N = value, int(n)
	if !e.Unresolved && lo <= 0 && hi >= 0 {
		return
	}
	e.Metric, e.Parameter, e.Level, e.Method = strings.Clone(e.Metric), strings.Clone(e.Parameter), strings.Clone(e.Level), strings.Clone(e.Method)
	c.effect = e
	switch {
	case e.Method == "oat":
		if c.size = math.Abs(math.Log1p(value)); c.better(b.best) { // a halving is as large as a doubling
			b.best = &c
		}
	case !e.Unresolved: // measures of several metrics do not compare: the first metric has it
		c.rank = method*len(headline) + slices.Index(headline, e.Metric) + 1
		b.sampled = append(b.sampled, c)
	}
}

// main is the main effect of the table of effects, nil without one.
func (b *Builder) main() *Effect {
	best := b.best
	for i := range b.sampled {
		c := &b.sampled[i]
		e := &c.effect
		floor := max(b.floor.of(e.Metric, c.place, e.Method), b.floor.of(e.Metric, c.place, e.Parameter))
		clear := *e.Lo > floor
		if e.Method == "rank_correlation" {
			clear = c.size > max(floor, Chance(float64(len(b.parameters)), float64(e.N)))
		}
		if clear && c.better(best) {
			best = c
		}
	}
	if best == nil {
		return nil
	}
	return &best.effect
}

// Chance is the size that the largest rank correlation of k inert parameters over n
// rows exceeds in one of twenty samples (Bonferroni; normal with variance
// 1 / (n - 1)).
func Chance(k, n float64) float64 {
	return math.Min(1, deviate(k)/math.Sqrt(math.Max(n-1, 1)))
}

// deviate is the size that the largest of k standard normal draws exceeds in one of
// twenty cases at most (Bonferroni).
func deviate(k float64) float64 { return math.Sqrt2 * math.Erfinv(1-0.05/math.Max(k, 1)) }

// maxSpan bounds the points of which spans are taken: above it none is.
const maxSpan = 20_000

// span finds how far metrics go along each axis.
type span struct {
	axes    []int
	paths   []string
	metrics []string
	columns [][3]int // of the metrics: mean and ends of its interval, -1 = none
	rows    []spanned
	over    bool
}

// spanned is a point: numbers of its levels and values of the metrics.
type spanned struct {
	levels []string
	values [][3]float64 // mean and ends of its interval, NaN = none
}

func newSpan(points []table.Column, axes []int) *span {
	s := &span{axes: axes}
	for _, a := range axes {
		s.paths = append(s.paths, points[a].Path)
	}
	for _, m := range headline[:2] {
		var at [3]int
		for i, end := range []string{"_mean", "_ci_lo", "_ci_hi"} {
			at[i] = slices.IndexFunc(points, func(c table.Column) bool { return c.Name == m+end })
		}
		if at[0] >= 0 {
			s.metrics, s.columns = append(s.metrics, m), append(s.columns, at)
		}
	}
	return s
}

func (s *span) add(row table.Row) {
	if s.over || len(s.axes) == 0 {
		return
	}
	if s.over = len(s.rows) == maxSpan; s.over {
		s.rows = nil
		return
	}
	p := spanned{}
	for _, a := range s.axes {
		p.levels = append(p.levels, strings.Clone(table.Text(row[a])))
	}
	for _, at := range s.columns {
		v := [3]float64{math.NaN(), math.NaN(), math.NaN()}
		for i, c := range at {
			if c < 0 {
				continue
			}
			if x, is := finite(row[c]); is {
				v[i] = x
			}
		}
		p.values = append(p.values, v)
	}
	s.rows = append(s.rows, p)
}

// effect is the largest span of all axes and metrics, nil where there is none.
func (s *span) effect() (out *Effect) {
	for a := range s.axes {
		groups := map[string][]spanned{}
		for _, p := range s.rows {
			key := strings.Join(slices.Delete(slices.Clone(p.levels), a, a+1), "\x00")
			groups[key] = append(groups[key], p)
		}
		for m := range s.metrics {
			e := spanOf(groups, m, deviate(float64(len(s.rows)))/deviate(1))
			if e == nil || out != nil && (e.Unresolved && !out.Unresolved || e.Unresolved == out.Unresolved && e.Value <= out.Value) {
				continue
			}
			e.Metric, e.Parameter, e.Method = s.metrics[m], s.paths[a], Span
			out = e
		}
	}
	return out
}

// spanOf is the geometric mean of largest over smallest value of metric m within
// groups of several points. Where the two are not apart by their intervals, widened
// for the largest and the smallest being picked among many, their ratio is 1. It is
// unresolved if a group has points without an interval.
func spanOf(groups map[string][]spanned, m int, widen float64) *Effect {
	sum, lo, hi, n, unresolved := 0.0, math.Inf(1), 0.0, 0, false
	for _, key := range slices.Sorted(maps.Keys(groups)) { // sums in one order
		ratio, judged, ok := extremes(groups[key], m, widen)
		if !ok {
			continue
		}
		unresolved = unresolved || !judged
		sum, lo, hi, n = sum+math.Log(ratio), min(lo, ratio), max(hi, ratio), n+1
	}
	if n == 0 || hi == 1 {
		return nil
	}
	return &Effect{Value: math.Exp(sum / float64(n)), Lo: &lo, Hi: &hi, N: n, Unresolved: unresolved}
}

// extremes is the largest over the smallest value of metric m, and whether their
// intervals were looked at; false for fewer than two values.
func extremes(points []spanned, m int, widen float64) (ratio float64, judged, ok bool) {
	var least, most [3]float64
	known := 0
	for _, p := range points {
		v := p.values[m]
		if !(v[0] > 0) {
			continue
		}
		if known == 0 || v[0] < least[0] {
			least = v
		}
		if known == 0 || v[0] > most[0] {
			most = v
		}
		known++
	}
	ratio = most[0] / least[0]
	if known < 2 || math.IsInf(ratio, 0) {
		return 0, false, false
	}
	apart := most[0] - least[0] - widen*(most[0]-most[1]+least[2]-least[0])
	if judged = !math.IsNaN(apart); judged && apart <= 0 {
		ratio = 1
	}
	return ratio, judged, true
}
