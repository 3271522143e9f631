// Package campaign runs a plan into a folder of results: what finished runs gave
// is kept at once, and when all have run the tables are laid out from that. An
// interrupted campaign goes on where it was, an edited study runs only what is
// new, and the tables are those of a campaign that ran in one go.
package campaign

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"time"

	"scoville/core/table"
	"scoville/sweep/budget"
	"scoville/sweep/dispatch"
	"scoville/sweep/draw"
	"scoville/sweep/failure"
	"scoville/sweep/hunt"
	"scoville/sweep/memo"
	"scoville/sweep/pace"
	"scoville/sweep/plan"
	"scoville/sweep/request"
	"scoville/sweep/results"
	"scoville/sweep/results/forecast"
	"scoville/sweep/results/searches"
	"scoville/sweep/row"
	"scoville/sweep/schedule"
)

// Campaign is how a plan runs. The folder is that of Set, whose lock is held.
type Campaign struct {
	Plan     *plan.Plan
	Set      *results.Set
	Dir      string
	Metrics  []table.Column      // in the order of a summary
	Jobs     int                 // simulations at a time, at least 1
	Simulate func() row.Simulate // makes a simulator for a worker
	FailFast bool                // stop at the first run that fails or times out
	Retry    bool                // run those again that failed or timed out
	Fresh    bool                // forget what is known
	Part     bool                // the plan is a part of another: keep what runs give, and write no tables
	Planned  int                 // runs that a share of failures is of: Planned of the whole; 0 = of the plan
	Recall   bool                // simulate nothing: a run that is not known is ErrMissing
	Timeout  time.Duration       // wall time that a run may take; 0 = any
	Pace     *pace.Pace          // is told what it has to know; nil = nobody
	Progress func(done, total, failed int)
	Begun    func(Standing) // told before the first run; nil = nobody
}

// Outcome is what a finished campaign leaves.
type Outcome struct {
	Counts   map[string]int    // runs by status
	Searches []searches.Search // of a study with [search], in the order of the plan
	Recalled int               // runs that did not have to be simulated
}

// Run runs the plan and writes the tables. What ends it early is a
// *StoppedError.
func (c *Campaign) Run(ctx context.Context) (*Outcome, error) {
	m, err := c.memory(ctx)
	if IsDisk(err) {
		return nil, Unable(err)
	}
	if err != nil {
		return nil, err
	}
	defer m.Close()
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	m.Retry, m.Timeout = c.Retry, c.Timeout
	defer context.AfterFunc(ctx, func() { _ = m.Sync() })() // a run may take long to stop, and the user not wait; Close tells of errors
	m.Lost = func(err error) { stop(fmt.Errorf("%w: %w", ErrDisk, err)) }
	if c.Recall {
		c.Simulate = recall(m, func() { stop(ErrMissing) })
	}
	out, err := c.run(ctx, m, stop)
	if cause := context.Cause(ctx); errors.Is(err, context.Canceled) && cause != nil {
		err = cause
	}
	if IsDisk(err) && !errors.Is(err, ErrDisk) {
		err = fmt.Errorf("%w: %w", ErrDisk, err)
	}
	if cerr := m.Close(); cerr != nil && (err == nil || errors.Is(err, context.Canceled)) {
		err = fmt.Errorf("%w: %w", ErrDisk, cerr)
	}
	var stopped *budget.StoppedError
	if errors.Is(err, context.Canceled) || errors.Is(err, ErrDisk) || errors.As(err, &stopped) {
		return nil, &StoppedError{err, m.Kept()}
	}
	return out, err
}

// memory opens what is known of runs.
func (c *Campaign) memory(ctx context.Context) (*memo.Memo, error) {
	path := filepath.Join(c.Dir, memo.File)
	if c.Fresh {
		if err := os.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) {
			return nil, err
		}
	}
	m, err := memo.Open(ctx, c.Dir)
	if errors.Is(err, memo.ErrForeign) {
		return nil, fmt.Errorf("%w: %s holds runs of another version of the simulator; run with --fresh to simulate them anew, or give another folder with -o", results.ErrForeign, path)
	}
	return m, err
}

// run runs what is not known, and writes the tables.
func (c *Campaign) run(ctx context.Context, m *memo.Memo, stop func(error)) (*Outcome, error) {
	keep, err := request.Keep(c.Dir, c.Plan.Study.Requests)
	if err != nil {
		return nil, err
	}
	keep.Lost = func(err error) { stop(fmt.Errorf("%w: %w", ErrDisk, err)) }
	if err := c.begin(ctx, m); err != nil {
		return nil, err
	}
	sim := func() row.Simulate { return keep.Watch(c.remembered(m)) }
	out := &Outcome{Counts: map[string]int{}}
	if c.Plan.Study.Search != nil {
		err = c.search(ctx, sim, out)
	} else {
		err = c.points(ctx, sim, m, out)
	}
	if err = errors.Join(err, keep.Err()); err != nil {
		return nil, err
	}
	out.Recalled = m.Recalled()
	return out, keep.Close()
}

