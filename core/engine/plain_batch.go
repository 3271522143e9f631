package engine

import (
	"context"
	"math"

	"scoville/core/metrics"
	"scoville/core/perf"
)

// batches serves padded batches as Engine.batches does, one step at a time.
func (p *plain) batches(ctx context.Context) error {
	for {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		p.arrive(true)
		_, entry, more := p.in.peek()
		if len(p.waiting) == 0 {
			if !more {
				return nil
			}
			p.now = entry
			continue
		}
		members, bounded := p.gather()
		begin := p.now
		if len(members) < p.cfg.MaxSeqs && more && !bounded {
			deadline := p.out.Requests[p.waiting[0].id].Entered + p.cfg.BatchWindow
			if p.cfg.Batching == Static {
				deadline = math.Inf(1)
			}
			begin = min(entry, deadline)
		}
		if !due(begin, p.now, true) {
			p.out.SystemArea += float64(len(p.waiting)) * (begin - p.now)
			p.now = begin
			continue
		}
		for _, s := range members {
			p.leave(s)
		}
		if p.cfg.Saturate && len(p.waiting) == 0 {
			p.out.Rate = batchRate(p.completed, p.now)
			return nil
		}
		p.serve(members)
	}
}

// gather returns the oldest requests of the oldest's bucket whose padded
// sequences the pool holds, and whether the pool bounds them.
func (p *plain) gather() (members []*plainSeq, bounded bool) {
	width := math.MaxInt
	if p.cfg.Batching == Bucketed {
		width = p.cfg.BucketTokens
	}
	longest, output := 0, 0
	for _, s := range p.waiting {
		if (s.prompt-1)/width != (p.waiting[0].prompt-1)/width {
			continue
		}
		if len(members) == p.cfg.MaxSeqs {
			return members, false
		}
		longest, output = max(longest, s.prompt), max(output, s.output)
		if n := len(members) + 1; n > 1 && n*p.blocks(longest+output-1) > p.cfg.Blocks {
			return members, true
		}
		members = append(members, s)
	}
	return members, false
}

// leave takes a request off the waiting list.
func (p *plain) leave(s *plainSeq) {
	for i, o := range p.waiting {
		if o == s {
			p.waiting = append(p.waiting[:i:i], p.waiting[i+1:]...)
			return
		}
	}
}

// serve runs one batch.
func (p *plain) serve(members []*plainSeq) {
	p.running = members
	longest, output := 0, 0
	for _, s := range members {
		longest, output = max(longest, s.prompt), max(output, s.output)
		r := &p.out.Requests[s.id]
		r.Scheduled = p.now
		r.Queue += p.now - r.Entered
		p.trace(Admit, s.id, s.prompt)
	}
	p.out.PeakBlocks = max(p.out.PeakBlocks, len(members)*p.blocks(longest+output-1))
	var b perf.Batch
	for range members {
		b.AddChunk(0, longest, p.m.Window(), true)
	}
	c := p.step(&b, longest*len(members))
	for _, s := range members {
		r := &p.out.Requests[s.id]
		p.split(plainWork{s, s.prompt}, &c, r)
		p.first(s)
		p.out.Computed += int64(s.prompt)
		p.out.Padded += int64(longest - s.prompt + output - s.output)
	}
	for k := 1; k < output; k++ {
		var b perf.Batch
		for range members {
			b.AddDecode(longest+k, p.m.Window())
		}
		c := p.step(&b, (longest+k)*len(members))
		for _, s := range members {
			p.pass(s, &c, 0)
			s.batch += c.Device().Value
			if s.output > k {
				p.own(s, s.prompt+k, 0)
			}
			if s.output > k && s.id >= p.cfg.Warmup {
				p.out.Gaps = append(p.out.Gaps, metrics.Gap{Start: c.Total.Value, Steps: 1, Weight: 1})
			}
		}
	}
	p.running = nil
	for _, s := range members {
		r := &p.out.Requests[s.id]
		r.Finish = p.now + p.cfg.client(int32(s.id))
		p.trace(Finish, s.id, s.output)
		p.verify(s)
		p.out.Emitted += int64(s.output)
		p.completed++
		p.in.answered(r.Finish + p.cfg.Think)
	}
}

// step runs one step of a batch that holds `resident` tokens.
func (p *plain) step(b *perf.Batch, resident int) perf.Cost {
	var c perf.Cost
	p.change()
	p.m.Step(b, &c)
	p.cfg.disturb(&c, p.out.Steps, 0)
	p.book(b, &c, float64(resident))
	p.now += c.Total.Value
	p.traceStep(b, &c)
	p.arrive(false)
	return c
}
