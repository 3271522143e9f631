package engine

import (
	"math"

	"scoville/core/internal/bulk"
	"scoville/core/internal/event"
	"scoville/core/internal/kv"
	"scoville/core/metrics"
	"scoville/core/perf"
	"scoville/core/workload"
)

const none = int32(-1)

// seq is a request on the machine. Its slot in Engine.seqs is reused after it
// leaves.
type seq struct {
	id     int32
	output int32 // tokens to emit
	done   int32 // tokens emitted
	target int32 // tokens to compute before the next one is emitted
	held   int32 // tokens whose KV is held; for decodes at step `since`
	blocks int32 // blocks held; for decodes at step `since`
	shared int32 // prefix blocks held, which others may hold too
	prev   int32 // older neighbour in the running list
	next   int32 // newer neighbour
	stamp  uint32
	since  int64 // decode step at which held and blocks counted
	decode bool
	last   float64 // time of the last emission
}

// Engine runs simulations one after the other and keeps its memory between
// them. It is for one goroutine.
type Engine struct {
	cfg  Config
	m    *perf.Machine // that steps run on now
	base *perf.Machine // the undisturbed one
	reqs []workload.Request
	out  *Output

	now     float64
	seen    float64 // Ahead: when the last step began
	in      intake
	cluster *Cluster // set on a replica of several: where requests come from
	replica int32
	waiting queue
	line    []int32 // batches: requests waiting, oldest first
	pool    kv.Pool
	cache   kv.Prefixes

	seqs           []seq
	vacant         []int32
	resume         []int32 // per request: tokens already emitted before a preemption
	parked         []int32 // per request: tokens whose KV is in host memory
	restored       []int32 // sequences whose KV comes back in this step
	swapped        int     // tokens that move to host memory or back in this step
	oldest, newest int32   // running list, in order of admission
	running        int
	partial        int32 // running sequence whose prompt is not complete, none if none
	inSystem       int
	completed      int

	step    int64 // decode steps taken
	ends    event.Heap
	fills   event.Heap // sliding window: step at which a decode's window is full
	stamps  uint32
	decodes int
	counted int // decodes past the warm-up
	ctx     float64
	ctxWin  float64
	growing int
	chunks  []chunk
	evicted bool // a sequence was preempted in this step
	needed  int  // blocks that the decodes of this step take
	batch   perf.Batch
	cost    perf.Cost
	solo    perf.Cost
	soloB   perf.Batch
	pure    perf.Cost // the decodes of a mixed step without its prompts
	lone    [1 << loneBits]lone
	answers []perf.Alone // by e.phase: what a request alone takes on the undisturbed machine, then on that of each phase
	owned   []int32      // with phases, per request: tokens whose step is in OwnRest or was a prompt's
	members []int32      // batches: those in service
	emitted int32        // batches: tokens that each of them has emitted, while its answer lasts
	phase   int          // of cfg.Phases, the next one
	alike   stretch      // the last such steps
	changes int64        // of the set of decodes, and of windows that are full
	mixed   float64      // s that prompts and moves of KV took from decodes
	idle    int
	peaks   peaks
	mark    *work // Saturate: what was done when the machine was full

	stalls     []stall // decodes that wait while prompts run, by their last emission
	lastDecode float64 // end of the last step with decodes
}

// stall is decodes past the warm-up that emitted last at one time and wait for
// prompts since.
type stall struct {
	last  float64
	count int32
}

// chunk is a piece of a prompt in one step.
type chunk struct {
	slot, tokens int32
}

func (e *Engine) reset(m *perf.Machine, cfg Config, reqs []workload.Request, out *Output) {
	e.base, e.phase = m, 0
	e.cfg, e.m, e.reqs, e.out, e.cluster, e.replica = cfg, m, reqs, out, nil, 0
	e.now, e.step, e.running, e.inSystem, e.decodes, e.counted, e.growing, e.idle = 0, 0, 0, 0, 0, 0, 0, 0
	e.completed, e.mark, e.seen = 0, nil, 0
	e.ctx, e.ctxWin = 0, 0
	e.in.reset(&cfg, reqs)
	e.waiting.reset(cfg.Order != FCFS)
	e.stalls, e.lastDecode = e.stalls[:0], 0
	e.pool.Reset(cfg.Blocks, cfg.BlockSize)
	e.cache.Reset(cfg.Prefixes, cfg.PrefixBlock/cfg.BlockSize)
	e.seqs, e.vacant, e.chunks = e.seqs[:0], e.vacant[:0], e.chunks[:0]
	e.oldest, e.newest, e.partial = none, none, none
	e.peaks.reset()
	e.alike, e.changes = stretch{}, 1
	e.lone, e.mixed = [1 << loneBits]lone{}, 0
	e.resetOwn()
	e.ends.Reset()
	e.fills.Reset()
	e.resume = bulk.Zeroed(e.resume, len(reqs))
	e.restored, e.swapped = e.restored[:0], 0
	if cfg.Swap {
		e.parked = bulk.Zeroed(e.parked, len(reqs))
	}
	*out = Output{Requests: bulk.Zeroed(out.Requests, len(reqs)), Gaps: out.Gaps[:0]}
}

