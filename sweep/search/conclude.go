package search

import (
	"fmt"
	"math"
)

// conclude turns what was asked into a result, and confirms a boundary.
func (r *run) conclude() Result {
	res := Result{Value: math.NaN(), FirstFail: math.NaN(), LastPass: math.NaN(), NextFail: math.NaN()}
	pass, fail := r.bracket()
	switch wrong := r.contradiction(); {
	case r.err != "":
		return r.stopped(res)
	case wrong != nil:
		res.Outcome, res.Binding = NonMonotone, wrong.Binding
		res.Reason = fmt.Sprintf("%s passes, but %s, which should be easier, does not: %s", show(pass.value), show(wrong.value), wrong.Reason)
	case pass == nil && fail.Verdict == Unjudged:
		res.Outcome, res.Reason = Failed, fmt.Sprintf("cannot be judged: at %s %s", show(fail.value), fail.Reason)
	case pass == nil:
		res.Outcome, res.Binding, res.Reason = NoneFeasible, fail.Binding, fmt.Sprintf("even at %s: %s", show(fail.value), fail.Reason)
	case fail == nil:
		res.Outcome, res.Reason = AllFeasible, fmt.Sprintf("%s, the end of the range, still passes", show(pass.value))
	default:
		return r.boundary(res, pass, fail)
	}
	return res
}

// stopped is the result of a search that ended early.
func (r *run) stopped(res Result) Result {
	res.Outcome, res.Reason = r.err, r.why
	if r.err != OutOfBudget {
		return res
	}
	res.Reason = fmt.Sprintf("not found within %d questions", r.asked)
	if pass, fail := r.bracket(); pass != nil && fail != nil {
		res.Reason += fmt.Sprintf("; %s passes, %s does not", show(pass.value), show(fail.value))
	}
	return res
}

// boundary is the result between a pass and a fail that are close.
func (r *run) boundary(res Result, pass, fail *trial) Result {
	value, said := r.confirmPass(pass)
	if r.err != "" {
		return r.stopped(res)
	}
	if value == nil {
		res.Outcome, res.Binding, res.Reason = NoneFeasible, pass.Binding, said
		return res
	}
	first := r.confirmFail(fail)
	if r.err != "" {
		return r.stopped(res)
	}
	res.Outcome, res.Value, res.Reason = Found, value.value, said
	res.LastPass, res.NextFail = pass.value, fail.value
	res.Binding = fail.Binding
	if first != nil {
		res.FirstFail, res.Binding = first.value, first.Binding
		_, apart := r.between(value.value, first.value)
		res.Resolved = !apart
	}
	if !res.Resolved {
		res.Reason = join(said, r.unresolved(value.value, res.FirstFail))
	}
	return res
}

// unresolved says that the boundary is not known as closely as asked for; fail
// is NaN if no value is shown to fail.
func (r *run) unresolved(pass, fail float64) string {
	to := show(100*r.Tol) + " %"
	if r.Whole {
		to = "a whole number"
	}
	between := fmt.Sprintf("between %s and %s the replicates do not decide", show(min(pass, fail)), show(max(pass, fail)))
	if math.IsNaN(fail) {
		between = fmt.Sprintf("beyond %s no value up to %s is shown to fail", show(pass), show(r.hard))
	}
	return fmt.Sprintf("not resolved to %s: %s; more replicates or longer runs would", to, between)
}

// confirmPass asks for a pass on fresh samples, and where it is none steps back
// by strides that double. It returns nil if not even the easiest value is
// confirmed.
func (r *run) confirmPass(t *trial) (*trial, string) {
	if !r.Confirm || t.Exact {
		return t, ""
	}
	at, said, step := *t, "", r.grain()
	for {
		a, ok := r.fresh(at.value)
		switch {
		case !ok:
			return nil, ""
		case a.Verdict == Pass:
			at.Answer = a
			return &at, said
		case at.depth <= 0:
			t.Binding = a.Binding
			return nil, fmt.Sprintf("%s passes on the samples of the search, but not even %s does on fresh ones: %s", show(t.value), show(at.value), a.Reason)
		}
		if said == "" {
			said = fmt.Sprintf("%s passes on the samples of the search, but not on fresh ones (%s): stepped back", show(t.value), a.Reason)
		}
		v := r.apart(&at, -1, step)
		at, step = trial{value: v, depth: r.depth(v)}, 2*step
	}
}

// confirmFail looks for the first value from t on that is shown to fail, on
// fresh samples. It returns nil if no value up to the hard end is.
func (r *run) confirmFail(t *trial) *trial {
	if !r.Confirm || t.Exact {
		var first *trial
		for i := range r.trials {
			if o := &r.trials[i]; o.Verdict == Fail && o.depth >= t.depth && (first == nil || o.depth < first.depth) {
				first = o
			}
		}
		return first
	}
	at, step := *t, r.grain()
	for {
		a, ok := r.fresh(at.value)
		switch {
		case !ok:
			return nil
		case a.Verdict == Fail:
			at.Answer = a
			return &at
		case at.depth >= 1:
			return nil
		}
		v := r.apart(&at, 1, step)
		at, step = trial{value: v, depth: r.depth(v)}, 2*step
	}
}

// fresh asks on fresh samples, unless nothing about the value is random.
func (r *run) fresh(v float64) (Answer, bool) {
	if t := r.of(v); t != nil && t.Exact {
		return t.Answer, true
	}
	return r.question(v, true)
}

func join(a, b string) string {
	if a == "" {
		return b
	}
	return a + "; " + b
}

// Worst returns how many questions a search asks at most on the samples of the
// search, and on fresh ones; together they keep to the budget. A bracket that
// the scan moves is halved once more, another move is out of budget.
func (s Spec) Worst() (search, fresh int) {
	a := newAxis(s)
	halvings := math.Ceil(math.Log2(1/a.grain())) + 1 // of the whole range
	search = 1 + int(math.Ceil(math.Log2(1+1/a.stride()))) + 2*int(halvings) + len(scan)
	if s.Confirm {
		fresh = 2 * (int(halvings) + 1)
	}
	search = min(search, s.Budget)
	return search, min(fresh, s.Budget-search)
}
