// Package plots turns the plots that a study asks for, or that its one axis
// suggests, into charts of its points. It warns of what a chart folds and
// never shows the mean of a growing queue as a steady value.
package plots

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"scoville/core/table"
	"scoville/report/chart"
	"scoville/report/factors"
	"scoville/report/view"
	"scoville/sweep/results"
)

// Plot is a chart with what a reader must know.
type Plot struct {
	Name  string // of the file, without .svg
	X, Y  string // what is drawn; of changes from a baseline Y alone
	Chart *chart.Chart
	Bars  *chart.Bars // in place of Chart
	Cross []chart.Crossing
	Notes []string // also below the chart, but for why it is not drawn
	Err   error    // why there is no chart

	swept, whole bool // x is an axis of the study, of whole numbers
}

// Names lists the columns that the plots of a study need.
func Names(spec []results.Plot) []string {
	var out []string
	for _, p := range spec {
		out = append(out, p.X, p.Y, p.Mark)
		out = append(out, p.Series...)
	}
	return out
}

// All makes the plots that the study asks for; without any, those of the main
// metrics against the only numeric axis.
func All(v *view.View, main []string) []Plot {
	spec := v.Manifest.Report.Plots
	if len(spec) == 0 {
		spec = suggested(v, main)
	}
	var out []Plot
	for _, s := range spec {
		p := Plot{Name: fileName(s.Name), X: s.X, Y: s.Y}
		if p.Err = p.draw(v, s); p.Err != nil {
			p.Chart = nil
		}
		out = append(out, p)
	}
	for _, p := range factors.Bars(v, main) {
		out = append(out, Plot{Name: fileName(p.Name), Bars: p.Bars, Notes: p.Bars.Notes})
	}
	return append(out, tornados(v, main)...)
}

// Title is what is drawn; "" where nothing is.
func (p *Plot) Title() string {
	switch {
	case p.Bars != nil:
		return p.Bars.Title
	case p.Chart != nil:
		return p.Chart.Title
	}
	return ""
}

// SVG draws the picture; nil where there is none.
func (p *Plot) SVG() []byte {
	switch {
	case p.Bars != nil:
		return p.Bars.SVG()
	case p.Chart != nil:
		return p.Chart.SVG()
	}
	return nil
}

// fileName keeps a name inside its folder.
func fileName(name string) string {
	return strings.Map(func(c rune) rune {
		if c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '-' || c == '_' {
			return c
		}
		return '_'
	}, name)
}

// maxPoints and maxMarks bound a picture.
const maxPoints, maxMarks = 4000, 7

// draw makes the chart of one plot.
func (p *Plot) draw(v *view.View, s results.Plot) error {
	for _, name := range append([]string{s.X, s.Y, s.Mark}, s.Series...) {
		if _, ok := v.Column(name); !ok && name != "" {
			return fmt.Errorf("the results have no axis or metric %q", name)
		}
	}
	points, err := v.Find(s.Where)
	if err != nil {
		return err
	}
	if len(points) > maxPoints {
		p.note("the first %d of %d points are drawn", maxPoints, len(points))
		points = points[:maxPoints]
	}
	x, _ := v.Column(s.X)
	y, _ := v.Column(s.Y)
	if !view.Numeric(y) {
		return fmt.Errorf("y = %q is no number", s.Y)
	}
	p.swept, p.whole = x.Path != "", x.Kind == table.Int64
	c := &chart.Chart{Title: s.Title, X: axis(x), Y: axis(y)}
	if c.Title == "" {
		c.Title = fmt.Sprintf("%s against %s", y.Name, x.Name)
	}
	c.X.Log, c.Y.Log = s.Scale == "log-x" || s.Scale == "log-log", s.Scale == "log-y" || s.Scale == "log-log"
	b := &builder{v: v, spec: s, x: x, chart: c, plot: p}
	b.lines(points)
	if len(c.Lines) == 0 {
		return fmt.Errorf("no point has a value of both %s and %s", s.X, s.Y)
	}
	var names []string
	for _, name := range s.Series {
		column, _ := v.Column(name)
		names = append(names, column.Heading())
	}
	c.Legend = [2]string{strings.Join(names, ", "), s.Mark}
	for _, h := range s.HLine {
		c.Levels = append(c.Levels, chart.Level{Y: h.Y, Label: h.Label})
	}
	if s.Crossings {
		p.cross(c)
	}
	c.Notes, p.Chart = p.Notes, c
	return nil
}

func (p *Plot) note(format string, args ...any) {
	p.Notes = append(p.Notes, fmt.Sprintf(format, args...))
}

