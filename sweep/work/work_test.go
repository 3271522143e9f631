package work

import (
	"math"
	"testing"

	"scoville/core/scenario"
	"scoville/core/workload"
)

func TestOf(t *testing.T) {
	sc := func(change func(*scenario.Scenario)) *scenario.Scenario {
		s := &scenario.Scenario{}
		s.Workload.Arrival, s.Workload.Requests, s.Workload.RateRPS = workload.Poisson, 1000, 2
		s.Workload.Class = []workload.Class{
			{Share: 1, Prompt: workload.Dist{Kind: workload.Fixed, Mean: 100}, Output: workload.Dist{Kind: workload.Uniform, Min: 10, Max: 30}},
			{Share: 3, Prompt: workload.Dist{Kind: workload.LogNormal, Mean: 200}, Output: workload.Dist{Kind: workload.Empirical, Values: []float64{5, 20, 50}}},
		}
		s.Engine.MaxNumSeqs, s.Engine.DP = 16, 1
		change(s)
		return s
	}
	for name, c := range map[string]struct {
		change   func(*scenario.Scenario)
		requests float64
	}{
		"count":    {func(*scenario.Scenario) {}, 1000},
		"duration": {func(s *scenario.Scenario) { s.Workload.Requests, s.Workload.DurationS = 0, 300 }, 600},
		"load": {func(s *scenario.Scenario) {
			s.Workload.Requests, s.Workload.DurationS, s.Workload.RateRPS, s.Workload.Load = 0, 300, 0, 0.5
		}, 150},
		"trace": {func(s *scenario.Scenario) {
			s.Workload.Arrival, s.Workload.Records = workload.Trace, make([]workload.Record, 70)
		}, 70},
		"closed": {func(s *scenario.Scenario) {
			s.Workload.Arrival, s.Workload.Concurrent, s.Measurement.PerConc = workload.Closed, 8, 10
		}, 80},
	} {
		got := Of(sc(c.change)).Features()
		for i, want := range map[int]float64{1: c.requests, 2: 175, 3: 20, 4: 16} {
			if math.Abs(got[i]-math.Log(want)) > 0.5/steps+1e-9 {
				t.Errorf("%s: feature %d is %.0f, want %.0f", name, i, math.Exp(got[i]), want)
			}
		}
	}
	if Of(sc(func(*scenario.Scenario) {})) == (Size{}) {
		t.Error("a run is known by its size")
	}
	if s := Of(sc(func(s *scenario.Scenario) { s.Workload.Requests = 10_000_000 })); s.Requests == math.MaxUint8 {
		t.Error("the largest run has no size")
	}
}
