package chart

import (
	"fmt"
	"math"
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

// The measures of bars in pixels.
const (
	barHeight, barGap = 15.0, 12.0
	maxName           = 34 // characters
)

// SVG draws the bars.
func (c *Bars) SVG() []byte {
	v := &canvas{chart: &Chart{}}
	begin, reach, ends := c.measure()
	axis := Axis{}
	v.x = newScale(&axis, ends, begin, width-right-reach)
	bottom := top + barGap
	for _, r := range c.Rows {
		bottom += barHeight*float64(len(r.Bars)) + barGap
	}
	var notes []string
	for _, n := range c.Notes {
		notes = append(notes, wrap(n, maxNote)...)
	}
	below := bottom + 44
	if c.coloured() {
		below += lineHeight + 8
	}
	height := below + lineHeight*float64(len(notes)) + gap
	v.head(c.Title, gap, height)
	v.scaleBelow(bottom, c.Label)
	y := top + barGap
	for _, r := range c.Rows {
		high := barHeight * float64(len(r.Bars))
		v.text(begin-10, y+high/2+4, "end", `fill="#000000"`, shorten(r.Name, maxName))
		for k, b := range r.Bars {
			v.bar(b, y+barHeight*float64(k))
		}
		y += high + barGap
	}
	zero := v.x.pixel(0)
	v.line(zero, top, zero, bottom, `stroke="#222222" stroke-width="1.2"`)
	if f := c.Floor; f.Value != 0 {
		x := v.x.pixel(f.Value)
		v.line(x, top, x, bottom, `stroke="#555555" stroke-width="1.3" stroke-dasharray="6 4"`)
		v.text(x, top-4, "middle", halo, f.Label)
	}
	if c.coloured() {
		v.kinds(c.Kinds, begin, bottom+54)
	}
	for i, n := range notes {
		v.text(gap, below+12+lineHeight*float64(i), "start", `fill="#444444"`, n)
	}
	v.WriteString("</svg>\n")
	return v.Bytes()
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

// measure returns where the axis begins, how far texts reach beyond its end,
// and what it must span.
func (c *Bars) measure() (begin, reach float64, ends []float64) {
	name := 0.0
	ends = []float64{0, c.Floor.Value}
	for _, r := range c.Rows {
		name = max(name, textWidth(shorten(r.Name, maxName)))
		for _, b := range r.Bars {
			reach = max(reach, textWidth(b.Text)+8)
			ends = append(ends, b.Value, b.Lo, b.Hi)
		}
	}
	return gap + name + 10, min(reach, maxLegend), ends
}

// bar draws one bar from y on, its interval as a whisker, and its text beyond
// both.
func (v *canvas) bar(b Bar, y float64) {
	zero, style := v.x.pixel(0), halo+` font-size="11"`
	if math.IsNaN(b.Value) {
		v.text(zero+6, y+barHeight-4, "start", style+` font-style="italic"`, b.Text)
		return
	}
	x := v.x.pixel(b.Value)
	from, to := min(zero, x), max(zero, x)
	fmt.Fprintf(v, `<rect x="%s" y="%s" width="%s" height="%s" fill="%s"/>`+"\n", px(from), px(y+1), px(max(to-from, 0.5)), px(barHeight-3), color(b.Kind))
	middle := y + barHeight/2 - 0.5
	if lo, hi := v.x.pixel(b.Lo), v.x.pixel(b.Hi); hi-lo > 1 {
		v.line(lo, middle, hi, middle, `stroke="#222222" stroke-width="1.2"`)
		v.line(lo, middle-3, lo, middle+3, `stroke="#222222" stroke-width="1.2"`)
		v.line(hi, middle-3, hi, middle+3, `stroke="#222222" stroke-width="1.2"`)
		from, to = min(from, lo), max(to, hi)
	}
	if b.Value < 0 && from-8-textWidth(b.Text) > v.x.from {
		v.text(from-6, y+barHeight-4, "end", style, b.Text)
		return
	}
	v.text(to+6, y+barHeight-4, "start", style, b.Text)
}

// head opens the picture with its title from x on.
func (v *canvas) head(title string, x, height float64) {
	fmt.Fprintf(v, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %s %s" width="%s" height="%s" role="img" font-family="Helvetica, Arial, 'DejaVu Sans', sans-serif" font-size="%s">`+"\n", px(width), px(height), px(width), px(height), px(size))
	fmt.Fprintf(v, Signature+"\n<title>%s</title>\n<rect width=\"100%%\" height=\"100%%\" fill=\"#ffffff\"/>\n", escape(title))
	for i, line := range wrap(title, maxNote*4/5) {
		if i < 2 {
			v.text(x, top-26+15*float64(i), "start", `font-size="14" font-weight="bold"`, line)
		}
	}
}

// scaleBelow draws the axis of values at the bottom.
func (v *canvas) scaleBelow(bottom float64, label string) {
	for _, t := range v.x.ticks(70) {
		x := v.x.pixel(t.value)
		v.line(x, top, x, bottom, grid(t))
		v.text(x, bottom+16, "middle", `fill="#333333"`, t.label)
	}
	v.text((v.x.from+v.x.to)/2, bottom+34, "middle", `fill="#000000"`, label)
}

// kinds is the legend of the colours, in one line.
func (v *canvas) kinds(names []string, x, y float64) {
	for i, name := range names {
		if name == "" {
			continue
		}
		fmt.Fprintf(v, `<rect x="%s" y="%s" width="14" height="10" fill="%s"/>`+"\n", px(x), px(y-9), color(i))
		v.text(x+20, y, "start", `fill="#000000"`, name)
		x += 36 + textWidth(name)
	}
}
