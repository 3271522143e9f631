package core

import (
	"scoville/core/engine"
	"scoville/core/perf"
)

// Moment is something that an engine does in a run, told while it happens.
type Moment struct {
	Kind    MomentKind
	Request int    // number of the request, in order of arrival, from 0; -1 of Stepped
	Steps   *Steps // of Stepped; valid during the call only
}

// MomentKind says what an engine does.
type MomentKind int

// The moments. Those of a request come in the order Began, First, Ended; Waits,
// and Began again, come at any time between.
const (
	Stepped MomentKind = iota // steps are over; what has begun and does not wait runs, if only in turn with prompts (prefill-first)
	Began                     // a request begins, or begins again
	First                     // its first token is out
	Waits                     // it is preempted and goes back to the queue
	Ended                     // its last token is out
)

// Steps are consecutive steps of the same sequences on one replica: a single
// one, or several that only decode and grow by a token each. It is a value, to
// be copied freely.
type Steps struct {
	Replica int
	Start   float64 // s
	N       int     // how many

	Sequences int // in each step
	Decodes   int // tokens decoded by each: a token of each sequence that decodes
	Drafts    int // tokens of speculative decoding verified by each
	Prompt    int // prompt tokens of each
	context   perf.Line

	total     perf.Line
	stages    [perf.NumStages]perf.Line
	resources [perf.NumResources]perf.Line
}

// Seconds is what step i of them takes, from 0.
func (s *Steps) Seconds(i int) float64 { return s.total.At(float64(i)) }

// Context is how many tokens step i attends to: of what decodes, its new tokens
// included, and of the prompts that it computes.
func (s *Steps) Context(i int) float64 { return s.context.At(float64(i)) }

// Begins is when step i begins, s.
func (s *Steps) Begins(i int) float64 { return s.Start + s.total.Sum(float64(i)) }

// Shares are the exposed seconds of step i by stage, and by the resource waited
// for; each add up to Seconds. Those without any are left out.
func (s *Steps) Shares(i int) (stages, resources []Share) {
	for k, l := range s.stages {
		stages = appendShare(stages, perf.Stage(k).String(), l.At(float64(i)))
	}
	for k, l := range s.resources {
		resources = appendShare(resources, perf.Resource(k).String(), l.At(float64(i)))
	}
	return stages, resources
}

func appendShare(all []Share, name string, seconds float64) []Share {
	if seconds <= 0 {
		return all
	}
	return append(all, Share{name, seconds})
}

// Spent adds up steps. Its zero value is none.
type Spent struct {
	Steps     int
	Seconds   float64
	stages    [perf.NumStages]float64
	resources [perf.NumResources]float64
}

// Add adds all of the steps.
func (t *Spent) Add(s *Steps) {
	m := float64(s.N)
	t.Steps += s.N
	t.Seconds += s.total.Sum(m)
	for k := range s.stages {
		t.stages[k] += s.stages[k].Sum(m)
	}
	for k := range s.resources {
		t.resources[k] += s.resources[k].Sum(m)
	}
}

// Shares are as those of Steps.
func (t *Spent) Shares() (stages, resources []Share) {
	for k, v := range t.stages {
		stages = appendShare(stages, perf.Stage(k).String(), v)
	}
	for k, v := range t.resources {
		resources = appendShare(resources, perf.Resource(k).String(), v)
	}
	return stages, resources
}

// kinds of moments by kind of event.
var kinds = map[engine.EventKind]MomentKind{
	engine.Steps: Stepped, engine.Admit: Began, engine.First: First, engine.Preempt: Waits, engine.Finish: Ended,
}

// telling makes moments of what the engine traces; nil for nobody.
func telling(watch func(*Moment)) func(engine.Event) {
	if watch == nil {
		return nil
	}
	var steps Steps
	return func(ev engine.Event) {
		kind, told := kinds[ev.Kind]
		if !told {
			return
		}
		m := Moment{Kind: kind, Request: int(ev.ID)}
		if kind == Stepped {
			b, c := ev.Batch, ev.Cost
			steps = Steps{
				Replica: int(ev.Replica), Start: ev.At - c.Total.Sum(float64(ev.N)), N: ev.N,
				Sequences: b.Seqs, Decodes: ev.Decodes, Drafts: b.Verified, Prompt: ev.Prompt,
				context: perf.Line{Value: b.DecodeCtx + b.PrefillCtx, Slope: float64(b.Decodes)},
				total:   c.Total, stages: c.Stages, resources: c.Resources,
			}
			m.Steps = &steps
		}
		watch(&m)
	}
}
