package record

import (
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"scoville/core/table"
)

// headline are the metrics that a main effect is looked for in: others change by
// large ratios of small numbers.
var headline = []string{"ttft_mean_ms", "tpot_mean_ms", "output_tok_s", "ttft_p99_ms", "tpot_p99_ms", "e2e_mean_ms", "throughput_rps", "goodput_rps"}

// methods of the effects table that an effect is taken from, the best first; a
// method of a sample says more than another for the same metric.
var methods = []string{"oat", "sobol_total", "morris_mu_star", "rank_correlation"}

// best is the largest effect so far.
type best struct {
	effect *Effect
	rank   int
}

// Effect takes a row of effects with its columns. An effect whose interval includes
// 0, or of a saturated point, is none.
func (b *Builder) Effect(cols Columns, row table.Row) {
	get := func(name string) any { return cols.cell(row, name) }
	word := func(name string) string {
		s, _ := get(name).(string)
		return s
	}
	e := Effect{Metric: word("metric"), Parameter: word("parameter"), Level: word("level"), Method: word("method")}
	method := slices.Index(methods, e.Method)
	value, is := finite(get("effect"))
	if method < 0 || !is || !slices.Contains(headline, e.Metric) || e.Parameter == "" || e.Parameter == "dummy" {
		return
	}
	if steady, known := get("steady").(bool); known && !steady {
		return
	}
	if lo, is := finite(get("ci_lo")); is {
		e.Lo = &lo
	}
	if hi, is := finite(get("ci_hi")); is {
		e.Hi = &hi
	}
	if n, is := get("n").(int64); is {
		e.N = int(n)
	}
	if e.Value = value; value == 0 || e.Lo != nil && e.Hi != nil && *e.Lo <= 0 && *e.Hi >= 0 {
		return
	}
	rank := method
	if e.Method != "oat" { // measures of several metrics do not compare: the first metric has it
		rank = method*len(headline) + slices.Index(headline, e.Metric) + 1
	}
	if b.best.effect == nil || rank < b.best.rank || rank == b.best.rank && math.Abs(value) > math.Abs(b.best.effect.Value) {
		e.Metric, e.Parameter, e.Level, e.Method = strings.Clone(e.Metric), strings.Clone(e.Parameter), strings.Clone(e.Level), strings.Clone(e.Method)
		b.best = best{&e, rank}
	}
}

// maxSpan bounds the points of which spans are taken: above it none is.
const maxSpan = 20_000

// span finds how far metrics go along each axis.
type span struct {
	axes    []int
	paths   []string
	metrics []string
	columns []int // of the metrics
	rows    []spanned
	over    bool
}

// spanned is a point: numbers of its levels and values of the metrics.
type spanned struct {
	levels []string
	values []float64
}

func newSpan(points []table.Column, axes []int) *span {
	s := &span{axes: axes}
	for _, a := range axes {
		s.paths = append(s.paths, points[a].Path)
	}
	for _, m := range headline[:2] {
		if i := slices.IndexFunc(points, func(c table.Column) bool { return c.Name == m+"_mean" }); i >= 0 {
			s.metrics, s.columns = append(s.metrics, m), append(s.columns, i)
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
		p.levels = append(p.levels, strings.Clone(Text(row[a])))
	}
	for _, c := range s.columns {
		v, is := finite(row[c])
		if !is {
			v = math.NaN()
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
			e := spanOf(groups, m)
			if e == nil || out != nil && e.Value <= out.Value {
				continue
			}
			e.Metric, e.Parameter, e.Method = s.metrics[m], s.paths[a], Span
			out = e
		}
	}
	return out
}

// spanOf is the geometric mean of largest over smallest value of metric m within
// groups of several points.
func spanOf(groups map[string][]spanned, m int) *Effect {
	sum, lo, hi, n := 0.0, math.Inf(1), 0.0, 0
	for _, key := range slices.Sorted(maps.Keys(groups)) { // sums in one order
		least, most, known := math.Inf(1), 0.0, 0
		for _, p := range groups[key] {
			if v := p.values[m]; v > 0 {
				least, most = min(least, v), max(most, v)
				known++
			}
		}
		if known < 2 {
			continue
		}
		ratio := most / least
		if math.IsInf(ratio, 0) {
			continue
		}
		sum, lo, hi, n = sum+math.Log(ratio), min(lo, ratio), max(hi, ratio), n+1
	}
	if n == 0 || hi == 1 {
		return nil
	}
	return &Effect{Value: math.Exp(sum / float64(n)), Lo: &lo, Hi: &hi, N: n}
}

// Text is a cell as text.
func Text(v any) string {
	switch v := v.(type) {
	case float64:
		return strconv.FormatFloat(v, 'g', -1, 64)
	case int64:
		return strconv.FormatInt(v, 10)
	case bool:
		return strconv.FormatBool(v)
	case string:
		return v
	}
	return ""
}
