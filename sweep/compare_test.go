package sweep

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"scoville/core"
	"scoville/core/metrics"
	"scoville/core/scenario"
	"scoville/core/unit"
	"scoville/sweep/results"
)

// formats has two axes: the data types, of which int4 loses accuracy at long
// contexts, and the context.
var formats = strings.Replace(reference, "jalapeno", "h100-sxm", 1) + `
[zip.format]
"model.weight_dtype" = ["fp16", "int8", "int4"]
"model.kv_dtype" = ["fp16", "int8", "int8"]
[[cases.context]]
name = "short"
"workload.class.chat.prompt_tokens" = 128
[[cases.context]]
name = "long"
"workload.class.chat.prompt_tokens" = 8192
[accuracy]
table = "loss.csv"
`

const lossTable = `weight_dtype,kv_dtype,context_max,loss_ratio
fp16,fp16,131072,0
int8,int8,131072,0.004
int4,int8,4096,0.005
`

// tpot is a fake of what the formats cost.
func tpot(sc *scenario.Scenario) float64 {
	ms := map[unit.DType]float64{unit.FP16: 10, unit.INT8: 6, unit.INT4: 4}[sc.Model.WeightDType]
	if sc.Workload.Class[0].Prompt.Mean > 1000 {
		ms *= 2
	}
	return ms
}

// compared runs a study with a fake and prints columns of its points.
func compared(t *testing.T, text string, jobs int, sim func(*scenario.Scenario, core.Options) core.Result, columns ...string) (string, string) {
	t.Helper()
	file := write(t, text)
	if err := os.WriteFile(filepath.Join(filepath.Dir(file), "loss.csv"), []byte(lossTable), 0o600); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if _, err := Run(context.Background(), Options{File: file, Dir: dir, Jobs: jobs, newSimulate: fake(sim)}); err != nil {
		t.Fatal(err)
	}
	d, err := results.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for i := range d.Points.Len() {
		row, cells := d.Points.Row(i), []string{}
		for _, c := range columns {
			if x, ok := row[d.Points.Index(c)].(float64); ok {
				cells = append(cells, fmt.Sprintf("%.6g", x))
				continue
			}
			cells = append(cells, fmt.Sprint(row[d.Points.Index(c)]))
		}
		out = append(out, strings.Join(cells, " "))
	}
	return strings.Join(out, "\n"), dir
}

func plainly(sc *scenario.Scenario, _ core.Options) core.Result { return fine(tpot(sc)) }

func TestAccuracyLoss(t *testing.T) {
	got, dir := compared(t, formats, 1, plainly, "weight_dtype", "context", "accuracy_loss_ratio", "pareto", "pareto_probability", "objective_rank", "kept")
	want := `fp16 short 0 <nil> <nil> <nil> <nil>
fp16 long 0 <nil> <nil> <nil> <nil>
int8 short 0.004 <nil> <nil> <nil> <nil>
int8 long 0.004 <nil> <nil> <nil> <nil>
int4 short 0.005 <nil> <nil> <nil> <nil>
int4 long <nil> <nil> <nil> <nil> <nil>`
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	m, err := results.ReadManifest(dir)
	if err != nil {
		t.Fatal(err)
	}
	if len(m.Inputs["loss.csv"]) != 64 || !strings.Contains(strings.Join(m.Notes, "\n"), "the accuracy table has no row for 1 of 6 points (weights int4, KV int8, 8256 tokens)") {
		t.Errorf("inputs %v, notes %q", m.Inputs, m.Notes)
	}
}

const twoObjectives = "[[objective]]\nmetric = 'tpot_mean_ms'\n[[objective]]\nmetric = 'accuracy_loss_ratio'\n"

