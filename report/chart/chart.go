// Package chart draws x-y charts as SVG: lines with markers, error bars,
// logarithmic axes, crossings of lines. It knows no results and no metric; the
// same chart gives the same bytes.
package chart

import (
	"cmp"
	"math"
	"slices"
)

// Chart is one picture.
type Chart struct {
	Title  string
	X, Y   Axis
	Lines  []Line
	Levels []Level     // horizontal reference lines
	Bands  []Band      // shaded, below the lines
	Cross  []Crossing  // marked with their coordinates
	Marks  []MarkStyle // legend of the marker shapes; empty where shapes follow the lines
	Legend [2]string   // what the names of lines and of marks are; may be empty
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
	Loose  bool // the points are not joined, and cross nothing
}

// Point is a marker. Lo and Hi are the ends of its error bar, NaN without one; on a
// logarithmic axis one that ends at or below 0 runs out of the picture.
// A hollow point has no value that may be relied on: it does not stretch the
// axes, sits at the edge where they end before it, and crosses nothing.
type Point struct {
	X, Y, Lo, Hi float64
	Mark         string // name in Chart.Marks
	Hollow       bool
	Ref          string // what it stands for; not drawn
}

// Level is a horizontal line at Y.
type Level struct {
	Y     float64
	Label string
}

// Band is a strip between two lines of the same x, from left to right.
type Band struct{ Lower, Upper [][2]float64 }

// MarkStyle is a name that markers have, and their colour.
type MarkStyle struct {
	Name string
	Tone Tone
}

// Tone is what markers of a name are drawn in.
type Tone int

// Tones: the colour of the line, a grey that stands back and a colour that stands
// out, which is drawn last.
const (
	Own Tone = iota
	Back
	Front
)

// Crossing is where two lines meet and part on the other side. From and To are
// the nearest points left and right of it at which the error bars of the lines
// part, in the order that the crossing says; without error bars the nearest
// points at all. Sure is false where they do not part on both sides: the lines
// may well not cross there.
type Crossing struct {
	A, B     string // names of the lines; A is the lower one left of X
	X, Y     float64
	From, To float64
	Inside   []float64 // where either line has points between From and To
	Sure     bool
}

// Crossings finds where lines cross, by straight lines between neighbouring
// points as the chart draws them: on a logarithmic axis in logarithms. Hollow
// points end the part of a line that counts, as do turns in x.
func (c *Chart) Crossings() []Crossing {
	var pieces [][][]xy // of each line
	for _, l := range c.Lines {
		pieces = append(pieces, c.pieces(l))
	}
	var found []Crossing
	for i := range c.Lines {
		for j := i + 1; j < len(c.Lines); j++ {
			for _, p := range pieces[i] {
				for _, q := range pieces[j] {
					found = append(found, c.meet(c.Lines[i].Name, c.Lines[j].Name, p, q)...)
				}
			}
		}
	}
	slices.SortStableFunc(found, func(a, b Crossing) int { return cmp.Compare(a.X, b.X) })
	return found
}

// xy is a point in the scale of the axes: logarithms on logarithmic ones. lo
// and hi are the ends of its error bar, y itself without one.
type xy struct{ x, y, lo, hi float64 }

// scale returns a point in the scale of the axes.
func (c *Chart) scale(p Point) xy {
	e := xy{x: c.X.scaled(p.X), y: c.Y.scaled(p.Y)}
	e.lo, e.hi = e.y, e.y
	if lo, hi := c.Y.end(p.Lo), c.Y.scaled(p.Hi); lo <= e.y && hi >= e.y {
		e.lo, e.hi = lo, hi
	}
	return e
}

// scaled returns the logarithm of v on a logarithmic axis.
func (a *Axis) scaled(v float64) float64 {
	if a.Log {
		return math.Log10(v)
	}
	return v
}

