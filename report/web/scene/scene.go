// Package scene makes the pictures of the points of a study: latencies against
// the load, the hit rate of an on-chip store, heat maps, fronts, a line for each
// point across all axes. It chooses what is drawn and says what a picture leaves
// out; it draws nothing.
package scene

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"scoville/core/table"
	"scoville/report/number"
	"scoville/report/page"
	"scoville/report/verdict"
	"scoville/report/view"
)

// Scene is the points of a study as pictures show them.
type Scene struct {
	V       *view.View
	Metrics []table.Column // the most important first
	All     []int          // every point
	Axes    []table.Column // that say something of their own
	Changes bool           // one at a time

	charted map[string]bool // x and y
	used    map[int]bool    // points that a picture refers to
}

// New looks at the points.
func New(v *view.View, metrics []table.Column) *Scene {
	m := &Scene{V: v, Metrics: metrics, charted: map[string]bool{}, used: map[int]bool{}}
	for i := range v.Points.Len() {
		m.All = append(m.All, i)
		m.Changes = m.Changes || v.Value("oat_path", i) != nil
	}
	m.Axes = v.Independent(m.All)
	return m
}

// Charted reports whether a picture of y against x was made.
func (m *Scene) Charted(x, y string) bool { return m.charted[x+" "+y] }

// Used reports whether a picture refers to point i.
func (m *Scene) Used(i int) bool { return m.used[i] }

// Ref is the key of point i.
func (m *Scene) Ref(i int) string {
	m.used[i] = true
	return strconv.Itoa(m.V.Index(i))
}

// heading is a column as an axis.
func heading(c table.Column) page.Axis {
	return page.Axis{Label: c.Heading(), Unit: UnitOf(c), Better: c.Better, Lost: Lost(c)}
}

// Lost reports whether a saturated point has no value of a column: it has its
// axes, the load that is offered, and the throughput that the machine keeps up.
func Lost(c table.Column) bool {
	return c.Path == "" && c.Unit != "req/s" && c.Unit != "tok/s" && !verdict.HoldsAnyway[c.Name]
}

// UnitOf is the unit of a column; "" for ratios, which have none, and where the
// name ends in it.
func UnitOf(c table.Column) string {
	if c.Unit == "ratio" {
		return ""
	}
	return c.Unit
}

// Word is a value as a name, of a long fraction six digits.
func Word(x any) string {
	switch f, ok := x.(float64); {
	case !ok:
	case f == math.Trunc(f) && math.Abs(f) < 1e15:
		return strconv.FormatFloat(f, 'f', 0, 64)
	case math.Abs(f) < 1e6 && math.Abs(f) >= 1e-4:
		f, _ = strconv.ParseFloat(strconv.FormatFloat(f, 'g', 6, 64), 64)
		return number.Plain(f)
	}
	return number.Plain(x)
}

// At names the values of columns at point i.
func (m *Scene) At(columns []table.Column, i int) string {
	var out []string
	for _, c := range columns {
		if x := m.V.Value(c.Name, i); x != nil {
			out = append(out, c.Heading()+" = "+Word(x))
		}
	}
	return strings.Join(out, ", ")
}

// Mean is a metric of point i as text, with its interval and unit.
func (m *Scene) Mean(c table.Column, i int) string {
	e, ok := m.V.Estimate(c.Name, i)
	if !ok {
		return "-"
	}
	text := number.Significant(e.Mean)
	if e.Hi-e.Mean >= 0 {
		text = number.WithHalf(e.Mean, e.Hi-e.Mean)
	}
	if u := UnitOf(c); u != "" {
		text += " " + u
	}
	return text
}

// Told is Mean for a sentence: an interval that is larger than its mean is said
// in words.
func (m *Scene) Told(c table.Column, i int) string {
	e, ok := m.V.Estimate(c.Name, i)
	half := e.Hi - e.Mean
	if !ok || !(half > 0 && half >= math.Abs(e.Mean)) {
		return m.Mean(c, i)
	}
	unit := ""
	if u := UnitOf(c); u != "" {
		unit = " " + u
	}
	return fmt.Sprintf("%s%s, uncertain by more than that (± %s%s)", number.Significant(e.Mean), unit, number.Significant(half), unit)
}

// Usable reports whether a value of point i may be relied on.
func (m *Scene) Usable(i int) bool { return m.V.OK(i) && m.V.State(i) != view.Saturated }

