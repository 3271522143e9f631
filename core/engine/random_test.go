package engine

import (
	"math/rand/v2"

	"scoville/core/hardware"
	"scoville/core/model"
	"scoville/core/perf"
	"scoville/core/scenario"
	"scoville/core/unit"
	"scoville/core/workload"
)

// trial is one random simulation: everything Run and Plain take.
type trial struct {
	sc   scenario.Scenario
	m    *perf.Machine
	cfg  Config
	reqs []workload.Request
}

func pick[T any](r *rand.Rand, of ...T) T { return of[r.IntN(len(of))] }

// newTrial draws a small model, a chip with or without separate paths, an
// engine with tight limits, and a workload from idle to overloaded.
func newTrial(seed uint64) trial {
	r := rand.New(rand.NewPCG(seed, 7))
	var t trial
	randomModel(r, &t.sc.Model)
	randomHardware(r, &t.sc.Hardware)
	randomEngine(r, &t.sc.Engine, t.sc.Model.KVHeads)
	randomEffects(rand.New(rand.NewPCG(seed, 8)), &t.sc)
	t.m = perf.New(&t.sc)
	n := 1 + r.IntN(60)
	longest := 0
	rate := pick(r, 0.1, 1, 10, 100, 1000) * r.Float64()
	at := 0.0
	burst := r.IntN(5) == 0
	for range n {
		if !burst {
			at += workload.Exponential(r.Float64()) / (rate + 1e-3)
		}
		q := workload.Request{Arrival: at, Class: int32(r.IntN(3)), Prompt: 1 + int32(r.IntN(pick(r, 10, 300, 3000))), Output: 1 + int32(r.IntN(pick(r, 1, 20, 400)))}
		longest = max(longest, int(q.Prompt+q.Output))
		t.reqs = append(t.reqs, q)
	}
	e := &t.sc.Engine
	t.cfg = Config{
		MaxSeqs: e.MaxNumSeqs, MaxTokens: e.MaxTokens, Chunked: r.IntN(4) > 0, BlockSize: e.BlockSize,
		Order: pick(r, FCFS, FCFS, Shortest, Priority), Priorities: []int32{1, 0, 2}, PrefillFirst: r.IntN(4) == 0,
		Reserve: r.IntN(3) == 0, Swap: r.IntN(3) == 0, Warmup: r.IntN(5), Frontend: pick(r, 0.0, 0, 1e-6), Client: pick(r, 0.0, 0.01),
	}
	if r.IntN(4) == 0 {
		t.cfg.Order, t.cfg.PrefillFirst = FCFS, false
		t.cfg.Batching = pick(r, Static, Dynamic, Bucketed)
		t.cfg.BatchWindow, t.cfg.BucketTokens = pick(r, 0, 0.01, 1), pick(r, 1, 64, 1000)
	}
	t.cfg.Ahead = seed%4 == 1 && t.cfg.Batching == Iteration
	if r.IntN(3) == 0 {
		t.addPrefixes(r)
	}
	if t.cfg.PrefillFirst {
		t.cfg.Chunked = false
	}
	if !t.cfg.Chunked {
		t.cfg.MaxTokens = max(t.cfg.MaxTokens, longest)
	}
	t.cfg.Blocks = (longest+e.BlockSize-1)/e.BlockSize*pick(r, 1, 2, 5, 100) + r.IntN(4)
	t.cfg.Watermark = t.cfg.Blocks / 100 * r.IntN(3)
	if seed%3 == 0 {
		t.disturb(rand.New(rand.NewPCG(seed, 8)))
	}
	if r.IntN(4) == 0 {
		t.cfg.Closed, t.cfg.Concurrency = true, 1+r.IntN(20)
		t.cfg.Think = pick(r, 0.0, 0.1)
	}
	return t
}

// disturb adds effects that come and go over the time of the run.
func (t *trial) disturb(r *rand.Rand) {
	c := &t.cfg
	c.Ingress, c.IngressFree, c.Cold = pick(r, 0, 0.02), r.IntN(2) == 0, pick(r, 0, 0.5)
	c.Spread, c.SpreadNoise = pick(r, 0, 0.5, 1), workload.NewStream(r.Uint64(), 0, "client")
	c.Jitter, c.JitterOn, c.Noise = pick(r, 0.0, 0, 1e-3), pick(r, 0.2, 1), workload.NewStream(r.Uint64(), 0, "noise")
	span := t.reqs[len(t.reqs)-1].Arrival + 10*r.Float64()
	slow := t.sc
	h := &slow.Hardware
	for _, rate := range []*float64{&h.MemoryBandwidthGBs, &h.WeightBandwidthGBs, &h.StateBandwidthGBs, &h.Peak.INT8} {
		*rate *= pick(r, 1, 0.3)
	}
	from := span * r.Float64() * pick(r, 0, 0.3, 1)
	c.Phases = []Phase{{from, perf.New(&slow)}, {from + span*r.Float64(), t.m}}
}

// addPrefixes lets the requests share prefixes in a random tree.
func (t *trial) addPrefixes(r *rand.Rand) {
	block := t.cfg.BlockSize * pick(r, 1, 3)
	for _, q := range t.reqs { // the plain engine searches chains one by one: keep them short
		for int(q.Prompt)/block > 40 {
			block += t.cfg.BlockSize
		}
	}
	t.cfg.PrefixBlock = block
	children := map[[2]int32]int32{}
	fanout := 1 + r.IntN(4)
	for i := range t.reqs {
		q := &t.reqs[i]
		at := int32(-1)
		for range int(q.Prompt) / block {
			edge := [2]int32{at, int32(r.IntN(fanout))}
			if r.IntN(4) == 0 {
				edge[1] = int32(1000 + i)
			}
			id, ok := children[edge]
			if !ok {
				id = int32(len(children))
				children[edge] = id
			}
			q.Prefix = append(q.Prefix, id)
			at = id
		}
	}
	t.cfg.Prefixes = len(children)
}

