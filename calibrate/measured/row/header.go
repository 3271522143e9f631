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
	Source bool // where the row was published
	Unsaid bool // the name gives no statistic
}

// String says what the column was taken for.
func (m *Meaning) String() string {
	switch {
	case m.Source:
		return "source of the row"
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
	"vllm_version": "engine.version", "backend_version": "engine.version", "engine_version": "engine.version", "image": "engine.version",
}

// Fold makes names comparable: lower case, one underscore for blanks, dashes
// and underscores, "(ms)" as "_ms".
func Fold(name string) string {
	name = strings.NewReplacer("(", " ", ")", " ", "-", " ", "_", " ").Replace(strings.ToLower(name))
	return strings.Join(strings.Fields(name), "_")
}

var (
	statFirst = regexp.MustCompile(`^(mean|avg|average|median|p\d+(?:\.\d+)?)_(ttft|time_to_first_token|tpot|time_per_output_token|itl|inter_token_latency|e2el|e2e|e2e_latency)(_.*)?$`)
	statLast  = regexp.MustCompile(`^(ttft|time_to_first_token|tpot|time_per_output_token|itl|inter_token_latency|e2el|e2e|e2e_latency)(?:_(mean|avg|average|median|p\d+(?:\.\d+)?))?(_.*)?$`)
	families  = map[string]string{
		"time_to_first_token": "ttft", "time_per_output_token": "tpot", "inter_token_latency": "itl", "e2el": "e2e", "e2e_latency": "e2e",
	}
	stats = map[string]string{"avg": "mean", "average": "mean", "median": "p50", "": "mean"}
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
		return &Meaning{Path: path}, nil
	}
	if folded == "source" {
		return &Meaning{Source: true}, nil
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
