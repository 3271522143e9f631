// Package dispatch runs the points of a plan on the pool, as their schedule says,
// and lays out the rows again from what is remembered of the runs, so that no row
// has to wait in memory for the others. It knows neither folders nor what rows are
// for.
package dispatch

import (
	"context"

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
	Failed   func(item int, err error) // of a run that ended in an error or a *pool.Panic; nil = nobody
}

// Run simulates every point and replicate that the schedule wants, and says which
// there are. The error is the context's, or a *budget.StoppedError.
func (d *Dispatch) Run(ctx context.Context) (*Ran, error) {
	p := d.Plan
	start := d.Schedule.Start()
	ran := &Ran{Plan: p, Counts: map[string]int{}, fate: d.Schedule.Fate, items: make([]uint64, (p.Runs()+63)/64)}
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
				if d.Failed != nil {
					d.Failed(item, err)
				}
				if r, err = row.Failed(p, item, err); err != nil {
					return err
				}
			}
			ran.add(item, r.Status)
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
	return ran, nil
}
