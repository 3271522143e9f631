// Package sweep runs a study: decode, plan, pool, write. It joins the rooms
// below it and holds nothing of its own but the row of a run.
package sweep

import (
	"bytes"
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"scoville/core"
	"scoville/sweep/again"
	"scoville/sweep/campaign"
	"scoville/sweep/details"
	"scoville/sweep/explain"
	"scoville/sweep/pace"
	"scoville/sweep/plan"
	"scoville/sweep/prompt"
	"scoville/sweep/request"
	"scoville/sweep/results"
	inside "scoville/sweep/results/details"
	"scoville/sweep/results/searches"
	"scoville/sweep/row"
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
	Name     string   // what commands call Dir: a URL that it is a copy of; "" = Dir
	Jobs     int      // simulations at a time, at least 1
	FailFast bool     // stop at the first run that fails or times out

	Shard      string // run this part alone, see shard.Parse; "" = all. It keeps its runs in a folder of its own for Merge
	OnlyFailed bool   // run those again that failed or timed out
	Fresh      bool   // forget what finished runs gave, and run all

	// RunTimeout is the wall time that a run may take; 0 = any. What a run over it
	// is known by, its timeout, is forgotten when it may take longer.
	RunTimeout time.Duration

	// Damaged is told by Merge of the journals that are not whole, before it goes
	// on without the runs they lost; nil = nobody.
	Damaged func([]Damage)

	// Begun is told before the first run what the folder knows; nil = nobody.
	Begun func(Standing)

	// Progress is called before the first run and after each, from one
	// goroutine; nil = not at all.
	Progress func(Progress)

	capacities *core.Capacities // of the points, for whoever simulates them again; nil = none yet

	newSimulate func() Simulate                         // nil = the simulator; tests give others
	watch       func(request.Simulate) request.Simulate // looks at every run; nil = nobody
}

// Simulate runs one scenario; core.Simulator.Run is the real one.
type Simulate = row.Simulate

// Progress is how far a sweep is, in runs.
type Progress struct {
	Done, Total, Failed int
	Left                time.Duration // about, until the last run; < 0 = not known yet
	RunsPerS            float64       // that were simulated, not known before
}

// Standing is what a sweep knows before its first run.
type Standing = campaign.Standing

// Outcome is what a finished sweep leaves.
type Outcome struct {
	Plan   *Plan
	Dir    string
	Counts map[string]int // runs by status

	Recalled int // runs that did not have to be simulated: the folder knew them

	Searches []searches.Search // of a study with [search], in the order of the plan

	Shard *ShardDone // what a shard did, which leaves no tables; nil = not one
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

// StoppedError says that a sweep ended early, and that the same command goes on
// where it was.
type StoppedError = campaign.StoppedError

// BesideError says that the tables of a sweep are whole, but what stands beside
// them could not be written.
type BesideError = campaign.BesideError

// ErrDisk is why a sweep stopped that could not write.
var ErrDisk = campaign.ErrDisk

// Plan is a study expanded into points.
type Plan = plan.Plan

// Load decodes and expands a study without running it. Its errors are of type
// *InputError.
func Load(file string, set []string) (*Plan, error) {
	return LoadContext(context.Background(), file, set)
}

// LoadContext is Load until ctx ends.
func LoadContext(ctx context.Context, file string, set []string) (*Plan, error) {
	return prompt.Call(ctx, func() (*Plan, error) { return load(file, set) })
}

func load(file string, set []string) (*Plan, error) {
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

// Run runs a study and writes its results. What ends it early is a
// *StoppedError: the tables are what they were, and the runs that finished are
// kept.
func Run(ctx context.Context, o Options) (*Outcome, error) {
	p, err := LoadContext(ctx, o.File, o.Set)
	if err != nil {
		return nil, err
	}
	out := &Outcome{Plan: p, Dir: o.Dir, Counts: map[string]int{}}
	if out.Dir == "" {
		if out.Dir, err = p.Study.Folder(); err != nil {
			return nil, again.Input(err)
		}
	}
	if o.Shard != "" {
		return runShard(ctx, o, out)
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
	if campaign.IsFull(err) {
		return nil, campaign.Unable(err)
	}
	if err != nil {
		return nil, again.Input(err)
	}
	defer set.Close()
	c := o.campaign()
	c.Plan, c.Set, c.Dir = p, set, out.Dir
	ended, err := c.Run(ctx)
	if err != nil {
		return nil, err
	}
	out.Counts, out.Searches, out.Recalled = ended.Counts, ended.Searches, ended.Recalled
	if err := o.explain(ctx, set, out); err != nil {
		return nil, campaign.Beside(out.Dir, err)
	}
	return out, set.Close()
}

// explain writes what goes with the tables: the explanation of the only point, and
// what is inside a few points. The results are whole without: an interrupt leaves
// it out.
func (o *Options) explain(ctx context.Context, set *results.Set, out *Outcome) error {
	if err := explainOnly(ctx, set, out, *o); err != nil {
		return err
	}
	if o.newSimulate != nil {
		return inside.Remove(out.Dir)
	}
	in := details.Input{Plan: out.Plan, Dir: out.Dir, Objectives: out.Plan.Study.Objectives, Jobs: o.Jobs, Capacities: o.capacities}
	found, err := prompt.Call(ctx, func() (*inside.Details, error) { return details.Make(ctx, in) })
	if ctx.Err() != nil {
		return inside.Remove(out.Dir)
	}
	if err != nil {
		return err
	}
	return inside.Write(out.Dir, found)
}

// campaign is how runs are run; the plan and the folder are to be filled in.
func (o *Options) campaign() campaign.Campaign {
	told := &pace.Pace{}
	return campaign.Campaign{
		Metrics: metricColumns(), Jobs: o.Jobs, Simulate: o.simulators(told.Capacity), Pace: told,
		FailFast: o.FailFast, Retry: o.OnlyFailed, Fresh: o.Fresh, Timeout: o.RunTimeout, Begun: o.Begun,
		Progress: func(done, total, failed int) {
			if o.Progress != nil {
				o.Progress(Progress{done, total, failed, told.Left(done, total), told.Rate()})
			}
		},
	}
}

// explainOnly explains the point of a sweep of one, from its tables. The
// results are whole without: an interrupt ends it quietly.
func explainOnly(ctx context.Context, set *results.Set, out *Outcome, o Options) error {
	if out.Plan.Len() != 1 || out.Plan.Study.Search != nil || out.Counts[results.Failed]+out.Counts[results.Timeout] > 0 || o.newSimulate != nil {
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

// simulators makes what runs the points, watched.
func (o *Options) simulators(around func(context.Context, func())) func() Simulate {
	fresh := o.newSimulate
	if fresh == nil {
		o.capacities = core.NewCapacities()
		fresh = simulators(o.capacities, around)
	}
	if o.watch == nil {
		return fresh
	}
	return func() Simulate { return o.watch(fresh()) }
}

// simulators makes simulators that share capacity runs; around is called around
// each, nil = nobody.
func simulators(capacities *core.Capacities, around func(context.Context, func())) func() Simulate {
	capacities.Around = around
	return func() Simulate { return core.NewSimulator(capacities).Run }
}

// relative names an input file as the study sees it, so that results do not
// depend on where the command was called, and how the study was named there.
func relative(p *Plan, file string) string {
	study, err := filepath.Abs(p.Study.Doc.File)
	full, err2 := filepath.Abs(file)
	if err != nil || err2 != nil {
		return file
	}
	name, err := filepath.Rel(filepath.Dir(study), full)
	if err != nil {
		return file
	}
	return filepath.ToSlash(name)
}
