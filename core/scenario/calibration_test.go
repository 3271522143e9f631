package scenario

import (
	"slices"
	"strings"
	"testing"

	"scoville/core/hardware"
)

const fitted = `[hardware]
compute_util = 0.5
weight_bandwidth_util = 0.9
kv_bandwidth_util = 0.8
attention_compute_util = 0.45
link_util = 0.4
link_latency_us = 8
[sources]
"hardware.compute_util" = "calibrated: 33 rows"
"hardware.attention_compute_util" = "assumed: held in the fit"
hardware.link_util = { grade = "derived" }
[sources.hardware.link_latency_us]
grade = "published"
[calibration]
simulator_version = 3
[calibration.applies_to]
hardware = ["h100-sxm"]
[calibration.range]
"workload.prompt_tokens" = [128, 8192]
"workload.output_tokens" = [64.0, 2048.0]
"engine.tp" = [1, 4]
"workload.concurrency" = [4, 64]
"workload.rate_rps" = [0.5, 2]
"workload.class.other.share" = [1, 2]
`

// TestSources: a fit's own sources grade its numbers; what it does not speak
// of is calibrated.
func TestSources(t *testing.T) {
	r := resolve(t, overlay(t, fitted), Layer{Doc: doc(t, "s.toml", plain)})
	for key, want := range map[string]hardware.Grade{
		"compute_util": hardware.Calibrated, "weight_bandwidth_util": hardware.Calibrated, "attention_compute_util": hardware.Assumed,
		"link_util": hardware.Derived, "link_latency_us": hardware.Published,
	} {
		if got := r.Grades["hardware."+key]; got != want {
			t.Errorf("%s: %q, want %q", key, got, want)
		}
	}
	if !r.Calibrated || r.WeakestSource != hardware.Assumed || r.OverlayVersion != 3 {
		t.Errorf("calibrated %v, weakest %q, version %d", r.Calibrated, r.WeakestSource, r.OverlayVersion)
	}
	if r = resolve(t, overlay(t, fitted), Layer{Doc: doc(t, "s.toml", plain)}, values("hardware.attention_compute_util", 0.5, "hardware.name", "h200")); r.OverlayVersion != 0 || r.Outside != nil || r.Calibrated {
		t.Errorf("an overlay that does not apply: %d, %q", r.OverlayVersion, r.Outside)
	}
	without := strings.Replace(fitted, `"hardware.attention_compute_util" = "assumed: held in the fit"`, "", 1)
	if r = resolve(t, overlay(t, without), Layer{Doc: doc(t, "s.toml", plain)}); r.WeakestSource != hardware.Derived {
		t.Errorf("weakest %q", r.WeakestSource)
	}
}

// TestFailedFit: the numbers of a fit that failed are taken, but nothing that
// rests on them is calibrated, whatever else applies.
func TestFailedFit(t *testing.T) {
	study := Layer{Doc: doc(t, "s.toml", plain)}
	said := func(status string) Layer {
		return overlay(t, strings.Replace(fitted, "simulator_version = 3\n", "simulator_version = 3\nstatus = "+status+"\n[calibration.model_error]\nttft_sd = 0.1\n", 1))
	}
	good, bad := said(`"converged"`), said(`"does not describe the data"`)
	if r := resolve(t, good, study); !r.Calibrated || r.Failed != "" || r.Notes != nil || len(r.fits) != 1 {
		t.Errorf("converged: %v, %q, %q", r.Calibrated, r.Failed, r.Notes)
	}
	for _, layers := range [][]Layer{{bad, study}, {good, bad, study}, {bad, good, study}} {
		r := resolve(t, layers...)
		if r.Calibrated || r.Failed != "does not describe the data" || len(r.Notes) != 1 || !strings.Contains(r.Notes[0], `its status is "does not describe the data"`) || len(r.fits) != 0 {
			t.Errorf("%d layers: %v, %q, %q, %d fits", len(layers), r.Calibrated, r.Failed, r.Notes, len(r.fits))
		}
		if r.Scenario.Hardware.ComputeUtil != 0.5 || r.OverlayVersion != 3 {
			t.Errorf("its numbers are not taken: %v", r.Scenario.Hardware.ComputeUtil)
		}
	}
	if g := resolve(t, bad, study).Grades["hardware.weight_bandwidth_util"]; g != hardware.Assumed {
		t.Errorf("a number of which it does not say the grade is %s", g)
	}
	if r := resolve(t, bad, study, values("hardware.name", "h200")); r.Failed != "" || r.Notes != nil {
		t.Errorf("one that does not apply: %q %q", r.Failed, r.Notes)
	}
	if _, err := OverlayLayer(doc(t, "o.toml", "[calibration]\nstatus = 1\n")); err == nil || !strings.Contains(err.Error(), "o.toml:2:1: calibration.status: 1 does not say how the fit ended") {
		t.Errorf("a status that is no text: %v", err)
	}
}

