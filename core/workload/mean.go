package workload

import (
	"math"

	"gonum.org/v1/gonum/mathext"
)

// Clamped returns the mean of the lengths that are drawn, in tokens: that of
// the distribution of mean Mean clamped to [max(1, Min), Max], in closed form.
// Draws are whole tokens besides, which moves it by well under one token.
// Only fixed, lognormal and gamma lengths ask for a mean; of others it is Mean.
//
// With X clamped to [a, b], E = a P(X < a) + m P1(a, b) + b P(X > b), where P1
// is the share of the mean m between a and b: of a lognormal, the probability
// of a lognormal with s² added to its log mean; of a gamma of shape k, that of
// one of shape k + 1 and the same scale (Johnson, Kotz, Balakrishnan:
// Continuous Univariate Distributions 1, chapters 14 and 17).
func (d *Dist) Clamped() float64 {
	a, b := math.Max(1, math.Ceil(d.Min)), float64(math.MaxInt32/4)
	if d.Max > 0 {
		b = math.Min(b, math.Max(1, d.Max))
	}
	a = math.Min(a, b)
	var below, part func(x float64) float64 // the distribution function, and that of the mean's share
	switch {
	case d.Kind != Fixed && d.Kind != LogNormal && d.Kind != GammaDist:
		return d.Mean
	case d.Kind == Fixed || d.CV == 0:
		return math.Min(math.Max(d.Mean, a), b)
	case d.Kind == LogNormal:
		s2 := math.Log1p(d.CV * d.CV)
		s, mu := math.Sqrt(s2), math.Log(d.Mean)-s2/2
		below = func(x float64) float64 { return normalBelow((math.Log(x) - mu) / s) }
		part = func(x float64) float64 { return normalBelow((math.Log(x)-mu)/s - s) }
	default:
		k := 1 / (d.CV * d.CV)
		below = func(x float64) float64 { return mathext.GammaIncReg(k, x*k/d.Mean) }
		part = func(x float64) float64 { return mathext.GammaIncReg(k+1, x*k/d.Mean) }
	}
	return a*below(a) + d.Mean*(part(b)-part(a)) + b*(1-below(b))
}

// normalBelow is the standard normal distribution function.
func normalBelow(z float64) float64 { return math.Erfc(-z/math.Sqrt2) / 2 }
