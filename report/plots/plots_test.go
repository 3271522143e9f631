package plots

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"scoville/core/table"
	"scoville/report/chart"
	"scoville/report/sample"
	"scoville/report/view"
	"scoville/sweep/results"
)

var axes = []results.Axis{
	{Path: "engine.scheduler", Kind: table.String, Group: "scheduler", Outer: true},
	{Path: "workload.rate_rps", Kind: table.Float64, Unit: "req/s", Group: "rate", Outer: true},
}

// grid has two schedulers at four rates; the first is the slower from the third
// on, and saturated at the last.
func grid(t *testing.T, plots ...results.Plot) *view.View {
	t.Helper()
	var points []sample.Point
	for s, name := range []string{"static", "continuous"} {
		for k, rate := range []float64{1, 2, 4, 8} {
			p := sample.Point{Axes: []any{name, rate}, State: view.Steady, Bound: []string{"weight_memory", "compute"}[k/2]}
			p.TPOT = []float64{[]float64{10, 11, 20, 90}[k]}
			if s == 1 {
				p.TPOT = []float64{[]float64{12, 13, 14, 15}[k]}
			} else if k == 3 {
				p.State = view.Saturated
			}
			points = append(points, p)
		}
	}
	return sample.Open(t, results.Meta{Axes: axes, Report: results.ReportSpec{Plots: plots}}, points...)
}

// drawn says what a chart draws, in words: hollow points in brackets.
func drawn(p Plot) string {
	if p.Err != nil {
		return p.Err.Error()
	}
	var out []string
	for _, l := range p.Chart.Lines {
		s := l.Name + ":"
		if l.Loose {
			s = l.Name + " loose:"
		}
		for _, at := range l.Points {
			text := fmt.Sprintf("%g,%g%s", at.X, at.Y, at.Mark)
			if at.Hollow {
				text = "(" + text + ")"
			}
			s += " " + text
		}
		out = append(out, s)
	}
	return strings.Join(out, "; ")
}

func TestDrawn(t *testing.T) {
	for _, c := range []struct {
		plot results.Plot
		want string
		note string // part of the notes, "" = there is none
	}{
		{results.Plot{X: "rate_rps", Y: "tpot_mean_ms", Series: []string{"scheduler"}}, "static: 1,10 2,11 4,20 (8,90); continuous: 1,12 2,13 4,14 8,15", "saturated (1 point)"},
		{results.Plot{X: "workload.rate_rps", Y: "tpot_mean_ms", Where: "scheduler == 'continuous'"}, ": 1,12 2,13 4,14 8,15", ""},
		{results.Plot{X: "rate_rps", Y: "tpot_mean_ms", Where: "rate_rps < 4"}, " loose: 1,10 2,11 1,12 2,13", "folds scheduler, which varies"},
		{results.Plot{X: "scheduler", Y: "tpot_mean_ms", Where: "rate_rps == 2"}, ": 0,11 1,13", ""},
		{results.Plot{X: "output_tok_s", Y: "tpot_mean_ms", Where: "scheduler == 'continuous' && rate_rps > 2"}, ": 71.42857142857143,14 66.66666666666667,15", ""}, // along the axis
		{results.Plot{X: "rate_rps", Y: "tpot_mean_ms", Mark: "bound", Where: "scheduler == 'continuous'"}, ": 1,12weight_memory 2,13weight_memory 4,14compute 8,15compute", ""},
		{results.Plot{X: "rate_rps", Y: "tpot_p99_ms"}, `the results have no axis or metric "tpot_p99_ms"`, ""},
		{results.Plot{X: "rate_rps", Y: "scheduler"}, `y = "scheduler" is no number`, ""},
		{results.Plot{X: "rate_rps", Y: "tpot_mean_ms", Where: "rate_rps > 99"}, "no point has a value of both rate_rps and tpot_mean_ms", ""},
		{results.Plot{X: "rate_rps", Y: "tpot_mean_ms", Where: "rate = 1"}, "no comparison after", ""},
		{results.Plot{X: "rate_rps", Y: "tpot_mean_ms_delta_ratio"}, "no point has a value of both rate_rps and tpot_mean_ms_delta_ratio", "8 points without a value"},
	} {
		c.plot.Name = "p"
		p := All(grid(t, c.plot), nil)[0]
		notes := strings.Join(p.Notes, "; ")
		if got := drawn(p); !strings.Contains(got, c.want) || p.Err == nil && got != c.want {
			t.Errorf("%+v draws %q, want %q", c.plot, got, c.want)
		}
		if !strings.Contains(notes, c.note) || c.note == "" && notes != "" && p.Err == nil {
			t.Errorf("%+v notes %q, want %q", c.plot, notes, c.note)
		}
	}
}

