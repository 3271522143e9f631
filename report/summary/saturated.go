package summary

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"scoville/report/number"
	"scoville/report/view"
	"scoville/sweep/results"
)

// maxSaturated is how many saturated points have a sentence each.
const maxSaturated = 4

// saturation says of the saturated points what they are offered against what
// they can serve, and the highest rate that holds.
func saturation(v *view.View, n int) []string {
	out := []string{"SATURATED: " + number.Plural(n, "point") + " of " + number.Grouped(v.Points.Len()) + ": requests arrive faster than they are served, or the queue still grew at the end; a mean over such a run says nothing"}
	groups := byCapacity(v)
	low, high := math.Inf(1), 0.0
	for i := range v.Points.Len() {
		if v.State(i) != view.Saturated {
			continue
		}
		if e, ok := v.Estimate("load_ratio", i); ok {
			low, high = min(low, e.Mean), max(high, e.Mean)
		}
		if len(out) <= maxSaturated {
			out = append(out, overload(v, i, groups))
		}
	}
	if more := n - maxSaturated; more > 0 {
		out = append(out, fmt.Sprintf("%s saturated; loads of all saturated points %.2f to %.2f: offered_rps, capacity_rps and load_ratio in %s", number.Plural(more, "more point"), low, high, results.PointsFile))
	}
	return out
}

// byCapacity groups the points of equal capacity: those that differ in their
// offered load alone, however the study names it.
func byCapacity(v *view.View) map[float64][]int {
	out := map[float64][]int{}
	for i := range v.Points.Len() {
		if c, ok := v.Estimate("capacity_rps", i); ok {
			out[c.Mean] = append(out[c.Mean], i)
		}
	}
	return out
}

// overload is the sentence of saturated point i.
func overload(v *view.View, i int, groups map[float64][]int) string {
	offered, _ := v.Estimate("offered_rps", i)
	capacity, ok := v.Estimate("capacity_rps", i)
	name := "point " + name(v, i)
	if !ok {
		return fmt.Sprintf("%s saturated: the queue still grew at the end of the run at %s requests/s; its capacity is not known", name, number.Significant(offered.Mean))
	}
	load, _ := v.Estimate("load_ratio", i)
	margin := ""
	if _, least, most, known := v.RunMean("capacity_rps", i); known && least < most {
		margin = fmt.Sprintf(" (%s to %s by replicate)", number.Significant(least), number.Significant(most))
	}
	line := fmt.Sprintf("%s saturated: offered %s/s is %.2f x its capacity of %s/s%s", name, number.Significant(offered.Mean), load.Mean, number.Significant(capacity.Mean), margin)
	if load.Mean < 1 {
		line = fmt.Sprintf("%s saturated: its queue still grew at the end although the offered %s/s is %.2f x the capacity of %s/s%s: a longer run may settle", name, number.Significant(offered.Mean), load.Mean, number.Significant(capacity.Mean), margin)
	}
	line += fmt.Sprintf("; steady rates lie below %s/s (load 1)", number.Significant(capacity.Mean))
	best, at := 0.0, -1
	for _, j := range groups[capacity.Mean] {
		if e, ok := v.Estimate("load_ratio", j); ok && v.State(j) == view.Steady && e.Mean > best {
			best, at = e.Mean, j
		}
	}
	if at >= 0 {
		rate, _ := v.Estimate("offered_rps", at)
		line += fmt.Sprintf(", the highest steady one simulated is %s/s (load %.2f, point %d)", number.Significant(rate.Mean), best, v.Index(at))
	}
	return line
}

// name is a point's number with the values of its axes.
func name(v *view.View, i int) string {
	var values []string
	for _, c := range v.Axes() {
		if x := v.Value(c.Name, i); x != nil {
			values = append(values, c.Heading()+" = "+number.Plain(x))
		}
	}
	if len(values) > 4 {
		values = slices.Concat(values[:4], []string{"…"})
	}
	index := fmt.Sprint(v.Index(i))
	if values == nil {
		return index
	}
	return index + " (" + strings.Join(values, ", ") + ")"
}
