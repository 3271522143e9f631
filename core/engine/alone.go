package engine

import (
	"scoville/core/internal/bulk"
	"scoville/core/metrics"
	"scoville/core/perf"
)

// loneBits gives the size of the memory of lone steps, a power of two.
const loneBits = 7

// lone is a step of one prompt chunk and nothing else.
type lone struct {
	machine       *perf.Machine
	c, n          int32
	last          bool
	device, total float64 // s; device is without host and adapter
}

// alone returns the step of n prompt tokens after c, alone in it on machine m. Workloads
// repeat lengths, so the latest are remembered.
func (e *Engine) alone(m *perf.Machine, c, n int, last bool) *lone {
	memo := &e.lone[(uint32(c)*0x85ebca6b+uint32(n)*0x9e3779b1)>>(32-loneBits)] // lengths are often multiples of powers of two
	if memo.n == int32(n) && memo.c == int32(c) && memo.last == last && memo.machine == m {
		return memo
	}
	e.soloB = perf.Batch{}
	e.soloB.AddChunk(c, n, m.Window(), last)
	m.Step(&e.soloB, &e.solo)
	*memo = lone{m, int32(c), int32(n), last, e.solo.Device().Value, e.solo.Total.Value}
	return memo
}

// split attributes the time of a prompt step: host, adapter, the chunk's own
// device time as if alone, and the rest to others in the same step. The chunk
// is n tokens after c.
func (e *Engine) split(r *metrics.Request, c, n int, last bool) {
	device := e.cost.Device().Value
	own := min(e.alone(e.m, c, n, last).device, device)
	r.Host += e.cost.Overhead().Value
	r.Adapter += e.cost.Stages[perf.Adapter].Value
	r.Prefill += own
	r.Blocked += device - own
	e.out.Own += own
}

// first notes that a request emits its first token, and what that would have
// taken alone: the parts of the time to its last token are what the totals
// gain from now on.
func (e *Engine) first(id int32) {
	r := &e.out.Requests[id]
	r.First = e.now + e.cfg.client(id)
	e.trace(First, id, 1)
	if e.cfg.Saturate {
		return
	}
	r.HostRest, r.AdapterRest, r.PrefillRest = -e.out.overhead(), -e.out.Stages[perf.Adapter], -e.mixed
	r.AloneFirst = e.cfg.client(id) + e.cfg.front(r.Prompt)
	for c, n := 0, int(r.Prompt); c < n; {
		k := e.cfg.piece(n - c)
		r.AloneFirst += e.alone(e.base, c, k, c+k == n).total
		c += k
	}
}

// piece returns how many of the n tokens left of a prompt one step takes when
// nothing else is in it.
func (c *Config) piece(n int) int {
	if c.Chunked && c.Batching == Iteration {
		return min(n, c.MaxTokens)
	}
	return n
}

// last notes that a request has emitted its last token.
func (e *Engine) last(id int32) {
	r := &e.out.Requests[id]
	r.Finish = e.now + e.cfg.client(id)
	if e.cfg.Saturate {
		return
	}
	r.HostRest += e.out.overhead()
	r.AdapterRest += e.out.Stages[perf.Adapter]
	r.PrefillRest += e.mixed
	if len(e.cfg.Phases) == 0 {
		r.AloneRest, r.OwnRest = e.answers[0].Decode(int(r.Prompt)+1, int(r.Prompt+r.Output)-1)
		return
	}
	r.AloneRest, _ = e.answers[0].Decode(int(r.Prompt)+1, int(r.Prompt+r.Output)-1)
	e.own(id, r.Output)
}

// resetOwn makes ready to know what a request takes alone, on the undisturbed
// machine and on that of each phase.
func (e *Engine) resetOwn() {
	e.answers = grow(e.answers, len(e.cfg.Phases)+1)
	e.answers[0].Reset(e.base)
	for i, p := range e.cfg.Phases {
		e.answers[i+1].Reset(p.Machine)
	}
	e.members, e.emitted = nil, 0
	if len(e.cfg.Phases) > 0 {
		e.owned = bulk.Zeroed(e.owned, len(e.reqs))
	}
}

// own books the steps of a request that has emitted done tokens as if it were
// alone, on the machine that steps ran on since the last call. The step of the
// first token is a prompt's.
func (e *Engine) own(id, done int32) {
	if len(e.cfg.Phases) == 0 || done == 0 || e.cfg.Saturate {
		return
	}
	r, from := &e.out.Requests[id], max(e.owned[id], 1)
	if e.owned[id] = done; done > from {
		_, device := e.answers[e.phase].Decode(int(r.Prompt+from), int(r.Prompt+done)-1)
		r.OwnRest += device
	}
}

// ownAll does so for every request that runs, before the machine changes. A
// request that waits after a preemption was booked then.
func (e *Engine) ownAll() {
	for _, id := range e.members {
		e.own(id, min(e.emitted, e.reqs[id].Output))
	}
	if e.cfg.Batching != Iteration {
		return
	}
	for slot := e.oldest; slot != none; slot = e.seqs[slot].next {
		s, n := &e.seqs[slot], int64(0)
		if s.decode {
			n = e.step - s.since
		}
		e.own(s.id, s.done+int32(n))
	}
}

// overhead returns the exposed seconds of the host in all steps.
func (o *Output) overhead() float64 {
	return o.Stages[perf.Host] + o.Stages[perf.Launch] + o.Stages[perf.Sampling]
}

// stretch is a number of steps of the same decodes and nothing else.
type stretch struct {
	set    int64 // Engine.changes when it began
	step   int64 // its first step
	steps  int64 // how many the line holds for
	device perf.Line
}

// mix books what the prompts and moves of KV of this step took from its
// decodes: the device time beyond that of the decodes alone.
func (e *Engine) mix() {
	if len(e.chunks) == 0 && e.swapped == 0 || e.cfg.Saturate {
		return
	}
	e.mixed += e.cost.Device().Value
	if n := e.batch.Decodes; n > 0 {
		if k := e.step - e.alike.step; e.alike.set == e.changes && k < e.alike.steps {
			e.mixed -= e.alike.device.At(float64(k))
			return
		}
		e.soloB = perf.Batch{
			Seqs: n, Decodes: n, Tokens: n, Rows: n,
			DecodeCtx: e.batch.DecodeCtx, DecodeCtxWin: e.batch.DecodeCtxWin, DecodeGrowing: e.batch.DecodeGrowing,
		}
		e.m.Step(&e.soloB, &e.pure)
		e.mixed -= e.pure.Device().Value
	}
}
