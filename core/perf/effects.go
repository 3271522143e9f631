package perf

import (
	"math"

	"scoville/core/scenario"
	"scoville/core/unit"
)

// effects are the constants of the effects that are off by default, except
// those that change the constants of a Machine itself. EFFECTS.md has formula,
// source and size of each.
type effects struct {
	on      bool // whether before and after have anything to do
	strains bool // whether strain has

	rowToken    float64 // s per new token: its embedding row over the host link
	norm, pass  stream  // activations per new token: of embedding and first norm, of the layers
	access      float64 // s per layer until its KV streams
	prefetch    bool
	launch      float64  // s per step
	logits      stream   // per sampled row
	logitsPath  Resource // Weights or HostLink
	sampling    float64  // s per sampled row
	near, reach float64  // KV bytes of a step within the reach of the cache, and of the TLB, over the shards
	llc, tlb    float64  // further share of the time of bytes beyond
	reread      float64  // further share of the time of KV bytes that decodes read
}

// stream is data that moves in device memory, or over the host link.
type stream struct{ seconds, bytes, peak float64 } // per unit: s as reached, bytes over all chips, s at datasheet rate

// logitBytes is the size of one logit: samplers work in fp32.
const logitBytes = 4

// effects fills the constants.
func (m *Machine) effects(sc *scenario.Scenario) {
	md, hw, en, fx := &sc.Model, &sc.Hardware, &sc.Engine, &m.fx
	host := unit.GB * hw.PCIeGBs
	row := m.hidden * md.HeadWeights().Bytes()
	switch en.Embedding {
	case scenario.HostPinned:
		m.embedRow, fx.rowToken = 0, row/(m.tp*host*hw.PCIeUtil)
	case scenario.Host:
		m.embedRow, fx.rowToken = 0, row/(m.tp*host*min(hw.PCIeUtil, hw.PCIeUnpinnedUtil))
	}
	kernels := m.layers * en.Kernels
	activation := m.hidden * md.Activations().Bytes() * m.tp // every chip has its own copy
	switch en.EmbeddingNorm {
	case scenario.Split: // the gather writes, the norm reads
		fx.norm, kernels = m.moved(2*activation), kernels+2
	case scenario.Fused: // the rows are still written, for the first residual sum
		fx.norm, kernels = m.moved(activation), kernels+1
	}
	fx.pass = m.moved(m.layers * en.Passes * activation)
	fx.launch = unit.Us * en.LaunchUs * kernels
	fx.access, fx.prefetch = unit.Us*hw.KVAccessUs, en.KVPrefetch
	fx.sampling = unit.Us * en.SamplingUs
	switch logits := logitBytes * float64(md.Vocab); en.Logits {
	case scenario.InMemory: // of one chip, where the sampler runs
		fx.logits, fx.logitsPath = m.moved(logits), Weights
		fx.logits.seconds *= m.tp
	case scenario.Host:
		fx.logits, fx.logitsPath = stream{seconds: logits / (host * hw.PCIeUtil)}, HostLink
	}
	fx.on = fx.rowToken+fx.norm.seconds+fx.pass.seconds+fx.access+fx.logits.seconds+fx.sampling > 0
	if hw.LLCContext > 0 {
		fx.near, fx.llc = float64(hw.LLCContext)*(m.kvFull+m.kvWin), hw.LLCGrowth
	}
	if hw.TLBReach > 0 {
		fx.reach, fx.tlb = unit.GiB*hw.TLBReach*Shard(sc), hw.TLBPenalty
	}
	if hw.GQAReread > 0 && !md.MLA() && md.KVHeads > 0 {
		fx.reread = hw.GQAReread * (float64(md.Heads)/float64(md.KVHeads) - 1)
	}
	fx.strains = fx.llc > 0 || fx.tlb > 0
}

// moved returns the stream of bytes, over all chips together, on the path of
// the weights.
func (m *Machine) moved(bytes float64) stream {
	return stream{bytes * m.dense.byte, bytes, bytes * m.dense.bytePeak}
}

