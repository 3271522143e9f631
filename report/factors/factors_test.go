package factors

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"testing"

	"scoville/core/table"
	"scoville/report/sample"
	"scoville/report/view"
	"scoville/sweep/results"
)

// sampled makes the results of a design of a, b and the dummy, at two
// combinations: TPOT is 10 + 4 u(a), and at the second 10 + 8 u(b); the runs of
// noisy replicates scatter.
func sampled(t *testing.T, method string, n int, noisy float64) *view.View {
	t.Helper()
	meta := results.Meta{Axes: []results.Axis{
		{Path: "context", Kind: table.String, Outer: true},
		{Path: "hardware.a", Kind: table.Float64},
		{Path: "hardware.b", Kind: table.Float64},
	}}
	design := fmt.Sprintf(`{"Sample": {"method": %q, "n": %d, "seed": "1", "dummy": true, "combinations": 2, "dims": [
		{"path": "hardware.a", "kind": "range", "min": 0, "max": 10}, {"path": "hardware.b", "kind": "range", "min": 1, "max": 5}]}}`, method, n)
	if err := json.Unmarshal([]byte(design), &meta); err != nil {
		t.Fatal(err)
	}
	var points []sample.Point
	for c, context := range []string{"short", "long"} {
		for i := range meta.Sample.Design.Rows() {
			u := meta.Sample.Unit(i)
			y := 10 + 4*u[0]
			if c == 1 {
				y = 10 + 8*u[1]
			}
			p := sample.Point{Axes: []any{context, 10 * u[0], 1 + 4*u[1]}, State: view.Steady}
			for r := range 3 {
				p.TPOT = append(p.TPOT, y+noisy*math.Sin(float64(31*i+7*r*r)))
			}
			if c == 1 && i == 1 {
				p.State = view.Saturated
			}
			points = append(points, p)
		}
	}
	return sample.Open(t, meta, points...)
}

var tpot = []table.Column{{Name: "tpot_mean_ms", Unit: "ms", Better: "lower"}}

func text(t Table) string {
	var out []string
	for _, row := range append([][]string{t.Head}, t.Rows...) {
		out = append(out, strings.Join(row, " | "))
	}
	return strings.Join(append(out, t.Notes...), "\n")
}

// Each method has a table a combination, most important parameter first and the
// dummy last, and a long one a metric with every interval.
func TestTables(t *testing.T) {
	for _, c := range []struct {
		method string
		n      int
		want   [2][]string // in the tables of the two combinations
	}{
		{"morris", 6, [2][]string{{"hardware.a | 4.000 ± 0 / 0.00\nhardware.b | ~\ndummy | ~", "converged"}, {"hardware.b | 8.000 ± 0 / 0.00\nhardware.a | ~\ndummy | ~", "1 of 6 trajectories left out"}}},
		{"saltelli", 256, [2][]string{{"hardware.a | 1.0", "\nhardware.b | ~\ndummy | ~", "interactions"}, {"hardware.b | 1.0", "1 of 256 blocks left out"}}},
		{"lhs", 200, [2][]string{{"hardware.a | 1.000 ± 0 / 1.00", "a plane explains 1.000 of"}, {"hardware.b | 1.000 ± 0 / 1.00", "1 of 200 rows left out"}}},
	} {
		tables, err := Sampled(sampled(t, c.method, c.n, 0), tpot)
		if err != nil || len(tables) != 4 {
			t.Fatalf("%s: %d tables, %v", c.method, len(tables), err)
		}
		for i, outer := range []string{"short", "long"} {
			got := text(tables[i])
			if tables[i].Title != kindOf(c.method).title+", context = "+outer || tables[i].Long || !tables[i+2].Long {
				t.Errorf("%s: table %q", c.method, tables[i].Title)
			}
			for _, want := range c.want[i] {
				if !strings.Contains(got, want) {
					t.Errorf("%s: no %q in\n%s", c.method, want, got)
				}
			}
		}
		if got := text(tables[2]); !strings.Contains(got, "95% interval") || !strings.Contains(got, "to") {
			t.Errorf("%s: %s", c.method, got)
		}
	}
	if tables, err := Sampled(sample.Open(t, results.Meta{}, sample.Point{TPOT: []float64{1}}), tpot); tables != nil || err != nil {
		t.Errorf("without a sample: %v, %v", tables, err)
	}
}

