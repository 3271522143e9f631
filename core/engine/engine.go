// Package engine is the simulated deployment: arrivals, admission, batches,
// the KV block pool and preemption, step after step, on one virtual clock. It
// asks core/perf how long a step takes and knows no physics itself.
//
// The scheduler is vLLM V1's: in each step the running sequences go first (all
// decodes, then the rest of a prompt that did not fit the step before), then
// waiting requests are admitted first come first served while the token
// budget, max_num_seqs and the block pool last. When a running sequence finds
// no block, the newest one is preempted, gives all blocks back and later
// recomputes prompt and output so far.
//
// What disturbs a server is simulated when it is asked for: a cold start, an
// allocator that waits at random, chips that are slower for a time. These act
// between steps, so that a step has one cost from beginning to end.
//
// There are two implementations of one behaviour. Run jumps: between two
// events a batch of decodes only grows, so the time of m steps is a sum of
// lines that perf hands out, and cost follows requests, not tokens. Plain takes
// every step by itself and is the oracle that Run is tested against.
package engine

import (
	"errors"
	"fmt"

	"scoville/core/metrics"
	"scoville/core/perf"
	"scoville/core/workload"
)

// Event is something that happens in a run.
type Event struct {
	At              float64 // s; Arrive: entry into the queue, told when the engine next looks; Steps: their end
	Kind            EventKind
	ID              int32 // request, -1 for steps
	N               int   // Admit: tokens of its first chunk; Steps: how many alike; Preempt: tokens held; Change: number of the phase
	Decodes, Prompt int   // Steps: decoding sequences and prompt tokens of each
	Replica         int32 // the engine that does it

	// Of Steps: the batch and the cost of the first, as lines over all; only
	// while the event is told.
	Batch *perf.Batch
	Cost  *perf.Cost
}

// EventKind says what happens.
type EventKind string

// The kinds of events.
const (
	Arrive  EventKind = "arrive"  // a request enters the queue
	Admit   EventKind = "admit"   // a request begins, or begins again
	Steps   EventKind = "steps"   // the engine took steps
	First   EventKind = "first"   // a request emits its first token
	Preempt EventKind = "preempt" // a running request goes back to the queue
	Finish  EventKind = "finish"  // a request is answered
	Change  EventKind = "change"  // the steps from now on run on another machine
)

// Order is the order in which waiting requests are admitted.
type Order int

// The orders.
const (
	FCFS     Order = iota // first come, first served
	Shortest              // fewest prompt + output tokens first, lengths known
	Priority              // lowest priority number first; the last of them is preempted first
)

// Config is what the scheduler needs, already resolved.
type Config struct {
	Order        Order
	Priorities   []int32 // by class, for Priority
	PrefillFirst bool    // steps are prompts alone while one can be admitted, else decodes alone (vLLM V0)

	Batching     Batching
	BatchWindow  float64 // s the oldest request waits for a batch (Dynamic, Bucketed)
	BucketTokens int     // width of a prompt length bucket (Bucketed)

	MaxSeqs   int  // most running sequences
	MaxTokens int  // token budget of a step
	Ahead     bool // a step is formed while the one before runs: of requests that had come when that began
	Reserve   bool // admission needs free blocks for the whole prompt
	Chunked   bool // prompts may be split over steps
	BlockSize int  // tokens per KV block
	Blocks    int  // blocks of the pool
	Watermark int  // blocks admission keeps free

	Draft  int             // draft tokens verified per decode step; 0 = no speculative decoding
	Accept float64         // probability of accepting one
	Drafts workload.Stream // decides for each request and position whether a draft is right

	Swap bool // preempted sequences move to host memory instead of being recomputed

	Prefixes    int // prefix blocks of all requests, numbered from 0; 0 = no prefix caching
	PrefixBlock int // tokens of a prefix block, a multiple of BlockSize

	Warmup int // first requests left out of Output.Gaps

	Spread      float64         // of Client between requests: standard deviation over mean, up to 1
	SpreadNoise workload.Stream // decides it by request

	Frontend float64 // s per prompt token of the serial front end
	Client   float64 // s added once to first and last token, mean over requests

	Ingress     float64 // s between a request's arrival at the server and the queue or front end, as many at a time as come
	IngressFree bool    // the clock of a request starts when its ingress is over

	Cold     float64         // s that the first step of each engine waits
	Jitter   float64         // s of further host time per step, mean
	JitterOn float64         // probability that a step has any
	Noise    workload.Stream // decides it by replica and step
	Phases   []Phase         // other machines that the steps run on in turn, by time

	Closed      bool    // closed loop: Concurrency in flight
	Concurrency int     //
	Think       float64 // s between an answer and the next request
	Saturate    bool    // stop when the queue is empty for the first time, and measure the rate
	Fill        int     // Saturate: first requests that fill the machine; the rate is measured from then on
	MeanPrompt  float64 // Saturate: tokens of the mean request
	MeanOutput  float64

	Replicas int     // Cluster: engines that share the requests
	Routing  Routing // Cluster

	Limit Limit // of runs that do not saturate

	Trace func(Event) // optional: sees what happens, in order; of Plain the steps one by one, without Arrive and Change
}