func randomModel(r *rand.Rand, m *model.Model) {
	*m = model.Model{
		Layers: 1 + r.IntN(8), Hidden: 64 * (1 + r.IntN(16)), KVHeads: 1 << r.IntN(3), HeadDim: 32,
		FFN: 256, GatedFFN: true, Vocab: 1000,
		WeightDType: pick(r, unit.INT8, unit.BF16), KVDType: pick(r, unit.INT8, unit.BF16), ActivationDType: unit.INT8,
	}
	m.Heads = m.KVHeads * (1 + r.IntN(4))
	if r.IntN(3) == 0 {
		m.Experts, m.ExpertsPerTok, m.ExpertFFN = 16, 2, 128
	}
	if r.IntN(3) == 0 {
		m.SlidingWindow, m.SlidingLayers = 1+r.IntN(200), r.IntN(m.Layers+1)
	}
}

func randomHardware(r *rand.Rand, h *hardware.Hardware) {
	*h = hardware.Hardware{
		Peak: hardware.Peaks{INT8: pick(r, 0.1, 1, 10)}, KVPath: hardware.Shared, OnchipKVPolicy: hardware.None, OnchipKVHitRatio: -1,
		ComputeUtil: 0.5, ExpertComputeUtil: 0.5, AttentionComputeUtil: 0.4, WeightBandwidthUtil: 0.8, KVBandwidthUtil: 0.7, LinkUtil: 0.5,
		DRAMUtilCap: 1, PCIeGBs: 0.1, PCIeUtil: 0.6, LinkBandwidthGBs: 1, LinkLatencyUs: 3, TokensHalf: pick(r, 0.0, 0, 10),
	}
	if r.IntN(2) == 0 {
		h.MemoryBandwidthGBs = pick(r, 1.0, 10)
	} else {
		h.KVPath, h.WeightBandwidthGBs, h.StateBandwidthGBs = hardware.Separate, pick(r, 1.0, 10), pick(r, 0.3, 3)
		h.Overlap, h.AdapterLatencyUs = pick(r, 0.0, 0.3, 1), pick(r, 0.0, 20)
		h.AdapterPeakTFLOPS = pick(r, 0.0, 0.1)
	}
	if r.IntN(2) == 0 {
		h.OnchipKVMiB, h.OnchipKVGBs = r.Float64()*pick(r, 0.1, 10), 100
		h.OnchipKVPolicy = pick(r, hardware.Pinned, hardware.LRU)
	}
}

// randomEffects switches on some of the effects inside a step.
func randomEffects(r *rand.Rand, sc *scenario.Scenario) {
	h, e := &sc.Hardware, &sc.Engine
	h.PCIeUnpinnedUtil, e.AttnSpeed, e.AttnOccupancy, e.Kernels = 0.3, 1, 1, 10
	if r.IntN(2) == 0 {
		return
	}
	h.ECCTax, h.LineBytes = pick(r, 0.0, 0.1), pick(r, 0, 0, 64, 100)
	h.LLCContext, h.LLCGrowth = pick(r, 0, 1, 20, 200, 1000), pick(r, 0.1, 2)
	h.TLBReach, h.TLBPenalty = pick(r, 0.0, 1e-5, 1e-4, 1e-3)*r.Float64(), pick(r, 0.1, 2)
	h.KVAccessUs, e.KVPrefetch = pick(r, 0.0, 10, 1000), r.IntN(2) == 0
	e.Embedding, e.EmbeddingNorm = pick(r, scenario.OnDevice, scenario.HostPinned, scenario.Host), pick(r, scenario.Free, scenario.Split, scenario.Fused)
	e.Logits, e.SamplingUs = pick(r, scenario.Free, scenario.InMemory, scenario.Host), pick(r, 0.0, 100)
	e.Passes, e.LaunchUs = pick(r, 0.0, 10), pick(r, 0.0, 5, 100)
	e.AttnSpeed, e.AttnOccupancy = pick(r, 1, 1.15, 0.5), pick(r, 1, 0.72)
	e.KVDequant = pick(r, 0.0, 4)
	h.GEMMSmallTokens, h.GEMMLargeTokens, h.GEMMLargeLoss = pick(r, 0.0, 2, 4), pick(r, 0.0, 4, 8), pick(r, 0.0, 0.5)
	e.PrefillLaunch = pick(r, 0.0, 200, 2000)
}

func randomEngine(r *rand.Rand, e *scenario.Engine, kvHeads int) {
	*e = scenario.Engine{
		TP: min(1<<r.IntN(3), kvHeads), EP: 1, MaxNumSeqs: pick(r, 1, 2, 4, 16, 64), BlockSize: pick(r, 1, 4, 16),
		HostOverlap: pick(r, scenario.Sum, scenario.Sum, scenario.Max),
		StepUs:      pick(r, 0.0, 100, 3000), LayerUs: pick(r, 0.0, 5), SequenceUs: pick(r, 0.0, 5), PrefillStepUs: pick(r, 0.0, 100),
	}
	e.MaxTokens = max(e.MaxNumSeqs, pick(r, 16, 256, 2048))
}
