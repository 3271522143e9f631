package sweep

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"scoville/sweep/again"
	"scoville/sweep/explain"
	"scoville/sweep/prompt"
	"scoville/sweep/results"
	"scoville/sweep/shell"
)

// ErrChanged says that a file that results were made of is not what it was.
var ErrChanged = again.ErrChanged

// ErrNotReproduced says that a point does not give the numbers of its tables.
var ErrNotReproduced = errors.New("the point is not reproduced")

// ShowOptions is what Show explains, and how.
type ShowOptions struct {
	Dir   string // folder of the results
	Point string // index, id, or unique beginning of an id; "" = the only point or the only baseline
	Jobs  int    // simulations at a time, at least 1
	Quick bool   // leave out the paired runs
}

// Explanation is a point, explained.
type Explanation = explain.Explanation

// Show explains one point of finished results. It simulates the point again,
// from the study in the folder and the inputs that stand where they stood, and
// compares. Errors that are the user's to mend are of type *InputError; others
// are ErrForeign, ErrChanged, or the context's. A point that is not reproduced
// is explained, and the error is ErrNotReproduced.
func Show(ctx context.Context, o ShowOptions) (*Explanation, error) {
	return prompt.Call(ctx, func() (*Explanation, error) { return show(ctx, o) })
}

func show(ctx context.Context, o ShowOptions) (*Explanation, error) {
	d, err := again.Open(o.Dir, func(all []string) []string { return all[:min(1, len(all))] })
	if err != nil {
		return nil, err
	}
	p, err := again.Load(d)
	if err != nil {
		return nil, err
	}
	point, err := choose(d, p, o.Point)
	if err != nil {
		return nil, err
	}
	runs, err := d.Runs()
	if err != nil {
		return nil, again.Input(err)
	}
	x, err := explain.Point(ctx, explain.Input{Plan: p, Point: point, Runs: runs, Jobs: o.Jobs, Quick: o.Quick})
	if err != nil {
		return nil, err
	}
	x.Rerun = rerun(d, x, p.Len() == 1)
	if x.Differs != "" {
		return x, fmt.Errorf("%w: %s", ErrNotReproduced, x.Differs)
	}
	return x, nil
}

// rerun returns commands that run the explained point alone.
func rerun(d *results.Dataset, x *Explanation, only bool) []string {
	m, file := &d.Manifest, again.Home(d)
	var lines []string
	if again.Unchanged(filepath.Dir(file), filepath.Base(file), m.StudySHA256) != nil { // edited, moved or removed since
		kept := filepath.Join(d.Dir, results.StudyFile)
		if len(m.Inputs) <= 1 {
			file = kept
		} else {
			file = filepath.Join(filepath.Dir(file), m.Study+"-"+x.ID[:8]+".toml")
			lines = append(lines, "cp "+shell.Quote(shell.Short(kept))+" "+shell.Quote(shell.Short(file))+"   # the study as it was, beside its inputs")
		}
	}
	command := "sweep run " + shell.Quote(shell.Short(file))
	if !only {
		command += " --point " + x.ID
	}
	for _, set := range m.Set {
		command += " --set " + shell.Quote(set)
	}
	return append(lines, command)
}

// Quote is a word as a shell reads it.
func Quote(word string) string { return shell.Quote(word) }
