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
	if n == 1 {
		return Estimate{values[0], math.NaN(), math.NaN(), 1}
	}
	mean, standardError := Spread(values)
	half := s.quantile(n) * standardError
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

// Welch estimates the change of the mean of x relative to the mean of base, of
// values that are not paired: the ratio of two independent means. Its interval is
// the linearised one, with the degrees of freedom of Welch (Biometrika 34, 1947).
// N is the smaller number of values. All NaN if the mean of base is 0.
func (s Student) Welch(x, base []float64) Estimate {
	n := min(len(x), len(base))
	if n == 0 {
		return Unknown(0)
	}
	mean, scale := average(x), average(base)
	if scale == 0 {
		return Unknown(n)
	}
	ratio := mean / scale
	if n < 2 {
		return Estimate{ratio - 1, math.NaN(), math.NaN(), n}
	}
	_, a := Spread(x)
	_, b := Spread(base)
	a, b = a*a, ratio*ratio*b*b // variances of the mean of x and of what it is compared with
	if a+b == 0 {
		return Estimate{ratio - 1, ratio - 1, ratio - 1, n}
	}
	freedom := (a + b) * (a + b) / (a*a/float64(len(x)-1) + b*b/float64(len(base)-1))
	half := Upper(0.025, freedom) * math.Sqrt(a+b) / math.Abs(scale)
	return Estimate{ratio - 1, ratio - 1 - half, ratio - 1 + half, n}
}

// Upper returns the point that Student's t exceeds with probability p.
func Upper(p, freedom float64) float64 {
	return -distuv.StudentsT{Mu: 0, Sigma: 1, Nu: freedom}.Quantile(p) // the lower tail has the digits of a small p
}

// Spread returns the mean of two or more independent values and its standard
// error.
func Spread(values []float64) (mean, standardError float64) {
	mean = average(values)
	squares := 0.0
	for _, v := range values {
		squares += (v - mean) * (v - mean)
	}
	n := float64(len(values))
	return mean, math.Sqrt(squares / (n - 1) / n)
}

func average(values []float64) float64 {
	sum := 0.0
	for _, v := range values {
		sum += v
	}
	return sum / float64(len(values))
}

// Among widens an estimate so that, of so many estimates, all hold at once with
// 95 % (Bonferroni).
func (s Student) Among(e Estimate, comparisons int) Estimate {
	if e.N < 2 || comparisons < 2 {
		return e
	}
	wide := Upper(0.025/float64(comparisons), float64(e.N-1))
	half := (e.Hi - e.Lo) / 2 * wide / s.quantile(e.N)
	return Estimate{e.Mean, e.Mean - half, e.Mean + half, e.N}
}
