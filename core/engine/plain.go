package engine

import (
	"context"
	"errors"
	"slices"

	"scoville/core/metrics"
	"scoville/core/perf"
	"scoville/core/workload"
)

// Plain simulates like Engine.Run, one step at a time, with every sequence
// visited in every step. It is slow and plainly right: the oracle of Run. It
// fills every field of Output but Events.
func Plain(ctx context.Context, m *perf.Machine, cfg Config, reqs []workload.Request, out *Output) error {
	*out = Output{Requests: make([]metrics.Request, len(reqs))}
	p := plain{cfg: cfg, m: m, base: m, reqs: reqs, out: out, windows: map[int]*[NumTracked]float64{}, holders: map[int32]int{}, steps: map[lonely][2]float64{}}
	p.in.reset(&cfg, reqs)
	if cfg.Batching != Iteration {
		if err := p.batches(ctx); err != nil {
			return err
		}
		if !cfg.Saturate {
			if err := cfg.Limit.Pass(0, p.now); err != nil {
				return err
			}
		}
	} else if err := p.iterate(ctx); err != nil {
		return err
	}
	if cfg.Saturate && p.completed < len(reqs) {
		return nil
	}
	out.End = p.now
	for w := range p.windows {
		for i, busy := range p.windows[w] {
			out.Peaks[i] = max(out.Peaks[i], busy/Window)
		}
	}
	return errors.Join(p.fault, out.check(p.completed, &cfg, p.used))
}

// iterate serves step by step, every step with a batch of its own.
func (p *plain) iterate(ctx context.Context) error {
	for {
		if p.out.Events++; p.out.Events&0xff == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		if err := p.cfg.Limit.Pass(p.out.Events, p.now); err != nil {
			return err
		}
		p.arrive(true)
		if len(p.running) == 0 && len(p.waiting) == 0 {
			_, entry, ok := p.in.peek()
			if !ok {
				return nil
			}
			p.now = max(p.now, entry)
			p.seen = p.now
			continue
		}
		p.change()
		p.schedule()
		if p.cfg.Saturate && len(p.waiting) == 0 {
			if p.mark != nil {
				p.out.Rate = p.cfg.rate(*p.mark, p.out.work(p.now))
			}
			return nil
		}
		if len(p.work) > 0 || p.swapped > 0 {
			p.execute()
		} else if p.idle++; p.idle > 2 {
			return errStuck
		}
	}
}

// plainSeq is one request that waits or runs.
type plainSeq struct {
	id             int
	prompt, output int
	done           int     // tokens emitted
	computed       int     // tokens whose KV is held
	blocks         int     // private blocks, not counting shared ones
	shared         []int32 // prefix blocks held
	last           float64 // last emission
	parked         int     // tokens in host memory
	started        bool
	evicted        bool    // preempted and waiting again
	decoding       bool    // emitted in the step before; only its last token is not computed yet
	batch          float64 // s between first and last token that is no other part
}

// plainWork is what one sequence does in one step.
type plainWork struct {
	s *plainSeq
	n int // tokens computed
}

type plain struct {
	cfg       Config
	m         *perf.Machine // that steps run on now
	base      *perf.Machine // the undisturbed one
	phase     int           // of cfg.Phases, the next one
	reqs      []workload.Request
	out       *Output
	in        intake
	now       float64
	seen      float64 // Ahead: when the last step began
	waiting   []*plainSeq
	running   []*plainSeq
	work      []plainWork
	left      int         // tokens that the step still has room for
	turn      []*plainSeq // running sequences as the step began
	used      int
	completed int
	idle      int
	fault     error // parts of a request that do not add up
	mark      *work
	cached    []int32                      // prefix blocks in the cache that nobody holds, least recently used first
	holders   map[int32]int                // holders of prefix blocks in use
	restored  []*plainSeq                  // sequences whose KV comes back in this step
	swapped   int                          // tokens that move to host memory or back in this step
	windows   map[int]*[NumTracked]float64 // use by window number
	steps     map[lonely][2]float64        // decode steps of one sequence by context and drafts: s, and of these not host or adapter
	cost      perf.Cost                    // of the step
	pure      perf.Cost                    // of its decodes alone
}

