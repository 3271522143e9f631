package engine

import (
	"context"
	"math"

	"scoville/core/internal/bulk"
	"scoville/core/perf"
	"scoville/core/workload"
)

// Routing says which replica gets a request.
type Routing int

// The ways to route. Least loaded takes the replica with the fewest requests
// queued or running, as far as its last finished step tells; the first of
// equals.
const (
	RoundRobin Routing = iota
	LeastLoaded
)

// Cluster is several engines that serve one stream of requests, each with
// chips, queue and block pool of its own (data parallelism). Only schedulers
// that join and leave at every step can be replicated. Like an Engine it is
// reusable and for one goroutine.
type Cluster struct {
	engines []Engine
	outs    []Output
	in      intake
	bound   float64 // time before which no request comes
	next    int     // round robin
}

// Run simulates the requests on cfg.Replicas replicas of the machine, like
// Engine.Run.
func (c *Cluster) Run(ctx context.Context, m *perf.Machine, cfg Config, reqs []workload.Request, out *Output) error {
	c.reset(m, cfg, reqs, out)
	if cfg.Saturate {
		return c.saturate(ctx, out)
	}
	for {
		if out.Events++; out.Events&0xff == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		arrival, entry, ok := c.in.peek()
		if c.bound = math.Inf(1); ok {
			c.bound = entry
		}
		e := c.slowest()
		now := 0.0
		if e != nil {
			now = e.now
		}
		if err := cfg.Limit.Pass(out.Events, now); err != nil {
			return err
		}
		if ok && (e == nil || due(entry, e.now, true)) {
			c.route(c.in.take(entry), arrival, entry)
			continue
		}
		if e == nil {
			break
		}
		if cfg.Closed {
			c.bound = min(c.bound, c.others(e))
		}
		if _, err := e.cycle(); err != nil {
			return err
		}
	}
	completed, left := c.merge(out)
	if err := cfg.Limit.Pass(0, out.End); err != nil {
		return err
	}
	return out.check(completed, &cfg, left)
}

func (c *Cluster) reset(m *perf.Machine, cfg Config, reqs []workload.Request, out *Output) {
	c.engines, c.outs = grow(c.engines, cfg.Replicas), grow(c.outs, cfg.Replicas)
	c.in.reset(&cfg, reqs)
	c.next = 0
	records := bulk.Zeroed(out.Requests, len(reqs))
	*out = Output{Requests: records, Gaps: out.Gaps[:0]}
	for i := range c.engines {
		e := &c.engines[i]
		c.outs[i] = Output{Requests: records, Gaps: c.outs[i].Gaps[:0]} // numbers are global, so the records are shared
		e.reset(m, cfg, reqs, &c.outs[i])
		e.cluster, e.replica = c, int32(i)
	}
}

// slowest returns the busy replica whose clock is furthest behind, nil if all
// are idle.
func (c *Cluster) slowest() *Engine {
	var first *Engine
	for i := range c.engines {
		if e := &c.engines[i]; e.busy() && (first == nil || e.now < first.now) {
			first = e
		}
	}
	return first
}

// busy reports whether the engine has anything to serve.
func (e *Engine) busy() bool { return e.running > 0 || e.waiting.len() > 0 }

// others returns the earliest clock of the other busy replicas: before it none
// of them can answer a request and so release another.
func (c *Cluster) others(self *Engine) float64 {
	at := math.Inf(1)
	for i := range c.engines {
		if e := &c.engines[i]; e != self && e.busy() {
			at = min(at, e.now)
		}
	}
	return at
}

// route gives a request to a replica.
func (c *Cluster) route(id int, arrival, entry float64) {
	best := &c.engines[c.next%len(c.engines)]
	c.next++
	if best.cfg.Routing == LeastLoaded {
		for i := range c.engines {
			if e := &c.engines[i]; i == 0 || e.inSystem < best.inSystem {
				best = e
			}
		}
	}
	if !best.busy() {
		best.now = max(best.now, entry)
	}
	best.accept(id, arrival, entry)
}

// saturate deals the requests to the replicas and adds up their rates.
func (c *Cluster) saturate(ctx context.Context, out *Output) error {
	for {
		_, entry, ok := c.in.peek()
		if !ok {
			break
		}
		c.route(c.in.take(entry), entry, entry)
	}
	c.bound = math.Inf(1)
	for i := range c.engines {
		e := &c.engines[i]
		for done := !e.busy(); !done; {
			var err error
			if done, err = e.cycle(); err != nil {
				return err
			}
			if ctx.Err() != nil {
				return ctx.Err()
			}
		}
		out.Rate += c.outs[i].Rate
	}
	return nil
}

// merge adds the replicas' totals and returns the requests completed and the
// blocks that never came back.
func (c *Cluster) merge(out *Output) (completed, left int) {
	for i := range c.engines {
		e, o := &c.engines[i], &c.outs[i]
		out.Gaps = bulk.AppendAll(out.Gaps, o.Gaps)
		add(out.Stages[:], o.Stages[:])
		add(out.Resources[:], o.Resources[:])
		add(out.Decoding[:], o.Decoding[:])
		add(out.Busy[:], o.Busy[:])
		out.KVBytes += o.KVBytes
		out.KVOnChip += o.KVOnChip
		out.FLOPs += o.FLOPs
		out.Bytes += o.Bytes
		out.End = max(out.End, e.now)
		out.Active += o.Active
		out.Steps += o.Steps
		out.Events += o.Events
		out.Computed += o.Computed
		out.Padded += o.Padded
		out.Hit += o.Hit
		out.Lost += o.Lost
		out.Emitted += o.Emitted
		out.Fresh += o.Fresh
		out.Own += o.Own
		out.Preemptions += o.Preemptions
		out.RunArea += o.RunArea
		out.TokenArea += o.TokenArea
		out.SystemArea += o.SystemArea
		out.PeakBlocks = max(out.PeakBlocks, e.pool.Peak())
		for j, v := range e.peaks.finish() {
			out.Peaks[j] = max(out.Peaks[j], v)
		}
		completed += e.completed
		left += e.pool.Used()
	}
	return completed, left
}

func add(sum, v []float64) {
	for i := range v {
		sum[i] += v[i]
	}
}
