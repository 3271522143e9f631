// Package explain says why a point of a study has the numbers it has: where
// its values come from, what its memory holds, what a step, a request and the
// run spend their time on, and what a little more of each resource would buy.
// It simulates the point again and checks that the results are the same. It
// writes no files and knows nothing of where studies lie.
package explain

import (
	"context"
	"fmt"
	"math"

	"scoville/core"
	"scoville/core/metrics"
	"scoville/core/table"
	"scoville/sweep/explain/origin"
	"scoville/sweep/plan"
	"scoville/sweep/pool"
)

// Input is what is explained.
type Input struct {
	Plan  *plan.Plan
	Point int          // index in the plan
	Runs  *table.Frame // rows of the runs table that must be reproduced; nil = none
	Jobs  int          // simulations at a time, at least 1
	Quick bool         // leave out what more of each resource would buy
	One   bool         // take one replicate alone, and compare it with its row
	From  int          // the first replicate: 0 but with One

	// Probe is a value that search Point of the plan tried, explained in place of
	// a point; nil = none.
	Probe *plan.Point

	Capacities *core.Capacities            // shared with others; nil = its own
	Requests   func(all []metrics.Request) // sees the requests of replicate From, if it is ok; nil = nobody
}

// replicates is how many runs a point has: those of the tables, which a stopping
// rule or a race decided on, as far as the plan allows; without tables all.
func (in *Input) replicates(id string) (n int) {
	least, most := in.Plan.Least(in.Point), in.Plan.Replicates(in.Point)
	if in.One {
		return 1
	}
	if in.Runs == nil || least == most {
		return most
	}
	for row := range in.Runs.Len() {
		if other, _ := in.Runs.String(in.Runs.Index("point_id"), row); other == id {
			n++
		}
	}
	return min(max(n, least), most)
}

// Num is a number that JSON writes as null where it is not known.
type Num float64

// MarshalJSON writes the shortest decimal, null for NaN and infinities.
func (n Num) MarshalJSON() ([]byte, error) {
	if f := float64(n); !math.IsNaN(f) && !math.IsInf(f, 0) {
		return fmt.Appendf(nil, "%v", f), nil
	}
	return []byte("null"), nil
}

// known reports whether there is a number.
func (n Num) known() bool { return !math.IsNaN(float64(n)) }

// Explanation is the answer for one point.
type Explanation struct {
	Study    string  `json:"study"`
	ID       string  `json:"point_id"`
	Index    int     `json:"point_index"`
	Baseline bool    `json:"baseline"`
	Place    []Place `json:"place"`  // where in the design: axes, and what is changed one at a time
	Status   string  `json:"status"` // ok, infeasible or failed
	Reason   string  `json:"reason"` // why not ok
	Verdict  string  `json:"verdict"`
	Runs     int     `json:"runs"`

	Reproduced string `json:"reproduced"` // what was compared and found equal; "" = nothing was compared
	Differs    string `json:"differs"`    // what was not reproduced; "" = nothing

	Weakest    string         `json:"weakest_source"`
	Calibrated bool           `json:"calibrated"`
	Values     []origin.Value `json:"values"`
	Memory     Memory         `json:"memory"`

	Decode  *Step    `json:"decode_step"`  // at the run's mean batch and context
	Prefill *Step    `json:"prefill_step"` // of the mean prompt
	Request *Request `json:"request"`
	Run     *Run     `json:"run"`
	Largest []Part   `json:"largest"` // three stages with the largest share of busy time
	Levers  []Lever  `json:"levers"`  // the largest effect on E2E first
	Untried []string `json:"untried"` // levers left out, and the number that its range leaves no room for
	Idle    []string `json:"idle"`    // levers that would change nothing, and why
	Room    *Room    `json:"room"`    // what requests wait for the KV pool; nil = they do not, or it was not tried
	Paired  int      `json:"paired"`  // replicates of the levers
	Rerun   []string `json:"rerun"`   // commands that run this point alone
	Notes   []string `json:"notes"`   // what may surprise
	Metrics []string `json:"-"`       // of the levers
}

// Verdicts on an ok point, as the report words them.
const (
	Bounded   = "bounded"   // closed loop or burst: its queue cannot grow for ever
	Steady    = "steady"    // open loop with a stable queue
	Saturated = "saturated" // open loop whose queue grows
	Unjudged  = "not judged"
)

// Place is one coordinate of a point.
type Place struct {
	Name  string `json:"name"`
	Value any    `json:"value"`
}

// replay is a run of the point, simulated again.
type replay struct {
	core.Result
	prompt, output float64 // mean tokens of the counted requests
	longest        int     // tokens of the longest request
}