// The front of two objectives; a point without a loss is not on it. Gains are
// against the baseline of the same context.
func TestParetoAndKept(t *testing.T) {
	if testing.Short() {
		t.Skip("says nothing of concurrency that shorter tests do not")
	}
	text := formats + twoObjectives + "[report]\nbaseline = 'weight_dtype == \"fp16\"'\nkeep = 'tpot_gain_ratio > 0.5 && accuracy_loss_ratio < 0.01'\n"
	got, dir := compared(t, text, 1, plainly, "weight_dtype", "context", "pareto", "pareto_probability", "objective_rank", "kept")
	want := `fp16 short true <nil> <nil> false
fp16 long false <nil> <nil> false
int8 short true <nil> <nil> false
int8 long false <nil> <nil> false
int4 short true <nil> <nil> true
int4 long false <nil> <nil> false`
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	m, _ := results.ReadManifest(dir)
	if fmt.Sprint(m.Objectives) != "[{tpot_mean_ms min} {accuracy_loss_ratio min}]" {
		t.Errorf("objectives %v", m.Objectives)
	}
	for keep, want := range map[string]string{
		"tpot_gain_ratio >= 0.4":                 "false false true true true true",
		"tpot_mean_ms_gain_ratio == 0":           "true true false false false false",
		"output_tok_s_gain_ratio < 0":            "false false true true true true", // higher is better
		"pareto":                                 "true false true false true false",
		"pareto && context == 'short'":           "true false true false true false",
		"tpot_mean_ms < 7 && kv_dtype == 'int8'": "false false true false true false",
	} {
		text := formats + twoObjectives + "[report]\nbaseline = 'weight_dtype == \"fp16\"'\nkeep = \"" + keep + "\"\n"
		got, _ := compared(t, text, 1, plainly, "kept")
		if got = strings.ReplaceAll(got, "\n", " "); got != want {
			t.Errorf("%s keeps %s, want %s", keep, got, want)
		}
	}
}

// Gains are columns of points: of the selected metrics and those that keep
// names, against the baseline or NULL.
func TestGainColumns(t *testing.T) {
	const asked = "[output]\nmetrics = ['output_tok_s', 'requests_count']\n[report]\nbaseline = 'weight_dtype == \"fp16\"'\nkeep = 'tpot_gain_ratio > 0'\n"
	bad := func(sc *scenario.Scenario, _ core.Options) core.Result {
		r := fine(tpot(sc))
		long := sc.Workload.Class[0].Prompt.Mean > 1000
		switch {
		case sc.Model.WeightDType == unit.INT4 && !long:
			r.Steady, r.OfferedRPS = metrics.No, 9
		case sc.Model.WeightDType == unit.FP16 && long:
			return core.Result{Status: core.Infeasible, Reason: "no"}
		}
		return r
	}
	for want, sim := range map[string]func(*scenario.Scenario, core.Options) core.Result{
		"0 0 <nil>\n0 0 <nil>\n0.4 -0.4 <nil>\n0.4 -0.4 <nil>\n0.6 -0.6 <nil>\n0.6 -0.6 <nil>":                  plainly,
		"0 0 <nil>\n<nil> <nil> <nil>\n0.4 -0.4 <nil>\n<nil> <nil> <nil>\n<nil> <nil> <nil>\n<nil> <nil> <nil>": bad,
	} {
		got, dir := compared(t, formats+asked, 1, sim, "tpot_mean_ms_gain_ratio", "output_tok_s_gain_ratio", "requests_count_gain_ratio")
		if got != want {
			t.Errorf("got\n%s\nwant\n%s", got, want)
		}
		d, err := results.Open(dir)
		if err != nil {
			t.Fatal(err)
		}
		if d.Points.Index("ttft_mean_ms_gain_ratio") >= 0 {
			t.Error("a metric that nobody selected has a gain")
		}
	}
	for text, want := range map[string]string{
		"[output]\nmetrics = ['tpot_mean_ms']\n[oat]\n\"hardware.weight_bandwidth_gb_s\" = [\"-20%\", \"+25%\"]\n": "<nil>\n-0.25\n0.2",
		"[output]\nmetrics = ['tpot_mean_ms']\n": "<nil>",
	} {
		sim := func(sc *scenario.Scenario, _ core.Options) core.Result {
			return fine(6e4 / sc.Hardware.WeightBandwidthGBs)
		}
		got, _ := compared(t, reference+text, 1, sim, "tpot_mean_ms_gain_ratio")
		if got != want {
			t.Errorf("%s: got\n%s\nwant\n%s", text, got, want)
		}
	}
}

