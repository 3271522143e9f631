package plots

import (
	"fmt"
	"math"
	"path"
	"strings"

	"scoville/report/chart"
)

// fewCrossings and maxCrossings are how many crossings of a plot a terminal
// and report.md list.
const fewCrossings, maxCrossings = 4, 24

// Crossings says where the lines of a plot cross.
func (p *Plot) Crossings() []string { return p.crossings(maxCrossings) }

func (p *Plot) crossings(most int) []string {
	var out []string
	for i, c := range p.Cross {
		if i == most {
			out = append(out, fmt.Sprintf("%d more crossings", len(p.Cross)-i))
			break
		}
		out = append(out, p.crossing(&c))
	}
	return out
}

// crossing says where two lines cross: between which points, and only where they
// are close, at which value. Elsewhere it says what would place it.
func (p *Plot) crossing(c *chart.Crossing) string {
	x, y := c.Place()
	from, to := chart.Number(c.From), chart.Number(c.To)
	if c.Narrow() {
		return fmt.Sprintf("%s is below %s up to %s = %s (%s = %s), above it beyond: apart at %s and %s", c.A, c.B, p.X, x, p.Y, y, from, to)
	}
	s := fmt.Sprintf("%s and %s cross between %s = %s and %s (about %s by a straight line, %s about %s): %s is below before, above beyond", c.A, c.B, p.X, from, to, x, p.Y, y, c.A)
	if advice := p.advice(c); advice != "" {
		s += "; to place it, " + advice
	}
	return s
}

// fewLevels is how many levels an advice names.
const fewLevels = 4

// advice says what would place a crossing: more replicates of the points between
// that do not part, or levels between where there are none.
func (p *Plot) advice(c *chart.Crossing) string {
	inside := words(c.Inside)
	if n := len(c.Inside) - fewLevels; n > 0 {
		inside = fmt.Sprintf("%s and %d more", strings.Join(numbers(c.Inside[:fewLevels]), ", "), n)
	}
	switch {
	case c.Inside != nil && p.swept:
		return fmt.Sprintf("run more replicates at %s, where the intervals overlap", inside)
	case c.Inside != nil:
		return "run more replicates of the points between, whose intervals overlap"
	case !p.swept:
		return "simulate points between"
	}
	between := words(levels(c, p.Chart.X.Log, p.whole))
	if between == "" {
		return ""
	}
	return "simulate " + between
}

// levels are two round ones that part the way between the points around a
// crossing, on a logarithmic axis in logarithms: fewer where whole numbers leave
// no room.
func levels(c *chart.Crossing, log, whole bool) (out []float64) {
	for k := 1.0; k < 3; k++ {
		v := c.From + (c.To-c.From)*k/3
		if log {
			v = c.From * math.Pow(c.To/c.From, k/3)
		}
		if v = c.Round(v); whole {
			v = math.Round(v)
		}
		if v > c.From && v < c.To && (len(out) == 0 || v > out[0]) {
			out = append(out, v)
		}
	}
	return out
}

// words names values: "1.3 and 1.6".
func words(values []float64) string {
	out := numbers(values)
	if n := len(out); n > 1 {
		return strings.Join(out[:n-1], ", ") + " and " + out[n-1]
	}
	return strings.Join(out, "")
}

func numbers(values []float64) (out []string) {
	for _, v := range values {
		out = append(out, chart.Number(v))
	}
	return out
}

// Lines tell of the plots on a terminal: a line each, and one for all bars.
// dir is where their files lie.
func Lines(plots []Plot, dir string) []string {
	var out []string
	bars := 0
	for _, p := range plots {
		if p.Bars != nil {
			bars++
		}
	}
	told := false
	for i, p := range plots {
		if i == 0 {
			out = append(out, "")
		}
		switch {
		case p.Err != nil:
			out = append(out, fmt.Sprintf("plot  %s is not drawn: %v", p.Name, p.Err))
			continue
		case p.Bars != nil && told:
			continue
		}
		line := fmt.Sprintf("plot  %s: %s", path.Join(dir, p.Name+".svg"), p.Title())
		if told = p.Bars != nil; told && bars > 1 {
			line += fmt.Sprintf("; %d more of the kind", bars-1)
		}
		out = append(out, line)
		for _, line := range p.crossings(fewCrossings) {
			out = append(out, "      "+line)
		}
	}
	return out
}