// arrive takes requests as Engine.take does.
func (p *plain) arrive(atNow bool) {
	seen := p.now
	if p.cfg.Ahead {
		seen = p.seen
	}
	for {
		arrival, entry, ok := p.in.peek()
		if !ok || !due(entry, seen, atNow) {
			return
		}
		arrival, entry = min(arrival, p.now), min(entry, p.now)
		id := p.in.take(entry)
		q := p.reqs[id]
		front := p.cfg.front(q.Prompt)
		p.out.Requests[id] = metrics.Request{
			Class: q.Class, Prompt: q.Prompt, Output: q.Output,
			Waiting: int32(len(p.waiting)),
			Arrival: arrival, Entered: entry, Host: p.cfg.client(int32(id)) + front, Queue: entry - arrival - front,
		}
		p.out.SystemArea += p.now - arrival
		p.enqueue(&plainSeq{id: id, prompt: int(q.Prompt), output: int(q.Output)}, false)
	}
}

func (p *plain) blocks(n int) int { return (n + p.cfg.BlockSize - 1) / p.cfg.BlockSize }

// allot gives s the blocks for n more tokens if they are free.
func (p *plain) allot(s *plainSeq, n, keep int) bool {
	more := p.blocks(s.computed+n) - s.blocks - len(s.shared)*p.size()
	if more > 0 && more > p.cfg.Blocks-p.used-keep {
		return false
	}
	s.blocks += more
	p.used += more
	return true
}

// size returns the pool blocks of a prefix block.
func (p *plain) size() int { return p.cfg.PrefixBlock / p.cfg.BlockSize }

// trim forgets cached prefixes that no longer fit beside the used blocks.
func (p *plain) trim() {
	for len(p.cached)*p.size() > p.cfg.Blocks-p.used {
		p.cached = p.cached[1:]
	}
}

// hold makes s a holder of prefix block id, which is cached or in use.
func (p *plain) hold(s *plainSeq, id int32) {
	if p.holders[id]++; p.holders[id] == 1 {
		p.cached = slices.DeleteFunc(p.cached, func(o int32) bool { return o == id })
		p.used += p.size()
	}
	s.shared = append(s.shared, id)
}

// release gives back what s holds, the end of its prefix becoming the least
// recently used.
func (p *plain) release(s *plainSeq) {
	p.used -= s.blocks
	slices.Reverse(s.shared)
	for _, id := range s.shared {
		if p.holders[id]--; p.holders[id] == 0 {
			delete(p.holders, id)
			p.cached = append(p.cached, id)
			p.used -= p.size()
		}
	}
	s.blocks, s.shared = 0, nil
}

// known returns the leading prefix blocks of s that are in the cache.
func (p *plain) known(s *plainSeq) []int32 {
	if p.cfg.Prefixes == 0 {
		return nil
	}
	chain := p.reqs[s.id].Prefix
	n := 0
	for n < len(chain) && (n+1)*p.cfg.PrefixBlock < s.prompt+s.done && (p.holders[chain[n]] > 0 || slices.Contains(p.cached, chain[n])) {
		n++
	}
	return chain[:n]
}

// execute runs the step that schedule formed.
func (p *plain) execute() {
	p.idle = 0
	p.out.PeakBlocks = max(p.out.PeakBlocks, p.used)
	var b perf.Batch
	resident := 0.0
	for _, s := range p.running {
		resident += float64(s.computed)
	}
	for _, n := range p.holders {
		resident -= float64((n - 1) * p.cfg.PrefixBlock)
	}
	for _, w := range p.work {
		s := w.s
		resident += float64(w.n)
		if s.decoding {
			b.AddVerify(s.computed+1, w.n-1, p.m.Window())
		} else {
			b.AddChunk(s.computed, w.n, p.m.Window(), s.computed+w.n == s.prompt+s.done)
		}
	}
	c := &p.cost
	b.Swapped = p.swapped
	p.m.Step(&b, c)
	p.cfg.disturb(c, p.out.Steps, 0)
	p.book(&b, c, resident)
	p.share(c)
	p.seen = p.now
	p.now += c.Total.Value
	p.traceStep(&b, c)
	p.arrive(false)
	for _, s := range p.restored {
		s.computed, s.parked, s.decoding = s.parked, 0, s.done > 0
		if r := &p.out.Requests[s.id]; s.done == 0 {
			host, adapter := c.Overhead().Value, c.Stages[perf.Adapter].Value
			r.Host += host
			r.Adapter += adapter
			r.Blocked += c.Total.Value - host - adapter
		}
	}
	for _, w := range p.work {
		p.apply(w, c)
	}
	p.running = slices.DeleteFunc(p.running, func(s *plainSeq) bool { return s.done == s.output })
}

