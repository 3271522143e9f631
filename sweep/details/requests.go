package details

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"scoville/core"
	"scoville/core/metrics"
	"scoville/core/scenario"
	"scoville/core/workload"
	"scoville/sweep/results/details"
)

// levels are the quantiles of a latency: every percent.
const levels = 101

// seen is what is kept of the requests of a run.
type seen struct {
	latencies []details.Quantiles
	requests  []details.Request // chosen, by number
}

// look chooses requests of a run and makes quantiles of their latencies.
func look(sc *scenario.Scenario, all []metrics.Request) (s seen) {
	warm := min(sc.Measurement.Warmup, len(all))
	ttft, tpot := make([]timed, 0, len(all)), make([]timed, 0, len(all))
	e2e := make([]float64, 0, len(all))
	for i := warm; i < len(all); i++ {
		q := &all[i]
		ttft = append(ttft, timed{q.TTFT(), i})
		e2e = append(e2e, q.E2E())
		if v, ok := q.TPOT(); ok {
			tpot = append(tpot, timed{v, i})
		}
	}
	slices.SortFunc(ttft, byTime)
	slices.SortFunc(tpot, byTime)
	slices.Sort(e2e)
	s.latencies = appendQuantiles(s.latencies, "ttft", seconds(ttft))
	s.latencies = appendQuantiles(s.latencies, "tpot", seconds(tpot))
	s.latencies = appendQuantiles(s.latencies, "e2e", e2e)

	add := func(i int, why string) {
		for k := range s.requests {
			if s.requests[k].Number == i {
				s.requests[k].Chosen = append(s.requests[k].Chosen, why)
				return
			}
		}
		s.requests = append(s.requests, request(sc, &all[i], i, why))
	}
	if n := len(ttft); n > 0 {
		for _, p := range []int{50, 90, 99} {
			add(ttft[(p*n+99)/100-1].id, fmt.Sprintf("P%d of TTFT", p))
		}
		add(ttft[n-1].id, "worst TTFT")
	}
	if n := len(tpot); n > 0 {
		add(tpot[n-1].id, "worst TPOT")
	}
	slices.SortFunc(s.requests, func(a, b details.Request) int { return cmp.Compare(a.Number, b.Number) })
	return s
}

// timed is a latency of a request, s.
type timed struct {
	s  float64
	id int
}

func byTime(a, b timed) int { return cmp.Or(cmp.Compare(a.s, b.s), cmp.Compare(a.id, b.id)) }

func seconds(all []timed) []float64 {
	out := make([]float64, len(all))
	for i, t := range all {
		out[i] = t.s
	}
	return out
}

// appendQuantiles appends the quantiles of sorted seconds, by linear interpolation
// as those of the tables.
func appendQuantiles(out []details.Quantiles, name string, x []float64) []details.Quantiles {
	if len(x) == 0 {
		return out
	}
	q := details.Quantiles{Metric: name, Count: len(x), MS: make([]details.Number, levels)}
	for i := range q.MS {
		h := float64(i) / (levels - 1) * float64(len(x)-1)
		k := min(int(h), len(x)-1)
		v := x[k]
		if f := h - float64(k); f > 0 && k+1 < len(x) {
			v += f * (x[k+1] - v)
		}
		q.MS[i] = details.Number(1e3 * v)
	}
	return append(out, q)
}

// request is what the run knows of one request without its steps.
func request(sc *scenario.Scenario, q *metrics.Request, number int, why string) details.Request {
	out := details.Request{
		Number: number, Chosen: []string{why}, Prompt: int(q.Prompt), Output: int(q.Output), Cached: int(q.PrefixHit),
		Preemptions: int(q.Preemptions), Replica: int(q.Replica), Arrival: details.Number(q.Arrival),
		TTFT: details.Number(1e3 * q.TTFT()), TPOT: details.Number(math.NaN()), E2E: details.Number(1e3 * q.E2E()),
		Steps: []details.Step{},
	}
	if c := sc.Workload.Class; len(c) > 1 && int(q.Class) < len(c) && sc.Workload.Arrival != workload.Trace {
		out.Class = word(c[q.Class].Name)
	}
	out.Parts = parts([]core.Share{
		{Name: "ttft host", Seconds: q.Host},
		{Name: "ttft queue", Seconds: q.Queue},
		{Name: "ttft blocked", Seconds: q.Blocked},
		{Name: "ttft prefill", Seconds: q.Prefill},
		{Name: "ttft adapter", Seconds: q.Adapter},
	})
	if v, ok := q.TPOT(); ok {
		out.TPOT = details.Number(1e3 * v)
		out.Parts = append(out.Parts, parts([]core.Share{
			{Name: "decode own", Seconds: q.OwnRest},
			{Name: "decode batch", Seconds: q.Batch()},
			{Name: "decode prefill", Seconds: q.PrefillRest},
			{Name: "decode host", Seconds: q.HostRest},
			{Name: "decode adapter", Seconds: q.AdapterRest},
		})...)
	}
	return out
}

// parts are shares without those that only rounding left.
func parts(all []core.Share) []details.Part {
	whole := 0.0
	for _, s := range all {
		whole += max(s.Seconds, 0)
	}
	out := []details.Part{}
	for _, s := range all {
		if s.Seconds > 1e-12*whole {
			out = append(out, details.Part{Name: s.Name, Seconds: details.Number(s.Seconds)})
		}
	}
	return out
}
