// Package sweep runs a study: decode, plan, pool, write. It joins the rooms
// below it and holds nothing of its own but the row of a run.
package sweep

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"scoville/core"
	"scoville/sweep/again"
	"scoville/sweep/budget"
	"scoville/sweep/dispatch"
	"scoville/sweep/draw"
	"scoville/sweep/explain"
	"scoville/sweep/hunt"
	"scoville/sweep/plan"
	"scoville/sweep/request"
	"scoville/sweep/results"
	"scoville/sweep/results/searches"
	"scoville/sweep/row"
	"scoville/sweep/schedule"
	"scoville/sweep/study"
)

// Versions that results depend on: of the simulator, and of the tables.
const (
	SimulatorVersion = core.Version
	ResultSchema     = results.Schema
)

// Errors of Run that are not the study's.
var (
	ErrForeign = results.ErrForeign // the folder holds other results
	ErrLocked  = results.ErrLocked  // another process writes to the folder
)

// Options is how a study runs. Only Set changes results; it is recorded with
// them.
type Options struct {
	File     string   // study file
	Point    string   // run this point alone: its index, id, or the unique beginning of its id; "" = all
	Set      []string // "PATH=VALUE", over everything in the study
	Dir      string   // where results go; "" = as the study says
	Jobs     int      // simulations at a time, at least 1
	FailFast bool     // stop at the first run that fails or times out

	// Progress is called before the first run and after each, from one
	// goroutine; nil = not at all.
	Progress func(Progress)

	newSimulate func() Simulate                         // nil = the simulator; tests give others
	watch       func(request.Simulate) request.Simulate // looks at every run; nil = nobody
}

// Simulate runs one scenario; core.Simulator.Run is the real one.
type Simulate = row.Simulate

// Progress is how far a sweep is, in runs.
type Progress struct{ Done, Total, Failed int }

// Outcome is what a finished sweep leaves.
type Outcome struct {
	Plan   *Plan
	Dir    string
	Counts map[string]int // runs by status

	Searches []searches.Search // of a study with [search], in the order of the plan
}

// Feasible is false if the study searched, and no search found a value that
// meets every service level.
func (o *Outcome) Feasible() bool {
	return len(o.Searches) == 0 || slices.ContainsFunc(o.Searches, func(s searches.Search) bool {
		return s.Outcome == searches.Found || s.Outcome == searches.AllFeasible
	})
}

// InputError is an error of the study, another input or the folder for the
// results: nothing was run.
type InputError = again.InputError

// StoppedError says that too many runs failed, and the sweep stopped.
type StoppedError = budget.StoppedError

// Plan is a study expanded into points.
type Plan = plan.Plan

// Load decodes and expands a study without running it. Its errors are of type
// *InputError.
func Load(file string, set []string) (*Plan, error) {
	st, err := study.Load(file, set)
	if err != nil {
		return nil, again.Input(err)
	}
	p, err := plan.New(st)
	if err == nil {
		err = checkAsked(p)
	}
	if err != nil {
		return nil, again.Input(err)
	}
	return p, nil
}

// Run runs a study and writes its results. When ctx ends first it returns
// ctx's error, and the folder holds what it held before.
func Run(ctx context.Context, o Options) (*Outcome, error) {
	p, err := Load(o.File, o.Set)
	if err != nil {
		return nil, err
	}
	out := &Outcome{Plan: p, Dir: o.Dir, Counts: map[string]int{}}
	if out.Dir == "" {
		out.Dir = p.Study.OutputDir
	}
	if o.Point != "" {
		i, err := p.Find(o.Point)
		if err != nil {
			return nil, again.Input(fmt.Errorf("--point %s: %w", o.Point, err))
		}
		p = p.Only(i)
		out.Plan = p
		if o.Dir == "" {
			out.Dir += "-" + p.ID(0)[:8] // not over those of the whole study
		}
	}
	set, err := results.Create(out.Dir, meta(p, o))
	if err != nil {
		return nil, again.Input(err)
	}
	defer set.Close()
	keep, err := request.Keep(out.Dir, p.Study.Requests)
	if err != nil {
		return nil, err
	}
	o.watch = keep.Watch
	var runs []results.Run
	var more []results.Table
	if p.Study.Search == nil {
		runs, err = simulate(ctx, p, o)
		set.Plan(len(runs))
	} else if runs, out.Searches, err = search(ctx, p, o); err == nil {
		more = append(more, set.Searches(out.Searches))
		set.Plan(len(runs))
	}
	if err == nil {
		err = keep.Err()
	}
	if err == nil && p.DrawRuns() > 0 {
		err = forecasts(ctx, p, o, runs)
	}
	if err != nil {
		return nil, err
	}
	for _, r := range runs {
		out.Counts[r.Status]++
	}
	passes := set.Passes()
	if err := set.Write(func(yield func(results.Run) bool) {
		passes--
		for i, r := range runs {
			if passes == 0 {
				runs[i] = results.Run{} // the rest of Write does not need it
			}
			if !yield(r) {
				return
			}
		}
	}, more...); err != nil {
		return nil, err
	}
	if err := errors.Join(keep.Close(), explainOnly(ctx, set, out, o)); err != nil {
		return nil, err
	}
	return out, set.Close()
}

