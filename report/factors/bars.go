package factors

import (
	"fmt"
	"math"
	"strings"

	"scoville/core/table"
	"scoville/report/chart"
	"scoville/report/number"
	"scoville/report/view"
)

// Bounds of the pictures.
const maxPictures, maxPerCombination, maxBarRows = 8, 4, 20

// Picture is a chart with the name of its file.
type Picture struct {
	Name string
	Bars *chart.Bars
}

// words are what the bars of a method are, and their axis.
type words struct{ main, beside, label string }

var drawn = map[string]words{
	"sobol_total":      {"total index", "first-order index", "share of the variance of "},
	"morris_mu_star":   {"mu*: mean size of the effect", "sigma: its spread", "effect across the whole range of the parameter on "},
	"rank_correlation": {"rank correlation", "standardised regression coefficient", "correlation with "},
}

// Bars draws the measures of a sampled design with their intervals, the
// parameter that matters most at the top: a picture per metric and combination of
// the axes around the design.
func Bars(v *view.View, metrics []string) (out []Picture) {
	groups, err := Groups(v)
	if err != nil || len(groups) == 0 {
		return nil
	}
	k := kindOf(v.Manifest.Sample.Method)
	for _, metric := range metrics[:min(len(metrics), maxPerCombination)] {
		c, _ := v.Column(metric)
		for i, g := range groups {
			bars := g.bars(k, c)
			if bars == nil || len(out) == maxPictures {
				continue
			}
			p := Picture{"factors-" + metric, bars}
			if len(groups) > 1 {
				p.Name += fmt.Sprintf("-%d", i+1)
			}
			out = append(out, p)
		}
	}
	return out
}

// bars is one picture; nil where the metric has no measure.
func (g *Group) bars(k kind, m table.Column) *chart.Bars {
	w := drawn[k.main]
	what := strings.TrimSuffix(strings.TrimPrefix(k.title, "Which parameters matter ("), ")")
	c := &chart.Bars{Title: fmt.Sprintf("%s: which parameters matter, %s", m.Name, what), Label: w.label + m.Name, Kinds: []string{w.main, w.beside}}
	if g.Title != "" {
		c.Title += ", at " + g.Title
	}
	if k.relative && m.Unit != "" {
		c.Label += " (" + m.Unit + ")"
	}
	ranked := g.ranked(k, []table.Column{m})
	if n := len(ranked) - maxBarRows; n > 0 {
		c.Notes = append(c.Notes, number.Plural(n, "parameter")+" that matter less left out")
		ranked = ranked[:maxBarRows]
	}
	any := false
	for _, p := range ranked {
		row := chart.BarRow{Name: p}
		for kind, method := range []string{k.main, k.beside} {
			x, ok := g.Of(m.Name, method, p)
			b := chart.Bar{Value: x.Value, Lo: x.Lo, Hi: x.Hi, Kind: kind, Text: "-"}
			if ok {
				b.Text = chart.Number(math.Round(1000*x.Value) / 1000)
				any = true
			} else {
				b.Value, b.Lo, b.Hi = math.NaN(), math.NaN(), math.NaN()
			}
			row.Bars = append(row.Bars, b)
		}
		c.Rows = append(c.Rows, row)
	}
	if !any {
		return nil
	}
	if f := g.Floor(m.Name, k.main); f > 0 {
		c.Floor = chart.Floor{Value: f, Label: map[bool]string{true: "chance", false: dummy}[k.main == "rank_correlation"]}
	}
	c.Notes = append(c.Notes, "whiskers: 95 % interval of a bootstrap over the design")
	c.Notes = append(c.Notes, g.judged[m.Name].Lines...)
	return c
}
