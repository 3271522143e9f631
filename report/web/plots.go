package web

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"scoville/report/chart"
	"scoville/report/page"
	"scoville/report/plots"
	"scoville/report/web/scene"
)

// studyPlots are the plots that the study asks for, or that its one axis
// suggests and no other section has drawn.
func (m *maker) studyPlots() {
	s := page.Section{ID: "plots", Title: "Plots"}
	for i := range m.in.Plots {
		p := &m.in.Plots[i]
		switch {
		case p.Err != nil:
			s.Notes = append(s.Notes, p.Name+" is not drawn: "+p.Err.Error())
		case p.Chart != nil && !(len(m.V.Manifest.Report.Plots) == 0 && m.Charted(p.X, p.Y)):
			s.Charts = append(s.Charts, m.lines(p))
		}
	}
	m.put(s)
}

// split takes the unit off a label: "tpot_mean_ms (ms)".
func split(label string) (name, unit string) {
	if k := strings.LastIndex(label, " ("); k > 0 && strings.HasSuffix(label, ")") {
		return label[:k], label[k+2 : len(label)-1]
	}
	return label, ""
}

// axisOf is the axis of a plot that shows a column.
func (m *maker) axisOf(a *chart.Axis, name string) page.Axis {
	out := page.Axis{Log: a.Log, Words: a.Words}
	if c, ok := m.V.Column(name); ok {
		out.Lost = scene.Lost(c)
	}
	out.Label, out.Unit = split(a.Label)
	if out.Unit == "ratio" {
		out.Unit = ""
	}
	return out
}

// lines is a plot of lines.
func (m *maker) lines(p *plots.Plot) page.Chart {
	c := p.Chart
	out := page.Chart{Kind: page.XY, Title: c.Title, X: m.axisOf(&c.X, p.X), Y: m.axisOf(&c.Y, p.Y), Names: c.Legend[0], Marks: c.Legend[1], Whole: "points.parquet", Notes: p.Crossings()}
	for _, n := range p.Notes {
		out.Notes = append(out.Notes, strings.Replace(n, "hollow and dotted: ", "hollow: ", 1))
	}
	if len(c.Marks) == 0 {
		out.Marks = ""
	}
	for _, l := range c.Lines {
		s := page.Series{Name: l.Name, Joined: !l.Loose}
		if s.Name == "" {
			s.Name = out.Y.Label
		}
		for _, e := range l.Points {
			s.Points = append(s.Points, page.Point{X: e.X, Y: e.Y, Lo: e.Lo, Hi: e.Hi, Hollow: e.Hollow, Mark: e.Mark, Ref: e.Ref})
			m.Mark(e.Ref)
		}
		out.Series = append(out.Series, s)
	}
	for _, l := range c.Levels {
		out.Levels = append(out.Levels, page.Level{Axis: "y", At: l.Y, Label: l.Label})
	}
	if len(c.Cross) > 0 {
		s := page.Series{Name: "crossing", Role: page.Cross}
		for _, x := range c.Cross {
			e := page.XYPoint(x.X, x.Y)
			e.Text = fmt.Sprintf("%s and %s cross at %s, between %s and %s", x.A, x.B, x.Label(), chart.Number(x.From), chart.Number(x.To))
			s.Points = append(s.Points, e)
		}
		out.Series = append(out.Series, s)
	}
	out.Reading = scene.Reading(&out)
	return out
}

// bars is a picture of bars.
func (m *maker) bars(p *plots.Plot) page.Chart {
	b := p.Bars
	out := page.Chart{Kind: page.Bars, Title: b.Title, Kinds: b.Kinds, Notes: p.Notes, Whole: "effects.parquet"}
	out.X.Label, out.X.Unit = split(b.Label)
	if b.Floor.Label != "" && b.Floor.Value > 0 {
		out.Floor = page.Level{At: b.Floor.Value, Label: b.Floor.Label}
	}
	for _, r := range b.Rows {
		row := page.Row{Name: r.Name}
		for _, e := range r.Bars {
			row.Bars = append(row.Bars, page.Bar{Value: e.Value, Lo: e.Lo, Hi: e.Hi, Kind: e.Kind, Text: e.Text, Ref: e.Ref})
			m.Mark(e.Ref)
		}
		out.Rows = append(out.Rows, row)
	}
	if len(b.Rows) > 0 {
		out.Reading = largest(b.Rows[0].Name, b.Rows[0].Bars)
	}
	return out
}

// largest says which effect is the largest: that of the first row, if any of its
// bars is told from chance.
func largest(name string, bars []chart.Bar) string {
	top := slices.DeleteFunc(slices.Clone(bars), func(e chart.Bar) bool { return math.IsNaN(e.Value) || e.Text == "" })
	if len(top) > 2 {
		slices.SortStableFunc(top, func(x, y chart.Bar) int { return cmp.Compare(math.Abs(y.Value), math.Abs(x.Value)) })
		top = top[:1]
	}
	var said []string
	clear := false
	for _, e := range top {
		said = append(said, e.Text)
		clear = clear || !strings.HasSuffix(e.Text, "~")
	}
	switch {
	case len(said) == 0:
		return "No effect has a value."
	case !clear:
		return "No effect stands out from chance."
	}
	return fmt.Sprintf("The largest effect is that of %s (%s).", name, strings.Join(said, " / "))
}
