package chart

import (
	"bytes"
	"fmt"
	"html"
	"image/color"
	"math"
	"slices"
	"strings"
	"unicode"

	xfont "golang.org/x/image/font"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"
)

// The picture's measures in points.
const (
	width      vg.Length = 640
	gap        vg.Length = 12
	size       vg.Length = 9 // of text
	lineHeight vg.Length = 1.4 * size
	maxLegend  vg.Length = 180 // width of what stands right of the axes
)

var (
	ink   = color.Gray{0x22}
	grey  = color.Gray{0x55}
	faint = color.Gray{0xdd}
)

// palette is that of Okabe and Ito without yellow: told apart by people with
// any common colour vision deficiency, and on white.
var palette = []color.RGBA{
	{0x00, 0x72, 0xb2, 0xff},
	{0xd5, 0x5e, 0x00, 0xff},
	{0x00, 0x9e, 0x73, 0xff},
	{0xcc, 0x79, 0xa7, 0xff},
	{0xe6, 0x9f, 0x00, 0xff},
	{0x56, 0xb4, 0xe9, 0xff},
	{0x00, 0x00, 0x00, 0xff},
}

// dashes tell lines apart beyond the palette.
var dashes = [][]vg.Length{nil, {5, 2}, {1.5, 2}}

// MaxLines is how many lines can be told apart.
const MaxLines = 21

func stroke(i int, w vg.Length) draw.LineStyle {
	return draw.LineStyle{Color: palette[i%len(palette)], Width: w, Dashes: dashes[i/len(palette)%len(dashes)]}
}

// plain is text in the colour of ink, with its left end where it is put.
func plain() text.Style {
	return text.Style{
		Color: ink, Handler: plot.DefaultTextHandler, YAlign: draw.YCenter,
		Font: font.Font{Typeface: "Liberation", Variant: "Sans", Size: size},
	}
}

// aligned is plain with its middle (-0.5) or its right end (-1) where it is put.
func aligned(x text.XAlignment) text.Style {
	s := plain()
	s.XAlign = x
	return s
}

func bold(size vg.Length) text.Style {
	s := plain()
	s.Font.Weight, s.Font.Size = xfont.WeightBold, size
	return s
}

// Signature is a comment that every picture holds.
const Signature = "<!-- drawn by sweep report -->"

// families are what a viewer without the Liberation fonts takes: the letters of
// all have the widths that the picture is laid out for.
const families = "font-family:Liberation Sans,Arimo,Arial,Helvetica,sans-serif;"

// sheet draws a picture: its title, what draw makes of the room of the given
// height, and notes.
func sheet(title string, notes []string, height vg.Length, drawing func(draw.Canvas)) []byte {
	head, below := bold(1.15*size), plain()
	below.Color = grey
	above := wrap(title, head, width-2*gap)
	if len(above) > 2 {
		above = append(above[:1], fit(strings.Join(above[1:], " "), head, width-2*gap))
	}
	var under []string
	for _, n := range notes {
		under = append(under, wrap(n, below, width-2*gap)...)
	}
	top, bottom := gap+1.2*lineHeight*vg.Length(len(above)), gap+lineHeight*vg.Length(len(under))
	svg := vgsvg.New(width, top+height+bottom)
	c := draw.New(svg)
	c.SetColor(color.White)
	c.Fill(c.Path())
	for i, s := range above {
		c.FillText(head, vg.Point{X: gap, Y: c.Max.Y - gap - 1.2*lineHeight*(vg.Length(i)+0.2)}, s)
	}
	for i, s := range under {
		c.FillText(below, vg.Point{X: gap, Y: bottom - lineHeight*(vg.Length(i)+0.7)}, s)
	}
	drawing(draw.Crop(c, gap, -gap, bottom, -top))
	var out bytes.Buffer
	svg.WriteTo(&out) //nolint:errcheck // to memory
	body := bytes.ReplaceAll(out.Bytes(), []byte("font-family:Liberation Sans;"), []byte(families))
	from := bytes.Index(body, []byte("<g "))
	return slices.Concat(body[:from], fmt.Appendf(nil, Signature+"\n<title>%s</title>\n", html.EscapeString(printable(title))), body[from:])
}

// printable blanks what does not print: control characters and U+FFFE may not
// stand in XML, and marks of direction would turn the text around.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(s, "?"))
}

// wrap breaks a text at blanks into lines that fit into a width.
func wrap(s string, style text.Style, room vg.Length) []string {
	var out []string
	line := ""
	for _, word := range strings.Fields(printable(s)) {
		if long := line + " " + word; line != "" && style.Width(long) <= room {
			line = long
			continue
		}
		if line != "" {
			out = append(out, line)
		}
		line = fit(word, style, room)
	}
	if line != "" {
		out = append(out, line)
	}
	return out
}

// fit cuts the middle out of a text that is wider than the room.
func fit(s string, style text.Style, room vg.Length) string {
	s = printable(s)
	if style.Width(s) <= room {
		return s
	}
	r := []rune(s)
	for n := min(len(r)-1, int(room)); n > 2; n-- { // no letter that is drawn is under a point wide
		tail := (n - 1) / 2
		if short := string(r[:n-1-tail]) + "…" + string(r[len(r)-tail:]); style.Width(short) <= room {
			return short
		}
	}
	return "…"
}

// block is text on white, which keeps it readable over lines.
func block(c *draw.Canvas, style text.Style, at vg.Point, s string) {
	r := style.Rectangle(s).Add(at)
	c.SetColor(color.NRGBA{0xff, 0xff, 0xff, 0xd0})
	c.Fill(r.Path())
	c.FillText(style, at, s)
}

// clamp keeps a value between two others; NaN stays.
func clamp(v, lo, hi float64) float64 { return math.Min(math.Max(v, lo), hi) }