// grow returns s with length n, reusing its memory.
func grow[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n)
	}
	return s[:n]
}

// enlist puts request id at the end of the running list and returns its slot.
func (e *Engine) enlist(id int32) int32 {
	var slot int32
	if n := len(e.vacant); n > 0 {
		slot = e.vacant[n-1]
		e.vacant = e.vacant[:n-1]
	} else {
		slot = int32(len(e.seqs))
		e.seqs = append(e.seqs, seq{})
	}
	r := &e.reqs[id]
	done := e.resume[id]
	e.seqs[slot] = seq{
		id: id, output: r.Output, done: done, target: r.Prompt + done,
		prev: e.newest, next: none, last: e.out.Requests[id].Finish,
	}
	if e.newest == none {
		e.oldest = slot
	} else {
		e.seqs[e.newest].next = slot
	}
	e.newest = slot
	e.running++
	return slot
}

// delist takes a slot off the running list.
func (e *Engine) delist(slot int32) {
	s := &e.seqs[slot]
	if s.prev == none {
		e.oldest = s.next
	} else {
		e.seqs[s.prev].next = s.next
	}
	if s.next == none {
		e.newest = s.prev
	} else {
		e.seqs[s.next].prev = s.prev
	}
	e.running--
	e.vacant = append(e.vacant, slot)
}

// startDecode makes a sequence one of the decodes: it holds its target tokens
// and emits one more with every step from now on.
func (e *Engine) startDecode(slot int32) {
	s := &e.seqs[slot]
	s.decode, s.since, s.last = true, e.step, e.now
	e.changes++
	e.stamps++
	s.stamp = e.stamps
	e.decodes++
	if int(s.id) >= e.cfg.Warmup {
		e.counted++
	}
	ctx := int(s.held) + 1
	e.ctx += float64(ctx)
	if w := e.m.Window(); w > 0 {
		e.ctxWin += float64(min(ctx, w))
		if ctx < w {
			e.growing++
			e.fills.Push(event.Item{At: e.step + int64(w-ctx), Seq: s.stamp, Value: slot})
		}
	}
	e.pool.Join(int(s.held), e.step)
	e.ends.Push(event.Item{At: e.step + int64(s.output-s.done), Seq: s.stamp, Value: slot})
}

// stopDecode takes a sequence from the decodes and brings its counts up to the
// present step.
func (e *Engine) stopDecode(slot int32) {
	s := &e.seqs[slot]
	e.changes++
	n := int32(e.step - s.since)
	s.held += n
	s.done += n
	s.decode, s.stamp = false, 0
	e.decodes--
	if int(s.id) >= e.cfg.Warmup {
		e.counted--
	}
	ctx := int(s.held) + 1
	e.ctx -= float64(ctx)
	if w := e.m.Window(); w > 0 {
		e.ctxWin -= float64(min(ctx, w))
		if ctx < w {
			e.growing--
		}
	}
	e.pool.Leave(int(s.held), e.step)
	s.blocks = int32(e.pool.Blocks(int(s.held)))
}

// victim returns the running sequence to preempt: the newest, or under
// Priority the one that would be admitted last.
func (e *Engine) victim() int32 {
	if e.cfg.Order != Priority {
		return e.newest
	}
	worst := e.oldest
	for slot := e.seqs[worst].next; slot != none; slot = e.seqs[slot].next {
		a, b := e.seqs[slot].id, e.seqs[worst].id
		if ka, kb := e.key(a), e.key(b); ka > kb || ka == kb && a > b {
			worst = slot
		}
	}
	return worst
}

// key returns what the waiting queue sorts request id by.
func (e *Engine) key(id int32) int64 { return e.cfg.key(&e.reqs[id]) }

func (c *Config) key(r *workload.Request) int64 {
	switch c.Order {
	case Shortest:
		return int64(r.Prompt) + int64(r.Output)
	case Priority:
		if int(r.Class) < len(c.Priorities) { // a trace has no classes
			return int64(c.Priorities[r.Class])
		}
	}
	return 0
}

