package chart

import (
	"image/color"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// back is what stands back, shaded what lies below everything.
var back, shaded = color.Gray{0x8c}, color.Gray{0xe6}

// tone is what a point is drawn in.
func (c *Chart) tone(p Point) Tone {
	for _, m := range c.Marks {
		if m.Name == p.Mark {
			return m.Tone
		}
	}
	return Own
}

// colour is that of markers of line i in a tone.
func (c *Chart) colour(i int, tone Tone) color.Color {
	switch tone {
	case Back:
		return back
	case Front:
		return palette[1]
	}
	return palette[i%len(palette)]
}

// band shades a strip, as far as the axes reach.
func (l *layer) band(b Band) {
	var ring plotter.XYs
	for _, e := range b.Lower {
		ring = append(ring, l.at(Point{X: e[0], Y: e[1]}))
	}
	for i := len(b.Upper) - 1; i >= 0; i-- {
		ring = append(ring, l.at(Point{X: b.Upper[i][0], Y: b.Upper[i][1]}))
	}
	if len(ring) > 2 {
		l.plot.Add(&plotter.Polygon{XYs: []plotter.XYs{ring}, Color: shaded})
	}
}

// whisker is an error bar in the scale of the axes and inside them; below and above
// say that it goes on beyond, where it has no cap.
type whisker struct {
	x, lo, hi    float64
	below, above bool
}

// whiskers draws error bars.
type whiskers struct {
	list  []whisker
	style draw.LineStyle
}

// Plot implements plot.Plotter.
func (w *whiskers) Plot(c draw.Canvas, p *plot.Plot) {
	const cap vg.Length = 2.25
	tx, ty := p.Transforms(&c)
	for _, e := range w.list {
		x, lo, hi := tx(e.x), ty(e.lo), ty(e.hi)
		c.StrokeLine2(w.style, x, lo, x, hi)
		if !e.below {
			c.StrokeLine2(w.style, x-cap, lo, x+cap, lo)
		}
		if !e.above {
			c.StrokeLine2(w.style, x-cap, hi, x+cap, hi)
		}
	}
}
