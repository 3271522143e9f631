// Package pace tells how long a sweep has left, from what its runs took. It knows
// no plan, only how many runs there are, and of which size.
package pace

import (
	"context"
	"math"
	"sync"
	"time"

	"scoville/core"
	"scoville/core/scenario"
	"scoville/sweep/work"
)

// Simulate runs one scenario.
type Simulate = func(context.Context, *scenario.Scenario, core.Options) (core.Result, error)

// Pace is how fast a sweep is. Runs may differ by any factor, and a few of them may
// be most of the work: what those to come take is estimated from their sizes, by
// what runs of each size took. They come in an order that looks random, so that
// what the sizes do not tell is the same on average before and after. Two kinds of
// runs do not come at random, and are told apart: runs that are known already take
// no time, and an interrupted sweep meets them first; capacity runs are shared by
// the points of a design, so that most of them come early.
//
// It is safe for concurrent use; a nil Pace watches nothing and knows nothing. The
// zero Pace is for runs of which nothing is known before.
type Pace struct {
	Now func() time.Time // nil = time.Now, which does not jump

	mu      sync.Mutex
	begun   time.Time // of the first run that was simulated
	planned Planned
	left    map[work.Size]int // runs to come of each size, of planned.Left
	count   int               // of them
	runs    cost              // that were simulated, without their capacity runs
	alone   cost              // the capacity runs
	atWork  int               // runs
	since   float64           // s from begun to their beginnings, summed up

	toCome, toMeasure float64 // estimates of left and of its capacity runs, summed up
}

// Planned is what there is to run.
type Planned struct {
	Left       map[work.Size]int // simulations to come, by size; nil = not known
	Least      bool              // there may be more
	Capacities int               // capacity runs that the plan needs
	Known      int               // runs that do not have to be simulated
	Recalled   func() int        // how many of those were asked for so far; nil = none
}

// Begin says before the first run what there is.
func (p *Pace) Begin(planned Planned) {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.ready()
	p.planned, p.left, p.count = planned, map[work.Size]int{}, 0
	for s, n := range planned.Left {
		p.left[s] = n
		p.count += n
	}
	p.sum()
}

// ready makes what runs are added to.
func (p *Pace) ready() {
	if p.runs.done == nil {
		p.runs, p.alone = newCost(1), newCost(0)
	}
}

// running is a run at work.
type running struct {
	size     work.Size
	begun    time.Time
	measured float64 // s of its capacity run
}

// key is that of the running run in a context.
type key struct{}

// Watch takes the time of a simulator's runs.
func (p *Pace) Watch(sim Simulate) Simulate {
	if p == nil {
		return sim
	}
	return func(ctx context.Context, sc *scenario.Scenario, o core.Options) (core.Result, error) {
		size := work.Size{}
		if sc != nil {
			size = work.Of(sc)
		}
		run := p.start(size)
		defer func() { p.ran(run) }()
		return sim(context.WithValue(ctx, key{}, run), sc, o)
	}
}

// Capacity takes the time of a capacity run, which is part of the run that asked
// for it; see core.Capacities.
func (p *Pace) Capacity(ctx context.Context, measure func()) {
	begun := p.now()
	defer func() {
		took := p.now().Sub(begun).Seconds()
		run, ok := ctx.Value(key{}).(*running)
		if !ok {
			return // nobody watches
		}
		run.measured += took
		p.mu.Lock()
		defer p.mu.Unlock()
		p.ready()
		if fits := p.alone.fits; p.alone.add(run.size, took) > fits {
			p.sum()
		}
	}()
	measure()
}

// start takes a run that begins.
func (p *Pace) start(size work.Size) *running {
	p.mu.Lock()
	defer p.mu.Unlock()
	run := &running{size: size, begun: p.now()}
	if p.begun.IsZero() {
		p.begun = run.begun
	}
	p.atWork++
	p.since += run.begun.Sub(p.begun).Seconds()
	return run
}

