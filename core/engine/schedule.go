package engine

import "scoville/core/perf"

// schedule forms the batch of the next step. Continuous batching takes all
// decodes, the rest of a started prompt, then admissions; prefill-first takes
// admissions alone, and decodes when there is none.
func (e *Engine) schedule() error {
	e.chunks, e.evicted = e.chunks[:0], false
	e.needed, e.swapped, e.restored = 0, 0, e.restored[:0]
	if e.batch = (perf.Batch{}); e.cfg.PrefillFirst {
		e.admit(e.cfg.MaxTokens)
	}
	if len(e.chunks) == 0 && len(e.restored) == 0 {
		e.proceed()
	}
	if e.batch.Swapped = e.swapped; e.batch.Seqs > 0 || e.swapped > 0 {
		e.idle = 0
		return nil
	}
	if e.idle++; e.idle > 2 { // one step may be spent on preemption alone
		return errStuck
	}
	return nil
}

// proceed adds what runs, preempting until its new blocks are free, and in
// continuous batching then admits.
func (e *Engine) proceed() {
	rest := 0
	for e.running > 0 {
		more := 0
		if rest = 0; e.partial != none {
			s := &e.seqs[e.partial]
			rest = min(int(s.target-s.held), e.cfg.MaxTokens-e.decodes)
			more = e.pool.Blocks(int(s.held)+rest) - int(s.blocks)
		}
		if e.pool.Needs(e.step)+more <= e.pool.Free() {
			break
		}
		e.preempt(e.victim())
	}
	e.batch = perf.Batch{
		Seqs: e.decodes, Decodes: e.decodes, Tokens: e.decodes, Rows: e.decodes,
		DecodeCtx: e.ctx, DecodeCtxWin: e.ctxWin, DecodeGrowing: e.growing,
	}
	e.needed = e.pool.Needs(e.step)
	if rest > 0 {
		e.extend(e.partial, rest)
	}
	e.cache.Trim(e.pool.Free() - e.needed)
	if !e.evicted && !e.cfg.PrefillFirst {
		e.admit(e.cfg.MaxTokens - e.decodes - rest)
	}
}

// extend gives a sequence the next n tokens of its prompt, for which blocks
// are free.
func (e *Engine) extend(slot int32, n int) {
	s := &e.seqs[slot]
	blocks := e.pool.Blocks(int(s.held)+n) - int(s.blocks)
	e.pool.Take(blocks)
	e.cache.Trim(e.pool.Free() - e.needed)
	s.blocks += int32(blocks)
	e.chunks = append(e.chunks, chunk{slot: slot, tokens: int32(n)})
	e.batch.AddChunk(int(s.held), n, e.m.Window(), s.held+int32(n) == s.target)
}

// admit starts waiting requests in order while token budget, sequences and
// blocks last. Admission keeps the blocks that the decodes need now and a
// watermark for later, unless nothing runs.
func (e *Engine) admit(budget int) {
	for e.waiting.len() > 0 && budget > 0 && e.running < e.cfg.MaxSeqs {
		id := e.waiting.first()
		if e.cfg.Swap && e.parked[id] > 0 {
			if !e.restore(id) || e.resume[id] == 0 { // the rest of its prompt comes before others
				return
			}
			continue
		}
		tokens := int(e.reqs[id].Prompt + e.resume[id])
		hits, take := e.hits(id, tokens)
		cached := hits * e.cfg.PrefixBlock
		if tokens-cached > budget && !e.cfg.Chunked {
			return
		}
		n := min(tokens-cached, budget)
		keep := e.needed
		if e.running > 0 {
			keep += e.cfg.Watermark
		}
		whole := n
		if e.cfg.Reserve {
			whole = tokens - cached
		}
		if e.pool.Blocks(cached+whole)-e.pool.Blocks(cached)+take > e.pool.Free()-keep {
			return
		}
		e.waiting.pop()
		if e.cfg.Saturate && e.mark == nil && int(id) >= e.cfg.Fill {
			w := e.out.work(e.now)
			e.mark = &w
		}
		slot := e.enlist(id)
		r := &e.out.Requests[id]
		if hits > 0 {
			e.share(slot, hits, take)
			if r.Preemptions == 0 {
				r.PrefixHit = int32(cached)
				e.out.Fresh += int64(cached)
			}
		}
		e.extend(slot, n)
		e.trace(Admit, id, n)
		if r.Scheduled == 0 && r.Preemptions == 0 {
			r.Scheduled = e.now
		}
		if e.resume[id] == 0 {
			r.Queue += e.now - r.Entered
		}
		budget -= n
		if cached+n < tokens {
			e.partial = slot
		}
	}
}

// restore brings a swapped sequence back and reports whether there was room.
// It goes on in the next step.
func (e *Engine) restore(id int32) bool {
	held := int(e.parked[id])
	keep := e.needed
	if e.running > 0 {
		keep += e.cfg.Watermark
	}
	blocks := e.pool.Blocks(held)
	if blocks > e.pool.Free()-keep {
		return false
	}
	e.waiting.pop()
	slot := e.enlist(id)
	s := &e.seqs[slot]
	s.held, s.blocks = int32(held), int32(blocks)
	e.pool.Take(blocks)
	e.cache.Trim(e.pool.Free() - e.needed)
	e.parked[id] = 0
	e.swapped += held
	e.restored = append(e.restored, slot)
	e.trace(Admit, id, 0)
	if r := &e.out.Requests[id]; s.done == 0 {
		e.partial = slot
		r.Queue += e.now - r.Entered
	}
	return true
}

// rejoin lets the restored sequences decode from now on. Their next inter-token
// latency reaches back to before they were preempted.
func (e *Engine) rejoin() {
	for _, slot := range e.restored {
		s := &e.seqs[slot]
		if s.done == 0 { // its prompt goes on; so far others kept it from its first token
			r := &e.out.Requests[s.id]
			host, adapter := e.cost.Overhead().Value, e.cost.Stages[perf.Adapter].Value
			r.Host += host
			r.Adapter += adapter
			r.Blocked += e.cost.Total.Value - host - adapter
			continue
		}
		last := s.last
		if e.counted > 0 && len(e.stalls) == 0 {
			e.stalls = append(e.stalls, stall{e.now, int32(e.counted)})
		}
		e.startDecode(slot)
		s.last = last
		if int(s.id) >= e.cfg.Warmup {
			e.stalls = append(e.stalls, stall{last, 1})
		}
	}
}

// share lets a sequence begin with cached prefix blocks.
func (e *Engine) share(slot int32, hits, take int) {
	s := &e.seqs[slot]
	e.cache.Hold(e.reqs[s.id].Prefix[:hits])
	e.pool.Take(take)
	s.shared = int32(hits)
	s.held = int32(hits * e.cfg.PrefixBlock)
	s.blocks = int32(hits * e.prefixBlocks())
	e.out.Hit += int64(s.held)
}
