package engine

import (
	"context"
	"math"

	"scoville/core/internal/bulk"
	"scoville/core/metrics"
	"scoville/core/perf"
	"scoville/core/workload"
)

// Run simulates the requests on the machine and fills out. It returns the
// context's error when cancelled, and an error when conservation is violated or
// nothing moves. The requests must fit (Config.Fits).
func (e *Engine) Run(ctx context.Context, m *perf.Machine, cfg Config, reqs []workload.Request, out *Output) error {
	e.reset(m, cfg, reqs, out)
	serve := e.iterate
	if cfg.Batching != Iteration {
		serve = e.batches
	}
	if err := serve(ctx); err != nil || cfg.Saturate && e.completed < len(reqs) {
		return err
	}
	out.End, out.PeakBlocks, out.Peaks = e.now, e.pool.Peak(), e.peaks.finish()
	return out.check(e.completed, &cfg, e.pool.Used())
}

// iterate serves the requests step by step, every step with a batch of its own.
func (e *Engine) iterate(ctx context.Context) error {
	for {
		if e.out.Events++; e.out.Events&0x3ff == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		if err := e.cfg.Limit.Pass(e.out.Events, e.now); err != nil {
			return err
		}
		e.take(true)
		if e.running == 0 && e.waiting.len() == 0 {
			entry, ok := e.upcoming()
			if !ok {
				return nil
			}
			e.now = max(e.now, entry)
			e.seen = e.now
			continue
		}
		if done, err := e.cycle(); done || err != nil {
			return err
		}
	}
}

// cycle schedules and takes the next steps. It is done when a saturated run has
// emptied its queue.
func (e *Engine) cycle() (done bool, err error) {
	e.turn()
	if err := e.schedule(); err != nil {
		return false, err
	}
	if e.cfg.Saturate && e.waiting.len() == 0 {
		e.settle()
		return true, nil
	}
	if e.batch.Seqs > 0 || e.swapped > 0 {
		e.advance()
	}
	return false, nil
}

// advance takes one step, or as many as stay alike.
func (e *Engine) advance() {
	e.costStep()
	m := 1
	if len(e.chunks) == 0 && e.swapped == 0 {
		e.alike = stretch{e.changes, e.step, int64(e.cost.Horizon), e.cost.Device()}
		m = e.jump()
	}
	e.book(m)
	e.mix()
	start := e.now
	e.now += e.cost.Total.Sum(float64(m))
	e.seen = e.now - e.cost.Total.At(float64(m-1))
	e.traceSteps(m)
	e.take(false)
	if e.batch.Decodes > 0 {
		e.decode(m, start)
	} else if e.counted > 0 && len(e.stalls) == 0 {
		e.stalls = append(e.stalls, stall{start, int32(e.counted)})
	}
	for e.ends.Len() > 0 && e.ends.Top().At <= e.step {
		it := e.ends.Pop()
		if e.seqs[it.Value].stamp == it.Seq {
			e.finish(it.Value)
		}
	}
	for i := range e.chunks {
		e.absorb(&e.chunks[i])
	}
	e.rejoin()
}

// traceSteps tells the observer of m steps that end now.
func (e *Engine) traceSteps(m int) {
	if e.cfg.Trace != nil {
		e.cfg.Trace(Event{
			At: e.now, Kind: Steps, ID: none, N: m, Decodes: e.batch.Decodes, Prompt: e.batch.Tokens - e.batch.Decodes,
			Replica: e.replica, Batch: &e.batch, Cost: &e.cost,
		})
	}
}

// decode moves the decodes m steps on, which began at start.
func (e *Engine) decode(m int, start float64) {
	e.emit(m, start)
	e.out.Emitted += int64(m) * int64(e.decodes)
	e.pool.Grow(e.step, m)
	e.cache.Trim(e.pool.Free())
	e.ctx += float64(e.decodes) * float64(m)
	e.ctxWin += float64(e.growing) * float64(m)
	e.step += int64(m)
	e.lastDecode = e.now
	e.fill()
}

