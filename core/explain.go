package core

import (
	"context"
	"math"

	"scoville/core/hardware"
	"scoville/core/perf"
	"scoville/core/scenario"
	"scoville/core/workload"
)

// Shape is the batch of one step.
type Shape struct {
	Decodes int // sequences that decode, at least 0
	Context int // tokens each of them attends to, its new one included; at least 1
	Prompt  int // tokens of one prompt chunk without context before it; 0 = none
}

// Step is what one step takes, and why.
type Step struct {
	Seconds   float64
	Stages    []StageTime // those that take time, in order of execution
	Resources []Share     // what the step waits for; those waited for
	Bound     string      // resource with the largest share
}

// StageTime is one stage of a step. Seconds are exposed: work hidden behind
// other work takes none. Compute and Memory are the sides of the stage's
// roofline, in seconds, NaN for a stage that has none; Bound is the longer one.
type StageTime struct {
	Name                     string
	Seconds, Compute, Memory float64
	Bound                    string // resource; "" = not known
}

// waitsFor returns the resource that a stage without a roofline waits for;
// false where it is not known.
func waitsFor(sc *scenario.Scenario, s perf.Stage) (perf.Resource, bool) {
	switch s {
	case perf.AllReduce:
		return perf.Link, true
	case perf.Host, perf.Launch, perf.Sampling:
		return perf.HostCPU, true
	case perf.Adapter:
		return perf.AdapterPath, true
	case perf.Swap:
		return perf.HostLink, true
	case perf.Draft:
		return perf.Drafter, true
	case perf.Activations:
		return perf.Weights, true
	case perf.KVAccess:
		return perf.State, true
	case perf.Embedding:
		if sc.Engine.Embedding == scenario.OnDevice {
			return perf.Weights, true
		}
		return perf.HostLink, true
	case perf.Logits:
		if sc.Engine.Logits == scenario.Host {
			return perf.HostLink, true
		}
		return perf.Weights, true
	}
	return 0, false
}

// ExplainStep tells what a step of a feasible scenario takes: the same code
// that the engine steps with.
func ExplainStep(sc *scenario.Scenario, shape Shape) Step {
	m := perf.New(sc)
	var b perf.Batch
	if shape.Prompt > 0 {
		b.AddChunk(0, shape.Prompt, m.Window(), true)
	}
	for range shape.Decodes {
		b.AddDecode(shape.Context, m.Window())
	}
	var c perf.Cost
	m.Step(&b, &c)
	sides := m.Sides(&b)
	out := Step{Seconds: c.Total.Value}
	for s := range perf.NumStages {
		t := StageTime{Name: s.String(), Seconds: c.Stages[s].Value, Compute: math.NaN(), Memory: math.NaN()}
		side := sides[s]
		r, known := waitsFor(sc, s)
		switch {
		case side != perf.Side{}:
			t.Compute, t.Memory = side.Compute, side.Memory
			t.Bound = bound(s, side).String()
		case t.Seconds == 0:
			continue
		case known:
			t.Bound = r.String()
		}
		out.Stages = append(out.Stages, t)
	}
	largest := 0.0
	for r := range perf.NumResources {
		v := c.Resources[r].Value
		if v > largest {
			out.Bound, largest = r.String(), v
		}
		if v > 0 {
			out.Resources = append(out.Resources, Share{r.String(), v})
		}
	}
	return out
}

// bound is the resource of the longer side.
func bound(s perf.Stage, side perf.Side) perf.Resource {
	switch {
	case side.Compute >= side.Memory:
		return perf.Compute
	case s == perf.DecodeAttention, s == perf.PrefillAttention:
		return perf.State
	}
	return perf.Weights
}

// Budget is what the memory of one chip holds, in bytes.
type Budget struct {
	Separate    bool    // weights and KV have memories of their own
	Capacity    float64 // memory the engine may use; on separate memories that behind the weight path
	Weights     float64
	Activations float64 // of a full step
	Reserve     float64 // workspace, or the activations where they are larger
	Windows     float64 // KV of sliding-window layers
	KV          float64 // left for KV blocks; negative when weights and reserve do not fit
	Blocks      int     // KV blocks of the pool
	BlockTokens int     // tokens of one block
	Reason      string  // why it does not fit; "" if it does
}

// MemoryBudget divides the memory of one chip of a scenario.
func MemoryBudget(sc *scenario.Scenario) Budget {
	b := perf.Memory(sc)
	out := Budget{
		Separate: sc.Hardware.KVPath == hardware.Separate, Capacity: b.Capacity, Weights: b.Weights, Activations: b.Activ,
		Reserve: b.Reserve, Windows: b.Windows, KV: b.KVSpace, Blocks: b.Blocks, BlockTokens: sc.Engine.BlockSize,
	}
	if err := b.Check(); err != nil {
		out.Reason = err.Error()
	}
	return out
}

// Alone simulates one request of exactly so many tokens, at least 1 each,
// alone on the machine of a scenario, by the code of a loaded server. The
// machine is warm and nothing disturbs it: no cold start, no allocator that
// waits, no derated rate. No scheduler waits for a batch, since no other request
// can come.
func (s *Simulator) Alone(ctx context.Context, sc *scenario.Scenario, prompt, output int) (Result, error) {
	one := *sc
	length := func(n int) workload.Dist { return workload.Dist{Kind: workload.Fixed, Mean: float64(n)} }
	w := &one.Workload
	*w = workload.Spec{Requests: 1, Arrival: workload.Burst, ArrivalCV: 1, RateScale: 1, TraceBlock: w.TraceBlock}
	w.Class = []workload.Class{{Name: "alone", Share: 1, Prompt: length(prompt), Output: length(output)}}
	one.Engine.ColdStartMs, one.Engine.JitterUs, one.Derate = 0, 0, nil
	one.Measurement.Warmup, one.Measurement.LengthRange, one.Measurement.PerConc, one.SLO = 0, 1, 0, nil
	return s.Run(ctx, &one, Options{})
}
