package engine

import "scoville/core/workload"

// intake hands requests to the engine's queue in order of arrival: from a
// list, or in a closed loop when an earlier one has been answered. A serial
// front end may stand before the queue.
type intake struct {
	reqs     []workload.Request
	next     int // number of the next request
	closed   bool
	releases []float64 // closed loop: times of the next requests, in order
	head     int
	frontend float64
	ingress  float64 // s between arrival and the queue or front end
	outside  bool    // the clock of a request starts after its ingress
	free     float64 // when the front end is next free
}

func (in *intake) reset(cfg *Config, reqs []workload.Request) {
	*in = intake{reqs: reqs, closed: cfg.Closed, releases: in.releases[:0], frontend: cfg.Frontend, ingress: cfg.Ingress, outside: cfg.IngressFree}
	if cfg.Closed {
		for range min(cfg.Concurrency, len(reqs)) {
			in.releases = append(in.releases, 0)
		}
	}
}

// peek returns arrival and entry into the queue of the next request, and
// whether there is one.
func (in *intake) peek() (arrival, entry float64, ok bool) {
	switch {
	case in.next == len(in.reqs):
		return 0, 0, false
	case !in.closed:
		arrival = in.reqs[in.next].Arrival
	case in.head == len(in.releases):
		return 0, 0, false
	default:
		arrival = in.releases[in.head]
	}
	entry = arrival + in.ingress
	if in.outside {
		arrival = entry
	}
	if in.frontend == 0 {
		return arrival, entry, true
	}
	return arrival, max(entry, in.free) + in.frontend*float64(in.reqs[in.next].Prompt), true
}

// front returns the seconds that a prompt of n tokens spends between the start
// of its clock and the queue when it need not wait.
func (c *Config) front(n int32) float64 {
	f := c.Frontend * float64(n)
	if !c.IngressFree {
		f += c.Ingress
	}
	return f
}

// client returns what the client of request id adds to its first and last
// token, and takes before its next one: Client (1 + Spread (x - 1)), x
// exponential with mean 1.
func (c *Config) client(id int32) float64 {
	if c.Spread == 0 {
		return c.Client
	}
	return c.Client * (1 + c.Spread*(workload.Exponential(c.SpreadNoise.Uniform(int(id)))-1))
}

// take consumes the request that peek showed and returns its number.
func (in *intake) take(entry float64) int {
	in.free = entry
	id := in.next
	in.next++
	if in.closed {
		in.head++
	}
	return id
}

// answered releases the next request of a closed loop at time t. Times that are
// earlier than those before, of other replicas or of clients whose overhead
// varies, are put in order.
func (in *intake) answered(t float64) {
	if !in.closed {
		return
	}
	in.releases = append(in.releases, t)
	for i := len(in.releases) - 1; i > in.head && in.releases[i-1] > t; i-- {
		in.releases[i], in.releases[i-1] = in.releases[i-1], t
	}
}
