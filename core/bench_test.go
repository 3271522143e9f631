package core

import (
	"context"
	"fmt"
	"testing"

	"scoville/core/scenario"
	"scoville/core/workload"
)

// BenchmarkSimulate measures whole runs: generation, engine and metrics, the
// capacity run shared as in a study. Prompts have one of three lengths, or drawn
// ones of the same means, nearly each its own.
func BenchmarkSimulate(b *testing.B) {
	out := workload.Dist{Kind: workload.LogNormal, Mean: 256, CV: 0.8, Max: 2048}
	for _, prompts := range []workload.Dist{{Kind: workload.Fixed}, {Kind: workload.LogNormal, CV: 0.5, Max: 16384}} {
		for _, seqs := range []int{16, 256} {
			for _, load := range []float64{0.6, 3} {
				b.Run(fmt.Sprintf("prompts=%s/seqs=%d/load=%g", prompts.Kind, seqs, load), func(b *testing.B) {
					benchmarkSimulate(b, prompts, out, seqs, load)
				})
			}
		}
	}
}

func benchmarkSimulate(b *testing.B, prompts, out workload.Dist, seqs int, load float64) {
	const n = 1000
	of := func(mean float64) workload.Dist {
		d := prompts
		d.Mean = mean
		return d
	}
	r, err := scenario.NewCatalog(".").Resolve(scenario.Layer{Name: "bench", Values: []scenario.Assignment{
		{Path: "model.name", Value: "llama-2-7b"},
		{Path: "model.weight_dtype", Value: "int8"},
		{Path: "model.kv_dtype", Value: "int8"},
		{Path: "hardware.name", Value: "jalapeno"},
		{Path: "engine.max_num_seqs", Value: seqs},
		{Path: "workload.load", Value: load},
	}})
	if err != nil {
		b.Fatal(err)
	}
	sc := r.Scenario
	sc.Workload.Class = []workload.Class{
		{Name: "short", Share: 0.6, Prompt: of(128), Output: out},
		{Name: "medium", Share: 0.3, Prompt: of(2048), Output: out},
		{Name: "long", Share: 0.1, Prompt: of(8192), Output: out},
	}
	s := NewSimulator(NewCapacities())
	b.ReportAllocs()
	i := 0
	for b.Loop() {
		if _, err := s.Run(context.Background(), &sc, Options{Replicate: i}); err != nil {
			b.Fatal(err)
		}
		i++
	}
	b.ReportMetric(n*float64(b.N)/b.Elapsed().Seconds(), "req/s")
}
