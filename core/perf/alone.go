package perf

import "scoville/core/scenario"

// Bounds is the textbook closed form of a request alone on the machine, at the
// efficiencies reached: prefill takes max(2 N P / (C u_c), W / (b u_b)), a
// decode step W / (b u_b). N are the parameters that act on a token and W the
// bytes that one token reads of them: of the routed experts, those it picks.
// The difference to a step of this package is known: embedding rows are no
// GEMM, the LM head runs on sampled rows only, attention, all-reduce, adapter
// and host are left out.
type Bounds struct {
	Token   float64 // 2 N / (C u_c), s per prompt token, all chips
	Weights float64 // W / (b u_b), s
}

// Bounds returns the closed form of the scenario that m was made of.
func (m *Machine) Bounds(sc *scenario.Scenario) Bounds {
	md := &sc.Model
	p := md.Params()
	idle := p.Experts * md.ExpertWeights().Bytes()
	if md.Experts > 0 {
		idle *= 1 - float64(md.ExpertsPerTok)/float64(md.Experts)
	}
	return Bounds{Token: 2 * p.Active * m.dense.flop, Weights: (md.WeightBytes() - idle) * m.dense.byte}
}

// Alone knows how long one sequence decodes alone on a machine: the steps of
// Machine.Step with a batch of one, as lines between kinks. The time of any
// answer is then a sum over a few lines. It is reusable and for one goroutine.
type Alone struct {
	m     *Machine
	parts []stretch // by context
	known int       // contexts below are covered
	batch Batch
	cost  Cost
}

// stretch is the contexts from one on over which the lines hold.
type stretch struct {
	from          int
	total, device Line
}

// Reset makes a know machine m and nothing else.
func (a *Alone) Reset(m *Machine) { a.m, a.parts, a.known = m, a.parts[:0], 1 }

// Decode returns the seconds of the decode steps that attend to from to `to`
// tokens, the new one included, and how much of it is not host or adapter.
func (a *Alone) Decode(from, to int) (total, device float64) {
	for a.known <= to {
		a.extend()
	}
	i, j := 0, len(a.parts)
	for j-i > 1 {
		if k := (i + j) / 2; a.parts[k].from <= from {
			i = k
		} else {
			j = k
		}
	}
	for ; from <= to; i++ {
		p, end := &a.parts[i], a.known
		if i+1 < len(a.parts) {
			end = a.parts[i+1].from
		}
		n, k := float64(min(to+1, end)-from), float64(from-p.from)
		total += Line{p.total.At(k), p.total.Slope}.Sum(n)
		device += Line{p.device.At(k), p.device.Slope}.Sum(n)
		from = end
	}
	return total, device
}

// extend adds the next stretch.
func (a *Alone) extend() {
	ctx, w := a.known, a.m.Window()
	a.batch = Batch{}
	a.batch.AddDecode(ctx, w)
	a.m.Step(&a.batch, &a.cost)
	n := a.cost.Horizon
	if ctx < w {
		n = min(n, w-ctx)
	}
	a.parts = append(a.parts, stretch{ctx, a.cost.Total, a.cost.Device()})
	a.known += n
}

// AddHost adds s seconds of host time that nothing hides to the one next step.
func (c *Cost) AddHost(s float64) {
	c.Total.Value += s
	c.stage(Host, constant(s))
	c.resource(HostCPU, constant(s))
	c.Horizon = 1
}

// Device returns the part of the step that is neither host nor adapter.
func (c *Cost) Device() Line { return c.Total.sub(c.Overhead()).sub(c.Stages[Adapter]) }
