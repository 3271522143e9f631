package engine

import (
	"context"
	"math"
	"slices"
	"testing"

	"scoville/core/hardware"
	"scoville/core/metrics"
	"scoville/core/perf"
	"scoville/core/workload"
)

// trials returns the number of random trials of a property.
func trials() int {
	if testing.Short() {
		return 100
	}
	return 1000
}

// both runs requests both ways and returns Run's output.
func both(t *testing.T, m *perf.Machine, cfg Config, reqs []workload.Request) *Output {
	t.Helper()
	var want Output
	if err := Plain(context.Background(), m, cfg, reqs, &want); err != nil {
		t.Fatalf("plain: %v", err)
	}
	got := run(t, m, cfg, reqs)
	if diff := difference(got, &want); diff != "" {
		t.Error(diff)
	}
	return got
}

// run runs requests on a fresh engine.
func run(t *testing.T, m *perf.Machine, cfg Config, reqs []workload.Request) *Output {
	t.Helper()
	var e Engine
	var out Output
	if err := cfg.Fits(reqs); err != nil {
		t.Fatal(err)
	}
	if err := e.Run(context.Background(), m, cfg, reqs, &out); err != nil {
		t.Fatal(err)
	}
	return &out
}

// TestBounds holds every run against what no machine can exceed: utilisations,
// the pool, Little's law for the batch, and per request the time it takes alone
// on the same machine at datasheet peaks with no host.
func TestBounds(t *testing.T) {
	const eps = 1e-9
	for seed := range uint64(trials()) {
		tr := newTrial(seed)
		out := run(t, tr.m, tr.cfg, tr.reqs)
		for r, busy := range out.Busy {
			if busy > out.End*(1+eps) {
				t.Errorf("seed %d: %v busy %g s of %g", seed, perf.Resource(r), busy, out.End)
			}
		}
		for i, p := range out.Peaks { // the last is weight and KV memory together, one resource if they share a path
			if p > 1+eps && (i < len(tracked) || tr.sc.Hardware.KVPath == hardware.Shared) {
				t.Errorf("seed %d: utilisation %d in a window is %g", seed, i, p)
			}
		}
		if out.PeakBlocks > tr.cfg.Blocks || out.TokenArea > float64(out.PeakBlocks*tr.cfg.BlockSize)*out.Active*(1+eps) {
			t.Errorf("seed %d: %d blocks of %d used, %g tokens held on average", seed, out.PeakBlocks, tr.cfg.Blocks, out.TokenArea/out.Active)
		}
		served := 0.0
		for i := range out.Requests {
			r := &out.Requests[i]
			served += r.Finish - tr.cfg.client(int32(i)) - r.Scheduled
		}
		if short := served - out.RunArea; short < -eps*served || out.Preemptions == 0 && short > eps*max(served, out.End) {
			t.Errorf("seed %d: sequences run %g s by request, %g s by time", seed, served, out.RunArea)
		}
		if tr.cfg.Prefixes == 0 {
			tr.atLeastAlone(t, seed, out)
		}
		if t.Failed() {
			return
		}
	}
}

// atLeastAlone compares each request with a run of it alone on an ideal machine.
func (tr *trial) atLeastAlone(t *testing.T, seed uint64, out *Output) {
	sc := tr.sc
	h := &sc.Hardware
	h.ComputeUtil, h.ExpertComputeUtil, h.AttentionComputeUtil, h.WeightBandwidthUtil, h.KVBandwidthUtil, h.LinkUtil = 1, 1, 1, 1, 1, 1
	h.DRAMUtilCap, h.TokensHalf, h.AdapterLatencyUs = 1, 0, 0
	sc.Engine.StepUs, sc.Engine.LayerUs, sc.Engine.SequenceUs, sc.Engine.PrefillStepUs = 0, 0, 0, 0
	sc.Engine.PrefillLaunch, h.GEMMLargeLoss = 0, 0
	ideal := perf.New(&sc)
	cfg := Config{MaxSeqs: 1, MaxTokens: math.MaxInt32, BlockSize: 16, Blocks: math.MaxInt32}
	var e Engine
	var alone Output
	for i := range out.Requests[:min(len(out.Requests), 10)] {
		r := &out.Requests[i]
		q := []workload.Request{{Prompt: r.Prompt, Output: r.Output}}
		if err := e.Run(context.Background(), ideal, cfg, q, &alone); err != nil {
			t.Fatal(err)
		}
		b := &alone.Requests[0]
		if r.TTFT() < b.TTFT()*(1-1e-9) || r.E2E() < b.E2E()*(1-1e-9) {
			t.Errorf("seed %d: request %d takes %g s, first token after %g s; alone at peak rates %g s and %g s", seed, i, r.E2E(), r.TTFT(), b.E2E(), b.TTFT())
		}
	}
}

