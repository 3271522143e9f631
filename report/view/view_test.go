package view_test

import (
	"math"
	"slices"
	"strings"
	"testing"

	"scoville/core/table"
	"scoville/report/sample"
	"scoville/report/view"
	"scoville/sweep/results"
)

// zipped has a numeric axis and two columns of one zip, one of which ends in
// ".name".
func zipped(t *testing.T) *view.View {
	meta := results.Meta{Axes: []results.Axis{
		{Path: "hardware.name", Kind: table.String, Group: "chip", Outer: true},
		{Path: "hardware.memory_gib", Kind: table.Float64, Unit: "GiB", Group: "chip", Outer: true},
		{Path: "engine.max_num_seqs", Kind: table.Int64, Group: "seqs", Outer: true},
	}}
	return sample.Open(t, meta,
		sample.Point{Axes: []any{"a", 80.0, int64(1)}, TPOT: []float64{10, 14}, State: view.Steady},
		sample.Point{Axes: []any{"a", 80.0, int64(2)}, TPOT: []float64{20, 20}, State: view.Saturated},
		sample.Point{Axes: []any{"b", 96.0, int64(1)}, TPOT: []float64{5}, State: view.Unjudged},
		sample.Point{Axes: []any{"b", 96.0, int64(2)}, TPOT: []float64{8}, State: view.Bounded},
		sample.Point{Axes: []any{"b", 96.0, int64(4)}, TPOT: []float64{8}, State: view.None, Reason: "too large"},
	)
}

func TestStates(t *testing.T) {
	v := zipped(t)
	for i, want := range []view.State{view.Steady, view.Saturated, view.Unjudged, view.Bounded, view.None} {
		if got := v.State(i); got != want || v.OK(i) != (want != view.None) || v.Index(i) != i {
			t.Errorf("point %d (%d) is %d, want %d", i, v.Index(i), got, want)
		}
	}
}

func TestFind(t *testing.T) {
	v := zipped(t)
	for condition, want := range map[string][]int{
		"":                              {0, 1, 2, 3, 4},
		"name == 'a'":                   {0, 1},
		"hardware == 'a'":               {0, 1}, // the path without .name
		"hardware.name == 'a'":          {0, 1},
		"engine.max_num_seqs >= 2":      {1, 3, 4},
		"max_num_seqs == 1 && steady":   {0},
		"tpot_mean_ms < 9":              {2, 3}, // by its mean; the infeasible has none
		"tpot_mean_ms_mean == 12":       {0},
		"running_mean_seqs == 1.5":      {0, 1}, // of the runs
		"status == 'infeasible'":        {4},
		"memory_gib > 90 && !baseline":  {2, 3, 4},
		"max_num_seqs == 3":             nil,
		"tpot_mean_ms > ttft_mean_ms":   nil,
		"bound == 'x' || name ~ 'B'":    {2, 3, 4},
		"offered_rps / load_ratio == 4": {0, 1, 2},
	} {
		if got, err := v.Find(condition); err != nil || !slices.Equal(got, want) {
			t.Errorf("%q finds %v, %v, want %v", condition, got, err, want)
		}
	}
	for condition, want := range map[string]string{
		"seqs == 1":         `no axis or metric "seqs"`,
		"max_num_seqs = 1":  "no comparison after",
		"tpot_p99_ms > 1":   `no axis or metric "tpot_p99_ms"`,
		"max_num_seqs == (": "",
	} {
		if got, err := v.Find(condition); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q finds %v, %v, want %s", condition, got, err, want)
		}
	}
}

// A mean comes with the interval of Student's t over the replicates: 2 values
// 4 apart have 2 x 12.706.
func TestEstimates(t *testing.T) {
	v := zipped(t)
	e, ok := v.Estimate("tpot_mean_ms", 0)
	if !ok || e.Mean != 12 || math.Abs(e.Hi-12-2*12.7062) > 1e-3 || math.Abs(e.Hi+e.Lo-24) > 1e-9 {
		t.Errorf("%+v, %t", e, ok)
	}
	if e, ok := v.Estimate("tpot_mean_ms", 2); !ok || e.Mean != 5 || !math.IsNaN(e.Lo) || !math.IsNaN(e.Hi) {
		t.Errorf("one run: %+v, %t", e, ok)
	}
	if e, ok := v.Estimate("tpot_mean_ms", 4); ok {
		t.Errorf("an infeasible point has %+v", e)
	}
	if mean, least, most, ok := v.RunMean("running_mean_seqs", 0); !ok || mean != 1.5 || least != 1 || most != 2 {
		t.Errorf("over the runs: %v in %v .. %v, %t", mean, least, most, ok)
	}
	if _, _, _, ok := v.RunMean("nothing", 0); ok || v.Err() != nil {
		t.Errorf("a column that is not there has a mean (%v)", v.Err())
	}
	for name, want := range map[string]any{"hardware": "a", "max_num_seqs": int64(1), "memory_gib": 80.0, "steady": true, "tpot_mean_ms": 12.0, "oat_path": nil, "nothing": nil} {
		if got := v.Value(name, 0); got != want {
			t.Errorf("%s is %v, want %v", name, got, want)
		}
	}
}

// Of the columns of one zip the first says all.
func TestIndependent(t *testing.T) {
	v := zipped(t)
	for _, c := range []struct {
		points          []int
		varying, unlike string
	}{
		{[]int{0, 1, 2, 3, 4}, "name memory_gib max_num_seqs", "name max_num_seqs"},
		{[]int{0, 1}, "max_num_seqs", "max_num_seqs"},
		{[]int{0, 2}, "name memory_gib", "name"},
		{[]int{3}, "", ""},
	} {
		names := func(columns []table.Column) string {
			var out []string
			for _, c := range columns {
				out = append(out, c.Name)
			}
			return strings.Join(out, " ")
		}
		if a, b := names(v.Varying(c.points)), names(v.Independent(c.points)); a != c.varying || b != c.unlike {
			t.Errorf("%v: %q vary, %q independently, want %q, %q", c.points, a, b, c.varying, c.unlike)
		}
	}
}

// Gains are those of the points table, by the metric's name or its family's.
func TestGain(t *testing.T) {
	meta := results.Meta{
		Axes:   []results.Axis{{Path: "engine.max_num_seqs", Kind: table.Int64, Group: "seqs", Outer: true}},
		Report: results.ReportSpec{Baseline: "max_num_seqs == 1"},
	}
	v := sample.Open(t, meta,
		sample.Point{Axes: []any{int64(1)}, TPOT: []float64{10}, State: view.Steady},
		sample.Point{Axes: []any{int64(2)}, TPOT: []float64{8}, State: view.Steady},
		sample.Point{Axes: []any{int64(3)}, TPOT: []float64{1}, State: view.Saturated},
	)
	for _, c := range []struct {
		name  string
		point int
		want  float64 // NaN = none
	}{
		{"tpot_gain_ratio", 0, 0},
		{"tpot_gain_ratio", 1, 0.2},
		{"tpot_mean_ms_gain_ratio", 1, 0.2},
		{"output_tok_s_gain_ratio", 1, 0.25},
		{"tpot_gain_ratio", 2, math.NaN()},
		{"running_mean_seqs_gain_ratio", 1, math.NaN()},
		{"tpot_mean_ms", 1, math.NaN()},
	} {
		got, ok := v.Gain(c.name, c.point)
		if ok == math.IsNaN(c.want) || ok && math.Abs(got-c.want) > 1e-12 {
			t.Errorf("%s of point %d: %v, %t, want %v", c.name, c.point, got, ok, c.want)
		}
	}
}
