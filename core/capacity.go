package core

import (
	"context"
	"crypto/sha256"
	"fmt"
	"math"
	"slices"
	"sync"

	"scoville/core/engine"
	"scoville/core/perf"
	"scoville/core/scenario"
	"scoville/core/unit"
	"scoville/core/workload"
)

// Capacities remembers the capacity of scenarios, so that replicates and rates
// of one design share one measurement. It is safe for concurrent use: a second
// asker waits for the first one's run.
type Capacities struct {
	// Around is called in place of each measurement, with the context of the run
	// that asked for it, and must call it; nil = the
	// measurement alone. It must not be set while runs are at work.
	Around func(ctx context.Context, measure func())

	mu      sync.Mutex
	entries map[capacityKey]*capacityEntry
}

// capacityKey is the hash of a scenario without its rate, and of the seed.
type capacityKey [sha256.Size]byte

type capacityEntry struct {
	done  chan struct{}
	value float64
	ok    bool
}

// NewCapacities returns an empty memory.
func NewCapacities() *Capacities {
	return &Capacities{entries: make(map[capacityKey]*capacityEntry)}
}

// Requests of a capacity run: the sample whose mean request it serves, those of
// the run itself within limits, and how many it serves after the machine is full.
const (
	capacityLeast = 1000
	capacityMost  = 20_000
	capacityMin   = 400
	capacityFills = 4

	capacityLargest = 2_000_000 // requests in all; each takes up to 800 bytes
)

// capacity returns the rate in requests per second at which the scenario's
// request mix is served with the queue never empty. It is measured in a short
// run that begins with a full machine, each sequence at a random point of its
// answer, long answers more often than short ones as they would be found there;
// then waiting requests are served first come first served until the queue is
// empty. It depends on the study seed, not on replicate, rate or arrival
// process, nor on what passes: it is that of the undisturbed machine without
// [[hardware.derate]] and after a cold start. NaN if it could not be measured.
func (s *Simulator) capacity(ctx context.Context, sc *scenario.Scenario, m *perf.Machine, seed uint64) (float64, error) {
	saturated := *sc
	w := &saturated.Workload
	w.RateRPS, w.Load, w.ArrivalCV, w.DurationS, w.RateScale = 0, 0, 1, 0, 1
	if w.Arrival != workload.Trace {
		w.Arrival = workload.Burst
	}
	w.Requests = min(max(w.Requests, capacityLeast), capacityMost)
	if s := saturated.Engine.Scheduler; s == scenario.ShortestJob || s == scenario.ByPriority {
		saturated.Engine.Scheduler = scenario.Continuous // with a queue that never empties, the last in order would starve
	}
	saturated.Measurement.Warmup, saturated.SLO = 0, nil
	saturated.Derate, saturated.Engine.ColdStartMs, saturated.Engine.IngressMs = nil, 0, 0
	key := capacityKey(sha256.Sum256(appendUint(saturated.Canonical(), seed)))

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
	var v float64
	var err error
	s.capacities.around(ctx, func() { v, err = s.measure(ctx, &saturated, m, seed) })
	e.value, e.ok = v, err == nil
	return v, err
}

// claim returns the entry of a key and whether the caller must fill it.
func (c *Capacities) claim(key capacityKey) (*capacityEntry, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if e, ok := c.entries[key]; ok {
		return e, false
	}
	e := &capacityEntry{done: make(chan struct{})}
	c.entries[key] = e
	return e, true
}

func (c *Capacities) around(ctx context.Context, measure func()) {
	if c.Around == nil {
		measure()
		return
	}
	c.Around(ctx, measure)
}

func (c *Capacities) forget(key capacityKey) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.entries, key)
}

