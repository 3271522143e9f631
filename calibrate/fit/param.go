package fit

import (
	"fmt"
	"math"
)

// Param is one quantity of the fit.
type Param struct {
	Name string // unique; reports use it
	Unit string // of Init, Min and Max; for reports

	// Init is where the search starts, strictly between Min and Max. With Fixed
	// it is the value.
	Init float64

	// Min and Max bound the value. Both may be infinite (with Log: 0 and
	// infinite); one bound alone is not supported.
	Min, Max float64

	Log   bool // searched on a logarithmic scale
	Fixed bool // not searched

	Prior Prior
}

// Prior is knowledge from elsewhere: ln(value) is normal around ln(Center)
// with standard deviation SD. The zero value is no prior.
type Prior struct{ Center, SD float64 }

// Check refuses what no search can start from.
func (p *Param) Check() error {
	fail := func(format string, args ...any) error {
		return fmt.Errorf("parameter %s: "+format, append([]any{p.Name}, args...)...)
	}
	for _, x := range []float64{p.Init, p.Min, p.Max, p.Prior.Center, p.Prior.SD} {
		if math.IsNaN(x) {
			return fail("not a number")
		}
	}
	unboundedBelow := math.IsInf(p.Min, -1) || p.Log && p.Min == 0
	switch {
	case p.Prior.SD < 0 || p.Prior.SD > 0 && p.Prior.Center <= 0:
		return fail("a prior needs a positive centre and standard deviation, not %g and %g", p.Prior.Center, p.Prior.SD)
	case p.Fixed && math.IsInf(p.Init, 0):
		return fail("value %g is not finite", p.Init)
	case p.Fixed:
		return nil
	case !(p.Min < p.Max):
		return fail("min %g is not below max %g", p.Min, p.Max)
	case !(p.Min < p.Init && p.Init < p.Max):
		return fail("init %g is not strictly between min %g and max %g", p.Init, p.Min, p.Max)
	case p.Log && p.Min < 0:
		return fail("min %g is negative on a log scale", p.Min)
	case unboundedBelow != math.IsInf(p.Max, 1):
		return fail("give both bounds or neither, not min %g and max %g", p.Min, p.Max)
	case p.Prior.SD > 0 && p.Min < 0:
		return fail("a prior on a logarithm needs min >= 0, not %g", p.Min)
	}
	return nil
}

// scale is ln x on a log scale, else x.
func (p *Param) scale(x float64) float64 {
	if p.Log {
		return math.Log(x)
	}
	return x
}

func (p *Param) unscale(u float64) float64 {
	if p.Log {
		return math.Exp(u)
	}
	return u
}

// span returns the bounds on the parameter's scale; ok is false when there
// are none.
func (p *Param) span() (lo, hi float64, ok bool) {
	lo, hi = p.scale(p.Min), p.scale(p.Max)
	return lo, hi, !math.IsInf(lo, 0) && !math.IsInf(hi, 0)
}

// toFree maps a value to the unbounded coordinate the search moves in: the
// logit of its place between the bounds, or its scale without bounds.
func (p *Param) toFree(x float64) float64 {
	u := p.scale(x)
	lo, hi, bounded := p.span()
	if !bounded {
		return u
	}
	f := min(max((u-lo)/(hi-lo), edge), 1-edge)
	return math.Log(f / (1 - f))
}

// edge keeps the logit finite.
const edge = 1e-9

// fromFree is the inverse of toFree. The value is strictly inside the bounds.
func (p *Param) fromFree(z float64) float64 {
	lo, hi, bounded := p.span()
	if !bounded {
		return p.unscale(z)
	}
	f := min(max(1/(1+math.Exp(-z)), edge), 1-edge)
	return min(max(p.unscale(lo+(hi-lo)*f), p.Min), p.Max)
}

// slope is d value / d free at the value x.
func (p *Param) slope(x float64) float64 {
	if p.Log {
		return x * p.stretch(x)
	}
	return p.stretch(x)
}

// stretch is d scale / d free at the value x.
func (p *Param) stretch(x float64) float64 {
	lo, hi, bounded := p.span()
	if !bounded {
		return 1
	}
	f := min(max((p.scale(x)-lo)/(hi-lo), edge), 1-edge)
	return f * (1 - f) * (hi - lo)
}

// stencil returns the two values, on the parameter's scale, between which the
// derivative at the value x is taken: about the share rel of its size to each
// side (of the range for a value near 0), but inside the bounds.
func (p *Param) stencil(x, rel float64) (down, up float64) {
	u, h := p.scale(x), rel
	lo, hi, bounded := p.span()
	switch {
	case p.Log:
	case bounded:
		h *= max(math.Abs(x), 1e-3*(hi-lo))
	case x != 0:
		h *= math.Abs(x)
	default:
		h *= max(math.Abs(p.Init), 1e-3)
	}
	down, up = u-h, u+h
	if bounded {
		margin := edge * (hi - lo)
		down, up = max(down, lo+margin), min(up, hi-margin)
	}
	return down, up
}

// Bound says which bound a value has run into: within half a percent of the
// range on the parameter's scale.
func (p *Param) bound(x float64) string {
	lo, hi, bounded := p.span()
	if !bounded || p.Fixed {
		return ""
	}
	const near = 5e-3
	switch f := (p.scale(x) - lo) / (hi - lo); {
	case f < near:
		return "min"
	case f > 1-near:
		return "max"
	}
	return ""
}
