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
	backbone := m.backbone(b, c)
	state := m.state(b, c)
	var device Line
	if m.separate {
		device = m.overlapped(c, backbone, state)
	} else {
		for i := range backbone.parts {
			device = device.add(c.expose(&backbone.parts[i], 1))
		}
		for i := range state {
			device = device.add(c.expose(&state[i], 1))
		}
	}
	device = m.communication(b, c, device)
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
	if !t.positive() {
		return Line{}
	}
	c.stage(p.stage, t)
	if p.onchip.positive() {
		on := p.onchip.scale(f)
		c.resource(OnChip, on)
		c.resource(p.resource, t.sub(on))
		return t
	}
	c.resource(p.resource, t)
	return t
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
// batch; of the experts only the distinct ones the tokens pick. The result
// belongs to c, which remembers steps with and without prompts apart: a server
// takes them in turn.
func (m *Machine) backbone(b *Batch, c *Cost) *gemmMemo {
	g := &c.gemms[min(b.Chunks, 1)]
	if g.machine != m || g.tokens != b.Tokens || g.rows != b.Rows {
		*g = gemmMemo{machine: m, tokens: b.Tokens, rows: b.Rows}
		m.multiply(float64(b.Tokens), float64(b.Rows), g)
	}
	c.Busy[Compute].Value, c.Busy[Weights].Value = g.compute, g.weights
	c.FLOPs.Value, c.Bytes.Value = g.flops, g.bytes
	return g
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
	stream := 1.0
	if m.small > 0 && t > m.small && t <= m.largeEnd {
		stream += m.large
	}
	out.add(GEMM, &m.dense, load{2 * m.dense.elements * t, m.dense.bytes, slow, stream})
	if m.experts > 0 {
		distinct := m.expertsRead(t)
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
// path. The parts belong to c; a batch without decodes or without chunks has
// one.
func (m *Machine) state(b *Batch, c *Cost) []part {
	k := 0
	if b.Decodes > 0 {
		n := float64(b.Decodes)
		ctx := Line{b.DecodeCtx, n}
		read, flops := ctx.scale(m.kvFull), ctx.scale(m.decodePair+m.unpackFull)
		if m.window > 0 {
			win := Line{b.DecodeCtxWin, float64(b.DecodeGrowing)}
			read, flops = read.add(win.scale(m.kvWin)), flops.add(win.scale(m.decWinPair+m.unpackWin))
		}
		on := m.hits(read, c)
		missed := read.sub(on)
		off := missed.add(constant((n + float64(b.Verified)) * (m.kvFull + m.kvWin)))
		if b.Verified > 0 { // drafts attend to the whole context in every layer
			flops.Value += b.VerifiedCtx * (m.decodePair + m.decWinPair)
		}
		kv := scan{off: off, on: on}
		if m.fx.strains {
			kv.strain = m.strain(c, missed)
		}
		if m.fx.reread > 0 {
			kv.strain = kv.strain.add(missed.scale(m.fx.reread))
		}
		m.attend(c, &c.attention[0], flops, &kv)
		c.attention[0].stage = DecodeAttention
		c.KVBytes, c.KVOnChip = read, on
		k = 1
	}
	if b.Chunks > 0 {
		written := float64(b.Tokens-b.Decodes-b.Verified) * (m.kvFull + m.kvWin)
		read := b.PrefillCtx*m.kvFull + b.PrefillCtxWin*m.kvWin
		flops := b.PrefillPairs*m.prefillPair + b.PrefillPairsWin*m.winPair + b.PrefillCtx*m.unpackFull + b.PrefillCtxWin*m.unpackWin
		kv := scan{off: constant(read + written)}
		if m.fx.strains {
			kv.strain = m.strain(c, constant(read))
		}
		m.attend(c, &c.attention[k], constant(flops), &kv)
		c.attention[k].stage = PrefillAttention
		k++
	}
	return c.attention[:k]
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

// attend books one attention stage and fills p but for its stage: the longer of
// compute and memory time.
func (m *Machine) attend(c *Cost, p *part, flops Line, kv *scan) {
	onTime := kv.on.scale(m.onchipByte)
	memory := kv.off.add(kv.strain).scale(m.kvByte).add(onTime)
	p.compute = flops.scale(m.attnFlop)
	t, computing, h := larger(p.compute, memory)
	c.Horizon = min(c.Horizon, h)
	p.time, p.resource, p.onchip = t, State, onTime
	if computing {
		p.resource, p.onchip = Compute, Line{}
	}
	if !m.separate || m.sharedUnits { // units of the adapter work beside the backbone's
		c.Busy[Compute] = c.Busy[Compute].add(flops.scale(m.attnFlopPeak))
	}
	c.Busy[State] = c.Busy[State].add(kv.off.scale(m.kvBytePeak))
	c.FLOPs = c.FLOPs.add(flops)
	c.Bytes = c.Bytes.add(kv.off.scale(m.copies))
}

// overlapped combines backbone and state on separate memories:
//
//	overlap max(backbone, state, all FLOPs / C) + (1 - overlap) (backbone + state)
//
// the FLOPs counting only when attention shares the backbone's units. It is
// max + (1 - overlap) min where memory binds, and never exceeds the two phases
// one after the other. Stages of the binding side are exposed in full, the
// others by 1 - overlap.
func (m *Machine) overlapped(c *Cost, backbone *gemmMemo, state []part) Line {
	var b, s, flops Line
	for i := range backbone.parts {
		p := &backbone.parts[i]
		b.Value, flops.Value = b.Value+p.time.Value, flops.Value+p.compute.Value
	}
	for i := range state {
		s, flops = s.add(state[i].time), flops.add(state[i].compute)
	}
	longest, backboneBinds, h := larger(b, s)
	c.Horizon = min(c.Horizon, h)
	memoryBinds := true
	if m.sharedUnits {
		_, memoryBinds, h = larger(longest, flops)
		c.Horizon = min(c.Horizon, h)
	}
	o := overlap{share: m.overlap, memory: memoryBinds}
	for i := range backbone.parts {
		o.book(c, &backbone.parts[i], backboneBinds)
	}
	for i := range state {
		o.book(c, &state[i], !backboneBinds)
	}
	return o.total
}

// overlap adds up what is exposed of overlapped parts.
type overlap struct {
	share  float64
	memory bool // a memory binds, not the units that both share
	total  Line
}

// book exposes one part, of the binding side or of the other.
func (o *overlap) book(c *Cost, p *part, binds bool) {
	if o.share < 1 {
		o.total = o.total.add(c.expose(p, 1-o.share))
	}
	switch {
	case o.share == 0:
	case !o.memory:
		work := part{stage: p.stage, time: p.compute, resource: Compute}
		o.total = o.total.add(c.expose(&work, o.share))
	case binds:
		o.total = o.total.add(c.expose(p, o.share))
	}
}

// communication books the all-reduce, the adapter, the host link and drafting,
// and returns the device time with them.
func (m *Machine) communication(b *Batch, c *Cost, device Line) Line {
	t, sum := float64(b.Tokens), 0.0
	if b.Tokens > 0 {
		sum = c.wait(AllReduce, Link, m.linkAlpha+t*m.linkToken)
		c.Busy[Link].Value = t * m.linkTokenPeak
		sum += c.wait(Adapter, AdapterPath, m.adapter+t*m.adapterToken)
	}
	if b.Swapped > 0 {
		sum += c.wait(Swap, HostLink, float64(b.Swapped)*m.swapToken)
	}
	if b.Verified > 0 {
		sum += c.wait(Draft, Drafter, m.draft)
	}
	device.Value += sum
	return device
}

// host adds the host's time to the device's, or takes the longer of the two
// (engine.host_overlap = "max"); then only what exceeds the device is exposed.
func (m *Machine) host(b *Batch, c *Cost, device Line) {
	h, launch := m.hostStep+float64(b.Seqs)*m.hostSeq, 0.0
	if b.Chunks > 0 {
		h += m.hostPrefill
		h += m.launching(device.Value)
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
	c.resource(HostCPU, exposed)
	if launch > 0 {
		t := exposed.scale(launch / (h + launch))
		c.stage(Launch, t)
		c.stage(Host, exposed.sub(t))
	} else {
		c.stage(Host, exposed)
	}
	c.Total = device.add(exposed)
}

// launching returns what launching the kernels of a step with chunks adds to
// the host's time: what exceeds the device's time, unless host and device
// overlap as a whole.
func (m *Machine) launching(device float64) float64 {
	if m.hostMax {
		return m.prefillLaunch
	}
	return max(m.prefillLaunch-device, 0)
}
