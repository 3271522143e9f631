package engine

import (
	"context"
	"fmt"
	"testing"

	"scoville/core/perf"
)

// life is what a request has been in: seconds by stage, of its prompt's steps
// and of those after its first token, and how many these were.
type life struct {
	runs, spoke bool
	stages      [2][perf.NumStages]float64
	seconds     [2]float64
	steps       [2]int
}

// lives follows every request of a run through the steps it is in.
func lives(n int) ([]life, func(Event)) {
	all := make([]life, n)
	return all, func(ev Event) {
		switch ev.Kind {
		case Admit:
			all[ev.ID].runs = true
		case First:
			all[ev.ID].spoke = true
		case Preempt, Finish:
			all[ev.ID].runs = false
		case Steps:
			for i := range all {
				l := &all[i]
				if !l.runs {
					continue
				}
				k := 0
				if l.spoke {
					k = 1
				}
				ev.Cost.AddStages(float64(ev.N), &l.stages[k])
				l.seconds[k] += ev.Cost.Total.Sum(float64(ev.N))
				l.steps[k] += ev.N
			}
		}
	}
}

// TestTraceMatchesPlain: the steps that a request is in are the same of both
// engines, and without a preemption they are its time from admission to first
// and from first to last token.
func TestTraceMatchesPlain(t *testing.T) {
	var e Engine
	for seed := range uint64(trials()) {
		tr := newTrial(seed)
		var out, want Output
		jumped, cfg := tr.cfg, tr.cfg
		a, note := lives(len(tr.reqs))
		jumped.Trace = note
		if err := e.Run(context.Background(), tr.m, jumped, tr.reqs, &out); err != nil {
			t.Fatal(err)
		}
		b, note := lives(len(tr.reqs))
		cfg.Trace = note
		if err := Plain(context.Background(), tr.m, cfg, tr.reqs, &want); err != nil {
			t.Fatal(err)
		}
		for i := range a {
			if err := sameLife(&a[i], &b[i], out.End); err != nil {
				t.Fatalf("seed %d request %d: %v\n%+v", seed, i, err, tr.cfg)
			}
			r := &out.Requests[i]
			if r.Preemptions > 0 {
				continue
			}
			client := tr.cfg.client(int32(i))
			if got, want := a[i].seconds[0], r.First-client-r.Scheduled; !close(got, want, out.End) {
				t.Fatalf("seed %d request %d: its prompt's steps take %g s, from admission to first token it is %g s", seed, i, got, want)
			}
			if got, want := a[i].seconds[1], r.Finish-r.First; !close(got, want, out.End) {
				t.Fatalf("seed %d request %d: its steps take %g s, from first to last token it is %g s", seed, i, got, want)
			}
		}
	}
}

func sameLife(a, b *life, scale float64) error {
	if a.steps != b.steps {
		return fmt.Errorf("%d steps jumping, %d plain", a.steps, b.steps)
	}
	for k := range a.stages {
		for s := range a.stages[k] {
			if x, y := a.stages[k][s], b.stages[k][s]; !close(x, y, scale) {
				return fmt.Errorf("%v takes %g s jumping, %g s plain", perf.Stage(s), x, y)
			}
		}
	}
	return nil
}