// Lines cross where both are steady values; without replicates there is no
// interval to doubt it by.
func TestCross(t *testing.T) {
	p := All(grid(t, results.Plot{Name: "p", X: "rate_rps", Y: "tpot_mean_ms", Series: []string{"scheduler"}, Crossings: true}), nil)[0]
	if len(p.Cross) != 1 || p.Cross[0].A != "static" || p.Cross[0].From != 2 || p.Cross[0].To != 4 {
		t.Fatalf("%+v", p.Cross)
	}
	// 11 + 4.5 (x - 2) = 13 + 0.5 (x - 2)
	if x, y := p.Cross[0].X, p.Cross[0].Y; math.Abs(x-2.5) > 1e-9 || math.Abs(y-13.25) > 1e-9 {
		t.Errorf("at %v, %v, want 2.5, 13.25", x, y)
	}
	const want = "static and continuous cross between rate_rps = 2 and 4 (about 2.5 by a straight line, tpot_mean_ms about 13): static is below before, above beyond; to place it, simulate 2.7 and 3.3"
	if got := p.Crossings(); len(got) != 1 || got[0] != want {
		t.Errorf("%q, want %q", got, want)
	}
	if svg := p.SVG(); !bytes.Contains(svg, []byte(">(~2.5, ~13)<")) {
		t.Errorf("no label (~2.5, ~13) in %s", svg)
	}
}