// end scales the lower end of an error bar, which a logarithmic axis has no place
// for at or below 0: far below all that is drawn.
func (a *Axis) end(v float64) float64 {
	if a.Log && v <= 0 {
		return -math.Log10(huge)
	}
	return a.scaled(v)
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

// pieces cuts a line at points without a value and where it turns in x, and
// turns its parts to increasing x. A loose line has none.
func (c *Chart) pieces(l Line) [][]xy {
	var out [][]xy
	var part []xy
	flush := func() {
		if len(part) > 1 {
			if part[1].x < part[0].x {
				slices.Reverse(part)
			}
			out = append(out, part)
		}
		part = nil
	}
	for _, p := range l.Points {
		if l.Loose || p.Hollow || !c.drawable(p) {
			flush()
			continue
		}
		e := c.scale(p)
		if n := len(part); n > 0 && (e.x == part[n-1].x || n > 1 && (e.x > part[n-1].x) != (part[1].x > part[0].x)) {
			last := part[n-1]
			if flush(); e.x != last.x {
				part = []xy{last}
			}
		}
		part = append(part, e)
	}
	flush()
	return out
}

// at interpolates a part at x inside it.
func at(p []xy, x float64) xy {
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
		return p[k]
	}
	a, b := p[k-1], p[k]
	t := (x - a.x) / (b.x - a.x)
	return xy{x, a.y + t*(b.y-a.y), a.lo + t*(b.lo-a.lo), a.hi + t*(b.hi-a.hi)}
}

// equal is how close two lines are, relative to their size, when they are the
// same: far above rounding, far below what a chart shows.
const equal = 1e-9

// knot is a place where one of two lines has a point.
type knot struct {
	x     float64
	d     float64 // of the lines; 0 = equal
	parts bool    // their error bars do not overlap
}

// meet finds the crossings of two parts of lines.
func (c *Chart) meet(a, b string, p, q []xy) []Crossing {
	knots := compare(p, q)
	var out []Crossing
	was, touch := -1, -1 // last knot with a difference, first equal one since
	for k, n := range knots {
		if n.d == 0 {
			if touch < 0 {
				touch = k
			}
			continue
		}
		if was >= 0 && (knots[was].d > 0) != (n.d > 0) {
			w := knots[was]
			where := w.x + (n.x-w.x)*w.d/(w.d-n.d)
			if touch >= 0 {
				where = knots[touch].x
			}
			low, high := a, b
			if w.d > 0 {
				low, high = b, a
			}
			found := Crossing{A: low, B: high, X: c.X.unscaled(where), Y: c.Y.unscaled(at(p, where).y)}
			left, right := parting(knots[:was+1], -1, w.d), parting(knots[k:], 1, n.d)
			if found.Sure = left != nil && right != nil; found.Sure {
				found.From, found.To = c.X.unscaled(left.x), c.X.unscaled(right.x)
				for _, n := range knots {
					if n.x > left.x && n.x < right.x {
						found.Inside = append(found.Inside, c.X.unscaled(n.x))
					}
				}
			}
			out = append(out, found)
		}
		was, touch = k, -1
	}
	return out
}

// compare lists the places where two parts of lines are compared.
func compare(p, q []xy) []knot {
	lo, hi := max(p[0].x, q[0].x), min(p[len(p)-1].x, q[len(q)-1].x)
	if lo > hi {
		return nil
	}
	xs := []float64{lo, hi}
	for _, part := range [][]xy{p, q} {
		for _, e := range part {
			if e.x > lo && e.x < hi {
				xs = append(xs, e.x)
			}
		}
	}
	slices.Sort(xs)
	var out []knot
	for _, x := range slices.Compact(xs) {
		u, v := at(p, x), at(q, x)
		n := knot{x: x, d: u.y - v.y, parts: u.hi < v.lo || v.hi < u.lo}
		if math.Abs(n.d) <= equal*max(math.Abs(u.y), math.Abs(v.y), equal) {
			n.d, n.parts = 0, false
		}
		out = append(out, n)
	}
	return out
}

// parting returns the nearest knot, from the last backwards or the first
// onwards, at which the error bars part; nil where the first of those has the
// other sign, or there is none.
func parting(knots []knot, step int, sign float64) *knot {
	k := 0
	if step < 0 {
		k = len(knots) - 1
	}
	for ; k >= 0 && k < len(knots); k += step {
		if knots[k].parts {
			if (knots[k].d > 0) == (sign > 0) {
				return &knots[k]
			}
			return nil
		}
	}
	return nil
}
