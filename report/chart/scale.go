package chart

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// scale is what an axis spans.
type scale struct {
	axis   *Axis
	lo, hi float64 // scaled ends
	length float64 // in points

	low, high float64 // the smallest and largest of the values, scaled
}

// along is how far from its beginning a value lies on the axis, in points.
func (s *scale) along(v float64) float64 {
	return (s.axis.scaled(v) - s.lo) / (s.hi - s.lo) * s.length
}

// inside scales a value and keeps it between the ends of the axis.
func (s *scale) inside(v float64) float64 { return clamp(s.axis.scaled(v), s.lo, s.hi) }

// mark makes an axis of a plot that has this scale, with labels at least room
// points apart. Logarithms are taken before: the plot's own scale is linear.
func (s *scale) mark(a *plot.Axis, label string, room float64) {
	a.Min, a.Max, a.Padding = s.lo, s.hi, 0
	a.Label.Text, a.Label.TextStyle.Font = printable(label), plain().Font
	a.Label.Padding = 3
	a.Tick.Label.Font, a.Tick.Label.Color = plain().Font, grey
	a.LineStyle.Color, a.Tick.LineStyle.Color, a.Tick.Length = grey, grey, 4
	labels := s.ticks(room)
	if len(s.axis.Words) > 0 {
		labels = s.words(&a.Tick.Label, labels)
	}
	var ticks plot.ConstantTicks
	for _, t := range labels {
		ticks = append(ticks, plot.Tick{Value: s.axis.scaled(t.value), Label: t.label})
	}
	a.Tick.Marker = ticks
}

// words fits the labels of an axis of words: side by side where all have room, else
// on end, and then as many as have room.
func (s *scale) words(style *text.Style, ticks []tick) []tick {
	each := vg.Length(s.length / float64(len(ticks)))
	const upright = 110
	if slices.ContainsFunc(ticks, func(t tick) bool { return style.Width(printable(t.label)) > each-6 }) {
		style.Rotation, style.XAlign, style.YAlign = math.Pi/2, draw.XRight, draw.YCenter
	}
	every := int(math.Ceil(float64(lineHeight / each)))
	for i, t := range ticks {
		if ticks[i].label = fit(t.label, *style, upright); i%every > 0 {
			ticks[i].label = ""
		}
	}
	return ticks
}

// huge bounds what an axis spans, so that the span is a number.
const huge = 1e300

// fromZero is the share of the largest value below which the smallest makes an axis
// begin at 0.
const fromZero = 0.6

// begin makes a linear axis of positive values that reach far down start at 0.
func (s *scale) begin() {
	if !s.axis.Log && s.low > 0 && s.low < fromZero*s.high {
		s.lo = 0
	}
}

// newScale spans the values with a margin, which does not reach below 0 where they
// do not.
func newScale(axis *Axis, values []float64, length float64) scale {
	s := scale{axis: axis, lo: math.Inf(1), hi: math.Inf(-1), length: length}
	for _, v := range values {
		if x := axis.scaled(v); !math.IsNaN(x) && !math.IsInf(x, 0) {
			x = clamp(x, -huge, huge)
			s.lo, s.hi = min(s.lo, x), max(s.hi, x)
		}
	}
	switch {
	case len(axis.Words) > 0:
		s.lo, s.hi = -0.5, float64(len(axis.Words))-0.5
		return s
	case s.lo > s.hi:
		s.lo, s.hi = 0, 1
		return s
	case s.hi-s.lo <= 1e-12*max(math.Abs(s.lo), math.Abs(s.hi)):
		half := 0.3 // a factor of 2 up and down
		if !axis.Log {
			half = max(math.Abs(s.lo)/2, 1e-300)
			if s.lo == 0 {
				half = 1
			}
		}
		s.lo, s.hi = s.lo-half, s.hi+half
		return s
	}
	s.low, s.high = s.lo, s.hi
	margin := 0.05 * (s.hi - s.lo)
	s.lo, s.hi = s.lo-margin, s.hi+margin
	switch {
	case axis.Log || s.low < 0 || s.lo >= 0:
	case s.low == 0:
		s.lo = -margin / 2
	default:
		s.lo = 0
	}
	return s
}

// tick is a labelled place of an axis; without a label only a line.
type tick struct {
	value float64
	label string
}

// ticks chooses labelled places at least room points apart.
func (s *scale) ticks(room float64) []tick {
	if len(s.axis.Words) > 0 {
		var out []tick
		for i, w := range s.axis.Words {
			out = append(out, tick{float64(i), w})
		}
		return out
	}
	if given := s.given(room); given != nil {
		return given
	}
	n := max(2, int(s.length/room))
	if s.axis.Log {
		return s.logTicks(0.8 * room)
	}
	return s.linearTicks(n)
}

