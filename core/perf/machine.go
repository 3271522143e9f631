package perf

import (
	"math"

	"scoville/core/hardware"
	"scoville/core/scenario"
	"scoville/core/unit"
)

// Machine is a scenario's model on its chips, reduced to the constants a step
// needs, in base units. It is immutable and safe for concurrent use.
type Machine struct {
	tp, layers, moeLayers float64
	hidden                float64

	dense, expert, head group // GEMM groups
	experts, perToken   float64
	alwaysRead          float64 // share of the idle experts whose weights are read all the same
	ep                  float64
	tokensHalf          float64
	small, large        float64 // tokens beyond which weights of GEMMs take (1 + large) as long; 0 = none
	largeEnd            float64 // tokens up to which they do
	embedRow            float64 // bytes of one embedding row

	attnFlop, attnFlopPeak float64 // s per FLOP of attention, as reached and of the datasheet, all chips
	prefillPair, winPair   float64 // FLOPs per pair: full layers, sliding layers
	decodePair, decWinPair float64
	kvFull, kvWin          float64 // KV bytes per token: full layers, sliding layers
	kvByte, kvBytePeak     float64 // s per byte of the KV path over the shards, as reached and of the datasheet
	copies                 float64 // chips that hold, and read, the same KV
	window                 int
	unpackFull, unpackWin  float64 // FLOPs to dequantise the KV of a token

	separate     bool
	overlap      float64
	sharedUnits  bool
	adapter      float64 // s per step
	adapterToken float64 // s per new token over the adapter link
	onchip       float64 // bytes over the shards; 0 = none
	onchipByte   float64 // s per byte
	lru          bool
	hitRatio     float64 // -1 = from policy

	swapToken                           float64 // s per token moved to or from host memory
	linkAlpha, linkToken, linkTokenPeak float64 // s per step, s per token

	draft                          float64 // s per step with drafts, all draft tokens together
	hostStep, hostSeq, hostPrefill float64
	hostMax                        bool
	prefillLaunch                  float64 // s that the kernels of a step with chunks take to launch
	fx                             effects
}

// group is one GEMM group: every weight is read once a step and multiplied
// once per token. Times are seconds per unit over all chips, so that a step
// multiplies only.
type group struct {
	elements float64 // weights
	bytes    float64 // bytes of these weights
	flop     float64 // s per FLOP as reached
	flopPeak float64 // s per FLOP of the datasheet
	byte     float64 // s per byte as reached
	bytePeak float64 // s per byte of the datasheet
}

// New reduces a validated scenario to a Machine.
func New(sc *scenario.Scenario) *Machine {
	md, hw, en := &sc.Model, &sc.Hardware, &sc.Engine
	m := &Machine{
		tp: float64(en.TP), layers: float64(md.Layers), moeLayers: float64(md.MoELayers()), hidden: float64(md.Hidden),
		experts: float64(md.Experts), perToken: float64(md.ExpertsPerTok), alwaysRead: en.ExpertsRead, ep: float64(max(en.EP, 1)),
		tokensHalf: hw.TokensHalf, small: hw.GEMMSmallTokens, large: hw.GEMMLargeLoss, window: md.SlidingWindow,
		separate: hw.KVPath == hardware.Separate, hitRatio: -1,
		hostMax: en.HostOverlap == scenario.Max,
	}
	if m.largeEnd = hw.GEMMLargeTokens; m.largeEnd == 0 {
		m.largeEnd = math.Inf(1)
	}
	m.gemms(sc)
	m.attention(sc)
	m.memory(hw, Shard(sc))
	m.links(sc)
	m.draft = unit.Us * float64(en.SpecTokens) * en.DraftUs
	m.hostStep = unit.Us * (en.StepUs + m.layers*en.LayerUs + m.moeLayers*en.MoELayerUs)
	m.hostSeq = unit.Us * en.SequenceUs
	m.hostPrefill = unit.Us * en.PrefillStepUs
	m.prefillLaunch = unit.Us * en.PrefillLaunch
	m.effects(sc)
	return m
}

