package campaign

import (
	"context"
	"errors"
	"math"
	"sync/atomic"

	"scoville/core"
	"scoville/core/scenario"
	"scoville/sweep/budget"
	"scoville/sweep/dispatch"
	"scoville/sweep/draw"
	"scoville/sweep/hunt"
	"scoville/sweep/memo"
	"scoville/sweep/plan"
	"scoville/sweep/request"
	"scoville/sweep/results"
	"scoville/sweep/row"
	"scoville/sweep/schedule"
)

// ErrMissing says that a run of the plan is not known, or its table of requests.
var ErrMissing = errors.New("runs are missing")

// recall makes simulators that run nothing, and tell of a run that is not known.
func recall(m *memo.Memo, unknown func()) func() row.Simulate {
	return func() row.Simulate {
		return func(ctx context.Context, sc *scenario.Scenario, o core.Options) (core.Result, error) {
			r, err := m.Recall(ctx, sc, o)
			if err == nil && o.Requests != nil && r.Status == core.OK { // its table is not there
				err = memo.ErrUnknown
			}
			if errors.Is(err, memo.ErrUnknown) {
				unknown()
			}
			return r, err
		}
	}
}

// Missing says how many runs of each part of the plan are not known. Where what
// runs there are depends on what they give, with [search] or a stopping rule, it
// is those that are known to be asked for next.
func (c *Campaign) Missing(ctx context.Context, parts []*plan.Plan) ([]int, error) {
	m, err := c.memory(ctx)
	if err != nil {
		return nil, err
	}
	defer m.Close()
	keep, err := request.Keep(c.Dir, c.Plan.Study.Requests)
	if err != nil {
		return nil, err
	}
	out := make([]int, len(parts))
	for i, p := range parts {
		var unknown atomic.Int64
		look := recall(m, func() { unknown.Add(1) })
		if err := c.replay(ctx, p, keep, look); err != nil {
			return nil, err
		}
		out[i] = int(unknown.Load())
	}
	return out, nil
}

// replay goes through the runs of a part of the plan, whatever comes of them.
func (c *Campaign) replay(ctx context.Context, p *plan.Plan, keep *request.Keeper, look func() row.Simulate) error {
	sim := func() row.Simulate { return keep.Watch(look()) }
	quiet := func(int, int, int) {}
	if p.Study.Search != nil {
		h := hunt.Hunt{Plan: p, Workers: c.Jobs, Simulate: sim, Progress: quiet, Failed: func(*results.Run) error { return nil }}
		_, _, err := h.Run(ctx)
		return err
	}
	effort := p.Study.Effort
	effort.Budget.Failures, effort.Budget.Share = -1, math.NaN()
	d := dispatch.Dispatch{Plan: p, Schedule: schedule.New(p), Budget: budget.New(&effort, p.LeastRuns(), false), Workers: c.Jobs, Simulate: sim, Progress: quiet}
	if _, err := d.Run(ctx); err != nil || p.DrawRuns() == 0 {
		return err
	}
	draws := draw.Draws{Plan: p, Metrics: c.Metrics, Workers: c.Jobs, Simulate: look}
	_, err := draws.Run(ctx, nil)
	return err
}
