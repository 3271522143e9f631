// Package core simulates one scenario: Simulate is the one door to the step
// model, the engine and the metrics below it. Read this file first.
//
//	scenario -> perf.Machine (how long a step takes)
//	         -> workload     (the requests of this seed and replicate)
//	         -> engine       (what happens when)
//	         -> metrics      (what users read)
package core

import (
	"context"
	"errors"
	"fmt"
	"math"

	"scoville/core/engine"
	"scoville/core/metrics"
	"scoville/core/perf"
	"scoville/core/scenario"
	"scoville/core/unit"
	"scoville/core/workload"
)

// Version is the version of the simulator's behaviour. It is raised by hand
// whenever the same scenario and seed give other results, so that stored
// results are never mixed.
const Version = 1

// Status is how a run ended.
type Status string

// The ends of a run.
const (
	OK         Status = "ok"
	Infeasible Status = "infeasible" // the scenario cannot run: memory, number format, or a request that never fits
	Failed     Status = "failed"     // a conservation check failed or nothing moved
	Timeout    Status = "timeout"    // over Options.Limit
)

// Limit is how long a run may go on, in events and in simulated time.
type Limit = engine.Limit

// Options of a run. The zero value is valid: seed 0, replicate 0.
type Options struct {
	Seed      uint64                  // study seed
	Replicate int                     // replicate number
	Requests  func([]metrics.Request) // optional: sees the requests of an ok run; they are reused afterwards
	// Watch sees what the engine does, step by step; nil = nobody. It changes
	// nothing. The capacity run is not watched.
	Watch func(*Moment)
	// NoCapacity skips the capacity run when the rate is given: CapacityRPS and
	// LoadRatio stay NaN and Steady is judged by growth alone.
	NoCapacity bool
	// Limit ends the run as a Timeout. The capacity run is short of itself, and
	// not limited.
	Limit Limit
	Plain bool // use the plain stepper, the slow oracle of the engine (dp = 1)
}

// Share is the time spent in a stage or bound by a resource.
type Share struct {
	Name    string
	Seconds float64
}

// Result is what one run gives. Numbers that a run does not define are NaN.
type Result struct {
	Status      Status
	Reason      string          // why the status is not ok
	Summary     metrics.Summary // aligned with metrics.Columns; NaN unless ok
	Classes     []Class         // of an ok run of a workload with two classes or more, in its order
	Steady      metrics.Tri     // whether the queue is stable; Unknown for closed loops, bursts and short runs
	OfferedRPS  float64         // arrival rate
	CapacityRPS float64         // completion rate with the queue never empty
	LoadRatio   float64         // offered / capacity
	RateRPS     float64         // arrival rate asked for, workload.load resolved
	Stages      []Share         // in order of execution
	Resources   []Share
	Bound       string // resource that bounds the largest share of busy time
	DecodeBound string // the same of steps with decodes and without prompts; "" if there are none
	SimS        float64
	Events      int64
}

// Class is what a run gives for one class of requests.
type Class struct {
	Name    string
	Summary metrics.Summary // aligned with metrics.ClassColumns
}

// Simulate runs one scenario with fresh memory. Use a Simulator for many.
func Simulate(ctx context.Context, sc *scenario.Scenario, o Options) (Result, error) {
	return NewSimulator(NewCapacities()).Run(ctx, sc, o)
}

// Simulator runs scenarios one after the other and reuses its memory. It is
// for one goroutine; simulators may share a Capacities.
type Simulator struct {
	capacities *Capacities
	engine     engine.Engine
	cluster    engine.Cluster
	out        engine.Output
	requests   []workload.Request
	run        metrics.Run
}

// NewSimulator returns a simulator that shares capacity runs through c.
func NewSimulator(c *Capacities) *Simulator { return &Simulator{capacities: c} }