// flow books n units of a stream on the path of the weights and returns their
// time.
func (c *Cost) flow(s stream, n float64) float64 {
	c.Busy[Weights].Value += n * s.peak
	c.Bytes.Value += n * s.bytes
	return n * s.seconds
}

// before books what comes before or between the kernels of a step and returns
// its time:
//
//	embedding    T (row / (tp host link) + norm's passes)
//	activations  T layers passes hidden bytes / (b_w u_b), on each chip
//	kv_access    layers access; with prefetch the first layer's, and of the
//	             others what is longer than their GEMMs
func (m *Machine) before(b *Batch, c *Cost) Line {
	fx, t := &m.fx, float64(b.Tokens)
	rows, norm := t*fx.rowToken, c.flow(fx.norm, t)
	pass := c.flow(fx.pass, t)
	access := 0.0
	if fx.access > 0 {
		access = m.layers * fx.access
		if fx.prefetch {
			gemms := 0.0
			for _, p := range c.gemms[min(b.Chunks, 1)].parts[:2] {
				gemms += p.time.Value
			}
			access = fx.access + (m.layers-1)*max(fx.access-gemms/m.layers, 0)
		}
	}
	c.stage(Embedding, constant(rows+norm))
	c.stage(Activations, constant(pass))
	c.stage(KVAccess, constant(access))
	c.resource(HostLink, constant(rows))
	c.resource(Weights, constant(norm+pass))
	c.resource(State, constant(access))
	return constant(rows + norm + pass + access)
}

// after books what follows the step's last kernel and returns its time: the
// next step needs the tokens, so nothing hides it.
func (m *Machine) after(b *Batch, c *Cost) Line {
	fx, rows := &m.fx, float64(b.Rows)
	logits, sampling := c.flow(fx.logits, rows), rows*fx.sampling
	c.stage(Logits, constant(logits))
	c.stage(Sampling, constant(sampling))
	c.resource(fx.logitsPath, constant(logits))
	c.resource(HostCPU, constant(sampling))
	return constant(logits + sampling)
}

// strain returns the bytes that misses are worth when a step reads `read` bytes
// of KV off chip: growth times the bytes beyond the reach of the cache, penalty
// times those beyond the TLB's. The sequences of a batch share both, so their
// contexts count together; with the mean context instead, a short sequence that
// joins would make a step faster.
func (m *Machine) strain(c *Cost, read Line) Line {
	var s Line
	if m.fx.llc > 0 {
		s = c.beyond(read, m.fx.near).scale(m.fx.llc)
	}
	if m.fx.tlb > 0 {
		s = s.add(c.beyond(read, m.fx.reach).scale(m.fx.tlb))
	}
	return s
}

// beyond returns how much of l exceeds a limit.
func (c *Cost) beyond(l Line, limit float64) Line {
	over, _, h := larger(l.sub(constant(limit)), Line{})
	c.Horizon = min(c.Horizon, h)
	return over
}

// KVBytesPerToken returns the bytes one token takes in the KV cache over all
// layers as the chip stores them: with hardware.line_bytes every K row and V
// row of a head, under MLA every latent row, fills whole lines.
func KVBytesPerToken(sc *scenario.Scenario) float64 {
	md, line := &sc.Model, float64(sc.Hardware.LineBytes)
	if line == 0 {
		return md.KVBytesPerToken()
	}
	rows, width := 2*float64(md.KVHeads), float64(md.HeadDim)
	if md.MLA() {
		rows, width = 1, float64(md.KVLoRARank+md.RopeHeadDim)
	}
	return float64(md.Layers) * rows * math.Ceil(width*md.KV().Bytes()/line) * line
}

// deviceWeights returns the bytes of the weights that lie in device memory: all
// but an embedding table in host memory that no LM head shares.
func deviceWeights(sc *scenario.Scenario) float64 {
	md := &sc.Model
	w := md.WeightBytes()
	if host := sc.Engine.Embedding == scenario.HostPinned || sc.Engine.Embedding == scenario.Host; host && !md.TiedEmbed {
		w -= md.Params().Embedding * md.HeadWeights().Bytes()
	}
	return w
}
