package engine

import (
	"math"
	"testing"

	"scoville/core/workload"
)

// TestAlone: what a request would have taken alone is what a run of it alone
// takes, whatever else was in its own run, and never more than it took.
func TestAlone(t *testing.T) {
	for seed := range uint64(trials()) {
		tr := newTrial(seed)
		tr.cfg.Spread = 0 // requests alone have numbers of their own
		out := run(t, tr.m, tr.cfg, tr.reqs)
		cfg := tr.cfg
		cfg.Cold, cfg.Jitter, cfg.Phases = 0, 0, nil
		cfg.Prefixes, cfg.Closed, cfg.Warmup, cfg.BatchWindow = 0, false, 0, 0
		for i := range out.Requests[:min(5, len(out.Requests))] {
			r := &out.Requests[i]
			a := &run(t, tr.m, cfg, []workload.Request{{Prompt: r.Prompt, Output: r.Output}}).Requests[0]
			if !close(r.AloneFirst, a.TTFT(), 0) || !close(r.AloneRest, a.Finish-a.First, 0) {
				t.Fatalf("seed %d, request %d: alone %g and %g s, said to be %g and %g s", seed, i, a.TTFT(), a.Finish-a.First, r.AloneFirst, r.AloneRest)
			}
			if tr.cfg.Prefixes == 0 && r.AloneFirst > r.TTFT()*(1+1e-9) || r.AloneRest > (r.Finish-r.First)*(1+1e-9) {
				t.Fatalf("seed %d, request %d: alone %g and %g s, with others %g and %g s", seed, i, r.AloneFirst, r.AloneRest, r.TTFT(), r.Finish-r.First)
			}
			if !close(a.Batch(), 0, a.Finish) || !close(a.PrefillRest, 0, a.Finish) {
				t.Fatalf("seed %d, request %d: alone, others take %g s in steps of decodes and %g s in prompts", seed, i, a.Batch(), a.PrefillRest)
			}
		}
	}
}

// TestPartsOfTPOT: no part of the time between first and last token is
// negative, and prompts take nothing from whoever shares no step with one. That
// the parts add up is what Plain checks of every request that it serves.
func TestPartsOfTPOT(t *testing.T) {
	interfered := 0
	for seed := range uint64(trials()) {
		tr := newTrial(seed)
		out := run(t, tr.m, tr.cfg, tr.reqs)
		for i := range out.Requests {
			r := &out.Requests[i]
			least := -1e-9 * out.End
			prompts := least
			// The longer GEMMs of a prompt hide KV access that decodes alone wait for,
			// or leave the band of slow kernels.
			if tr.sc.Engine.KVPrefetch || tr.sc.Hardware.GEMMLargeTokens > 0 {
				prompts = math.Inf(-1)
			}
			if r.Batch() < least && r.Preemptions == 0 || r.OwnRest < least || r.HostRest < least || r.AdapterRest < least || r.PrefillRest < prompts {
				t.Fatalf("seed %d, request %d: a part is negative: batch %g, %+v", seed, i, r.Batch(), *r)
			}
			if r.PrefillRest > 0 {
				interfered++
			}
		}
		if tr.cfg.MaxSeqs == 1 {
			for i := range out.Requests {
				if r := &out.Requests[i]; !close(r.Batch(), 0, out.End) || !close(r.PrefillRest, 0, out.End) {
					t.Fatalf("seed %d, request %d: others take %g and %g s of a machine for one", seed, i, r.Batch(), r.PrefillRest)
				}
			}
		}
	}
	if interfered < trials() {
		t.Errorf("only %d requests decode beside prompts", interfered)
	}
}

// TestDisturbedAlone: whoever is alone on a machine that is slower for a time,
// or that an allocator stops, waits for no others: the time is that of its own
// steps, or the host's.
func TestDisturbedAlone(t *testing.T) {
	reqs := []workload.Request{{Prompt: 100, Output: 400}, {Prompt: 50, Output: 300}}
	for _, batching := range []Batching{Iteration, Static} {
		cfg := Config{MaxSeqs: 1, MaxTokens: 512, Chunked: true, Blocks: 100, BlockSize: 16, Batching: batching}
		calm := both(t, toy(), cfg, reqs)
		first := calm.Requests[0]
		mid := (first.First + first.Finish) / 2
		slow := cfg
		slow.Phases = []Phase{{mid, toyLink(0.02)}, {first.Finish + (first.Finish-first.First)/2, toy()}}
		jitter := cfg
		jitter.Jitter, jitter.JitterOn, jitter.Noise = 1e-3, 0.1, workload.NewStream(1, 0, "jitter")
		for name, c := range map[string]Config{"slow": slow, "jitter": jitter} {
			out := both(t, toy(), c, reqs)
			for i := range out.Requests {
				r, was := &out.Requests[i], &calm.Requests[i]
				if !close(r.Batch(), 0, r.Finish) || !close(r.PrefillRest, 0, r.Finish) {
					t.Errorf("%s, request %d: others take %g and %g s", name, i, r.Batch(), r.PrefillRest)
				}
				if host, own := r.HostRest > was.HostRest+1e-3, r.OwnRest > was.OwnRest+1e-3; host != (name == "jitter") || own != (name == "slow") {
					t.Errorf("%s, request %d: host %g s, was %g; own %g s, was %g", name, i, r.HostRest, was.HostRest, r.OwnRest, was.OwnRest)
				}
			}
		}
	}
}
