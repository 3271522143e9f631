package hunt

import (
	"context"
	"errors"
	"strings"
	"testing"

	"scoville/core"
	"scoville/core/metrics"
	"scoville/core/scenario"
	"scoville/sweep/plan"
	"scoville/sweep/results"
	"scoville/sweep/results/searches"
	"scoville/sweep/row"
	"scoville/sweep/study"
)

// two searches for the rate that keeps TTFT below 100 ms, on three replicates,
// confirmed on two.
const two = `schema = 1
name = "demo"
[model]
name = "llama-2-7b"
weight_dtype = "int8"
[hardware]
name = "jalapeno"
[workload]
requests = 100
[[workload.class]]
name = "chat"
prompt_tokens = 128
output_tokens = { dist = "lognormal", mean = 64, cv = 0.8 }
[axes]
"engine.max_num_seqs" = [1, 2]
[slo]
ttft_mean_ms = { max = 100 }
[search]
over = "workload.rate_rps"
goal = "max"
from = 1
to = 64
confirm = 2
[replicates]
n = 3
`

// constant has nothing random: one replicate tells all.
var constant = strings.NewReplacer("requests = 100", "requests = 100\narrival = \"constant\"", `{ dist = "lognormal", mean = 64, cv = 0.8 }`, "64").Replace(two)

