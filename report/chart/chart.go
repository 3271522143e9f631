// Package chart draws x-y charts as SVG: lines with markers, error bars,
// logarithmic axes, crossings of lines. It knows no results and no metric; the
// same chart gives the same bytes.
package chart

import (
	"math"
	"slices"
)

// Chart is one picture.
type Chart struct {
	Title  string
	X, Y   Axis
	Lines  []Line
	Levels []Level     // horizontal reference lines
	Cross  []Crossing  // marked with their coordinates
	Marks  []MarkStyle // legend of the marker shapes; empty where shapes follow the lines
	Notes  []string    // below the chart
}

// Axis is a direction of a chart.
type Axis struct {
	Label string
	Log   bool
	Words []string  // names of the values 0, 1, 2 … of an axis that is no number
	Ticks []float64 // values to label, as far as there is room; nil = round numbers
}

// Line is a series of points, joined in their order.
type Line struct {
	Name   string
	Points []Point
}

// Point is a marker. Lo and Hi are the ends of its error bar, NaN without one.
// A hollow point has no value that may be relied on: it does not stretch the
// axes, sits at the edge where they end before it, and crosses nothing.
type Point struct {
	X, Y, Lo, Hi float64
	Mark         string // name in Chart.Marks
	Hollow       bool
}

// Level is a horizontal line at Y.
type Level struct {
	Y     float64
	Label string
}

// MarkStyle is a name that markers have.
type MarkStyle struct{ Name string }

// Crossing is where two lines meet and part on the other side.
type Crossing struct {
	A, B string // names of the lines; A is the lower one left of X
	X, Y float64
}

// Crossings finds where lines cross, by straight lines between neighbouring
// points as the chart draws them: on a logarithmic axis in logarithms. Hollow
// points end the part of a line that counts. A line that turns back in x has
// no single value at an x; it is named in turning.
func (c *Chart) Crossings() (found []Crossing, turning []string) {
	var pieces [][][]xy // of each line
	for _, l := range c.Lines {
		p, ok := c.pieces(l)
		if !ok {
			turning = append(turning, l.Name)
			p = nil
		}
		pieces = append(pieces, p)
	}
	for i := range c.Lines {
		for j := i + 1; j < len(c.Lines); j++ {
			for _, p := range pieces[i] {
				for _, q := range pieces[j] {
					found = append(found, c.meet(c.Lines[i].Name, c.Lines[j].Name, p, q)...)
				}
			}
		}
	}
	slices.SortStableFunc(found, func(a, b Crossing) int {
		if a.X < b.X {
			return -1
		} else if a.X > b.X {
			return 1
		}
		return 0
	})
	return found, turning
}

// xy is a point in the scale of the axes: logarithms on logarithmic ones.
type xy struct{ x, y float64 }

// scaled returns the logarithm of v on a logarithmic axis.
func (a *Axis) scaled(v float64) float64 {
	if a.Log {
		return math.Log10(v)
	}
	return v
}

func (a *Axis) unscaled(v float64) float64 {
	if a.Log {
		return math.Pow(10, v)
	}
	return v
}

// drawable reports whether a point has a place on the axes.
func (c *Chart) drawable(p Point) bool {
	x, y := c.X.scaled(p.X), c.Y.scaled(p.Y)
	return !math.IsNaN(x+y) && !math.IsInf(x+y, 0)
}

// pieces cuts a line at points without a value and turns its parts to
// increasing x; false if it goes both ways or has two values at one x.
func (c *Chart) pieces(l Line) ([][]xy, bool) {
	var out [][]xy
	var part []xy
	flush := func() {
		if len(part) > 1 {
			out = append(out, part)
		}
		part = nil
	}
	for _, p := range l.Points {
		if p.Hollow || !c.drawable(p) {
			flush()
			continue
		}
		part = append(part, xy{c.X.scaled(p.X), c.Y.scaled(p.Y)})
	}
	flush()
	for _, p := range out {
		if p[len(p)-1].x < p[0].x {
			slices.Reverse(p)
		}
		for k := 1; k < len(p); k++ {
			if p[k].x <= p[k-1].x {
				return nil, false
			}
		}
	}
	return out, true
}

// at interpolates y of a part at x inside it.
func at(p []xy, x float64) float64 {
	k, found := slices.BinarySearchFunc(p, x, func(e xy, x float64) int {
		switch {
		case e.x < x:
			return -1
		case e.x > x:
			return 1
		}
		return 0
	})
	if found {
		return p[k].y
	}
	a, b := p[k-1], p[k]
	return a.y + (b.y-a.y)*(x-a.x)/(b.x-a.x)
}

// equal is how close two lines are, relative to their size, when they are the
// same: far above rounding, far below what a chart shows.
const equal = 1e-9

// meet finds the crossings of two parts of lines.
func (c *Chart) meet(a, b string, p, q []xy) []Crossing {
	lo, hi := max(p[0].x, q[0].x), min(p[len(p)-1].x, q[len(q)-1].x)
	if lo > hi {
		return nil
	}
	knots := []float64{lo, hi}
	for _, part := range [][]xy{p, q} {
		for _, e := range part {
			if e.x > lo && e.x < hi {
				knots = append(knots, e.x)
			}
		}
	}
	slices.Sort(knots)
	knots = slices.Compact(knots)
	var out []Crossing
	was := xy{}   // last knot with a difference: x and p - q
	zero := false // equal knots since
	touch := lo   // the first of them
	for _, x := range knots {
		yp, yq := at(p, x), at(q, x)
		d := yp - yq
		if math.Abs(d) <= equal*max(math.Abs(yp), math.Abs(yq), equal) {
			if !zero {
				zero, touch = true, x
			}
			continue
		}
		if was.y != 0 && (was.y > 0) != (d > 0) {
			where := touch
			if !zero {
				where = was.x + (x-was.x)*was.y/(was.y-d)
			}
			low, high := a, b
			if was.y > 0 {
				low, high = b, a
			}
			out = append(out, Crossing{A: low, B: high, X: c.X.unscaled(where), Y: c.Y.unscaled(at(p, where))})
		}
		was, zero = xy{x, d}, false
	}
	return out
}
