package perf_test

import (
	"math"
	"testing"

	"scoville/core/perf"
)

// On one memory, where nothing hides, every stage takes the longer side of its
// roofline.
func TestSidesAreTheRoofline(t *testing.T) {
	m := perf.New(reference(t, "h100-sxm", nil))
	for _, decodes := range []int{0, 1, 7, 300} {
		for _, prompt := range []int{0, 16, 4096} {
			var b perf.Batch
			for range decodes {
				b.AddDecode(5000, 0)
			}
			if prompt > 0 {
				b.AddChunk(100, prompt, 0, true)
			}
			var c perf.Cost
			m.Step(&b, &c)
			sides := m.Sides(&b)
			for s := range perf.NumStages {
				side := sides[s]
				if side != (perf.Side{}) && math.Abs(max(side.Compute, side.Memory)-c.Stages[s].Value) > 1e-12*c.Stages[s].Value {
					t.Errorf("%d decodes, %d prompt tokens, %s: %+v, takes %g", decodes, prompt, s, side, c.Stages[s].Value)
				}
			}
			if b.Tokens > 0 && (sides[perf.GEMM].Compute == 0 || sides[perf.GEMM].Memory == 0) {
				t.Errorf("a GEMM without sides: %+v", sides[perf.GEMM])
			}
		}
	}
}