func (p *Plot) cross(c *chart.Chart) {
	found := c.Crossings()
	for i, f := range found {
		again := i > 0 && slices.ContainsFunc(p.Cross, func(o chart.Crossing) bool { return o.A == f.A && o.B == f.B && o.From == f.From })
		if f.Sure && !again {
			p.Cross = append(p.Cross, f)
		}
	}
	if n := len(found) - len(p.Cross); n > 0 {
		p.note("%s inside the 95 %% intervals of the lines: not resolved, not marked", crossings(n))
	}
	c.Cross = p.Cross
}

func axis(c table.Column) chart.Axis {
	if c.Unit == "" {
		return chart.Axis{Label: c.Heading()}
	}
	return chart.Axis{Label: c.Heading() + " (" + c.Unit + ")"}
}

// builder gathers the points of a chart.
type builder struct {
	v     *view.View
	spec  results.Plot
	x     table.Column
	chart *chart.Chart
	plot  *Plot

	hollow, absent, unplaced int
}

// lines makes a line per value of the series, in the order of the plan.
func (b *builder) lines(points []int) {
	groups := map[string][]int{}
	var names []string
	for _, i := range points {
		name := b.series(i)
		if groups[name] == nil {
			names = append(names, name)
		}
		groups[name] = append(groups[name], i)
	}
	if n := len(names); n > chart.MaxLines {
		b.plot.note("the first %d of %d lines are drawn", chart.MaxLines, n)
		names = names[:chart.MaxLines]
	}
	along := b.along(points, groups)
	if !view.Numeric(b.x) {
		b.words(points)
	} else if b.x.Path != "" {
		b.ticks(points)
	}
	b.marks(points)
	drawn := 0
	for _, name := range names {
		members := groups[name]
		b.sort(members, along)
		l := chart.Line{Name: name, Loose: along == ""}
		for _, i := range members {
			if p, ok := b.point(i); ok {
				l.Points = append(l.Points, p)
				if !math.IsNaN(p.Y) {
					drawn++
				}
			}
		}
		b.chart.Lines = append(b.chart.Lines, l)
	}
	if len(names) == 1 && along == b.x.Name {
		b.forecast(groups[names[0]])
	}
	if drawn == 0 {
		b.chart.Lines = nil
	}
	b.warn()
}

// series names the line of a point.
func (b *builder) series(i int) string {
	var words []string
	for _, name := range b.spec.Series {
		words = append(words, word(b.v.Value(name, i)))
	}
	return strings.Join(words, ", ")
}

func word(value any) string {
	switch v := value.(type) {
	case nil:
		return "-"
	case float64:
		return chart.Number(v)
	}
	return fmt.Sprint(value)
}

// along returns the column whose values order the points of a line: the axis
// of numbers that moves along it where x is a metric, else x. "" where a line has several points
// at one value of each: those are folded, and points are not joined.
func (b *builder) along(points []int, groups map[string][]int) string {
	var rest []table.Column // axes that move along a line
	for _, c := range b.v.Independent(points) {
		named := c.Name == b.x.Name || slices.ContainsFunc(b.spec.Series, func(name string) bool { s, _ := b.v.Column(name); return s.Name == c.Name })
		if !named && b.moves(c, groups) {
			rest = append(rest, c)
		}
	}
	var candidates []table.Column
	if b.x.Path == "" {
		candidates = slices.DeleteFunc(slices.Clone(rest), func(c table.Column) bool { return !view.Numeric(c) })
	}
	if b.x.Path != "" || len(rest) < 2 {
		candidates = append(candidates, b.x)
	}
	if others := b.sampled(groups); len(others) > 0 {
		b.plot.note("%s %s too from point to point, as drawn by [sample]: a point is one draw of all, and points are not joined", strings.Join(others, ", "), vary(len(others)))
		return ""
	}
	for _, c := range candidates {
		if b.tells(c, groups) {
			return c.Name
		}
	}
	var names []string
	for _, c := range rest {
		names = append(names, c.Heading())
	}
	if b.x.Path == "" && names != nil {
		b.plot.note("folds %s, which %s from point to point: points are not joined", strings.Join(names, ", "), vary(len(names)))
		return ""
	}
	if names == nil {
		names = []string{"points of equal axes"}
	}
	b.plot.note("folds %s, which %s: a line has several points at one %s and is not joined", strings.Join(names, ", "), vary(len(names)), b.x.Name)
	return ""
}

// sampled are the parameters of a sampled design that move along a line beside
// x and what makes the lines.
func (b *builder) sampled(groups map[string][]int) (out []string) {
	if b.v.Manifest.Sample == nil {
		return nil
	}
	for _, d := range b.v.Manifest.Sample.Dims {
		c, ok := b.v.Column(d.Path)
		named := c.Name == b.x.Name || slices.ContainsFunc(b.spec.Series, func(name string) bool { s, _ := b.v.Column(name); return s.Name == c.Name })
		if ok && !named && b.moves(c, groups) {
			out = append(out, c.Heading())
		}
	}
	return out
}

