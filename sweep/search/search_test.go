package search

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
)

// below passes values up to a limit, without noise.
func below(limit float64) Try {
	return func(v float64, _ bool) Answer {
		if v <= limit {
			return Answer{Exact: true}
		}
		return Answer{Verdict: Fail, Binding: "m", Reason: "m is above", Exact: true}
	}
}

func above(limit float64) Try {
	return func(v float64, _ bool) Answer {
		a := below(limit)(v, false)
		if a.Verdict = Fail - a.Verdict; a.Verdict == Pass {
			return Answer{Exact: true}
		}
		a.Binding, a.Reason = "m", "m is below"
		return a
	}
}

func spec(from, to float64) Spec {
	return Spec{From: from, To: to, Max: true, Tol: 0.02, Confirm: true, Start: math.NaN(), Budget: 200}
}

// A monotone response is found to the tolerance, wherever its boundary lies and
// wherever the search starts, in both directions and on both scales.
func TestMonotone(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		from := math.Pow(10, 4*rng.Float64()-2)
		s := spec(from, from*math.Pow(10, 0.1+4*rng.Float64()))
		s.Max = rng.IntN(2) == 0
		s.Tol = math.Pow(10, -0.5-3*rng.Float64())
		at := s.From * math.Pow(s.To/s.From, 0.01+0.98*rng.Float64())
		if rng.IntN(3) == 0 {
			s.From = -s.To
			at = s.From + (s.To-s.From)*(0.01+0.98*rng.Float64())
		}
		s.Start = s.From + (s.To-s.From)*(2*rng.Float64()-0.5)
		try := below(at)
		if !s.Max {
			try = above(at)
		}
		tried := map[float64]bool{}
		r := Run(s, func(v float64, fresh bool) Answer {
			if v < s.From || v > s.To || tried[v] {
				t.Fatalf("%+v: tries %g, outside the range or again", s, v)
			}
			tried[v] = true
			return try(v, fresh)
		})
		lo, hi := r.Interval()
		most, _ := s.Worst()
		width := hi/lo - 1
		if s.From <= 0 {
			width = (hi - lo) / (s.To - s.From)
		}
		if r.Outcome != Found || !r.Resolved || !(lo <= at && at <= hi) || width > s.Tol*(1+1e-9) || r.Asked > most || r.Binding != "m" {
			t.Fatalf("%+v boundary %g: %+v", s, at, r)
		}
		if want := map[bool]float64{true: lo, false: hi}[s.Max]; r.Value != want {
			t.Fatalf("%+v: value %g is not the passing end of %g .. %g", s, r.Value, lo, hi)
		}
	}
}

// Whole numbers are found exactly.
func TestWhole(t *testing.T) {
	for _, from := range []float64{0, 1, 7} {
		for at := from; at < from+70; at++ {
			s := spec(from, from+70)
			s.Whole = true
			if r := Run(s, below(at)); r.Outcome != Found || r.Value != at || r.FirstFail != at+1 {
				t.Fatalf("from %g boundary %g: %+v", from, at, r)
			}
			s.Max = false
			if r := Run(s, above(at)); r.Outcome != Found || r.Value != at+1 || r.FirstFail != at {
				t.Fatalf("from %g boundary %g: %+v", from, at, r)
			}
		}
	}
}

// An end of the range is never the answer.
func TestNoBoundary(t *testing.T) {
	for _, c := range []struct {
		try  Try
		want string
	}{
		{below(0), NoneFeasible},
		{below(100), AllFeasible},
		{func(float64, bool) Answer { return Answer{Verdict: Unjudged, Reason: "too short"} }, Failed},
		{func(float64, bool) Answer { return Answer{Verdict: Unclear, Binding: "m"} }, NoneFeasible},
		{func(v float64, _ bool) Answer {
			if v > 10 {
				return Answer{Verdict: Broken, Reason: "panic"}
			}
			return Answer{}
		}, Failed},
	} {
		r := Run(spec(1, 64), c.try)
		if r.Outcome != c.want || !math.IsNaN(r.Value) || !math.IsNaN(r.FirstFail) || r.Outcome != AllFeasible && r.Reason == "" {
			t.Errorf("want %s: %+v", c.want, r)
		}
	}
}