// Scatter between replicates is said, and what is not above it has no number.
func TestNoise(t *testing.T) {
	tables, err := Sampled(sampled(t, "saltelli", 128, 3), tpot)
	if err != nil {
		t.Fatal(err)
	}
	got := text(tables[0])
	for _, want := range []string{"\nhardware.b | ~", "the inert dummy has a total index of", "hardware.a | 0."} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
}

// A picture a metric and combination; correlations have the scatter plot of the
// parameter that goes with the metric most.
func TestBars(t *testing.T) {
	v := sampled(t, "lhs", 100, 0.1)
	p := Bars(v, []string{"tpot_mean_ms"})
	if len(p) != 2 || p[1].Name != "factors-tpot_mean_ms-2" || p[0].Bars.Rows[0].Name != "hardware.a" || p[1].Bars.Rows[0].Name != "hardware.b" || p[0].Bars.Rows[2].Name != "dummy" {
		t.Fatalf("%+v", p)
	}
	if b := p[0].Bars.Rows[0].Bars[0]; b.Value < 0.99 || !(b.Lo < b.Value && b.Value <= b.Hi) || p[0].Bars.Floor.Label != "chance" {
		t.Errorf("%+v %+v", b, p[0].Bars.Floor)
	}
	if x, ok := Strongest(v, "tpot_mean_ms"); x != "hardware.a" || !ok {
		t.Errorf("strongest %q %v", x, ok)
	}
	if x, ok := Strongest(sampled(t, "morris", 4, 0), "tpot_mean_ms"); ok {
		t.Errorf("a trajectory has a scatter plot against %q", x)
	}
}

// Elasticities of TPOT 10 to 12 at -20 % and to 11 at x2; names and saturated
// points have none. Remainders of the differences beyond 20 %: 0, 0.06, -0.06, of
// standard deviation 0.06: 4.303 x 0.06 / sqrt(3) / 10 / 0.2 = 0.0745.
func TestElasticities(t *testing.T) {
	meta := results.Meta{Axes: []results.Axis{{Path: "context", Kind: table.String, Outer: true}, {Path: "hardware.a", Kind: table.Float64}}}
	change := func(path, level string, change float64, state view.State, tpot ...float64) sample.Point {
		return sample.Point{Axes: []any{"short", 1.0}, Path: path, Level: level, Change: change, State: state, TPOT: tpot}
	}
	v := sample.Open(t, meta,
		sample.Point{Axes: []any{"short", 1.0}, Baseline: true, State: view.Steady, TPOT: []float64{10, 10.2, 9.8}},
		change("hardware.a", "-20%", -0.2, view.Steady, 12, 12.3, 11.7),
		change("hardware.a", "x2", 1, view.Steady, 9.9, 10.6, 9.5),
		change("hardware.a", "-10%", -0.1, view.Steady, 10.00001, 10.20001, 9.80001),
		change("hardware.a", "x9", 8, view.Saturated, 2, 2, 2),
		change("engine.scheduler", "static", 0, view.Steady, 11, 11.22, 10.78),
	)
	tables, err := Elasticities(v, tpot)
	if err != nil || len(tables) != 1 || !tables[0].Long {
		t.Fatalf("%+v %v", tables, err)
	}
	got := text(tables[0])
	for _, want := range []string{"a -20% at context = short | -1.00 ± 0.07\n", "a x2 at context = short | ~\n", "a -10% at context = short | <0.0001\n", "a x9 at context = short | saturated\n"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
	if strings.Contains(got, "static") {
		t.Errorf("a name has an elasticity:\n%s", got)
	}
	if tables, err := Elasticities(sampled(t, "morris", 2, 0), tpot); tables != nil || err != nil {
		t.Errorf("without changes: %v, %v", tables, err)
	}
}
