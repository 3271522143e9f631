package sweep

import (
	"bytes"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"scoville/core"
	"scoville/core/metrics"
	"scoville/core/scenario"
	"scoville/sweep/results"
)

const unsureOverlay = `[hardware]
compute_util = 0.5
[engine]
step_overhead_us = 100.0
[calibration.applies_to]
hardware = ["jalapeno"]
[calibration.covariance]
paths = ["hardware.compute_util", "engine.step_overhead_us"]
scale = ["log", "log"]
mean = [-0.693147, 4.60517]
matrix = [[0.01, 0], [0, 0.04]]
`

// unsure writes a study that rests on an overlay with a covariance.
func unsure(t *testing.T, overlay, text string) string {
	t.Helper()
	file := write(t, strings.Replace(text, `name = "demo"`, "name = \"demo\"\nbase = [\"fit.toml\"]", 1))
	if err := os.WriteFile(filepath.Join(filepath.Dir(file), "fit.toml"), []byte(overlay), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

func swept(t *testing.T, o Options) *results.Dataset {
	t.Helper()
	o.Dir = t.TempDir()
	o.Jobs = max(o.Jobs, 1)
	if _, err := Run(t.Context(), o); err != nil {
		t.Fatal(err)
	}
	d, err := results.Open(o.Dir)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// number is a cell of points, NaN for NULL.
func number(d *results.Dataset, column string, row int) float64 {
	if x, ok := d.Points.Float(d.Points.Index(column), row); ok {
		return x
	}
	if n, ok := d.Points.Int(d.Points.Index(column), row); ok {
		return float64(n)
	}
	return math.NaN()
}

// A metric that goes with 1 / compute_util is predicted within the quantiles of
// its lognormal law, latencies with the model's error on top.
func TestPredictionInterval(t *testing.T) {
	text := reference + "[uncertainty]\ndraws = 2000\n[output]\nmetrics = [\"ttft_mean_ms\", \"tpot_mean_ms\", \"busy_ratio\", \"ttft_closed_mean_ms\"]\n[slo]\ntpot_mean_ms.max = 20.0\n"
	d := swept(t, Options{File: unsure(t, unsureOverlay+"[calibration.model_error]\nttft_sd = 0.2\n", text), newSimulate: fake(func(sc *scenario.Scenario, _ core.Options) core.Result {
		return fine(10 / sc.Hardware.ComputeUtil)
	})})
	for metric, sd := range map[string]float64{"tpot_mean_ms": 0.1, "busy_ratio": 0.1, "ttft_closed_mean_ms": 0.1, "ttft_mean_ms": math.Hypot(0.1, 0.2)} {
		for suffix, sign := range map[string]float64{"_pred_lo": -1, "_pred_hi": 1} {
			got, want := math.Log(number(d, metric+suffix, 0)/20)/sd, sign*1.645
			if !(math.Abs(got-want) < 0.12) {
				t.Errorf("%s%s lies %.3f standard deviations off, want %.3f", metric, suffix, got, want)
			}
		}
		if got := number(d, metric+"_mean", 0); got != 20 {
			t.Errorf("%s is %g with the fitted values", metric, got)
		}
	}
	if p := number(d, "slo_probability", 0); !(math.Abs(p-0.5) < 0.04) || number(d, "draws", 0) != 2000 || number(d, "saturated_draw_ratio", 0) != 0 {
		t.Errorf("a limit at the median is met in %g of %g draws", p, number(d, "draws", 0))
	}
}

// A single sequence that waits for weights takes a time of weights over
// bandwidth: its interval is that of the bandwidth, as far as its share goes.
func TestPredictionOfTheSimulator(t *testing.T) {
	overlay := "[hardware]\nweight_bandwidth_util = 0.5\n[calibration.applies_to]\nhardware = [\"jalapeno\"]\n[calibration.covariance]\npaths = [\"hardware.weight_bandwidth_util\"]\nscale = [\"log\"]\nmean = [-0.693147]\nmatrix = [[0.0025]]\n"
	text := strings.Replace(reference, "rate_rps = 2.0", "arrival = \"closed\"\nconcurrency = 1", 1) + "[uncertainty]\ndraws = 400\n"
	d := swept(t, Options{File: unsure(t, overlay, strings.Replace(text, "requests = 300", "requests = 5", 1))})
	mean := number(d, "tpot_mean_ms_mean", 0)
	const stream = 6.607e9 / 6e12 * 1e3 / 0.5 // ms, of mean
	for suffix, sign := range map[string]float64{"_pred_lo": -1, "_pred_hi": 1} {
		want := mean - stream + stream*math.Exp(sign*1.645*0.05)
		if got := number(d, "tpot_mean_ms"+suffix, 0); !(math.Abs(got/want-1) < 0.01) {
			t.Errorf("tpot_mean_ms%s is %g, want %g around %g", suffix, got, want, mean)
		}
	}
	if got := number(d, "saturated_draw_ratio", 0); got != 0 || !math.IsNaN(number(d, "slo_probability", 0)) {
		t.Errorf("a closed loop without levels: saturated in %g of the draws, slo_probability %g", got, number(d, "slo_probability", 0))
	}
}

// Tables are equal whatever the number of workers, and draws change none of the
// other columns. Points on another chip have no interval, and the plan says so.
func TestDrawsChangeNothingElse(t *testing.T) {
	if testing.Short() {
		t.Skip("says nothing of concurrency that shorter tests do not")
	}
	text := strings.Replace(reference, "requests = 300", "requests = 40", 1) + "[axes]\n\"workload.rate_rps\" = [2, 5]\n\"hardware.name\" = [\"jalapeno\", \"h100-sxm\"]\n[replicates]\nn = 2\n[[objective]]\nmetric = \"tpot_mean_ms\"\n[[objective]]\nmetric = \"output_tok_s\"\n"
	plain := swept(t, Options{File: unsure(t, unsureOverlay, text)})
	file := unsure(t, unsureOverlay, text+"[uncertainty]\ndraws = 30\n")
	var last int
	one := swept(t, Options{File: file, Progress: func(p Progress) { last = p.Total }})
	three := swept(t, Options{File: file, Jobs: 3})
	for _, name := range []string{results.RunsFile, results.PointsFile, results.EffectsFile} {
		a, _ := os.ReadFile(filepath.Join(one.Dir, name))
		b, _ := os.ReadFile(filepath.Join(three.Dir, name))
		if len(a) == 0 || !bytes.Equal(a, b) {
			t.Errorf("%s differs between 1 and 3 workers", name)
		}
	}
	if last != 8+2*30 {
		t.Errorf("progress counts %d runs", last)
	}
	for col, c := range plain.Points.Columns {
		for row := range plain.Points.Len() {
			a, b := plain.Points.Row(row)[col], one.Points.Row(row)[col]
			drawn := strings.Contains(c.Name, "_pred_") || strings.Contains(c.Name, "draw") || c.Name == "slo_probability"
			calibrated, _ := one.Points.Bool(one.Points.Index("calibrated"), row)
			if !drawn && a != b {
				t.Errorf("point %d: %s is %v with draws, %v without", row, c.Name, b, a)
			}
			if drawn && (a != nil || !calibrated && b != nil) {
				t.Errorf("point %d: %s is %v without draws, %v with", row, c.Name, a, b)
			}
		}
	}
	for _, row := range []int{0, 2} {
		lo, hi, p := number(one, "tpot_mean_ms_pred_lo", row), number(one, "tpot_mean_ms_pred_hi", row), number(one, "pareto_draw_probability", row)
		if mean := number(one, "tpot_mean_ms_mean", row); !(lo < mean && mean < hi) || !(p >= 0 && p <= 1) {
			t.Errorf("point %d: TPOT %g in %g to %g, on the front in %g of the draws", row, mean, lo, hi, p)
		}
	}
	if p, err := Load(file, nil); err != nil || !strings.Contains(strings.Join(p.Notes, "\n"), "applies to 2 of 4 points") {
		t.Errorf("notes %q, %v", p.Notes, err)
	}
}

// Near the capacity part of the draws is saturated: their latency has no upper
// end, and they meet no level.
func TestSaturatedDraws(t *testing.T) {
	text := reference + "[uncertainty]\ndraws = 400\n[slo]\nttft_mean_ms.max = 1000.0\n"
	d := swept(t, Options{File: unsure(t, unsureOverlay, text), newSimulate: fake(func(sc *scenario.Scenario, _ core.Options) core.Result {
		r := fine(10 / sc.Hardware.ComputeUtil)
		r.OfferedRPS, r.CapacityRPS, r.LoadRatio = 1, 1, 1
		if sc.Hardware.ComputeUtil < 0.48 { // 34 % of the draws
			r.Steady = metrics.No
		}
		if sc.Engine.StepUs > 100*math.Exp(0.4) { // 2.3 %
			r.Status = core.Infeasible
		}
		return r
	})})
	share := number(d, "saturated_draw_ratio", 0)
	if !(math.Abs(share-0.356) < 0.06) || math.Abs(number(d, "slo_probability", 0)-(1-share)) > 1e-12 {
		t.Errorf("saturated in %g, levels met in %g of the draws", share, number(d, "slo_probability", 0))
	}
	if lo, hi := number(d, "ttft_mean_ms_pred_lo", 0), number(d, "ttft_mean_ms_pred_hi", 0); math.IsNaN(lo) || !math.IsNaN(hi) {
		t.Errorf("ttft_mean_ms is in %g to %g", lo, hi)
	}
	if n := number(d, "draws", 0); !(n < 400 && n > 370) {
		t.Errorf("%g draws ran", n)
	}
}

func TestDrawErrors(t *testing.T) {
	for text, want := range map[string]string{
		"[uncertainty]\ndraws = 5\n":                                        "uncertainty.draws: needs a whole number from 20 to 10000",
		"[uncertainty]\n":                                                   "draws is missing",
		"[uncertainty]\ndrawn = 50\n":                                       `did you mean "uncertainty.draws"?`,
		"[uncertainty]\ndraws = 50\n[run]\nmax_runs = 40\n":                 "run.max_runs: 51 runs of 1 points, 50 draws of the parameters of 1 among them, are more than max_runs = 40",
		"[uncertainty]\ndraws = 50\n[search]\nover = \"workload.rate_rps\"": "a search chooses its points itself",
	} {
		if _, err := Load(unsure(t, unsureOverlay, reference+text), nil); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %s", text, err, want)
		}
	}
}

// What a sweep knows when it goes on counts draws as its progress does.
func TestKnownDraws(t *testing.T) {
	file := unsure(t, unsureOverlay, strings.Replace(reference, "requests = 300", "requests = 20", 1)+"[axes]\n\"workload.rate_rps\" = [2, 5]\n[uncertainty]\ndraws = 20\n[replicates]\nn = 2\n")
	dir := t.TempDir()
	for _, c := range []struct {
		after int64 // runs of 4 and 40 draws that finish before the next interrupt; 0 = all that are left
		done  int   // known before
	}{{2, 0}, {12, 2}, {0, 14}, {0, 44}} {
		var s Standing
		var p Progress
		o := Options{File: file, Dir: dir, Jobs: 1, Begun: func(x Standing) { s = x }, Progress: func(x Progress) { p = x }}
		if c.after > 0 {
			interrupted(t, o, c.after+1)
		} else if _, err := Run(t.Context(), o); err != nil {
			t.Fatal(err)
		}
		if s.Planned+s.Draws != 44 || s.Done != c.done || p.Total != 44 {
			t.Errorf("%d runs and %d draws planned, %d known, want %d; progress counts %d", s.Planned, s.Draws, s.Done, c.done, p.Total)
		}
	}
}
