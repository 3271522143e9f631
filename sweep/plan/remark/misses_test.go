package remark

import (
	"slices"
	"testing"

	"scoville/core/scenario"
)

// TestMisses: an overlay that leaves points without a calibration says why; one
// of another chip is silent where another acts, unless it acts nowhere.
func TestMisses(t *testing.T) {
	miss := func(overlay, path, value string) scenario.Miss {
		return scenario.Miss{Overlay: overlay, Path: path, Value: value, Fitted: []string{"bf16", "fp16"}}
	}
	bare := func(m ...scenario.Miss) scenario.Resolved { return scenario.Resolved{Misses: m} }
	by := func(m ...scenario.Miss) scenario.Resolved { return scenario.Resolved{Misses: m, Calibrated: true} }
	const kv, chip = "model.kv_dtype", "hardware.name"
	var many []scenario.Miss
	for _, name := range []string{"1", "2", "3", "4", "5", "6", "7"} {
		many = append(many, miss(name, kv, "fp8"))
	}
	for _, c := range []struct {
		points []scenario.Resolved
		want   []string
	}{
		{[]scenario.Resolved{by()}, nil},
		{[]scenario.Resolved{bare(miss("a", kv, "fp8"))}, []string{"a does not act at 1 point: model.kv_dtype = fp8, it was fitted to bf16 or fp16"}},
		{[]scenario.Resolved{bare(miss("a", kv, "fp8")), by()}, []string{"a does not act at 1 of 2 points: model.kv_dtype = fp8, it was fitted to bf16 or fp16"}},
		{[]scenario.Resolved{by(miss("a", chip, "x")), by(miss("b", chip, "y"))}, nil},
		{[]scenario.Resolved{by(miss("a", chip, "x")), by(miss("a", chip, ""))}, []string{`a does not act at any of 2 points: hardware.name = x, "", it was fitted to bf16 or fp16`}},
		{[]scenario.Resolved{by(miss("a", chip, "x")), bare(miss("a", kv, "fp8"), miss("b", chip, "y")), by(miss("b", chip, "y")), by()}, []string{
			"a does not act at 1 of 4 points: model.kv_dtype = fp8, it was fitted to bf16 or fp16",
			"b does not act at 1 of 4 points: hardware.name = y, it was fitted to bf16 or fp16",
		}},
		{
			[]scenario.Resolved{bare(miss("a", chip, "1")), bare(miss("a", chip, "2")), bare(miss("a", chip, "3")), bare(miss("a", chip, "4")), bare(miss("a", chip, "5")), bare(miss("a", chip, "6"))},
			[]string{"a does not act at any of 6 points: hardware.name = 1, 2, 3, 4, 2 more, it was fitted to bf16 or fp16"},
		},
	} {
		var r Remarks
		for i := range c.points {
			r.Point(&c.points[i])
		}
		if got := r.misses.notes(); !slices.Equal(got, c.want) {
			t.Errorf("%+v: got\n%q\nwant\n%q", c.points, got, c.want)
		}
	}
	var r Remarks
	p := bare(many...)
	r.Point(&p)
	if got := r.List(nil); len(got) != Most+1 || got[Most] != "2 more reasons why overlays do not act: see the column calibrated" {
		t.Errorf("%q", got)
	}
}
