package engine

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"scoville/core/hardware"
	"scoville/core/internal/event"
	"scoville/core/model"
	"scoville/core/perf"
	"scoville/core/scenario"
	"scoville/core/unit"
	"scoville/core/workload"
)

// llama7b is Llama-2-7B at INT8 on the reference chip.
func llama7b(seqs int) *scenario.Scenario {
	sc := &scenario.Scenario{
		Model: model.Model{
			Layers: 32, Hidden: 4096, Heads: 32, KVHeads: 32, HeadDim: 128, FFN: 11008, GatedFFN: true, Vocab: 32000,
			WeightDType: unit.INT8, KVDType: unit.INT8, ActivationDType: unit.INT8,
		},
		Hardware: hardware.Hardware{
			Peak: hardware.Peaks{INT8: 64}, KVPath: hardware.Separate, WeightBandwidthGBs: 6000, StateBandwidthGBs: 2000,
			Overlap: 1, AdapterLatencyUs: 20, OnchipKVMiB: 64, OnchipKVGBs: 20000, OnchipKVPolicy: hardware.Pinned, OnchipKVHitRatio: -1,
			ComputeUtil: 0.9375, ExpertComputeUtil: 1, AttentionComputeUtil: 1, WeightBandwidthUtil: 1, KVBandwidthUtil: 1, LinkUtil: 1, DRAMUtilCap: 1,
		},
		Engine: scenario.Engine{TP: 1, EP: 1, AttnSpeed: 1, AttnOccupancy: 1, MaxNumSeqs: seqs, MaxTokens: 8192, BlockSize: 16, HostOverlap: scenario.Sum, ChunkedPre: true},
	}
	return sc
}

// threeClasses is the mix of short, medium and long prompts.
func threeClasses(rate float64, n int, output float64) []workload.Request {
	out := workload.Dist{Kind: workload.LogNormal, Mean: output, CV: 0.8, Max: 8 * output}
	spec := workload.Spec{Arrival: workload.Poisson, Class: []workload.Class{
		{Share: 0.6, Prompt: workload.Dist{Mean: 128}, Output: out},
		{Share: 0.3, Prompt: workload.Dist{Mean: 2048}, Output: out},
		{Share: 0.1, Prompt: workload.Dist{Mean: 8192}, Output: out},
	}}
	g := workload.Generator{Spec: &spec, Rate: rate, Count: n, Seed: 1}
	return g.Append(nil)
}

func BenchmarkRun(b *testing.B) {
	const n = 1000
	for _, seqs := range []int{1, 4, 16, 256} {
		sc := llama7b(seqs)
		m := perf.New(sc)
		cfg := Config{MaxSeqs: seqs, MaxTokens: 8192, Chunked: true, BlockSize: 16, Blocks: 20000, Watermark: 200}
		for _, rate := range []float64{0.5, 20} {
			for _, output := range []float64{256, 1000} {
				reqs := threeClasses(rate, n, output)
				name := fmt.Sprintf("seqs=%d/rate=%g/output=%g", seqs, rate, output)
				b.Run("jump/"+name, func(b *testing.B) {
					var e Engine
					var out Output
					b.ReportAllocs()
					for b.Loop() {
						if err := e.Run(context.Background(), m, cfg, reqs, &out); err != nil {
							b.Fatal(err)
						}
					}
					b.ReportMetric(n*float64(b.N)/b.Elapsed().Seconds(), "req/s")
				})
				b.Run("plain/"+name, func(b *testing.B) {
					var out Output
					for b.Loop() {
						if err := Plain(context.Background(), m, cfg, reqs, &out); err != nil {
							b.Fatal(err)
						}
					}
					b.ReportMetric(n*float64(b.N)/b.Elapsed().Seconds(), "req/s")
				})
			}
		}
	}
}

// BenchmarkBareLoop is the least an event-driven simulation of this kind does:
// it draws the requests, puts one event per request in a heap and takes it out,
// sums step times up to it, and sorts the latencies for their percentiles. No
// scheduler, no blocks, no step model. It is the yardstick of BENCHMARKS.md.
func BenchmarkBareLoop(b *testing.B) {
	const n = 1000
	for _, seqs := range []int{16, 256} {
		b.Run(fmt.Sprintf("seqs=%d", seqs), func(b *testing.B) {
			var h event.Heap
			latency := make([]float64, 0, n)
			for b.Loop() {
				h.Reset()
				latency = latency[:0]
				clock, step := 0.0, int64(0)
				for i, r := range threeClasses(20, n, 256) {
					if h.Len() == seqs {
						end := h.Pop().At
						clock = max(clock, r.Arrival) + perf.Line{Value: 1e-3, Slope: 1e-7}.Sum(float64(end-step))
						step = end
						latency = append(latency, clock-r.Arrival)
					}
					h.Push(event.Item{At: step + int64(r.Output), Seq: uint32(i), Value: int32(i)})
				}
				slices.Sort(latency)
			}
			b.ReportMetric(n*float64(b.N)/b.Elapsed().Seconds(), "req/s")
		})
	}
}
