package diagnose

import (
	"math"
	"testing"

	"scoville/core/workload"
)

// Many groups are what they show, none what was stated, and between them a few
// groups that agree do not make a new one certain.
func TestScaleLimits(t *testing.T) {
	if s := Scale(0.2, 100_000, 0.05); math.Abs(s/0.2-1) > 1e-3 {
		t.Errorf("many groups: %g", s)
	}
	wide := 2.1318 / 1.645 // Student's 95 % quantile of 4 degrees of freedom
	if s := Scale(math.NaN(), 1, 0.05); math.Abs(s/(0.05*wide)-1) > 1e-3 {
		t.Errorf("no residuals: %g", s)
	}
	if a, b := Scale(0.01, 3, 0.05), Scale(0.01, 30, 0.05); !(a > 2*b && b > 0.01) {
		t.Errorf("3 groups %g, 30 groups %g", a, b)
	}
	if a, b := Scale(0.02, 3, 0.05), Scale(0.2, 3, 0.05); a >= b {
		t.Errorf("larger residuals, %g and %g", a, b)
	}
}

// Where variances are spread as Scale takes them to be, its intervals hold 90 %
// of new groups, of three groups as of thirty.
func TestScaleCoverage(t *testing.T) {
	const sigma, trials = 0.05, 4000
	for _, groups := range []int{2, 3, 6, 30} {
		s := workload.NewStream(uint64(groups), 0, "scale")
		inside, n := 0, 0
		normal := func() float64 { n++; return s.Normal(n) }
		for range trials {
			chi := 0.0
			for range prior {
				z := normal()
				chi += z * z
			}
			sd := sigma * math.Sqrt(prior/chi)
			square := 0.0
			for range groups - 1 { // mean known to be 0
				x := sd * normal()
				square += x * x
			}
			spread := math.Sqrt(square / float64(groups-1))
			if math.Abs(sd*normal()) <= z*Scale(spread, groups, sigma) {
				inside++
			}
		}
		if share := float64(inside) / trials; math.Abs(share-Share) > 0.015 {
			t.Errorf("%d groups: intervals hold %.3f", groups, share)
		}
	}
}
