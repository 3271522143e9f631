package workload

import (
	"math"
	"slices"

	"scoville/core/internal/bulk"
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
	Block       int // tokens of a KV block: classes share whole blocks of their common prefix; 0 = requests share nothing

	// Cut is asked now and then whether to end early; nil = never.
	Cut func() bool
}

// Prefixes returns how many prefix blocks the requests are numbered with, and
// the tokens of each; 0 when they share nothing.
func (g *Generator) Prefixes() (count, tokens int) {
	switch {
	case g.Block == 0:
		return 0, 0
	case g.Spec.Arrival == Trace:
		for _, r := range g.Spec.Records {
			for _, id := range r.Prefix {
				count = max(count, int(id)+1)
			}
		}
		return count, g.Spec.TraceBlock
	}
	for _, c := range g.Spec.Class {
		count += c.Shared / g.Block
	}
	return count, g.Block
}

// chains numbers the shared prefix blocks of each class.
func (g *Generator) chains() [][]int32 {
	count, _ := g.Prefixes()
	if count == 0 {
		return nil
	}
	ids := make([]int32, count)
	for i := range ids {
		ids[i] = int32(i)
	}
	out := make([][]int32, len(g.Spec.Class))
	for i, c := range g.Spec.Class {
		n := c.Shared / g.Block
		out[i], ids = ids[:n:n], ids[n:]
	}
	return out
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
	if math.IsInf(limit, 1) {
		dst = bulk.Grow(dst, n)
	}
	if n == 0 && !math.IsInf(limit, 1) {
		n = math.MaxInt32
	}
	gaps := NewStream(g.Seed, g.Replicate, "arrivals")
	draw := g.lengths()
	now := 0.0
	for k := range n {
		now += g.gap(gaps.Uniform(k))
		if now > limit || k&0xffff == 0xffff && g.Cut != nil && g.Cut() {
			break
		}
		r := draw(k)
		r.Arrival = now
		dst = bulk.Append(dst, r)
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
	chains := g.chains()
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
		r := Request{
			Class:  int32(class),
			Prompt: c.Prompt.draw(prompt.Uniform(k), g.LengthRange),
			Output: c.Output.draw(output.Uniform(k), g.LengthRange),
		}
		if chains != nil {
			r.Prefix = chains[class][:min(len(chains[class]), int(r.Prompt)/g.Block)]
		}
		return r
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
		q := Request{Arrival: at, Prompt: r.Prompt, Output: r.Output}
		if g.Block > 0 {
			q.Prefix = r.Prefix[:min(len(r.Prefix), int(r.Prompt)/s.TraceBlock)]
		}
		dst = bulk.Append(dst, q)
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
