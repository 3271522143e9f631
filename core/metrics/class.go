package metrics

import (
	"slices"
	"sync"

	"scoville/core/internal/bulk"
)

// classNames are the metrics that every class of requests has of its own.
var classNames = []string{
	"ttft_mean_ms", "ttft_p50_ms", "ttft_p99_ms", "tpot_mean_ms", "tpot_p99_ms", "e2e_mean_ms",
	"ttft_closed_mean_ms", "tpot_closed_mean_ms", "requests_count",
}

// ClassColumns returns the metrics of a class of requests, those of Columns
// that depend on its requests alone. The slice is shared and read-only.
func ClassColumns() []Column { return classColumns() }

var classColumns = sync.OnceValue(func() []Column {
	return slices.DeleteFunc(slices.Clone(Columns()), func(c Column) bool { return !slices.Contains(classNames, c.Name) })
})

// SummariseClass returns the values of ClassColumns for the requests of one
// class after warm-up, of Run.Classes in the last Summarise; NaN where there
// are none.
func (r *Run) SummariseClass(class int32) Summary {
	c := &r.classes[class]
	c.distribute()
	out := make(Summary, 0, len(classNames))
	for _, col := range ClassColumns() {
		out = append(out, col.value(c))
	}
	return out
}

// open makes room for the requests of each class.
func (r *Run) open() {
	for len(r.classes) < r.Classes {
		r.classes = append(r.classes, Run{partial: true})
	}
	for i := range r.classes {
		c := &r.classes[i]
		c.ClosedToken, c.ClosedWeights, c.parts = r.ClosedToken, r.ClosedWeights, parts{}
		c.sample.reset()
	}
}

// sample is the latencies of requests in seconds, in order of arrival.
type sample struct{ ttft, tpot, e2e []float64 }

func (s *sample) reset() { s.ttft, s.tpot, s.e2e = s.ttft[:0], s.tpot[:0], s.e2e[:0] }

func (s *sample) add(q *Request) {
	s.ttft = bulk.Append(s.ttft, q.TTFT())
	if v, ok := q.TPOT(); ok {
		s.tpot = bulk.Append(s.tpot, v)
	}
	s.e2e = bulk.Append(s.e2e, q.E2E())
}

// distribute fills the statistics of the sample, which it reorders, and turns
// sums of parts to means.
func (r *Run) distribute() {
	r.ttft.of(r.sample.ttft, r.stats(0))
	r.tpot.of(r.sample.tpot, r.stats(1))
	r.e2e.of(r.sample.e2e, r.stats(3))
	r.parts.mean(float64(len(r.sample.ttft)))
}

// stats returns the statistics of a family that are to be computed: of a class,
// those it has, the others without a name in their places.
func (r *Run) stats(family int) []string {
	if r.partial {
		return classStats()[family]
	}
	return families[family].stats
}

var classStats = sync.OnceValue(func() [][]string {
	out := make([][]string, len(families))
	for i, f := range families {
		for _, s := range f.stats {
			if !slices.Contains(classNames, f.name+"_"+s+"_ms") {
				s = ""
			}
			out[i] = append(out[i], s)
		}
	}
	return out
})
