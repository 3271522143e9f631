package explain

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"scoville/core"
	"scoville/core/hardware"
	"scoville/core/metrics"
	"scoville/core/scenario"
	"scoville/sweep/plan"
	"scoville/sweep/statistic"
)

// Lever is a little more of one resource, and what it would buy.
type Lever struct {
	Name    string   `json:"name"`   // "weight bandwidth +10%"
	Paths   []string `json:"paths"`  // study keys that change
	Change  Num      `json:"change"` // relative change of the resource; absolute for overlap
	Effects []Effect `json:"effects"`

	absolute bool
	once     bool // changes the capacity at most: one pair tells it
}

// Effect is the relative change of a metric, paired by replicate, with its 95 %
// interval (unknown with one replicate). Elasticity is the logarithm of the
// metric's factor over that of the resource's: -1 halves the metric where the
// resource doubles; unknown for an absolute change.
type Effect struct {
	Metric     string `json:"metric"`
	Change     Num    `json:"change_ratio"`
	Lo         Num    `json:"ci_lo"`
	Hi         Num    `json:"ci_hi"`
	Elasticity Num    `json:"elasticity"`
	Zero       bool   `json:"includes_zero"`
}

// step is the relative change of a lever.
const step = 0.10

// capacityRPS is the metric of an open loop's capacity, which is measured once
// for all replicates.
const capacityRPS = "capacity_rps"

// pairedEvents bounds the simulator events of all paired runs together; fewer
// replicates are paired where the point's runs are longer, but not fewer than
// pairedLeast.
const (
	pairedEvents = 100_000_000
	pairedLeast  = 3
)

// notHost are times of the engine that are no overhead of the host: the drafting
// of another model, and a wait that the scheduler chooses.
var notHost = []string{"engine.draft_token_us", "engine.batch_window_ms"}

// catalogue lists the levers of a scenario: each changes numbers it has.
func catalogue(sc *scenario.Scenario) []Lever {
	more := func(name string, paths ...string) Lever {
		return Lever{Name: name + " +10%", Paths: paths, Change: step}
	}
	less := func(name string, paths ...string) Lever {
		return Lever{Name: name + " -10%", Paths: paths, Change: -step}
	}
	compute, host := []string{"hardware.adapter_peak_tflops"}, []string{}
	for _, f := range scenario.Fields() {
		switch {
		case strings.HasPrefix(f.Path, "hardware.peak_tflops."):
			compute = append(compute, f.Path)
		case strings.HasPrefix(f.Path, "engine.") && (f.Unit == "us" || f.Unit == "ms") && !slices.Contains(notHost, f.Path):
			host = append(host, f.Path)
		}
	}
	all := []Lever{more("compute", compute...)}
	if sc.Hardware.KVPath == hardware.Separate {
		all = append(all, more("weight bandwidth", "hardware.weight_bandwidth_gb_s"),
			more("state bandwidth", "hardware.state_bandwidth_gb_s"))
		if o := sc.Hardware.Overlap; o < 1 {
			by := min(step, 1-o)
			all = append(all, Lever{Name: fmt.Sprintf("overlap +%.3g", by), Paths: []string{"hardware.overlap"}, Change: Num(by), absolute: true})
		}
		all = append(all, more("adapter link", "hardware.adapter_link_gb_s"), less("adapter latency", "hardware.adapter_latency_us"))
	} else {
		all = append(all, more("memory bandwidth", "hardware.memory_bandwidth_gb_s"))
	}
	all = append(all, less("KV access latency", "hardware.kv_access_us"))
	if sc.Hardware.OnchipKVPolicy != hardware.None {
		all = append(all, more("on-chip capacity", "hardware.onchip_kv_mib"), more("on-chip bandwidth", "hardware.onchip_kv_gb_s"))
	}
	if sc.Engine.TP > 1 {
		all = append(all, more("link", "hardware.link_bandwidth_gb_s"), less("link latency", "hardware.link_latency_us"))
	}
	all = append(all, more("host link", "hardware.pcie_gb_s"), less("host overheads", host...))
	if sc.Engine.SpecTokens > 0 {
		all = append(all, less("drafting", "engine.draft_token_us"))
	}
	return all
}

// pull returns the scenario with a lever applied; false if it has none of the
// lever's numbers. Its error says which number has no room to move in its
// range.
func (l *Lever) pull(sc *scenario.Scenario) (*scenario.Scenario, bool, error) {
	out, moved := *sc, false
	for _, path := range l.Paths {
		v, err := sc.Get(path)
		x, ok := v.(float64)
		if err != nil || !ok || x == 0 && !l.absolute {
			continue
		}
		if l.absolute {
			x += float64(l.Change)
		} else {
			x *= 1 + float64(l.Change)
		}
		if err := out.Set(path, x); err != nil {
			return nil, false, err
		}
		moved = true
	}
	return &out, moved, nil
}