// preempt sends a running sequence back to the front of its equals in the
// queue.
func (e *Engine) preempt(slot int32) {
	s := &e.seqs[slot]
	if s.decode {
		e.stopDecode(slot)
		last := s.last
		if e.step > s.since {
			last = e.lastDecode
		}
		e.out.Requests[s.id].Finish = last // where its next inter-token latency begins
		e.unstall(s.id, last)
		e.own(s.id, s.done)
	}
	if e.cfg.Swap {
		e.parked[s.id] = s.held
		e.swapped += int(s.held)
	} else {
		e.out.Lost += int64(s.held) - int64(s.shared)*int64(e.cfg.PrefixBlock)
	}
	e.release(s)
	if e.partial == slot {
		e.partial = none
	}
	e.resume[s.id] = s.done
	r := &e.out.Requests[s.id]
	r.Preemptions++
	r.Entered = e.now
	e.out.Preemptions++
	e.trace(Preempt, s.id, int(s.held))
	e.evicted = true
	e.waiting.push(s.id, e.key(s.id), true)
	e.delist(slot)
}

// release gives a sequence's blocks back; prefix blocks stay cached while there
// is room.
func (e *Engine) release(s *seq) {
	e.pool.Release(int(s.blocks) - int(s.shared)*e.prefixBlocks())
	if s.shared > 0 {
		e.pool.Release(e.cache.Drop(e.reqs[s.id].Prefix[:s.shared]))
	}
}

// prefixBlocks returns the pool blocks of a prefix block.
func (e *Engine) prefixBlocks() int { return e.cfg.PrefixBlock / e.cfg.BlockSize }

// hits returns how many prefix blocks of a waiting request are cached, at least
// one token being left to compute, and how many free pool blocks holding them
// takes.
func (e *Engine) hits(id int32, tokens int) (n, take int) {
	if e.cfg.Prefixes == 0 {
		return 0, 0
	}
	chain := e.reqs[id].Prefix
	return e.cache.Hits(chain[:min(len(chain), (tokens-1)/e.cfg.PrefixBlock)])
}

// trace tells the observer, if there is one.
func (e *Engine) trace(kind EventKind, id int32, n int) {
	if e.cfg.Trace != nil {
		e.cfg.Trace(Event{At: e.now, Kind: kind, ID: id, N: n, Replica: e.replica})
	}
}

// finish ends a sequence that has emitted all its tokens.
func (e *Engine) finish(slot int32) {
	s := &e.seqs[slot]
	if s.decode {
		e.stopDecode(slot)
	}
	e.release(s)
	r := &e.out.Requests[s.id]
	e.last(s.id)
	e.inSystem--
	e.completed++
	e.answered(r.Finish + e.cfg.Think)
	e.trace(Finish, s.id, int(s.output))
	e.delist(slot)
}

// simultaneous is the time below which an arrival and the end of a step count
// as one moment, in seconds: far below any step, far above the rounding of sums
// of steps, so that ties are decided alike however the clock got there.
const simultaneous = 1e-9

// due reports whether something at time t has happened by now, or strictly
// before now.
func due(t, now float64, atNow bool) bool {
	if atNow {
		return t <= now+simultaneous
	}
	return t < now-simultaneous
}

// take moves the requests that have entered the queue before now, or by now
// if atNow; of an engine that schedules ahead, before the step that has ended
// began: the next one was formed then. Those that came during a step are taken before its sequences end,
// so that Waiting counts what was there when they came.
func (e *Engine) take(atNow bool) {
	if e.cluster != nil { // which routes the requests
		return
	}
	seen := e.now
	if e.cfg.Ahead {
		seen = e.seen
	}
	for {
		arrival, entry, ok := e.in.peek()
		if !ok || !due(entry, seen, atNow) {
			return
		}
		e.accept(e.in.take(entry), arrival, entry)
	}
}

// upcoming returns when the next request may enter the queue, and whether one
// will.
func (e *Engine) upcoming() (entry float64, ok bool) {
	if e.cluster != nil {
		return e.cluster.bound, e.cluster.bound < math.Inf(1)
	}
	_, entry, ok = e.in.peek()
	return entry, ok
}

// answered tells the source of a closed loop that a request was answered at t.
func (e *Engine) answered(t float64) {
	if e.cluster != nil {
		e.cluster.in.answered(t)
		return
	}
	e.in.answered(t)
}

// accept puts request id in the queue, which it entered at `entry`.
func (e *Engine) accept(id int, arrival, entry float64) {
	arrival, entry = min(arrival, e.now), min(entry, e.now)
	q := &e.reqs[id]
	e.out.Requests[id] = metrics.Request{
		Class: q.Class, Prompt: q.Prompt, Output: q.Output, Waiting: int32(e.inSystem - e.running), Replica: e.replica,
		Arrival: arrival, Entered: entry,
		Host:  e.cfg.client(int32(id)) + e.cfg.front(q.Prompt),
		Queue: entry - arrival - e.cfg.front(q.Prompt),
	}
	e.inSystem++
	e.out.SystemArea += e.now - arrival
	e.waiting.push(int32(id), e.cfg.key(q), false)
	if e.cfg.Trace != nil {
		e.cfg.Trace(Event{At: entry, Kind: Arrive, ID: int32(id), N: int(q.Prompt), Replica: e.replica})
	}
}
