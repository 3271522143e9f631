package scenario

import (
	"testing"

	"scoville/core/hardware"
)

// Every number of the hardware is graded by the layer that set it last: the
// catalogue's word, the overlay's, the study's own, or "assumed" where a layer
// says nothing.
func TestSource(t *testing.T) {
	const fit = "[hardware]\ncompute_util = 0.5\nweight_bandwidth_util = 0.8\nkv_bandwidth_util = 0.7\n" +
		"[calibration]\napplies_to = { hardware = [\"h100-sxm\"] }\n[sources]\n\"hardware.compute_util\" = \"calibrated: 12 rows\"\n\"hardware.kv_bandwidth_util\" = \"assumed: as its prior\"\n"
	const priced = "[hardware]\nlink_latency_us = 3.5\npcie_util = 0.6\n[sources]\n\"hardware.pcie_util\" = \"derived: bench minus protocol\"\n"
	study, err := StudyLayer(doc(t, "s.toml", plain+"[hardware.peak_tflops]\nint4 = 1979\n[sources]\n\"hardware.peak_tflops.int4\" = \"published: vendor sheet\"\n"))
	if err != nil {
		t.Fatal(err)
	}
	axes := Layer{Name: "axes", Values: []Assignment{
		{Path: "hardware.name", Value: "h100-sxm"},
		{Path: "hardware.memory_bandwidth_gb_s", Value: 3000.0},
		{Path: "hardware.weight_bandwidth_util", Value: 0.9},
	}}
	set := Layer{Name: "--set", Values: []Assignment{{Path: "hardware.peak_tflops.int4", Value: 1980}}}
	r := resolve(t, overlay(t, fit), overlay(t, priced), study, axes)
	for path, want := range map[string]hardware.Source{
		"hardware.compute_util":           {Grade: hardware.Calibrated, Where: "12 rows"},
		"hardware.kv_bandwidth_util":      {Grade: hardware.Assumed, Where: "as its prior"},
		"hardware.weight_bandwidth_util":  {Grade: hardware.Assumed, Where: "set by axes"},
		"hardware.memory_bandwidth_gb_s":  {Grade: hardware.Assumed, Where: "set by axes"},
		"hardware.peak_tflops.int4":       {Grade: hardware.Published, Where: "vendor sheet"},
		"hardware.pcie_util":              {Grade: hardware.Derived, Where: "bench minus protocol"},
		"hardware.attention_compute_util": {Grade: hardware.Assumed, Where: "nobody gave it: 1 is what the datasheet allows at best"},
	} {
		if got, ok := r.Source(path); !ok || got != want {
			t.Errorf("%s: %v %q, want %q", path, ok, got, want)
		}
	}
	if got, _ := r.Source("hardware.peak_tflops.bf16"); got.Grade != hardware.Published || got.Where == "" {
		t.Errorf("catalogue: %q", got)
	}
	if _, ok := r.Source("engine.tp"); ok {
		t.Error("a number that is not of the hardware has a grade")
	}
	if r.WeakestSource != hardware.Assumed {
		t.Errorf("weakest %s", r.WeakestSource)
	}
	r = resolve(t, study, axes, set) // a later layer does not inherit the words of an earlier one
	if got, _ := r.Source("hardware.peak_tflops.int4"); got != (hardware.Source{Grade: hardware.Assumed, Where: "set by --set"}) {
		t.Errorf("--set: %q", got)
	}
	for _, key := range []string{"hardware.memory_gibb", "hardware.memory_gib"} {
		if _, err := StudyLayer(doc(t, "s.toml", plain+"[sources]\n\""+key+"\" = \"published: x\"\n")); err == nil {
			t.Errorf("a source of nothing, %s, is accepted", key)
		}
	}
}
