package perf

import "math"

// part is the time of one stage before overlap: exposed time, the compute time
// inside it, and the resource the stage waits for.
type part struct {
	stage         Stage
	time, compute Line
	resource      Resource
	onchip        Line // of time, spent on the on-chip store
}

// Step computes what a step of shape b costs. The same code serves one request
// alone on the machine and the batch of a loaded server. An empty batch costs
// its host time.
func (m *Machine) Step(b *Batch, c *Cost) {
	c.clear()
	var state [2]part
	backbone := m.backbone(b, c)
	m.state(b, c, &state)
	var device Line
	if m.separate {
		device = m.overlapped(c, backbone, &state)
	} else {
		for i := range backbone {
			device = device.add(c.expose(&backbone[i], 1))
		}
		for i := range state {
			device = device.add(c.expose(&state[i], 1))
		}
	}
	device = device.add(m.communication(b, c))
	if m.fx.on && b.Tokens > 0 {
		device = device.add(m.before(b, c))
	}
	m.host(b, c, device)
	if m.fx.on && b.Rows > 0 {
		c.Total = c.Total.add(m.after(b, c))
	}
	if b.Chunks > 0 || b.Swapped > 0 || b.Verified > 0 || c.Horizon < 1 {
		c.Horizon = 1
	}
}

// expose books share f of a part's time and returns it.
func (c *Cost) expose(p *part, f float64) Line {
	t := p.time.scale(f)
	c.Stages[p.stage] = c.Stages[p.stage].add(t)
	if p.onchip.positive() {
		on := p.onchip.scale(f)
		c.Resources[OnChip] = c.Resources[OnChip].add(on)
		c.Resources[p.resource] = c.Resources[p.resource].add(t.sub(on))
		return t
	}
	c.Resources[p.resource] = c.Resources[p.resource].add(t)
	return t
}

// roofline returns the longer of compute and memory time as a part.
func (c *Cost) roofline(s Stage, compute, memory Line, path Resource) part {
	t, computing, h := larger(compute, memory)
	c.Horizon = min(c.Horizon, h)
	p := part{stage: s, time: t, compute: compute, resource: path}
	if computing {
		p.resource = Compute
	}
	return p
}

// clear empties c but for the remembered GEMMs.
func (c *Cost) clear() {
	c.Total, c.KVBytes, c.KVOnChip, c.FLOPs, c.Bytes = Line{}, Line{}, Line{}, Line{}, Line{}
	c.Stages, c.Resources, c.Busy = [NumStages]Line{}, [NumResources]Line{}, [NumResources]Line{}
	c.Horizon = forever
}

// gemmMemo is the backbone of the last step that a Cost held: decode batches
// often keep their size.
type gemmMemo struct {
	machine          *Machine
	tokens, rows     int
	parts            [3]part
	compute, weights float64 // Busy
	flops, bytes     float64
}

// backbone computes the GEMM groups. Weights are read once a step whatever the
// batch; of the experts only the distinct ones the tokens pick. The parts belong
// to c.
func (m *Machine) backbone(b *Batch, c *Cost) *[3]part {
	g := &c.gemms
	if g.machine != m || g.tokens != b.Tokens || g.rows != b.Rows {
		*g = gemmMemo{machine: m, tokens: b.Tokens, rows: b.Rows}
		m.multiply(float64(b.Tokens), float64(b.Rows), g)
	}
	c.Busy[Compute].Value, c.Busy[Weights].Value = g.compute, g.weights
	c.FLOPs.Value, c.Bytes.Value = g.flops, g.bytes
	return &g.parts
}

// multiply computes the GEMM groups of t tokens with `rows` sampled.
func (m *Machine) multiply(t, rows float64, out *gemmMemo) {
	if t == 0 {
		return
	}
	slow := 1.0
	if m.tokensHalf > 0 { // compute_util is reached in part: t / (t + tokens_half)
		slow = (t + m.tokensHalf) / t
	}
	out.add(GEMM, &m.dense, load{2 * m.dense.elements * t, m.dense.bytes, slow, 1})
	if m.experts > 0 {
		distinct := m.ActiveExperts(t)
		l := load{2 * m.expert.elements * m.perToken * t, m.expert.bytes * distinct, slow, 1}
		if m.ep > 1 {
			l.slow *= m.busiest(t*m.perToken, math.Inf(1))
			l.crowd = min(m.busiest(distinct, m.experts), m.experts/distinct)
		}
		out.add(Experts, &m.expert, l)
	}
	head := load{2 * m.head.elements * rows, t * m.embedRow, slow, 1}
	if rows > 0 {
		head.bytes += m.head.bytes
	}
	out.add(LMHead, &m.head, head)
}

