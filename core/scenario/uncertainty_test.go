package scenario

import (
	"math"
	"strings"
	"testing"
)

const fittedUtil = `[hardware]
compute_util = 0.5
[engine]
layer_overhead_us = 50.0
[calibration.applies_to]
hardware = ["h100-sxm"]
[calibration.covariance]
paths = ["hardware.compute_util", "engine.layer_overhead_us"]
scale = ["logit", "log"]
mean = [0.0, 3.912023]
matrix = [[0.04, 0.015], [0.015, 0.01]]
[calibration.model_error]
ttft_sd = 0.05
tpot_sd = 0.02
`

const onH100 = "model.name = \"llama-3.1-8b\"\nhardware.name = \"h100-sxm\"\nworkload.arrival = \"closed\"\nworkload.concurrency = 4\n[[workload.class]]\nname = \"a\"\nprompt_tokens = 128\noutput_tokens = 32\n"

// Draws have the covariance that the overlay states, in its coordinates, and the
// factors the model's errors.
func TestDrawMoments(t *testing.T) {
	r := resolve(t, overlay(t, fittedUtil), Layer{Doc: doc(t, "s.toml", onH100)})
	if !r.Uncertain() {
		t.Fatal("the overlay applies and has a covariance")
	}
	const n = 20_000
	var sum, square [2]float64
	var both, ttft, tpot float64
	for k := range n {
		d, err := r.Draw(7, k)
		if err != nil {
			t.Fatal(err)
		}
		a := toCoordinate(logitScale, d.Scenario.Hardware.ComputeUtil)
		b := math.Log(d.Scenario.Engine.LayerUs) - 3.912023
		for i, x := range []float64{a, b} {
			sum[i] += x / n
			square[i] += x * x / n
		}
		both += a * b / n
		ttft += math.Pow(math.Log(d.TTFT), 2) / n
		tpot += math.Pow(math.Log(d.TPOT), 2) / n
		if d.ITL != d.TPOT || d.E2E != 0 {
			t.Fatalf("draw %d: factors %+v", k, d)
		}
	}
	for _, c := range []struct {
		what           string
		got, want, tol float64
	}{
		{"mean of logit compute_util", sum[0], 0, 0.006},
		{"mean of ln layer_overhead_us", sum[1], 0, 0.003},
		{"variance of logit compute_util", square[0], 0.04, 0.0012},
		{"variance of ln layer_overhead_us", square[1], 0.01, 0.0003},
		{"covariance", both, 0.015, 0.0006},
		{"variance of ln TTFT factor", ttft, 0.0025, 0.0001},
		{"variance of ln TPOT factor", tpot, 0.0004, 0.00002},
	} {
		if !(math.Abs(c.got-c.want) <= c.tol) {
			t.Errorf("%s is %.5f, want %.5f", c.what, c.got, c.want)
		}
	}
}

// Equal seeds give equal draws whatever else the scenario says; a value of a
// later layer stays; an overlay that does not apply has no draws.
func TestDrawLayers(t *testing.T) {
	o, s := overlay(t, fittedUtil), Layer{Doc: doc(t, "s.toml", onH100)}
	a, err := resolve(t, o, s).Draw(1, 3)
	if err != nil {
		t.Fatal(err)
	}
	b, err := resolve(t, o, s, values("workload.concurrency", 9, "hardware.compute_util", 0.25)).Draw(1, 3)
	if err != nil {
		t.Fatal(err)
	}
	if x, y := a.Scenario.Engine.LayerUs, b.Scenario.Engine.LayerUs; x != y || x == 50 {
		t.Errorf("draws of one number differ: layer_overhead_us %g and %g", x, y)
	}
	if b.Scenario.Hardware.ComputeUtil != 0.25 {
		t.Errorf("the study's compute_util became %g", b.Scenario.Hardware.ComputeUtil)
	}
	if resolve(t, o, s, values("hardware.name", "b200")).Uncertain() {
		t.Error("the overlay does not apply to b200")
	}
	if resolve(t, overlay(t, strings.Split(fittedUtil, "[calibration.covariance]")[0]), s).Uncertain() {
		t.Error("without a covariance nothing is drawn")
	}
}

// Samples are cut at the bounds of the fit.
func TestDrawBounds(t *testing.T) {
	text := strings.Replace(fittedUtil, "[calibration.model_error]", "min = [0.45, 1.0]\nmax = [0.55, 60.0]\n[calibration.model_error]", 1)
	r := resolve(t, overlay(t, text), Layer{Doc: doc(t, "s.toml", onH100)})
	cut := 0
	for k := range 300 {
		d, err := r.Draw(0, k)
		x, y := d.Scenario.Hardware.ComputeUtil, d.Scenario.Engine.LayerUs
		if err != nil || x < 0.45 || x > 0.55 || y > 60 {
			t.Fatalf("draw %d: %g, %g, %v", k, x, y, err)
		}
		if x == 0.45 || x == 0.55 {
			cut++
		}
	}
	if cut < 60 || cut > 140 { // two sides of 0.2 in a normal law of 0.2: 32 %
		t.Errorf("%d of 300 draws at a bound", cut)
	}
}