// levers runs the point with a little more of each resource. Every run is
// paired with one of the point as it is: the same requests at the same rate.
func (x *Explanation) levers(ctx context.Context, in Input, pt *plan.Point, runs []replay) error {
	base := pt.Resolved.Scenario
	if base.Workload.Load > 0 { // more of a resource would also raise the rate
		base.Workload.Load, base.Workload.RateRPS = 0, runs[0].RateRPS
	}
	x.Metrics = x.shown()
	var scenarios []*scenario.Scenario
	for _, l := range x.offered(&pt.Resolved.Scenario, runs) {
		changed, ok, err := l.pull(&base)
		if err != nil {
			x.Untried = append(x.Untried, fmt.Sprintf("%s: %v", l.Name, err))
		} else if ok {
			x.Levers, scenarios = append(x.Levers, l), append(scenarios, changed)
		}
	}
	full := !roomy(&base, runs)
	if full {
		scenarios = append(scenarios, ample(&base))
	}
	events := mean(runs, func(r *replay) float64 { return float64(r.Events) }) * float64(len(scenarios))
	x.Paired = min(len(runs), max(pairedLeast, int(pairedEvents/max(events, 1))))
	results, err := x.pairs(ctx, in, pt, scenarios)
	if err != nil {
		return err
	}
	if full {
		x.Room = x.waits(runs[:x.Paired], results[len(x.Levers)*x.Paired:])
	}
	t := statistic.Student{}
	for i := range x.Levers {
		l := &x.Levers[i]
		for _, name := range x.Metrics {
			l.Effects = append(l.Effects, l.effect(t, name, runs, results[i*x.Paired:(i+1)*x.Paired]))
		}
	}
	x.Levers = slices.DeleteFunc(x.Levers, func(l Lever) bool {
		nothing := l.once && !slices.ContainsFunc(l.Effects, func(e Effect) bool { return !e.Zero && e.Change.known() })
		if nothing {
			x.Idle = append(x.Idle, l.unused(runs))
		}
		return nothing
	})
	slices.SortStableFunc(x.Levers, func(a, b Lever) int { return -compareNum(a.weight(), b.weight()) })
	return nil
}

// offered are the levers of a point, less those that change nothing.
func (x *Explanation) offered(sc *scenario.Scenario, runs []replay) []Lever {
	all := catalogue(sc)
	pool, idle := poolLever(sc, runs, slices.Contains(x.Metrics, capacityRPS))
	if x.Idle = idle; pool != nil {
		all = append(all, *pool)
	}
	return all
}

// pairs runs the scenarios with the requests of each paired replicate, those of
// the first scenario before those of the second. What is tried once has no
// result, and no status, of the other replicates.
func (x *Explanation) pairs(ctx context.Context, in Input, pt *plan.Point, scenarios []*scenario.Scenario) ([]core.Result, error) {
	results := make([]core.Result, len(scenarios)*x.Paired)
	var items []int
	for i := range results {
		if k := i / x.Paired; i%x.Paired == 0 || k >= len(x.Levers) || !x.Levers[k].once {
			items = append(items, i)
		}
	}
	return results, simulations(ctx, in, items, func(ctx context.Context, sim *core.Simulator, i int) (err error) {
		o := in.Plan.Options(pt, i%x.Paired)
		results[i], err = sim.Run(ctx, scenarios[i/x.Paired], o)
		return err
	})
}

// shown are the metrics that tell something about a point: latencies of a
// growing queue do not, an open loop's throughput is its rate.
func (x *Explanation) shown() []string {
	switch x.Verdict {
	case Saturated:
		return []string{"output_tok_s", capacityRPS}
	case Bounded:
		return []string{"ttft_mean_ms", "tpot_mean_ms", "e2e_mean_ms", "output_tok_s"}
	}
	return []string{"ttft_mean_ms", "tpot_mean_ms", "e2e_mean_ms", "output_tok_s", capacityRPS}
}

// effect estimates the change of a metric over the pairs that both define it.
func (l *Lever) effect(t statistic.Student, name string, before []replay, after []core.Result) Effect {
	of := func(r *core.Result) float64 {
		if i, ok := metrics.Index(name); ok {
			return r.Summary[i]
		}
		return r.CapacityRPS
	}
	var x, base []float64
	for i := range after {
		if after[i].Status != core.OK {
			continue
		}
		if was, is := of(&before[i].Result), of(&after[i]); !math.IsNaN(was) && !math.IsNaN(is) {
			x, base = append(x, is), append(base, was)
		}
	}
	if name == capacityRPS && len(x) > 1 { // one measurement, shared by all
		x, base = x[:1], base[:1]
	}
	e := t.Change(x, base)
	if l.once && !math.IsNaN(e.Mean) && (name != capacityRPS || math.Abs(e.Mean) < 1e-9) { // what is left is rounding
		e = statistic.Estimate{Lo: math.NaN(), Hi: math.NaN(), N: e.N}
	}
	out := Effect{Metric: name, Change: Num(e.Mean), Lo: Num(e.Lo), Hi: Num(e.Hi), Elasticity: Num(math.NaN())}
	if !l.absolute {
		out.Elasticity = Num(math.Log1p(e.Mean) / math.Log1p(float64(l.Change)))
	}
	out.Zero = e.Mean == 0 || e.Lo <= 0 && 0 <= e.Hi
	return out
}

// weight orders levers: the change of end-to-end time, where that is not shown
// of throughput, and the sum of all as a tie-break.
func (l *Lever) weight() Num {
	w := Num(0)
	for i, e := range l.Effects {
		if e.Zero || !e.Change.known() {
			continue
		}
		size := Num(math.Abs(float64(e.Change)))
		if e.Metric == "e2e_mean_ms" || i == 0 && e.Metric == "output_tok_s" {
			size *= 1e6
		}
		w += size
	}
	return w
}
