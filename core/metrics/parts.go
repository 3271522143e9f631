package metrics

import "math"

// parts are the means over requests of the parts of TTFT and TPOT, in seconds;
// those of TPOT over the requests of two tokens or more.
type parts struct {
	host, queue, blocked, prefill, adapter, closed, alone float64
	rest                                                  struct{ host, prefill, own, adapter, batch, alone float64 }
	several                                               float64 // requests of two tokens or more
}

// add adds the parts of a request.
func (p *parts) add(q *Request, r *Run) {
	p.host += q.Host
	p.queue += q.Queue
	p.blocked += q.Blocked
	p.prefill += q.Prefill
	p.adapter += q.Adapter
	p.alone += q.AloneFirst
	p.addClosed(q, r)
	if q.Output < 2 {
		return
	}
	f := 1 / float64(q.Output-1)
	p.rest.host += q.HostRest * f
	p.rest.prefill += q.PrefillRest * f
	p.rest.own += q.OwnRest * f
	p.rest.adapter += q.AdapterRest * f
	p.rest.batch += q.Batch() * f
	p.rest.alone += q.AloneRest * f
}

// addClosed adds the closed form of a request.
func (p *parts) addClosed(q *Request, r *Run) {
	p.closed += max(r.ClosedToken*float64(q.Prompt), r.ClosedWeights)
	if q.Output > 1 {
		p.several++
	}
}

// mean turns the sums over n requests to means.
func (p *parts) mean(n float64) {
	for _, v := range [...]*float64{&p.host, &p.queue, &p.blocked, &p.prefill, &p.adapter, &p.closed, &p.alone} {
		*v = ratio(*v, n)
	}
	for _, v := range [...]*float64{&p.rest.host, &p.rest.prefill, &p.rest.own, &p.rest.adapter, &p.rest.batch, &p.rest.alone} {
		*v = ratio(*v, p.several)
	}
}

func part(name, definition string, of func(*parts) float64) Column {
	return Column{name + "_mean_ms", "ms", "lower", definition, func(r *Run) float64 { return 1e3 * of(&r.parts) }}
}

// partColumns say where TTFT and TPOT go, and what they would be without
// others. The parts add up:
//
//	ttft_mean - ttft_closed = host + queue + blocked + prefill_excess + adapter
//	tpot_mean - tpot_closed = host + prefill + batch + own_excess + adapter
var partColumns = []Column{
	part("ttft_host", "mean part of TTFT: front end, client, and the host's share of the prompt's steps (kernel launches and sampling included)", func(p *parts) float64 { return p.host }),
	part("ttft_queue", "mean part of TTFT: waiting for the front end or admission", func(p *parts) float64 { return p.queue }),
	part("ttft_blocked", "mean part of TTFT: others' work in the prompt's steps", func(p *parts) float64 { return p.blocked }),
	part("ttft_prefill", "mean part of TTFT: the prompt itself, as if alone in its steps", func(p *parts) float64 { return p.prefill }),
	part("ttft_adapter", "mean part of TTFT: adapter latency of the prompt's steps", func(p *parts) float64 { return p.adapter }),
	part("ttft_closed", "textbook TTFT, mean over requests: max(2 N P / C, W / B) at the efficiencies reached; of routed experts those a token uses", func(p *parts) float64 { return p.closed }),
	part("ttft_alone", "mean TTFT of the requests if each were alone on the empty machine", func(p *parts) float64 { return p.alone }),
	part("ttft_prefill_excess", "ttft_prefill_mean_ms - ttft_closed_mean_ms: TTFT less the closed form is host + queue + blocked + prefill_excess + adapter", func(p *parts) float64 { return p.prefill - p.closed }),
	{"tpot_closed_mean_ms", "ms", "lower", "textbook time per output token: W / B at the efficiency reached; of routed experts those a token uses", func(r *Run) float64 { return 1e3 * r.closedStep() }},
	part("tpot_alone", "mean TPOT of the requests if each were alone on the machine", func(p *parts) float64 { return p.rest.alone }),
	part("tpot_host", "mean part of TPOT: the host's part of all steps (kernel launches and sampling included)", func(p *parts) float64 { return p.rest.host }),
	part("tpot_prefill", "mean part of TPOT: prompts in the same steps, moves of KV, and steps without decodes", func(p *parts) float64 { return p.rest.prefill }),
	part("tpot_batch", "mean part of TPOT: other sequences' share of decode steps, padding, waiting after a preemption", func(p *parts) float64 { return p.rest.batch }),
	part("tpot_own", "mean part of TPOT: the request's own decode steps, as if alone on the hardware as it then was (derated or not)", func(p *parts) float64 { return p.rest.own }),
	part("tpot_adapter", "mean part of TPOT: adapter latency of all steps", func(p *parts) float64 { return p.rest.adapter }),
	{"tpot_own_excess_mean_ms", "ms", "lower", "tpot_own_mean_ms - tpot_closed_mean_ms: TPOT less the closed form is host + prefill + batch + own_excess + adapter", func(r *Run) float64 { return 1e3 * (r.parts.rest.own - r.closedStep()) }},
}

// closedStep returns the textbook time per output token, NaN when no request
// has two tokens.
func (r *Run) closedStep() float64 {
	if r.parts.several == 0 {
		return math.NaN()
	}
	return r.ClosedWeights
}