// look notes the lengths of the requests, of which the first are warm-up.
func (r *replay) look(all []metrics.Request, warmup int) {
	for i := range all {
		r.longest = max(r.longest, int(all[i].Prompt)+int(all[i].Output))
	}
	counted := all[min(warmup, len(all)):]
	for i := range counted {
		r.prompt += float64(counted[i].Prompt) / float64(len(counted))
		r.output += float64(counted[i].Output) / float64(len(counted))
	}
}

// Point explains one point. Its error is the context's, or a fault of the
// simulator; a point that cannot run is explained as far as it goes.
func Point(ctx context.Context, in Input) (*Explanation, error) {
	pt := in.Probe
	if pt == nil {
		var err error
		if pt, err = in.Plan.Point(in.Point); err != nil {
			return nil, err
		}
	}
	sc := &pt.Resolved.Scenario
	x := &Explanation{
		Study: in.Plan.Study.Name, ID: pt.ID, Index: pt.Index, Baseline: pt.Baseline, Place: place(in.Plan, pt),
		Weakest: string(pt.Resolved.WeakestSource), Calibrated: pt.Resolved.Calibrated, Notes: pt.Resolved.Outside,
		Values: origin.Values(pt.Resolved), Status: string(core.Infeasible), Reason: pt.Infeasible,
	}
	if pt.Infeasible == "" {
		x.Memory = memory(sc)
		if err := x.simulate(ctx, in, pt); err != nil {
			return nil, err
		}
	}
	return x, nil
}

// place names where in the design a point stands.
func place(p *plan.Plan, pt *plan.Point) []Place {
	var out []Place
	for i, c := range p.Columns {
		if c.Outer && pt.Cells[i] != nil {
			out = append(out, Place{c.Path, pt.Cells[i]})
		}
	}
	if pt.OATPath != "" {
		out = append(out, Place{pt.OATPath, pt.OATLevel})
	}
	return out
}

// simulate runs the point again, compares, and explains what it finds.
func (x *Explanation) simulate(ctx context.Context, in Input, pt *plan.Point) error {
	sc := &pt.Resolved.Scenario
	runs, err := replays(ctx, in, pt)
	if err != nil {
		return err
	}
	x.Runs, x.Status, x.Reason = len(runs), string(core.OK), ""
	for _, r := range runs {
		if r.Status != core.OK {
			x.Status, x.Reason = string(r.Status), r.Reason
			break
		}
	}
	if in.Runs != nil {
		x.compare(in, runs)
	}
	if x.Status != string(core.OK) {
		return nil
	}
	x.Verdict = verdict(runs)
	x.Run = summarise(sc, runs)
	x.steps(sc, runs)
	if x.Request, err = request(ctx, sc, runs); err != nil {
		return err
	}
	x.largest()
	if in.Quick {
		return nil
	}
	return x.levers(ctx, in, pt, runs)
}

// replays simulates every replicate of the point: as many as the tables hold.
func replays(ctx context.Context, in Input, pt *plan.Point) ([]replay, error) {
	sc := &pt.Resolved.Scenario
	items := make([]int, in.replicates(pt.ID))
	for i := range items {
		items[i] = i
	}
	out := make([]replay, len(items))
	err := simulations(ctx, in, items, func(ctx context.Context, sim *core.Simulator, replicate int) error {
		r := &out[replicate]
		o := in.Plan.Options(pt, in.From+replicate)
		o.Requests = func(all []metrics.Request) {
			r.look(all, sc.Measurement.Warmup)
			if in.Requests != nil && replicate == 0 {
				in.Requests(all)
			}
		}
		res, err := sim.Run(ctx, sc, o)
		r.Result = res
		return err
	})
	return out, err
}

// simulations runs items on the pool with simulators that share their capacity
// runs.
func simulations(ctx context.Context, in Input, items []int, work func(context.Context, *core.Simulator, int) error) error {
	capacities := in.Capacities
	if capacities == nil {
		capacities = core.NewCapacities()
	}
	p := pool.Pool[*core.Simulator, struct{}]{
		Workers: max(in.Jobs, 1),
		State:   func() *core.Simulator { return core.NewSimulator(capacities) },
		Work: func(ctx context.Context, sim *core.Simulator, item int) (struct{}, error) {
			return struct{}{}, work(ctx, sim, item)
		},
		Collect: func(_ int, _ struct{}, err error) error { return err },
	}
	return p.Run(ctx, items)
}

// verdict says what the numbers of a point may be taken for: most runs decide,
// as in the points table.
func verdict(runs []replay) string {
	yes, no := 0, 0
	for _, r := range runs {
		switch r.Steady {
		case metrics.Yes:
			yes++
		case metrics.No:
			no++
		}
	}
	switch {
	case math.IsNaN(runs[0].OfferedRPS):
		return Bounded
	case 2*yes > len(runs):
		return Steady
	case 2*no >= len(runs):
		return Saturated
	}
	return Unjudged
}
