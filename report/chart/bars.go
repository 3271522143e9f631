package chart

import (
	"math"

	xfont "golang.org/x/image/font"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Bars is a picture of horizontal bars from a line at 0: how much each row
// matters. Rows come from the top, those of a row one below the other.
type Bars struct {
	Title string
	Label string // of the axis of values
	Rows  []BarRow
	Kinds []string // names of the colours, empty ones not used; fewer than two have no legend
	Floor Floor    // what nothing below means anything; zero = none
	Notes []string // below
}

// BarRow is what has a name of its own.
type BarRow struct {
	Name string
	Bars []Bar
}

// Bar is a value with the ends of its interval, NaN without one. A bar without a
// value has words in its place.
type Bar struct {
	Value, Lo, Hi float64
	Kind          int    // in Kinds
	Text          string // at its end; begins with the name
	Name          string // within its row; may be empty
	Ref           string // what it stands for; not drawn
}

// Floor is a marked value.
type Floor struct {
	Value float64
	Label string
}

// The measures of bars in points.
const (
	barHeight, barGap vg.Length = 11, 9
	maxName           vg.Length = 190
	barWords          vg.Length = 0.9 * size // of the text at their ends
)

// SVG draws the bars.
func (c *Bars) SVG() []byte {
	bars := &bars{Bars: c}
	reach := bars.lay()
	room := barGap
	for _, r := range c.Rows {
		room += barHeight*vg.Length(len(r.Bars)) + barGap
	}
	legend := vg.Length(0)
	if c.coloured() {
		legend = lineHeight
	}
	return sheet(c.Title, c.Notes, 2.2*lineHeight+room+34+legend, func(d draw.Canvas) {
		if legend > 0 {
			bars.kinds(draw.Crop(d, 0, 0, 0, legend-d.Size().Y))
		}
		bars.plot(d.Size().X - bars.names - reach).Draw(draw.Crop(d, 0, -reach, legend+6, -1.2*lineHeight))
	})
}

// coloured reports whether there are colours to tell apart.
func (c *Bars) coloured() bool {
	n := 0
	for _, name := range c.Kinds {
		if name != "" {
			n++
		}
	}
	return n > 1
}

// bars draws rows on axes on which each bar is 1 high.
type bars struct {
	*Bars
	rows  plot.ConstantTicks
	ends  []float64 // what the axis of values must span
	names vg.Length // what the names of the rows take
	high  float64   // of all rows
}

// between is the gap above, between and below rows, in bars.
const between = float64(barGap / barHeight)

// lay places the rows, and returns how far texts may reach beyond the axes.
func (c *bars) lay() vg.Length {
	c.ends = []float64{0, c.Floor.Value}
	reach, words := vg.Length(gap), c.words()
	c.high = between
	for _, r := range c.Rows {
		c.high += float64(len(r.Bars)) + between
	}
	y := c.high - between
	for _, r := range c.Rows {
		name := fit(r.Name, plain(), maxName)
		c.names = max(c.names, plain().Width(name))
		c.rows = append(c.rows, plot.Tick{Value: y - float64(len(r.Bars))/2, Label: name})
		y -= float64(len(r.Bars)) + between
		for _, b := range r.Bars {
			reach = max(reach, words.Width(printable(b.Text))+8)
			c.ends = append(c.ends, b.Value, b.Lo, b.Hi)
		}
	}
	return min(reach, maxLegend)
}

func (c *bars) words() text.Style {
	s := plain()
	s.Font.Size = barWords
	return s
}

// plot puts the bars on axes of about the given width.
func (c *bars) plot(room vg.Length) *plot.Plot {
	x := newScale(&Axis{}, c.ends, room.Points())
	p := plot.New()
	x.mark(&p.X, c.Label, 52)
	p.Add(&plotter.Grid{Vertical: draw.LineStyle{Color: faint, Width: 0.5}}, c)
	p.X.Min, p.X.Max, p.Y.Min, p.Y.Max = x.lo, x.hi, 0, c.high
	p.Y.Padding, p.Y.LineStyle.Width, p.Y.Tick.Length = 0, 0, 0
	p.Y.Tick.Label, p.Y.Tick.Marker = aligned(draw.XRight), c.rows
	return p
}

// Plot implements plot.Plotter.
func (c *bars) Plot(d draw.Canvas, p *plot.Plot) {
	tx, ty := p.Transforms(&d)
	y := c.high - between
	for _, r := range c.Rows {
		for _, b := range r.Bars {
			c.bar(d, b, tx, ty(y-1), ty(y))
			y--
		}
		y -= between
	}
	zero := tx(0)
	d.StrokeLine2(draw.LineStyle{Color: ink, Width: 0.9}, zero, d.Min.Y, zero, d.Max.Y)
	if f := c.Floor; f.Value != 0 {
		at := tx(f.Value)
		d.StrokeLine2(draw.LineStyle{Color: grey, Width: 1, Dashes: []vg.Length{5, 3}}, at, d.Min.Y, at, d.Max.Y)
		block(&d, aligned(draw.XCenter), vg.Point{X: at, Y: d.Max.Y + 0.7*size}, f.Label)
	}
}

// bar draws one bar, its interval as a whisker, and its text beyond both.
func (c *bars) bar(d draw.Canvas, b Bar, tx func(float64) vg.Length, bottom, top vg.Length) {
	zero, style, middle := tx(0), c.words(), (bottom+top)/2
	text := fit(b.Text, style, maxLegend)
	if math.IsNaN(b.Value) {
		style.Font.Style = xfont.StyleItalic
		block(&d, style, vg.Point{X: zero + 5, Y: middle}, text)
		return
	}
	from, to := min(zero, tx(b.Value)), max(zero, tx(b.Value))
	d.FillPolygon(palette[b.Kind%len(palette)], []vg.Point{{X: from, Y: bottom + 1}, {X: max(to, from+0.4), Y: bottom + 1}, {X: max(to, from+0.4), Y: top - 1}, {X: from, Y: top - 1}})
	if lo, hi := tx(b.Lo), tx(b.Hi); hi-lo > 0.8 {
		whisker := draw.LineStyle{Color: ink, Width: 0.9}
		d.StrokeLine2(whisker, lo, middle, hi, middle)
		d.StrokeLine2(whisker, lo, middle-2.5, lo, middle+2.5)
		d.StrokeLine2(whisker, hi, middle-2.5, hi, middle+2.5)
		from, to = min(from, lo), max(to, hi)
	}
	if b.Value < 0 && from-6-style.Width(text) > d.Min.X {
		style.XAlign = draw.XRight
		block(&d, style, vg.Point{X: from - 4, Y: middle}, text)
		return
	}
	block(&d, style, vg.Point{X: to + 4, Y: middle}, text)
}

// kinds is the legend of the colours, in one line.
func (c *bars) kinds(d draw.Canvas) {
	at := vg.Point{X: d.Min.X + c.names, Y: d.Center().Y}
	for i, name := range c.Kinds {
		if name == "" {
			continue
		}
		d.DrawGlyphNoClip(draw.GlyphStyle{Color: palette[i%len(palette)], Radius: 4, Shape: draw.BoxGlyph{}}, vg.Point{X: at.X + 5, Y: at.Y})
		name = printable(name)
		d.FillText(plain(), vg.Point{X: at.X + 14, Y: at.Y}, name)
		at.X += 26 + plain().Width(name)
	}
}