// TestArrivalsSeeTimeAverages: Poisson arrivals find on average as many requests
// waiting as there are over time, and Little's law ties those in the system to
// rate and time in system.
func TestArrivalsSeeTimeAverages(t *testing.T) {
	g := workload.Generator{Rate: 100, Count: 20_000, Seed: 3, Spec: &workload.Spec{Arrival: workload.Poisson, Class: []workload.Class{
		{Prompt: workload.Dist{Kind: workload.LogNormal, Mean: 8, CV: 1, Max: 64}, Output: workload.Dist{Kind: workload.LogNormal, Mean: 12, CV: 1, Max: 100}},
	}}}
	reqs := g.Append(nil)
	for name, cfg := range schedulers {
		cfg.MaxSeqs, cfg.MaxTokens, cfg.Blocks, cfg.BlockSize, cfg.BatchWindow, cfg.BucketTokens = 8, 256, 1000, 16, 0.01, 16
		out := run(t, toy(), cfg, reqs)
		seen, system := 0.0, 0.0
		for i := range out.Requests {
			seen += float64(out.Requests[i].Waiting)
			system += out.Requests[i].E2E()
		}
		n := float64(len(reqs))
		mean, rate := out.SystemArea/out.End, n/out.End
		waiting := (out.SystemArea - out.RunArea) / out.End
		if math.Abs(seen/n-waiting) > 0.05*waiting+0.03 || math.Abs(rate*system/n-mean) > 1e-9*mean {
			t.Errorf("%s: %g waiting over time, %g seen by arrivals; %g in the system, rate x time %g", name, waiting, seen/n, mean, rate*system/n)
		}
	}
}

// TestCutRun: what has happened does not depend on what comes later. A run of
// the first n requests agrees with the full run in all that finished before
// request n came. (Padded batches may begin because nothing more can come, and
// closed loops have no arrivals of their own.)
func TestCutRun(t *testing.T) {
	agreed := 0
	for seed := range uint64(trials()) {
		tr := newTrial(seed)
		if tr.cfg.Batching != Iteration || tr.cfg.Closed || len(tr.reqs) < 2 {
			continue
		}
		n := 1 + int(seed)%(len(tr.reqs)-1)
		full := run(t, tr.m, tr.cfg, tr.reqs)
		part := run(t, tr.m, tr.cfg, tr.reqs[:n])
		for i := range part.Requests {
			if full.Requests[i].Finish >= tr.reqs[n].Arrival {
				continue
			}
			agreed++
			p, f := &part.Requests[i], &full.Requests[i]
			for k, v := range times(f) {
				if !close(times(p)[k], v, full.End) || p.Preemptions != f.Preemptions || p.Waiting != f.Waiting {
					t.Fatalf("seed %d: cut at %d, request %d: %+v, in the full run %+v", seed, n, i, *p, *f)
				}
			}
		}
	}
	if agreed < trials() {
		t.Errorf("only %d requests compared", agreed)
	}
}

// TestTimeScale: a machine of twice the speed in all respects, with requests
// twice as close, does the same in half the time.
func TestTimeScale(t *testing.T) {
	for seed := range uint64(trials()) {
		tr := newTrial(seed)
		tr.cfg.Phases = nil // machines of their own
		slow := run(t, tr.m, tr.cfg, tr.reqs)
		tr.speedUp()
		fast := run(t, tr.m, tr.cfg, tr.reqs)
		if slow.Steps != fast.Steps || slow.Preemptions != fast.Preemptions || slow.Computed != fast.Computed || slow.Hit != fast.Hit {
			t.Fatalf("seed %d: %d steps, %d preemptions; twice as fast %d, %d", seed, slow.Steps, slow.Preemptions, fast.Steps, fast.Preemptions)
		}
		for i := range slow.Requests {
			s, f := times(&slow.Requests[i]), times(&fast.Requests[i])
			for k := range s {
				if !close(s[k], 2*f[k], slow.End) {
					t.Fatalf("seed %d: request %d: %v; twice as fast %v", seed, i, s, f)
				}
			}
		}
		if !close(slow.SystemArea, 2*fast.SystemArea, 0) || !close(slow.Active, 2*fast.Active, 0) || !close(slow.FLOPs, fast.FLOPs, 0) {
			t.Fatalf("seed %d: areas %g and %g", seed, slow.SystemArea, fast.SystemArea)
		}
	}
}

func times(r *metrics.Request) []float64 {
	return []float64{r.Arrival, r.Scheduled, r.First, r.Finish, r.Host, r.Queue, r.Blocked, r.Prefill, r.Adapter}
}

// speedUp doubles every rate of the trial and halves every time.
func (tr *trial) speedUp() {
	h, e, c := &tr.sc.Hardware, &tr.sc.Engine, &tr.cfg
	for _, rate := range []*float64{&h.Peak.INT8, &h.MemoryBandwidthGBs, &h.WeightBandwidthGBs, &h.StateBandwidthGBs, &h.OnchipKVGBs, &h.LinkBandwidthGBs, &h.PCIeGBs, &h.AdapterPeakTFLOPS} {
		*rate *= 2
	}
	for _, time := range []*float64{&h.LinkLatencyUs, &h.AdapterLatencyUs, &e.StepUs, &e.LayerUs, &e.SequenceUs, &e.PrefillStepUs, &e.PrefillLaunch, &e.SamplingUs, &e.LaunchUs, &h.KVAccessUs, &c.BatchWindow, &c.Frontend, &c.Client, &c.Think, &c.Ingress, &c.Cold, &c.Jitter} {
		*time /= 2
	}
	tr.m = perf.New(&tr.sc)
	c.Phases = nil
	tr.reqs = slices.Clone(tr.reqs)
	for i := range tr.reqs {
		tr.reqs[i].Arrival /= 2
	}
}
