package core

import (
	"context"
	"math"
	"sync"

	"scoville/core/engine"
	"scoville/core/perf"
	"scoville/core/scenario"
	"scoville/core/workload"
)

// Capacities remembers the capacity of scenarios, so that replicates and rates
// of one design share one measurement. It is safe for concurrent use: a second
// asker waits for the first one's run.
type Capacities struct {
	mu      sync.Mutex
	entries map[string]*capacityEntry
}

type capacityEntry struct {
	done  chan struct{}
	value float64
	ok    bool
}

// NewCapacities returns an empty memory.
func NewCapacities() *Capacities {
	return &Capacities{entries: make(map[string]*capacityEntry)}
}

// Requests of a capacity run: enough to fill the batch several times over.
const (
	capacityMin   = 500
	capacityFills = 4
)

// capacity returns the completion rate in requests per second of the
// scenario's request mix with the queue never empty: a short run in which all
// requests wait at time 0, up to the moment the queue empties, requests on the
// machine counted by their share done. It depends on the study seed, not on
// replicate, rate or arrival process; NaN if the queue never fills the batch.
func (s *Simulator) capacity(ctx context.Context, sc *scenario.Scenario, m *perf.Machine, seed uint64) (float64, error) {
	saturated := *sc
	w := &saturated.Workload
	w.RateRPS, w.Load, w.ArrivalCV, w.DurationS, w.RateScale = 0, 0, 1, 0, 1
	if w.Arrival != workload.Trace {
		w.Arrival = workload.Burst
	}
	w.Requests = max(capacityMin, capacityFills*sc.Engine.MaxNumSeqs) * sc.Engine.DP
	saturated.Measurement.Warmup, saturated.SLO = 0, nil
	key := string(saturated.Canonical()) + string(appendUint(nil, seed))

	e, mine := s.capacities.claim(key)
	if !mine {
		select {
		case <-e.done:
		case <-ctx.Done():
			return 0, ctx.Err()
		}
		if e.ok {
			return e.value, nil
		}
	}
	if !mine { // the first asker was cancelled
		return s.measure(ctx, &saturated, m, seed)
	}
	defer func() { // also when a fault in the run panics: nobody may wait for ever
		if !e.ok {
			s.capacities.forget(key)
		}
		close(e.done)
	}()
	v, err := s.measure(ctx, &saturated, m, seed)
	e.value, e.ok = v, err == nil
	return v, err
}

// claim returns the entry of a key and whether the caller must fill it.
func (c *Capacities) claim(key string) (*capacityEntry, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if e, ok := c.entries[key]; ok {
		return e, false
	}
	e := &capacityEntry{done: make(chan struct{})}
	c.entries[key] = e
	return e, true
}

func (c *Capacities) forget(key string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.entries, key)
}

// measure does the run. Only cancellation is an error.
func (s *Simulator) measure(ctx context.Context, sc *scenario.Scenario, m *perf.Machine, seed uint64) (float64, error) {
	cfg := config(sc)
	cfg.Saturate, cfg.Frontend = true, 0
	s.generate(sc, 0, Options{Seed: seed}, &cfg)
	for i := range s.requests {
		s.requests[i].Arrival = 0
	}
	if len(s.requests) == 0 || cfg.Fits(s.requests) != nil {
		return math.NaN(), nil
	}
	if err := s.serve(ctx, m, cfg, s.requests, &s.out); err != nil {
		if ctx.Err() != nil {
			return 0, ctx.Err()
		}
		return math.NaN(), nil // the main run will meet the same fault and say so
	}
	return rate(&s.out, sc), nil
}

// rate turns a saturated run to requests per second. The serial front end
// bounds it too.
func rate(o *engine.Output, sc *scenario.Scenario) float64 {
	if o.End <= 0 || o.Done <= 0 {
		return math.NaN()
	}
	r := o.Done / o.End
	if f := sc.Engine.FrontendUs * 1e-6; f > 0 {
		tokens := 0.0
		for i := range o.Requests {
			tokens += float64(o.Requests[i].Prompt)
		}
		r = min(r, float64(len(o.Requests))/(f*tokens))
	}
	return r
}

func appendUint(b []byte, v uint64) []byte {
	for range 8 {
		b = append(b, byte(v))
		v >>= 8
	}
	return b
}
