package plan

import (
	"testing"

	"scoville/sweep/study"
)

// BenchmarkPlan expands and checks 100,000 points.
func BenchmarkPlan(b *testing.B) {
	text := base + "[axes]\n\"hardware.weight_bandwidth_gb_s\" = { from = 3000, to = 3990, step = 10 }\n\"hardware.state_bandwidth_gb_s\" = { from = 1000, to = 1990, step = 10 }\n\"hardware.overlap\" = { from = 0, to = 0.9, step = 0.1 }\n"
	st, err := study.Decode("bench.toml", []byte(text), nil)
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if p, err := New(st); err != nil || p.Len() != 100_000 {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/100_000, "ns/point")
}
