package core

import (
	"math"
	"testing"

	"scoville/core/hardware"
	"scoville/core/metrics"
	"scoville/core/scenario"
	"scoville/core/workload"
)

// metric returns a metric of an ok run.
func metric(t *testing.T, r Result, name string) float64 {
	t.Helper()
	i, ok := metrics.Index(name)
	if !ok || r.Status != OK {
		t.Fatalf("%s: known %v, status %s: %s", name, ok, r.Status, r.Reason)
	}
	return r.Summary[i]
}

// about checks a value to a relative tolerance.
func about(t *testing.T, what string, got, want, tolerance float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tolerance*math.Abs(want)) {
		t.Errorf("%s is %.6g, want %.6g within %g", what, got, want, tolerance)
	}
}

// single is one request at a time on the reference chip, a decode step of 1.12 +
// 0.02 ms each.
func single(t *testing.T, n int, set map[string]any) *scenario.Scenario {
	t.Helper()
	sc := reference(t, set)
	sc.Workload.Arrival, sc.Workload.RateRPS, sc.Workload.Concurrent, sc.Workload.Requests = workload.Closed, 0, 1, n
	sc.Workload.Class[0].Output = workload.Dist{Kind: workload.Fixed, Mean: 101}
	return sc
}

// TestDerateSlowsWhatItNames: half the weight bandwidth for all of a run is the
// machine with half of it; for a while it costs what the steps in it cost more,
// and nothing for the other rates of a weight-bound machine. The capacity is
// that of the undisturbed machine.
func TestDerateSlowsWhatItNames(t *testing.T) {
	fault := func(d ...hardware.Derate) *scenario.Scenario {
		sc := single(t, 20, nil)
		sc.Derate = d
		return sc
	}
	tpot := func(sc *scenario.Scenario) float64 { return metric(t, simulate(t, sc, Options{}), "tpot_mean_ms") }
	plain, half := tpot(fault()), single(t, 20, nil)
	half.Hardware.WeightBandwidthGBs /= 2
	slow := tpot(half)
	about(t, "TPOT with half the weight bandwidth", slow-0.02, 2*(plain-0.02), 1e-9)
	weights := hardware.Derate{Path: "hardware.weight_bandwidth_gb_s", Factor: 0.5, ToS: 1e9}
	about(t, "TPOT with a fault that never ends", tpot(fault(weights)), slow, 1e-12)
	twice := weights
	twice.Factor = math.Sqrt(0.5)
	about(t, "TPOT with two faults at once", tpot(fault(twice, twice)), slow, 1e-9)
	other := weights
	other.Path = "hardware.state_bandwidth_gb_s"
	about(t, "TPOT with a fault of another path", tpot(fault(other)), plain, 1e-12)
	none := weights
	none.Factor = 1
	about(t, "TPOT with factor 1", tpot(fault(none)), plain, 0)

	while := weights
	while.FromS, while.ToS = 0.5, 1.5
	sc := fault(while)
	r := simulate(t, sc, Options{})
	// In the second of the fault as many steps run as fit at half the rate, and the
	// run is longer by what they take more. Prompts are compute-bound and lose nothing.
	longer := r.SimS - simulate(t, fault(), Options{}).SimS
	if longer < 0.35 || longer > 0.5 {
		t.Errorf("a fault of 1 s at half the rate makes the run %.3g s longer", longer)
	}
	if p := simulate(t, sc, Options{Plain: true}); math.Abs(p.SimS-r.SimS) > 1e-9*r.SimS {
		t.Errorf("plain %v s, jump %v s", p.SimS, r.SimS)
	}
	open, faulty := reference(t, nil), reference(t, nil)
	faulty.Derate = []hardware.Derate{weights}
	if a, b := simulate(t, open, Options{}), simulate(t, faulty, Options{}); a.CapacityRPS != b.CapacityRPS || metric(t, b, "tpot_mean_ms") < 1.3*metric(t, a, "tpot_mean_ms") {
		t.Errorf("capacity %v, with a fault %v; TPOT %v, %v", a.CapacityRPS, b.CapacityRPS, metric(t, a, "tpot_mean_ms"), metric(t, b, "tpot_mean_ms"))
	}
}

