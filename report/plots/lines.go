package plots

import (
	"fmt"
	"path"

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
		out = append(out, fmt.Sprintf("%s is below %s up to %s = %s (%s = %s), above it beyond: apart at %s and %s", c.A, c.B, p.X, chart.Number(c.X), p.Y, chart.Number(c.Y), chart.Number(c.From), chart.Number(c.To)))
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
