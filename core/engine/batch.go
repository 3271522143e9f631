package engine

import (
	"context"
	"slices"

	"scoville/core/internal/bulk"
	"scoville/core/metrics"
	"scoville/core/perf"
)

// Batching says whether requests are served in batches that begin and end
// together, and when a batch begins.
type Batching int

// The ways to batch. A batch is padded: every prompt is computed at the length
// of the longest, every sequence decodes until the longest output is done, and
// all answers return at that moment. Its prompts run as one step whatever the
// token budget.
const (
	Iteration Batching = iota // no batches: sequences join and leave at every step
	Static                    // begin when MaxSeqs wait, or no more can come
	Dynamic                   // begin when MaxSeqs wait, or the oldest has waited BatchWindow
	Bucketed                  // as Dynamic, with prompts of one length bucket only
)

// batches serves the requests batch by batch.
func (e *Engine) batches(ctx context.Context) error {
	e.line = e.line[:0]
	for {
		if e.out.Events++; e.out.Events&0xff == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		if err := e.cfg.Limit.Pass(e.out.Events, e.now); err != nil {
			return err
		}
		e.line = e.drain(e.line)
		entry, more := e.upcoming()
		if len(e.line) == 0 {
			if !more {
				return nil
			}
			e.now = entry
			continue
		}
		members := e.cfg.members(e.line, e.out.Requests, e.resume[:0])
		begin := e.now
		if len(members) < e.cfg.MaxSeqs && more && !e.full(members) {
			begin = entry
			if e.cfg.Batching != Static {
				begin = min(begin, e.out.Requests[e.line[0]].Entered+e.cfg.BatchWindow)
			}
		}
		if !due(begin, e.now, true) {
			e.out.SystemArea += float64(e.inSystem) * (begin - e.now)
			e.now = begin
			continue
		}
		members = members[:e.fits(members)]
		e.line = slices.DeleteFunc(e.line, func(id int32) bool { return slices.Contains(members, id) })
		if e.cfg.Saturate && len(e.line) == 0 {
			e.out.Rate = batchRate(e.completed, e.now)
			return nil
		}
		e.serve(members)
	}
}

// batchRate returns requests per second of a saturated run of whole batches.
func batchRate(completed int, now float64) float64 {
	if now == 0 {
		return 0
	}
	return float64(completed) / now
}

// drain moves what has arrived to the line.
func (e *Engine) drain(line []int32) []int32 {
	e.take(true)
	for e.waiting.len() > 0 {
		line = append(line, e.waiting.first())
		e.waiting.pop()
	}
	return line
}

// members appends to dst the first requests of the line, at most MaxSeqs, that
// may share a batch with the oldest.
func (c *Config) members(line []int32, reqs []metrics.Request, dst []int32) []int32 {
	bucket := func(id int32) int32 {
		if c.Batching != Bucketed {
			return 0
		}
		return (reqs[id].Prompt - 1) / int32(c.BucketTokens)
	}
	for _, id := range line {
		if len(dst) < c.MaxSeqs && bucket(id) == bucket(line[0]) {
			dst = append(dst, id)
		}
	}
	return dst
}

// fits returns how many of the members' padded sequences the block pool holds.
func (e *Engine) fits(members []int32) int {
	longest, output := 0, 0
	for i, id := range members {
		longest, output = max(longest, int(e.reqs[id].Prompt)), max(output, int(e.reqs[id].Output))
		if i > 0 && (i+1)*e.pool.Blocks(longest+output-1) > e.pool.Total() {
			return i
		}
	}
	return len(members)
}

// full reports whether the pool bounds the batch, so that waiting for more is
// in vain.
func (e *Engine) full(members []int32) bool { return e.fits(members) < len(members) }

// serve runs one batch: a prompt step, then decode steps in jumps.
func (e *Engine) serve(members []int32) {
	n := len(members)
	e.members, e.emitted = members, 0
	prompt, output := e.open(members)
	w := e.m.Window()
	e.batch = perf.Batch{}
	for range n {
		e.batch.AddChunk(0, prompt, w, true)
	}
	e.turn()
	e.costStep()
	e.book(1)
	for _, id := range members {
		e.split(&e.out.Requests[id], 0, int(e.reqs[id].Prompt), true)
	}
	e.now += e.cost.Total.Value
	e.traceSteps(1)
	e.take(false)
	for _, id := range members {
		e.first(id)
	}
	slices.SortFunc(members, func(a, b int32) int { return int(e.reqs[a].Output) - int(e.reqs[b].Output) })
	ended := 0
	for k := 1; k < output; {
		for e.reqs[members[ended]].Output <= int32(k) {
			ended++
		}
		ctx := prompt + k
		e.emitted = int32(k)
		e.turn()
		e.decodeBatch(n, ctx)
		m := min(e.cost.Horizon, int(e.reqs[members[ended]].Output)-k)
		if w > ctx {
			m = min(m, w-ctx)
		}
		m = e.untilTurn(m)
		e.book(m)
		e.gap(members[ended:], m)
		e.now += e.cost.Total.Sum(float64(m))
		e.traceSteps(m)
		e.take(false)
		k += m
	}
	e.close(members)
}

// decodeBatch costs a step of n sequences that attend to ctx tokens each.
func (e *Engine) decodeBatch(n, ctx int) {
	w := e.m.Window()
	f := float64(n)
	e.batch = perf.Batch{Seqs: n, Decodes: n, Tokens: n, Rows: n, DecodeCtx: f * float64(ctx), DecodeCtxWin: f * float64(min(ctx, w))}
	if ctx < w {
		e.batch.DecodeGrowing = n
	}
	e.costStep()
}

// open admits a batch and returns the lengths it is padded to.
func (e *Engine) open(members []int32) (prompt, output int) {
	for _, id := range members {
		r := &e.out.Requests[id]
		r.Scheduled = e.now
		r.Queue += e.now - r.Entered
		e.trace(Admit, id, int(r.Prompt))
		prompt, output = max(prompt, int(r.Prompt)), max(output, int(r.Output))
	}
	for _, id := range members {
		r := &e.out.Requests[id]
		e.out.Computed += int64(r.Prompt)
		e.out.Padded += int64(prompt) - int64(r.Prompt) + int64(output) - int64(r.Output)
	}
	e.running = len(members)
	e.pool.Take(len(members) * e.pool.Blocks(prompt+output-1))
	return prompt, output
}

// gap notes m inter-token latencies of the sequences that still emit.
func (e *Engine) gap(active []int32, m int) {
	counted := 0
	for _, id := range active {
		if int(id) >= e.cfg.Warmup {
			counted++
		}
	}
	if counted > 0 {
		t := e.cost.Total
		e.out.Gaps = bulk.Append(e.out.Gaps, metrics.Gap{Start: t.Value, Slope: t.Slope, Steps: int32(m), Weight: int32(counted)})
	}
}

// close returns all answers of a batch.
func (e *Engine) close(members []int32) {
	slices.Sort(members)
	for _, id := range members {
		r := &e.out.Requests[id]
		e.last(id)
		e.out.Emitted += int64(r.Output)
		e.inSystem--
		e.completed++
		e.answered(r.Finish + e.cfg.Think)
		e.trace(Finish, id, int(r.Output))
	}
	e.running, e.members = 0, nil
	e.pool.Release(e.pool.Used())
}
