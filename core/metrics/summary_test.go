package metrics

import (
	"math"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// unitSuffix maps a column's unit to the end of its name.
var unitSuffix = map[string]string{
	"ms": "_ms", "s": "_s", "req/s": "_rps", "tok/s": "_tok_s", "ratio": "_ratio",
	"count": "_count", "sequences": "_seqs", "tokens": "_tok",
	"J/tok": "_j_per_tok", "USD/Mtok": "_usd_per_mtok",
}

func TestColumns(t *testing.T) {
	snake := regexp.MustCompile(`^[a-z][a-z0-9]*(_[a-z0-9]+)+$`)
	for i, c := range Columns() {
		if at, ok := Index(c.Name); !ok || at != i { // also: no name twice
			t.Errorf("Index(%q) is %d, %t; want %d", c.Name, at, ok, i)
		}
		if !snake.MatchString(c.Name) || strings.TrimSpace(c.Definition) == "" {
			t.Errorf("column %q, definition %q", c.Name, c.Definition)
		}
		if suffix, ok := unitSuffix[c.Unit]; !ok || !strings.HasSuffix(strings.TrimSuffix(c.Name, "_per_chip"), suffix) {
			t.Errorf("column %q does not end in the unit %q", c.Name, c.Unit)
		}
		if !slices.Contains([]string{"lower", "higher", ""}, c.Better) {
			t.Errorf("column %q: better %q", c.Name, c.Better)
		}
	}
	if _, ok := Index("ttft"); ok {
		t.Error("a family is a column")
	}
	for _, name := range []string{"ttft_p99_ms", "tpot_p50_ms", "output_tok_s_per_chip", "kv_util_mean_ratio"} {
		if _, ok := Index(name); !ok {
			t.Errorf("no column %s", name)
		}
	}
}

// handRun returns a run with a request of warm-up and three that count, small
// enough to work out by hand.
func handRun() *Run {
	r := &Run{
		Warmup: 1, Chips: 2,
		Requests: []Request{
			{Prompt: 10, Output: 3, Arrival: 0, First: 1, Finish: 2, Host: 9, Queue: 9, Blocked: 9, Prefill: 9, Adapter: 9},
			{Prompt: 100, Output: 11, Arrival: 1, First: 1.5, Finish: 2.5, Host: 0.03, Queue: 0.2, Blocked: 0.1, Prefill: 0.16, Adapter: 0.01},
			{Prompt: 50, Output: 1, Arrival: 2, First: 2.25, Finish: 2.25, Host: 0.03, Queue: 0, Blocked: 0.1, Prefill: 0.12},
			{Prompt: 30, Output: 6, Arrival: 3, First: 4, Finish: 5, Host: 0.03, Queue: 0.7, Blocked: 0.1, Prefill: 0.12, Adapter: 0.05},
		},
		Gaps: []Gap{{0.1, 0, 9, 1}, {0.2, 0, 1, 1}},
		End:  5, Active: 2.5, RunArea: 4, SystemArea: 6, TokenArea: 500, PoolTokens: 400, PeakRatio: 0.75,
		Steps: 12, Preemptions: 2, Computed: 200, Padded: 3, Lost: 22, Hit: 50, KVBytes: 8, KVOnChip: 2,
		FLOPs: 1e12, Bytes: 1e9, IdleWatts: 100, JoulePerFLOP: 1e-12, JoulePerByte: 1e-9, USDPerHour: 3.6,
	}
	for i := range r.Stages {
		r.Stages[i] = float64(i) / 8
	}
	for i := range r.Resources {
		r.Resources[i], r.Busy[i] = float64(i)/4, float64(i)
	}
	return r
}

func value(t *testing.T, s Summary, name string) float64 {
	t.Helper()
	i, ok := Index(name)
	if !ok {
		t.Fatalf("no column %s", name)
	}
	return s[i]
}

func TestSummary(t *testing.T) {
	nan := math.NaN()
	s := handRun().Summarise(nil)
	if len(s) != len(Columns()) {
		t.Fatalf("%d values of %d columns", len(s), len(Columns()))
	}
	for name, want := range map[string]float64{
		"ttft_mean_ms": 1750.0 / 3, "ttft_p50_ms": 500, "ttft_p90_ms": 900, "ttft_p95_ms": 950, "ttft_p99_ms": 990, "ttft_max_ms": 1000,
		"tpot_mean_ms": 150, "tpot_sd_ms": 100 / math.Sqrt2, "tpot_p50_ms": 150, "tpot_p99_ms": 199, "tpot_max_ms": 200,
		"itl_mean_ms": 110, "itl_p50_ms": 100, "itl_p90_ms": 110, "itl_p99_ms": 191, "itl_max_ms": 200,
		"e2e_mean_ms": 1250, "e2e_p50_ms": 1500, "e2e_max_ms": 2000,
		"ttft_host_mean_ms": 30, "ttft_queue_mean_ms": 300, "ttft_blocked_mean_ms": 100, "ttft_prefill_mean_ms": 400.0 / 3, "ttft_adapter_mean_ms": 20,
		"throughput_rps": 0.75, "output_tok_s": 4.5, "output_tok_s_per_chip": 2.25, "total_tok_s": 49.5, "goodput_rps": nan, "good_ratio": nan,
		"running_mean_seqs": 0.8, "waiting_mean_seqs": 0.4, "resident_mean_tok": 100, "kv_util_mean_ratio": 0.25, "kv_util_max_ratio": 0.75,
		"preemptions_count": 2, "recomputed_tok_ratio": 0.1, "padded_tok_ratio": 3.0 / 220, "prefix_hit_ratio": 0.2, "onchip_hit_ratio": 0.25, "busy_ratio": 0.5,
		"compute_util_mean_ratio": 0, "weight_memory_util_mean_ratio": 0.2, "kv_memory_util_mean_ratio": 0.4, "link_util_mean_ratio": 0.8,
		"requests_count": 3, "duration_s": 4, "steps_count": 12,
		"time_gemm_ratio": 0, "time_experts_ratio": 0.05, "time_adapter_ratio": 0.35, "wait_compute_ratio": 0, "wait_adapter_ratio": 0.6,
		"energy_j_per_tok": 1002.0 / 21, "cost_usd_per_mtok": 0.01 / 21 * 1e6,
	} {
		if got := value(t, s, name); !same(got, want) {
			t.Errorf("%s: %v, want %v", name, got, want)
		}
	}
	for whole, parts := range map[string][]string{
		"ttft_mean_ms":         {"ttft_host", "ttft_queue", "ttft_blocked", "ttft_prefill", "ttft_adapter"},
		"ttft_prefill_mean_ms": {"ttft_closed", "ttft_prefill_excess"},
		"tpot_mean_ms":         {"tpot_host", "tpot_prefill", "tpot_batch", "tpot_own", "tpot_adapter"},
		"tpot_own_mean_ms":     {"tpot_closed", "tpot_own_excess"},
	} {
		sum := 0.0
		for _, p := range parts {
			sum += value(t, s, p+"_mean_ms")
		}
		if !same(sum, value(t, s, whole)) {
			t.Errorf("%s is %v, its parts add up to %v", whole, value(t, s, whole), sum)
		}
	}
}

// TestSummaryRepeats: neither the run nor reused memory changes the answer.
func TestSummaryRepeats(t *testing.T) {
	r := benchRun(300, 500)
	want := r.Summarise(nil)
	dst := make(Summary, 7)
	for range 3 {
		dst = r.Summarise(dst)
		for i, c := range Columns() {
			if math.Float64bits(dst[i]) != math.Float64bits(want[i]) && !math.IsNaN(want[i]) {
				t.Errorf("%s: %v, first %v", c.Name, dst[i], want[i])
			}
		}
	}
}

// TestSummaryDegenerate: runs that leave a metric undefined give NaN, never
// Inf.
func TestSummaryDegenerate(t *testing.T) {
	one := Request{Prompt: 5, Output: 1, Arrival: 2, First: 3, Finish: 3, Prefill: 1}
	for name, c := range map[string]struct {
		run     Run
		defined []string
		nan     []string
	}{
		"empty": {
			Run{},
			[]string{"requests_count", "steps_count", "preemptions_count"},
			[]string{
				"ttft_mean_ms", "ttft_queue_mean_ms", "tpot_p99_ms", "itl_max_ms", "e2e_p50_ms", "throughput_rps", "output_tok_s", "output_tok_s_per_chip",
				"goodput_rps", "good_ratio", "running_mean_seqs", "kv_util_mean_ratio", "recomputed_tok_ratio", "onchip_hit_ratio", "busy_ratio", "duration_s", "time_gemm_ratio", "energy_j_per_tok", "cost_usd_per_mtok",
			},
		},
		"empty, priced, judged": {
			Run{Chips: 1, IdleWatts: 1, USDPerHour: 1, Limits: []Limit{{Metric: "ttft_p99_ms", Max: 1}}},
			nil,
			[]string{"energy_j_per_tok", "cost_usd_per_mtok", "goodput_rps", "good_ratio"},
		},
		"one": {
			Run{Requests: []Request{one}, End: 3, Chips: 1, Active: 1},
			[]string{"ttft_mean_ms", "ttft_p99_ms", "e2e_max_ms", "throughput_rps", "ttft_prefill_mean_ms"},
			[]string{"tpot_mean_ms", "tpot_sd_ms", "itl_p50_ms", "goodput_rps"},
		},
		"no time": {
			Run{Requests: []Request{{Output: 1}}, Chips: 1, FLOPs: 1, Active: 1},
			[]string{"ttft_mean_ms"},
			[]string{"throughput_rps", "busy_ratio", "running_mean_seqs", "compute_util_mean_ratio"},
		},
		"all warm-up": {Run{Requests: []Request{one}, Warmup: 5, End: 3, Chips: 1}, []string{"requests_count", "busy_ratio"}, []string{"ttft_mean_ms", "throughput_rps", "duration_s"}},
	} {
		s := c.run.Summarise(nil)
		for i, v := range s {
			if math.IsInf(v, 0) {
				t.Errorf("%s: %s is %v", name, Columns()[i].Name, v)
			}
		}
		for _, m := range c.defined {
			if math.IsNaN(value(t, s, m)) {
				t.Errorf("%s: %s is not defined", name, m)
			}
		}
		for _, m := range c.nan {
			if v := value(t, s, m); !math.IsNaN(v) {
				t.Errorf("%s: %s is %v", name, m, v)
			}
		}
	}
}

func TestRequestTPOT(t *testing.T) {
	for _, c := range []struct {
		output int32
		want   float64
		ok     bool
	}{{0, 0, false}, {1, 0, false}, {2, 3, true}, {7, 0.5, true}} {
		q := Request{Output: c.output, Arrival: 1, First: 4, Finish: 7}
		if got, ok := q.TPOT(); got != c.want || ok != c.ok {
			t.Errorf("%d tokens: %v, %t", c.output, got, ok)
		}
		if q.TTFT() != 3 || q.E2E() != 6 {
			t.Errorf("TTFT %v, E2E %v", q.TTFT(), q.E2E())
		}
	}
}

// TestGoodput judges the three requests of handRun, whose TTFT are 500, 250 and
// 1000 ms, TPOT 100 ms, none and 200 ms, E2E 1500, 250 and 2000 ms.
func TestGoodput(t *testing.T) {
	nan := math.NaN()
	for _, c := range []struct {
		name   string
		limits []Limit
		good   float64 // of 3; NaN: no limit on a latency
	}{
		{"none", nil, nan},
		{"ttft", []Limit{{"ttft_p99_ms", 600, nan}}, 2},
		{"ttft at the limit", []Limit{{"ttft_mean_ms", 500, nan}}, 2},
		{"tpot spares single tokens", []Limit{{"tpot_p50_ms", 50, nan}}, 1},
		{"e2e", []Limit{{"e2e_max_ms", 1999, nan}}, 2},
		{"all", []Limit{{"ttft_p99_ms", 600, nan}, {"tpot_p99_ms", 150, nan}, {"e2e_p90_ms", 300, nan}}, 1},
		{"unreachable", []Limit{{"ttft_p50_ms", 0, nan}}, 0},
		{"a floor is no limit", []Limit{{"ttft_p99_ms", nan, 5}}, nan},
		{"pooled gaps judge no request", []Limit{{"itl_p99_ms", 1, nan}}, nan},
		{"parts judge no request", []Limit{{"ttft_queue_mean_ms", 1, nan}}, nan},
		{"spread judges no request", []Limit{{"tpot_sd_ms", 1, nan}}, nan},
		{"throughput judges no request", []Limit{{"output_tok_s", nan, 5}, {"ttft_p99_ms", 600, nan}}, 2},
	} {
		r := handRun()
		r.Limits = c.limits
		s := r.Summarise(nil)
		if got := value(t, s, "good_ratio"); !same(got, c.good/3) {
			t.Errorf("%s: good_ratio %v, want %v", c.name, got, c.good/3)
		}
		if got := value(t, s, "goodput_rps"); !same(got, c.good/4) {
			t.Errorf("%s: goodput_rps %v, want %v", c.name, got, c.good/4)
		}
	}
}

// benchRun returns a run of n random requests and gaps.
func benchRun(n, gaps int) *Run {
	rng := rand.New(rand.NewPCG(7, 8))
	r := &Run{Chips: 1, End: float64(n), Active: 1, Limits: []Limit{{"ttft_p99_ms", 500, math.NaN()}, {"tpot_p99_ms", 50, math.NaN()}}}
	for i := range n {
		first := float64(i) + rng.ExpFloat64()/5
		r.Requests = append(r.Requests, Request{Prompt: 100, Output: 200, Arrival: float64(i), First: first, Finish: first + 6*rng.Float64()})
	}
	for range gaps {
		r.Gaps = append(r.Gaps, Gap{0.02 + 0.01*rng.Float64(), 1e-7 * rng.Float64(), 1 + rng.Int32N(40), 1 + rng.Int32N(64)})
	}
	return r
}

func BenchmarkSummarise(b *testing.B) {
	r := benchRun(1000, 3000)
	var dst Summary
	b.ReportAllocs()
	for b.Loop() {
		dst = r.Summarise(dst)
	}
}

func BenchmarkGrowing(b *testing.B) {
	r := benchRun(1000, 0)
	for b.Loop() {
		Growing(r.Requests)
	}
}
