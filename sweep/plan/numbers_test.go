package plan

import (
	"testing"

	"scoville/sweep/results"
)

// The numbers of a plan: one entry a key, grade and layer, with the span of
// its values and how many points have it.
func TestNumbers(t *testing.T) {
	p, err := New(load(t, "[axes]\n\"hardware.overlap\" = [0.25, 0.5, 1]\n[oat]\n\"hardware.weight_bandwidth_gb_s\" = [\"-20%\"]\n", "hardware.state_bandwidth_gb_s=3000"))
	if err != nil {
		t.Fatal(err)
	}
	find := func(path, layer string) (out results.Number) {
		for _, n := range p.Numbers {
			if n.Path == path && n.Layer == layer {
				out = n
				out.Source = ""
			}
		}
		return out
	}
	number := func(path, unit string, lo, hi float64, grade, layer string, points int) results.Number {
		return results.Number{Hardware: "jalapeno", Path: path, Unit: unit, Min: lo, Max: hi, Grade: grade, Layer: layer, Points: points}
	}
	for _, want := range []results.Number{
		number("hardware.overlap", "ratio", 0.25, 1, "assumed", "axes", 6),
		number("hardware.weight_bandwidth_gb_s", "GB/s", 6000, 6000, "published", "catalogue jalapeno", 3),
		number("hardware.weight_bandwidth_gb_s", "GB/s", 4800, 4800, "assumed", "oat", 3),
		number("hardware.state_bandwidth_gb_s", "GB/s", 3000, 3000, "assumed", "--set", 6),
	} {
		if got := find(want.Path, want.Layer); got != want {
			t.Errorf("%+v, want %+v", got, want)
		}
	}
	for i := range p.Numbers {
		n := p.Numbers[i]
		if n.Source == "" {
			t.Errorf("%s has no source", n.Path)
		}
		if i > 0 && rankOf(n) < rankOf(p.Numbers[i-1]) {
			t.Errorf("%s (%s) after %s", n.Path, n.Grade, p.Numbers[i-1].Grade)
		}
	}
}

func rankOf(n results.Number) int {
	for i, g := range []string{"assumed", "derived", "calibrated", "published"} {
		if g == n.Grade {
			return i
		}
	}
	return -1
}
