package results

import (
	"bytes"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"scoville/core/scenario"
	"scoville/core/table"
)

// example is a fit with everything in it.
func example() *Fit {
	return &Fit{
		Schema: Schema, SimVersion: 1, DataSHA256: "0123456789abcdef", Rows: 3, Conditions: 2, Status: "converged",
		AppliesTo: AppliesTo{Hardware: []string{"h100-sxm"}, Model: []string{"llama-3.1-70b"}, WeightDType: []string{"fp8"}, KVDType: []string{"bf16"}},
		Parameters: []Parameter{
			{Name: "compute_util", Path: "hardware.compute_util", Value: 0.51, Lo: 0.48, Hi: 0.545},
			{Name: "link_latency_us", Path: "hardware.link_latency_us", Value: 8, Held: true},
			{Name: "layer_overhead_us", Path: "engine.layer_overhead_us", Value: 53.904, Lo: 48, Hi: 60},
		},
		Free:       []string{"compute_util", "layer_overhead_us"},
		Covariance: [][]float64{{1e-3, -2e-5}, {-2e-5, 4e-3}},
		Condition:  math.Inf(1),
		Validity:   []Range{{"workload.prompt_tokens", 1024, 8192}, {"workload.concurrency", 4, 64}},
		Chips: []Chip{
			{"h100-sxm", "shared", []Range{{"hardware.peak_tflops.fp8", 1900, 2000}, {"hardware.memory_bandwidth_gb_s", 3200, 3200}}},
			{"h200", "shared", []Range{{"hardware.memory_bandwidth_gb_s", 4800, 4800}}}, // of no model here
		},
		Errors: []Error{{"ttft_mean_ms", Fitted, 3, 0.03171, 0.066, -0.004}, {"ttft_mean_ms", HeldOut, 1, math.Inf(1), 0.08, 0.01}},
	}
}

var residuals = []Residual{
	{File: "x.csv", Line: 2, Hardware: "h100-sxm", TP: 4, Prompt: 1024, Concurrency: 8, Rate: math.NaN(), Metric: "ttft_mean_ms", Split: Fitted, Measured: 100, Predicted: 110, Sigma: 0.1},
	{File: "x.csv", Line: 3, Metric: "ttft_mean_ms", Split: Fitted, Measured: 100, Predicted: 98, Rate: math.NaN()},
	{File: "x.csv", Line: 4, Metric: "ttft_mean_ms", Split: HeldOut, Measured: 100, Predicted: math.NaN(), Rate: 4},
}

// The overlay is a document that studies accept, acts where it applies and
// nowhere else, and sets the fitted values exactly.
func TestOverlay(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "calibrated.toml")
	if err := Write(path, example(), residuals); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	doc, err := scenario.ParseTOML(path, text)
	if err != nil {
		t.Fatal(err)
	}
	layer, err := scenario.OverlayLayer(doc)
	if err != nil {
		t.Fatal(err)
	}
	study := func(values ...any) scenario.Layer {
		l := scenario.Layer{Name: "study"}
		for i := 0; i < len(values); i += 2 {
			l.Values = append(l.Values, scenario.Assignment{Path: values[i].(string), Value: values[i+1]})
		}
		return l
	}
	cat := scenario.NewCatalog(dir)
	r, err := cat.Resolve(layer, study("hardware.name", "h100-sxm", "model.name", "llama-3.1-70b", "model.weight_dtype", "fp8"))
	if err != nil {
		t.Fatal(err)
	}
	if sc := r.Scenario; !r.Calibrated || sc.Hardware.ComputeUtil != 0.51 || sc.Hardware.LinkLatencyUs != 8 || sc.Engine.LayerUs != 53.904 {
		t.Errorf("calibrated %v, %g %g", r.Calibrated, sc.Hardware.ComputeUtil, sc.Engine.LayerUs)
	}
	if want := "hardware.memory_bandwidth_gb_s = 3350, fitted at 3200"; len(r.Outside) != 1 || r.Outside[0] != want {
		t.Errorf("the chip of the catalogue is not the fitted one: %q, want %q", r.Outside, want)
	}
	for _, other := range []scenario.Layer{
		study("hardware.name", "h200", "model.name", "llama-3.1-70b", "model.weight_dtype", "fp8"),
		study("hardware.name", "h100-sxm", "model.name", "llama-3.1-70b"),
		study("hardware.name", "h100-sxm", "model.name", "llama-3.1-70b", "model.weight_dtype", "fp8", "model.kv_dtype", "fp8"),
	} {
		if r, err := cat.Resolve(layer, other); err != nil || r.Calibrated || r.Scenario.Engine.LayerUs == 53.904 {
			t.Errorf("%v: applied, %v", other.Values, err)
		}
	}
	for _, want := range []string{
		"\n[hardware]\ncompute_util = 0.51\nlink_latency_us = 8.0\n\n[engine]\nlayer_overhead_us = 53.904\n",
		"\"hardware.compute_util\" = \"calibrated: 3 rows of data 0123456789ab, 95 % interval 0.48 to 0.545\"\n",
		"\"hardware.link_latency_us\" = \"assumed: held in the fit of 0123456789ab\"\n",
		"[calibration.errors.fitted]   # |predicted / measured - 1|\nttft_mean_ms = { rows = 3, median = 0.03171, p90 = 0.066, bias = -0.004 }\n",
		"[calibration.errors.held_out]",
		"\"workload.prompt_tokens\" = [1024.0, 8192.0]",
		"  [0.001, -2e-05],\n",
		"[calibration.hardware.\"h100-sxm\"]   # the chip as fitted; on another the parameters are an extrapolation\nkv_path = \"shared\"\npeak_tflops.fp8 = [1900.0, 2000.0]\nmemory_bandwidth_gb_s = 3200.0\n",
	} {
		if !strings.Contains(string(text), want) {
			t.Errorf("the overlay lacks %q:\n%s", want, text)
		}
	}
	if strings.Contains(string(text), "4800") {
		t.Errorf("the overlay has a chip that it does not apply to:\n%s", text)
	}
}

