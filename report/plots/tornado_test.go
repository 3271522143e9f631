package plots

import (
	"fmt"
	"strings"
	"testing"

	"scoville/core/table"
	"scoville/report/chart"
	"scoville/report/sample"
	"scoville/report/view"
	"scoville/sweep/results"
)

// A tornado has the largest effect at the top, percent of the baseline as
// lengths, and words where there is no steady value.
func TestTornado(t *testing.T) {
	meta := results.Meta{Axes: []results.Axis{{Path: "context", Kind: table.String, Outer: true}, {Path: "hardware.a", Kind: table.Float64}}}
	change := func(path, level string, change float64, state view.State, tpot ...float64) sample.Point {
		return sample.Point{Axes: []any{"short", 1.0}, Path: path, Level: level, Change: change, State: state, TPOT: tpot}
	}
	base := sample.Point{Axes: []any{"short", 1.0}, Baseline: true, State: view.Steady, TPOT: []float64{10, 10.2, 9.8}}
	points := []sample.Point{
		base,
		change("hardware.small", "-20%", -0.2, view.Steady, 10.1, 10.3, 9.9),
		change("hardware.small", "x2", 1, view.Steady, 9.9, 10.6, 9.5),
		change("hardware.large", "-20%", -0.2, view.Steady, 12, 12.24, 11.76),
		change("hardware.large", "x9", 8, view.Saturated, 2, 2, 2),
		change("engine.scheduler", "static", 0, view.Steady, 11, 11.22, 10.78),
	}
	for i := range 5 {
		points = append(points, change("hardware.many", fmt.Sprintf("x1.%d", i+1), 0.1*float64(i+1), view.Steady, 10.5+float64(i)/10, 10.7+float64(i)/10, 10.3+float64(i)/10))
	}
	v := sample.Open(t, meta, points...)
	all := All(v, []string{"tpot_mean_ms"})
	if len(all) != 1 || all[0].Name != "tornado-tpot_mean_ms" || !strings.Contains(all[0].Title(), "at context = short") {
		t.Fatalf("%+v", all)
	}
	var got []string
	for _, r := range all[0].Bars.Rows {
		line := r.Name
		for _, b := range r.Bars {
			line += fmt.Sprintf(" [%s %.3g %d]", b.Text, b.Value, b.Kind)
		}
		got = append(got, line)
	}
	want := `large [-20%: +20.0% 20 0] [x9: saturated NaN 1]
scheduler [= static: +10.0% 10 2]
many [x1.1: +5.0% 5 1] [x1.5: +9.0% 9 1]
small [-20%: +1.0% 1 0] [x2: ~ 0 1]`
	if text := strings.Join(got, "\n"); text != want {
		t.Errorf("%s\nwant\n%s", text, want)
	}
	if n := strings.Join(all[0].Notes, "\n"); !strings.Contains(n, "of more than 4 levels") {
		t.Error(n)
	}
	if lines := Lines(append(all, Plot{Name: "more", Bars: &chart.Bars{}}), "plots"); len(lines) != 2 || !strings.HasSuffix(lines[1], "; 1 more of the kind") {
		t.Error(lines)
	}
	points[0].State = view.Saturated
	if all := All(sample.Open(t, meta, points...), []string{"tpot_mean_ms"}); len(all) != 0 {
		t.Errorf("a saturated baseline has a tornado: %+v", all)
	}
}
