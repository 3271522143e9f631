package perf_test

import (
	"math"
	"testing"

	"scoville/core/hardware"
	"scoville/core/perf"
	"scoville/core/scenario"
	"scoville/core/unit"
)

// reference resolves Llama-2-7B at INT8 on a catalogue device.
func reference(t *testing.T, device string, set map[string]any) *scenario.Scenario {
	t.Helper()
	l := scenario.Layer{Name: "test", Values: []scenario.Assignment{
		{Path: "model.name", Value: "llama-2-7b"},
		{Path: "model.weight_dtype", Value: "int8"},
		{Path: "model.kv_dtype", Value: "int8"},
		{Path: "model.activation_dtype", Value: "int8"},
		{Path: "hardware.name", Value: device},
	}}
	for k, v := range set {
		l.Values = append(l.Values, scenario.Assignment{Path: k, Value: v})
	}
	r, err := scenario.NewCatalog(".").Resolve(l)
	if err != nil {
		t.Fatal(err)
	}
	return &r.Scenario
}

// decode returns the cost of a decode step of n sequences with ctx tokens each.
func decode(sc *scenario.Scenario, n, ctx int) perf.Cost {
	var b perf.Batch
	for range n {
		b.AddDecode(ctx, sc.Model.SlidingWindow)
	}
	return step(sc, &b)
}

func prefill(sc *scenario.Scenario, n int) perf.Cost {
	var b perf.Batch
	b.AddChunk(0, n, sc.Model.SlidingWindow, true)
	return step(sc, &b)
}

func step(sc *scenario.Scenario, b *perf.Batch) perf.Cost {
	var c perf.Cost
	perf.New(sc).Step(b, &c)
	return c
}

func near(t *testing.T, what string, got, want, tol float64) {
	t.Helper()
	if math.Abs(got/want-1) > tol {
		t.Errorf("%s: %.6g, want %.6g within %g", what, got, want, tol)
	}
}

// TestReferenceStages recomputes each stage of the reference chip by hand:
// Llama-2-7B (6.738e9 parameters of which 131.07e6 are embedding rows and
// 131.07e6 the LM head), 60 effective TOPS, 6 TB/s weights, 2 TB/s state,
// 64 MiB on chip at 20 TB/s, adapter 20 us.
func TestReferenceStages(t *testing.T) {
	const (
		params = 6.738415616e9
		table  = 32000 * 4096 // embedding, and LM head
		norms  = 65 * 4096
		layers = params - 2*table - norms
	)
	sc := reference(t, "jalapeno", nil)
	one := decode(sc, 1, 1)
	weights := one.Stages[perf.GEMM].Value + one.Stages[perf.LMHead].Value
	near(t, "weight streaming of a step", weights, (layers+table+4096)/6e12, 1e-9)
	near(t, "against W / B_w = 1.123 ms less the embedding table", weights, (params-table)/6e12, 1e-4)
	near(t, "adapter", one.Stages[perf.Adapter].Value, 20e-6, 1e-12)
	near(t, "adapter of 512 tokens", 512*one.Stages[perf.Adapter].Value, 10.24e-3, 1e-9)

	p := prefill(sc, 2048)
	gemm := 2 * layers * 2048 / 60e12
	near(t, "prefill GEMMs of 2048 tokens", p.Stages[perf.GEMM].Value, gemm, 1e-9)
	attention := 4 * 32 * 128 * 32 * 2048 * (2049.0 / 2) / 60e12
	near(t, "prefill attention of 2048 tokens", p.Stages[perf.PrefillAttention].Value, attention, 1e-9)
	near(t, "LM head of one row is memory bound", p.Stages[perf.LMHead].Value, 2*table/60e12, 1e-3)

	textbook := 2 * params * 2048 / 60e12 // 0.460 s
	near(t, "2 N P / C", textbook, 0.460, 1e-3)
	items := gemm + 2*table/60e12 - textbook // embedding rows are no GEMM, the LM head sees one row
	near(t, "prefill against 2 N P / C, itemised", p.Total.Value-attention-20e-6, textbook+items, 1e-4)

	kv := sc.Model.KVBytesPerToken()
	near(t, "KV bytes per token", kv, 256<<10, 0)
	long := decode(sc, 1, 100_000)
	off := 100_000*kv - 64*unit.MiB + kv
	near(t, "state time of 100,000 tokens", long.Stages[perf.DecodeAttention].Value, off/2e12+64*unit.MiB/20e12, 1e-9)
	near(t, "131 ns per resident token", long.Total.Slope, 131.072e-9, 1e-9)
	near(t, "the store saves 33.6 us less its own reading", 64*unit.MiB/2e12, 33.55e-6, 1e-3)
}