// A crossing says what is known of it: where two points leave little room, the
// value; else the points, and what would tell more.
func TestCrossingSentence(t *testing.T) {
	at := func(x, y, from, to float64, inside ...float64) chart.Crossing {
		return chart.Crossing{A: "a", B: "b", X: x, Y: y, From: from, To: to, Inside: inside, Sure: true}
	}
	for _, c := range []struct {
		cross        chart.Crossing
		swept, whole bool
		want         string
	}{
		{at(1.0921, 11.942, 1.085, 1.105), true, false, "a is below b up to x = 1.092 (y = 11.94), above it beyond: apart at 1.085 and 1.105"},
		{at(1.0921, 11.942, 1.03, 2), true, false, "a and b cross between x = 1.03 and 2 (about 1.1 by a straight line, y about 12): a is below before, above beyond; to place it, simulate 1.4 and 1.7"},
		{at(1.0921, 11.942, 1.03, 2), false, false, "a and b cross between x = 1.03 and 2 (about 1.1 by a straight line, y about 12): a is below before, above beyond; to place it, simulate points between"},
		{at(8.5, 3, 8, 9), true, true, "a and b cross between x = 8 and 9 (about 8.5 by a straight line, y about 3): a is below before, above beyond"},
		{at(1.38, 12, 1.2, 1.5, 1.3, 1.4), true, false, "a and b cross between x = 1.2 and 1.5 (about 1.4 by a straight line, y about 12): a is below before, above beyond; to place it, run more replicates at 1.3 and 1.4, where the intervals overlap"},
		{at(5, 3, 1, 8, 2, 3, 4, 5, 6, 7), true, true, "a and b cross between x = 1 and 8 (about 5 by a straight line, y about 3): a is below before, above beyond; to place it, run more replicates at 2, 3, 4, 5 and 2 more, where the intervals overlap"},
		{at(6096, 3.468, 3140, 9110, 6000), false, false, "a and b cross between x = 3,140 and 9,110 (about 6,100 by a straight line, y about 3.5): a is below before, above beyond; to place it, run more replicates of the points between, whose intervals overlap"},
	} {
		p := Plot{X: "x", Y: "y", Chart: &chart.Chart{}, Cross: []chart.Crossing{c.cross}, swept: c.swept, whole: c.whole}
		if got := p.Crossings()[0]; got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}

// Titles, labels, scales and names come from the study or the columns.
func TestWords(t *testing.T) {
	for scale, want := range map[string][2]bool{"": {}, "linear": {}, "log-x": {true, false}, "log-y": {false, true}, "log-log": {true, true}} {
		p := All(grid(t, results.Plot{Name: "../a b", X: "rate_rps", Y: "tpot_mean_ms", Series: []string{"engine.scheduler"}, Scale: scale, HLine: []results.Level{{Y: 12, Label: "goal"}}}), nil)[0]
		c := p.Chart
		if c.X.Log != want[0] || c.Y.Log != want[1] {
			t.Errorf("%q: logarithmic %t, %t", scale, c.X.Log, c.Y.Log)
		}
		if p.Name != "___a_b" || c.Title != "tpot_mean_ms against rate_rps" || c.X.Label != "rate_rps (req/s)" || c.Y.Label != "tpot_mean_ms (ms)" || c.Legend[0] != "scheduler" || len(c.Levels) != 1 {
			t.Errorf("%q, %+v", p.Name, c)
		}
	}
	got := Names([]results.Plot{{X: "a", Y: "b", Mark: "c", Series: []string{"d", "e"}}})
	if !slices.Equal(got, []string{"a", "b", "c", "d", "e"}) {
		t.Errorf("needs %q", got)
	}
}

// Without plots of the study there is one for each main metric against the one
// numeric axis.
func TestSuggested(t *testing.T) {
	got := All(grid(t), []string{"tpot_mean_ms", "ttft_mean_ms", "e2e_mean_ms"})
	if len(got) != 2 || got[0].Name != "tpot_mean_ms" || got[0].X != "rate_rps" || len(got[0].Chart.Lines) != 2 || len(got[0].Chart.Marks) != 2 || len(got[0].Cross) != 1 {
		t.Errorf("%+v", got)
	}
	one := sample.Open(t, results.Meta{Axes: axes}, sample.Point{Axes: []any{"static", 1.0}, TPOT: []float64{1}, State: view.Steady}, sample.Point{Axes: []any{"static", 2.0}, TPOT: []float64{1}, State: view.Steady})
	if got := All(one, []string{"tpot_mean_ms"}); got != nil {
		t.Errorf("two values make %+v", got)
	}
}

// The strip in which other runs are expected stands behind one line, and ends where
// there is no steady value; a front stands out where no lines take the colours.
func TestForecastAndFront(t *testing.T) {
	nan := math.NaN()
	var points []sample.Point
	for i := range 4 {
		p := sample.Point{Axes: []any{"static", float64(i + 1)}, TPOT: []float64{float64(10 + i)}, State: view.Steady, Forecast: &results.Forecast{Draws: 9, Lo: []float64{float64(i), nan, nan, nan}, Hi: []float64{float64(i + 20), nan, nan, nan}}}
		if i == 3 {
			p.State = view.Saturated
		}
		points = append(points, p)
	}
	spec := results.ReportSpec{Plots: []results.Plot{{Name: "p", X: "rate_rps", Y: "tpot_mean_ms"}}}
	p := All(sample.Open(t, results.Meta{Axes: axes, Report: spec}, points...), nil)[0]
	if p.Err != nil || len(p.Chart.Bands) != 1 {
		t.Fatalf("%+v", p)
	}
	if b := p.Chart.Bands[0]; len(b.Lower) != 3 || b.Upper[2] != [2]float64{3, 22} || !strings.Contains(strings.Join(p.Notes, " "), "grey band") {
		t.Errorf("%+v, %q", b, p.Notes)
	}
	b := builder{spec: results.Plot{Mark: "pareto"}}
	if b.tone("true") != chart.Front || b.tone("false") != chart.Back {
		t.Error("the front does not stand out")
	}
	if b.spec.Series = []string{"scheduler"}; b.tone("true") != chart.Own {
		t.Error("the front takes the colours of the lines")
	}
}

// Levels part the way to where the lines cross; whole numbers have to lie
// between.
func TestLevels(t *testing.T) {
	for _, c := range []struct {
		from, to   float64
		log, whole bool
		want       []float64
	}{
		{1.03, 2, false, false, []float64{1.4, 1.7}},
		{1, 8, true, false, []float64{2, 4}},
		{128, 512, false, true, []float64{260, 380}},
		{8, 9, false, true, nil},
		{8, 10, false, true, []float64{9}},
		{1, 1.03, false, false, []float64{1.01, 1.02}},
	} {
		got := levels(&chart.Crossing{From: c.from, To: c.to}, c.log, c.whole)
		if !slices.Equal(got, c.want) {
			t.Errorf("between %v and %v: %v, want %v", c.from, c.to, got, c.want)
		}
	}
}