// A pass beyond a fail is seen: an island of passes, a hole of fails, and a
// response the wrong way round.
func TestNonMonotone(t *testing.T) {
	for name, passes := range map[string]func(v float64) bool{
		"island":  func(v float64) bool { return v < 2 || v > 40 },
		"hole":    func(v float64) bool { return v < 7 || v > 9 && v < 30 },
		"wrong":   func(v float64) bool { return v > 5 },
		"pit":     func(v float64) bool { return v > 1.2 && v < 20 },
		"middle":  func(v float64) bool { return v > 20 && v < 25 },
		"far end": func(v float64) bool { return v < 3 || v == 64 },
	} {
		r := Run(spec(1, 64), func(v float64, _ bool) Answer {
			if passes(v) {
				return Answer{}
			}
			return Answer{Verdict: Fail, Binding: "m", Reason: "m is above"}
		})
		if r.Outcome != NonMonotone || !math.IsNaN(r.Value) || r.Binding != "m" {
			t.Errorf("%s: %+v", name, r)
		}
	}
}

func TestBudget(t *testing.T) {
	for budget := 1; budget < 30; budget++ {
		s := spec(1, 64)
		s.Budget = budget
		r := Run(s, below(7))
		if r.Asked > budget || r.Outcome != Found && (r.Outcome != OutOfBudget || !math.IsNaN(r.Value)) {
			t.Errorf("budget %d: %+v", budget, r)
		}
	}
	s := spec(1, 64)
	s.Budget = 3
	if r := Run(s, below(7)); r.Outcome != OutOfBudget {
		t.Errorf("3 questions are not enough: %+v", r)
	}
}

// noisy judges a response that is v times a log-normal factor against a limit,
// by n samples that values share, and confirms on n others.
func noisy(seed uint64, n int, limit, cv float64) Try {
	rules := Rules{Limits: []Limit{{"m", limit, math.NaN()}}}
	return func(v float64, fresh bool) Answer {
		samples := make([]Sample, n)
		for i := range samples {
			rep := uint64(i)
			if fresh {
				rep += uint64(n)
			}
			common := rand.New(rand.NewPCG(seed, rep)).NormFloat64()
			own := rand.New(rand.NewPCG(seed^math.Float64bits(v), rep)).NormFloat64()
			samples[i].Values = []float64{v * (1 + cv*(0.8*common+0.6*own))}
		}
		return rules.Judge(samples)
	}
}

// Through noise, partly common to all values, the interval holds the true
// boundary, and the value keeps the limit, in at least nine of ten searches.
func TestNoise(t *testing.T) {
	for _, c := range []struct {
		n  int
		cv float64
	}{{3, 0.1}, {5, 0.05}, {5, 0.3}, {10, 0.1}} {
		held, kept, all := 0, 0, 0
		for seed := range uint64(200) {
			r := Run(spec(1, 64), noisy(seed, c.n, 10, c.cv))
			lo, hi := r.Interval()
			if r.Outcome != Found {
				continue
			}
			all++
			if lo <= 10 && (10 <= hi || math.IsNaN(hi)) {
				held++
			}
			if r.Value <= 10 {
				kept++
			}
		}
		t.Logf("n %d, cv %g: %d found, %d hold the truth, %d keep the limit", c.n, c.cv, all, held, kept)
		if all < 190 || held < all*9/10 || kept < all*95/100 {
			t.Errorf("n %d, cv %g: %d found, %d hold the truth, %d keep the limit", c.n, c.cv, all, held, kept)
		}
	}
}

