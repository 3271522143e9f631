package engine

import (
	"scoville/core/perf"
	"scoville/core/workload"
)

// turn goes on to the machine that steps run on at time now.
func (e *Engine) turn() {
	for e.phase < len(e.cfg.Phases) && due(e.cfg.Phases[e.phase].From, e.now, true) {
		e.ownAll()
		e.m = e.cfg.Phases[e.phase].Machine
		e.phase++
		e.changes++
		e.trace(Change, none, e.phase)
	}
}

// untilTurn returns how many of m steps begin before the machine changes.
func (e *Engine) untilTurn(m int) int {
	if m == 1 || e.phase == len(e.cfg.Phases) {
		return m
	}
	return min(m, stepsUntil(e.cost.Total, e.cfg.Phases[e.phase].From-e.now-simultaneous))
}

// costStep costs the step of e.batch and what disturbs it.
func (e *Engine) costStep() {
	e.m.Step(&e.batch, &e.cost)
	e.cfg.disturb(&e.cost, e.out.Steps, e.replica)
}

// disturb adds to the cost of a step the host time that the step model does not
// know: the first step waits for a cold start, and each may wait for the
// allocator, an exponential time with the mean Jitter / JitterOn in a share
// JitterOn of the steps. Whether and how long belongs to the number of the step.
func (c *Config) disturb(cost *perf.Cost, step int64, replica int32) {
	if step == 0 && c.Cold > 0 {
		cost.AddHost(c.Cold)
	}
	if c.Jitter == 0 {
		return
	}
	wait := 0.0
	if u := c.Noise.Uniform(int(step) + int(replica)<<40); u < c.JitterOn {
		wait = c.Jitter / c.JitterOn * workload.Exponential(u/c.JitterOn)
	}
	cost.AddHost(wait)
}
