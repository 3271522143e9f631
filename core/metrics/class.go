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
