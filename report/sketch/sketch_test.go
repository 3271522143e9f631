package sketch

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"scoville/core/table"
	"scoville/report/chart"
	"scoville/report/plots"
	"scoville/report/sample"
	"scoville/report/view"
	"scoville/sweep/results"
)

func same(t *testing.T, name string, got []string, want string) {
	t.Helper()
	if text := strings.Join(got, "\n"); text != strings.TrimPrefix(want, "\n") {
		t.Errorf("%s: got\n%s\nwant\n%s", name, text, want)
	}
}

// A bar is solid up to its interval; one whose interval includes 0 is none.
func TestBars(t *testing.T) {
	nan := math.NaN()
	c := &chart.Bars{Title: "tpot_mean_ms: change from the baseline", Rows: []chart.BarRow{
		{Name: "weight_bandwidth_gb_s", Bars: []chart.Bar{
			{Value: 24.9, Lo: 20, Hi: 30, Name: "-20%", Text: "-20%: +24.9%"},
			{Value: -16.6, Lo: -16.7, Hi: -16.5, Name: "+20%", Text: "+20%: -16.6%"},
		}},
		{Name: "state_bandwidth_gb_s", Bars: []chart.Bar{
			{Value: 2, Lo: -3, Hi: 7, Name: "-20%", Text: "-20%: ~"},
			{Value: nan, Lo: nan, Hi: nan, Name: "x9", Text: "x9: saturated"},
		}},
		{Name: "scheduler", Bars: []chart.Bar{{Value: 5, Lo: nan, Hi: nan, Name: "= static", Text: "= static: +5.0%"}}},
	}}
	same(t, "80 columns", Bars(c, 0), `
tpot_mean_ms: change from the baseline
weight_bandwidth_gb_s -20%                |################-----+----  +24.9%
weight_bandwidth_gb_s +20%  ##############|                            -16.6%
state_bandwidth_gb_s -20%               --|-+----                      ~
state_bandwidth_gb_s x9                   |                            saturated
scheduler = static                        |#####                       +5.0%
                                 -10%     0       10%     20%      30%`)
	for width := -5; width < 200; width++ {
		for _, line := range Bars(c, width) {
			if n := len(line); n > fit(width) {
				t.Errorf("%d columns for %d: %q", n, width, line)
			}
		}
	}
}

// Bars far beyond the others do not hide them: what of an interval lies outside
// has an arrow, and the smallest of many bars are counted.
func TestBarsWide(t *testing.T) {
	c := &chart.Bars{Title: "t"}
	for i := range 13 {
		c.Rows = append(c.Rows, chart.BarRow{Name: fmt.Sprint("p", i), Bars: []chart.Bar{{Value: 10, Lo: -900, Hi: 920, Text: "~"}}})
	}
	lines := Bars(c, 60)
	if got := strings.Join(lines, "\n"); !strings.Contains(got, "p9  <---") || !strings.Contains(got, "->") || strings.Contains(got, "p10") || !strings.Contains(got, "3 smaller bars left out") {
		t.Error(got)
	}
}

var axes = []results.Axis{{Path: "engine.tp", Kind: table.Int64, Outer: true}}

func study(t *testing.T, points ...sample.Point) *view.View {
	t.Helper()
	return sample.Open(t, results.Meta{Axes: axes, Objectives: []results.Objective{{Metric: "tpot_mean_ms", Goal: "min"}, {Metric: "output_tok_s", Goal: "min"}}}, points...)
}

// The front is marked with the numbers of its points; what is saturated or does
// not fit is counted and has no place.
func TestFront(t *testing.T) {
	steady := func(tpot float64) sample.Point {
		return sample.Point{Axes: []any{int64(tpot)}, State: view.Steady, TPOT: []float64{tpot, tpot}}
	}
	v := study(t, steady(40), steady(20), steady(10), sample.Point{Axes: []any{int64(9)}, State: view.Saturated, TPOT: []float64{9, 9}}, sample.Point{Axes: []any{int64(1)}, TPOT: []float64{1}, Reason: "too large"})
	same(t, "front", Front(v, 50), `
tpot_mean_ms (min) against output_tok_s (min)
* on the front, with the number of its point
. another point is better
  40 |*0
     |
     |
     |
     |
26.4 |
     |
     |              *1
     |
     |
     |
  10 |                                          2*
     +--------------------------------------------
      25              output_tok_s             100
not shown: 1 saturated, 1 infeasible`)
	if got := Front(study(t, steady(40)), 50); got != nil {
		t.Errorf("one point needs no picture: %q", got)
	}
}