// Phase says from when on steps run on which machine. A step that has begun
// ends on the machine it began on.
type Phase struct {
	From    float64 // s, ascending
	Machine *perf.Machine
}

// Output is what a run leaves. Its slices are reused by the next run of the
// same engine.
type Output struct {
	Requests []metrics.Request // in order of arrival number
	Gaps     []metrics.Gap

	Stages    [perf.NumStages]float64    // exposed seconds
	Resources [perf.NumResources]float64 // exposed seconds
	Decoding  [perf.NumResources]float64 // of these, in steps with decodes and without prompts
	Busy      [perf.NumResources]float64 // seconds at datasheet rate
	KVBytes   float64                    // read by decodes
	KVOnChip  float64                    // of these, on chip
	FLOPs     float64
	Bytes     float64

	End         float64 // time of the last event, s
	Active      float64 // s with at least one running sequence
	Steps       int64   // engine steps
	Events      int64   // iterations of the simulation
	Computed    int64   // prompt tokens computed, recomputation included
	Padded      int64   // tokens computed for padding
	Hit         int64   // prompt tokens found in the prefix cache
	Lost        int64   // computed tokens thrown away by preemption
	Emitted     int64   // output tokens
	Preemptions int64
	RunArea     float64 // integral of running sequences, s
	TokenArea   float64 // integral of resident KV tokens, s
	SystemArea  float64 // integral of requests queued or running, s
	PeakBlocks  int
	Peaks       [NumTracked]float64 // largest utilisation in any window of Window seconds
	Fresh       int64               // prompt tokens computed or found in the cache, each once
	Own         float64             // device time of prompts as if alone, s
	Rate        float64             // Saturate: mean requests served per second; 0 if nothing was measured
}

// errStuck is a fault of the simulator, or of a scenario that Fits let through.
var errStuck = errors.New("no progress: the scheduler found nothing to do while requests wait")

// Fits returns nil if every request can be served at all: its tokens fit the
// block pool and, without chunked prefill, its prompt fits one step.
func (c *Config) Fits(reqs []workload.Request) error {
	if c.Prefixes > 0 && c.PrefixBlock%c.BlockSize != 0 {
		return fmt.Errorf("prefix blocks of %d tokens are not whole KV blocks of %d", c.PrefixBlock, c.BlockSize)
	}
	for i := range reqs {
		n := int(reqs[i].Prompt) + int(reqs[i].Output) - 1
		if need := (n + c.BlockSize - 1) / c.BlockSize; need > c.Blocks {
			return fmt.Errorf("cannot hold one request of the workload: %d prompt + %d output tokens need %d KV blocks of %d tokens, the pool has %d",
				reqs[i].Prompt, reqs[i].Output, need, c.BlockSize, c.Blocks)
		}
		if !c.Chunked && c.Batching == Iteration && n > c.MaxTokens {
			return fmt.Errorf("a request of %d prompt + %d output tokens exceeds max_num_batched_tokens = %d without chunked prefill",
				reqs[i].Prompt, reqs[i].Output, c.MaxTokens)
		}
	}
	return nil
}

// check verifies conservation after a run that served everything: every
// request finished once, tokens in are tokens out, all blocks came back, the
// parts of TTFT add up, no resource beats its datasheet, and the integral of
// requests in the system is the sum of their times in it.
func (o *Output) check(completed int, cfg *Config, leftBlocks int) error {
	var tokens int64
	var area float64
	for i := range o.Requests {
		r := &o.Requests[i]
		if parts := r.Host + r.Queue + r.Blocked + r.Prefill + r.Adapter; !close(parts, r.TTFT(), r.First) {
			return fmt.Errorf("conservation: request %d: parts of TTFT add up to %g s, TTFT is %g s", i, parts, r.TTFT())
		}
		tokens += int64(r.Output)
		area += r.E2E() - cfg.client(int32(i))
	}
	switch {
	case completed != len(o.Requests):
		return fmt.Errorf("conservation: %d requests, %d finished", len(o.Requests), completed)
	case tokens != o.Emitted:
		return fmt.Errorf("conservation: %d output tokens asked, %d emitted", tokens, o.Emitted)
	case leftBlocks != 0:
		return fmt.Errorf("conservation: %d KV blocks never came back", leftBlocks)
	case o.overused() != "":
		return fmt.Errorf("conservation: %s was used for longer than the engine ran", o.overused())
	case !close(area/1e3, o.SystemArea/1e3, float64(len(o.Requests))*o.End):
		return fmt.Errorf("conservation: time in system adds up to %g s, its integral is %g s", area, o.SystemArea)
	}
	return nil
}

// overused names a resource whose use at its datasheet rate exceeds the time in
// which anything ran, "" if none does: a run that beats the roofline.
func (o *Output) overused() string {
	for r, busy := range o.Busy {
		if busy > o.Active*(1+1e-9) {
			return perf.Resource(r).String()
		}
	}
	return ""
}

// close reports whether a and b agree to 1e-9 of the larger of them and scale.
func close(a, b, scale float64) bool {
	d := a - b
	return max(d, -d) <= 1e-9*max(max(a, -a), max(b, -b), scale, 1e-9)
}
