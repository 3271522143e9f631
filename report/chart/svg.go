package chart

import (
	"bytes"
	"fmt"
	"math"
	"strings"
	"unicode"
)

// The picture's measures in pixels.
const (
	width, plotHeight     = 860.0, 400.0
	left, top, right, gap = 78.0, 44.0, 18.0, 16.0
	size                  = 12.0       // of text
	glyph                 = 0.6 * size // width of a character, no less than that of common fonts
	lineHeight            = 1.4 * size // of legend and notes
	markRadius            = 4.2        // of markers
	maxLegend             = 230.0      // width
	maxNote               = int((width - 2*gap) / glyph)
)

// palette is that of Okabe and Ito without yellow: told apart by people with
// any common colour vision deficiency, and on white.
var palette = []string{"#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000"}

// dashes tell lines apart beyond the palette.
var dashes = []string{"", "7 3", "2 3"}

// MaxLines is how many lines can be told apart.
const MaxLines = 21

// canvas is the picture being drawn.
type canvas struct {
	bytes.Buffer
	chart  *Chart
	x, y   scale
	labels []box // of crossings and levels
}

// box is a rectangle of text.
type box struct{ x, y, w, h float64 }

func (b box) overlaps(o box) bool {
	return b.x < o.x+o.w && o.x < b.x+b.w && b.y < o.y+o.h && o.y < b.y+b.h
}

// Signature is a comment that every picture holds.
const Signature = "<!-- drawn by sweep report -->"

