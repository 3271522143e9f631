package sweep

import (
	"context"
	"slices"

	"scoville/core"
	"scoville/sweep/confirm"
	"scoville/sweep/diff"
	"scoville/sweep/pace"
	"scoville/sweep/prompt"
	"scoville/sweep/start"
)

// ConfirmOptions is what Confirm runs again.
type ConfirmOptions struct {
	Dir  string // folder of the results
	Top  int    // points, the best first; members of the front of a study with objectives come besides
	By   string // metric that makes a point the best; "" = the first objective
	Runs int    // fresh replicates of each point; 0 = as many as the study has, at least 5
	Jobs int    // simulations at a time, at least 1

	Progress func(Progress) // as in Options

	newSimulate func() Simulate // nil = the simulator; tests give others
}

// Confirmation says whether the winners of a study hold up.
type Confirmation = confirm.Report

// Confirm runs the winners of finished results on replicates that the study did
// not use, and says how much of their lead was luck. It leaves confirm.json
// beside the results. Errors are as those of Show.
func Confirm(ctx context.Context, o ConfirmOptions) (*Confirmation, error) {
	in := confirm.Options{Dir: o.Dir, Top: o.Top, By: o.By, Runs: o.Runs, Jobs: o.Jobs, Simulate: o.newSimulate}
	if in.Simulate == nil {
		in.Simulate = simulators(core.NewCapacities(), nil)
	}
	if o.Progress != nil {
		told, fresh := &pace.Pace{}, in.Simulate
		in.Simulate = func() Simulate { return told.Watch(fresh()) }
		in.Progress = func(done, total, failed int) {
			o.Progress(Progress{done, total, failed, told.Left(done, total), told.Rate()})
		}
	}
	return confirm.Run(ctx, in)
}

// Difference is what differs between two folders of results.
type Difference = diff.Report

// DiffOptions is what Diff compares.
type DiffOptions = diff.Options

// Diff compares two folders of results. Errors are *InputError, ErrForeign or the
// context's.
func Diff(ctx context.Context, o DiffOptions) (*Difference, error) {
	return prompt.Call(ctx, func() (*Difference, error) { return diff.Run(o) })
}

// Starts are the names of the studies to start from.
func Starts() []string { return slices.Clone(start.Names) }

// Start returns the text of a study to start from; false for a name that is
// none.
func Start(name string) (string, bool) { return start.Study(name) }