// Run simulates one validated scenario. Its error is the context's, when
// cancelled; everything else is a Status with a Reason. The Result does not
// share memory with the simulator.
func (s *Simulator) Run(ctx context.Context, sc *scenario.Scenario, o Options) (Result, error) {
	if err := Feasible(sc); err != nil {
		return blank(Infeasible, err), nil
	}
	res := blank(OK, nil)
	m, cfg := perf.New(sc), config(sc)
	if open(sc) && sc.Workload.RateRPS > 0 {
		res.RateRPS = sc.Workload.RateRPS
	}
	if open(sc) && (!o.NoCapacity || sc.Workload.Load > 0) {
		capacity, err := s.capacity(ctx, sc, m, o.Seed)
		if wide, ok := errors.AsType[*wideError](err); ok {
			return blank(Infeasible, wide), nil
		}
		if err != nil {
			return Result{}, err
		}
		res.CapacityRPS = capacity
		if sc.Workload.Load > 0 {
			res.RateRPS = sc.Workload.Load * capacity
		}
		if sc.Workload.Load > 0 && !(res.RateRPS > 0) {
			return blank(Infeasible, fmt.Errorf("workload.load: capacity could not be measured: too few requests to fill the batch")), nil
		}
	}
	if err := tooMany(sc, res.RateRPS); err != nil {
		return blank(Infeasible, err), nil
	}
	if err := s.generate(ctx, sc, res.RateRPS, o, &cfg); err != nil {
		return Result{}, err
	}
	cfg.Phases, cfg.Limit, cfg.Trace = phases(sc, m), o.Limit, telling(o.Watch)
	if err := cfg.Fits(s.requests); err != nil {
		return blank(Infeasible, tooLong(sc, &cfg, s.requests, err)), nil
	}
	if len(s.requests) == 0 {
		return blank(Infeasible, fmt.Errorf("no request arrives: the trace limits or duration_s leave none")), nil
	}
	run := s.serve
	if o.Plain && cfg.Replicas == 1 {
		run = engine.Plain
	}
	if err := run(ctx, m, cfg, s.requests, &s.out); err != nil {
		if ctx.Err() != nil {
			return Result{}, ctx.Err()
		}
		if over, ok := errors.AsType[*engine.LimitError](err); ok {
			return timeout(over, &res), nil
		}
		return blank(Failed, err), nil
	}
	s.report(sc, &cfg, m.Bounds(sc), &res)
	if o.Requests != nil {
		o.Requests(s.out.Requests)
	}
	return res, nil
}

// serve runs one engine, or several behind a router. Speculative decoding is
// random in every step, so the plain engine takes each.
func (s *Simulator) serve(ctx context.Context, m *perf.Machine, cfg engine.Config, reqs []workload.Request, out *engine.Output) error {
	switch {
	case cfg.Draft > 0:
		return engine.Plain(ctx, m, cfg, reqs, out)
	case cfg.Replicas > 1:
		return s.cluster.Run(ctx, m, cfg, reqs, out)
	}
	return s.engine.Run(ctx, m, cfg, reqs, out)
}

// timeout is the result of a run over its limit. What is known without it stays.
func timeout(over *engine.LimitError, known *Result) Result {
	res := blank(Timeout, over)
	res.CapacityRPS, res.RateRPS = known.CapacityRPS, known.RateRPS
	res.SimS, res.Events = over.At, over.Events
	return res
}

// blank returns a result without numbers.
func blank(status Status, reason error) Result {
	nan := math.NaN()
	r := Result{Status: status, OfferedRPS: nan, CapacityRPS: nan, LoadRatio: nan, RateRPS: nan}
	if reason != nil {
		r.Reason = reason.Error()
		r.Summary = make(metrics.Summary, len(metrics.Columns()))
		for i := range r.Summary {
			r.Summary[i] = nan
		}
	}
	return r
}

// Feasible returns nil if the scenario's chips have the units, the capability
// and the memory to run its model and can split its heads, else an error that
// names both sides, the parts, and what would fit.
func Feasible(sc *scenario.Scenario) error {
	if err := sc.Unmet(); err != nil {
		return err
	}
	if md := &sc.Model; !perf.Splits(sc) {
		return fmt.Errorf("engine.tp = %d does not split %d heads and %d KV heads evenly", sc.Engine.TP, md.Heads, md.KVHeads)
	}
	return perf.Fits(sc)
}

// tooLong adds to an error of Config.Fits what fits, when the pool is too small
// for the longest request.
func tooLong(sc *scenario.Scenario, cfg *engine.Config, reqs []workload.Request, err error) error {
	longest := 0
	for i := range reqs {
		longest = max(longest, int(reqs[i].Prompt)+int(reqs[i].Output))
	}
	if longest-1 <= cfg.Blocks*cfg.BlockSize {
		return err
	}
	return fmt.Errorf("%w: %s", err, perf.Advise(sc, float64(longest)))
}

