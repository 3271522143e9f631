package core

import (
	"context"
	"fmt"
	"testing"

	"scoville/core/scenario"
	"scoville/core/workload"
)

// BenchmarkSimulate measures whole runs: generation, engine and metrics, the
// capacity run shared as in a study.
func BenchmarkSimulate(b *testing.B) {
	const n = 1000
	out := workload.Dist{Kind: workload.LogNormal, Mean: 256, CV: 0.8, Max: 2048}
	for _, seqs := range []int{16, 256} {
		for _, load := range []float64{0.6, 3} {
			b.Run(fmt.Sprintf("seqs=%d/load=%g", seqs, load), func(b *testing.B) {
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
					{Name: "short", Share: 0.6, Prompt: workload.Dist{Kind: workload.Fixed, Mean: 128}, Output: out},
					{Name: "medium", Share: 0.3, Prompt: workload.Dist{Kind: workload.Fixed, Mean: 2048}, Output: out},
					{Name: "long", Share: 0.1, Prompt: workload.Dist{Kind: workload.Fixed, Mean: 8192}, Output: out},
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
			})
		}
	}
}
