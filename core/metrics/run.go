package metrics

import (
	"math"
	"slices"
	"strings"
)

// Run is everything a finished simulation left, in seconds, tokens and bytes.
// Its zero value with Requests set is usable; its memory is reused by the next
// Summarise.
type Run struct {
	Requests []Request // in order of arrival, all of them
	Warmup   int       // first requests left out of statistics
	Gaps     []Gap
	Limits   []Limit
	Chips    int // of all replicas
	Replicas int // engines that share the requests; 0 = 1
	Classes  int // classes of requests that SummariseClass is asked for; 0 = none

	Stages    [len(StageNames)]float64
	Resources [len(ResourceNames)]float64
	Busy      [len(ResourceNames)]float64 // seconds at datasheet rate
	Peaks     [5]float64                  // utilisation in the busiest 100 ms: compute, weight memory, KV memory, link, weight and KV memory together
	Separate  bool                        // weights and KV have memories of their own
	KVBytes   float64
	KVOnChip  float64
	FLOPs     float64
	Bytes     float64

	End         float64
	Active      float64
	RunArea     float64
	TokenArea   float64
	SystemArea  float64
	PoolTokens  float64
	PeakRatio   float64
	Steps       int64
	Preemptions int64
	Computed    int64 // prompt tokens
	Padded      int64 // tokens computed for padding
	Hit         int64 // prompt tokens found in the prefix cache
	Lost        int64 // computed tokens thrown away by preemption

	ClosedToken   float64 // textbook closed form: s per prompt token of compute,
	ClosedWeights float64 // and s to read the weights once

	IdleWatts, JoulePerFLOP, JoulePerByte, USDPerHour float64 // per chip; 0 = not stated

	ttft, tpot, itl, e2e distribution
	sample               sample
	gaps                 gapSelector
	goodCount            float64
	parts                parts
	classes              []Run   // requests of each class
	partial              bool    // only what classes have is computed
	prompt, output       float64 // tokens of the counted requests
	allOutput            float64 // output tokens of all requests
}

// Limit is a bound on a metric; latency limits also judge single requests.
// NaN = no bound.
type Limit struct {
	Metric   string
	Max, Min float64
}

// distribution holds the statistics of one family, in seconds.
type distribution struct{ stats [8]float64 }

// Summarise computes every column into dst, which is grown as needed.
func (r *Run) Summarise(dst Summary) Summary {
	r.measure()
	dst = slices.Grow(dst[:0], len(Columns()))
	for _, c := range Columns() {
		v := c.value(r)
		if math.IsInf(v, 0) {
			v = math.NaN()
		}
		dst = append(dst, v)
	}
	return dst
}

// measure fills the distributions and counts the good requests.
func (r *Run) measure() {
	counted := r.counted()
	r.open()
	r.sample.reset()
	r.parts, r.prompt, r.output = parts{}, 0, 0
	for i := range counted {
		q := &counted[i]
		r.prompt += float64(q.Prompt)
		r.output += float64(q.Output)
		r.sample.add(q)
		r.parts.add(q, r)
		if c := int(q.Class); c < r.Classes {
			r.classes[c].sample.add(q)
			r.classes[c].parts.addClosed(q, r)
		}
	}
	r.distribute()
	r.allOutput = r.output
	for i := range r.Requests[:len(r.Requests)-len(counted)] {
		r.allOutput += float64(r.Requests[i].Output)
	}
	r.itl.ofGaps(&r.gaps, r.Gaps, families[2].stats)
	r.goodCount = 0
	limits := r.requestLimits()
	if len(limits) == 0 {
		r.goodCount = math.NaN()
		return
	}
	for i := range counted {
		if meets(&counted[i], limits) {
			r.goodCount++
		}
	}
}

// requestLimit is a limit on one request's latency in seconds.
type requestLimit struct {
	base string
	of   func(*Request) (float64, bool)
	max  float64
}

// requestLimits returns what one request must meet: of the limits on a
// latency's statistics, the one on the highest, since a limit on the median is
// not one on every request. Inter-token latencies do not belong to a request.
func (r *Run) requestLimits() []requestLimit {
	of := map[string]func(*Request) (float64, bool){
		"ttft": func(q *Request) (float64, bool) { return q.TTFT(), true },
		"tpot": (*Request).TPOT,
		"e2e":  func(q *Request) (float64, bool) { return q.E2E(), true },
	}
	order := []string{"mean_ms", "p50_ms", "p90_ms", "p95_ms", "p99_ms", "max_ms"}
	var out []requestLimit
	for _, base := range []string{"ttft", "tpot", "e2e"} {
		highest := -1
		for _, l := range r.Limits {
			name, stat, _ := strings.Cut(l.Metric, "_")
			if rank := slices.Index(order, stat); name == base && rank > highest && !math.IsNaN(l.Max) {
				highest = rank
				out = append(slices.DeleteFunc(out, func(o requestLimit) bool { return o.base == base }), requestLimit{base, of[base], l.Max / 1e3})
			}
		}
	}
	return out
}

func meets(q *Request, limits []requestLimit) bool {
	for _, l := range limits {
		if v, ok := l.of(q); ok && v > l.max {
			return false
		}
	}
	return true
}

// counted returns the requests after warm-up.
func (r *Run) counted() []Request { return r.Requests[min(r.Warmup, len(r.Requests)):] }

func (r *Run) good() float64 { return r.goodCount }

// duration returns the time from the first counted arrival to the last token.
func (r *Run) duration() float64 {
	if len(r.counted()) == 0 {
		return math.NaN()
	}
	return r.End - r.counted()[0].Arrival
}

// span returns the time from the first arrival to the last token, the time
// the integrals run over.
func (r *Run) span() float64 {
	if len(r.Requests) == 0 {
		return math.NaN()
	}
	return r.End - r.Requests[0].Arrival
}

// shared returns v where weights and KV share one memory, else NaN.
func (r *Run) shared(v float64) float64 {
	if r.Separate {
		return math.NaN()
	}
	return v
}

// replicaSpan returns span times the replicas, the time they could have used.
func (r *Run) replicaSpan() float64 { return r.span() * float64(max(r.Replicas, 1)) }

func (r *Run) perSecond(n float64) float64 { return ratio(n, r.duration()) }

// computed returns all tokens computed; each output token but the first costs
// one.
func (r *Run) computed() float64 {
	return float64(r.Padded+r.Computed) + r.allOutput - float64(len(r.Requests))
}

// energy returns joules per output token over all requests.
func (r *Run) energy() float64 {
	if r.IdleWatts == 0 && r.JoulePerFLOP == 0 && r.JoulePerByte == 0 {
		return math.NaN()
	}
	return (r.IdleWatts*float64(r.Chips)*r.span() + r.JoulePerFLOP*r.FLOPs + r.JoulePerByte*r.Bytes) / r.allOutput
}

// cost returns USD per million output tokens over all requests.
func (r *Run) cost() float64 {
	if r.USDPerHour == 0 {
		return math.NaN()
	}
	return r.USDPerHour * float64(r.Chips) * r.span() / 3600 / r.allOutput * 1e6
}