// maxRequests bounds one run: each request takes about 180 bytes.
const maxRequests = 10_000_000

// tooMany returns an error if a run would draw more than maxRequests.
func tooMany(sc *scenario.Scenario, rate float64) error {
	w := &sc.Workload
	n := float64(w.Requests)
	if w.Requests == 0 && rate > 0 {
		n = rate * w.DurationS
	}
	if n > maxRequests {
		return fmt.Errorf("%.3g requests in one run, at most %d: lower workload.requests or duration_s", n, maxRequests)
	}
	return nil
}

// open reports whether requests arrive by themselves over time.
func open(sc *scenario.Scenario) bool {
	return sc.Workload.Arrival != workload.Closed && sc.Workload.Arrival != workload.Burst
}

// config resolves the engine's configuration.
func config(sc *scenario.Scenario) engine.Config {
	en, w := &sc.Engine, &sc.Workload
	b := perf.Memory(sc)
	c := engine.Config{
		MaxSeqs: en.MaxNumSeqs, MaxTokens: en.MaxTokens, Chunked: en.ChunkedPre, Reserve: en.ReserveFull, Swap: en.Preemption == scenario.Swap,
		BlockSize: en.BlockSize, Blocks: b.Blocks, Watermark: int(en.Watermark * float64(b.Blocks)),
		Warmup:   sc.Measurement.Warmup,
		Frontend: unit.Us * en.FrontendUs,
		Closed:   w.Arrival == workload.Closed, Concurrency: w.Concurrent, Think: w.ThinkTimeS,
	}
	c.Replicas = en.DP
	c.Ingress, c.IngressFree = unit.Ms*en.IngressMs, en.Ingress == scenario.OutsideTTFT
	c.Cold, c.Jitter, c.JitterOn = unit.Ms*en.ColdStartMs, unit.Us*en.JitterUs, en.JitterProb
	c.Draft, c.Accept = en.SpecTokens, en.SpecAccept
	if en.Routing == scenario.LeastLoaded {
		c.Routing = engine.LeastLoaded
	}
	c.Ahead = en.Async
	schedule(sc, &c)
	if sc.Measurement.Clock == scenario.Client {
		c.Client, c.Spread = unit.Us*en.ClientUs, en.ClientSpread
	}
	return c
}

// schedule sets what makes the scheduler.
func schedule(sc *scenario.Scenario, c *engine.Config) {
	switch sc.Engine.Scheduler {
	case scenario.PrefillFirst:
		c.PrefillFirst, c.Chunked = true, false
	case scenario.ShortestJob:
		c.Order = engine.Shortest
	case scenario.ByPriority:
		c.Order = engine.Priority
		for _, class := range sc.Workload.Class {
			c.Priorities = append(c.Priorities, int32(class.Priority))
		}
	case scenario.Static:
		c.Batching = engine.Static
	case scenario.Dynamic:
		c.Batching = engine.Dynamic
	case scenario.Bucketed:
		c.Batching = engine.Bucketed
	}
	c.BatchWindow, c.BucketTokens = unit.Ms*sc.Engine.BatchWindowMs, sc.Engine.BucketTokens
}

// generate draws the requests of a run.
func (s *Simulator) generate(ctx context.Context, sc *scenario.Scenario, rate float64, o Options, cfg *engine.Config) error {
	g := workload.Generator{
		Spec: &sc.Workload, Rate: rate, LengthRange: sc.Measurement.LengthRange,
		Count: sc.Workload.Requests, Seed: o.Seed, Replicate: o.Replicate,
		Cut: func() bool { return ctx.Err() != nil },
	}
	if n := sc.Measurement.PerConc; n > 0 && sc.Workload.Arrival == workload.Closed {
		g.Count = n * sc.Workload.Concurrent
	}
	if sc.Engine.PrefixCache {
		g.Block = sc.Engine.BlockSize
	}
	cfg.Prefixes, cfg.PrefixBlock = g.Prefixes()
	cfg.Noise = workload.NewStream(o.Seed, o.Replicate, "allocator")
	cfg.SpreadNoise = workload.NewStream(o.Seed, o.Replicate, "client")
	cfg.Drafts = workload.NewStream(o.Seed, o.Replicate, "drafts")
	s.requests = g.Append(s.requests[:0])
	return ctx.Err()
}