// jump returns how many steps the batch decodes unchanged: until a line kinks,
// a sequence ends or fills its window, blocks run out, or an arrival could be
// admitted.
func (e *Engine) jump() int {
	m := e.cost.Horizon
	for e.ends.Len() > 0 && e.seqs[e.ends.Top().Value].stamp != e.ends.Top().Seq {
		e.ends.Pop()
	}
	if e.ends.Len() > 0 {
		m = min(m, int(e.ends.Top().At-e.step))
	}
	for e.fills.Len() > 0 && e.seqs[e.fills.Top().Value].stamp != e.fills.Top().Seq {
		e.fills.Pop()
	}
	if e.fills.Len() > 0 {
		m = min(m, int(e.fills.Top().At-e.step))
	}
	m = e.pool.Steps(e.step, m, e.pool.Free())
	if e.cfg.Prefixes > 0 && e.waiting.len() > 0 && e.running < e.cfg.MaxSeqs {
		// Forgetting a prefix can let the first one in: it then needs fewer blocks at once.
		m = e.pool.Steps(e.step, m, max(e.pool.Free()-e.cache.Idle(), 0))
	}
	m = e.untilTurn(m)
	if e.evicted {
		return 1 // admission was barred in this step only
	}
	blocked := e.waiting.len() > 0 && e.cfg.Order == FCFS // the first one will not fit before a sequence ends
	if m > 1 && !blocked && e.running < e.cfg.MaxSeqs {
		if entry, ok := e.upcoming(); ok {
			m = min(m, stepsUntil(e.cost.Total, entry-e.now-simultaneous))
		}
	}
	return max(m, 1)
}

// stepsUntil returns the smallest m, at least 1, whose steps take d seconds or
// more: the root of m v + s m (m-1) / 2 = d, then corrected for rounding.
func stepsUntil(l perf.Line, d float64) int {
	if d <= l.Value {
		return 1
	}
	var x float64
	if a, b := l.Slope/2, l.Value-l.Slope/2; a == 0 {
		x = d / b
	} else {
		x = 2 * d / (b + math.Sqrt(b*b+4*a*d))
	}
	if !(x < math.MaxInt32) {
		return math.MaxInt32
	}
	m := max(int(math.Ceil(x)), 1)
	for m > 1 && l.Sum(float64(m-1)) >= d {
		m--
	}
	for l.Sum(float64(m)) < d {
		m++
	}
	return m
}

// book adds m steps to the totals.
func (e *Engine) book(m int) {
	o, c, f := e.out, &e.cost, float64(m)
	c.AddStages(f, &o.Stages)
	var decoding *[perf.NumResources]float64
	if e.batch.DecodesOnly() {
		decoding = &o.Decoding
	}
	c.AddResources(f, &o.Resources, decoding)
	var busy [perf.NumResources]float64
	for _, r := range tracked {
		busy[r] = c.Busy[r].Sum(f)
		o.Busy[r] += busy[r]
	}
	o.KVBytes += c.KVBytes.Sum(f)
	o.KVOnChip += c.KVOnChip.Sum(f)
	o.FLOPs += c.FLOPs.Sum(f)
	o.Bytes += c.Bytes.Sum(f)
	t := c.Total.Sum(f)
	e.peaks.add(e.now, t, &busy, c, m)
	o.Active += t
	o.Steps += int64(m)
	o.RunArea += float64(e.running) * t
	o.SystemArea += float64(e.inSystem) * t
	held := e.batch.PrefillCtx // prompts hold what they have computed and compute now
	if e.batch.Decodes == 0 {
		held += e.ctx - float64(e.decodes)
	}
	held -= float64(e.cache.Copies() * e.cfg.PrefixBlock)
	o.TokenArea += held*t + product(perf.Line{Value: e.batch.DecodeCtx, Slope: float64(e.batch.Decodes)}, c.Total, f)
}

// product returns the sum over m steps of a times b.
func product(a, b perf.Line, m float64) float64 {
	k1 := m * (m - 1) / 2
	k2 := m * (m - 1) * (2*m - 1) / 6
	return a.Value*b.Value*m + (a.Value*b.Slope+a.Slope*b.Value)*k1 + a.Slope*b.Slope*k2
}