// Three whole files, the same bytes each time; numbers that JSON does not have
// do not break the record.
func TestFiles(t *testing.T) {
	dir := t.TempDir()
	var first [3][]byte
	for n := range 2 {
		overlay := filepath.Join(dir, "a.toml")
		if err := Write(overlay, example(), residuals); err != nil {
			t.Fatal(err)
		}
		for i, p := range Paths(overlay) {
			text, err := os.ReadFile(p)
			if err != nil {
				t.Fatal(err)
			}
			if n == 0 {
				first[i] = text
			} else if !bytes.Equal(text, first[i]) {
				t.Errorf("%s differs between writes", p)
			}
		}
	}
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 3 {
		t.Errorf("%d files, %v", len(entries), err)
	}
	var back Fit
	if err := json.Unmarshal(first[1], &back); err != nil || back.Parameters[2].Value != 53.904 || back.Condition != math.MaxFloat64 {
		t.Errorf("%v, %+v", err, back.Condition)
	}
	f, err := table.Read(filepath.Join(dir, "a.residuals.parquet"))
	if err != nil {
		t.Fatal(err)
	}
	if f.Len() != 3 || f.Meta["data_sha256"] != "0123456789abcdef" {
		t.Errorf("%d rows, %v", f.Len(), f.Meta)
	}
	if e, ok := f.Float(f.Index("error_ratio"), 0); !ok || math.Abs(e-0.1) > 1e-12 {
		t.Errorf("error %g", e)
	}
	if _, ok := f.Float(f.Index("predicted_ms"), 2); ok {
		t.Error("a missing prediction is not NULL")
	}
	if err := Write(filepath.Join(dir, "none", "a.toml"), example(), nil); err == nil {
		t.Error("a folder that is not there is no error")
	}
}

func TestSummarise(t *testing.T) {
	var rs []Residual
	for _, p := range []float64{90, 95, 100, 101, 120} {
		rs = append(rs, Residual{Metric: "tpot_mean_ms", Split: Fitted, Measured: 100, Predicted: p})
	}
	got := Summarise(append(rs, residuals...))
	if len(got) != 3 {
		t.Fatalf("%+v", got)
	}
	near := func(a, b float64) bool { return math.Abs(a-b) < 1e-12 }
	if e := got[0]; e.Rows != 5 || !near(e.Median, 0.05) || !near(e.P90, 0.16) || !near(e.Bias, 0) {
		t.Errorf("%+v", e)
	}
	if e := got[2]; e.Split != HeldOut || !math.IsInf(e.Median, 1) {
		t.Errorf("a run without a number: %+v", e)
	}
}

// The bounds of the search go with the covariance: no draw of a study leaves
// them, though the interval is far wider.
func TestBounds(t *testing.T) {
	f := example()
	f.Parameters[0].Min, f.Parameters[0].Max = 0.05, 1
	f.Parameters[2].Min, f.Parameters[2].Max = 40, math.Inf(1)
	f.Covariance = [][]float64{{4, 0}, {0, 4}}
	path := filepath.Join(t.TempDir(), "calibrated.toml")
	if err := Write(path, f, residuals); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(text), "\nmin = [0.05, 40.0]") {
		t.Errorf("no bounds:\n%s", text)
	}
	doc, err := scenario.ParseTOML(path, text)
	if err != nil {
		t.Fatal(err)
	}
	layer, err := scenario.OverlayLayer(doc)
	if err != nil {
		t.Fatal(err)
	}
	study, err := scenario.ParseTOML("study.toml", []byte("model = { name = \"llama-3.1-70b\", weight_dtype = \"fp8\" }\nhardware.name = \"h100-sxm\"\n"+
		"[workload]\nrate_rps = 1\n[[workload.class]]\nname = \"a\"\nprompt_tokens = 8\noutput_tokens = 8\n"))
	if err != nil {
		t.Fatal(err)
	}
	r, err := scenario.NewCatalog(".").Resolve(layer, scenario.Layer{Name: "study", Doc: study})
	if err != nil {
		t.Fatal(err)
	}
	low, cut, high := 0, 0, 0
	for k := range 200 {
		d, err := r.Draw(0, k)
		if err != nil {
			t.Fatal(err)
		}
		switch u, us := d.Scenario.Hardware.ComputeUtil, d.Scenario.Engine.LayerUs; {
		case u < 0.05 || us < 40:
			t.Fatalf("draw %d: %g, %g", k, u, us)
		case us == 40:
			cut++
		case us > 54:
			high++
		default:
			low++
		}
	}
	if cut < 60 || cut > 110 || high < 70 || low > 40 { // a normal law cut 0.15 of its deviation below its middle
		t.Errorf("of 200 draws %d are cut, %d lie between, %d above", cut, low, high)
	}
}
