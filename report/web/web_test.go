package web

import (
	"encoding/json"
	"math"
	"strings"
	"testing"

	"scoville/core/table"
	"scoville/report/chart"
	"scoville/report/page"
	"scoville/report/plots"
	"scoville/report/sample"
	"scoville/report/section"
	"scoville/report/view"
	"scoville/report/web/scene"
	"scoville/sweep/results"
)

var axes = []results.Axis{{Path: "hardware.name", Kind: table.String, Outer: true}, {Path: "workload.rate_rps", Kind: table.Float64, Unit: "req/s", Outer: true}}

// grid is two machines at three rates, of which the last is saturated at the
// first machine and does not fit the second.
func grid(t *testing.T) []sample.Point {
	t.Helper()
	return []sample.Point{
		{Axes: []any{"a", 1.0}, TPOT: []float64{10, 10.2, 9.8}, State: view.Steady, Bound: "compute"},
		{Axes: []any{"a", 2.0}, TPOT: []float64{12, 12.2, 11.8}, State: view.Steady, Bound: "compute"},
		{Axes: []any{"a", 8.0}, TPOT: []float64{90, 91, 92}, State: view.Saturated, Bound: "compute"},
		{Axes: []any{"b", 1.0}, TPOT: []float64{6, 6.2, 5.8}, State: view.Steady, Bound: "memory"},
		{Axes: []any{"b", 2.0}, TPOT: []float64{7, 7.2, 6.8}, State: view.Steady, Bound: "memory"},
		{Axes: []any{"b", 8.0}, TPOT: []float64{1}, State: view.None, Reason: "weights do not fit </script>"},
	}
}

func input(v *view.View) Input {
	names := []string{"tpot_mean_ms", "ttft_mean_ms"}
	return Input{View: v, Metrics: v.Metrics()[:2], Summary: []string{"demo: 6 points", "SATURATED: 1 point", "steady: 4"}, Plots: plots.All(v, names), Main: []section.Section{{Title: "points", Head: []string{"point"}, Rows: [][]string{{"0"}}}}}
}

func ids(p page.Page) string {
	var out []string
	for _, s := range p.Sections {
		out = append(out, s.ID)
	}
	return strings.Join(out, " ")
}

func find(t *testing.T, p page.Page, id string) page.Section {
	t.Helper()
	for _, s := range p.Sections {
		if s.ID == id {
			return s
		}
	}
	t.Fatalf("no section %s in %s", id, ids(p))
	return page.Section{}
}

// A grid of a rate and machines: lines against the rate with what is saturated
// shaded and hollow, a map with words where there is no value, and the lists of
// what must not be used.
func TestGrid(t *testing.T) {
	limit := 11.0
	meta := results.Meta{Axes: axes, Report: results.ReportSpec{Limits: []results.Limit{{Metric: "tpot_mean_ms", Max: &limit}}}}
	p := Page(input(sample.Open(t, meta, grid(t)...)))
	if got := ids(p); got != "rate maps points unsteady basis provenance" {
		t.Error(got)
	}
	if want := "tpot_mean_ms is best with 6.0 ± 0.5 ms at hardware = b, rate_rps = 1; the worst steady point has 12.0 ± 0.5 ms. Of 6 points, 1 is saturated and left out: requests arrive faster than they are served there. 1 point cannot run or failed."; p.Answer != want {
		t.Errorf("answer %q", p.Answer)
	}
	c := find(t, p, "rate").Charts[0]
	if len(c.Series) != 2 || !c.Series[0].Points[2].Hollow || c.Series[0].Points[1].Ref != "1" || len(c.Series[1].Points) != 2 {
		t.Errorf("%+v", c.Series)
	}
	if c.X.Lost || !c.Y.Lost {
		t.Errorf("a saturated point has its rate, and no latency: %+v %+v", c.X, c.Y)
	}
	if len(c.Bands) != 1 || c.Bands[0].From != 4 || len(c.Levels) != 1 || c.Levels[0].Label != "SLO: at most 11 ms" {
		t.Errorf("%+v %+v", c.Bands, c.Levels)
	}
	m := find(t, p, "maps").Charts[0]
	words := ""
	for _, e := range m.Cells {
		words += e.Text + " "
	}
	if words != "10.00 12.00 saturated 6.000 7.000 infeasible " {
		t.Error(words)
	}
	if row := p.Points.Rows["2"]; strings.Join(row, "|") != "2|a|8||saturated|2.00|compute|saturated|saturated" {
		t.Errorf("%q", row)
	}
	bad := find(t, p, "unsteady").Tables
	if len(bad) != 2 || bad[1].Rows[0][3] != "weights do not fit </script>" {
		t.Errorf("%+v", bad)
	}
	if strings.Join(p.Lead, "|") != "demo: 6 points|SATURATED: 1 point" || find(t, p, "basis").Lines[0] != "steady: 4" {
		t.Errorf("%q", p.Lead)
	}
	if _, err := p.HTML(); err != nil {
		t.Error(err)
	}
}

