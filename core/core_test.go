package core

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"

	"scoville/core/metrics"
	"scoville/core/perf"
	"scoville/core/scenario"
	"scoville/core/workload"
)

// reference resolves the reference design with a mix of short requests, each
// given key changed.
func reference(t *testing.T, set map[string]any) *scenario.Scenario {
	t.Helper()
	values := []scenario.Assignment{
		{Path: "model.name", Value: "llama-2-7b"},
		{Path: "model.weight_dtype", Value: "int8"},
		{Path: "model.kv_dtype", Value: "int8"},
		{Path: "hardware.name", Value: "jalapeno"},
		{Path: "engine.max_num_seqs", Value: 16},
		{Path: "workload.requests", Value: 1000},
		{Path: "workload.rate_rps", Value: 4.0},
	}
	for k, v := range set {
		values = append(values, scenario.Assignment{Path: k, Value: v})
	}
	r, err := scenario.NewCatalog(".").Resolve(scenario.Layer{Name: "test", Values: values})
	if err != nil {
		t.Fatal(err)
	}
	sc := r.Scenario
	if len(sc.Workload.Class) == 0 {
		sc.Workload.Class = []workload.Class{{
			Name: "short", Share: 1, Prompt: workload.Dist{Kind: workload.Fixed, Mean: 128},
			Output: workload.Dist{Kind: workload.LogNormal, Mean: 256, CV: 0.8, Max: 2048},
		}}
	}
	var infeasible *scenario.InfeasibleError
	if err := sc.Validate(); err != nil && !errors.As(err, &infeasible) {
		t.Fatal(err)
	}
	return &sc
}

