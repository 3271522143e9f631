// Package dispatch runs the points of a plan on the pool, as their schedule says,
// and gathers the rows. It knows neither folders nor what rows are for.
package dispatch

import (
	"context"
	"slices"

	"scoville/sweep/budget"
	"scoville/sweep/plan"
	"scoville/sweep/pool"
	"scoville/sweep/results"
	"scoville/sweep/row"
	"scoville/sweep/schedule"
)

// Dispatch is how the points of a plan run.
type Dispatch struct {
	Plan     *plan.Plan
	Schedule schedule.Schedule
	Budget   *budget.Budget
	Workers  int                 // simulations at a time
	Simulate func() row.Simulate // makes a simulator for a worker
	Progress func(done, total, failed int)
}

// Run simulates every point and replicate that the schedule wants, and returns the
// rows in the order of the plan, whatever order they finished in. The error is the
// context's, or a *budget.StoppedError.
func (d *Dispatch) Run(ctx context.Context) ([]results.Run, error) {
	p := d.Plan
	start := d.Schedule.Start()
	rows := make([][]results.Run, p.Len())
	var more []int
	done, total := 0, len(start)
	d.Progress(done, total, 0)
	workers := pool.Pool[row.Simulate, results.Run]{
		Workers: d.Workers,
		State:   d.Simulate,
		Work: func(ctx context.Context, sim row.Simulate, item int) (results.Run, error) {
			return row.One(ctx, p, sim, item)
		},
		Collect: func(item int, r results.Run, err error) error {
			if err != nil { // a panic or a fault of the simulator is a row, not the end
				if r, err = row.Failed(p, item, err); err != nil {
					return err
				}
			}
			point, _ := p.Run(item)
			rows[point] = append(rows[point], r)
			more = d.Schedule.Done(item, &r)
			done++
			total += len(more)
			err = d.Budget.Add(&r)
			d.Progress(done, total, d.Budget.Failures())
			return err
		},
		Next: func(int) []int { return more },
	}
	if err := workers.Run(ctx, start); err != nil {
		return nil, err
	}
	return d.flat(rows, done), nil
}

// flat sorts the rows of each point by replicate, and tells the first of each how
// the sampling of the point ended.
func (d *Dispatch) flat(rows [][]results.Run, n int) []results.Run {
	out := make([]results.Run, 0, n)
	for point := range rows {
		mine := rows[point]
		rows[point] = nil
		slices.SortFunc(mine, func(a, b results.Run) int { return a.Replicate - b.Replicate })
		if len(mine) > 0 {
			mine[0].Fate = d.Schedule.Fate(point)
		}
		out = append(out, mine...)
	}
	return out
}
