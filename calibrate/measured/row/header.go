package row

import (
	"fmt"
	"regexp"
	"strings"

	"scoville/core/metrics"
	"scoville/core/scenario"
)

// Meaning is what a column of a table holds: a scenario key, a metric with the
// factor that makes its unit ms, or text about the row.
type Meaning struct {
	Path   string // scenario key
	Metric string // column of core/metrics
	Factor float64
	Source bool   // where the row was published
	Unsaid bool   // the name gives no statistic
	Fact   string // what the client counted: key of Observation.Facts
	Engine bool   // which engine served
	Weak   bool   // yields to another column of the same meaning
}

// String says what the column was taken for.
func (m *Meaning) String() string {
	switch {
	case m.Source:
		return "source of the row"
	case m.Engine:
		return "dropped unless vllm"
	case m.Fact != "":
		return factWords[m.Fact]
	case m.Metric == "":
		return m.Path
	}
	text := m.Metric
	if m.Factor != 1 {
		text += fmt.Sprintf(" (x %g)", m.Factor)
	}
	if m.Unsaid {
		text += " (no statistic in the name: measurement.statistic, the mean unless set)"
	}
	return text
}

// aliases are names of scenario keys seen in published tables, folded.
var aliases = map[string]string{
	"isl": PromptPath, "input_len": PromptPath, "input_length": PromptPath, "input_tokens": PromptPath, "input_toks": PromptPath,
	"prompt_size": PromptPath, "prompt_len": PromptPath, "prompt_tokens": PromptPath, "random_input_len": PromptPath,
	"osl": OutputPath, "output_len": OutputPath, "output_length": OutputPath, "output_tokens": OutputPath, "output_toks": OutputPath,
	"token_size": OutputPath, "generation_tokens": OutputPath, "random_output_len": OutputPath,
	"concurrency": ConcurrencyPath, "conc": ConcurrencyPath, "max_concurrency": ConcurrencyPath, "maximum_request_concurrency": ConcurrencyPath,
	"request_rate": RatePath, "qps": RatePath, "rps": RatePath, "requested_rate": RatePath, "rate": RatePath,
	"num_prompts": "workload.requests",
	"hardware":    "hardware.name", "system": "hardware.name", "hw": "hardware.name", "gpu_name": "hardware.name", "gpu": "hardware.name", "device_name": "hardware.name",
	"tp": "engine.tp", "tp_size": "engine.tp", "tensor_parallel": "engine.tp", "tensor_parallel_size": "engine.tp", "num_of_hardware": "engine.tp", "gpu_count": "engine.tp",
	"model": "model.name", "model_id": "model.name", "model_path": "model.name", "model_name": "model.name",
	"precision": "model.weight_dtype", "dtype": "model.weight_dtype", "quantization": "model.weight_dtype", "kv_cache_dtype": "model.kv_dtype",
	"dataset_input_len": PromptPath, "dataset_output_len": OutputPath, "request_rate_configured_rps": RatePath,
	"enable_chunked_prefill": "engine.chunked_prefill", "enable_prefix_caching": "engine.prefix_caching",
	"gpu_memory_utilization": "engine.memory_fraction",
	"vllm_version":           "engine.version", "backend_version": "engine.version", "engine_version": "engine.version", "image": "engine.version",
}

// facts are what clients count of a run, by folded name.
var facts = map[string]string{
	"completed": "completed", "successful_requests": "completed", "failed": "failed", "failed_requests": "failed",
	"duration": "duration_s", "duration_s": "duration_s", "benchmark_duration_s": "duration_s",
	"total_input_tokens": "input_tok", "total_output_tokens": "output_tok", "total_generated_tokens": "output_tok",
	"request_throughput": "throughput_rps", "request_throughput_req_s": "throughput_rps", "throughput_req_per_s": "throughput_rps",
	"output_throughput": "output_tok_s", "output_token_throughput_tok_s": "output_tok_s", "output_throughput_tok_s": "output_tok_s", "output_tokens_per_sec": "output_tok_s",
	"total_token_throughput": "total_tok_s", "total_token_throughput_tok_s": "total_tok_s", "total_tokens_per_sec": "total_tok_s",
	"burstiness": "burstiness", "random_range_ratio": "range_ratio", "range_ratio": "range_ratio",
	"num_scheduler_step": "scheduler_steps", "num_scheduler_steps": "scheduler_steps",
	"std_ttft_ms": "ttft_sd_ms", "std_tpot_ms": "tpot_sd_ms", "std_itl_ms": "itl_sd_ms", "std_e2el_ms": "e2e_sd_ms",
	"peak_concurrent_requests": "peak_in_flight", "max_concurrent_requests": "peak_in_flight",
}

// factWords say what a fact is, with its unit.
var factWords = map[string]string{
	"completed": "completed requests", "failed": "failed requests", "duration_s": "duration (s)",
	"input_tok": "prompt tokens of all requests", "output_tok": "output tokens of all requests",
	"throughput_rps": "throughput_rps (req/s), for saturated runs", "output_tok_s": "output_tok_s (tok/s), for saturated runs", "total_tok_s": "tokens per second, prompts included",
	"burstiness": "shape of the gaps between arrivals (1 = poisson)", "range_ratio": "range of random lengths",
	"scheduler_steps": "steps scheduled at a time", "peak_in_flight": "most requests in flight",
	"ttft_sd_ms": "standard deviation of TTFT (ms)", "tpot_sd_ms": "standard deviation of TPOT (ms)",
	"itl_sd_ms": "standard deviation of ITL (ms)", "e2e_sd_ms": "standard deviation of end-to-end latency (ms)",
}