// TestReferenceRegimes is the regime table: weight-bound up to 5 sequences and
// 8,568 resident tokens, compute-bound above 5, state-bound beyond.
func TestReferenceRegimes(t *testing.T) {
	sc := reference(t, "jalapeno", map[string]any{"hardware.onchip_kv_policy": "none"})
	bound := func(n, resident int) perf.Resource {
		c := decode(sc, n, resident/n)
		best := perf.Compute
		for r := range perf.NumResources {
			if c.Resources[r].Value > c.Resources[best].Value {
				best = r
			}
		}
		return best
	}
	for _, c := range []struct {
		n, resident int
		want        perf.Resource
	}{
		{1, 1000, perf.Weights},
		{4, 8000, perf.Weights},
		{1, 8300, perf.Weights},
		{1, 8700, perf.State},
		{6, 1200, perf.Compute},
		{16, 16000, perf.Compute},
		{16, 16 * 8192, perf.State},
		{4, 4 * 2200, perf.State},
	} {
		if got := bound(c.n, c.resident); got != c.want {
			t.Errorf("%d sequences, %d tokens: %v, want %v", c.n, c.resident, got, c.want)
		}
	}
	near(t, "16 sequences: 0.2246 ms each", decode(sc, 16, 100).Total.Value-20e-6, 16*0.2246e-3, 0.025)
}

// TestReferenceDesigns compares the three memory organisations with the
// published arithmetic: separate / shared 6 / shared 8 TB/s.
func TestReferenceDesigns(t *testing.T) {
	for _, c := range []struct {
		n, ctx int
		ms     [3]float64
	}{{1, 8192, [3]float64{1.12, 1.48, 1.11}}, {1, 32768, [3]float64{4.29, 2.56, 1.92}}, {16, 8192, [3]float64{17.2, 6.85, 5.14}}} {
		for i, device := range []string{"jalapeno", "jalapeno-shared-6", "jalapeno-shared-8"} {
			set := map[string]any{"hardware.onchip_kv_policy": "none", "hardware.onchip_kv_mib": 0.0}
			if i == 0 {
				set["hardware.adapter_latency_us"] = 0.0
			}
			if c.n == 16 { // the published figures leave compute out
				set["hardware.peak_tflops.int8"] = 1e6
			}
			got := decode(reference(t, device, set), c.n, c.ctx).Total.Value * 1e3
			near(t, device, got, c.ms[i], 0.025)
		}
	}
}

// TestMonotone holds the metamorphic properties of a step: more of any
// resource never slows it, a larger batch never speeds it up, exposed stages
// and resources add up, no resource is used beyond its datasheet.
func TestMonotone(t *testing.T) {
	devices := []string{"jalapeno", "jalapeno-shared-8", "h100-sxm"}
	knobs := []string{"compute_util", "weight_bandwidth_util", "kv_bandwidth_util", "attention_compute_util", "overlap", "onchip_kv_gb_s", "onchip_kv_mib", "weight_bandwidth_gb_s", "state_bandwidth_gb_s", "memory_bandwidth_gb_s", "peak_tflops.int8"}
	for _, device := range devices {
		for _, ctx := range []int{1, 300, 9000, 50_000} {
			for _, n := range []int{1, 5, 40} {
				base := reference(t, device, nil)
				var b perf.Batch
				for range n {
					b.AddDecode(ctx, 0)
				}
				b.AddChunk(100, 64*n, 0, true)
				c := step(base, &b)
				checkSums(t, &c)
				for _, k := range knobs {
					better := *base
					v, err := better.Get("hardware." + k)
					if err != nil {
						t.Fatal(err)
					}
					x := v.(float64) * 1.1
					if better.Set("hardware."+k, x) != nil || x == 0 {
						continue
					}
					if after := step(&better, &b); after.Total.Value > c.Total.Value*(1+1e-12) {
						t.Errorf("%s, %d x %d: 10 %% more %s slows the step: %g -> %g", device, n, ctx, k, c.Total.Value, after.Total.Value)
					}
				}
				larger := b
				larger.AddDecode(ctx, 0)
				if after := step(base, &larger); after.Total.Value < c.Total.Value*(1-1e-12) {
					t.Errorf("%s: a larger batch is faster: %g -> %g", device, c.Total.Value, after.Total.Value)
				}
			}
		}
	}
}

func checkSums(t *testing.T, c *perf.Cost) {
	t.Helper()
	stages, resources := 0.0, 0.0
	for _, s := range c.Stages {
		stages += s.Value
	}
	for _, r := range c.Resources {
		resources += r.Value
	}
	near(t, "stages add up", stages, c.Total.Value, 1e-12)
	near(t, "resources add up", resources, c.Total.Value, 1e-12)
	for r, busy := range c.Busy {
		if busy.Value > c.Total.Value*(1+1e-12) {
			t.Errorf("%v used %g s of a step of %g s", perf.Resource(r), busy.Value, c.Total.Value)
		}
	}
}

