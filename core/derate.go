package core

import (
	"slices"

	"scoville/core/engine"
	"scoville/core/perf"
	"scoville/core/scenario"
)

// phases returns the machines of a scenario whose rates change over time: at
// each beginning and end of a derate, the machine with the rates times the
// factors of all that then act.
func phases(sc *scenario.Scenario, undisturbed *perf.Machine) []engine.Phase {
	var at []float64
	for _, d := range sc.Derate {
		if d.Factor < 1 {
			at = append(at, d.FromS, d.ToS)
		}
	}
	slices.Sort(at)
	var out []engine.Phase
	for _, t := range slices.Compact(at) {
		changed, slow := *sc, false
		for _, d := range sc.Derate {
			if d.FromS <= t && t < d.ToS && d.Factor < 1 {
				changed.Hardware.Scale(d.Path, d.Factor)
				slow = true
			}
		}
		m := undisturbed
		if slow {
			m = perf.New(&changed)
		}
		out = append(out, engine.Phase{From: t, Machine: m})
	}
	return out
}