// Members stand over the points that they beat, and those without room for a
// number are counted.
func TestPlot(t *testing.T) {
	x, y := axis{lo: 0, hi: 10, cells: 11}, axis{lo: 1, hi: 1000, cells: high, log: true}
	field, unnamed := plot(x, y, []dot{{5, 1000, false, 1}, {5, 1000, true, 2}, {6, 1000, true, 3}, {0, 1, true, 117}, {10, 1, true, 8}, {1, 1000, false, 9}})
	if got := string(field[high-1]); got != " .  2**3   " || unnamed != 0 {
		t.Errorf("%q, %d", got, unnamed)
	}
	if got := string(field[0]); got != "*117     8*" {
		t.Errorf("%q", got)
	}
	var crowd []dot
	for i := range 11 {
		crowd = append(crowd, dot{float64(i), 1, true, i})
	}
	if _, unnamed = plot(x, y, crowd); unnamed != 11 {
		t.Errorf("%d", unnamed)
	}
}

// A terminal gets the metric with the largest effect for each kind of latency,
// and no picture of what may be chance.
func TestPictures(t *testing.T) {
	bars := func(metric string, values ...float64) plots.Plot {
		p := plots.Plot{Y: metric, Bars: &chart.Bars{Title: metric}}
		for _, v := range values {
			p.Bars.Rows = append(p.Bars.Rows, chart.BarRow{Name: "p", Bars: []chart.Bar{{Value: v, Lo: v - 5, Hi: v + 5}}})
		}
		return p
	}
	got := Pictures(study(t), []plots.Plot{bars("ttft_mean_ms", 10, 20), bars("tpot_mean_ms", 30, 1), bars("tpot_p50_ms", 40, 1), bars("tpot_p50_ms", 20, 1), bars("e2e_mean_ms", 2, 3), bars("cost", 90), {Y: "line"}}, 80)
	var titles []string
	for _, lines := range got {
		titles = append(titles, lines[0])
	}
	if strings.Join(titles, " ") != "tpot_p50_ms tpot_p50_ms ttft_mean_ms" {
		t.Errorf("%q", titles)
	}
	if last := got[0][len(got[0])-1]; last != Legend || len(last) > Usual-2 {
		t.Errorf("%q", last)
	}
}

// Every line of a picture fits the terminal, its title, legend and notes too.
func TestWidths(t *testing.T) {
	long := "ttft_prefill_excess_mean_ms: change from the baseline, at hardware.weight_bandwidth_gb_s = 4800, context = short"
	c := &chart.Bars{Title: long}
	for i := range 14 {
		c.Rows = append(c.Rows, chart.BarRow{Name: "hardware_weight_bandwidth_gb_s", Bars: []chart.Bar{{Value: 999.5 * float64(i+1), Lo: 1, Hi: 2e4, Name: "= 480000", Text: "+9"}}})
	}
	goals := []results.Objective{{Metric: "tpot_mean_ms", Goal: "min"}, {Metric: "output_tok_s", Goal: "max"}, {Metric: "ttft_mean_ms", Goal: "min"}}
	v := sample.Open(t, results.Meta{Axes: axes, Objectives: goals}, sample.Point{Axes: []any{int64(1)}, State: view.Steady, TPOT: []float64{0.0123}}, sample.Point{Axes: []any{int64(2)}, State: view.Steady, TPOT: []float64{12345}}, sample.Point{Axes: []any{int64(3)}, State: view.Saturated, TPOT: []float64{9}})
	for width := least; width <= most; width++ {
		pictures := Pictures(v, []plots.Plot{{Y: "tpot_mean_ms", Bars: c}}, width)
		if len(pictures) != 2 {
			t.Fatalf("%d pictures", len(pictures))
		}
		for _, lines := range pictures {
			for _, line := range lines {
				if len(line) > width {
					t.Fatalf("%d columns for %d: %q", len(line), width, line)
				}
			}
		}
		if text := strings.Join(pictures[1], " "); !strings.HasPrefix(text, long) || width >= 80 && !strings.Contains(text, Legend) {
			t.Errorf("%d columns: text is lost: %q", width, text)
		}
	}
}
