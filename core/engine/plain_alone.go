package engine

import (
	"fmt"

	"scoville/core/metrics"
	"scoville/core/perf"
)

// split attributes a prompt step as Engine.split does.
func (p *plain) split(w plainWork, c *perf.Cost, r *metrics.Request) {
	var b perf.Batch
	var solo perf.Cost
	b.AddChunk(w.s.computed, w.n, p.m.Window(), w.s.computed+w.n == w.s.prompt)
	p.m.Step(&b, &solo)
	own := min(solo.Device().Value, c.Device().Value)
	r.Host += c.Overhead().Value
	r.Adapter += c.Stages[perf.Adapter].Value
	r.Prefill += own
	r.Blocked += c.Device().Value - own
	p.out.Own += own
}

// share attributes a step to every request between its first and last token,
// whether it decodes in it, waits, or recomputes. Its own part is the decode
// step that it would take alone.
func (p *plain) share(c *perf.Cost) {
	var b perf.Batch
	for _, w := range p.work {
		if w.s.decoding {
			b.AddVerify(w.s.computed+1, w.n-1, p.m.Window())
		}
	}
	device, mixed := c.Device().Value, c.Device().Value
	if b.Decodes > 0 {
		p.m.Step(&b, &p.pure)
		mixed -= p.pure.Device().Value
	}
	for _, list := range [][]*plainSeq{p.running, p.waiting} {
		for _, s := range list {
			if s.done > 0 && s.done < s.output {
				p.pass(s, c, mixed)
				s.batch += device - mixed
			}
		}
	}
	for _, w := range p.work {
		if s := w.s; s.decoding || s.done > 0 && s.computed+w.n == s.prompt+s.done {
			p.own(s, s.prompt+s.done, p.drafts(s))
		}
	}
}

// pass books the host, adapter and prompts of a step for one request.
func (p *plain) pass(s *plainSeq, c *perf.Cost, mixed float64) {
	r := &p.out.Requests[s.id]
	r.HostRest += c.Overhead().Value
	r.AdapterRest += c.Stages[perf.Adapter].Value
	r.PrefillRest += mixed
}

// own books the step in which a request emits further tokens as if it were
// alone, attending to ctx tokens and verifying n drafts: AloneRest on the
// undisturbed machine, OwnRest on the one of the step.
func (p *plain) own(s *plainSeq, ctx, n int) {
	total, _ := p.solo(p.base, ctx, n)
	_, device := p.solo(p.m, ctx, n)
	r := &p.out.Requests[s.id]
	r.AloneRest += total
	r.OwnRest += device
	s.batch -= device
}

// lonely is a step of one sequence that attends to ctx tokens.
type lonely struct {
	machine     *perf.Machine
	ctx, drafts int
}

// solo returns the seconds of such a step, and those without host and adapter.
func (p *plain) solo(m *perf.Machine, ctx, n int) (total, device float64) {
	step, ok := p.steps[lonely{m, ctx, n}]
	if !ok {
		var b perf.Batch
		var c perf.Cost
		b.AddVerify(ctx, n, m.Window())
		m.Step(&b, &c)
		step = [2]float64{c.Total.Value, c.Device().Value}
		p.steps[lonely{m, ctx, n}] = step
	}
	return step[0], step[1]
}

// first notes that a request emits its first token, and what that would have
// taken alone.
func (p *plain) first(s *plainSeq) {
	r := &p.out.Requests[s.id]
	r.First = p.now + p.cfg.client(int32(s.id))
	p.trace(First, s.id, 1)
	r.AloneFirst = p.cfg.client(int32(s.id)) + p.cfg.front(int32(s.prompt))
	for c := 0; c < s.prompt; {
		n := p.cfg.piece(s.prompt - c)
		var b perf.Batch
		var solo perf.Cost
		b.AddChunk(c, n, p.m.Window(), c+n == s.prompt)
		p.base.Step(&b, &solo)
		r.AloneFirst += solo.Total.Value
		c += n
	}
}

// verify checks that the parts of an answered request's time add up.
func (p *plain) verify(s *plainSeq) {
	if r := &p.out.Requests[s.id]; !close(s.batch, r.Batch(), r.Finish) {
		p.fault = fmt.Errorf("conservation: request %d: others' share of its decode steps adds up to %g s, %g s are left", s.id, s.batch, r.Batch())
	}
}

// change goes on to the machine that steps run on at time now.
func (p *plain) change() {
	for p.phase < len(p.cfg.Phases) && due(p.cfg.Phases[p.phase].From, p.now, true) {
		p.m = p.cfg.Phases[p.phase].Machine
		p.phase++
	}
}
