// Package verdict holds figures that others published against the points of a
// study: reproduced, impossible from the stated inputs, or different, and why.
package verdict

import (
	"fmt"
	"math"

	"scoville/report/number"
	"scoville/report/view"
	"scoville/sweep/results"
)

// The words of a verdict.
const (
	Reproduced = "reproduced"
	Cannot     = "cannot follow from the stated inputs"
	Differs    = "differs"
	Unanswered = "not answered" // the figure does not name one value of the results
)

// Verdict is what a simulation says of one published figure.
type Verdict struct {
	Value  string // simulated value with its interval, or why there is none
	Ratio  string // simulated over published
	Word   string // Reproduced, Cannot, Differs or Unanswered
	Reason string // may be empty
}

// String is the verdict with its reason.
func (j Verdict) String() string {
	switch {
	case j.Word == Differs && j.Reason == "":
		return "differs, no reason given"
	case j.Word == Differs:
		return "differs because " + j.Reason
	case j.Reason != "":
		return j.Word + ": " + j.Reason
	}
	return j.Word
}

// Judge compares a published figure with its point, or the ratio of two.
func Judge(v *view.View, p results.Published) Verdict {
	i, bad := only(v, p.At, p.Metric, p.Class)
	if bad != nil {
		return *bad
	}
	got, bad := read(v, p, i)
	if bad != nil {
		return *bad
	}
	label := ""
	if v.State(i) == view.Unjudged {
		label = " (not judged)"
	}
	if p.RatioTo != "" {
		k, bad := only(v, p.RatioTo, p.Metric, p.Class)
		if bad != nil {
			return *bad
		}
		to, bad := read(v, p, k)
		switch {
		case bad != nil:
			return *bad
		case to.Mean == 0:
			return Verdict{Value: "-", Ratio: "-", Word: Unanswered, Reason: "the value to divide by is 0"}
		case v.State(k) == view.Unjudged:
			label = " (not judged)"
		}
		got = view.Estimate{Mean: got.Mean / to.Mean, Lo: math.NaN(), Hi: math.NaN()}
	}
	j := Verdict{Value: number.Significant(got.Mean) + label, Ratio: "-", Word: Reproduced}
	if !math.IsNaN(got.Hi) {
		j.Value = number.WithHalf(got.Mean, got.Hi-got.Mean) + label
	}
	if p.Value != 0 {
		j.Ratio = fmt.Sprintf("%.2f", got.Mean/p.Value)
	}
	if !p.Reproduced(got.Mean) {
		j.Word, j.Reason = Differs, p.Because
		if p.Cannot != "" {
			j.Word, j.Reason = Cannot, p.Cannot
		}
	}
	return j
}

// only returns the one point that a condition selects, if it has a value.
func only(v *view.View, condition, metric, class string) (int, *Verdict) {
	points, err := v.Find(condition)
	switch {
	case err != nil:
		return 0, &Verdict{Value: "-", Ratio: "-", Word: Unanswered, Reason: err.Error()}
	case len(points) != 1:
		return 0, &Verdict{Value: "-", Ratio: "-", Word: Unanswered, Reason: fmt.Sprintf("%q selects %s, not one", condition, number.Plural(len(points), "point"))}
	}
	i := points[0]
	if status, _ := v.Points.String(v.Points.Index("status"), i); status != results.OK {
		reason, _ := v.Points.String(v.Points.Index("error"), i)
		return 0, &Verdict{Value: status, Ratio: "-", Word: Cannot, Reason: reason}
	}
	if c, ok := v.Column(metric); class == "" && ok && c.Path == "" && HoldsAnyway[c.Name] {
		return i, nil
	}
	if v.State(i) == view.Saturated {
		offered, _ := v.Estimate("offered_rps", i)
		capacity, known := v.Estimate("capacity_rps", i)
		reason := fmt.Sprintf("offered %s/s is %.2f x the capacity %s/s", number.Significant(offered.Mean), offered.Mean/capacity.Mean, number.Significant(capacity.Mean))
		if !known || offered.Mean < capacity.Mean {
			reason = fmt.Sprintf("the queue still grows at the end of the run at %s/s", number.Significant(offered.Mean))
		}
		return 0, &Verdict{Value: "saturated", Ratio: "-", Word: Cannot, Reason: reason}
	}
	return i, nil
}

// HoldsAnyway are the columns of points that a growing queue leaves true.
var HoldsAnyway = map[string]bool{"offered_rps": true, "capacity_rps": true, "load_ratio": true}

// read returns the simulated value of a figure at point i.
func read(v *view.View, p results.Published, i int) (view.Estimate, *Verdict) {
	get := func() (view.Estimate, bool) { return v.Estimate(p.Metric, i) }
	what := fmt.Sprintf("point %d", v.Index(i))
	if p.Class != "" {
		what += " class " + p.Class
		get = func() (view.Estimate, bool) { return v.OfClass(p.Metric, p.Class, i) }
	}
	e, ok := get()
	if !ok {
		return e, &Verdict{Value: "-", Ratio: "-", Word: Unanswered, Reason: fmt.Sprintf("%s has no value of %s", what, p.Metric)}
	}
	return e, nil
}