// A share at its limit stays within its range.
func TestDrawStaysInRange(t *testing.T) {
	text := strings.NewReplacer("compute_util = 0.5", "compute_util = 1.0", "mean = [0.0,", "mean = [9.21024,", "[[0.04, 0.015]", "[[9.0, 0.015]").Replace(fittedUtil)
	r := resolve(t, overlay(t, text), Layer{Doc: doc(t, "s.toml", onH100)})
	for k := range 200 {
		if d, err := r.Draw(0, k); err != nil || !(d.Scenario.Hardware.ComputeUtil > 0 && d.Scenario.Hardware.ComputeUtil <= 1) {
			t.Fatalf("draw %d: compute_util %g, %v", k, d.Scenario.Hardware.ComputeUtil, err)
		}
	}
}

func TestUncertaintyErrors(t *testing.T) {
	for _, c := range []struct{ from, to, want string }{
		{"[[0.04, 0.015], [0.015, 0.01]]", "[[0.04, 0.03], [0.03, 0.01]]", `calibration.covariance.matrix: with row 2 (engine.layer_overhead_us) it is not a covariance`},
		{"[[0.04, 0.015], [0.015, 0.01]]", "[[0.04, 0.015], [0.014, 0.01]]", "row 2 column 1 is 0.014, row 1 column 2 is 0.015"},
		{"[[0.04, 0.015], [0.015, 0.01]]", "[[-0.04, 0], [0, 0.01]]", "with row 1 (hardware.compute_util) it is not a covariance"},
		{"[[0.04, 0.015], [0.015, 0.01]]", "[[0.04, 0.015]]", "1 rows for 2 paths"},
		{"[[0.04, 0.015], [0.015, 0.01]]", "[[0.04], [0.015, 0.01]]", "row 1 has 1 numbers for 2 paths"},
		{"[[0.04, 0.015], [0.015, 0.01]]", "[[0.04, \"x\"], [0.015, 0.01]]", `"x" is not a number`},
		{"matrix = [[0.04, 0.015], [0.015, 0.01]]\n", "", "calibration.covariance: 0 rows for 2 paths"},
		{"mean = [0.0,", "mean = [0.1,", "0.1 of hardware.compute_util is not the overlay's own value 0.5"},
		{"mean = [0.0, 3.912023]", "mean = [0.0]", "mean has 1 entries for 2 paths"},
		{`scale = ["logit", "log"]`, `scale = ["logit", "ln"]`, `"ln" is no scale`},
		{`"engine.layer_overhead_us"]`, `"engine.layer_overhead"]`, `no parameter "engine.layer_overhead"`},
		{`"engine.layer_overhead_us"]`, `"engine.step_overhead_us"]`, "the overlay does not set engine.step_overhead_us"},
		{`"engine.layer_overhead_us"]`, `"engine.max_num_seqs"]`, `"engine.max_num_seqs" is no parameter of a fit`},
		{`"engine.layer_overhead_us"]`, `"hardware.compute_util"]`, `"hardware.compute_util" occurs twice`},
		{"paths = [\"hardware.compute_util\", \"engine.layer_overhead_us\"]\n", "", "paths is missing"},
		{"scale =", "scales =", `no key "scales"`},
		{"mean = [0.0,", "min = [0.6, 1.0]\nmean = [0.0,", "0.6 of hardware.compute_util does not hold the overlay's own value 0.5"},
		{"mean = [0.0,", "max = [0.6]\nmean = [0.0,", "1 bounds for 2 paths"},
		{"mean = [0.0,", "max = [0.6, \"x\"]\nmean = [0.0,", `"x" is not a number`},
		{"ttft_sd = 0.05", "ttft_sd = -0.05", "-0.05 is not a standard deviation"},
		{"ttft_sd = 0.05", "ttft = 0.05", `no key "ttft"`},
	} {
		text := strings.Replace(fittedUtil, c.from, c.to, 1)
		if c.to == `"hardware.compute_util"]` {
			text = strings.NewReplacer(`"logit", "log"`, `"logit", "logit"`, "[0.0, 3.912023]", "[0.0, 0.0]").Replace(text)
		}
		if _, err := OverlayLayer(doc(t, "o.toml", text)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s -> %s: got\n%v\nwant %s", c.from, c.to, err, c.want)
		}
	}
	// A singular covariance is one, also written with few digits.
	for _, m := range []string{"[[0.04, 0.02], [0.02, 0.01]]", "[[0.04, 0.0200002], [0.0200002, 0.01]]", "[[0, 0], [0, 0.01]]", "[[0, 0], [0, 0]]"} {
		text := strings.Replace(fittedUtil, "[[0.04, 0.015], [0.015, 0.01]]", m, 1)
		if _, err := OverlayLayer(doc(t, "o.toml", text)); err != nil {
			t.Errorf("%s: %v", m, err)
		}
	}
}
