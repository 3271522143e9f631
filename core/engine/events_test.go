package engine

import (
	"context"
	"fmt"
	"testing"
)

// ledger follows a run by its events alone and remembers the first rule broken.
type ledger struct {
	cfg  *Config
	tr   *trial
	fate []fate

	now             float64
	running         int
	next            int32 // first come, first served: the next request to begin
	steps, prompt   int64
	worked, dropped int64
	err             error
}

// fate is what has happened to a request.
type fate struct {
	arrived, runs, spoke, finished bool
	preempted                      int32
}

func (l *ledger) demand(ok bool, ev Event, rule string) {
	if !ok && l.err == nil {
		l.err = fmt.Errorf("%g s: %v: %s", ev.At, ev, rule)
	}
}

func (l *ledger) note(ev Event) {
	if ev.Kind == Arrive { // told late, when the engine next looks
		ev.At = max(ev.At, l.now)
	}
	l.demand(ev.At >= l.now, ev, "time runs backwards")
	l.now = ev.At
	switch ev.Kind {
	case Steps:
		l.step(ev)
		return
	case Change:
		l.demand(ev.N >= 1 && ev.N <= len(l.cfg.Phases) && ev.At >= l.cfg.Phases[ev.N-1].From-simultaneous, ev, "no machine changes before its time")
		return
	}
	f := &l.fate[ev.ID]
	l.demand(!f.finished, ev, "a request is answered once, and then rests")
	switch ev.Kind {
	case Arrive:
		l.demand(!f.arrived, ev, "a request arrives once")
		f.arrived = true
	case Admit:
		l.demand(f.arrived && !f.runs, ev, "only what waits is admitted")
		if l.cfg.Order == FCFS && l.cfg.Batching != Bucketed && f.preempted == 0 {
			l.demand(ev.ID == l.next, ev, "first come, first served")
			l.next++
		}
		f.runs = true
		l.running++
		l.demand(l.running <= l.cfg.MaxSeqs, ev, "at most max_num_seqs run")
	case First:
		l.demand(f.runs && !f.spoke, ev, "a first token comes once, from what runs")
		f.spoke = true
	case Preempt:
		l.demand(f.runs, ev, "only what runs is preempted")
		f.runs = false
		f.preempted++
		l.running--
		l.dropped += int64(ev.N)
	case Finish:
		l.demand(f.runs && f.spoke && ev.N == int(l.tr.reqs[ev.ID].Output), ev, "an answer is whole")
		f.runs, f.finished = false, true
		l.running--
	}
}

func (l *ledger) step(ev Event) {
	l.demand(ev.N > 0 && ev.Decodes <= l.running, ev, "what decodes runs")
	if l.cfg.Batching == Iteration {
		l.demand(ev.Decodes+ev.Prompt <= l.cfg.MaxTokens, ev, "at most max_num_batched_tokens in a step")
	}
	if l.cfg.PrefillFirst {
		l.demand(ev.Decodes == 0 || ev.Prompt == 0, ev, "prompts and decodes are apart")
	}
	l.steps += int64(ev.N)
	l.prompt += int64(ev.N) * int64(ev.Prompt)
	l.worked += int64(ev.N) * int64(ev.Prompt+ev.Decodes)
}

// close compares the events with the totals of the run.
func (l *ledger) close(out *Output) error {
	n := int64(len(l.tr.reqs))
	for i, f := range l.fate {
		if !f.finished || f.preempted != out.Requests[i].Preemptions {
			return fmt.Errorf("request %d ends as %+v", i, f)
		}
	}
	switch {
	case l.err != nil:
		return l.err
	case l.steps != out.Steps:
		return fmt.Errorf("%d steps seen, %d counted", l.steps, out.Steps)
	case l.cfg.Batching == Iteration && l.prompt != out.Computed:
		return fmt.Errorf("%d prompt tokens seen, %d counted", l.prompt, out.Computed)
	case l.cfg.Batching != Iteration && l.worked != out.Computed+out.Padded+out.Emitted-n:
		return fmt.Errorf("%d tokens seen, %d prompt + %d padded + %d output counted", l.worked, out.Computed, out.Padded, out.Emitted)
	case l.cfg.Prefixes == 0 && !l.cfg.Swap && l.dropped != out.Lost:
		return fmt.Errorf("%d tokens seen lost, %d counted", l.dropped, out.Lost)
	}
	return nil
}

// TestEvents follows random runs event by event: every request arrives, begins,
// speaks and is answered once, limits hold in every step, and the totals are
// those of the events. Watching changes nothing.
func TestEvents(t *testing.T) {
	var e Engine
	for seed := range uint64(trials()) {
		tr := newTrial(seed)
		want := run(t, tr.m, tr.cfg, tr.reqs)
		l := ledger{cfg: &tr.cfg, tr: &tr, fate: make([]fate, len(tr.reqs))}
		cfg := tr.cfg
		cfg.Trace = l.note
		var out Output
		if err := e.Run(context.Background(), tr.m, cfg, tr.reqs, &out); err != nil {
			t.Fatal(err)
		}
		if err := l.close(&out); err != nil {
			t.Fatalf("seed %d: %v\n%+v", seed, err, tr.cfg)
		}
		if diff := difference(&out, want); diff != "" {
			t.Fatalf("seed %d: watched (run) and not (plain): %s", seed, diff)
		}
	}
}
