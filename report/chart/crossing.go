package chart

import (
	"math"
	"strconv"
)

// narrow is the width of the interval around a crossing, relative to where it
// is, up to which a straight line across it gives four digits.
const narrow = 0.02

// Narrow reports whether From and To, between which nothing is known but that
// the lines cross, leave little doubt where.
func (c *Crossing) Narrow() bool { return c.To-c.From < narrow*math.Abs(c.X) }

// Place prints where the lines cross: with four digits where From and To are
// close. Elsewhere a straight line stands for curves that nobody looked at, and
// two digits are printed; of x more, where two would lie outside From and To.
func (c *Crossing) Place() (x, y string) {
	if c.Narrow() {
		return Number(c.X), Number(c.Y)
	}
	return Number(c.Round(c.X)), Number(rounded(c.Y, 2))
}

// Label is what stands beside the mark of a crossing.
func (c *Crossing) Label() string {
	x, y := c.Place()
	if c.Narrow() {
		return "(" + x + ", " + y + ")"
	}
	return "(~" + x + ", ~" + y + ")"
}

// Round rounds to two digits, or as many more as keep v between From and To.
func (c *Crossing) Round(v float64) float64 {
	for digits := 2; digits < 8; digits++ {
		if r := rounded(v, digits); r > c.From && r < c.To {
			return r
		}
	}
	return v
}

// rounded is v to so many digits.
func rounded(v float64, digits int) float64 {
	r, _ := strconv.ParseFloat(strconv.FormatFloat(v, 'g', digits, 64), 64)
	return r
}
