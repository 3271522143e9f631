// Package statistic estimates means and paired changes with 95 % intervals from
// replicates. It knows neither metrics nor files.
package statistic

import (
	"math"

	"gonum.org/v1/gonum/stat/distuv"
)

// Estimate is a mean with its 95 % confidence interval: mean of n independent
// values +- t(0.975, n-1) sd / sqrt(n). The bounds are NaN for n < 2, the mean
// for n = 0.
type Estimate struct {
	Mean, Lo, Hi float64
	N            int
}

// Unknown is the estimate from n values that tell nothing.
func Unknown(n int) Estimate { return Estimate{math.NaN(), math.NaN(), math.NaN(), n} }

// Student caches the quantiles of Student's t by number of values.
type Student map[int]float64

// quantile returns t(0.975, n-1).
func (s Student) quantile(n int) float64 {
	t, ok := s[n]
	if !ok {
		t = distuv.StudentsT{Mu: 0, Sigma: 1, Nu: float64(n - 1)}.Quantile(0.975)
		s[n] = t
	}
	return t
}

// Mean estimates the mean of the values.
func (s Student) Mean(values []float64) Estimate {
	n := len(values)
	if n == 0 {
		return Unknown(0)
	}
	mean := average(values)
	if n == 1 {
		return Estimate{mean, math.NaN(), math.NaN(), 1}
	}
	squares := 0.0
	for _, v := range values {
		squares += (v - mean) * (v - mean)
	}
	half := s.quantile(n) * math.Sqrt(squares/float64(n-1)/float64(n))
	return Estimate{mean, mean - half, mean + half, n}
}

// Change estimates the mean of the paired differences d = x - base relative to
// the mean of base: the ratio r of two means. Its interval is that of the
// remainders d - r base over the mean of base (linearised ratio estimator,
// Cochran, Sampling Techniques, 1977, section 6.3), so that a change which is
// the same share of every baseline has an interval of nothing, however much the
// baselines scatter. All NaN if the mean of base is 0.
func (s Student) Change(x, base []float64) Estimate {
	n := len(x)
	if n == 0 {
		return Unknown(0)
	}
	scale := average(base)
	if scale == 0 {
		return Unknown(n)
	}
	rest := make([]float64, n) // first the differences
	for i := range x {
		rest[i] = x[i] - base[i]
	}
	ratio := average(rest) / scale
	for i := range rest {
		rest[i] -= ratio * base[i]
	}
	e := s.Mean(rest)
	half := (e.Hi - e.Lo) / 2 / math.Abs(scale)
	return Estimate{ratio, ratio - half, ratio + half, n}
}

func average(values []float64) float64 {
	sum := 0.0
	for _, v := range values {
		sum += v
	}
	return sum / float64(len(values))
}