// SVG draws the chart.
func (c *Chart) SVG() []byte {
	v := &canvas{chart: c}
	legend := v.legendWidth()
	end := width - right - legend
	v.x = newScale(&c.X, c.values(func(p Point) []float64 { return []float64{p.X} }, true), left, end)
	ys := c.values(func(p Point) []float64 { return []float64{p.Y, c.low(p), p.Hi} }, false)
	for _, l := range c.Levels {
		ys = append(ys, l.Y)
	}
	v.y = newScale(&c.Y, ys, top+plotHeight, top)
	var notes []string
	for _, n := range c.Notes {
		notes = append(notes, wrap(n, maxNote)...)
	}
	height := top + plotHeight + 50 + lineHeight*float64(len(notes)) + gap/2
	v.head(c.Title, left, height)
	v.axes(end)
	v.levels(end)
	for i, l := range c.Lines {
		v.path(l, color(i), dash(i))
	}
	for i, l := range c.Lines {
		v.points(i, l)
	}
	v.crossings(end)
	if legend > 0 {
		v.legend(end + gap)
	}
	for i, n := range notes {
		v.text(gap, top+plotHeight+56+lineHeight*float64(i), "start", `fill="#444444"`, n)
	}
	v.WriteString("</svg>\n")
	return v.Bytes()
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

// px prints a coordinate.
func px(v float64) string {
	s := strings.TrimRight(strings.TrimRight(fmt.Sprintf("%.2f", v), "0"), ".")
	if s == "-0" {
		return "0"
	}
	return s
}

// escape makes text inert in XML. What does not print becomes a blank: control
// characters and U+FFFE may not stand there, and marks of direction would turn
// the text around.
func escape(s string) string {
	return strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&quot;").Replace(strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(s, "?")))
}

// textWidth is no less than what the text takes.
func textWidth(s string) float64 { return glyph * float64(len([]rune(s))) }

// wrap breaks a text into lines of at most n characters at blanks.
func wrap(s string, n int) []string {
	var out []string
	line := ""
	for _, word := range strings.Fields(s) {
		if line != "" && len([]rune(line))+1+len([]rune(word)) > n {
			out, line = append(out, line), ""
		}
		if line != "" {
			line += " "
		}
		line += word
	}
	if line != "" {
		out = append(out, line)
	}
	return out
}

// shorten cuts the middle out of a text of more than n characters.
func shorten(s string, n int) string {
	r := []rune(s)
	if len(r) <= n {
		return s
	}
	tail := (n - 1) / 2
	return string(r[:n-1-tail]) + "…" + string(r[len(r)-tail:])
}

func color(i int) string { return palette[i%len(palette)] }
func dash(i int) string  { return dashes[i/len(palette)%len(dashes)] }

func (v *canvas) text(x, y float64, anchor, style, s string) {
	fmt.Fprintf(v, `<text x="%s" y="%s" text-anchor="%s" %s>%s</text>`+"\n", px(x), px(y), anchor, style, escape(s))
}

func (v *canvas) line(x1, y1, x2, y2 float64, style string) {
	fmt.Fprintf(v, `<line x1="%s" y1="%s" x2="%s" y2="%s" %s/>`+"\n", px(x1), px(y1), px(x2), px(y2), style)
}

// axes draws the grid, the frame, ticks and labels.
func (v *canvas) axes(end float64) {
	bottom := top + plotHeight
	words := len(v.chart.X.Words) > 0
	for _, t := range v.x.ticks(70) {
		x := v.x.pixel(t.value)
		if !words {
			v.line(x, top, x, bottom, grid(t))
		}
		if t.label != "" {
			v.text(x, bottom+17, "middle", `fill="#333333"`, shorten(t.label, max(3, int((end-left)/glyph)/max(1, len(v.chart.X.Words)))))
		}
	}
	for _, t := range v.y.ticks(36) {
		y := v.y.pixel(t.value)
		v.line(left, y, end, y, grid(t))
		if t.label != "" {
			v.text(left-7, y+4, "end", `fill="#333333"`, t.label)
		}
	}
	fmt.Fprintf(v, `<rect x="%s" y="%s" width="%s" height="%s" fill="none" stroke="#666666"/>`+"\n", px(left), px(top), px(end-left), px(plotHeight))
	v.text((left+end)/2, bottom+37, "middle", `fill="#000000"`, v.chart.X.Label)
	middle := top + plotHeight/2
	v.text(20, middle, "middle", fmt.Sprintf(`fill="#000000" transform="rotate(-90 20 %s)"`, px(middle)), v.chart.Y.Label)
}

// grid is fainter where nothing is labelled.
func grid(t tick) string {
	if t.label == "" {
		return `stroke="#f1f1f1"`
	}
	return `stroke="#dddddd"`
}

// levels draws the horizontal reference lines, each with its label at the
// right end.
func (v *canvas) levels(end float64) {
	for _, l := range v.chart.Levels {
		y := v.y.pixel(l.Y)
		if math.IsNaN(y) || math.IsInf(y, 0) {
			continue
		}
		v.line(left, y, end, y, `stroke="#555555" stroke-width="1.3" stroke-dasharray="6 4"`)
		w := textWidth(l.Label)
		b := box{end - w - 6, y - 5 - size, w, size + 4}
		for _, o := range v.labels {
			if b.overlaps(o) {
				b.y = y + 4
			}
		}
		v.labels = append(v.labels, b)
		v.text(end-6, b.y+size, "end", halo, l.Label)
	}
}

// halo keeps text readable over lines.
const halo = `fill="#333333" stroke="#ffffff" stroke-width="3" stroke-linejoin="round" paint-order="stroke"`

// place returns where a point is drawn.
func (v *canvas) place(p Point) (x, y float64) {
	return v.x.inside(v.x.pixel(p.X)), v.y.inside(v.y.pixel(p.Y))
}

// path joins the points of a line, dotted to and from hollow ones; one without
// a place interrupts it.
func (v *canvas) path(l Line, stroke, pattern string) {
	if l.Loose {
		return
	}
	for i := 0; i < len(l.Points)-1; {
		if !v.chart.drawable(l.Points[i]) || !v.chart.drawable(l.Points[i+1]) {
			i++
			continue
		}
		hollow := l.Points[i].Hollow || l.Points[i+1].Hollow
		var d strings.Builder
		x, y := v.place(l.Points[i])
		fmt.Fprintf(&d, "M%s %s", px(x), px(y))
		for ; i < len(l.Points)-1 && v.chart.drawable(l.Points[i+1]) && (l.Points[i].Hollow || l.Points[i+1].Hollow) == hollow; i++ {
			x, y := v.place(l.Points[i+1])
			fmt.Fprintf(&d, "L%s %s", px(x), px(y))
		}
		style := `stroke-width="1.8"`
		if pattern != "" {
			style += fmt.Sprintf(` stroke-dasharray="%s"`, pattern)
		}
		if hollow {
			style = `stroke-width="1" stroke-dasharray="1 4" stroke-linecap="round"`
		}
		fmt.Fprintf(v, `<path d="%s" fill="none" stroke="%s" %s/>`+"\n", d.String(), stroke, style)
	}
}

// points draws markers and error bars of line i.
func (v *canvas) points(i int, l Line) {
	for _, p := range l.Points {
		if !v.chart.drawable(p) {
			continue
		}
		x, y := v.place(p)
		if lo, hi := v.y.inside(v.y.pixel(p.Lo)), v.y.inside(v.y.pixel(p.Hi)); !p.Hollow && lo-hi > 1 {
			bar := fmt.Sprintf(`stroke="%s" stroke-width="1.2"`, color(i))
			v.line(x, lo, x, hi, bar)
			v.line(x-3, lo, x+3, lo, bar)
			v.line(x-3, hi, x+3, hi, bar)
		}
		v.marker(x, y, v.shape(i, p), color(i), p.Hollow)
	}
}

// shape is the number of the marker shape of a point of line i.
func (v *canvas) shape(i int, p Point) int {
	for k, m := range v.chart.Marks {
		if m.Name == p.Mark {
			return k
		}
	}
	if len(v.chart.Marks) > 0 {
		return len(v.chart.Marks)
	}
	return i
}

// polygons are the marker shapes after the circle, for radius 1.
var polygons = [][][2]float64{
	{{-.9, -.9}, {.9, -.9}, {.9, .9}, {-.9, .9}},
	{{0, -1.25}, {1.15, .8}, {-1.15, .8}},
	{{0, -1.35}, {1.1, 0}, {0, 1.35}, {-1.1, 0}},
	{{0, 1.25}, {1.15, -.8}, {-1.15, -.8}},
	{{-.4, -1.2}, {.4, -1.2}, {.4, -.4}, {1.2, -.4}, {1.2, .4}, {.4, .4}, {.4, 1.2}, {-.4, 1.2}, {-.4, .4}, {-1.2, .4}, {-1.2, -.4}, {-.4, -.4}},
	{{-1.25, -.6}, {1.25, -.6}, {1.25, .6}, {-1.25, .6}},
}

func (v *canvas) marker(x, y float64, shape int, stroke string, hollow bool) {
	fill := stroke
	if hollow {
		fill = "#ffffff"
	}
	style := fmt.Sprintf(`fill="%s" stroke="%s" stroke-width="1.4"`, fill, stroke)
	shape %= len(polygons) + 1
	if shape == 0 {
		fmt.Fprintf(v, `<circle cx="%s" cy="%s" r="%s" %s/>`+"\n", px(x), px(y), px(markRadius), style)
		return
	}
	var at []string
	for _, p := range polygons[shape-1] {
		at = append(at, px(x+markRadius*p[0])+","+px(y+markRadius*p[1]))
	}
	fmt.Fprintf(v, `<polygon points="%s" %s/>`+"\n", strings.Join(at, " "), style)
}

// maxCrossings is how many crossings are labelled.
const maxCrossings = 12

// crossings rings each crossing and writes its coordinates where they cover
// no other label.
func (v *canvas) crossings(end float64) {
	for i, c := range v.chart.Cross {
		if i == maxCrossings {
			break
		}
		x, y := v.x.pixel(c.X), v.y.pixel(c.Y)
		fmt.Fprintf(v, `<circle cx="%s" cy="%s" r="8" fill="none" stroke="#222222" stroke-width="1.4"/>`+"\n", px(x), px(y))
		label := fmt.Sprintf("(%s, %s)", Number(c.X), Number(c.Y))
		b := v.free(x, y, textWidth(label), end)
		v.labels = append(v.labels, b, box{x - 8, y - 8, 16, 16})
		v.line(x+8*sign(b.x+b.w/2-x)*0.7, y+8*sign(b.y+b.h/2-y)*0.7, min(max(x, b.x), b.x+b.w), min(max(y, b.y), b.y+b.h), `stroke="#222222" stroke-width="0.8"`)
		v.text(b.x, b.y+size-1, "start", halo+` font-weight="bold"`, label)
	}
}

func sign(v float64) float64 {
	if v < 0 {
		return -1
	}
	return 1
}

// free finds a place for a label of width w near x, y.
func (v *canvas) free(x, y, w, end float64) box {
	h := size + 3
	for _, away := range []float64{14, 30, 50, 74, 100} {
		for _, b := range []box{
			{x + away*0.7, y + away - h/2, w, h},
			{x - away*0.7 - w, y - away - h/2, w, h},
			{x + away*0.7, y - away - h/2, w, h},
			{x - away*0.7 - w, y + away - h/2, w, h},
		} {
			fits := b.x > left+2 && b.x+b.w < end-2 && b.y > top+2 && b.y+b.h < top+plotHeight-2
			for _, o := range v.labels {
				fits = fits && !b.overlaps(o)
			}
			if fits && !v.covers(b) {
				return b
			}
		}
	}
	return box{min(x+10, end-w-4), y - 24, w, h}
}

// covers reports whether a marker lies under the box.
func (v *canvas) covers(b box) bool {
	for _, l := range v.chart.Lines {
		for _, p := range l.Points {
			if !v.chart.drawable(p) {
				continue
			}
			x, y := v.place(p)
			if b.overlaps(box{x - markRadius, y - markRadius, 2 * markRadius, 2 * markRadius}) {
				return true
			}
		}
	}
	return false
}

// legendWidth is 0 where there is nothing to tell apart.
func (v *canvas) legendWidth() float64 {
	c := v.chart
	if len(c.Lines) < 2 && len(c.Marks) == 0 {
		return 0
	}
	w := textWidth(c.Legend[0])
	if len(c.Marks) > 0 {
		w = max(w, textWidth(c.Legend[1]))
	}
	for _, l := range c.Lines {
		w = max(w, 34+textWidth(l.Name))
	}
	for _, m := range c.Marks {
		w = max(w, 34+textWidth(m.Name))
	}
	return min(w+gap, maxLegend)
}

// legend names the lines, then the marker shapes.
func (v *canvas) legend(x float64) {
	y := top + 8
	room := int((width - right - x - 30) / glyph)
	head := func(i int) {
		if name := v.chart.Legend[i]; name != "" {
			v.text(x, y+4, "start", `fill="#444444" font-style="italic"`, shorten(name, room+4))
			y += lineHeight
		}
	}
	if len(v.chart.Lines) > 1 {
		head(0)
	}
	for i, l := range v.chart.Lines {
		if len(v.chart.Lines) == 1 {
			break
		}
		style := fmt.Sprintf(`stroke="%s" stroke-width="1.8"`, color(i))
		if d := dash(i); d != "" {
			style += fmt.Sprintf(` stroke-dasharray="%s"`, d)
		}
		v.line(x, y, x+24, y, style)
		if len(v.chart.Marks) == 0 {
			v.marker(x+12, y, i, color(i), false)
		}
		v.text(x+30, y+4, "start", `fill="#000000"`, shorten(l.Name, room))
		y += lineHeight
	}
	if len(v.chart.Lines) > 1 {
		y += lineHeight / 2
	}
	if len(v.chart.Marks) > 0 {
		head(1)
	}
	for i, m := range v.chart.Marks {
		v.marker(x+12, y, i, "#555555", false)
		v.text(x+30, y+4, "start", `fill="#000000"`, shorten(m.Name, room))
		y += lineHeight
	}
}
