package saturation

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"scoville/calibrate/fit"
	"scoville/calibrate/measured"
	"scoville/calibrate/measured/row"
	"scoville/calibrate/objective"
	"scoville/calibrate/results"
	"scoville/core/scenario"
)

// beyond reads rows and returns the conditions of those beyond saturation.
func beyond(t *testing.T, text string) []objective.Condition {
	t.Helper()
	f, err := measured.Read("m.csv", []byte(text), measured.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var rows []*measured.Observation
	for i := range f.Rows {
		rows = append(rows, &f.Rows[i])
	}
	if _, err := objective.Pair(t.Context(), rows, nil, scenario.NewCatalog(".")); err != nil {
		t.Fatal(err)
	}
	conds, why := objective.Beyond(rows, nil, scenario.NewCatalog("."), nil)
	if len(why) > 0 {
		t.Fatal(why)
	}
	return conds
}

const open = "gpu,model,isl,osl,request_rate,num_prompts,ttft_mean_ms,tpot_mean_ms,request_throughput,output_throughput\n"

// A rate beyond capacity has no part in the throughput: five times the rate gives
// the same requests per second. A row that says what is predicted times a factor
// is off by that factor, in both rates.
func TestOpenLoops(t *testing.T) {
	var rows []string
	for _, rate := range []float64{200, 1000} {
		rows = append(rows, fmt.Sprintf("h100-sxm,llama-3.1-8b,2048,64,%g,2000,90000,40,11,704\n", rate))
	}
	conds := beyond(t, open+strings.Join(rows, ""))
	if len(conds) != 2 {
		t.Fatalf("%d conditions beyond saturation", len(conds))
	}
	_, r, err := Score(t.Context(), conds, nil, At{Jobs: 2})
	if err != nil || len(r) != 4 {
		t.Fatalf("%v, %d residuals", err, len(r))
	}
	if a, b := r[0].Predicted, r[2].Predicted; !(a > 5 && a < 100) || math.Abs(a/b-1) > 0.03 {
		t.Errorf("%.3g and %.3g requests per second at capacity", a, b)
	}
	if ratio := r[1].Predicted / r[0].Predicted; math.Abs(ratio-64) > 0.01 {
		t.Errorf("%.3g tokens a request", ratio)
	}
	for i, c := range conds {
		c.Rows[0].Rates = []row.Target{{Metric: requests, Value: r[2*i].Predicted * 1.25}, {Metric: tokens, Value: r[2*i+1].Predicted / 0.9}}
	}
	s, again, err := Score(t.Context(), conds, nil, At{Jobs: 1})
	if err != nil || s.Rows != 2 || len(s.Errors) != 2 {
		t.Fatalf("%v %+v", err, s)
	}
	for i, want := range []float64{0.2, 0.1} {
		if e := s.Errors[i]; e.Split != results.Saturated || math.Abs(e.Median-want) > 1e-9 || math.Abs(e.Bias+want) > 1e-9 {
			t.Errorf("%+v", e)
		}
	}
	for _, r := range again {
		if r.Split != results.Saturated || strings.HasSuffix(r.Metric, "_ms") {
			t.Errorf("%+v", r)
		}
	}
}

const closed = "gpu,model,isl,osl,concurrency,ttft_mean_ms,tpot_mean_ms\n"

// In a closed loop without a reported rate, that of Little's law stands for it: of
// the simulated latencies it is the simulated rate, but for the ends of the run.
func TestClosedLoops(t *testing.T) {
	conds := beyond(t, closed+"h100-sxm,llama-3.1-8b,8192,1024,128,60000,90\n")
	if len(conds) != 1 {
		t.Fatalf("%d conditions beyond saturation", len(conds))
	}
	params := []objective.Param{{Param: fit.Param{Name: "u", Init: 0.5}, Path: "hardware.compute_util"}}
	at := map[float64]float64{}
	for _, u := range []float64{0.25, 0.5} {
		s, r, err := Score(t.Context(), conds, nil, At{Params: params, Values: []float64{u}, Jobs: 1})
		if err != nil || len(r) != 1 || s.Errors[0].Metric != implied {
			t.Fatalf("%v %+v", err, s)
		}
		want := 1e3 * 128 * 1024 / (60000 + 90*1023.0)
		if math.Abs(r[0].Measured/want-1) > 1e-12 {
			t.Errorf("measured %g, want %g", r[0].Measured, want)
		}
		at[u] = r[0].Predicted
		conds[0].Rows[0].Rates = []row.Target{{Metric: tokens, Value: 1}}
		_, r, err = Score(t.Context(), conds, nil, At{Params: params, Values: []float64{u}, Jobs: 1})
		if err != nil || len(r) != 1 || math.Abs(r[0].Predicted/at[u]-1) > 0.15 {
			t.Errorf("%v: simulated %+v, by Little's law %g", err, r, at[u])
		}
		conds[0].Rows[0].Rates = nil
	}
	if at[0.25] >= at[0.5] {
		t.Errorf("half the efficiency gives %g, the whole %g tokens per second", at[0.25], at[0.5])
	}
}

// A run that names no rate and no loop is counted, not lost. Conditions take
// their model from the fit, others of the file do not come along.
func TestUnscoredAndJoin(t *testing.T) {
	conds := beyond(t, closed+"h100-sxm,llama-3.1-8b,8192,1024,128,60000,90\n")
	conds[0].Rows[0].Targets = nil
	s, r, err := Score(t.Context(), conds, []string{"x"}, At{Jobs: 1})
	if err != nil || len(r) != 0 || len(s.Unscored) != 2 || s.Rows != 0 || !strings.HasPrefix(s.Unscored[1], "m.csv:2: neither a throughput") {
		t.Errorf("%v %+v", err, s)
	}
	if s, _, err := Score(t.Context(), nil, nil, At{}); s != nil || err != nil {
		t.Errorf("nothing beyond saturation: %+v %v", s, err)
	}
	known := []objective.Condition{{Scenario: conds[0].Scenario, Variant: "llama-3.1-8b fp8"}}
	if got := Join(known, conds); len(got) != 1 || got[0].Variant != known[0].Variant {
		t.Errorf("%+v", got)
	}
	known[0].Scenario.Model.Name = "another"
	if got := Join(known, conds); len(got) != 0 {
		t.Errorf("a model that was not fitted: %+v", got)
	}
}
