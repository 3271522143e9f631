package workload

import (
	"math"
	"testing"
)

// TestClamped compares the closed form with the mean over an even grid of the
// sampler's own draws.
func TestClamped(t *testing.T) {
	const n = 10_000
	for _, d := range []Dist{
		{Kind: LogNormal, Mean: 8000, CV: 1, Max: 4000},
		{Kind: LogNormal, Mean: 3000, CV: 0.5, Max: 1000},
		{Kind: LogNormal, Mean: 300, CV: 0.8, Max: 2048},
		{Kind: LogNormal, Mean: 300, CV: 2, Min: 200},
		{Kind: LogNormal, Mean: 300, CV: 0},
		{Kind: LogNormal, Mean: 100, CV: 0.3, Min: 400, Max: 500},
		{Kind: LogNormal, Mean: 8000, CV: 100, Max: 1e6},
		{Kind: GammaDist, Mean: 8000, CV: 1, Max: 4000},
		{Kind: GammaDist, Mean: 500, CV: 3, Min: 16.5, Max: 600.5},
		{Kind: GammaDist, Mean: 500, CV: 0.05, Max: 490},
		{Kind: GammaDist, Mean: 500, CV: 0, Max: 490},
		{Kind: Fixed, Mean: 500, Max: 100},
		{Kind: Fixed, Mean: 500, Min: 600},
		{Kind: Fixed, Mean: 500},
	} {
		sum := 0.0
		for i := range n {
			sum += float64(d.draw((float64(i)+0.5)/n, 1))
		}
		if got, want := d.Clamped(), sum/n; math.Abs(got-want) > 1e-3*want+0.1 {
			t.Errorf("%+v: mean %v, drawn %v", d, got, want)
		}
	}
	if d := (Dist{Kind: LogNormal, Mean: 8000, CV: 1, Max: 4000}); math.Round(d.Clamped()) != 3492 {
		t.Errorf("mean %v, want 3,492", d.Clamped())
	}
}