// given returns the wanted ticks if all have room.
func (s *scale) given(room float64) []tick {
	if len(s.axis.Ticks) < 2 {
		return nil
	}
	var out []tick
	last := math.Inf(-1)
	for _, v := range slices.Sorted(slices.Values(s.axis.Ticks)) {
		at := s.along(v)
		if math.IsNaN(at) || at-last < 0.8*room {
			return nil
		}
		out, last = append(out, tick{v, Number(v)}), at
	}
	return out
}

// linearTicks are multiples of 1, 2 or 5 times a power of ten, at most n.
func (s *scale) linearTicks(n int) []tick {
	lo, hi := s.axis.unscaled(s.lo), s.axis.unscaled(s.hi)
	step := math.Pow(10, math.Floor(math.Log10((hi-lo)/float64(n))))
	for _, f := range []float64{1, 2, 5, 10} {
		if (hi-lo)/(f*step) <= float64(n) {
			step *= f
			break
		}
	}
	var out []tick
	for k := math.Ceil(lo/step - 1e-9); k*step <= hi+1e-9*step; k++ {
		v, _ := strconv.ParseFloat(strconv.FormatFloat(k*step, 'g', 12, 64), 64)
		out = append(out, tick{v, Number(v)})
	}
	for i := range out[min(1, len(out)):] {
		if out[i].label == out[i+1].label {
			return exact(out, step)
		}
	}
	return out
}

// exact labels ticks that differ in digits that Number leaves out.
func exact(ticks []tick, step float64) []tick {
	for i, t := range ticks {
		ticks[i].label = strconv.FormatFloat(t.value, 'f', int(clamp(math.Ceil(-math.Log10(step)-1e-9), 0, 12)), 64)
		if math.Abs(t.value) >= 1e12 {
			ticks[i].label = strconv.FormatFloat(t.value, 'g', 12, 64)
		}
	}
	return ticks
}

// tiers are the multiples of powers of ten that get a label where there is
// room, most wanted first; those of finer only where there are few labels.
var (
	tiers = [][]float64{{1}, {2, 5}, {3}, {1.5}, {4, 6, 8}}
	finer = []float64{7, 2.5, 1.2, 1.8}
)

// fewLabels is how many labels an axis has at least, where there is room.
const fewLabels = 4

// logTicks label round values of a logarithmic axis; within less than half a
// decade they are those of a linear one.
func (s *scale) logTicks(room float64) []tick {
	n := max(2, int(s.length/room))
	if s.hi-s.lo < 0.5 {
		return s.linearTicks(n)
	}
	every := max(1, int(math.Ceil((s.hi-s.lo)/float64(n))))
	var out []tick
	place := func(f float64, labelled bool) {
		for e := math.Floor(s.lo); e <= s.hi; e++ {
			v, _ := strconv.ParseFloat(strconv.FormatFloat(f*math.Pow(10, e), 'g', 12, 64), 64)
			if x := math.Log10(v); x < s.lo-1e-9 || x > s.hi+1e-9 || f == 1 && int(e)%every != 0 || f > 1 && every > 1 {
				continue
			}
			near := slices.IndexFunc(out, func(t tick) bool { return t.label != "" && math.Abs(s.along(t.value)-s.along(v)) < room })
			switch {
			case labelled && near < 0:
				out = append(out, tick{v, Number(v)})
			case !labelled && !slices.ContainsFunc(out, func(t tick) bool { return t.value == v }):
				out = append(out, tick{value: v})
			}
		}
	}
	for _, tier := range tiers {
		for _, f := range tier {
			place(f, true)
		}
	}
	for _, f := range finer {
		if len(out) < fewLabels {
			place(f, true)
		}
	}
	for f := 1.0; f < 10; f++ {
		place(f, false)
	}
	slices.SortFunc(out, func(a, b tick) int { return cmp.Compare(a.value, b.value) })
	return out
}

// Number prints a value as axes and crossings show it: four significant
// digits, whole ones below a million, with commas; M and G from there on.
func Number(v float64) string {
	if v == 0 {
		return "0"
	}
	a := math.Abs(v)
	if a < 1e-4 || a >= 1e12 {
		return strconv.FormatFloat(v, 'g', 4, 64)
	}
	for _, u := range []struct {
		size float64
		name string
	}{{1e9, "G"}, {1e6, "M"}} {
		if a >= u.size {
			return digits(v/u.size) + u.name
		}
	}
	s := digits(v)
	if a >= 1000 {
		s = digits(math.Round(v))
		s = s[:len(s)-3] + "," + s[len(s)-3:]
	}
	return s
}

// digits prints four significant digits without an exponent or trailing zeros.
func digits(v float64) string {
	s := strconv.FormatFloat(v, 'f', max(0, 3-int(math.Floor(math.Log10(math.Abs(v))))), 64)
	if strings.Contains(s, ".") {
		s = strings.TrimRight(strings.TrimRight(s, "0"), ".")
	}
	return s
}
