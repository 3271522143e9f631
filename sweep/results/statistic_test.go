package results

import (
	"fmt"
	"math"
	"testing"

	"scoville/core/table"
)

func TestAxisNames(t *testing.T) {
	metrics := []table.Column{{Name: "ttft_p99_ms"}}
	for _, c := range []struct{ paths, want []string }{
		{[]string{"hardware.weight_bandwidth_gb_s", "workload.rate_rps"}, []string{"weight_bandwidth_gb_s", "rate_rps"}},
		{[]string{"model.name", "hardware.name"}, []string{"model_name", "hardware_name"}},
		{[]string{"model.name", "workload.rate_rps"}, []string{"name", "rate_rps"}},
		{[]string{"engine.status", "x.runs", "x.level", "x.ttft_p99_ms"}, []string{"engine_status", "x_runs", "x_level", "x_ttft_p99_ms"}},
		{[]string{"workload.class.long-ctx.share", "workload.class.Short.share"}, []string{"workload_class_long_ctx_share", "workload_class_short_share"}},
		{[]string{"platform"}, []string{"platform"}},
		{[]string{"a.b.c", "b.c", "x.a_b_c"}, []string{"a_b_c", "b_c", "x_a_b_c"}},
		{[]string{"a.b.c", "x.c", "a.b_c", "y.b_c"}, []string{"a_b_c", "x_c", "a_b_c_2", "y_b_c"}},
		{[]string{"model.70b", "--"}, []string{"axis_70b", "axis_"}},
		{nil, nil},
	} {
		got := AxisNames(c.paths, metrics)
		if fmt.Sprint(got) != fmt.Sprint(c.want) {
			t.Errorf("%q: %q, want %q", c.paths, got, c.want)
		}
	}
}

// Two-sided 95 % points of Student's t, from the table in NIST/SEMATECH
// e-Handbook of Statistical Methods, section 1.3.6.7.2.
func TestStudentQuantiles(t *testing.T) {
	for freedom, want := range map[int]float64{1: 12.706, 2: 4.303, 3: 3.182, 4: 2.776, 9: 2.262, 19: 2.093, 30: 2.042, 100: 1.984} {
		s := student{}
		for range 2 { // computed, then cached
			near(t, fmt.Sprintf("t(%d)", freedom), s.quantile(freedom+1), want, 5e-4)
		}
	}
}

// Student's sleep data (Biometrika 6, 1908): additional hours of sleep of ten
// patients with two drugs. Paired difference 1.58 h, 95 % interval 0.7001142 to
// 2.4598858 as R's t.test prints it.
func TestPairedIntervalOfStudentsSleepData(t *testing.T) {
	one := []float64{0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0.0, 2.0}
	two := []float64{1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4}
	e := student{}.change(two, one)
	const base = 0.75 // mean of one
	near(t, "effect", e.mean, 1.58/base, 1e-12)
	near(t, "lo", e.lo, 0.7001142/base, 1e-7)
	near(t, "hi", e.hi, 2.4598858/base, 1e-7)
	if e.n != 10 {
		t.Errorf("n = %d", e.n)
	}
}

func TestFewValues(t *testing.T) {
	s := student{}
	for _, c := range []struct{ x, base []float64 }{{nil, nil}, {[]float64{3}, []float64{2}}, {[]float64{1, 2}, []float64{-1, 1}}} {
		e := s.change(c.x, c.base)
		if !math.IsNaN(e.lo) || !math.IsNaN(e.hi) || e.n != len(c.x) {
			t.Errorf("%v: %+v", c, e)
		}
	}
	if e := s.change([]float64{3}, []float64{2}); e.mean != 0.5 {
		t.Errorf("one pair: %+v", e)
	}
	// A negative baseline turns the interval round: lo stays below hi.
	if e := s.change([]float64{-1, -4}, []float64{-2, -3}); !(e.lo < e.hi) {
		t.Errorf("negative baseline: %+v", e)
	}
	if e := s.mean([]float64{5, 5, 5}); e.mean != 5 || e.lo != 5 || e.hi != 5 {
		t.Errorf("equal values: %+v", e)
	}
}