// remembered makes a simulator that runs what is not known, or nothing.
func (c *Campaign) remembered(m *memo.Memo) row.Simulate {
	if c.Recall {
		return c.Simulate()
	}
	return m.Wrap(c.Pace.Watch(c.Simulate()))
}

// Planned is how many runs a plan has that a share of failures is of: those that
// there are whatever comes of them, of searches usually.
func Planned(p *plan.Plan) int {
	if p.Study.Search != nil {
		return hunt.Expected(p)
	}
	return p.LeastRuns()
}

// budget counts failures: a share is one of the whole plan, so that a part may have
// as many as the whole.
func (c *Campaign) budget() *budget.Budget {
	planned := c.Planned
	if planned == 0 {
		planned = Planned(c.Plan)
	}
	return budget.New(&c.Plan.Study.Effort, planned, c.FailFast)
}

// points runs every point as its schedule says.
func (c *Campaign) points(ctx context.Context, sim func() row.Simulate, m *memo.Memo, out *Outcome) error {
	p, draws := c.Plan, c.Plan.DrawRuns()
	faults := failure.In(c.Dir)
	d := dispatch.Dispatch{
		Plan: p, Schedule: schedule.New(p), Budget: c.budget(),
		Workers: c.Jobs, Simulate: sim, Failed: func(item int, err error) {
			point, replicate := p.Run(item)
			faults.Add(p.ID(point), replicate, err)
		},
		Progress: func(done, total, failed int) { c.Progress(done, total+draws, failed) },
	}
	ran, err := d.Run(ctx)
	if err = errors.Join(err, faults.Err()); err != nil {
		return err
	}
	rows := ran.Rows(ctx, m.Recall)
	if c.Part {
		rows = nil // nobody asks for them
	}
	var told map[int]*forecast.Forecast
	if draws > 0 {
		sim := func() row.Simulate { return c.remembered(m) } // no points of their own: their requests are not kept
		if told, err = c.forecasts(ctx, sim, ran, rows); err != nil {
			return err
		}
	}
	out.Counts = ran.Counts
	if c.Part {
		return nil
	}
	c.Set.Plan(ran.Runs)
	return c.Set.Write(withForecasts(rows, told))
}

// withForecasts puts forecasts, by position of the point, into the first run of
// each.
func withForecasts(rows iter.Seq2[results.Run, error], told map[int]*forecast.Forecast) iter.Seq2[results.Run, error] {
	if len(told) == 0 {
		return rows
	}
	return func(yield func(results.Run, error) bool) {
		i, index := -1, -1
		for r, err := range rows {
			if err == nil && r.PointIndex != index {
				i, index = i+1, r.PointIndex
				r.Forecast = told[i]
			}
			if !yield(r, err) {
				return
			}
		}
	}
}

// forecasts runs the draws of a plan, after its runs.
func (c *Campaign) forecasts(ctx context.Context, sim func() row.Simulate, ran *dispatch.Ran, rows iter.Seq2[results.Run, error]) (map[int]*forecast.Forecast, error) {
	failed := ran.Counts[results.Failed] + ran.Counts[results.Timeout]
	done, total := ran.Runs, ran.Runs+c.Plan.DrawRuns()
	faults := failure.In(c.Dir)
	d := draw.Draws{Plan: c.Plan, Metrics: c.Metrics, Workers: c.Jobs, Simulate: sim, Faults: faults, Progress: func() {
		done++
		c.Progress(done, total, failed)
	}}
	told, err := d.Run(ctx, rows)
	return told, errors.Join(err, faults.Err())
}

// search runs the searches of a plan.
func (c *Campaign) search(ctx context.Context, sim func() row.Simulate, out *Outcome) error {
	failures, faults := c.budget(), failure.In(c.Dir)
	h := hunt.Hunt{Plan: c.Plan, Workers: c.Jobs, Simulate: sim, Progress: c.Progress, Failed: failures.Add, Faults: faults}
	runs, found, err := h.Run(ctx)
	if err = errors.Join(err, faults.Err()); err != nil {
		return err
	}
	out.Searches = found
	for _, r := range runs {
		out.Counts[r.Status]++
	}
	if c.Part {
		return nil
	}
	c.Set.Plan(len(runs))
	return c.Set.Write(results.Each(runs), c.Set.Searches(found))
}