// ran takes a run that is over.
func (p *Pace) ran(run *running) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.ready()
	p.atWork--
	p.since -= run.begun.Sub(p.begun).Seconds()
	took := p.now().Sub(run.begun).Seconds()
	if p.left[run.size] > 0 {
		p.left[run.size]--
		p.count--
		p.toCome -= p.runs.estimate(run.size)
		p.toMeasure -= p.alone.estimate(run.size)
	}
	if fits := p.runs.fits; p.runs.add(run.size, max(0, took-run.measured)) > fits {
		p.sum()
	}
}

// sum adds up what is to come.
func (p *Pace) sum() {
	p.toCome, p.toMeasure = 0, 0
	for s, n := range p.left {
		p.toCome += float64(n) * p.runs.estimate(s)
		p.toMeasure += float64(n) * p.alone.estimate(s)
	}
}

func (p *Pace) now() time.Time {
	if p.Now != nil {
		return p.Now()
	}
	return time.Now()
}

// Left is about how long the runs to come take, of total with done over; below 0
// before there is anything to tell it from.
func (p *Pace) Left(done, total int) time.Duration {
	if p == nil {
		return -1
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if total == done {
		return 0
	}
	if p.runs.n == 0 {
		return -1
	}
	runs := p.toSimulate(done, total)
	to := p.own(runs) + p.sharedLeft(runs)*p.each()
	elapsed := p.now().Sub(p.begun).Seconds()
	halves := float64(p.atWork)*elapsed - p.since // s that the runs at work have taken
	spent := p.runs.spent + p.alone.spent + halves
	if !(spent > 0) {
		return -1
	}
	return time.Duration(elapsed * max(0, to-halves) / spent * float64(time.Second))
}

// Rate is how many runs were simulated per second; 0 before the first.
func (p *Pace) Rate() float64 {
	if p == nil {
		return 0
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if elapsed := p.now().Sub(p.begun).Seconds(); p.runs.n > 0 && elapsed > 0 {
		return float64(p.runs.n) / elapsed
	}
	return 0
}

// toSimulate is how many of the runs to come are simulated.
func (p *Pace) toSimulate(done, total int) float64 {
	recalled := 0
	if p.planned.Recalled != nil {
		recalled = p.planned.Recalled()
	}
	left := max(0, total-done-max(0, p.planned.Known-recalled))
	if p.planned.Left != nil && !p.planned.Least {
		return float64(min(left, p.count))
	}
	// some runs need no simulation: what is infeasible is known before
	return float64(left) * min(1, float64(p.runs.n)/float64(max(done-recalled, 1)))
}

// own is how many seconds so many runs to come take without their capacity runs.
func (p *Pace) own(runs float64) float64 {
	if p.count == 0 {
		return runs * p.runs.mean()
	}
	count := float64(p.count)
	return p.runs.factor()*p.toCome*min(1, runs/count) + max(0, runs-count)*p.runs.mean()
}

// each is how many seconds a capacity run to come takes on average.
func (p *Pace) each() float64 {
	if p.count == 0 {
		return p.alone.mean()
	}
	return p.alone.factor() * p.toMeasure / float64(p.count)
}

// sharedLeft is how many capacity runs are to come with some runs. Of C designs
// with k runs each, n runs at random meet C (1 - (1 - n / (C k))^k).
func (p *Pace) sharedLeft(runs float64) float64 {
	designs, all := float64(p.planned.Capacities), float64(p.runs.n)+runs
	if designs == 0 || all == 0 {
		return 0
	}
	measured := float64(p.alone.n)
	if p.planned.Known == 0 {
		return max(0, designs-measured)
	}
	each := max(1, (all+float64(p.planned.Known))/designs)
	met := designs * (1 - math.Pow(1-min(1, all/(designs*each)), each))
	return max(0, met-measured)
}