func simulate(t *testing.T, sc *scenario.Scenario, o Options) Result {
	t.Helper()
	r, err := Simulate(context.Background(), sc, o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestPublishedMixIsSaturated: three classes at 4 requests/s with shares that
// give the published mean TTFT load the chip far beyond its capacity of about
// 1.7 requests/s, and the run says so by itself.
func TestPublishedMixIsSaturated(t *testing.T) {
	sc := reference(t, nil)
	out := workload.Dist{Kind: workload.Fixed, Mean: 256}
	sc.Workload.Class = []workload.Class{
		{Name: "short", Share: 0.5, Prompt: workload.Dist{Kind: workload.Fixed, Mean: 128}, Output: out},
		{Name: "medium", Share: 0.25, Prompt: workload.Dist{Kind: workload.Fixed, Mean: 2048}, Output: out},
		{Name: "long", Share: 0.25, Prompt: workload.Dist{Kind: workload.Fixed, Mean: 8192}, Output: out},
	}
	r := simulate(t, sc, Options{})
	if r.Status != OK || r.Steady != metrics.No {
		t.Fatalf("status %s, steady %v", r.Status, r.Steady)
	}
	if r.LoadRatio < 2 || r.LoadRatio > 4 {
		t.Errorf("load ratio %.2f, arithmetic says about 2.4 plus decode", r.LoadRatio)
	}
}

// TestNames: the columns of metrics are in the order of the step model.
func TestNames(t *testing.T) {
	for i, name := range metrics.StageNames {
		if perf.Stage(i).String() != name {
			t.Errorf("stage %d is %s in results, %s in the step model", i, name, perf.Stage(i))
		}
	}
	for i, name := range metrics.ResourceNames {
		if perf.Resource(i).String() != name {
			t.Errorf("resource %d is %s in results, %s in the step model", i, name, perf.Resource(i))
		}
	}
}

// TestLoad: workload.load sets the rate to that share of the capacity.
func TestLoad(t *testing.T) {
	sc := reference(t, nil)
	sc.Workload.RateRPS, sc.Workload.Load = 0, 0.6
	r := simulate(t, sc, Options{})
	if math.Abs(r.LoadRatio-0.6) > 1e-12 || r.Steady != metrics.Yes {
		t.Errorf("load ratio %g, steady %v", r.LoadRatio, r.Steady)
	}
	twice := simulate(t, sc, Options{Replicate: 1})
	if twice.CapacityRPS != r.CapacityRPS {
		t.Errorf("capacity differs between replicates: %g, %g", r.CapacityRPS, twice.CapacityRPS)
	}
}

// TestMonotoneRun: more bandwidth, compute or memory never raises the mean
// latency of a run at a fixed rate with the same requests.
func TestMonotoneRun(t *testing.T) {
	base := simulate(t, reference(t, nil), Options{})
	for _, k := range []string{"hardware.weight_bandwidth_gb_s", "hardware.state_bandwidth_gb_s", "hardware.onchip_kv_mib", "hardware.peak_tflops.int8"} {
		sc := reference(t, nil)
		v, err := sc.Get(k)
		if err != nil {
			t.Fatal(err)
		}
		if err := sc.Set(k, v.(float64)*1.25); err != nil {
			t.Fatal(err)
		}
		better := simulate(t, sc, Options{})
		for _, m := range []string{"e2e_mean_ms", "tpot_mean_ms"} {
			if get(t, better, m) > get(t, base, m)*(1+1e-9) {
				t.Errorf("25 %% more %s raises %s from %g to %g", k, m, get(t, base, m), get(t, better, m))
			}
		}
	}
}

// TestDeterminism: a simulator's history does not leak into a run, and the
// plain stepper agrees.
func TestDeterminism(t *testing.T) {
	s := NewSimulator(NewCapacities())
	sc := reference(t, nil)
	first, err := s.Run(context.Background(), sc, Options{Seed: 7})
	if err != nil {
		t.Fatal(err)
	}
	other := reference(t, map[string]any{"engine.max_num_seqs": 2, "workload.requests": 77})
	if _, err := s.Run(context.Background(), other, Options{Seed: 8}); err != nil {
		t.Fatal(err)
	}
	second, err := s.Run(context.Background(), sc, Options{Seed: 7})
	if err != nil {
		t.Fatal(err)
	}
	plain := simulate(t, sc, Options{Seed: 7, Plain: true})
	for i, c := range metrics.Columns() {
		a, b, p := first.Summary[i], second.Summary[i], plain.Summary[i]
		if a != b && !(math.IsNaN(a) && math.IsNaN(b)) {
			t.Errorf("%s: %v, then %v", c.Name, a, b)
		}
		if math.Abs(a-p) > 1e-9*math.Max(math.Abs(a), 1e-3) {
			t.Errorf("%s: jump %v, plain %v", c.Name, a, p)
		}
	}
}

// TestInfeasible: what cannot run says why, with every part named.
func TestInfeasible(t *testing.T) {
	for _, c := range []struct {
		set  map[string]any
		want []string
	}{
		{map[string]any{"model.name": "llama-2-70b"}, []string{"does not fit", "weights", "workspace", "usable"}},
		{map[string]any{"engine.kv_blocks": 10}, []string{"cannot hold one request", "KV blocks"}},
		{map[string]any{"engine.kv_blocks": 100_000_000}, []string{"kv_blocks", "do not fit"}},
		{map[string]any{"model.activation_dtype": "fp8"}, []string{"no fp8 units"}},
		{map[string]any{"engine.tp": 3, "hardware.link_bandwidth_gb_s": 1.0}, []string{"engine.tp = 3", "32 heads"}},
		{map[string]any{"workload.requests": 90_000_000}, []string{"at most"}},
	} {
		sc := reference(t, c.set)
		r := simulate(t, sc, Options{})
		if r.Status != Infeasible {
			t.Errorf("%v: status %s", c.set, r.Status)
		}
		for _, w := range c.want {
			if !strings.Contains(r.Reason, w) {
				t.Errorf("%v: reason %q lacks %q", c.set, r.Reason, w)
			}
		}
	}
}

// TestCancel: a cancelled context stops a run with its error.
func TestCancel(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	sc := reference(t, map[string]any{"workload.requests": 100_000})
	if _, err := Simulate(ctx, sc, Options{}); err == nil {
		t.Error("no error from a cancelled context")
	}
}

// TestReplicas: two replicas have twice the capacity of one, and serve the same
// load with the same utilisation and no more waiting.
func TestReplicas(t *testing.T) {
	at := func(dp int) Result {
		sc := reference(t, map[string]any{"engine.dp": dp, "engine.routing": "least-loaded", "workload.requests": 4000 * dp})
		sc.Workload.RateRPS, sc.Workload.Load = 0, 0.7
		return simulate(t, sc, Options{})
	}
	one, two := at(1), at(2)
	if r := two.CapacityRPS / one.CapacityRPS; math.Abs(r-2) > 0.1 {
		t.Errorf("capacity grows %.3f-fold", r)
	}
	for _, m := range []string{"compute_util_mean_ratio", "busy_ratio", "output_tok_s_per_chip"} {
		if r := get(t, two, m) / get(t, one, m); math.Abs(r-1) > 0.1 {
			t.Errorf("%s changes %.3f-fold", m, r)
		}
	}
	for _, m := range []string{"ttft_queue_mean_ms", "tpot_mean_ms"} { // pooling evens out
		if a, b := get(t, one, m), get(t, two, m); b > a {
			t.Errorf("%s is %g behind a router with two replicas, %g with one", m, b, a)
		}
	}
}

// TestSpeculative: with drafts that are free and cost nothing to verify, tokens
// per step follow (1 - a^(k+1)) / (1 - a) (Leviathan, Kalman, Matias 2023), and
// drafts that are never right change nothing but the verification.
func TestSpeculative(t *testing.T) {
	tpot := func(k int, a float64) float64 {
		sc := reference(t, map[string]any{
			"engine.speculative_tokens": k, "engine.speculative_acceptance": a, "engine.max_num_seqs": 1,
			"workload.rate_rps": 0.5, "hardware.peak_tflops.int8": 1e6, "workload.requests": 300,
		})
		sc.Workload.Class[0].Output = workload.Dist{Kind: workload.Fixed, Mean: 1000}
		return get(t, simulate(t, sc, Options{}), "tpot_mean_ms")
	}
	plain := tpot(0, 0)
	for _, c := range []struct {
		k int
		a float64
	}{{3, 0}, {3, 0.7}, {1, 0.5}, {5, 0.9}, {3, 1}} {
		want := 1 + float64(c.k)
		if c.a < 1 {
			want = (1 - math.Pow(c.a, float64(c.k+1))) / (1 - c.a)
		}
		if got := plain / tpot(c.k, c.a); math.Abs(got/want-1) > 0.02 {
			t.Errorf("%d drafts accepted with %g: %.3f tokens a step, theory %.3f", c.k, c.a, got, want)
		}
	}
}

// TestSwap: with a fast host link, preempted requests come back without being
// computed again, and moving them costs the time of their bytes.
func TestSwap(t *testing.T) {
	at := func(how string) Result {
		return simulate(t, reference(t, map[string]any{
			"engine.preemption": how, "hardware.pcie_gb_s": 64.0, "engine.kv_blocks": 200, "engine.watermark": 0.0, "workload.rate_rps": 6.0,
		}), Options{})
	}
	recompute, swap := at("recompute"), at("swap")
	if get(t, recompute, "preemptions_count") == 0 || get(t, recompute, "recomputed_tok_ratio") == 0 || get(t, recompute, "time_swap_ratio") != 0 {
		t.Errorf("recompute: %v preemptions, %v recomputed", get(t, recompute, "preemptions_count"), get(t, recompute, "recomputed_tok_ratio"))
	}
	if get(t, swap, "preemptions_count") == 0 || get(t, swap, "recomputed_tok_ratio") != 0 || get(t, swap, "time_swap_ratio") == 0 {
		t.Errorf("swap: %v preemptions, %v recomputed, %v swapping", get(t, swap, "preemptions_count"), get(t, swap, "recomputed_tok_ratio"), get(t, swap, "time_swap_ratio"))
	}
}

// TestPrefixCaching: a long shared prompt is computed about once.
func TestPrefixCaching(t *testing.T) {
	at := func(on bool) Result {
		sc := reference(t, map[string]any{"engine.prefix_caching": on, "workload.rate_rps": 1.0})
		sc.Workload.Class[0].Prompt.Mean, sc.Workload.Class[0].Shared = 1100, 1024
		return simulate(t, sc, Options{})
	}
	off, on := at(false), at(true)
	if get(t, off, "prefix_hit_ratio") != 0 || math.Abs(get(t, on, "prefix_hit_ratio")-0.93) > 0.01 {
		t.Errorf("hit ratio %v without, %v with the cache", get(t, off, "prefix_hit_ratio"), get(t, on, "prefix_hit_ratio"))
	}
	if ratio := get(t, off, "ttft_prefill_mean_ms") / get(t, on, "ttft_prefill_mean_ms"); ratio < 8 {
		t.Errorf("prefill only %.1f times faster", ratio)
	}
}
