package metrics

// Request is what happened to one request. Times are in seconds from the start
// of the run.
type Request struct {
	Class       int32
	Replica     int32 // which replica served it
	Prompt      int32 // tokens
	Output      int32 // tokens
	Preemptions int32
	PrefixHit   int32 // prompt tokens found in the prefix cache when it first ran
	Waiting     int32 // requests queued, not running, when it arrived

	Arrival   float64 // at the front door
	Entered   float64 // last time it entered the engine's queue
	Scheduled float64 // first time it ran
	First     float64 // first token, as the clock of the measurement sees it
	Finish    float64 // last token, likewise

	// Parts of TTFT: First - Arrival = Host + Queue + Blocked + Prefill + Adapter.
	Host    float64 // front end, client, and the host's part of its prompt steps
	Queue   float64 // waiting for the front end or for admission
	Blocked float64 // others' work in the same steps
	Prefill float64 // its own prompt, as if alone in each step
	Adapter float64 // adapter latency in its prompt steps

	AloneFirst float64 // its TTFT alone on the empty machine
	AloneRest  float64 // first to last token alone on the machine

	// Parts of first to last token: Finish - First = the four and Batch.
	OwnRest     float64 // its decode steps as if alone on the machine of the time, without host and adapter
	HostRest    float64 // the host's part of all steps
	AdapterRest float64 // adapter latency of all steps
	PrefillRest float64 // what prompts and moves of KV added to steps with decodes, and steps without any
}

// Batch returns the time between first and last token that is no other part:
// other sequences' share of decode steps, padding, waiting after a preemption.
func (r *Request) Batch() float64 {
	return r.Finish - r.First - r.OwnRest - r.HostRest - r.AdapterRest - r.PrefillRest
}

// TTFT returns the time to first token in seconds.
func (r *Request) TTFT() float64 { return r.First - r.Arrival }

// E2E returns the time from arrival to last token in seconds.
func (r *Request) E2E() float64 { return r.Finish - r.Arrival }

// TPOT returns the time per output token after the first in seconds, and
// false for a single token.
func (r *Request) TPOT() (float64, bool) {
	if r.Output < 2 {
		return 0, false
	}
	return (r.Finish - r.First) / float64(r.Output-1), true
}

// Gap is a run of inter-token latencies: Steps latencies Start, Start + Slope,
// Start + 2 Slope ..., each seen by Weight sequences. Slope is not negative.
type Gap struct {
	Start, Slope float64 // s
	Steps        int32
	Weight       int32
}
