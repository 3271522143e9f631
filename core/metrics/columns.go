// Package metrics turns what happened in a run into the numbers users read:
// latency distributions, throughput, utilisation, time by stage. Its column
// table names every metric once, with unit, direction and definition; schemas,
// reports and documentation follow it. It knows nothing of files or models.
package metrics

import (
	"math"
	"sync"
)

// Column is one metric of a run. Names are metric_stat_unit in snake case.
type Column struct {
	Name       string
	Unit       string // "ms", "ratio", "req/s" …
	Better     string // "lower", "higher", or "" when neither is
	Definition string
	value      func(*Run) float64
}

// Summary holds the metrics of one run, aligned with Columns. NaN means the
// run does not define the metric (NULL in files).
type Summary []float64

// family is a latency with its statistics.
type family struct {
	name, definition string
	stats            []string
	of               func(*Run) *distribution
}

var quantileStats = map[string]float64{"p50": 0.5, "p90": 0.9, "p95": 0.95, "p99": 0.99}

var families = []family{
	{"ttft", "time to first token: first token - arrival, queueing included", []string{"mean", "p50", "p90", "p95", "p99", "max"}, func(r *Run) *distribution { return &r.ttft }},
	{"tpot", "time per output token of a request: (last - first token) / (output tokens - 1); requests of one token left out", []string{"mean", "sd", "p50", "p90", "p95", "p99", "max"}, func(r *Run) *distribution { return &r.tpot }},
	{"itl", "inter-token latency, pooled over all gaps", []string{"mean", "p50", "p90", "p95", "p99", "max"}, func(r *Run) *distribution { return &r.itl }},
	{"e2e", "last token - arrival", []string{"mean", "p50", "p90", "p95", "p99", "max"}, func(r *Run) *distribution { return &r.e2e }},
}

var statWords = map[string]string{
	"mean": "mean", "sd": "standard deviation", "max": "largest",
	"p50": "median", "p90": "90th percentile", "p95": "95th percentile", "p99": "99th percentile",
}

// Columns returns every metric in the order of files. The slice is shared and
// read-only.
func Columns() []Column { return columns() }

var columns = sync.OnceValue(func() []Column {
	var out []Column
	for _, f := range families {
		for i, s := range f.stats {
			out = append(out, Column{
				f.name + "_" + s + "_ms", "ms", "lower", statWords[s] + " of " + f.definition,
				func(r *Run) float64 { return 1e3 * f.of(r).stats[i] },
			})
		}
	}
	out = append(out, partColumns...)
	out = append(out, rateColumns...)
	out = append(out, stateColumns...)
	for i, s := range StageNames {
		out = append(out, Column{
			"time_" + s + "_ratio", "ratio", "", "share of busy time spent in stage " + s,
			func(r *Run) float64 { return r.Stages[i] / r.Active },
		})
	}
	for i, s := range ResourceNames {
		out = append(out, Column{
			"wait_" + s + "_ratio", "ratio", "", "share of busy time bound by " + s + ": " + resourceHelp[i],
			func(r *Run) float64 { return r.Resources[i] / r.Active },
		})
	}
	return append(out, costColumns...)
})

// StageNames and ResourceNames are the stages and resources of a step in the
// order of Run.Stages and Run.Resources.
var (
	StageNames    = [...]string{"gemm", "experts", "lm_head", "decode_attention", "prefill_attention", "all_reduce", "host", "adapter", "swap", "draft", "embedding", "activations", "kv_access", "launch", "logits", "sampling"}
	ResourceNames = [...]string{"compute", "weight_memory", "kv_memory", "onchip_kv", "link", "host", "adapter", "host_link", "drafter"}
)

// resourceHelp says what each resource is.
var resourceHelp = [len(ResourceNames)]string{
	"arithmetic units", "memory path of the weights", "memory path of the KV cache, on most chips that of the weights", "on-chip KV store", "links between chips", "CPU of the server",
	"fixed latency of each step where KV has a memory path of its own", "link to host memory", "what drafts tokens",
}

var rateColumns = []Column{
	{"throughput_rps", "req/s", "higher", "requests completed per second, from the first arrival to the last token: ramp and drain included, as benchmark clients report it", func(r *Run) float64 { return r.perSecond(float64(len(r.counted()))) }},
	{"output_tok_s", "tok/s", "higher", "output tokens per second", func(r *Run) float64 { return r.perSecond(r.output) }},
	{"output_tok_s_per_chip", "tok/s", "higher", "output tokens per second and chip", func(r *Run) float64 { return r.perSecond(r.output) / float64(r.Chips) }},
	{"total_tok_s", "tok/s", "higher", "prompt and output tokens per second", func(r *Run) float64 { return r.perSecond(r.output + r.prompt) }},
	{"goodput_rps", "req/s", "higher", "requests per second that meet the limits of [slo] on TTFT, TPOT and E2E, of each the limit on its highest statistic; NULL without one", func(r *Run) float64 { return r.perSecond(r.good()) }},
	{"good_ratio", "ratio", "higher", "share of requests that meet the limits of [slo], as goodput_rps; NULL without one", func(r *Run) float64 { return r.good() / float64(len(r.counted())) }},
}

