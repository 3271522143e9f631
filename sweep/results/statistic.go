package results

import (
	"math"

	"gonum.org/v1/gonum/stat/distuv"
)

// estimate is a mean with its 95 % confidence interval: mean of n independent
// values +- t(0.975, n-1) sd / sqrt(n). The bounds are NaN for n < 2, the mean
// for n = 0.
type estimate struct {
	mean, lo, hi float64
	n            int
}

// unknown is the estimate from n values that tell nothing.
func unknown(n int) estimate { return estimate{math.NaN(), math.NaN(), math.NaN(), n} }

// over returns the estimate divided by scale; all NaN if scale is 0.
func (e estimate) over(scale float64) estimate {
	if scale == 0 {
		return unknown(e.n)
	}
	lo, hi := e.lo/scale, e.hi/scale
	return estimate{e.mean / scale, min(lo, hi), max(lo, hi), e.n}
}

// student caches the quantiles of Student's t by number of values.
type student map[int]float64

// quantile returns t(0.975, n-1).
func (s student) quantile(n int) float64 {
	t, ok := s[n]
	if !ok {
		t = distuv.StudentsT{Mu: 0, Sigma: 1, Nu: float64(n - 1)}.Quantile(0.975)
		s[n] = t
	}
	return t
}

// mean estimates the mean of the values.
func (s student) mean(values []float64) estimate {
	n := len(values)
	if n == 0 {
		return unknown(0)
	}
	mean := average(values)
	if n == 1 {
		return estimate{mean, math.NaN(), math.NaN(), 1}
	}
	squares := 0.0
	for _, v := range values {
		squares += (v - mean) * (v - mean)
	}
	half := s.quantile(n) * math.Sqrt(squares/float64(n-1)/float64(n))
	return estimate{mean, mean - half, mean + half, n}
}

// change estimates the mean of the paired differences x - base in units of the
// mean of base, whose own scatter it leaves out: with common random numbers
// the differences scatter far less than either.
func (s student) change(x, base []float64) estimate {
	diff := make([]float64, len(x))
	for i := range x {
		diff[i] = x[i] - base[i]
	}
	e := s.mean(diff)
	if e.n == 0 {
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
