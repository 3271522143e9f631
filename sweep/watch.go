package sweep

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"scoville/sweep/again"
	"scoville/sweep/prompt"
	"scoville/sweep/results"
	"scoville/sweep/shard"
	"scoville/sweep/status"
	"scoville/sweep/submit"
)

// Status is how far a sweep is.
type Status = status.Report

// StatusOf looks at a folder of results, also while it is written to, or at a copy of
// one; the user knows it as name. Errors are *InputError or ErrForeign.
func StatusOf(ctx context.Context, dir, name string, now time.Time) (*Status, error) {
	r, err := prompt.Call(ctx, func() (*Status, error) { return status.Of(ctx, dir, name, now) })
	switch {
	case err == nil, ctx.Err() != nil, errors.Is(err, results.ErrForeign):
		return r, err
	case errors.Is(err, os.ErrNotExist):
		err = fmt.Errorf("%s holds no results, no beginning of them, and no shards", name)
	}
	return nil, again.Input(err)
}

// SubmitOptions is what a cluster gets to run; Name is filled in.
type SubmitOptions = submit.Options

// Submission is what was written for a cluster.
type Submission = submit.Job

// Submit writes what a cluster needs to run a study in shards, and with start
// submits it, with the words of its programs on out. Errors of the options are
// *InputError.
func Submit(ctx context.Context, o SubmitOptions, start bool, out io.Writer) (*Submission, error) {
	p, err := LoadContext(ctx, o.Study, o.Set)
	if err != nil {
		return nil, err
	}
	if err := shard.Check(p); err != nil {
		return nil, again.Input(err)
	}
	o.Name = p.Study.Name
	if o.Dir == "" || o.Remote && o.Files == "" {
		folder, err := p.Study.Folder()
		if err != nil {
			return nil, again.Input(err)
		}
		if o.Remote {
			o.Files = filepath.Join(folder, submit.Folder)
		} else {
			o.Dir = folder
		}
	}
	job, err := submit.Write(o)
	if err != nil {
		return nil, again.Input(err)
	}
	if start {
		err = job.Start(ctx, out)
	}
	return job, err
}
