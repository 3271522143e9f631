package engine

import (
	"cmp"
	"slices"
)

// schedule visits the running sequences oldest first, then the waiting ones;
// prefill-first visits the waiting ones first and the others only if none was
// admitted.
func (p *plain) schedule() {
	p.work, p.restored, p.swapped = p.work[:0], p.restored[:0], 0
	if p.cfg.PrefillFirst {
		p.admit(p.cfg.MaxTokens)
		if len(p.work)+len(p.restored) > 0 {
			return
		}
	}
	before := p.out.Preemptions
	p.left = p.cfg.MaxTokens
	p.turn = append(p.turn[:0], p.running...)
	for _, s := range p.turn {
		p.proceed(s)
	}
	p.trim()
	if p.out.Preemptions == before && !p.cfg.PrefillFirst {
		p.admit(p.left)
	}
}

// proceed gives one running sequence its next tokens, preempting others until
// there are blocks for them.
func (p *plain) proceed(s *plainSeq) {
	for !s.evicted {
		n := min(s.prompt+s.done-s.computed+p.drafts(s), p.left)
		if n == 0 {
			return
		}
		if p.allot(s, n, 0) {
			p.work = append(p.work, plainWork{s, n})
			p.left -= n
			return
		}
		p.evict()
	}
}

// admit starts waiting requests while budget, sequences and blocks last.
func (p *plain) admit(budget int) {
	for len(p.waiting) > 0 && budget > 0 && len(p.running) < p.cfg.MaxSeqs {
		s := p.waiting[0]
		if s.parked > 0 {
			if !p.restore(s) || s.done == 0 {
				return
			}
			continue
		}
		known := p.known(s)
		rest := s.prompt + s.done - len(known)*p.cfg.PrefixBlock
		n := min(rest, budget)
		if n < rest && !p.cfg.Chunked {
			return
		}
		keep := 0
		if len(p.running) > 0 {
			keep = p.cfg.Watermark
		}
		need := p.blocks(n) // prefix blocks are whole pool blocks
		if p.cfg.Reserve {
			need = p.blocks(rest)
		}
		for _, id := range known {
			if p.holders[id] == 0 {
				need += p.size()
			}
		}
		if need > p.cfg.Blocks-p.used-keep {
			return
		}
		for _, id := range known {
			p.hold(s, id)
		}
		s.computed = len(known) * p.cfg.PrefixBlock
		p.out.Hit += int64(s.computed)
		if r := &p.out.Requests[s.id]; r.Preemptions == 0 {
			r.PrefixHit = int32(s.computed)
			p.out.Fresh += int64(s.computed)
		}
		if p.cfg.Saturate && p.mark == nil && s.id >= p.cfg.Fill {
			w := p.out.work(p.now)
			p.mark = &w
		}
		p.allot(s, n, 0)
		p.trim()
		p.waiting = p.waiting[1:]
		p.running = append(p.running, s)
		s.evicted = false
		p.work = append(p.work, plainWork{s, n})
		p.trace(Admit, s.id, n)
		budget -= n
		r := &p.out.Requests[s.id]
		if !s.started {
			r.Scheduled, s.started = p.now, true
		}
		if s.done == 0 {
			r.Queue += p.now - r.Entered
		}
	}
}

// restore brings a swapped sequence back if there is room.
func (p *plain) restore(s *plainSeq) bool {
	keep := 0
	if len(p.running) > 0 {
		keep = p.cfg.Watermark
	}
	if !p.allot(s, s.parked, keep) {
		return false
	}
	p.trim()
	p.waiting = p.waiting[1:]
	p.running = append(p.running, s)
	s.evicted = false
	p.restored = append(p.restored, s)
	p.trace(Admit, s.id, 0)
	p.swapped += s.parked
	if s.done == 0 {
		r := &p.out.Requests[s.id]
		r.Queue += p.now - r.Entered
	}
	return true
}

// evict preempts the newest running sequence, or under Priority the one that
// would be admitted last.
func (p *plain) evict() {
	s := p.running[len(p.running)-1]
	if p.cfg.Order == Priority {
		s = slices.MaxFunc(p.running, func(a, b *plainSeq) int {
			return cmp.Or(cmp.Compare(p.key(a), p.key(b)), cmp.Compare(a.id, b.id))
		})
	}
	p.running = slices.DeleteFunc(p.running, func(o *plainSeq) bool { return o == s })
	s.evicted = true
	for i, w := range p.work {
		if w.s == s { // under Priority it may have had its turn
			p.work = slices.Delete(p.work, i, i+1)
			p.left += w.n
			break
		}
	}
	p.trace(Preempt, s.id, s.computed)
	if p.cfg.Swap {
		s.parked = s.computed
		p.swapped += s.computed
	} else {
		p.out.Lost += int64(s.computed - len(s.shared)*p.cfg.PrefixBlock)
	}
	p.release(s)
	s.computed, s.decoding = 0, false
	r := &p.out.Requests[s.id]
	r.Preemptions++
	r.Entered = p.now
	p.out.Preemptions++
	p.enqueue(s, true)
}

func (p *plain) key(s *plainSeq) int64 { return p.cfg.key(&p.reqs[s.id]) }

// enqueue puts a request in its place in the waiting list: behind its equals,
// or before them if it was preempted.
func (p *plain) enqueue(s *plainSeq, preempted bool) {
	i := 0
	for i < len(p.waiting) && (p.key(p.waiting[i]) < p.key(s) || !preempted && p.key(p.waiting[i]) == p.key(s)) {
		i++
	}
	p.waiting = slices.Insert(p.waiting, i, s)
}
