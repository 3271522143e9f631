// Package search finds the largest or smallest value of one number that passes
// a test whose answer may be noisy: bracket, bisect, look elsewhere for a
// contradiction, confirm on fresh samples. It knows numbers and answers; what a
// value means, and how it is tried, is the caller's.
package search

import "math"

// Spec is what is searched, and how far.
type Spec struct {
	From, To float64 // the range, both ends included, From < To
	Max      bool    // the largest value that passes; else the smallest
	Whole    bool    // whole numbers only, found exactly
	// Tol is how close the last pass and the first fail must come, ratio: of the
	// value where From > 0, else of To - From. Without meaning for whole numbers.
	Tol     float64
	Confirm bool    // confirm the boundary on fresh samples
	Start   float64 // first value tried; outside the range or NaN: its middle
	Budget  int     // most questions asked, see Worst
}

// Verdict is what trying a value tells.
type Verdict int

// The verdicts. Only Pass passes.
const (
	Pass     Verdict = iota
	Unclear          // neither shown to pass nor shown to fail: an interval includes the limit
	Unjudged         // nothing to judge by: a metric without a value, a queue nobody can call stable
	Fail             // shown to fail
	Broken           // the trial itself went wrong: the search ends
)

// Answer is the verdict on one value.
type Answer struct {
	Verdict Verdict
	Binding string // what fails first: a metric, "steady" or "feasible"; "" for a pass
	Reason  string // in words; "" for a pass
	Exact   bool   // nothing about it is random: no need to confirm
}

// Try answers for a value, on the samples of the search or on fresh ones.
type Try func(value float64, fresh bool) Answer

// The outcomes of a search.
const (
	Found        = "found"
	NoneFeasible = "none_feasible" // no value of the range passes
	AllFeasible  = "all_feasible"  // every value that was tried passes, both ends too
	NonMonotone  = "non_monotone"  // a value passes that lies beyond one that fails
	OutOfBudget  = "budget"        // more questions were needed than allowed
	Failed       = "error"         // a trial broke, or the values cannot be judged
)

// Result is what a search found. Numbers it did not find are NaN: an end of the
// range is never an answer.
type Result struct {
	Outcome string
	Value   float64 // last value that passes, confirmed if asked for
	// LastPass and NextFail bracket the boundary on the samples of the search.
	// Searches on the same samples differ by less than their intervals say.
	LastPass, NextFail float64
	FirstFail          float64 // nearest value beyond it that is shown to fail; NaN also when none of the range is
	Resolved           bool    // Value and FirstFail are as close as asked for; if not, the samples do not decide between them
	Binding            string  // what fails at FirstFail, or at the easiest value if none passes
	Reason             string  // what must be said of the outcome, in words
	Asked              int     // questions
}

// Interval returns the two ends between which the boundary lies, in the order
// of numbers. An end that was not found is NaN.
func (r Result) Interval() (lo, hi float64) {
	if r.FirstFail < r.Value {
		return r.FirstFail, r.Value
	}
	return r.Value, r.FirstFail
}

// trial is a value that was tried.
type trial struct {
	value, depth float64
	Answer
}

// run is a search on its way.
type run struct {
	axis
	Spec
	try    Try
	trials []trial
	asked  int
	left   [2]int  // questions left on the samples of the search, on fresh ones
	step   float64 // next stride of the bracket, as a depth
	err    string  // outcome that ends the search early; "" = none
	why    string
}

// Run searches. It asks one question at a time and never more than s.Worst says.
func Run(s Spec, try Try) Result {
	r := &run{axis: newAxis(s), Spec: s, try: try}
	r.step = r.stride()
	r.left[0], r.left[1] = s.Worst()
	for r.err == "" {
		v, more := r.next()
		if !more {
			break
		}
		r.ask(v)
	}
	res := r.conclude()
	res.Asked = r.asked
	return res
}

