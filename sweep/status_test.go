package sweep

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"scoville/core"
	"scoville/core/scenario"
	"scoville/sweep/memo"
	"scoville/sweep/status"
)

func statusOf(t *testing.T, dir string) (*Status, string) {
	t.Helper()
	now := time.Now()
	r, err := StatusOf(t.Context(), dir, dir, now)
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := r.Text(&b, now); err != nil {
		t.Fatal(err)
	}
	return r, b.String()
}

// What is seen during a run, after an interrupt, and at the end.
func TestStatus(t *testing.T) {
	file, dir := write(t, reference+resumed["grid"]), t.TempDir()
	if _, err := StatusOf(t.Context(), dir, dir, time.Now()); err == nil || !strings.Contains(err.Error(), "holds no results") {
		t.Error(err)
	}
	o := Options{File: file, Dir: dir, Jobs: 1}
	interrupted(t, o, 5)
	r, text := statusOf(t, dir)
	if r.State != status.Stopped || r.Planned != 18 || r.Done < 4 || r.Done == 18 || r.Writer != nil || !strings.Contains(text, "next    sweep run "+file+" -o "+dir+"\n") {
		t.Errorf("%+v\n%s", r, text)
	}
	done := r.Done
	looked := false
	fresh := simulators(core.NewCapacities(), nil)
	o.newSimulate = func() Simulate {
		sim := fresh()
		return func(ctx context.Context, sc *scenario.Scenario, opt core.Options) (core.Result, error) {
			if !looked {
				looked = true
				before, err := os.ReadFile(filepath.Join(dir, memo.File))
				r, text := statusOf(t, dir)
				after, err2 := os.ReadFile(filepath.Join(dir, memo.File))
				if r.State != status.Running || r.Done != done || r.Writer.PID != os.Getpid() || !strings.Contains(text, "running: process ") {
					t.Errorf("%+v\n%s", r, text)
				}
				if err != nil || err2 != nil || !bytes.Equal(before, after) {
					t.Error("the journal has changed")
				}
			}
			if sc.Engine.MaxNumSeqs == 3 {
				return core.Result{}, errors.New("out of luck at " + time.Now().String())
			}
			return sim(ctx, sc, opt)
		}
	}
	if _, err := Run(t.Context(), o); err != nil {
		t.Fatal(err)
	}
	r, text = statusOf(t, dir)
	if r.State != status.Finished || r.Done != 18 || r.Failed == 0 || len(r.Causes) != 1 || r.Causes[0].Runs != r.Failed || !strings.Contains(text, "--only-failed") || !strings.Contains(text, "out of luck") {
		t.Errorf("%+v\n%s", r, text)
	}
}

// A folder of shards says which are missing, and what to do.
func TestStatusOfShards(t *testing.T) {
	file, dir := write(t, reference+resumed["until"]), t.TempDir()
	o := Options{File: file, Dir: dir, Jobs: 2, Shard: "2/2"}
	if _, err := Run(t.Context(), o); err != nil {
		t.Fatal(err)
	}
	r, text := statusOf(t, dir)
	if r.State != status.Waiting || len(r.Shards) != 2 || r.Shards[0].State != status.Missing || r.Shards[1].State != status.Finished || !strings.Contains(text, "--shard 1/2\n") {
		t.Errorf("%+v\n%s", r, text)
	}
	o.Shard = "1/2"
	if _, err := Run(t.Context(), o); err != nil {
		t.Fatal(err)
	}
	if _, text = statusOf(t, dir); !strings.Contains(text, "next    sweep merge "+file+" -o "+dir+"\n") {
		t.Error(text)
	}
	o.Shard = ""
	if _, err := Merge(t.Context(), o, nil); err != nil {
		t.Fatal(err)
	}
	if r, text = statusOf(t, dir); r.State != status.Finished || strings.Contains(text, "next") {
		t.Errorf("%+v\n%s", r, text)
	}
}

// Runs that run again count as they end, though the journal knows no more runs
// than before.
func TestStatusOfOnlyFailed(t *testing.T) {
	o := Options{File: write(t, reference+"[axes]\n\"engine.max_num_seqs\" = { from = 1, to = 20, step = 1 }\n"), Dir: t.TempDir(), Jobs: 1}
	o.newSimulate = fake(func(sc *scenario.Scenario, _ core.Options) core.Result {
		if sc.Engine.MaxNumSeqs > 5 {
			panic("out of luck")
		}
		return fine(1)
	})
	if _, err := Run(t.Context(), o); err != nil {
		t.Fatal(err)
	}
	o.OnlyFailed = true
	ctx, stop := context.WithCancel(t.Context())
	runs := 0
	o.newSimulate = func() Simulate {
		return func(ctx context.Context, _ *scenario.Scenario, _ core.Options) (core.Result, error) {
			if runs++; runs > 6 {
				stop()
				return core.Result{}, ctx.Err()
			}
			return fine(1), nil
		}
	}
	if _, err := Run(ctx, o); err == nil {
		t.Fatal("not interrupted")
	}
	if r, text := statusOf(t, o.Dir); r.State != status.Stopped || r.Done != 5+6 || r.Known != 20 || r.Failed != 9 {
		t.Errorf("%+v\n%s", r, text)
	}
}

// Of many shards some commands are listed, and the others counted.
func TestStatusOfManyShards(t *testing.T) {
	o := Options{File: write(t, reference), Dir: t.TempDir(), Jobs: 1, Shard: "2/30", newSimulate: fake(func(*scenario.Scenario, core.Options) core.Result { return fine(1) })}
	if _, err := Run(t.Context(), o); err != nil {
		t.Fatal(err)
	}
	r, text := statusOf(t, o.Dir)
	if len(r.Next) != 20 || r.More != 9 || !strings.Contains(text, "--shard 21/30\n        and 9 more, of shards 22-30\n") {
		t.Errorf("%d and %d commands\n%s", len(r.Next), r.More, text)
	}
}
