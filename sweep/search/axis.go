package search

import (
	"math"
	"strconv"
)

// axis maps values to depths: 0 is the end of the range where passing is
// easiest, 1 the hardest. Equal steps of depth are equal ratios of values
// where the range lies above 0, else equal differences.
type axis struct {
	easy, hard float64
	log, whole bool
	tol        float64
	digits     int     // significant digits of tried values, where log
	quantum    float64 // of tried values, where not
}

// newAxis lays a range out. Tried values are rounded to a hundredth of the
// tolerance or less, so that they can be read and typed.
func newAxis(s Spec) axis {
	a := axis{easy: s.From, hard: s.To, log: s.From > 0, whole: s.Whole, tol: s.Tol}
	if !s.Max {
		a.easy, a.hard = s.To, s.From
	}
	a.digits = 2 + int(math.Ceil(-math.Log10(s.Tol)))
	a.quantum = math.Pow(10, math.Floor(math.Log10(s.Tol*(s.To-s.From)))-1)
	return a
}

// depth is where a value lies.
func (a *axis) depth(v float64) float64 {
	if a.log {
		return math.Log(v/a.easy) / math.Log(a.hard/a.easy)
	}
	return (v - a.easy) / (a.hard - a.easy)
}

// at is the value at a depth, rounded; the ends are exact.
func (a *axis) at(depth float64) float64 {
	switch {
	case depth <= 0:
		return a.easy
	case depth >= 1:
		return a.hard
	case a.log:
		return a.inside(a.easy * math.Pow(a.hard/a.easy, depth))
	}
	return a.inside(a.easy + depth*(a.hard-a.easy))
}

// inside rounds a value and keeps it in the range.
func (a *axis) inside(v float64) float64 {
	switch {
	case a.whole:
		v = math.Round(v)
	case a.log:
		v, _ = strconv.ParseFloat(strconv.FormatFloat(v, 'g', a.digits, 64), 64)
	default:
		v, _ = strconv.ParseFloat(strconv.FormatFloat(math.Round(v/a.quantum)*a.quantum, 'g', 12, 64), 64)
	}
	return min(max(v, min(a.easy, a.hard)), max(a.easy, a.hard))
}

// between returns a value between a pass and a fail; false when they are as
// close as they need to be.
func (a *axis) between(pass, fail float64) (float64, bool) {
	lo, hi := min(pass, fail), max(pass, fail)
	switch {
	case a.whole && hi-lo <= 1, !a.whole && a.log && hi <= lo*(1+a.tol), !a.whole && !a.log && hi-lo <= a.tol*math.Abs(a.hard-a.easy):
		return 0, false
	}
	v := a.at((a.depth(pass) + a.depth(fail)) / 2)
	if a.whole { // rounding must not end on a neighbour
		v = min(max(v, lo+1), hi-1)
	}
	return v, v > lo && v < hi
}

// stride is the first stride of the bracket: a factor of 2, or a sixteenth of a
// range that is not above 0.
func (a *axis) stride() float64 {
	if a.log {
		return math.Ln2 / math.Abs(math.Log(a.hard/a.easy))
	}
	return 1.0 / 16
}

// grain is the tolerance as a depth, for whole numbers one of them where they
// are densest.
func (a *axis) grain() float64 {
	switch {
	case a.whole:
		return a.unit(max(a.easy, a.hard))
	case a.log:
		return math.Log1p(a.tol) / math.Abs(math.Log(a.hard/a.easy))
	}
	return a.tol
}

// unit is how deep one whole number reaches at a value.
func (a *axis) unit(v float64) float64 {
	if a.log {
		return math.Log1p(1/v) / math.Abs(math.Log(a.hard/a.easy)) * (1 + 1e-9)
	}
	return 1 / math.Abs(a.hard-a.easy)
}

// First is the first value that a search tries: Start if it lies in the range,
// else the middle.
func (s Spec) First() float64 {
	if s.Start >= s.From && s.Start <= s.To && (!s.Whole || s.Start == math.Trunc(s.Start)) {
		return s.Start
	}
	a := newAxis(s)
	return a.at(0.5)
}

// show prints a value.
func show(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }
