package statistic

import (
	"fmt"
	"math"
	"testing"
)

func near(t *testing.T, what string, got, want, tol float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tol) {
		t.Errorf("%s is %.9g, want %.9g", what, got, want)
	}
}

// Two-sided 95 % points of Student's t, from the table in NIST/SEMATECH
// e-Handbook of Statistical Methods, section 1.3.6.7.2.
func TestStudentQuantiles(t *testing.T) {
	for freedom, want := range map[int]float64{1: 12.706, 2: 4.303, 3: 3.182, 4: 2.776, 9: 2.262, 19: 2.093, 30: 2.042, 100: 1.984} {
		s := Student{}
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
	e := Student{}.Change(two, one)
	const base = 0.75 // mean of one
	near(t, "effect", e.Mean, 1.58/base, 1e-12)
	near(t, "lo", e.Lo, 0.7001142/base, 1e-7)
	near(t, "hi", e.Hi, 2.4598858/base, 1e-7)
	if e.N != 10 {
		t.Errorf("n = %d", e.N)
	}
}

func TestFewValues(t *testing.T) {
	s := Student{}
	for _, c := range []struct{ x, base []float64 }{{nil, nil}, {[]float64{3}, []float64{2}}, {[]float64{1, 2}, []float64{-1, 1}}} {
		e := s.Change(c.x, c.base)
		if !math.IsNaN(e.Lo) || !math.IsNaN(e.Hi) || e.N != len(c.x) {
			t.Errorf("%v: %+v", c, e)
		}
	}
	if e := s.Change([]float64{3}, []float64{2}); e.Mean != 0.5 {
		t.Errorf("one pair: %+v", e)
	}
	// A negative baseline turns the interval round: lo stays below hi.
	if e := s.Change([]float64{-1, -4}, []float64{-2, -3}); !(e.Lo < e.Hi) {
		t.Errorf("negative baseline: %+v", e)
	}
	if e := s.Mean([]float64{5, 5, 5}); e.Mean != 5 || e.Lo != 5 || e.Hi != 5 {
		t.Errorf("equal values: %+v", e)
	}
}