// TestColdStart: the first request waits for it once, and nobody else.
func TestColdStart(t *testing.T) {
	warm, cold := single(t, 10, nil), single(t, 10, map[string]any{"engine.cold_start_ms": 700.0})
	a, b := simulate(t, warm, Options{}), simulate(t, cold, Options{})
	about(t, "rise of the largest TTFT", metric(t, b, "ttft_max_ms")-metric(t, a, "ttft_max_ms"), 700, 1e-9)
	about(t, "rise of the mean TTFT of 10", metric(t, b, "ttft_mean_ms")-metric(t, a, "ttft_mean_ms"), 70, 1e-9)
	about(t, "rise of the host's part", metric(t, b, "ttft_host_mean_ms")-metric(t, a, "ttft_host_mean_ms"), 70, 1e-9)
	about(t, "median TTFT", metric(t, b, "ttft_p50_ms"), metric(t, a, "ttft_p50_ms"), 1e-9)
	about(t, "TPOT", metric(t, b, "tpot_mean_ms"), metric(t, a, "tpot_mean_ms"), 1e-9)
}

// TestAllocatorJitter: a KV cache that grows costs its mean per step, and the
// rarer the waits the wider the spread of the gaps: 12 +- 5 ms against 11.2 of
// a static cache is a mean of 0.8 ms in one step of 20.
func TestAllocatorJitter(t *testing.T) {
	static := map[string]any{"engine.step_overhead_us": 10060.0}
	base := simulate(t, single(t, 200, static), Options{})
	about(t, "TPOT of a static cache", metric(t, base, "tpot_mean_ms"), 11.2, 2e-3)
	if sd := metric(t, base, "tpot_sd_ms"); sd > 1e-9 {
		t.Errorf("standard deviation of a static cache: %v ms", sd)
	}
	for _, p := range []float64{1, 0.05} {
		grown := single(t, 200, map[string]any{"engine.step_overhead_us": 10060.0, "engine.allocator_jitter_us": 800.0, "engine.allocator_jitter_probability": p})
		r := simulate(t, grown, Options{})
		about(t, "TPOT of a growing cache", metric(t, r, "tpot_mean_ms"), 12, 0.01)
		about(t, "rise of the host's part", metric(t, r, "tpot_host_mean_ms")-metric(t, base, "tpot_host_mean_ms"), 0.8, 0.1)
		// A TPOT is the mean of 100 steps: its spread is a tenth of theirs.
		about(t, "standard deviation of a step in ms", 10*metric(t, r, "tpot_sd_ms"), 0.8*math.Sqrt(2/p-1), 0.2)
		again := simulate(t, grown, Options{Plain: true})
		about(t, "TPOT step by step", metric(t, again, "tpot_mean_ms"), metric(t, r, "tpot_mean_ms"), 1e-9)
	}
}

// TestIngress: on an idle machine TTFT holds the whole ingress, or none of it
// with the clock behind it. A request that would have waited anyway waits for
// both at once and is not billed twice.
func TestIngress(t *testing.T) {
	run := func(concurrent int, set map[string]any) Result {
		sc := single(t, 64, set)
		sc.Workload.Concurrent = concurrent
		sc.Engine.MaxNumSeqs = 1
		return simulate(t, sc, Options{})
	}
	in, out := map[string]any{"engine.ingress_ms": 42.0}, map[string]any{"engine.ingress_ms": 42.0, "engine.ingress": "outside-ttft"}
	ttft := func(r Result) float64 { return metric(t, r, "ttft_mean_ms") }
	idle := run(1, nil)
	about(t, "TTFT alone, ingress in it", ttft(run(1, in))-ttft(idle), 42, 1e-9)
	about(t, "host's part of it", metric(t, run(1, in), "ttft_host_mean_ms"), 42, 1e-9)
	about(t, "TTFT alone, ingress outside", ttft(run(1, out)), ttft(idle), 1e-9)
	about(t, "throughput alone, wherever the clock starts", metric(t, run(1, out), "throughput_rps"), metric(t, run(1, in), "throughput_rps"), 0.01)
	// Four in flight on a machine for one: the others wait for three answers of
	// 141 ms each, longer than their ingress.
	busy, both := run(4, nil), run(4, in)
	if rise := ttft(both) - ttft(busy); rise > 3 {
		t.Errorf("ingress of 42 ms behind a queue of %.0f ms costs %.3g ms of TTFT", metric(t, busy, "ttft_queue_mean_ms"), rise)
	}
	if fall := metric(t, busy, "ttft_queue_mean_ms") - metric(t, both, "ttft_queue_mean_ms"); fall < 39 {
		t.Errorf("the queue takes over %.3g ms of an ingress of 42", fall)
	}
}