// The answer is by the kind of the study.
func TestAnswer(t *testing.T) {
	steady := func(rate, tpot float64) sample.Point {
		return sample.Point{Axes: []any{"a", rate}, TPOT: []float64{tpot, tpot + 0.2, tpot - 0.2}, State: view.Steady}
	}
	for name, c := range map[string]struct {
		meta   results.Meta
		points []sample.Point
		want   string
	}{
		"one":     {points: []sample.Point{steady(1, 10)}, want: "tpot_mean_ms 10.0 ± 0.5 ms, ttft_mean_ms 100 ± 5 ms; load 0.50 of capacity."},
		"load":    {points: []sample.Point{steady(1, 10), steady(2, 11), {Axes: []any{"a", 9.0}, TPOT: []float64{99}, State: view.Saturated}}, want: "Steady from rate_rps = 1 to 2: tpot_mean_ms goes from 10.0 ± 0.5 ms to 11.0 ± 0.5 ms"},
		"changes": {points: []sample.Point{{Axes: []any{"a", 1.0}, Baseline: true, TPOT: []float64{10, 10.1, 9.9}, State: view.Steady}, {Axes: []any{"a", 1.0}, Path: "hardware.x", Level: "-20%", Change: -0.2, TPOT: []float64{12, 12.1, 11.9}, State: view.Steady}, {Axes: []any{"a", 1.0}, Path: "hardware.y", Level: "x2", Change: 1, TPOT: []float64{10, 10.2, 9.9}, State: view.Steady}}, want: "tpot_mean_ms depends most on x: -20% changes it by +20.0%, at hardware = a, rate_rps = 1; ttft_mean_ms on x: -20% changes it by +20.0%, at hardware = a, rate_rps = 1. 1 of 2 changes has no effect on tpot_mean_ms that stands out from chance."},
		"nothing": {points: []sample.Point{{Axes: []any{"a", 1.0}, TPOT: []float64{1}, Reason: "too large"}}, want: "No point has a result. Point 0 is infeasible: too large"},
		"all":     {points: []sample.Point{{Axes: []any{"a", 1.0}, TPOT: []float64{1}, State: view.Saturated}}, want: "Saturated: requests arrive faster than they are served at every point that ran (1)"},
	} {
		c.meta.Axes = axes
		p := Page(input(sample.Open(t, c.meta, c.points...)))
		if !strings.HasPrefix(p.Answer, c.want) {
			t.Errorf("%s: %q", name, p.Answer)
		}
		if _, err := p.HTML(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A large grid keeps the best lines and some of the others, and says so.
func TestThin(t *testing.T) {
	meta := results.Meta{Axes: []results.Axis{{Path: "x", Kind: table.Float64}, {Path: "y", Kind: table.Float64}, {Path: "z", Kind: table.Float64}}}
	var points []sample.Point
	for i := range 1000 {
		points = append(points, sample.Point{Axes: []any{float64(i % 10), float64(i / 10 % 10), float64(i / 100)}, TPOT: []float64{10 + float64((i*7919)%1000)/100}, State: view.Steady})
	}
	v := sample.Open(t, meta, points...)
	s := scene.New(v, v.Metrics()[:1]).Parallel()
	c := s.Charts[0]
	if len(c.Lines) != 400 || len(c.Axes) != 4 || c.Notes[0] != "of 1,000 points 400 are drawn: the 100 best by tpot_mean_ms, and 300 evenly over the others" {
		t.Errorf("%d lines, %q", len(c.Lines), c.Notes)
	}
	if best := c.Lines[399].Values[3]; best != 10 {
		t.Errorf("the best is drawn last, not %v", best)
	}
}

// Noise is not read out as the largest effect, and neither is what has no value.
func TestLargest(t *testing.T) {
	nan := math.NaN()
	for want, bars := range map[string][]chart.Bar{
		"The largest effect is that of bw (-20%: +5.0% / +20%: ~).": {{Value: 5, Text: "-20%: +5.0%"}, {Value: 0.1, Text: "+20%: ~"}},
		"No effect stands out from chance.":                         {{Value: 0.9, Text: "-20%: ~"}},
		"No effect has a value.":                                    {{Value: nan, Text: "-20%: no value"}},
	} {
		if got := largest("bw", bars); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// The size of an effect has its unit, unless it is a ratio.
func TestMatters(t *testing.T) {
	v := sample.Open(t, results.Meta{Axes: axes}, grid(t)...)
	if err := json.Unmarshal([]byte("{}"), &v.Manifest.Sample); err != nil {
		t.Fatal(err)
	}
	for label, want := range map[string]string{
		"effect on ttft_mean_ms (ms)":    "ttft_mean_ms depends most on a (mu*: mean size 100.1 ms), at context = short.",
		"share of variance of ttft_mean": "ttft_mean_ms depends most on a (mu*: mean size 100.1), at context = short.",
	} {
		b := &chart.Bars{Title: "ttft_mean_ms: which parameters matter, at context = short", Label: label, Kinds: []string{"mu*: mean size"}, Rows: []chart.BarRow{{Name: "a", Bars: []chart.Bar{{Value: 100.1, Text: "100.1"}}}}}
		m := &maker{in: Input{View: v, Plots: []plots.Plot{{Bars: b}}}, Scene: scene.New(v, v.Metrics())}
		if got := m.matters(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