// load is what a GEMM group does in a step.
type load struct {
	flops, bytes float64
	slow, crowd  float64 // factors on compute and memory time
}

// add books one GEMM group. Its time does not change while a batch decodes.
func (m *gemmMemo) add(s Stage, g *group, l load) {
	m.compute += l.flops * g.flopPeak
	m.weights += l.bytes * g.bytePeak
	m.flops += l.flops
	m.bytes += l.bytes
	compute, memory := l.flops*g.flop*l.slow, l.bytes*g.byte*l.crowd
	p := &m.parts[s]
	*p = part{stage: s, time: constant(memory), compute: constant(compute), resource: Weights}
	if compute*(1+tie) >= memory {
		p.time, p.resource = p.compute, Compute
	}
}

// state computes decode and prompt attention: FLOPs against KV bytes, of which
// the on-chip store serves its hits. New KV entries are written on the same
// path.
func (m *Machine) state(b *Batch, c *Cost, out *[2]part) {
	out[0].stage, out[1].stage = DecodeAttention, PrefillAttention
	out[0].resource, out[1].resource = State, State
	if b.Decodes > 0 {
		n := float64(b.Decodes)
		ctx := Line{b.DecodeCtx, n}
		win := Line{b.DecodeCtxWin, float64(b.DecodeGrowing)}
		read := ctx.scale(m.kvFull).add(win.scale(m.kvWin))
		on := m.hits(read, c)
		off := read.sub(on).add(constant((n + float64(b.Verified)) * (m.kvFull + m.kvWin)))
		flops := ctx.scale(m.decodePair + m.unpackFull).add(win.scale(m.decWinPair + m.unpackWin))
		if b.Verified > 0 { // drafts attend to the whole context in every layer
			flops.Value += b.VerifiedCtx * (m.decodePair + m.decWinPair)
		}
		out[0] = m.attend(c, DecodeAttention, flops, scan{off, on, m.strain(c, read.sub(on))})
		c.KVBytes, c.KVOnChip = read, on
	}
	if b.Chunks > 0 {
		written := float64(b.Tokens-b.Decodes-b.Verified) * (m.kvFull + m.kvWin)
		read := b.PrefillCtx*m.kvFull + b.PrefillCtxWin*m.kvWin
		flops := b.PrefillPairs*m.prefillPair + b.PrefillPairsWin*m.winPair + b.PrefillCtx*m.unpackFull + b.PrefillCtxWin*m.unpackWin
		out[1] = m.attend(c, PrefillAttention, constant(flops), scan{off: constant(read + written), strain: m.strain(c, constant(read))})
	}
}

// hits returns the bytes of a decode scan that the on-chip store serves. A
// decode step reads every running sequence's whole KV once, a cyclic scan:
// pinned keeps min(capacity, scan); LRU keeps all while it fits, else nothing.
func (m *Machine) hits(scan Line, c *Cost) Line {
	switch {
	case m.onchip == 0:
		return Line{}
	case m.hitRatio >= 0:
		return scan.scale(m.hitRatio)
	}
	_, fits, h := larger(constant(m.onchip), scan)
	c.Horizon = min(c.Horizon, h)
	switch {
	case fits:
		return scan
	case m.lru:
		return Line{}
	}
	return constant(m.onchip)
}

// scan is the KV traffic of an attention stage in bytes.
type scan struct {
	off, on Line // off-chip, read and written; read from the on-chip store
	strain  Line // further bytes that misses of cache and TLB are worth in time
}

