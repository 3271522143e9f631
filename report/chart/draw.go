package chart

import (
	"image/color"
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

const (
	plotHeight vg.Length = 330 // with the words of the axes
	axisWidth  vg.Length = 46  // what the words of the vertical axis take, about
	markRadius vg.Length = 3.2
)

// SVG draws the chart.
func (c *Chart) SVG() []byte {
	return sheet(c.Title, c.Notes, plotHeight, func(d draw.Canvas) {
		side := c.legendWidth()
		c.plot(d.Size().X - side - axisWidth).Draw(draw.Crop(d, 0, -side, 0, 0))
		if side > 0 {
			c.legend(draw.Crop(d, d.Size().X-side+gap, 0, 0, 0))
		}
	})
}

// plot puts the chart on axes of about the given width.
func (c *Chart) plot(room vg.Length) *plot.Plot {
	x := newScale(&c.X, c.values(func(p Point) []float64 { return []float64{p.X} }, true), room.Points())
	ys := c.values(func(p Point) []float64 { return []float64{p.Y, c.low(p), p.Hi} }, false)
	for _, l := range c.Levels {
		ys = append(ys, l.Y)
	}
	for _, b := range c.Bands {
		for _, e := range slices.Concat(b.Lower, b.Upper) {
			ys = append(ys, e[1])
		}
	}
	y := newScale(&c.Y, ys, plotHeight.Points())
	y.begin()
	p := plot.New()
	x.mark(&p.X, c.X.Label, 52)
	y.mark(&p.Y, c.Y.Label, 27)
	p.Y.Tick.Label.XAlign = draw.XRight
	thin := draw.LineStyle{Color: faint, Width: 0.5}
	grid := &plotter.Grid{Vertical: thin, Horizontal: thin}
	if len(c.X.Words) > 0 {
		grid.Vertical.Color = nil
	}
	p.Add(grid)
	l := layer{c, x, y, p}
	for _, b := range c.Bands {
		l.band(b)
	}
	for i, s := range c.Lines {
		if !s.Loose {
			l.path(s, stroke(i, 1.4))
		}
	}
	for _, tone := range []Tone{Back, Own, Front} {
		for i, s := range c.Lines {
			l.points(i, s, tone)
		}
	}
	p.Add(&labels{layer: l})
	p.X.Min, p.X.Max, p.Y.Min, p.Y.Max = x.lo, x.hi, y.lo, y.hi
	return p
}

// values collects what the axes must span: all points that hold, or all where
// none does or every is set.
func (c *Chart) values(of func(Point) []float64, every bool) []float64 {
	var held, all []float64
	for _, l := range c.Lines {
		for _, p := range l.Points {
			if !c.drawable(p) {
				continue
			}
			all = append(all, of(p)...)
			if !p.Hollow {
				held = append(held, of(p)...)
			}
		}
	}
	if every || len(held) == 0 {
		return all
	}
	return held
}

// low is how far down the error bar of a point stretches the axis: not far on
// a logarithmic one, where it may reach towards 0.
func (c *Chart) low(p Point) float64 {
	if c.Y.Log {
		return max(p.Lo, p.Y/3)
	}
	return p.Lo
}

// layer is what the lines of a chart are drawn on.
type layer struct {
	chart *Chart
	x, y  scale
	plot  *plot.Plot
}

// at is where a point is drawn, in the scale of the axes and inside them.
func (l *layer) at(p Point) plotter.XY {
	return plotter.XY{X: l.x.inside(p.X), Y: l.y.inside(p.Y)}
}

// path joins the points of a line, dotted to and from hollow ones; one without
// a place interrupts it.
func (l *layer) path(s Line, style draw.LineStyle) {
	dotted := draw.LineStyle{Color: style.Color, Width: 0.8, Dashes: []vg.Length{0.8, 3}}
	piece := plotter.XYs{}
	hollow := false // the piece
	flush := func() {
		if len(piece) > 1 {
			drawn := &plotter.Line{XYs: piece, LineStyle: style}
			if hollow {
				drawn.LineStyle = dotted
			}
			l.plot.Add(drawn)
		}
		piece = nil
	}
	for i, p := range s.Points {
		if !l.chart.drawable(p) {
			flush()
			continue
		}
		at := l.at(p)
		if n := len(piece); n > 0 {
			if next := p.Hollow || s.Points[i-1].Hollow; next != hollow || n == 1 {
				last := piece[n-1]
				flush()
				piece, hollow = plotter.XYs{last}, next
			}
		}
		piece = append(piece, at)
	}
	flush()
}

// points draws markers and error bars of a tone of line i.
func (l *layer) points(i int, s Line, tone Tone) {
	colour := l.chart.colour(i, tone)
	bars := &whiskers{style: draw.LineStyle{Color: colour, Width: 0.9}}
	marks := &plotter.Scatter{}
	var shapes []draw.GlyphDrawer
	for _, p := range s.Points {
		if !l.chart.drawable(p) || l.chart.tone(p) != tone {
			continue
		}
		at := l.at(p)
		lo, hi := l.chart.Y.end(p.Lo), l.chart.Y.scaled(p.Hi)
		w := whisker{x: at.X, lo: max(lo, l.y.lo), hi: min(hi, l.y.hi), below: lo < l.y.lo, above: hi > l.y.hi}
		if !p.Hollow && w.hi-w.lo > 0.003*(l.y.hi-l.y.lo) {
			bars.list = append(bars.list, w)
		}
		marks.XYs = append(marks.XYs, at)
		shapes = append(shapes, shape{l.chart.shape(i, p), p.Hollow})
	}
	marks.GlyphStyleFunc = func(k int) draw.GlyphStyle {
		return draw.GlyphStyle{Color: colour, Radius: markRadius, Shape: shapes[k]}
	}
	if len(shapes) > 0 {
		l.plot.Add(bars, marks)
	}
}

// shape is the number of the marker shape of a point of line i.
func (c *Chart) shape(i int, p Point) int {
	for k, m := range c.Marks {
		if m.Name == p.Mark {
			return k
		}
	}
	if len(c.Marks) > 0 {
		return len(c.Marks)
	}
	return i
}

// polygons are the marker shapes after the circle, for radius 1.
var polygons = [][]vg.Point{
	{{X: -.9, Y: -.9}, {X: .9, Y: -.9}, {X: .9, Y: .9}, {X: -.9, Y: .9}},
	{{X: 0, Y: 1.25}, {X: 1.15, Y: -.8}, {X: -1.15, Y: -.8}},
	{{X: 0, Y: -1.35}, {X: 1.1, Y: 0}, {X: 0, Y: 1.35}, {X: -1.1, Y: 0}},
	{{X: 0, Y: -1.25}, {X: 1.15, Y: .8}, {X: -1.15, Y: .8}},
	{{X: -.4, Y: -1.2}, {X: .4, Y: -1.2}, {X: .4, Y: -.4}, {X: 1.2, Y: -.4}, {X: 1.2, Y: .4}, {X: .4, Y: .4}, {X: .4, Y: 1.2}, {X: -.4, Y: 1.2}, {X: -.4, Y: .4}, {X: -1.2, Y: .4}, {X: -1.2, Y: -.4}, {X: -.4, Y: -.4}},
	{{X: -1.25, Y: -.6}, {X: 1.25, Y: -.6}, {X: 1.25, Y: .6}, {X: -1.25, Y: .6}},
}

// shape draws a marker.
type shape struct {
	number int
	hollow bool
}

// DrawGlyph implements draw.GlyphDrawer.
func (s shape) DrawGlyph(c *draw.Canvas, style draw.GlyphStyle, at vg.Point) {
	var path vg.Path
	if n := s.number % (len(polygons) + 1); n == 0 {
		path = circle(at, style.Radius)
	} else {
		for i, p := range polygons[n-1] {
			if to := at.Add(p.Scale(style.Radius)); i == 0 {
				path.Move(to)
			} else {
				path.Line(to)
			}
		}
		path.Close()
	}
	if s.hollow {
		c.SetColor(color.White)
	}
	c.Fill(path)
	c.SetLineStyle(draw.LineStyle{Color: style.Color, Width: 1})
	c.Stroke(path)
}

func circle(at vg.Point, r vg.Length) (path vg.Path) {
	path.Move(vg.Point{X: at.X + r, Y: at.Y})
	path.Arc(at, r, 0, 2*math.Pi)
	path.Close()
	return path
}

// labels draws the levels and the crossings of a chart, with text where it covers
// no other and no marker.
type labels struct {
	layer
	taken []vg.Rectangle
}

// maxCrossings is how many crossings are labelled.
const maxCrossings = 12

// Plot implements plot.Plotter.
func (l *labels) Plot(c draw.Canvas, p *plot.Plot) {
	tx, ty := p.Transforms(&c)
	style, right := plain(), aligned(draw.XRight)
	l.taken = nil
	for _, level := range l.chart.Levels {
		v := l.chart.Y.scaled(level.Y)
		if math.IsNaN(v) || math.IsInf(v, 0) {
			continue
		}
		y := ty(v)
		c.StrokeLine2(draw.LineStyle{Color: grey, Width: 1, Dashes: []vg.Length{5, 3}}, c.Min.X, y, c.Max.X, y)
		text := fit(level.Label, right, c.Size().X)
		at := vg.Point{X: c.Max.X - 4, Y: y + 0.7*size}
		if l.hit(right.Rectangle(text).Add(at)) {
			at.Y = y - 0.9*size
		}
		l.taken = append(l.taken, right.Rectangle(text).Add(at))
		block(&c, right, at, text)
	}
	style.Font.Weight = bold(size).Font.Weight
	for i, cross := range l.chart.Cross {
		at := l.at(Point{X: cross.X, Y: cross.Y})
		on := vg.Point{X: tx(at.X), Y: ty(at.Y)}
		if i == maxCrossings || !c.Contains(on) {
			break
		}
		text := cross.Label()
		const ring = 6
		put, r := l.free(&c, p, style.Rectangle(text), on)
		l.taken = append(l.taken, r, around(on, ring))
		end := vg.Point{X: vg.Length(clamp(float64(on.X), float64(r.Min.X), float64(r.Max.X))), Y: vg.Length(clamp(float64(on.Y), float64(r.Min.Y), float64(r.Max.Y)))}
		if d := end.Sub(on); d.Dot(d) > ring*ring {
			from := on.Add(d.Scale(ring / vg.Length(math.Sqrt(float64(d.Dot(d))))))
			c.StrokeLine2(draw.LineStyle{Color: ink, Width: 0.6}, from.X, from.Y, end.X, end.Y)
		}
		c.SetLineStyle(draw.LineStyle{Color: ink, Width: 1})
		c.Stroke(circle(on, ring))
		block(&c, style, put, text)
	}
}

func around(p vg.Point, r vg.Length) vg.Rectangle {
	return vg.Rectangle{Min: vg.Point{X: p.X - r, Y: p.Y - r}, Max: vg.Point{X: p.X + r, Y: p.Y + r}}
}

// hit reports whether a rectangle lies over one that is taken.
func (l *labels) hit(r vg.Rectangle) bool {
	for _, o := range l.taken {
		if r.Min.X < o.Max.X && o.Min.X < r.Max.X && r.Min.Y < o.Max.Y && o.Min.Y < r.Max.Y {
			return true
		}
	}
	return false
}

// free finds where to put a text near a point, so that its rectangle lies on the
// canvas and over nothing; the last place tried where there is none.
func (l *labels) free(c *draw.Canvas, p *plot.Plot, text vg.Rectangle, on vg.Point) (vg.Point, vg.Rectangle) {
	tx, ty := p.Transforms(c)
	marks := labels{}
	for _, s := range l.chart.Lines {
		for _, p := range s.Points {
			if l.chart.drawable(p) {
				at := l.at(p)
				marks.taken = append(marks.taken, around(vg.Point{X: tx(at.X), Y: ty(at.Y)}, markRadius))
			}
		}
	}
	var put vg.Point
	var r vg.Rectangle
	w := text.Size().X
	for _, away := range []vg.Length{11, 23, 38, 56, 75} {
		for _, to := range []vg.Point{{X: 0.7 * away, Y: -away}, {X: -0.7*away - w, Y: away}, {X: 0.7 * away, Y: away}, {X: -0.7*away - w, Y: -away}} {
			put = on.Add(to)
			r = text.Add(put)
			if c.Contains(r.Min) && c.Contains(r.Max) && !l.hit(r) && !marks.hit(r) {
				return put, r
			}
		}
	}
	put = vg.Point{X: min(on.X+8, c.Max.X-w-3), Y: on.Y + 18}
	return put, text.Add(put)
}

// legendWidth is 0 where there is nothing to tell apart.
func (c *Chart) legendWidth() vg.Length {
	if len(c.Lines) < 2 && len(c.Marks) == 0 {
		return 0
	}
	style := plain()
	w := style.Width(printable(c.Legend[0]))
	if len(c.Marks) > 0 {
		w = max(w, style.Width(printable(c.Legend[1])))
	}
	for _, l := range c.Lines {
		w = max(w, 24+style.Width(printable(l.Name)))
	}
	for _, m := range c.Marks {
		w = max(w, 24+style.Width(printable(m.Name)))
	}
	return min(w+gap, maxLegend)
}

// legend names the lines, then the marker shapes.
func (c *Chart) legend(d draw.Canvas) {
	if len(c.Lines) > 1 {
		lines := newKey(c.Legend[0])
		for i, l := range c.Lines {
			mark := &plotter.Scatter{GlyphStyle: draw.GlyphStyle{Color: palette[i%len(palette)], Radius: markRadius, Shape: shape{number: i}}}
			if len(c.Marks) > 0 {
				mark.Shape = nil
			}
			lines.add(d, l.Name, &plotter.Line{LineStyle: stroke(i, 1.4)}, mark)
		}
		d = lines.draw(d)
	}
	if len(c.Marks) > 0 {
		marks := newKey(c.Legend[1])
		for i, m := range c.Marks {
			colour := color.Color(grey)
			if m.Tone != Own {
				colour = c.colour(0, m.Tone)
			}
			marks.add(d, m.Name, &plotter.Scatter{GlyphStyle: draw.GlyphStyle{Color: colour, Radius: markRadius, Shape: shape{number: i}}})
		}
		marks.draw(d)
	}
}

// key is a legend with a head of its own.
type key struct {
	head string
	plot.Legend
}

func newKey(head string) *key {
	k := &key{head, plot.NewLegend()}
	k.TextStyle = plain()
	k.TextStyle.YAlign = draw.YBottom
	k.Top, k.Left, k.ThumbnailWidth, k.Padding = true, true, 18, 0.5*size
	return k
}

func (k *key) add(d draw.Canvas, name string, thumbs ...plot.Thumbnailer) {
	k.Add(fit(name, k.TextStyle, d.Size().X-k.ThumbnailWidth-4), thumbs...)
}

// draw draws the legend at the top, and returns what is left below it.
func (k *key) draw(d draw.Canvas) draw.Canvas {
	if k.head != "" {
		style := plain()
		style.Color = grey
		style.YAlign = draw.YTop
		d.FillText(style, vg.Point{X: d.Min.X, Y: d.Max.Y}, fit(k.head, style, d.Size().X))
		d.Max.Y -= lineHeight
	}
	k.Draw(d)
	d.Max.Y = k.Rectangle(d).Min.Y - lineHeight
	return d
}
