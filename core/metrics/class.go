package metrics

import (
	"slices"
	"sync"
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
// class after warm-up; NaN where there are none.
func (r *Run) SummariseClass(class int32) Summary {
	if r.class == nil {
		r.class = new(Run)
	}
	c := r.class
	c.partial = true
	c.Requests, c.ClosedToken, c.ClosedWeights = c.Requests[:0], r.ClosedToken, r.ClosedWeights
	for _, q := range r.counted() {
		if q.Class == class {
			c.Requests = append(c.Requests, q)
		}
	}
	c.measure()
	var out Summary
	for _, col := range ClassColumns() {
		out = append(out, col.value(c))
	}
	return out
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