// ask tries a value on the samples of the search.
func (r *run) ask(v float64) {
	if a, ok := r.question(v, false); ok {
		r.trials = append(r.trials, trial{v, r.depth(v), a})
	}
}

// question asks, within the budget; false ends the search.
func (r *run) question(v float64, fresh bool) (Answer, bool) {
	left := &r.left[0]
	if fresh {
		left = &r.left[1]
	}
	if *left == 0 {
		r.err = OutOfBudget
		return Answer{}, false
	}
	*left--
	r.asked++
	a := r.try(v, fresh)
	if a.Verdict == Broken {
		r.err, r.why = Failed, "at "+show(v)+": "+a.Reason
		return a, false
	}
	return a, true
}

// bracket returns the deepest pass and the first that does not pass beyond it;
// nil where there is none.
func (r *run) bracket() (pass, fail *trial) {
	for i := range r.trials {
		if t := &r.trials[i]; t.Verdict == Pass && (pass == nil || t.depth > pass.depth) {
			pass = t
		}
	}
	for i := range r.trials {
		t := &r.trials[i]
		if t.Verdict != Pass && (pass == nil || t.depth > pass.depth) && (fail == nil || t.depth < fail.depth) {
			fail = t
		}
	}
	return pass, fail
}

// contradiction returns a value shown to fail that is easier than the deepest
// pass; nil if there is none.
func (r *run) contradiction() *trial {
	pass, _ := r.bracket()
	for i := range r.trials {
		if t := &r.trials[i]; pass != nil && t.Verdict == Fail && t.depth < pass.depth {
			return t
		}
	}
	return nil
}

// next returns the next value to try. Strides that double from the start until
// a pass and a fail bracket the boundary; halves of the bracket until it is
// narrow; then the places of the scan. Whatever the scan finds moves the bracket
// or contradicts it.
func (r *run) next() (v float64, more bool) {
	pass, fail := r.bracket()
	switch {
	case len(r.trials) == 0:
		return r.First(), true
	case r.contradiction() != nil:
		return 0, false
	case pass == nil && fail.depth > 0:
		v, more = r.onward(fail, -1), true
	case fail == nil && pass.depth < 1:
		v, more = r.onward(pass, 1), true
	case pass != nil && fail != nil:
		v, more = r.between(pass.value, fail.value)
	}
	if more {
		return v, true
	}
	for _, at := range scan {
		if v := r.at(at); !r.tried(v) && !r.near(at, pass) && !r.near(at, fail) {
			return v, true
		}
	}
	return 0, false
}

// scan are the depths that every search looks at before it believes in one
// boundary: both ends and three places spread between them. Those within twice
// the tolerance of the boundary are left out: there noise decides.
var scan = [...]float64{0, 0.25, 0.5, 0.75, 1}

func (r *run) near(depth float64, t *trial) bool {
	return t != nil && math.Abs(depth-t.depth) <= 2*r.grain()
}

func (r *run) tried(v float64) bool { return r.of(v) != nil }

func (r *run) of(v float64) *trial {
	for i := range r.trials {
		if r.trials[i].value == v {
			return &r.trials[i]
		}
	}
	return nil
}

// onward returns a value one stride from t towards the hard (1) or the easy
// (-1) end, and doubles the stride.
func (r *run) onward(t *trial, way float64) float64 {
	v := r.apart(t, way, r.step)
	r.step *= 2
	return v
}

// apart returns the value at a distance from t, at least a whole number away;
// the end of the range if that is nearer.
func (r *run) apart(t *trial, way, distance float64) float64 {
	d := min(max(t.depth+way*distance, 0), 1)
	v := r.at(d)
	if r.Whole && v == t.value && d > 0 && d < 1 {
		v = r.at(min(max(t.depth+way*r.unit(t.value), 0), 1))
	}
	if v == t.value || (r.depth(v)-t.depth)*way <= 0 {
		return r.at(max(way, 0))
	}
	return v
}