// measure does the run. Cancellation and a run too large are the only errors.
func (s *Simulator) measure(ctx context.Context, sc *scenario.Scenario, m *perf.Machine, seed uint64) (float64, error) {
	cfg := config(sc)
	cfg.Saturate, cfg.Frontend, cfg.Ingress, cfg.Cold = true, 0, 0, 0
	if err := s.generate(ctx, sc, 0, Options{Seed: seed}, &cfg); err != nil {
		return 0, err
	}
	for i := range s.requests {
		s.requests[i].Arrival = 0
	}
	if len(s.requests) == 0 || cfg.Fits(s.requests) != nil {
		return math.NaN(), nil
	}
	front := frontRate(sc, s.requests)
	if cfg.Batching == engine.Iteration {
		requests, err := fill(&cfg, s.requests)
		if err != nil {
			return 0, err
		}
		s.requests = requests
	}
	if err := s.serve(ctx, m, cfg, s.requests, &s.out); err != nil {
		if ctx.Err() != nil {
			return 0, ctx.Err()
		}
		return math.NaN(), nil // the main run will meet the same fault and say so
	}
	if s.out.Rate == 0 {
		return math.NaN(), nil
	}
	return min(s.out.Rate, front), nil
}

// fill turns a sample of requests to those of a capacity run: first the ones
// found on a full machine, what they have emitted counted as prompt, then enough
// others.
func fill(cfg *engine.Config, sample []workload.Request) ([]workload.Request, error) {
	outputs, prompts := 0.0, 0.0
	for i := range sample {
		outputs += float64(sample[i].Output)
		prompts += float64(sample[i].Prompt)
	}
	n := float64(len(sample))
	cfg.MeanPrompt, cfg.MeanOutput = prompts/n, outputs/n

	full := found(sample, outputs, cfg.MaxSeqs)
	resident := 0.0
	for _, r := range full {
		resident += float64(r.Prompt) / float64(len(full))
	}
	pool := float64(cfg.Blocks-cfg.Watermark) * float64(cfg.BlockSize)
	if fits := int(pool / resident); fits < cfg.MaxSeqs { // KV is the limit
		full = found(sample, outputs, max(fits, 1))
	}
	replicas := max(cfg.Replicas, 1)
	served := max(capacityMin, capacityFills*len(full)) * replicas
	if n := len(full)*replicas + served; n > capacityLargest {
		return nil, &wideError{fmt.Sprintf("engine.dp = %d replicas of up to %d sequences: measuring their capacity takes %d requests, at most %d: lower engine.dp or engine.max_num_seqs", replicas, len(full), n, capacityLargest)}
	}
	out := make([]workload.Request, 0, len(full)*replicas+served)
	for _, r := range full {
		for range replicas {
			out = append(out, r)
		}
	}
	cfg.Fill = len(out)
	for i := range served {
		out = append(out, sample[i%len(sample)])
	}
	return out, nil
}

// wideError says that a machine is too large for a capacity run.
type wideError struct{ text string }

func (e *wideError) Error() string { return e.text }

// found returns the n requests found on a full machine. A sequence is found with
// a probability proportional to its output, at a uniform place in it. So that few
// sequences stand for all, they are every eighth of a larger sample in order of
// length, and their places a sequence of low discrepancy.
func found(sample []workload.Request, outputs float64, n int) []workload.Request {
	const larger, golden = 8, 0.6180339887498949
	full := make([]workload.Request, 0, larger*n)
	i, before := 0, 0.0
	for k := range larger * n {
		at := (float64(k) + 0.5) / float64(larger*n) * outputs
		for i < len(sample)-1 && before+float64(sample[i].Output) <= at {
			before += float64(sample[i].Output)
			i++
		}
		full = append(full, sample[i])
	}
	slices.SortStableFunc(full, func(a, b workload.Request) int { return int(a.Output) - int(b.Output) })
	for k := range n {
		r := full[larger*k+larger/2]
		_, place := math.Modf((float64(k) + 0.5) * golden)
		done := min(int32(place*float64(r.Output)), r.Output-1)
		r.Prompt, r.Output = r.Prompt+done, r.Output-done
		full[k] = r
	}
	return full[:n]
}

// frontRate returns the requests per second that the serial front end passes.
func frontRate(sc *scenario.Scenario, reqs []workload.Request) float64 {
	tokens := 0.0
	for i := range reqs {
		tokens += float64(reqs[i].Prompt)
	}
	return float64(len(reqs)) / (unit.Us * sc.Engine.FrontendUs * tokens) // +Inf without one
}

func appendUint(b []byte, v uint64) []byte {
	for range 8 {
		b = append(b, byte(v))
		v >>= 8
	}
	return b
}
