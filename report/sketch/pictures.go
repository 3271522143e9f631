package sketch

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"scoville/report/chart"
	"scoville/report/plots"
	"scoville/report/view"
)

// Pictures are what a terminal gets beside the tables, the most telling first:
// the front of the objectives, then the changes from a baseline, those of the
// metric with the largest effect first, and of metrics that tell of the same (TTFT,
// TPOT) the one. Changes that cannot be told from chance, or that stand alone,
// need no picture.
func Pictures(v *view.View, all []plots.Plot, width int) (out [][]string) {
	if front := Front(v, width); front != nil {
		out = append(out, front)
	}
	most := map[string]float64{}
	var changes []plots.Plot
	for _, p := range all {
		if p.Bars == nil || p.Y == "" {
			continue
		}
		if n, reach := effects(p.Bars); n > 1 && reach > 0 {
			most[p.Y] = max(most[p.Y], reach)
			changes = append(changes, p)
		}
	}
	slices.SortStableFunc(changes, func(a, b plots.Plot) int { return cmp.Compare(most[b.Y], most[a.Y]) })
	told := map[string]string{}
	for i, p := range changes {
		of, _, _ := strings.Cut(p.Y, "_")
		if told[of] == "" {
			told[of] = p.Y
		}
		if told[of] != p.Y {
			continue
		}
		lines := Bars(p.Bars, width)
		if i == 0 {
			lines = append(lines, fold(legend(p.Bars), fit(width))...)
		}
		out = append(out, lines)
	}
	return out
}

// effects counts the bars of a picture, and returns the size of the largest that
// its interval tells from 0.
func effects(c *chart.Bars) (n int, reach float64) {
	for _, r := range c.Rows {
		for _, b := range r.Bars {
			n++
			if !math.IsNaN(b.Value) && (math.IsNaN(b.Lo) || b.Lo > 0 || b.Hi < 0) {
				reach = max(reach, math.Abs(b.Value))
			}
		}
	}
	return n, reach
}

// legend says how the bars are read.
func legend(c *chart.Bars) string {
	for _, r := range c.Rows {
		for _, b := range r.Bars {
			if !math.IsNaN(b.Lo) {
				return Legend
			}
		}
	}
	return "one run a point: no intervals"
}
