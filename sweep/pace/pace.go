// Package pace tells how long a sweep has left, from what its runs took. It knows
// no plan, only how many runs there are.
package pace

import (
	"context"
	"math"
	"sync"
	"time"

	"scoville/core"
	"scoville/core/scenario"
)

// Simulate runs one scenario.
type Simulate = func(context.Context, *scenario.Scenario, core.Options) (core.Result, error)

// Pace is how fast a sweep is. Runs may differ by any factor: they come in an order
// that looks random, so that the mean of those that are over holds for those to
// come. Two kinds do not come at random, and are told apart: runs that are known
// already take no time, and an interrupted sweep meets them first; capacity runs
// are shared by the points of a design, so that most of them come early.
//
// It is safe for concurrent use; a nil Pace watches nothing and knows nothing.
type Pace struct {
	Now func() time.Time // nil = time.Now, which does not jump

	mu         sync.Mutex
	begun      time.Time // of the first run that was simulated
	capacities int       // that the plan needs
	known      int       // runs that do not have to be simulated
	recalled   func() int
	runs       spent // that were simulated, without their capacity runs
	capacity   spent // those
}

// spent is a number of runs, and their time in all.
type spent struct {
	n    int
	time time.Duration
}

// Begin says before the first run how many capacity runs the plan needs, how many
// runs are known, and what tells how many of those were asked for so far.
func (p *Pace) Begin(capacities, known int, recalled func() int) {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.capacities, p.known, p.recalled = capacities, known, recalled
}

// Watch takes the time of a simulator's runs.
func (p *Pace) Watch(sim Simulate) Simulate {
	if p == nil {
		return sim
	}
	return func(ctx context.Context, sc *scenario.Scenario, o core.Options) (core.Result, error) {
		begun := p.start()
		defer func() { p.add(&p.runs, begun) }()
		return sim(ctx, sc, o)
	}
}

// Capacity takes the time of a capacity run; see core.Capacities.
func (p *Pace) Capacity(measure func()) {
	begun := p.start()
	defer func() {
		p.add(&p.capacity, begun)
		p.mu.Lock()
		p.runs.time -= p.now().Sub(begun) // it is part of the run that asked for it
		p.mu.Unlock()
	}()
	measure()
}

func (p *Pace) now() time.Time {
	if p.Now != nil {
		return p.Now()
	}
	return time.Now()
}

func (p *Pace) start() time.Time {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := p.now()
	if p.begun.IsZero() {
		p.begun = now
	}
	return now
}

func (p *Pace) add(to *spent, begun time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	to.n++
	to.time += p.now().Sub(begun)
}

// Left is about how long the runs to come take, of total with done over; below 0
// before there is anything to tell it from.
func (p *Pace) Left(done, total int) time.Duration {
	if p == nil {
		return -1
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	recalled := 0
	if p.recalled != nil {
		recalled = p.recalled()
	}
	known := max(0, p.known-recalled) // that are still to come
	left := max(0, total-done-known)
	if total == done {
		return 0
	}
	if p.runs.n == 0 || done <= recalled {
		return -1
	}
	// some runs need no simulation: what is infeasible is known before
	simulated := min(1, float64(p.runs.n)/float64(done-recalled))
	runs := float64(left) * simulated
	alone := max(0, p.runs.time.Seconds()) // a run at work may have had its capacity run taken off already
	spent := alone + p.capacity.time.Seconds()
	if !(spent > 0) {
		return -1
	}
	to := runs*alone/float64(p.runs.n) + p.sharedLeft(runs)*p.capacity.time.Seconds()/float64(max(p.capacity.n, 1))
	return time.Duration(p.now().Sub(p.begun).Seconds() * to / spent * float64(time.Second))
}

// sharedLeft is how many capacity runs are to come with some runs. Of C designs
// with k runs each, n runs at random meet C (1 - (1 - n / (C k))^k).
func (p *Pace) sharedLeft(runs float64) float64 {
	designs, all := float64(p.capacities), float64(p.runs.n)+runs
	if designs == 0 || all == 0 {
		return 0
	}
	if p.known == 0 {
		return max(0, designs-float64(p.capacity.n))
	}
	each := max(1, (all+float64(p.known))/designs)
	met := designs * (1 - math.Pow(1-min(1, all/(designs*each)), each))
	return max(0, met-float64(p.capacity.n))
}