// emit notes the inter-token latencies of m decode steps that began at start.
// The first latency of sequences that had to wait for prompts reaches back to
// their last emission.
func (e *Engine) emit(m int, start float64) {
	if e.counted == 0 {
		return
	}
	g := metrics.Gap{Start: e.cost.Total.Value, Slope: e.cost.Total.Slope, Steps: int32(m), Weight: int32(e.counted)}
	if len(e.stalls) > 0 {
		for _, s := range e.stalls {
			e.out.Gaps = bulk.Append(e.out.Gaps, metrics.Gap{Start: g.Start + (start - s.last), Steps: 1, Weight: s.count})
		}
		e.stalls = e.stalls[:0]
		g.Start += g.Slope
		g.Steps--
	}
	if g.Steps > 0 {
		e.out.Gaps = bulk.Append(e.out.Gaps, g)
	}
}

// unstall takes a preempted sequence from the decodes that wait.
func (e *Engine) unstall(id int32, last float64) {
	if int(id) < e.cfg.Warmup {
		return
	}
	for i := range e.stalls {
		if s := &e.stalls[i]; s.last == last {
			if s.count--; s.count == 0 {
				e.stalls = append(e.stalls[:i], e.stalls[i+1:]...)
			}
			return
		}
	}
}

// fill ends the growth of windows that are full.
func (e *Engine) fill() {
	for e.fills.Len() > 0 && e.fills.Top().At <= e.step {
		it := e.fills.Pop()
		if e.seqs[it.Value].stamp == it.Seq {
			e.growing--
			e.changes++
		}
	}
}

// absorb books a prompt chunk after its step: the parts of TTFT, and the first
// (or, after a preemption, the next) token when the prompt is complete.
func (e *Engine) absorb(c *chunk) {
	s := &e.seqs[c.slot]
	r := &e.out.Requests[s.id]
	if s.done == 0 {
		e.split(r, int(s.held), int(c.tokens), s.held+c.tokens == s.target)
	}
	s.held += c.tokens
	e.out.Computed += int64(c.tokens)
	if r.Preemptions == 0 {
		e.out.Fresh += int64(c.tokens)
	}
	if s.held < s.target {
		return
	}
	if e.partial == c.slot {
		e.partial = none
	}
	if chain := e.reqs[s.id].Prefix; e.cfg.Prefixes > 0 && int(s.shared) < len(chain) {
		e.pool.Release(e.cache.Add(chain[s.shared:]))
		s.shared = int32(len(chain))
	}
	if s.done == 0 {
		e.first(s.id)
	} else if int(s.id) >= e.cfg.Warmup {
		e.out.Gaps = bulk.Append(e.out.Gaps, metrics.Gap{Start: e.now - s.last, Steps: 1, Weight: 1})
	}
	s.done++
	e.out.Emitted++
	if s.done == s.output {
		e.finish(c.slot)
		return
	}
	e.startDecode(c.slot)
	if e.batch.Decodes == 0 && int(s.id) >= e.cfg.Warmup && e.cfg.PrefillFirst {
		e.stalls = append(e.stalls, stall{e.now, 1})
	}
}

// work is what a saturated run has done by a time.
type work struct{ time, fresh, emitted, own float64 }

func (o *Output) work(now float64) work {
	return work{now, float64(o.Fresh), float64(o.Emitted), o.Own}
}

// rate returns how many mean requests per second were served between two
// moments. Of the time, the prompts' own share went as the prompt tokens and the
// rest as the output tokens, so that it does not matter which requests the
// window happened to see.
func (c *Config) rate(from, to work) float64 {
	t := to.time - from.time
	prompts, outputs := to.fresh-from.fresh, to.emitted-from.emitted
	if t <= 0 || prompts <= 0 || outputs <= 0 {
		return 0
	}
	share := min((to.own-from.own)/t, 1)
	return 1 / (t * (share*c.MeanPrompt/prompts + (1-share)*c.MeanOutput/outputs))
}

// settle closes a saturated run at the moment its queue is empty.
func (e *Engine) settle() {
	if e.mark != nil {
		e.out.Rate = e.cfg.rate(*e.mark, e.out.work(e.now))
	}
}