// moves reports whether a column has several values on some line.
func (b *builder) moves(c table.Column, groups map[string][]int) bool {
	for _, members := range groups {
		if slices.ContainsFunc(members, func(i int) bool { return b.v.Value(c.Name, i) != b.v.Value(c.Name, members[0]) }) {
			return true
		}
	}
	return false
}

// tells reports whether a column tells all points of each line apart.
func (b *builder) tells(c table.Column, groups map[string][]int) bool {
	for _, members := range groups {
		seen := map[any]bool{}
		for _, i := range members {
			if v := b.v.Value(c.Name, i); v != nil && seen[v] {
				return false
			} else {
				seen[v] = true
			}
		}
	}
	return true
}

func vary(n int) string {
	if n == 1 {
		return "varies"
	}
	return "vary"
}

// sort orders the points of a line by a column; words stay in the plan's order.
func (b *builder) sort(members []int, along string) {
	slices.SortStableFunc(members, func(i, j int) int {
		x, ok := b.v.Estimate(along, i)
		y, ok2 := b.v.Estimate(along, j)
		if !ok || !ok2 {
			return 0
		}
		return cmp.Compare(x.Mean, y.Mean)
	})
}

// words lays out an x axis of words.
func (b *builder) words(points []int) {
	for _, i := range points {
		if w := word(b.v.Value(b.spec.X, i)); !slices.Contains(b.chart.X.Words, w) {
			b.chart.X.Words = append(b.chart.X.Words, w)
		}
	}
	b.chart.X.Log = false
}

// maxTicks is how many values of an axis are labelled themselves.
const maxTicks = 12

func (b *builder) ticks(points []int) {
	var ticks []float64
	for _, i := range points {
		if e, ok := b.v.Estimate(b.spec.X, i); ok && !slices.Contains(ticks, e.Mean) {
			if len(ticks) == maxTicks {
				return
			}
			ticks = append(ticks, e.Mean)
		}
	}
	b.chart.X.Ticks = ticks
}

// marks lists the shapes of the markers.
func (b *builder) marks(points []int) {
	if b.spec.Mark == "" {
		return
	}
	var names []string
	for _, i := range points {
		if w := word(b.v.Value(b.spec.Mark, i)); b.v.OK(i) && !slices.Contains(names, w) {
			names = append(names, w)
		}
	}
	if len(names) > maxMarks {
		b.plot.note("%s has %d values, more than shapes: not marked", b.spec.Mark, len(names))
		return
	}
	for _, n := range names {
		b.chart.Marks = append(b.chart.Marks, chart.MarkStyle{Name: n, Tone: b.tone(n)})
	}
}

// point places point i; one without a value interrupts its line.
func (b *builder) point(i int) (chart.Point, bool) {
	p := chart.Point{X: math.NaN(), Y: math.NaN(), Lo: math.NaN(), Hi: math.NaN(), Ref: strconv.Itoa(b.v.Index(i))}
	if len(b.chart.X.Words) > 0 {
		p.X = float64(slices.Index(b.chart.X.Words, word(b.v.Value(b.spec.X, i))))
	} else if x, ok := b.v.Estimate(b.spec.X, i); ok {
		p.X = x.Mean
	}
	y, ok := b.v.Estimate(b.spec.Y, i)
	if !ok || math.IsNaN(p.X) {
		b.absent++
		return p, true
	}
	if b.chart.X.Log && p.X <= 0 || b.chart.Y.Log && y.Mean <= 0 {
		b.unplaced++
		return p, false
	}
	p.Y, p.Lo, p.Hi = y.Mean, y.Lo, y.Hi
	if len(b.chart.Marks) > 0 {
		p.Mark = word(b.v.Value(b.spec.Mark, i))
	}
	if p.Hollow = b.v.State(i) == view.Saturated; p.Hollow {
		b.hollow++
	}
	return p, true
}

// warn says what the picture leaves out or must not be read as.
func (b *builder) warn() {
	if b.hollow > 0 {
		b.plot.note("hollow and dotted: saturated (%s), no steady value: the queue grows as long as the run lasts; at the edge where beyond the axis", points(b.hollow))
	}
	if b.absent > 0 {
		b.plot.note("%s without a value: infeasible, failed, or not defined there", points(b.absent))
	}
	if b.unplaced > 0 {
		b.plot.note("%s at or below 0 have no place on a logarithmic axis", points(b.unplaced))
	}
}

func points(n int) string {
	if n == 1 {
		return "1 point"
	}
	return fmt.Sprintf("%d points", n)
}

func crossings(n int) string {
	if n == 1 {
		return "1 crossing lies"
	}
	return fmt.Sprintf("%d crossings lie", n)
}
