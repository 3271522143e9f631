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

// over returns the estimate divided by scale; all NaN if scale is 0.
func (e Estimate) over(scale float64) Estimate {
	if scale == 0 {
		return Unknown(e.N)
	}
	lo, hi := e.Lo/scale, e.Hi/scale
	return Estimate{e.Mean / scale, min(lo, hi), max(lo, hi), e.N}
}

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

// Change estimates the mean of the paired differences x - base in units of the
// mean of base, whose own scatter it leaves out: with common random numbers
// the differences scatter far less than either.
func (s Student) Change(x, base []float64) Estimate {
	diff := make([]float64, len(x))
	for i := range x {
		diff[i] = x[i] - base[i]
	}
	e := s.Mean(diff)
	if e.N == 0 {
		return e
	}
	return e.over(average(base))
}

func average(values []float64) float64 {
	sum := 0.0
	for _, v := range values {
		sum += v
	}
	return sum / float64(len(values))
}