// gemms fills the three GEMM groups.
func (m *Machine) gemms(sc *scenario.Scenario) {
	md, hw := &sc.Model, &sc.Hardware
	bw := unit.GB * hw.MemoryBandwidthGBs
	if m.separate {
		bw = unit.GB * hw.WeightBandwidthGBs
	}
	peak := m.tp * unit.Tera * hw.Peak.Of(md.Activations())
	g := group{
		flop: 1 / (peak * hw.ComputeUtil), flopPeak: 1 / peak,
		byte: 1 / (m.tp * bw * reached(hw, hw.WeightBandwidthUtil)), bytePeak: 1 / (m.tp * bw),
	}
	m.dense, m.expert, m.head = g, g, g
	w := md.GEMMs()
	m.dense.elements = w.Attention + w.Dense
	m.dense.bytes = m.dense.elements * md.DenseWeights().Bytes()
	m.expert.elements = m.moeLayers * w.Expert
	m.expert.bytes = m.expert.elements * md.ExpertWeights().Bytes()
	m.expert.flop /= hw.ExpertComputeUtil
	m.head.elements = w.LMHead
	if head := m.tp * unit.Tera * hw.Peak.Of(md.HeadWeights()); head > 0 && md.LMHeadDType != "" { // a 16-bit head of an 8-bit model
		m.head.flop, m.head.flopPeak = 1/(head*hw.ComputeUtil), 1/head
	}
	m.head.bytes = m.head.elements * md.HeadWeights().Bytes()
	m.embedRow = m.hidden * md.HeadWeights().Bytes()
}

// attention fills FLOPs and bytes per pair. KV is split over
// shard = min(tp, kv_heads) chips; an MLA latent is replicated (shard 1).
func (m *Machine) attention(sc *scenario.Scenario) {
	md, hw := &sc.Model, &sc.Hardware
	prefill, decode := md.AttentionFLOPsPerPair() // per layer
	full, sliding := float64(md.FullLayers()), float64(md.SlidingLayers)
	m.prefillPair, m.winPair = full*prefill, sliding*prefill
	m.decodePair, m.decWinPair = full*decode, sliding*decode
	perLayer := KVBytesPerToken(sc) / m.layers
	m.kvFull, m.kvWin = full*perLayer, sliding*perLayer

	peak := m.tp * unit.Tera * attentionPeak(sc)
	util := min(hw.AttentionComputeUtil*sc.Engine.AttnSpeed, 1)
	m.sharedUnits = m.separate && hw.AdapterPeakTFLOPS == 0
	if m.sharedUnits {
		util = min(util, hw.ComputeUtil)
	} else if m.separate {
		peak = m.tp * unit.Tera * hw.AdapterPeakTFLOPS
	}
	m.attnFlop, m.attnFlopPeak = 1/(peak*util), 1/peak
	bw := unit.GB * hw.MemoryBandwidthGBs
	if m.separate {
		bw = unit.GB * hw.StateBandwidthGBs
	}
	bw *= Shard(sc)
	m.copies = m.tp / Shard(sc)
	kernel := min(hw.KVBandwidthUtil*sc.Engine.AttnSpeed*sc.Engine.AttnOccupancy, 1)
	m.kvByte, m.kvBytePeak = 1/(bw*reached(hw, kernel)), 1/bw
	if md.KV().Bytes() < 2 {
		unpack := md.KVBytesPerToken() / m.layers / md.KV().Bytes() * sc.Engine.KVDequant * m.copies
		m.unpackFull, m.unpackWin = full*unpack, sliding*unpack
	}
}

// reached returns the share of a memory's datasheet bandwidth that a kernel
// gets which would reach u of it: no more than dram_util_cap, less ecc_tax.
func reached(hw *hardware.Hardware, u float64) float64 {
	return min(u, hw.DRAMUtilCap) * (1 - hw.ECCTax)
}

