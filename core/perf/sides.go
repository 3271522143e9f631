package perf

// Side is the roofline of one stage, both sides in seconds: what it would take
// if its arithmetic alone counted, and if its memory traffic alone did, at the
// rates reached.
type Side struct{ Compute, Memory float64 }

// Sides returns the sides of the GEMM groups and of attention in a step of
// shape b; other stages have none. It is Step's own arithmetic on a machine
// whose memory, or whose units, take no time.
func (m *Machine) Sides(b *Batch) [NumStages]Side {
	units, memory := *m, *m
	for _, g := range []*group{&units.dense, &units.expert, &units.head} {
		g.byte = 0
	}
	units.kvByte, units.onchipByte = 0, 0
	for _, g := range []*group{&memory.dense, &memory.expert, &memory.head} {
		g.flop = 0
	}
	memory.attnFlop = 0
	var out [NumStages]Side
	units.eachPart(b, func(s Stage, seconds float64) { out[s].Compute += seconds })
	memory.eachPart(b, func(s Stage, seconds float64) { out[s].Memory += seconds })
	return out
}

// eachPart visits the stages of backbone and state before overlap.
func (m *Machine) eachPart(b *Batch, visit func(Stage, float64)) {
	var c Cost
	c.clear()
	backbone := m.backbone(b, &c)
	state := m.state(b, &c)
	for _, parts := range [][]part{backbone.parts[:], state} {
		for i := range parts {
			visit(parts[i].stage, parts[i].time.Value)
		}
	}
}