// TestStoreCliff: LRU keeps everything while the scan fits and nothing beyond;
// pinned keeps the capacity. The store holds 256 tokens.
func TestStoreCliff(t *testing.T) {
	for _, c := range []struct {
		policy string
		ctx    int
		hit    float64
	}{{"lru", 256, 1}, {"lru", 257, 0}, {"pinned", 256, 1}, {"pinned", 512, 0.5}, {"none", 10, 0}} {
		cost := decode(reference(t, "jalapeno", map[string]any{"hardware.onchip_kv_policy": c.policy}), 1, c.ctx)
		if got := cost.KVOnChip.Value / cost.KVBytes.Value; got != c.hit {
			t.Errorf("%s at %d tokens: hit ratio %g, want %g", c.policy, c.ctx, got, c.hit)
		}
	}
}

// TestExperts: distinct experts of a batch, and that one token reads k of E.
func TestExperts(t *testing.T) {
	l := scenario.Layer{Name: "test", Values: []scenario.Assignment{{Path: "model.name", Value: "mixtral-8x7b"}, {Path: "hardware.name", Value: "h100-sxm"}, {Path: "engine.tp", Value: 2}}}
	r, err := scenario.NewCatalog(".").Resolve(l)
	if err != nil {
		t.Fatal(err)
	}
	m := perf.New(&r.Scenario)
	near(t, "one token", m.ActiveExperts(1), 2, 1e-12)
	near(t, "two tokens", m.ActiveExperts(2), 8*(1-0.75*0.75), 1e-12)
	near(t, "many tokens", m.ActiveExperts(1e4), 8, 1e-9)
	one := decode(&r.Scenario, 1, 10)
	bytes := 32 * 2 * 3 * 4096 * 14336.0 * 2
	all := r.Scenario
	all.Engine.ExpertsRead = 0.5
	half := decode(&all, 1, 10)
	near(t, "half of the idle experts read", half.Stages[perf.Experts].Value, 2.5*one.Stages[perf.Experts].Value, 1e-9)
	near(t, "expert streaming of one token", one.Stages[perf.Experts].Value, bytes/(2*3350e9), 1e-2)
	if one.Stages[perf.AllReduce].Value <= 0 {
		t.Error("no all-reduce on two chips")
	}
}

// TestMemoryNamesParts: 16 sequences of 16,384 tokens of a 13 B model do not
// fit 40 GB, and the error says why.
func TestMemory(t *testing.T) {
	sc := reference(t, "a100-40", map[string]any{"engine.kv_blocks": 16384})
	sc.Model.WeightDType, sc.Model.KVDType = unit.BF16, unit.BF16
	b := perf.Memory(sc)
	if err := b.Check(); err == nil {
		t.Error("128 GiB of KV fit 40 GB")
	}
	sc = reference(t, "jalapeno", nil)
	b = perf.Memory(sc)
	if err := b.Check(); err != nil {
		t.Error(err)
	}
	near(t, "blocks behind the state path", float64(b.Blocks), 0.9*64*unit.GiB/(16*256*1024), 1e-4)
	if sc.Hardware.KVPath != hardware.Separate {
		t.Error("not separate")
	}
}

// TestExpertParallel: the busiest rank sets the pace, more so for few tokens,
// and never beyond all experts of one rank or all tokens on it.
func TestExpertParallel(t *testing.T) {
	load := func(ep, tokens int) float64 {
		l := scenario.Layer{Name: "test", Values: []scenario.Assignment{
			{Path: "model.name", Value: "qwen3-30b-a3b"}, {Path: "hardware.name", Value: "h100-sxm"}, {Path: "engine.tp", Value: 4}, {Path: "engine.ep", Value: ep},
		}}
		r, err := scenario.NewCatalog(".").Resolve(l)
		if err != nil {
			t.Fatal(err)
		}
		return decode(&r.Scenario, tokens, 10).Stages[perf.Experts].Value
	}
	for _, tokens := range []int{1, 4, 64, 4096} {
		split, ranks := load(1, tokens), load(4, tokens)
		if ranks < split || ranks > 4*split {
			t.Errorf("%d tokens: experts take %g s on 4 ranks, %g s split", tokens, ranks, split)
		}
	}
	if few, many := load(4, 4)/load(1, 4), load(4, 4096)/load(1, 4096); few <= many || many > 1.1 {
		t.Errorf("imbalance %.3f at 4 tokens, %.3f at 4096", few, many)
	}
}

// TestSlidingMemory: models with sliding windows fit a chip by default, with
// fewer bytes a token than without windows.
func TestSlidingMemory(t *testing.T) {
	for _, name := range []string{"mistral-7b-v0.1", "gpt-oss-20b"} {
		l := scenario.Layer{Name: "test", Values: []scenario.Assignment{{Path: "model.name", Value: name}, {Path: "hardware.name", Value: "h100-sxm"}}}
		r, err := scenario.NewCatalog(".").Resolve(l)
		if err != nil {
			t.Fatal(err)
		}
		b := perf.Memory(&r.Scenario)
		if err := b.Check(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		all := (b.KVSpace + b.Windows) / r.Scenario.Model.KVBytesPerToken()
		if tokens := float64(b.Blocks * r.Scenario.Engine.BlockSize); tokens < all*0.99 {
			t.Errorf("%s: %g tokens, %g if every layer kept all", name, tokens, all)
		}
	}
}
