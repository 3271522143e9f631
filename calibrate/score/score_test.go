package score

import (
	"math"
	"slices"
	"strings"
	"testing"

	"scoville/calibrate/measured"
	"scoville/calibrate/objective"
	"scoville/calibrate/results"
	"scoville/core/scenario"
)

const overlay = `schema = 1
[hardware]
compute_util = 0.5
[engine]
layer_overhead_us = 50.0
[calibration.applies_to]
hardware = ["h100-sxm"]
[calibration.covariance]
paths = ["hardware.compute_util", "engine.layer_overhead_us"]
scale = ["log", "log"]
mean = [-0.693147, 3.912023]
matrix = [[0.0025, 0], [0, 0.0025]]
[calibration.model_error]
ttft_sd = 0.02
tpot_sd = 0.02
`

func rows(t *testing.T, text string) (out []*measured.Observation) {
	t.Helper()
	f, err := measured.Read("m.csv", []byte("gpu,model,isl,osl,concurrency,ttft_mean_ms,tpot_mean_ms,ttft_p99_ms\n"+text), measured.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for i := range f.Rows {
		out = append(out, &f.Rows[i])
	}
	return out
}

func layer(t *testing.T) scenario.Layer {
	t.Helper()
	d, err := scenario.ParseTOML("fit.toml", []byte(overlay))
	if err != nil {
		t.Fatal(err)
	}
	l, err := scenario.OverlayLayer(d)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// Rows that are what the overlay predicts, times a known factor, have that error,
// and lie inside their intervals as far as the factor allows. The gate is on the
// metrics of a fit.
func TestScoreKnownErrors(t *testing.T) {
	const conditions = "h100-sxm,llama-3.1-8b,512,16,1,100,10,200\nh100-sxm,llama-3.1-8b,2048,32,4,100,10,200\n"
	in := Input{Overlay: layer(t), Rows: rows(t, conditions), Dir: ".", Jobs: 2, MaxError: 0.15}
	_, predicted, err := Run(t.Context(), in)
	if err != nil || len(predicted) != 6 {
		t.Fatalf("%d residuals, %v", len(predicted), err)
	}
	in.Rows = rows(t, conditions)
	factor := map[string]float64{"ttft_mean_ms": 1.01, "tpot_mean_ms": 0.8, "ttft_p99_ms": 3}
	for i, o := range in.Rows {
		for k := range o.Targets {
			for _, r := range predicted {
				if r.Line == in.Rows[i].Line && r.Metric == o.Targets[k].Metric {
					o.Targets[k].Value = r.Predicted * factor[r.Metric]
				}
			}
		}
	}
	s, _, err := Run(t.Context(), in)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range s.Errors {
		if want := 1/factor[e.Metric] - 1; e.Split != results.Inside || e.Rows != 2 || math.Abs(e.Bias-want) > 1e-9 || math.Abs(e.Median-math.Abs(want)) > 1e-9 {
			t.Errorf("%+v, want an error of %.4f", e, want)
		}
	}
	if len(s.Gates) != 1 || s.Gates[0].What != "tpot_mean_ms" {
		t.Errorf("gates %+v", s.Gates)
	}
	inside := map[string]int{"ttft_mean_ms": 2, "tpot_mean_ms": 0}
	for _, w := range s.Within {
		if want, ok := inside[w.Metric]; !ok || w.Rows != 2 || w.Inside != want || !(w.SD > 0.02 && w.SD < 0.08) {
			t.Errorf("%+v", w)
		}
	}
	if len(s.Within) != 2 || !strings.Contains(results.ScoreText(s), "100% of rows inside their 90% interval") {
		t.Errorf("%+v\n%s", s.Within, results.ScoreText(s))
	}
}

// Elsewhere the overlay's values are taken all the same, and told apart.
func TestScoreElsewhere(t *testing.T) {
	in := Input{Overlay: layer(t), Rows: rows(t, "a100-80,llama-3.1-8b,512,16,1,100,10,200\n"), Dir: ".", Jobs: 1}
	s, residuals, err := Run(t.Context(), in)
	if err != nil || len(s.Apart) != 1 || !strings.Contains(s.Apart[0].Reason, `hardware.name "a100-80", the overlay is of h100-sxm`) || len(s.Gates) != 1 {
		t.Fatalf("%+v, %v", s, err)
	}
	conds, err := objective.PairWith(t.Context(), rows(t, "a100-80,llama-3.1-8b,512,16,1,100,10,200\n"), nil, scenario.NewCatalog("."), in.Overlay)
	if err != nil || conds[0].Applies || conds[0].Scenario.Hardware.ComputeUtil != 0.5 || residuals[0].Split != results.Elsewhere {
		t.Errorf("%+v, %v", conds, err)
	}
	in.Rows = rows(t, "a100-80,llama-3.1-8b,512,16,1,100,10,200\n")
	in.Rows[0].Values = slices.DeleteFunc(in.Rows[0].Values, func(a scenario.Assignment) bool { return a.Path == "hardware.name" })
	if _, _, err := Run(t.Context(), in); err == nil || !strings.Contains(err.Error(), "give --hardware NAME") {
		t.Errorf("without a chip: %v", err)
	}
}

// Rows that leave what was fitted in the same way are counted together.
func TestWithoutValue(t *testing.T) {
	for reason, want := range map[string]string{
		"engine.tp = 8 is outside 1 to 4":                        "outside its range of engine.tp 1 to 4",
		"hardware.memory_bandwidth_gb_s = 20000, fitted at 3350": "outside its range: hardware.memory_bandwidth_gb_s, fitted at 3350",
		`hardware.kv_path = "separate", fitted at "shared"`:      `outside its range: hardware.kv_path, fitted at "shared"`,
		"hardware.adapter_link_gb_s = 20, fitted without":        "outside its range: hardware.adapter_link_gb_s, fitted without",
	} {
		if got := withoutValue(reason); got != want {
			t.Errorf("%s: %q, want %q", reason, got, want)
		}
	}
}
