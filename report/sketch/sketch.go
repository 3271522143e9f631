// Package sketch draws a report's pictures in characters, for terminals and for
// texts that are pasted: what each parameter does to a metric, and two objectives
// against each other. It writes ASCII only, in the colour of the text around it,
// and reads no file.
package sketch

import (
	"math"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Usual is the width of a text that goes to no terminal; a picture is never
// wider than most, nor narrower than least.
const (
	Usual = 80
	most  = 100
	least = 40
)

// fit is the width of a picture for a terminal of some width; 0 = no terminal.
func fit(width int) int {
	if width <= 0 {
		width = Usual
	}
	return min(max(width, least), most)
}

// axis places values on cells, the first of which is 0.
type axis struct {
	lo, hi float64
	cells  int
	log    bool
}

// at is the cell of a value, in or beyond the axis.
func (a axis) at(x float64) int {
	lo, hi := a.lo, a.hi
	if a.log {
		x, lo, hi = math.Log(x), math.Log(lo), math.Log(hi)
	}
	if hi == lo {
		return a.cells / 2
	}
	return int(math.Round((x - lo) / (hi - lo) * float64(a.cells-1)))
}

// value is what a cell stands for.
func (a axis) value(cell int) float64 {
	share := float64(cell) / float64(a.cells-1)
	if a.log {
		return a.lo * math.Pow(a.hi/a.lo, share)
	}
	return a.lo + share*(a.hi-a.lo)
}

// step is a round distance of labels, at least so many values apart.
func step(apart float64) float64 {
	power := math.Pow(10, math.Floor(math.Log10(apart)))
	for _, s := range []float64{1, 2, 5} {
		if s*power >= apart {
			return s * power
		}
	}
	return 10 * power
}

// short prints a value of an axis: three digits mean more than a cell does.
func short(x float64) string {
	x, _ = strconv.ParseFloat(strconv.FormatFloat(x, 'e', 2, 64), 64)
	if a := math.Abs(x); a != 0 && (a < 1e-4 || a >= 1e7) {
		return strconv.FormatFloat(x, 'g', 3, 64)
	}
	return strconv.FormatFloat(x, 'f', -1, 64)
}

// put writes text over cells from one on, as far as there are cells.
func put(cells []rune, from int, text string) {
	for i, c := range []rune(text) {
		if at := from + i; at >= 0 && at < len(cells) {
			cells[at] = c
		}
	}
}

// blank is so many cells.
func blank(n int) []rune { return []rune(strings.Repeat(" ", n)) }

// line is cells without those at the end that are empty.
func line(cells []rune) string { return strings.TrimRight(string(cells), " ") }

// name shortens a name in its midst.
func name(s string, width int) string {
	r := []rune(s)
	if len(r) <= width {
		return s
	}
	head := (width - 2) / 2
	return string(r[:head]) + ".." + string(r[len(r)-(width-2-head):])
}

// gap is between the entries of a legend.
const gap = "   "

// fold breaks the text around a picture where it is wider: between entries, or
// at blanks.
func fold(s string, width int) (out []string) {
	for long(s) > width {
		head := string([]rune(s)[:width+1])
		cut := strings.LastIndex(head, gap)
		if cut < 0 {
			cut = strings.LastIndex(head, " ")
		}
		if cut <= 0 {
			break // one word
		}
		out, s = append(out, s[:cut]), strings.TrimLeft(s[cut:], " ")
	}
	return append(out, name(s, width))
}

func long(s string) int { return utf8.RuneCountInString(s) }
