package statistic

import (
	"fmt"
	"math"
	"math/rand/v2"
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
// patients with two drugs. Difference 1.58 h, 95 % interval 0.7001142 to
// 2.4598858 as R's paired t.test prints it.
func TestIntervalOfStudentsSleepData(t *testing.T) {
	one := []float64{0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0.0, 2.0}
	two := []float64{1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4}
	diff := make([]float64, len(one))
	for i := range diff {
		diff[i] = two[i] - one[i]
	}
	e := Student{}.Mean(diff)
	near(t, "difference", e.Mean, 1.58, 1e-12)
	near(t, "lo", e.Lo, 0.7001142, 1e-7)
	near(t, "hi", e.Hi, 2.4598858, 1e-7)
	if e.N != 10 {
		t.Errorf("n = %d", e.N)
	}
}

// A change in proportion has no scatter, whatever that of the baselines: also
// one to nothing. Else the remainders decide: bases 1, 2, 3 and changes 0.5, 1,
// 0.9 give r = 2.4/6 = 0.4 and remainders 0.1, 0.2, -0.3 of sd
// sqrt(0.14/2) = 0.264575; 4.302653 x 0.264575 / sqrt(3) / 2 = 0.328620.
func TestChangeIsARatioOfMeans(t *testing.T) {
	base := []float64{1, 2, 3}
	for share, x := range map[float64][]float64{0.25: {1.25, 2.5, 3.75}, -1: {0, 0, 0}, 0: {1, 2, 3}} {
		e := Student{}.Change(x, base)
		for what, got := range map[string]float64{"effect": e.Mean, "lo": e.Lo, "hi": e.Hi} {
			near(t, fmt.Sprintf("%s of a change by %g", what, share), got, share, 1e-15)
		}
	}
	e := Student{}.Change([]float64{1.5, 3, 3.9}, base)
	near(t, "effect", e.Mean, 0.4, 1e-12)
	near(t, "lo", e.Lo, 0.4-0.328620, 1e-6)
	near(t, "hi", e.Hi, 0.4+0.328620, 1e-6)
}

// Intervals of changes hold the true ratio as often as they say.
func TestChangeCovers(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	const trials, n, truth = 2000, 10, 0.2
	hit, s := 0, Student{}
	for range trials {
		x, base := make([]float64, n), make([]float64, n)
		for i := range base {
			base[i] = 5 + r.NormFloat64()
			x[i] = base[i]*(1+truth) + 0.3*r.NormFloat64()
		}
		if e := s.Change(x, base); e.Lo <= truth && truth <= e.Hi {
			hit++
		}
	}
	if share := float64(hit) / trials; share < 0.93 || share > 0.97 {
		t.Errorf("95 %% intervals hold the truth in %.1f %% of trials", 100*share)
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

func TestMostFrequent(t *testing.T) {
	for want, words := range map[string][]string{"": nil, "a": {"b", "a", "a"}, "c": {"c", "d", "d", "c"}, "b": {"b", "a"}} {
		if got := MostFrequent(words); got != want {
			t.Errorf("%q of %q, want %q", got, words, want)
		}
	}
}

// Welch's interval for Student's sleep data taken as two groups: R's t.test prints
// -3.3654832 to 0.2054832 at 17.776 degrees of freedom, half of it 1.7854832. With
// both groups shifted to the same mean 10 the ratio is 1, and the interval that
// over 10.
func TestWelchOfStudentsSleepData(t *testing.T) {
	one := []float64{0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0.0, 2.0}
	two := []float64{1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4}
	for i := range one {
		one[i] += 10 - 0.75
		two[i] += 10 - 2.33
	}
	e := Student{}.Welch(one, two)
	near(t, "change", e.Mean, 0, 1e-12)
	near(t, "lo", e.Lo, -0.17854832, 1e-8)
	near(t, "hi", e.Hi, 0.17854832, 1e-8)
	// Without spread the change is exact; of one value there is no interval.
	if e := (Student{}).Welch([]float64{3, 3, 3}, []float64{2, 2}); e.Mean != 0.5 || e.Lo != 0.5 || e.Hi != 0.5 || e.N != 2 {
		t.Errorf("%+v", e)
	}
	if e := (Student{}).Welch([]float64{3}, []float64{2, 2}); e.Mean != 0.5 || !math.IsNaN(e.Lo) || e.N != 1 {
		t.Errorf("%+v", e)
	}
	for _, base := range [][]float64{nil, {-1, 1}} {
		if e := (Student{}).Welch([]float64{1, 2}, base); !math.IsNaN(e.Mean) {
			t.Errorf("base %v: %+v", base, e)
		}
	}
}

// Intervals of independent means hold the true ratio as often as they say.
func TestWelchCovers(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	const trials, truth = 2000, 0.2
	hit, s := 0, Student{}
	for range trials {
		x, base := make([]float64, 8), make([]float64, 15)
		for i := range x {
			x[i] = 12 + 1.5*r.NormFloat64()
		}
		for i := range base {
			base[i] = 10 + 0.5*r.NormFloat64()
		}
		if e := s.Welch(x, base); e.Lo <= truth && truth <= e.Hi {
			hit++
		}
	}
	if share := float64(hit) / trials; share < 0.935 || share > 0.965 {
		t.Errorf("95 %% intervals hold the truth in %.1f %% of trials", 100*share)
	}
}

// Among widens to t(1 - 0.025/k): of five values and four comparisons t(0.99375,
// 4) = 4.3147 in place of 2.7764, by the closed form of the distribution with 4
// degrees of freedom.
func TestAmong(t *testing.T) {
	s := Student{}
	e := s.Mean([]float64{1, 2, 3, 4, 5})
	wide := s.Among(e, 4)
	near(t, "factor", (wide.Hi-wide.Mean)/(e.Hi-e.Mean), 4.3147/2.7764, 1e-3)
	if got := s.Among(e, 1); got != e {
		t.Errorf("one comparison: %+v", got)
	}
}