// Saturated and infeasible points are on no front, keep nothing, and are the
// baseline of nothing.
func TestNotCompared(t *testing.T) {
	bad := func(sc *scenario.Scenario, o core.Options) core.Result {
		r := fine(tpot(sc))
		switch sc.Model.WeightDType {
		case unit.INT4: // the best by its numbers
			r.Steady, r.OfferedRPS = metrics.No, 9
		case unit.INT8:
			if sc.Workload.Class[0].Prompt.Mean > 1000 {
				return core.Result{Status: core.Infeasible, Reason: "no"}
			}
		}
		return r
	}
	text := formats + twoObjectives + "[report]\nbaseline = 'weight_dtype == \"fp16\"'\nkeep = 'tpot_gain_ratio > 0'\n[replicates]\nn = 4\n"
	got, _ := compared(t, text, 1, bad, "weight_dtype", "context", "pareto", "pareto_probability", "kept")
	want := `fp16 short true 1 false
fp16 long false 0 false
int8 short true 1 true
int8 long false <nil> false
int4 short false <nil> false
int4 long false <nil> false`
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	text = formats + "[report]\nbaseline = 'weight_dtype == \"int4\"'\nkeep = 'tpot_gain_ratio < 0 || tpot_gain_ratio >= 0'\n"
	if got, _ := compared(t, text, 1, bad, "kept"); strings.Contains(got, "true") {
		t.Errorf("a saturated baseline gives gains:\n%s", got)
	}
}

// By replicate the winners differ, and the tables do not depend on the number
// of simulations at a time.
func TestParetoProbability(t *testing.T) {
	noisy := func(sc *scenario.Scenario, o core.Options) core.Result {
		ms := tpot(sc)
		if sc.Model.WeightDType == unit.INT8 && o.Replicate == 1 {
			ms = 1 // better than int4, once in four
		}
		return fine(ms)
	}
	text := formats + "[[objective]]\nmetric = 'tpot_mean_ms'\n[[where]]\nkeep = 'context == \"short\"'\n[replicates]\nn = 4\n"
	got, dir := compared(t, text, 1, noisy, "weight_dtype", "pareto", "pareto_probability", "objective_rank")
	want := "fp16 false 0 3\nint8 false 0.25 2\nint4 true 0.75 1"
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	_, other := compared(t, text, 3, noisy, "pareto")
	for _, file := range []string{results.RunsFile, results.PointsFile} {
		a, errA := os.ReadFile(filepath.Join(dir, file))
		b, errB := os.ReadFile(filepath.Join(other, file))
		if errA != nil || errB != nil || !bytes.Equal(a, b) {
			t.Errorf("%s depends on the number of workers", file)
		}
	}
}

// With one-at-a-time changes gains are the paired changes from the baseline.
func TestKeptOneAtATime(t *testing.T) {
	text := reference + "[oat]\n\"hardware.weight_bandwidth_gb_s\" = [\"-20%\", \"+20%\"]\n[report]\nkeep = 'tpot_gain_ratio > 0.1'\n"
	sim := func(sc *scenario.Scenario, _ core.Options) core.Result {
		return fine(6e4 / sc.Hardware.WeightBandwidthGBs)
	}
	if got, _ := compared(t, text, 1, sim, "kept"); got != "false\nfalse\ntrue" {
		t.Errorf("kept %q", got)
	}
	sim = func(sc *scenario.Scenario, _ core.Options) core.Result {
		r := fine(6e4 / sc.Hardware.WeightBandwidthGBs)
		r.CapacityRPS = math.NaN()
		return r
	}
	text = reference + "[oat]\n\"hardware.weight_bandwidth_gb_s\" = [\"-20%\", \"+20%\"]\n[[objective]]\nmetric = 'capacity_rps'\n"
	if got, _ := compared(t, text, 1, sim, "pareto"); got != "false\nfalse\nfalse" {
		t.Errorf("points without a capacity: %q", got)
	}
}

func TestBaselineErrors(t *testing.T) {
	for text, want := range map[string]string{
		"[report]\nbaseline = 'weight_dtype == \"int4\" || context == \"long\"'": "selects 4 as the baseline of the same points",
		"[report]\nbaseline = 'weight_dtype in [\"int4\", \"int8\"]'":            "selects 2 as the baseline of the same points: 3, 5",
		"[report]\nbaseline = 'weight_dtype == \"fp32\"'":                        "selects none of 6 points",
		"[report]\nbaseline = 'tpot_mean_ms > 3'":                                `no axis "tpot_mean_ms"`,
	} {
		file := write(t, formats+text)
		if err := os.WriteFile(filepath.Join(filepath.Dir(file), "loss.csv"), []byte(lossTable), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := Load(file, nil); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s\n got %v\nwant %s", text, err, want)
		}
	}
	oat := reference + "[oat]\n\"hardware.weight_bandwidth_gb_s\" = [\"-20%\"]\n[report]\nbaseline = 'baseline'\n"
	if _, err := Load(write(t, oat), nil); err == nil || !strings.Contains(err.Error(), "gains are against the baseline of [oat] already") {
		t.Errorf("a second baseline: %v", err)
	}
}
