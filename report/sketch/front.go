package sketch

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"scoville/report/number"
	"scoville/report/view"
	"scoville/sweep/results"
)

// high is how many lines the field of a front has, wide how far from its least
// value an axis must reach to be logarithmic, numbered how many members are.
const high, wide, numbered = 12, 20.0, 24

// dot is a point of the field.
type dot struct {
	x, y   float64
	member bool
	index  int
}

// Front draws the first two objectives of a study against each other: * and the
// number of a point that is on the front, a dot for one that another beats. nil
// where there are not two, or fewer than two points have both.
func Front(v *view.View, width int) []string {
	goals := v.Manifest.Objectives
	if len(goals) < 2 {
		return nil
	}
	dots, hidden := compared(v, goals[1].Metric, goals[0].Metric)
	if len(dots) < 2 {
		return nil
	}
	width = fit(width)
	var xs, ys []float64
	for _, d := range dots {
		xs, ys = append(xs, d.x), append(ys, d.y)
	}
	y := along(ys, high)
	margin := 0
	for _, row := range []int{0, high / 2, high - 1} {
		margin = max(margin, long(short(y.value(row))))
	}
	x := along(xs, width-margin-2)
	field, unnamed := plot(x, y, dots)
	out := slices.Concat(
		fold(fmt.Sprintf("%s (%s) against %s (%s)%s", goals[0].Metric, goals[0].Goal, goals[1].Metric, goals[1].Goal, beside(x, y)), width),
		fold("* on the front, with the number of its point   . another point is better"+more(len(goals)), width))
	for row := high - 1; row >= 0; row-- {
		value := ""
		if row == 0 || row == high-1 || row == high/2 {
			value = short(y.value(row))
		}
		out = append(out, strings.TrimRight(fmt.Sprintf("%*s |%s", margin, value, string(field[row])), " "))
	}
	out = append(out, strings.Repeat(" ", margin+1)+"+"+strings.Repeat("-", x.cells), strings.Repeat(" ", margin+2)+x.below(goals[1].Metric))
	for _, n := range notes(unnamed, hidden) {
		out = append(out, fold(n, width)...)
	}
	return out
}

// compared are the points that the study compared, and what of the others keeps
// them away.
func compared(v *view.View, x, y string) (dots []dot, hidden map[string]int) {
	hidden = map[string]int{}
	column := v.Points.Index("pareto")
	for i := range v.Points.Len() {
		member, known := v.Points.Bool(column, i)
		a, okA := v.Estimate(x, i)
		b, okB := v.Estimate(y, i)
		status, _ := v.Points.String(v.Points.Index("status"), i)
		switch {
		case status != results.OK:
			hidden[status]++
		case v.State(i) == view.Saturated:
			hidden["saturated"]++
		case !known || !okA || !okB:
			hidden["without a value"]++
		default:
			dots = append(dots, dot{a.Mean, b.Mean, member, v.Index(i)})
		}
	}
	return dots, hidden
}

// along is an axis over some values.
func along(values []float64, cells int) axis {
	a := axis{lo: slices.Min(values), hi: slices.Max(values), cells: cells}
	a.log = a.lo > 0 && a.hi/a.lo > wide
	if a.lo == a.hi {
		half := max(math.Abs(a.lo)/10, 1e-9)
		a.lo, a.hi = a.lo-half, a.hi+half
	}
	return a
}

// plot places the points, those on the front over the others, and their numbers
// where there is room. unnamed is how many of the front have none.
func plot(x, y axis, dots []dot) (field [high][]rune, unnamed int) {
	for row := range field {
		field[row] = blank(x.cells)
	}
	var members []dot
	for _, d := range dots {
		field[y.at(d.y)][x.at(d.x)] = '.'
		if d.member {
			members = append(members, d)
		}
	}
	for _, d := range members {
		field[y.at(d.y)][x.at(d.x)] = '*'
	}
	for k, d := range members {
		text := fmt.Sprint(d.index)
		row, at := field[y.at(d.y)], x.at(d.x)
		switch from, ok := free(row, at, len(text)); {
		case ok && k < numbered:
			put(row, from, text)
		default:
			unnamed++
		}
	}
	return field, unnamed
}

// free finds room for a text of n cells beside a cell: right of it, or left.
func free(row []rune, at, n int) (int, bool) {
	clear := func(from, to int) bool {
		for i := from; i < to; i++ {
			if i >= 0 && i < len(row) && row[i] != ' ' {
				return false
			}
		}
		return true
	}
	switch {
	case at+n < len(row) && clear(at+1, at+n+2):
		return at + 1, true
	case at-n >= 0 && clear(at-n-1, at):
		return at - n, true
	}
	return 0, false
}

// below is the line of values under the field, with the name of the axis.
func (a axis) below(name string) string {
	cells := blank(a.cells)
	left, right := short(a.lo), short(a.hi)
	put(cells, 0, left)
	put(cells, a.cells-long(right), right)
	if from := (a.cells - long(name)) / 2; from > long(left)+1 && from+long(name) < a.cells-long(right)-1 {
		put(cells, from, name)
	}
	return line(cells)
}

// beside says which axes are logarithmic.
func beside(x, y axis) string {
	switch {
	case x.log && y.log:
		return ", both logarithmic"
	case x.log:
		return ", the latter logarithmic"
	case y.log:
		return ", the former logarithmic"
	}
	return ""
}

// more says that a front of more objectives looks odd in two.
func more(n int) string {
	if n == 2 {
		return ""
	}
	return fmt.Sprintf("; the front is of %d objectives, seen in two", n)
}

// notes say what is not in the picture.
func notes(unnamed int, hidden map[string]int) (out []string) {
	if unnamed > 0 {
		out = append(out, number.Plural(unnamed, "point")+" of the front without room for a number")
	}
	var parts []string
	for _, why := range []string{"saturated", "infeasible", "failed", "timeout", "without a value"} {
		if n := hidden[why]; n > 0 {
			parts = append(parts, number.Grouped(n)+" "+why)
		}
	}
	if parts != nil {
		out = append(out, "not shown: "+strings.Join(parts, ", "))
	}
	return out
}
