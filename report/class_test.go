package report

import (
	"math"
	"path/filepath"
	"strings"
	"testing"

	"scoville/core/table"
	"scoville/sweep/results"
)

// byClass writes a table of two classes beside the results and loads them again.
func byClass(t *testing.T, r *Report) *Report {
	t.Helper()
	cols := []table.Column{{Name: "point_id", Kind: table.String}, {Name: "point_index", Kind: table.Int64}, {Name: "class", Kind: table.String}}
	for _, m := range append([]string{"requests_count"}, classMetrics...) {
		for _, suffix := range []string{"_mean", "_ci_lo", "_ci_hi"} {
			cols = append(cols, table.Column{Name: m + suffix})
		}
		cols = append(cols, table.Column{Name: m + "_n", Kind: table.Int64})
	}
	w, err := table.Create(filepath.Join(r.data.Dir, results.ClassesFile), cols, map[string]string{"digest": r.data.Manifest.Digest})
	if err != nil {
		t.Fatal(err)
	}
	for i := range r.data.Points.Len() {
		if !r.data.OK(i) {
			continue
		}
		for k, class := range []string{"short", "long"} {
			row := table.Row{"x", int64(r.data.Index(i)), class}
			for range 1 + len(classMetrics) {
				v := float64(100*(k+1) + i)
				row = append(row, v, v-5, v+5, int64(2))
			}
			if err := w.Append(row); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if r, err = Load(r.data.Dir); err != nil {
		t.Fatal(err)
	}
	return r
}

func TestClasses(t *testing.T) {
	spec := results.ReportSpec{Published: []results.Published{
		{Name: "long", At: "hardware == 'separate' && prompt_tokens == 2000", Class: "long", Metric: "ttft_mean_ms", Value: 200, Tolerance: 0.1},
		{Name: "overloaded", At: "hardware == 'shared-6' && prompt_tokens == 32000", Class: "long", Metric: "ttft_mean_ms", Value: 200, Tolerance: 0.1},
	}}
	r := studied(t, results.Meta{Report: spec}, "tpot_mean_ms")
	if s := r.classes(); s != nil {
		t.Fatalf("classes where there are none: %v", s)
	}
	r = byClass(t, r)
	s := r.classes()[0]
	if len(s.Rows) != 34 || s.Rows[3][3] != "long" || s.Rows[3][5] != "201 ± 5" {
		t.Errorf("%d rows, %q", len(s.Rows), s.Rows[3])
	}
	if row := s.Rows[23]; row[0] != "11" || row[5] != "saturated" {
		t.Errorf("a class of a saturated point: %q", row)
	}
	rows := r.published()[0].Rows
	if rows[0][2] != "201 ± 5" || rows[0][4] != "reproduced" || !strings.HasPrefix(rows[1][4], "cannot follow") {
		t.Errorf("%q", rows)
	}
}

// Numbers that rest on nothing but an assumption are listed as such.
func TestGrades(t *testing.T) {
	r := studied(t, results.Meta{}, "tpot_mean_ms")
	if s := r.grades(); s != nil {
		t.Errorf("%v", s)
	}
	r.data.Manifest.Numbers = []results.Number{
		{Hardware: "jalapeno", Path: "hardware.memory_gb", Unit: "GB", Min: 16, Max: 16, Grade: "assumed", Source: "fits", Layer: "jalapeno", Points: 18},
		{Hardware: "jalapeno", Path: "hardware.weight_bandwidth_gb_s", Unit: "GB/s", Min: 4800, Max: 6000, Grade: "published", Source: "write-up", Layer: "jalapeno", Points: 18},
	}
	s := r.grades()[0]
	if s.Long || s.Rows[0][0] != "assumed" || s.Rows[1][2] != "4800 to 6000" || s.Notes[0] != "2 numbers: 1 published, 0 calibrated, 0 derived, 1 assumed" {
		t.Errorf("%+v", s)
	}
}

// The cells of a table of two axes are those of its points.
func TestCrossed(t *testing.T) {
	meta := results.Meta{Axes: []results.Axis{{Path: "a.x", Kind: table.Int64, Outer: true}, {Path: "a.y", Kind: table.Int64, Outer: true}}}
	var runs []results.Run
	for i := range 30 {
		r := run(i, 0, float64(100+i), 1)
		r.Axes = []any{int64(i / 10), int64(i % 10)}
		if i == 13 {
			*r.Steady, r.OfferedRPS, r.LoadRatio = false, 8, 2
		}
		if i == 14 {
			r.Status, r.Error = results.Infeasible, "too large"
		}
		runs = append(runs, r)
	}
	r := dataset(t, meta, runs)
	s := r.sections[0]
	if s.Title != "tpot_mean_ms" || strings.Join(s.Head, ";") != "y;x = 0;x = 1;x = 2" || len(s.Rows) != 10 {
		t.Fatalf("%+v", s)
	}
	for y, want := range map[int]string{0: "0;100.0;110.0;120.0", 3: "3;103.0;saturated;123.0", 4: "4;104.0;infeasible;124.0"} {
		if got := strings.Join(s.Rows[y], ";"); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	if last := r.sections[2]; last.Title != "bound" || last.Rows[0][1] != "weight_memory" {
		t.Errorf("%+v", last)
	}
}

// A plot of a metric joins its points along the axis, or in the order of x
// where the axis is of words.
func TestJoined(t *testing.T) {
	meta := results.Meta{Axes: []results.Axis{{Path: "engine.scheduler", Kind: table.String, Outer: true}}}
	meta.Report.Plots = []results.Plot{{Name: "p", X: "ttft_mean_ms", Y: "tpot_mean_ms"}}
	var runs []results.Run
	for i, x := range []float64{9, 1, 5} {
		r := run(i, 0, 10*x, x)
		r.Axes = []any{[]string{"a", "b", "c"}[i]}
		runs = append(runs, r)
	}
	line := dataset(t, meta, runs).plots[0].Chart.Lines[0]
	for i, want := range []float64{1, 5, 9} {
		if p := line.Points[i]; p.X != want || math.Abs(p.Y-10*want) > 1e-12 || line.Loose {
			t.Errorf("point %d at %v, %v", i, p.X, p.Y)
		}
	}
}

// Metrics of points that several axes tell apart are no line. Two objectives are
// drawn against each other unasked, with the front marked.
func TestFrontIsDrawn(t *testing.T) {
	meta := results.Meta{Axes: []results.Axis{{Path: "a.x", Kind: table.Int64, Outer: true}, {Path: "a.y", Kind: table.Int64, Outer: true}}}
	meta.Objectives = []results.Objective{{Metric: "ttft_mean_ms", Goal: "min"}, {Metric: "tpot_mean_ms", Goal: "min"}}
	var runs []results.Run
	for i := range 9 {
		r := run(i, 0, float64(1+i*4%9), float64(1+i*7%9))
		r.Axes = []any{int64(i / 3), int64(i % 3)}
		runs = append(runs, r)
	}
	r := dataset(t, meta, runs)
	if len(r.plots) == 0 || r.plots[0].Name != "front" {
		t.Fatalf("plots %+v", r.plots)
	}
	p := r.plots[0]
	if line := p.Chart.Lines[0]; !line.Loose || len(line.Points) != 9 || p.Chart.Legend[1] != "pareto" {
		t.Errorf("%+v", p.Chart)
	}
	if len(p.Notes) == 0 || !strings.Contains(p.Notes[0], "folds x, y, which vary from point to point: points are not joined") {
		t.Errorf("notes %q", p.Notes)
	}
}

// The front and the kept points are those that the columns say, with gains
// against the baseline that agrees in the other axis.
func TestFronts(t *testing.T) {
	meta := results.Meta{
		Report:     results.ReportSpec{Keep: "tpot_gain_ratio > 0.2", Baseline: "name == 'shared-6'"},
		Objectives: []results.Objective{{Metric: "tpot_mean_ms", Goal: "min"}, {Metric: "ttft_mean_ms", Goal: "min"}},
	}
	s := studied(t, meta, "tpot_mean_ms", "ttft_mean_ms").fronts()
	if len(s) != 2 {
		t.Fatalf("%d tables", len(s))
	}
	if s[0].Title != "Pareto front of tpot_mean_ms min, ttft_mean_ms min" || len(s[0].Rows) != 1 || s[0].Rows[0][0] != "12" || s[0].Notes[0] != "1 of 18 points" {
		t.Errorf("%+v", s[0])
	}
	// 1 - (0.842 + 33e-6 x) / (1.123 + 44e-6 x) = 0.250
	if got := s[1].Rows[0]; s[1].Title != "kept: tpot_gain_ratio > 0.2" || len(s[1].Rows) != 6 || got[0] != "12" || got[3] != "+25.0%" || s[1].Rows[5][0] != "3" {
		t.Errorf("%+v", s[1])
	}
	for _, row := range s[1].Rows {
		if row[0] == "5" || row[0] == "11" || row[0] == "17" {
			t.Errorf("a point without a steady value, or against one, is kept: %q", row)
		}
	}
}

// A baseline named by its number is that of all points.
func TestGainAgainstOnePoint(t *testing.T) {
	r := studied(t, results.Meta{Report: results.ReportSpec{Baseline: "point_index == 0"}}, "tpot_mean_ms")
	first, _ := r.data.Estimate("tpot_mean_ms", 0)
	for _, i := range []int{0, 3, 7, 12} {
		e, _ := r.data.Estimate("tpot_mean_ms", i)
		if got, ok := r.data.Gain("tpot_gain_ratio", i); !ok || math.Abs(got-(1-e.Mean/first.Mean)) > 1e-12 {
			t.Errorf("point %d: gain %v, %v; want %v", i, got, ok, 1-e.Mean/first.Mean)
		}
	}
}
