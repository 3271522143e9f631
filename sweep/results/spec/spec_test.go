package spec

import "testing"

// A figure is reproduced within its tolerance; a ratio must also show half of
// the published change.
func TestReproduced(t *testing.T) {
	const other = "context == 1"
	for _, c := range []struct {
		value, tolerance float64
		ratioTo          string
		got              float64
		want             bool
	}{
		{38, 0.1, "", 41.8, true},
		{38, 0.1, "", 34.2, true},
		{38, 0.1, "", 41.81, false},
		{0, 0.1, "", 0.1, true}, // of 0 the tolerance is absolute
		{0, 0.1, "", 0.11, false},
		{-4, 0.1, "", -4.4, true},
		{0.92, 0.1, "", 1, true}, // no ratio of two points: nothing is known to change
		{0.92, 0.1, other, 1, false},
		{0.92, 0.1, other, 0.961, false},
		{0.92, 0.1, other, 0.96, true}, // half of the change
		{0.92, 0.02, other, 0.95, false},
		{0.92, 0.1, other, 0.87, false}, // and as far beyond it
		{1.2, 0.1, other, 1.09, false},
		{1.2, 0.1, other, 1.11, true},
		{5, 0.1, other, 4.5, true},
		{1, 0.1, other, 1.1, true}, // no change was published
		{1, 0.1, other, 1.11, false},
	} {
		p := Published{Value: c.value, Tolerance: c.tolerance, RatioTo: c.ratioTo}
		if got := p.Reproduced(c.got); got != c.want {
			t.Errorf("%v within %v of %q: %v is %t, want %t", c.value, c.tolerance, c.ratioTo, c.got, got, c.want)
		}
	}
}