func planned(t *testing.T, text string) *plan.Plan {
	t.Helper()
	st, err := study.Decode("demo.toml", []byte(text), nil)
	if err != nil {
		t.Fatal(err)
	}
	p, err := plan.New(st)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// linear is a server whose TTFT is 10 ms for each request per second that one
// of its sequences has: 10 and 20 requests/s pass.
func linear(sc *scenario.Scenario, _ core.Options) (core.Result, error) {
	s := make(metrics.Summary, len(metrics.Columns()))
	for i := range s {
		s[i] = 10 * sc.Workload.RateRPS / float64(sc.Engine.MaxNumSeqs)
	}
	return core.Result{Status: core.OK, Summary: s, Steady: metrics.Yes}, nil
}

// outcome is what a hunt came to.
type outcome struct {
	rows                []results.Run
	found               []searches.Search
	done, total, failed int // last shown
	err                 error
}

func hunted(t *testing.T, text string, sim func(*scenario.Scenario, core.Options) (core.Result, error), stop func(*results.Run) error) outcome {
	t.Helper()
	var o outcome
	h := Hunt{
		Plan: planned(t, text), Workers: 2, Failed: stop,
		Simulate: func() row.Simulate {
			return func(_ context.Context, sc *scenario.Scenario, c core.Options) (core.Result, error) { return sim(sc, c) }
		},
		Progress: func(done, total, failed int) {
			if done < o.done || done > total {
				t.Errorf("%d of %d runs after %d", done, total, o.done)
			}
			o.done, o.total, o.failed = done, total, failed
		},
	}
	o.rows, o.found, o.err = h.Run(t.Context())
	return o
}

// Rows come by search, then in the order of trying, then by replicate; every
// probe is a point of its own, and fresh replicates are asked only of what the
// search confirms.
func TestRows(t *testing.T) {
	o := hunted(t, two, linear, nil)
	if o.err != nil || len(o.found) != 2 {
		t.Fatalf("%v, %d searches", o.err, len(o.found))
	}
	for i, want := range []float64{10, 20} {
		s := o.found[i]
		if !(s.Value > 0.98*want && s.Value <= want) || !s.Confirmed || s.Outcome != "found" || s.Binding != "ttft_mean_ms" || s.Goal != "max" || s.Unit == "" {
			t.Errorf("search %d: %+v", i, s)
		}
	}
	values, runs, index := 0, map[string]int{}, -1
	for i, r := range o.rows {
		fresh := r.PointIndex != index
		switch {
		case r.Baseline || r.SearchID == "" || r.Status != results.OK:
			t.Errorf("row %d: %+v", i, r)
		case i == 0:
		case !fresh && (r.SearchID != o.rows[i-1].SearchID || r.Probe != o.rows[i-1].Probe || r.Replicate != o.rows[i-1].Replicate+1):
			t.Errorf("row %d does not follow: %+v", i, r)
		case fresh && r.PointIndex != index+1, fresh && r.SearchID == o.rows[i-1].SearchID && r.Probe != o.rows[i-1].Probe+1, fresh && r.SearchID != o.rows[i-1].SearchID && r.Probe != 0:
			t.Errorf("row %d begins a wrong point: %+v", i, r)
		}
		if index = r.PointIndex; fresh {
			values++
			if r.Replicate != 0 {
				t.Errorf("row %d: a point begins with replicate %d", i, r.Replicate)
			}
		}
		if runs[r.SearchID]++; r.Replicate > 4 {
			t.Errorf("row %d: replicate %d of 3 and 2", i, r.Replicate)
		}
	}
	if values != o.found[0].Probes+o.found[1].Probes || runs[o.found[0].ID] != o.found[0].Runs || runs[o.found[1].ID] != o.found[1].Runs {
		t.Errorf("%d points and runs %v, the searches say %+v", values, runs, o.found)
	}
	if o.done != len(o.rows) || o.total != len(o.rows) || o.failed != 0 {
		t.Errorf("progress ends at %d of %d, %d failed; there are %d rows", o.done, o.total, o.failed, len(o.rows))
	}
}

// Where nothing is random each value has one run, and that confirms it.
func TestNothingRandom(t *testing.T) {
	o := hunted(t, constant, linear, nil)
	if o.err != nil {
		t.Fatal(o.err)
	}
	for _, s := range o.found {
		if s.Runs != s.Probes || !s.Confirmed {
			t.Errorf("%+v", s)
		}
	}
}

// A failed run breaks its search and no other; a caller may stop all of them.
func TestFailed(t *testing.T) {
	broken := func(sc *scenario.Scenario, o core.Options) (core.Result, error) {
		if sc.Engine.MaxNumSeqs == 1 {
			return core.Result{}, errors.New("out of paper")
		}
		return linear(sc, o)
	}
	o := hunted(t, two, broken, nil)
	if o.err != nil || o.failed == 0 {
		t.Fatalf("%v, %d failed", o.err, o.failed)
	}
	if s := o.found[0]; s.Outcome == "found" || !strings.Contains(s.Reason, "out of paper") {
		t.Errorf("%+v", s)
	}
	if s := o.found[1]; s.Outcome != "found" {
		t.Errorf("the other search: %+v", s)
	}
	enough := errors.New("enough")
	o = hunted(t, two, broken, func(r *results.Run) error {
		if r.Status != results.Failed || !strings.Contains(r.Error, "out of paper") {
			t.Errorf("%+v is no failed run", r)
		}
		return enough
	})
	if !errors.Is(o.err, enough) {
		t.Errorf("goes on: %v", o.err)
	}
}

func TestDescribe(t *testing.T) {
	for _, c := range []struct {
		old, new string
		want     []string
	}{
		{"", "", []string{"search  largest workload.rate_rps in 1 .. 64, to 2%; meets ttft_mean_ms <= 100 and a stable queue\n", "on 3 replicates each, then", "on 2 fresh replicates; usually 14 values"}},
		{"confirm = 2", "confirm = 2\ntol = \"5%\"\nrequire_steady = false", []string{"to 5%; meets ttft_mean_ms <= 100\n"}},
		{"ttft_mean_ms = { max = 100 }", "output_tok_s = { min = 50 }", []string{"meets output_tok_s >= 50 and"}},
		{"goal = \"max\"", "goal = \"min\"", []string{"search  smallest workload.rate_rps"}},
	} {
		p := planned(t, strings.Replace(two, c.old, c.new, 1))
		got := Describe(p)
		for _, w := range c.want {
			if !strings.Contains(got, w) {
				t.Errorf("%q has no %q", got, w)
			}
		}
		if want := 2 * 3 * usualProbes; Expected(p) != want {
			t.Errorf("%d runs expected, want %d", Expected(p), want)
		}
	}
	if got := Size(planned(t, two)); !strings.HasPrefix(got, "at most 2 searches x ") {
		t.Error(got)
	}
	one := planned(t, strings.Replace(two, "[1, 2]", "[1]", 1))
	if got := Size(one); !strings.HasPrefix(got, "at most ") || !strings.HasSuffix(got, " of 1 search") {
		t.Error(got)
	}
}