// Spread is the usable points with the least and the largest value of a metric,
// of equal ones those that the other metrics call the best, or the first; false
// where there are none.
func (m *Scene) Spread(metric string, points []int) (least, most int, ok bool) {
	least, most = -1, -1
	var lo, hi float64
	for _, i := range points {
		e, known := m.V.Estimate(metric, i)
		if !known || !m.Usable(i) {
			continue
		}
		if least < 0 || e.Mean < lo {
			least, lo = i, e.Mean
		}
		if most < 0 || e.Mean > hi {
			most, hi = i, e.Mean
		}
	}
	if least < 0 {
		return -1, -1, false
	}
	c, _ := m.V.Column(metric)
	c.Name = metric
	for _, i := range []*int{&least, &most} {
		*i = m.equal(c, *i, points)[0]
	}
	return least, most, true
}

// equal are the usable points that have the value of point i, the best by the
// other metrics first.
func (m *Scene) equal(c table.Column, i int, points []int) (out []int) {
	of, _ := m.V.Estimate(c.Name, i)
	for _, k := range points {
		if e, known := m.V.Estimate(c.Name, k); known && m.Usable(k) && view.Equal(e.Mean, of.Mean) {
			out = append(out, k)
		}
	}
	m.V.Rank(out, m.V.Deciders(c, m.Metrics)[1:])
	return out
}

// Tied says how many points have the value of point i, which Spread gave for a
// metric, and why it is the one that is named; "" where it stands alone.
func (m *Scene) Tied(c table.Column, i int, points []int) string {
	n, next := m.V.Ties(m.equal(c, i, points), c, m.Metrics)
	if n < 2 {
		return ""
	}
	return fmt.Sprintf(" (%s the first of %s equal points)", next, number.Grouped(n))
}

// ranges is the sentence below a picture of a metric over points.
func (m *Scene) ranges(c table.Column, points []int) string {
	a, b, ok := m.Spread(c.Name, points)
	if !ok {
		return "no point has a value that may be relied on"
	}
	if m.Mean(c, a) == m.Mean(c, b) {
		return fmt.Sprintf("%s is %s everywhere", c.Name, m.Mean(c, a))
	}
	place := m.Place
	if len(m.Axes) > maxNamed {
		place = func(i int) string { return fmt.Sprintf("point %d", m.V.Index(i)) }
	}
	return fmt.Sprintf("lowest %s at %s%s; highest %s at %s%s", m.Told(c, a), place(a), m.Tied(c, a, points), m.Told(c, b), place(b), m.Tied(c, b, points))
}

// maxNamed is how many axes name a point.
const maxNamed = 4

// Place names a point by its axes, or its number.
func (m *Scene) Place(i int) string {
	if len(m.Axes) == 0 {
		return fmt.Sprintf("point %d", m.V.Index(i))
	}
	if len(m.Axes) > maxNamed {
		return fmt.Sprintf("point %d (%s, …)", m.V.Index(i), m.At(m.Axes[:maxNamed], i))
	}
	return m.At(m.Axes, i)
}

// Mark notes that a chart refers to a point.
func (m *Scene) Mark(ref string) {
	if n, err := strconv.Atoi(ref); err == nil {
		if i, ok := m.row(n); ok {
			m.used[i] = true
		}
	}
}

// row is the row of the point with a number in the plan.
func (m *Scene) row(index int) (int, bool) {
	lo, hi := 0, len(m.All)
	for lo < hi {
		if mid := (lo + hi) / 2; m.V.Index(mid) < index {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	return lo, lo < len(m.All) && m.V.Index(lo) == index
}

var states = map[view.State]string{view.Steady: "steady", view.Saturated: "saturated", view.Unjudged: "not judged", view.Bounded: "closed loop or burst"}

func Named(c table.Column) string {
	if u := UnitOf(c); u != "" {
		return c.Heading() + " (" + u + ")"
	}
	return c.Heading()
}

func Said(x any) string {
	if x == nil {
		return ""
	}
	return Word(x)
}

func (m *Scene) State(i int) string {
	if !m.V.OK(i) {
		status, _ := m.V.Points.String(m.V.Points.Index("status"), i)
		return status
	}
	return states[m.V.State(i)] + m.V.Dropped(i)
}