// TestDefaultEfficiencies: an efficiency that nobody gave is an assumption.
func TestDefaultEfficiencies(t *testing.T) {
	r := resolve(t, Layer{Doc: doc(t, "s.toml", plain)})
	if r.WeakestSource != hardware.Assumed || r.Grades["hardware.compute_util"] != hardware.Assumed {
		t.Errorf("a chip without calibration: %q, %v", r.WeakestSource, r.Grades)
	}
	for _, key := range []string{"hardware.link_util", "hardware.expert_compute_util"} {
		if g, ok := r.Grades[key]; ok {
			t.Errorf("%s of a dense model on one chip: %q", key, g)
		}
	}
	r = resolve(t, Layer{Doc: doc(t, "s.toml", plain)}, values("model.name", "mixtral-8x7b", "engine.tp", 2, "hardware.name", "jalapeno"))
	for key, want := range map[string]hardware.Grade{"link_util": hardware.Assumed, "expert_compute_util": hardware.Assumed, "compute_util": hardware.Derived} {
		if got := r.Grades["hardware."+key]; got != want {
			t.Errorf("%s: %q, want %q", key, got, want)
		}
	}
}

func TestOutside(t *testing.T) {
	const in, out = "workload.class.short.prompt_tokens", "workload.class.short.output_tokens"
	for _, c := range []struct {
		set  []any
		want []string
	}{
		{nil, nil},
		{[]any{in, 8192}, nil},
		{[]any{in, 8193}, []string{in + " = 8193 is outside 128 to 8192"}},
		{[]any{in, 127, out, 63}, []string{in + " = 127 is outside 128 to 8192", out + " = 63 is outside 64 to 2048"}},
		{[]any{out + ".max", 4096}, []string{out + " = 256 to 4096 is outside 64 to 2048"}},
		{[]any{out + ".min", 10}, []string{out + " = 10 to 2048 is outside 64 to 2048"}},
		{[]any{in, map[string]any{"dist": "uniform", "max": 300}}, []string{in + " = 1 to 300 is outside 128 to 8192"}},
		{[]any{in, map[string]any{"dist": "empirical", "values": []any{128, 9000}}}, []string{in + " = 128 to 9000 is outside 128 to 8192"}},
		{[]any{in, map[string]any{"dist": "empirical"}}, []string{in + " = 0 is outside 128 to 8192"}},
		{[]any{in, 1, "workload.class.short.share", 0}, nil},
		{[]any{in, 1, "workload.arrival", "trace"}, nil},
		{[]any{"engine.tp", 8, "engine.max_num_seqs", 1000}, []string{"engine.tp = 8 is outside 1 to 4"}},
		{[]any{"workload.rate_rps", 4}, []string{"workload.rate_rps = 4 is outside 0.5 to 2"}},
		{[]any{"workload.arrival", "closed", "workload.concurrency", 65}, []string{"workload.concurrency = 65 is outside 4 to 64"}},
	} {
		if r := resolve(t, overlay(t, fitted), Layer{Doc: doc(t, "s.toml", plain)}, values(c.set...)); !slices.Equal(r.Outside, c.want) {
			t.Errorf("%v: got %q, want %q", c.set, r.Outside, c.want)
		}
	}
}

func TestCalibrationErrors(t *testing.T) {
	for text, want := range map[string]string{
		"[calibration]\nsimulator_version = \"1\"\n":        `o.toml:2:1: calibration.simulator_version: "1" is not a version of the simulator`,
		"[calibration]\nsimulator_version = 0\n":            `o.toml:2:1: calibration.simulator_version: 0 is not a version of the simulator`,
		"[calibration.range]\n\"engine.tpp\" = [1, 2]\n":    `o.toml:2:1: calibration.range.engine.tpp: no parameter "engine.tpp" that is a number`,
		"[calibration.range]\nhardware.name = [1, 2]\n":     `o.toml:2:1: calibration.range.hardware.name: no parameter "hardware.name" that is a number`,
		"[calibration.range]\n\"engine.tp\" = [2, 1]\n":     `o.toml:2:1: calibration.range.engine.tp: a list is not a span of two numbers, the smaller first`,
		"[calibration.range]\n\"engine.tp\" = [1, 2, 3]\n":  `o.toml:2:1: calibration.range.engine.tp: a list is not a span of two numbers`,
		"[calibration.range]\n\"engine.tp\" = [1, \"2\"]\n": `o.toml:2:1: calibration.range.engine.tp: a list is not a span of two numbers`,
		"[calibration.range]\n\"engine.tp\" = 3\n":          `o.toml:2:1: calibration.range.engine.tp: 3 is not a span of two numbers`,
	} {
		if _, err := OverlayLayer(doc(t, "o.toml", text)); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s: got\n%v\nwant\n%s", text, err, want)
		}
	}
}