// attentionPeak returns the TFLOP/s of attention on one chip: at
// attention_dtype if given, else 16-bit where the chip has it, else at the
// activation format.
func attentionPeak(sc *scenario.Scenario) float64 {
	p := sc.Hardware.Peak
	if d := sc.Model.AttentionDType; d != "" {
		return p.Of(d)
	}
	if p16 := p.Of(unit.BF16); p16 > 0 {
		return p16
	}
	return p.Of(sc.Model.Activations())
}

// Shard returns over how many chips the KV cache of one sequence is split:
// min(tp, kv_heads), 1 for MLA.
func Shard(sc *scenario.Scenario) float64 {
	if sc.Model.MLA() {
		return 1
	}
	return float64(min(sc.Engine.TP, sc.Model.KVHeads))
}

// memory fills the on-chip store and the adapter.
func (m *Machine) memory(hw *hardware.Hardware, shard float64) {
	if hw.OnchipKVMiB > 0 && hw.OnchipKVPolicy != hardware.None {
		m.onchip = shard * unit.MiB * hw.OnchipKVMiB
		m.onchipByte = 1 / (shard * unit.GB * hw.OnchipKVGBs)
		m.lru = hw.OnchipKVPolicy == hardware.LRU
		m.hitRatio = hw.OnchipKVHitRatio
	}
	if m.separate {
		m.overlap = hw.Overlap
		m.adapter = unit.Us * hw.AdapterLatencyUs
	}
}

// links fills the all-reduce (two per layer, 16-bit activations; ring
// algorithm), the link to host memory and the adapter link (queries out, results back, per layer).
func (m *Machine) links(sc *scenario.Scenario) {
	hw, md := &sc.Hardware, &sc.Model
	if m.tp > 1 {
		bytes := 2 * (m.tp - 1) / m.tp * m.hidden * 2
		m.linkAlpha = 2 * m.layers * unit.Us * hw.LinkLatencyUs
		m.linkTokenPeak = 2 * m.layers * bytes / (unit.GB * hw.LinkBandwidthGBs)
		m.linkToken = m.linkTokenPeak / hw.LinkUtil
	}
	if hw.PCIeGBs > 0 {
		m.swapToken = KVBytesPerToken(sc) / (Shard(sc) * unit.GB * hw.PCIeGBs * hw.PCIeUtil)
	}
	if m.separate && hw.AdapterLinkGBs > 0 {
		act := md.Activations().Bytes()
		m.adapterToken = m.layers * 2 * float64(md.Heads*md.HeadDim) * act / (unit.GB * hw.AdapterLinkGBs * m.tp)
	}
}

// Window returns the model's sliding window in tokens, 0 for none.
func (m *Machine) Window() int { return m.window }

// expertsRead returns how many experts' weights a step of t tokens reads: the
// distinct ones, and the share experts_always_read of the others.
func (m *Machine) expertsRead(t float64) float64 {
	distinct := m.ActiveExperts(t)
	return distinct + m.alwaysRead*(m.experts-distinct)
}

// ActiveExperts returns how many distinct experts t tokens use:
// E (1 - (1 - k/E)^t), each token drawing k of E experts evenly.
func (m *Machine) ActiveExperts(t float64) float64 {
	if m.experts == 0 {
		return 0
	}
	return m.experts * -math.Expm1(t*math.Log1p(-m.perToken/m.experts))
}

// busiest returns the mean load of the busiest of the ep expert-parallel ranks
// over the mean load, n of `of` items being dealt evenly at random: the mean of
// the largest of ep normal variables (Blom 1958) with the spread of the counts,
// sqrt((ep - 1) / n (of - n) / (of - 1)); never more than all of them. With `of`
// infinite the items are independent.
func (m *Machine) busiest(n, of float64) float64 {
	if m.ep == 1 || n == 0 {
		return 1
	}
	spread := (m.ep - 1) / n
	if !math.IsInf(of, 1) {
		spread *= max(of-n, 0) / (of - 1)
	}
	largest := math.Sqrt2 * math.Erfinv(2*(m.ep-0.375)/(m.ep+0.25)-1)
	return min(1+largest*math.Sqrt(spread), m.ep)
}