// attend books one attention stage.
func (m *Machine) attend(c *Cost, s Stage, flops Line, kv scan) part {
	off := kv.off
	memory := off.add(kv.strain).scale(m.kvByte)
	onTime := kv.on.scale(m.onchipByte)
	p := c.roofline(s, flops.scale(m.attnFlop), memory.add(onTime), State)
	if p.resource == State {
		p.onchip = onTime
	}
	if !m.separate || m.sharedUnits { // units of the adapter work beside the backbone's
		c.Busy[Compute] = c.Busy[Compute].add(flops.scale(m.attnFlopPeak))
	}
	c.Busy[State] = c.Busy[State].add(off.scale(m.kvBytePeak))
	c.FLOPs = c.FLOPs.add(flops)
	c.Bytes = c.Bytes.add(off.scale(m.copies))
	return p
}

// overlapped combines backbone and state on separate memories:
//
//	overlap max(backbone, state, all FLOPs / C) + (1 - overlap) (backbone + state)
//
// the FLOPs counting only when attention shares the backbone's units. It is
// max + (1 - overlap) min where memory binds, and never exceeds the two phases
// one after the other. Stages of the binding side are exposed in full, the
// others by 1 - overlap.
func (m *Machine) overlapped(c *Cost, backbone *[3]part, state *[2]part) Line {
	var b, s, flops Line
	for _, p := range backbone {
		b, flops = b.add(p.time), flops.add(p.compute)
	}
	for _, p := range state {
		s, flops = s.add(p.time), flops.add(p.compute)
	}
	longest, backboneBinds, h := larger(b, s)
	c.Horizon = min(c.Horizon, h)
	memoryBinds := true
	if m.sharedUnits {
		_, memoryBinds, h = larger(longest, flops)
		c.Horizon = min(c.Horizon, h)
	}
	var total Line
	book := func(p *part, binds bool) {
		total = total.add(c.expose(p, 1-m.overlap))
		switch {
		case !memoryBinds:
			work := part{stage: p.stage, time: p.compute, resource: Compute}
			total = total.add(c.expose(&work, m.overlap))
		case binds:
			total = total.add(c.expose(p, m.overlap))
		}
	}
	for i := range backbone {
		book(&backbone[i], backboneBinds)
	}
	for i := range state {
		book(&state[i], !backboneBinds)
	}
	return total
}

// communication books the all-reduce, the adapter, the host link and drafting.
func (m *Machine) communication(b *Batch, c *Cost) Line {
	t := float64(b.Tokens)
	link := constant(m.linkAlpha + t*m.linkToken)
	adapter := constant(m.adapter + t*m.adapterToken)
	if b.Tokens == 0 {
		link, adapter = Line{}, Line{}
	}
	c.Stages[AllReduce], c.Resources[Link] = link, link
	c.Busy[Link].Value = t * m.linkTokenPeak
	c.Stages[Adapter], c.Resources[AdapterPath] = adapter, adapter
	swap := constant(float64(b.Swapped) * m.swapToken)
	c.Stages[Swap], c.Resources[HostLink] = swap, swap
	var draft Line
	if b.Verified > 0 {
		draft = constant(m.draft)
	}
	c.Stages[Draft], c.Resources[Drafter] = draft, draft
	return link.add(adapter).add(swap).add(draft)
}

// host adds the host's time to the device's, or takes the longer of the two
// (engine.host_overlap = "max"); then only what exceeds the device is exposed.
func (m *Machine) host(b *Batch, c *Cost, device Line) {
	h, launch := m.hostStep+float64(b.Seqs)*m.hostSeq, 0.0
	if b.Chunks > 0 {
		h += m.hostPrefill
	}
	if b.Tokens > 0 {
		launch = m.fx.launch
	}
	exposed := constant(h + launch)
	if m.hostMax {
		_, deviceBinds, n := larger(device, exposed)
		c.Horizon = min(c.Horizon, n)
		if deviceBinds {
			exposed = Line{}
		} else {
			exposed = exposed.sub(device)
		}
	}
	c.Stages[Host], c.Resources[HostCPU] = exposed, exposed
	if launch > 0 {
		c.Stages[Launch] = exposed.scale(launch / (h + launch))
		c.Stages[Host] = exposed.sub(c.Stages[Launch])
	}
	c.Total = device.add(exposed)
}