// trace tells the observer, if there is one.
func (p *plain) trace(kind EventKind, id, n int) {
	if p.cfg.Trace != nil {
		p.cfg.Trace(Event{At: p.now, Kind: kind, ID: int32(id), N: n})
	}
}

// traceStep tells the observer of a step that ends now.
func (p *plain) traceStep(b *perf.Batch, c *perf.Cost) {
	if p.cfg.Trace != nil {
		p.cfg.Trace(Event{
			At: p.now, Kind: Steps, ID: int32(none), N: 1, Decodes: b.Decodes, Prompt: b.Tokens - b.Decodes - b.Verified,
			Batch: b, Cost: c,
		})
	}
}

// apply moves one sequence on by its share of the step.
func (p *plain) apply(w plainWork, c *perf.Cost) {
	s := w.s
	if s.decoding {
		for range p.accepted(s, w.n-1) {
			p.emit(s)
			s.computed++
		}
		p.emit(s)
		s.computed++
		p.end(s)
		return
	}
	r := &p.out.Requests[s.id]
	p.out.Computed += int64(w.n)
	if r.Preemptions == 0 {
		p.out.Fresh += int64(w.n)
	}
	if s.done == 0 {
		p.split(w, c, r)
	}
	s.computed += w.n
	if s.computed < s.prompt+s.done {
		return
	}
	if chain := p.reqs[s.id].Prefix; p.cfg.Prefixes > 0 {
		for _, id := range chain[len(s.shared):] {
			p.hold(s, id)
			s.blocks -= p.size()
			p.used -= p.size()
		}
	}
	p.emit(s)
	s.decoding = true
	p.end(s)
}

// emit gives out one token.
func (p *plain) emit(s *plainSeq) {
	if s.done == 0 {
		p.first(s)
	} else if s.id >= p.cfg.Warmup {
		p.out.Gaps = append(p.out.Gaps, metrics.Gap{Start: p.now - s.last, Steps: 1, Weight: 1})
	}
	s.done++
	s.last = p.now
	p.out.Emitted++
}

// end answers a request whose tokens are all out.
func (p *plain) end(s *plainSeq) {
	if s.done < s.output {
		return
	}
	r := &p.out.Requests[s.id]
	r.Finish = p.now + p.cfg.client(int32(s.id))
	p.trace(Finish, s.id, s.output)
	p.verify(s)
	p.release(s)
	p.completed++
	p.in.answered(r.Finish + p.cfg.Think)
}

// drafts returns how many draft tokens a sequence verifies in its next step: no
// more than its answer still needs beside the token the step emits anyway.
func (p *plain) drafts(s *plainSeq) int {
	if !s.decoding {
		return 0
	}
	return min(p.cfg.Draft, s.output-s.done-1)
}

// accepted returns how many of n draft tokens are right, up to the first wrong
// one. Whether a position is right belongs to the request, so that it does not
// change with the batch.
func (p *plain) accepted(s *plainSeq, n int) int {
	for i := range n {
		if p.cfg.Drafts.Uniform(s.id<<24+s.done+i) >= p.cfg.Accept {
			return i
		}
	}
	return n
}

// book adds one step of batch b to the totals.
func (p *plain) book(b *perf.Batch, c *perf.Cost, resident float64) {
	o, t := p.out, c.Total.Value
	for i := range c.Stages {
		o.Stages[i] += c.Stages[i].Value
	}
	for i := range c.Resources {
		o.Resources[i] += c.Resources[i].Value
		if b.DecodesOnly() {
			o.Decoding[i] += c.Resources[i].Value
		}
		o.Busy[i] += c.Busy[i].Value
	}
	o.KVBytes += c.KVBytes.Value
	o.KVOnChip += c.KVOnChip.Value
	o.FLOPs += c.FLOPs.Value
	o.Bytes += c.Bytes.Value
	o.Active += t
	o.Steps++
	o.RunArea += float64(len(p.running)) * t
	o.TokenArea += resident * t
	o.SystemArea += float64(len(p.waiting)+len(p.running)) * t
	p.spread(c)
}

// spread books the use of a step evenly over the windows it crosses.
func (p *plain) spread(c *perf.Cost) {
	t := c.Total.Value
	for w := int(p.now / Window); ; w++ {
		from, to := max(p.now, float64(w)*Window), min(p.now+t, float64(w+1)*Window)
		if from >= p.now+t {
			return
		}
		if p.windows[w] == nil {
			p.windows[w] = new([NumTracked]float64)
		}
		for i, l := range lines(c) {
			p.windows[w][i] += l.Value * max(to-from, 0) / t
		}
	}
}
