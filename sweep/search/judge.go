package search

import (
	"fmt"
	"math"
	"strings"

	"scoville/sweep/statistic"
)

// Limit is a service level: the metric may not exceed Max nor fall below Min,
// in the metric's unit; NaN is no limit.
type Limit struct {
	Metric   string
	Max, Min float64
}

// Sample is one run of a value.
type Sample struct {
	Infeasible string    // why it cannot run; "" = it ran
	Broken     string    // why it failed; "" = it did not
	Values     []float64 // of the limits' metrics, in their order; NaN = no value
	Open       bool      // requests arrive by themselves: its queue may grow for ever
	Steady     *bool     // the queue does not grow; nil = not known
}

// Rules are how samples are judged.
type Rules struct {
	Limits        []Limit
	RequireSteady bool // an open loop must be steady
	Exact         bool // nothing is random: one sample tells all
}

// Names of what fails beside the metrics of the limits.
const (
	NotSteady   = "steady"
	NotFeasible = "feasible"
)

// Judge says whether a value passes. It passes if every sample ran, more than
// half of the open loops are steady, and of each metric the end of the 95 %
// interval of the mean (Student's t over the samples, as the points table gives
// it) keeps the limit: the upper end of a maximum, the lower of a minimum. It
// fails if a sample cannot run, half of the samples or more are not steady, or
// the whole interval lies beyond the limit. A metric without a value never
// passes.
func (r Rules) Judge(samples []Sample) Answer {
	a := Answer{Exact: r.Exact}
	for _, s := range samples {
		if s.Broken != "" {
			a.Verdict, a.Reason = Broken, s.Broken
			return a
		}
	}
	for _, s := range samples {
		if s.Infeasible != "" {
			a.Verdict, a.Binding, a.Reason = Fail, NotFeasible, s.Infeasible
			return a
		}
	}
	if v, reason := r.steady(samples); v != Pass {
		a.Verdict, a.Binding, a.Reason = v, NotSteady, reason
		return a
	}
	excess := math.Inf(-1)
	for i, l := range r.Limits {
		values := make([]float64, len(samples))
		for j, s := range samples {
			values[j] = s.Values[i]
		}
		v, over, reason := r.metric(l, values)
		if v > a.Verdict || v == a.Verdict && v != Pass && over > excess {
			a.Verdict, a.Binding, a.Reason, excess = v, l.Metric, reason, over
		}
	}
	return a
}

// steady judges the queues of open loops.
func (r Rules) steady(samples []Sample) (Verdict, string) {
	yes, no, open := 0, 0, 0
	for _, s := range samples {
		switch {
		case !s.Open:
			continue
		case s.Steady != nil && *s.Steady:
			yes++
		case s.Steady != nil:
			no++
		}
		open++
	}
	switch {
	case !r.RequireSteady || 2*yes > open || open == 0:
		return Pass, ""
	case 2*no >= open:
		return Fail, fmt.Sprintf("saturated: the queue grows in %d of %d runs", no, open)
	}
	return Unjudged, "the runs are too short to tell whether the queue is stable: raise workload.requests or workload.duration_s"
}

// metric judges the values of one metric, and says how far the worse end of
// their interval is beyond the limit, as a ratio of it.
func (r Rules) metric(l Limit, values []float64) (v Verdict, excess float64, reason string) {
	missing, sum := 0, 0.0
	for _, x := range values {
		if math.IsNaN(x) {
			missing++
		}
		sum += x
	}
	n := float64(len(values))
	if missing > 0 || len(values) == 0 {
		return Unjudged, 0, fmt.Sprintf("%s has no value in %d of %d runs", l.Metric, missing, len(values))
	}
	mean, half := sum/n, 0.0
	switch {
	case r.Exact:
	case n < 2:
		return Unjudged, 0, fmt.Sprintf("%s of one run has no interval", l.Metric)
	default:
		half = statistic.Student{}.Mean(values).Hi - mean
	}
	v, excess = Pass, math.Inf(-1)
	var said []string
	for _, side := range []struct {
		limit, sign float64
		word        string
	}{{l.Max, 1, "above"}, {l.Min, -1, "below"}} {
		worst, best := side.sign*(mean-side.limit)+half, side.sign*(mean-side.limit)-half
		if !(worst > 0) { // also without a limit
			continue
		}
		v = max(v, Unclear)
		if best > 0 {
			v = Fail
		}
		excess = max(excess, worst/math.Abs(side.limit))
		said = append(said, fmt.Sprintf("%s %s is %s %s", l.Metric, interval(mean, half), side.word, show(side.limit)))
		if best <= 0 {
			said[len(said)-1] = fmt.Sprintf("%s %s may be %s %s", l.Metric, interval(mean, half), side.word, show(side.limit))
		}
	}
	return v, excess, strings.Join(said, ", ")
}

func interval(mean, half float64) string {
	if half == 0 {
		return fmt.Sprintf("%.4g", mean)
	}
	return fmt.Sprintf("%.4g ± %.2g", mean, half)
}