// engineColumns name the engine that served, or the client's idea of it.
var engineColumns = map[string]bool{"backend": true, "framework": true, "engine": true, "inference_engine": true}

// weak names yield to a more exact column of the same meaning.
var weak = map[string]bool{
	"gpu_count": true, "num_of_hardware": true, "image": true, "dtype": true, "quantization": true, "qps": true, "rps": true, "rate": true,
	"model": true, "model_name": true, "hardware": true, "requests": true,
}

// Fold makes names comparable: lower case, one underscore for blanks, dashes
// and underscores, "(ms)" as "_ms".
func Fold(name string) string {
	name = strings.NewReplacer("(", " ", ")", " ", "/", " ", ":", " ", "-", " ", "_", " ").Replace(strings.ToLower(name))
	return strings.Join(strings.Fields(name), "_")
}

var (
	statFirst = regexp.MustCompile(`^(mean|avg|average|median|max|p\d+(?:\.\d+)?)_(ttft|time_to_first_token|tpot|time_per_output_token|itl|inter_token_latency|e2el|e2e|e2e_latency)(_.*)?$`)
	statLast  = regexp.MustCompile(`^(ttft|time_to_first_token|tpot|time_per_output_token|itl|inter_token_latency|e2el|e2e|e2e_latency)(?:_(mean|avg|average|median|max|p\d+(?:\.\d+)?))?(_.*)?$`)
	families  = map[string]string{
		"time_to_first_token": "ttft", "time_per_output_token": "tpot", "inter_token_latency": "itl", "e2el": "e2e", "e2e_latency": "e2e",
	}
	stats = map[string]string{"p100": "max", "avg": "mean", "average": "mean", "median": "p50", "": "mean"}
	units = map[string]float64{"_ms": 1, "_s": 1e3, "_us": 1e-3}
)

// MetricOf reads the name of a latency column: statistic, metric, unit. ok is
// false when it is none. The unit must be in the name.
func MetricOf(name string) (m Meaning, ok bool, problem string) {
	stat, family, unit := "", "", ""
	if g := statFirst.FindStringSubmatch(Fold(name)); g != nil {
		stat, family, unit = g[1], g[2], g[3]
	} else if g := statLast.FindStringSubmatch(Fold(name)); g != nil {
		family, stat, unit = g[1], g[2], g[3]
		if stat == "" {
			m.Unsaid = true
		}
	} else {
		return m, false, ""
	}
	if f, found := families[family]; found {
		family = f
	}
	if s, found := stats[stat]; found {
		stat = s
	}
	m.Metric = family + "_" + stat + "_ms"
	switch m.Factor, ok = units[unit]; {
	case unit == "":
		return m, true, "no unit in the name"
	case !ok:
		return m, false, ""
	}
	if _, ok = metrics.Index(m.Metric); !ok {
		return m, false, ""
	}
	return m, true, ""
}

// MeaningOf says what a column of a tidy table holds; nil for nothing known. A
// latency without a unit, where unit does not say it for all, and a dotted name
// that is no scenario key are errors.
func (s *Sheet) MeaningOf(col int, unit string) (*Meaning, error) {
	name := s.Header[col]
	m, ok, problem := MetricOf(name)
	if problem != "" && unit != "" {
		m, ok, problem = MetricOf(name + "_" + unit)
	}
	if problem != "" {
		base := strings.TrimSuffix(m.Metric, "_ms")
		return nil, s.HeadError(col, fmt.Sprintf("is it ms or s? say --unit ms or --unit s, or rename the column to %s_ms or %s_s", base, base), "%s: %s", name, problem)
	} else if ok {
		return &m, nil
	}
	if path, ok := shorthand[name]; ok {
		return &Meaning{Path: path}, nil
	}
	if _, ok := scenario.Lookup(name); ok {
		return &Meaning{Path: name}, nil
	}
	if table, _, dotted := strings.Cut(name, "."); dotted && scenarioTable[table] {
		hint := ""
		if near := scenario.Nearest(name); near != "" {
			hint = fmt.Sprintf("did you mean %q?", near)
		}
		return nil, s.HeadError(col, hint, "no parameter %q", name)
	}
	folded := Fold(name)
	if path, ok := aliases[folded]; ok {
		return &Meaning{Path: path, Weak: weak[folded]}, nil
	}
	if fact, ok := facts[folded]; ok {
		return &Meaning{Fact: fact}, nil
	}
	if folded == "source" {
		return &Meaning{Source: true}, nil
	}
	if engineColumns[folded] {
		return &Meaning{Engine: true}, nil
	}
	if path, ok := lastSegments()[folded]; ok {
		return &Meaning{Path: path}, nil
	}
	return nil, nil
}

var scenarioTable = map[string]bool{"model": true, "hardware": true, "engine": true, "workload": true, "measurement": true}

// lastSegments maps the last segments of scenario keys that are unique to
// their keys, so that length_range is measurement.length_range.
func lastSegments() map[string]string {
	paths, count := map[string]string{}, map[string]int{}
	for _, f := range scenario.Fields() {
		if strings.HasPrefix(f.Path, "workload.class.") {
			continue
		}
		last := f.Path[strings.LastIndexByte(f.Path, '.')+1:]
		paths[last] = f.Path
		count[last]++
	}
	for last, n := range count {
		if n > 1 || last == "name" {
			delete(paths, last)
		}
	}
	return paths
}
