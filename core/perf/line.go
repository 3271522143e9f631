package perf

import "math"

// Line is a quantity over consecutive steps of one unchanging decode batch:
// Value at the first step, growing by Slope each step. Contexts grow by one
// token a step, so every stage time is such a line between kinks.
type Line struct{ Value, Slope float64 }

// At returns the value k steps on.
func (l Line) At(k float64) float64 { return l.Value + l.Slope*k }

// Sum returns the sum over the first m steps.
func (l Line) Sum(m float64) float64 { return m*l.Value + l.Slope*(m*(m-1)/2) }

func constant(v float64) Line       { return Line{v, 0} }
func (l Line) add(o Line) Line      { return Line{l.Value + o.Value, l.Slope + o.Slope} }
func (l Line) sub(o Line) Line      { return Line{l.Value - o.Value, l.Slope - o.Slope} }
func (l Line) scale(f float64) Line { return Line{l.Value * f, l.Slope * f} }
func (l Line) positive() bool       { return l.Value > 0 || l.Slope > 0 }

// forever is the horizon of a line without a kink ahead.
const forever = math.MaxInt32

// tie is the relative difference below which two times count as equal, so that
// a crossing that falls on a whole step is decided alike however the line was
// reached.
const tie = 1e-12

// larger returns the larger line, whether it is a (also on a tie), and for how
// many steps, at least one, that stays so.
func larger(a, b Line) (l Line, isA bool, steps int) {
	lead := a.scale(1 + tie).sub(b)
	switch {
	case lead.Value >= 0 && lead.Slope >= 0:
		return a, true, forever
	case lead.Value >= 0:
		return a, true, count(math.Floor(lead.Value/-lead.Slope) + 1)
	case lead.Slope <= 0:
		return b, false, forever
	}
	return b, false, count(math.Ceil(-lead.Value / lead.Slope))
}

// count converts a number of steps, bounded by forever and at least one.
func count(k float64) int { return int(max(min(k, forever), 1)) }