var stateColumns = []Column{
	{"running_mean_seqs", "sequences", "", "running sequences of all replicas, mean over time", func(r *Run) float64 { return r.RunArea / r.span() }},
	{"waiting_mean_seqs", "sequences", "lower", "requests in the system but not running, mean over time", func(r *Run) float64 { return (r.SystemArea - r.RunArea) / r.span() }},
	{"resident_mean_tok", "tokens", "", "KV tokens resident, mean over time", func(r *Run) float64 { return r.TokenArea / r.span() }},
	{"kv_util_mean_ratio", "ratio", "", "resident tokens over the block pool's tokens, mean over time", func(r *Run) float64 { return r.TokenArea / r.span() / r.PoolTokens }},
	{"kv_util_max_ratio", "ratio", "", "most blocks in use over blocks of the pool", func(r *Run) float64 { return r.PeakRatio }},
	{"preemptions_count", "count", "lower", "preemptions", func(r *Run) float64 { return float64(r.Preemptions) }},
	{"recomputed_tok_ratio", "ratio", "lower", "tokens whose KV preemption threw away, over all computed", func(r *Run) float64 { return ratio(float64(r.Lost), r.computed()) }},
	{"prefix_hit_ratio", "ratio", "higher", "prompt tokens found in the prefix cache, over all prompt tokens needed", func(r *Run) float64 { return ratio(float64(r.Hit), float64(r.Hit+r.Computed)) }},
	{"padded_tok_ratio", "ratio", "lower", "tokens computed for the padding of batches, over all computed", func(r *Run) float64 { return ratio(float64(r.Padded), r.computed()) }},
	{"onchip_hit_ratio", "ratio", "higher", "KV bytes decodes read from the on-chip store over all they read; NULL without decodes", func(r *Run) float64 { return ratio(r.KVOnChip, r.KVBytes) }},
	use("compute", "FLOPs over what the chips' peaks allow (attention on units of its own not counted)", 0),
	peak("compute", 0),
	use("weight_memory", "weight bytes over what the datasheet bandwidth allows", 1),
	peak("weight_memory", 1),
	use("kv_memory", "KV bytes over what the datasheet bandwidth allows", 2),
	peak("kv_memory", 2),
	{"memory_util_mean_ratio", "ratio", "", "weight and KV bytes over what the one memory's datasheet bandwidth allows, in the run's time; NULL on separate paths", func(r *Run) float64 { return r.shared(whole((r.Busy[1] + r.Busy[2]) / r.replicaSpan())) }},
	{"memory_util_peak_ratio", "ratio", "", "the same in the busiest 100 ms", func(r *Run) float64 { return r.shared(whole(r.Peaks[4])) }},
	use("link", "all-reduce bytes over what the link's datasheet bandwidth allows", 4),
	peak("link", 3),
	{"busy_ratio", "ratio", "", "share of time with at least one running sequence, mean over replicas", func(r *Run) float64 { return whole(r.Active / r.replicaSpan()) }},
	{"requests_count", "count", "", "requests in the statistics (after warm-up)", func(r *Run) float64 { return float64(len(r.sample.ttft)) }},
	{"duration_s", "s", "", "first counted arrival to last token", func(r *Run) float64 { return r.duration() }},
	{"steps_count", "count", "", "engine steps", func(r *Run) float64 { return float64(r.Steps) }},
}

// use is the mean utilisation of resource i, peak that of its busiest 100 ms.
func use(name, definition string, i int) Column {
	return Column{name + "_util_mean_ratio", "ratio", "", definition + ", in the run's time", func(r *Run) float64 { return whole(r.Busy[i] / r.replicaSpan()) }}
}

func peak(name string, i int) Column {
	return Column{name + "_util_peak_ratio", "ratio", "", "the same in the busiest 100 ms of any replica", func(r *Run) float64 { return whole(r.Peaks[i]) }}
}

var costColumns = []Column{
	{"energy_j_per_tok", "J/tok", "lower", "energy per output token: idle power, FLOPs and memory bytes; NULL unless the device states them", func(r *Run) float64 { return r.energy() }},
	{"cost_usd_per_mtok", "USD/Mtok", "lower", "price of the chips per million output tokens; NULL unless the device states it", func(r *Run) float64 { return r.cost() }},
}

// Index returns the position of a metric in Columns and whether it exists.
func Index(name string) (int, bool) {
	i, ok := index()[name]
	return i, ok
}

var index = sync.OnceValue(func() map[string]int {
	m := make(map[string]int)
	for i, c := range Columns() {
		m[c.Name] = i
	}
	return m
})

// whole returns a utilisation, 1 where rounding alone puts it above.
func whole(u float64) float64 {
	if u > 1 && u < 1+1e-9 {
		return 1
	}
	return u
}

// ratio returns a / b, NaN when b is 0.
func ratio(a, b float64) float64 {
	if b == 0 {
		return math.NaN()
	}
	return a / b
}
