package chart

import (
	"slices"
	"testing"
)

// A crossing has four digits only where it is known to lie within 2 %; elsewhere
// two, and more where two would lie outside of what is known.
func TestCrossingDigits(t *testing.T) {
	for _, c := range []struct {
		x, y, from, to float64
		want           string
	}{
		{1.0921, 11.942, 1.03, 2, "(~1.1, ~12)"},
		{1.0921, 11.942, 1.085, 1.105, "(1.092, 11.94)"},
		{12715, 1.6583, 8568, 12850, "(~12,700, ~1.7)"},
		{12849, 1.6583, 8568, 12850, "(~12,800, ~1.7)"},
		{407.3, 1.121, 128, 512, "(~410, ~1.1)"},
		{0.0151, 250, 0.01, 0.02, "(~0.015, ~250)"},
		{-1.5, 3.14159, -2, -1, "(~-1.5, ~3.1)"},
	} {
		got := (&Crossing{X: c.x, Y: c.y, From: c.from, To: c.to}).Label()
		if got != c.want {
			t.Errorf("%v in %v to %v is %q, want %q", c.x, c.from, c.to, got, c.want)
		}
	}
}

// What lies between the ends is listed: points that do not part.
func TestCrossingInside(t *testing.T) {
	up, level := Line{Name: "a"}, Line{Name: "b"}
	for x := range 5 {
		y := float64(x)
		up.Points = append(up.Points, Point{X: y, Y: y, Lo: y - 0.7, Hi: y + 0.7})
		level.Points = append(level.Points, Point{X: y, Y: 1.9, Lo: 1.4, Hi: 2.4})
	}
	got := (&Chart{Lines: []Line{up, level}}).Crossings()
	if len(got) != 1 || got[0].From != 0 || got[0].To != 4 || !slices.Equal(got[0].Inside, []float64{1, 2, 3}) {
		t.Errorf("%+v", got)
	}
}