// explainOnly explains the point of a sweep of one, from its tables. The
// results are whole without: an interrupt ends it quietly.
func explainOnly(ctx context.Context, set *results.Set, out *Outcome, o Options) error {
	if out.Plan.Len() != 1 || out.Plan.Study.Search != nil || out.Counts[results.Failed] > 0 || o.newSimulate != nil {
		return set.Explain(nil)
	}
	d, err := results.OpenFor(out.Dir, func([]string) []string { return nil })
	if err != nil {
		return err
	}
	runs, err := d.Runs()
	if err != nil {
		return err
	}
	x, err := explain.Point(ctx, explain.Input{Plan: out.Plan, Runs: runs, Jobs: o.Jobs})
	if ctx.Err() != nil {
		return set.Explain(nil)
	}
	if err != nil {
		return err
	}
	x.Rerun = rerun(d, x, o.Point == "")
	var text bytes.Buffer
	if err := x.Text(&text); err != nil {
		return err
	}
	return set.Explain(text.Bytes())
}

// simulate runs every point of a plan as its schedule says.
func simulate(ctx context.Context, p *Plan, o Options) ([]results.Run, error) {
	d := dispatch.Dispatch{
		Plan: p, Schedule: schedule.New(p), Budget: budget.New(&p.Study.Effort, p.LeastRuns(), o.FailFast),
		Workers: o.Jobs, Simulate: o.simulators(),
		Progress: func(done, total, failed int) {
			if o.Progress != nil {
				o.Progress(Progress{done, total + p.DrawRuns(), failed})
			}
		},
	}
	return d.Run(ctx)
}

// forecasts runs the draws of a plan, after its runs.
func forecasts(ctx context.Context, p *Plan, o Options, runs []results.Run) error {
	d := draw.Draws{Plan: p, Metrics: metricColumns(), Workers: o.Jobs, Simulate: o.newSimulate}
	if d.Simulate == nil {
		d.Simulate = simulators()
	}
	if o.Progress != nil {
		progress := Progress{Done: len(runs), Total: len(runs) + p.DrawRuns()}
		for _, r := range runs {
			if r.Broken() {
				progress.Failed++
			}
		}
		d.Progress = func() {
			progress.Done++
			o.Progress(progress)
		}
	}
	return d.Run(ctx, runs)
}

// search runs the searches of a plan.
func search(ctx context.Context, p *Plan, o Options) ([]results.Run, []searches.Search, error) {
	h := hunt.Hunt{Plan: p, Workers: o.Jobs, Simulate: o.simulators(), Progress: func(done, total, failed int) {
		if o.Progress != nil {
			o.Progress(Progress{done, total, failed})
		}
	}}
	failures := budget.New(&p.Study.Effort, hunt.Expected(p), o.FailFast)
	h.Failed = failures.Add
	return h.Run(ctx)
}

// simulators makes what runs the points, watched.
func (o *Options) simulators() func() Simulate {
	fresh := o.newSimulate
	if fresh == nil {
		fresh = simulators()
	}
	if o.watch == nil {
		return fresh
	}
	return func() Simulate { return o.watch(fresh()) }
}

// simulators makes simulators that share their capacity runs.
func simulators() func() Simulate {
	capacities := core.NewCapacities()
	return func() Simulate { return core.NewSimulator(capacities).Run }
}

// relative names an input file as the study sees it, so that results do not
// depend on where the command was called.
func relative(p *Plan, file string) string {
	name, err := filepath.Rel(filepath.Dir(p.Study.Doc.File), file)
	if err != nil {
		return file
	}
	return filepath.ToSlash(name)
}
