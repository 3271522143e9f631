package workload

import (
	"math"
	"slices"
)

// Generator draws the requests of one replicate. It keeps no request: the
// caller owns the slice.
type Generator struct {
	Spec        *Spec
	Rate        float64 // requests per second of an open loop; ignored by closed, burst and trace
	LengthRange float64 // fixed lengths L are drawn from LengthRange x L to L; 1 = exact
	Count       int     // requests to draw; for traces at most this many, 0 = all
	Seed        uint64  // study seed
	Replicate   int
}

// Append draws the requests in order of arrival and appends them to dst.
// Lengths of request k come from draw k of streams of their own, so that
// another arrival process or rate serves the same requests; a rate scales
// unit-mean gaps. A trace is not random: replicates repeat it.
func (g *Generator) Append(dst []Request) []Request {
	if g.Spec.Arrival == Trace {
		return g.appendTrace(dst)
	}
	limit := g.Spec.DurationS
	if limit == 0 || g.Rate == 0 {
		limit = math.Inf(1)
	}
	n := g.Count
	dst = slices.Grow(dst, min(n, 1<<20))
	if n == 0 && !math.IsInf(limit, 1) {
		n = math.MaxInt32
	}
	gaps := NewStream(g.Seed, g.Replicate, "arrivals")
	draw := g.lengths()
	now := 0.0
	for k := range n {
		now += g.gap(gaps.Uniform(k))
		if now > limit {
			break
		}
		r := draw(k)
		r.Arrival = now
		dst = append(dst, r)
	}
	return dst
}

// gap transforms a uniform draw to the time between two arrivals in seconds.
func (g *Generator) gap(u float64) float64 {
	switch g.Spec.Arrival {
	case Poisson:
		return Exponential(u) / g.Rate
	case Gamma:
		return gammaQuantile(u, g.Spec.ArrivalCV) / g.Rate
	case Constant:
		return 1 / g.Rate
	}
	return 0 // burst and closed: all at once; a closed loop holds them back
}

// lengths returns the function that draws class, prompt and output of request k.
func (g *Generator) lengths() func(k int) Request {
	classes := g.Spec.Class
	which := NewStream(g.Seed, g.Replicate, "class")
	prompt := NewStream(g.Seed, g.Replicate, "prompt")
	output := NewStream(g.Seed, g.Replicate, "output")
	cumulative := make([]float64, len(classes))
	total := 0.0
	for i, c := range classes {
		total += c.Share
		cumulative[i] = total
	}
	return func(k int) Request {
		class := 0
		if len(classes) > 1 {
			u := which.Uniform(k) * total
			class, _ = slices.BinarySearch(cumulative, u)
			class = min(class, len(classes)-1)
		}
		c := &classes[class]
		return Request{
			Class:  int32(class),
			Prompt: c.Prompt.draw(prompt.Uniform(k), g.LengthRange),
			Output: c.Output.draw(output.Uniform(k), g.LengthRange),
		}
	}
}

// appendTrace appends the records within the length limits, the first at time
// 0, arrivals RateScale times faster.
func (g *Generator) appendTrace(dst []Request) []Request {
	s := g.Spec
	first := math.NaN()
	n := 0
	for _, r := range s.Records {
		if s.MaxPrompt > 0 && int(r.Prompt) > s.MaxPrompt || s.MaxOutput > 0 && int(r.Output) > s.MaxOutput {
			continue
		}
		if math.IsNaN(first) {
			first = r.Arrival
		}
		at := (r.Arrival - first) / s.RateScale
		if s.DurationS > 0 && at > s.DurationS || g.Count > 0 && n == g.Count {
			break
		}
		n++
		dst = append(dst, Request{Arrival: at, Prompt: r.Prompt, Output: r.Output})
	}
	return dst
}

// draw transforms a uniform draw to a length in tokens, at least 1. For fixed
// lengths a lengthRange r below 1 means uniform over the whole numbers from
// r L to L, as benchmark clients with a range ratio draw them.
func (d *Dist) draw(u, lengthRange float64) int32 {
	var x float64
	switch d.Kind {
	case Uniform:
		lo := math.Max(1, math.Ceil(d.Min))
		x = lo + math.Floor(u*(math.Floor(d.Max)-lo+1))
	case LogNormal:
		s2 := math.Log1p(d.CV * d.CV)
		x = d.Mean * math.Exp(math.Sqrt(s2)*normalQuantile(u)-s2/2)
	case GammaDist:
		x = d.Mean * gammaQuantile(u, d.CV)
	case Empirical:
		x = d.Values[min(int(u*float64(len(d.Values))), len(d.Values)-1)]
	default:
		x = d.Mean
		if lengthRange > 0 && lengthRange < 1 {
			lo := math.Max(1, math.Floor(lengthRange*d.Mean))
			x = lo + math.Floor(u*(d.Mean-lo+1))
		}
	}
	x = math.Max(math.Round(x), math.Max(1, math.Ceil(d.Min)))
	if d.Max > 0 {
		x = math.Min(x, math.Max(1, d.Max))
	}
	return int32(math.Min(x, math.MaxInt32/4))
}
