// Package work says how much a run is before it runs, as far as that shows in its
// scenario. It knows no plan and no clock.
package work

import (
	"math"

	"scoville/core/scenario"
	"scoville/core/workload"
)

// Size is what the cost of a run goes with most. Runs of one size are alike, so
// numbers are kept roughly: as logarithms in steps of an eighth, 13 %. The zero
// Size is that of a run which is not simulated.
type Size struct {
	Requests uint8 // of the run
	Prompt   uint8 // mean tokens
	Output   uint8
	Seqs     uint8 // most sequences at a time, of all replicas
	Rate     uint8 // of arrivals in microhertz; 0 = none, or not known before
	Kind     uint8 // whether each step is taken, and the arrival process
}

// Features is the number of Size.Features.
const Features = 7

// steps a factor of e.
const steps = 8

// Of is the size of a scenario's run.
func Of(sc *scenario.Scenario) Size {
	w, e := &sc.Workload, &sc.Engine
	s := Size{Requests: rough(requests(sc)), Seqs: rough(float64(e.MaxNumSeqs * max(1, e.DP))), Rate: rough(1e6 * w.RateRPS), Kind: 1}
	prompt, output, shares := 0.0, 0.0, 0.0
	for i := range w.Class {
		c := &w.Class[i]
		prompt, output, shares = prompt+c.Share*mean(&c.Prompt), output+c.Share*mean(&c.Output), shares+c.Share
	}
	if shares > 0 {
		s.Prompt, s.Output = rough(prompt/shares), rough(output/shares)
	}
	if e.SpecTokens > 0 { // the engine takes every step
		s.Kind |= 2
	}
	if w.Arrival == workload.Closed || w.Arrival == workload.Burst {
		s.Kind |= 4
	}
	return s
}

// requests is about how many requests a run serves; where the rate is not known
// before, in proportion to the load.
func requests(sc *scenario.Scenario) float64 {
	w := &sc.Workload
	n := float64(w.Requests)
	switch {
	case sc.Measurement.PerConc > 0 && w.Arrival == workload.Closed:
		n = float64(sc.Measurement.PerConc * w.Concurrent)
	case w.Arrival == workload.Trace && (w.Requests == 0 || w.Requests > len(w.Records)):
		n = float64(len(w.Records))
	case w.Requests == 0 && w.RateRPS > 0:
		n = w.RateRPS * w.DurationS
	case w.Requests == 0:
		n = w.Load * w.DurationS
	}
	return n
}

// mean is about that of a distribution of tokens.
func mean(d *workload.Dist) float64 {
	switch {
	case d.Kind == workload.Uniform:
		return (d.Min + d.Max) / 2
	case d.Kind == workload.Empirical && len(d.Values) > 0:
		return d.Values[len(d.Values)/2]
	}
	return d.Mean
}

// rough is a number of at least 1 as Size keeps it.
func rough(x float64) uint8 {
	if !(x > 1) {
		return 0
	}
	return uint8(min(math.Round(steps*math.Log(x)), math.MaxUint8))
}

// Features are what a cost may go with, the logarithms of all numbers: 1, requests,
// prompt, output, sequences, rate, and whether each step is taken.
func (s Size) Features() [Features]float64 {
	log := func(x uint8) float64 { return float64(x) / steps }
	plain := 0.0
	if s.Kind&2 != 0 {
		plain = 1
	}
	return [Features]float64{1, log(s.Requests), log(s.Prompt), log(s.Output), log(s.Seqs), log(s.Rate), plain}
}
