package sketch

import (
	"math"
	"strings"

	"scoville/report/chart"
	"scoville/report/number"
)

// Legend says how Bars is read.
const Legend = "### change   -+- its 95 % interval and mean   ~ the interval includes 0"

// maxBars is how many bars a picture has, past how far beyond them, and the two
// blanks after them, a value below them may reach.
const maxBars, past = 10, 4

// Bars draws bars from a line at 0, in the order of the picture. A bar is solid as
// far as its interval leaves no doubt. Bars beyond a few are left out, and counted.
func Bars(c *chart.Bars, width int) []string {
	width = fit(width)
	type bar struct {
		label, text string
		chart.Bar
	}
	var bars []bar
	label, text := 0, 0
	for _, r := range c.Rows {
		for _, b := range r.Bars {
			row := bar{strings.TrimSpace(r.Name + " " + b.Name), strings.TrimPrefix(b.Text, b.Name+": "), b}
			if len(bars) < maxBars {
				label, text = max(label, long(row.label)), max(text, long(row.text))
			}
			bars = append(bars, row)
		}
	}
	left := max(0, len(bars)-maxBars)
	bars = bars[:len(bars)-left]
	label, text = min(label, width*2/5), min(text, width/4)
	a := axis{cells: max(width-label-max(text, past)-4, 8)}
	var drawn []chart.Bar
	for _, b := range bars {
		drawn = append(drawn, b.Bar)
	}
	a.lo, a.hi = span(drawn)
	out := fold(c.Title, width)
	for _, b := range bars {
		cells := blank(label + 2 + a.cells + 2 + text)
		put(cells, 0, name(b.label, label))
		area := cells[label+2 : label+2+a.cells]
		a.bar(area, b.Bar)
		put(cells, label+2+a.cells+2, name(b.text, text))
		out = append(out, line(cells))
	}
	out = append(out, strings.Repeat(" ", label+2)+a.labels())
	if left > 0 {
		out = append(out, number.Plural(left, "smaller bar")+" left out")
	}
	return out
}

// span is the least and the largest value of an axis of bars: 0, every bar, and of
// intervals what is at most half as far again.
func span(bars []chart.Bar) (lo, hi float64) {
	for _, b := range bars {
		if !math.IsNaN(b.Value) {
			lo, hi = min(lo, b.Value), max(hi, b.Value)
		}
	}
	reach := 1.5 * max(hi, -lo)
	for _, b := range bars {
		if !math.IsNaN(b.Value) && !math.IsNaN(b.Lo) {
			lo, hi = min(lo, max(b.Lo, -reach)), max(hi, min(b.Hi, reach))
		}
	}
	if lo == hi {
		return lo - 1, hi + 1
	}
	return lo, hi
}

// bar draws one bar over the cells of the axis.
func (a axis) bar(cells []rune, b chart.Bar) {
	zero := a.at(0)
	defer func() { cells[zero] = '|' }()
	if math.IsNaN(b.Value) {
		return
	}
	lo, hi := b.Lo, b.Hi
	if math.IsNaN(lo) || math.IsNaN(hi) {
		lo, hi = b.Value, b.Value
	}
	sure := 0.0
	switch {
	case lo > 0:
		sure = lo
	case hi < 0:
		sure = hi
	}
	for i := min(zero, a.at(sure)); i <= max(zero, a.at(sure)); i++ {
		cells[i] = '#'
	}
	from, to := max(a.at(lo), 0), min(a.at(hi), len(cells)-1)
	if from == to { // narrower than a cell
		if b.Lo <= 0 && b.Hi >= 0 {
			return
		}
		cells[from] = '#'
		return
	}
	for i := from; i <= to; i++ {
		cells[i] = '-'
	}
	if b.Lo < a.lo && a.at(b.Lo) < 0 {
		cells[0] = '<'
	}
	if b.Hi > a.hi && a.at(b.Hi) >= len(cells) {
		cells[len(cells)-1] = '>'
	}
	cells[a.at(b.Value)] = '+'
}

// labels is the line of values below the bars, in percent, at round ones.
func (a axis) labels() string {
	cells := blank(a.cells + past + 2)
	each := step((a.hi - a.lo) / max(float64(a.cells)/7, 2))
	free := 0
	for k := math.Ceil(a.lo / each); k*each <= a.hi; k++ {
		text := short(k*each) + "%"
		if k == 0 {
			text = "0"
		}
		if from := a.at(k*each) - (long(text)-1)/2; from >= free || free == 0 {
			put(cells, max(from, 0), text)
			free = max(from, 0) + long(text) + 2
		}
	}
	return line(cells)
}
