// Package row makes the rows of the runs table: a point of a plan is simulated,
// and what came out laid into a row. It knows what a run is, not which are done.
package row

import (
	"context"
	"fmt"
	"math"

	"scoville/core"
	"scoville/core/metrics"
	"scoville/core/scenario"
	"scoville/core/workload"
	"scoville/sweep/plan"
	"scoville/sweep/results"
	"scoville/sweep/results/class"
)

// Simulate runs one scenario; core.Simulator.Run is the real one.
type Simulate func(context.Context, *scenario.Scenario, core.Options) (core.Result, error)

// One simulates run number item of a plan.
func One(ctx context.Context, p *plan.Plan, sim Simulate, item int) (results.Run, error) {
	r, pt, err := begin(p, item)
	if err != nil {
		return r, err
	}
	return Fill(ctx, sim, &pt.Resolved.Scenario, p.Options(pt, r.Replicate), r)
}

// Fill simulates the scenario of a row and fills the row in.
func Fill(ctx context.Context, sim Simulate, sc *scenario.Scenario, o core.Options, r results.Run) (results.Run, error) {
	if r.Status == results.Infeasible {
		return r, nil
	}
	res, err := sim(ctx, sc, o)
	if err != nil {
		return results.Run{}, err
	}
	r.Status, r.Error = string(res.Status), res.Reason
	r.Metrics = res.Summary
	for _, c := range res.Classes {
		r.Classes = append(r.Classes, class.Values{Name: c.Name, Metrics: c.Summary})
	}
	r.OfferedRPS, r.CapacityRPS, r.LoadRatio = res.OfferedRPS, res.CapacityRPS, res.LoadRatio
	r.Bound, r.DecodeBound, r.SimS, r.Events = res.Bound, res.DecodeBound, res.SimS, res.Events
	if res.Status == core.OK {
		r.SLOOk = meets(sc.SLO, res.Summary)
		r.Steady = flag(res.Steady)
	}
	return r, nil
}

// Failed is the row of a run that ended in an error or a panic.
func Failed(p *plan.Plan, item int, reason error) (results.Run, error) {
	r, _, err := begin(p, item)
	r.Status, r.Error = results.Failed, reason.Error()
	return r, err
}

// begin is what is known of a run before it runs. Its status is infeasible if
// the plan knows so, else still to be set.
func begin(p *plan.Plan, item int) (results.Run, *plan.Point, error) {
	point, replicate := p.Run(item)
	pt, err := p.Point(point)
	if err != nil {
		return results.Run{}, nil, err
	}
	return Of(p, pt, replicate), pt, nil
}

// Of is the row of a run of a point before it runs. Its status is infeasible if
// the plan knows so, else still to be set.
func Of(p *plan.Plan, pt *plan.Point, replicate int) results.Run {
	nan := math.NaN()
	r := results.Run{
		PointID: pt.ID, PointIndex: pt.Index, Replicate: replicate,
		Baseline: pt.Baseline, OATPath: pt.OATPath, OATLevel: pt.OATLevel, OATChange: pt.OATChange,
		Axes: pt.Cells, OfferedRPS: nan, CapacityRPS: nan, LoadRatio: nan, SimS: nan,
		WeakestSource: string(pt.Resolved.WeakestSource), Calibrated: pt.Resolved.Calibrated, Outside: pt.Resolved.Outside,
		SeedHex: fmt.Sprintf("%016x", pt.Seed),
	}
	if x, ok := p.Study.Accuracy.Of(&pt.Resolved.Scenario); ok {
		r.AccuracyLoss = &x
	}
	if pt.Infeasible != "" {
		r.Status, r.Error = results.Infeasible, pt.Infeasible
	}
	return r
}

// meets reports whether a run keeps every service level; nil without any, or
// when a metric they speak of has no value.
func meets(limits []scenario.Limit, s metrics.Summary) *bool {
	if len(limits) == 0 {
		return nil
	}
	ok := true
	for _, l := range limits {
		i, known := metrics.Index(l.Metric)
		if !known || math.IsNaN(s[i]) {
			return nil
		}
		ok = ok && !(s[i] > l.Max) && !(s[i] < l.Min) // a bound that is not given is NaN
	}
	return &ok
}

func flag(t metrics.Tri) *bool {
	yes := t == metrics.Yes
	if t == metrics.Unknown {
		return nil
	}
	return &yes
}

// Open reports whether requests arrive by themselves over time, so that a queue
// may grow for ever.
func Open(s *scenario.Scenario) bool {
	return s.Workload.Arrival != workload.Closed && s.Workload.Arrival != workload.Burst
}