// A boundary that only the search's own samples show is not an answer.
func TestConfirmation(t *testing.T) {
	lucky := func(v float64, fresh bool) Answer {
		limit := 30.0
		if fresh {
			limit = 20
		}
		a := below(limit)(v, fresh)
		a.Exact = false
		return a
	}
	r := Run(spec(1, 64), lucky)
	if r.Outcome != Found || r.Value > 20 || r.Value < 15 || r.FirstFail < 30 || r.Resolved || !strings.Contains(r.Reason, fmt.Sprintf("not resolved to 2 %%: between %g and %g the replicates do not decide", r.Value, r.FirstFail)) {
		t.Errorf("%+v", r)
	}
	never := func(v float64, fresh bool) Answer {
		if fresh {
			return Answer{Verdict: Fail, Binding: "m", Reason: "m is above"}
		}
		return below(30)(v, false).notExact()
	}
	if r := Run(spec(1, 64), never); r.Outcome != NoneFeasible || !math.IsNaN(r.Value) {
		t.Errorf("%+v", r)
	}
	open := func(v float64, fresh bool) Answer {
		if a := below(30)(v, false).notExact(); a.Verdict == Pass {
			return a
		}
		return Answer{Verdict: Unclear, Binding: "m", Reason: "m may be above"}
	}
	if r := Run(spec(1, 64), open); r.Outcome != Found || !math.IsNaN(r.FirstFail) || r.Resolved || r.Binding != "m" || !strings.Contains(r.Reason, "no value up to 64 is shown to fail") {
		t.Errorf("%+v", r)
	}
}

func (a Answer) notExact() Answer {
	a.Exact = false
	return a
}

func TestJudge(t *testing.T) {
	yes, no, nan := true, false, math.NaN()
	at := func(values ...float64) []Sample {
		var out []Sample
		for _, v := range values {
			out = append(out, Sample{Values: []float64{v}})
		}
		return out
	}
	open := func(s ...*bool) []Sample {
		out := at(1, 1.1, 0.9)
		for i := range out {
			out[i].Open, out[i].Steady = true, s[i]
		}
		return out
	}
	atMost := Rules{Limits: []Limit{{"m", 10, nan}}, RequireSteady: true}
	atLeast := Rules{Limits: []Limit{{"m", nan, 10}}}
	exact := Rules{Limits: []Limit{{"m", 10, nan}}, Exact: true}
	lax := Rules{Limits: []Limit{{"m", 10, nan}}}
	for i, c := range []struct {
		r       Rules
		samples []Sample
		want    Verdict
		binding string
	}{
		{atMost, at(8, 9, 8.5), Pass, ""},
		{atMost, at(9, 9.9, 9.5), Unclear, "m"}, // 9.47 + 4.30 x 0.26 is above 10
		{atMost, at(9.5, 10.6, 10.2), Unclear, "m"},
		{atMost, at(12, 12.1, 12.2), Fail, "m"},
		{atMost, at(8, nan, 8), Unjudged, "m"},
		{atMost, at(8), Unjudged, "m"},
		{atMost, nil, Unjudged, "m"},
		{atLeast, at(11, 11.1), Pass, ""},     // 11.05 - 12.7 x 0.05 = 10.41
		{atLeast, at(11, 11.2), Unclear, "m"}, // 11.1 - 12.7 x 0.1 = 9.83
		{atLeast, at(8, 8.1, 8.2), Fail, "m"},
		{exact, at(10), Pass, ""},
		{exact, at(10.01), Fail, "m"},
		{atMost, open(&yes, &yes, &no), Pass, ""},
		{atMost, open(&yes, &no, &no), Fail, NotSteady},
		{atMost, open(&yes, nil, nil), Unjudged, NotSteady},
		{lax, open(&no, &no, &no), Pass, ""},
		{atMost, []Sample{{Infeasible: "memory"}}, Fail, NotFeasible},
		{atMost, []Sample{{Infeasible: "memory"}, {Broken: "panic"}}, Broken, ""},
	} {
		a := c.r.Judge(c.samples)
		if a.Verdict != c.want || a.Binding != c.binding || a.Exact != c.r.Exact || (a.Reason == "") != (c.want == Pass) {
			t.Errorf("case %d: %+v", i, a)
		}
	}
}

func ExampleRun() {
	r := Run(Spec{From: 1, To: 64, Max: true, Tol: 0.05, Start: math.NaN(), Budget: 50}, func(v float64, _ bool) Answer {
		if v*v <= 200 {
			return Answer{Exact: true}
		}
		return Answer{Verdict: Fail, Binding: "square", Exact: true}
	})
	lo, hi := r.Interval()
	fmt.Println(r.Outcome, r.Value, lo, hi, r.Binding)
	// Output: found 14.05 14.05 14.67 square
}
