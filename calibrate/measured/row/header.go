package row

import (
	"cmp"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"

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
	"batch_size": "batch", "batch": "batch", "bs": "batch", "batchsize": "batch",
}

// factWords say what a fact is, with its unit.
var factWords = map[string]string{
	"completed": "completed requests", "failed": "failed requests", "duration_s": "duration (s)",
	"input_tok": "prompt tokens of all requests", "output_tok": "output tokens of all requests",
	"throughput_rps": "throughput_rps (req/s), for saturated runs", "output_tok_s": "output_tok_s (tok/s), for saturated runs", "total_tok_s": "tokens per second, prompts included",
	"burstiness": "shape of the gaps between arrivals (1 = poisson)", "range_ratio": "range of random lengths",
	"scheduler_steps": "steps scheduled at a time", "peak_in_flight": "most requests in flight",
	"ttft_sd_ms": "standard deviation of TTFT (ms)", "tpot_sd_ms": "standard deviation of TPOT (ms)",
	"batch":     "prompts of a static batch, where neither concurrency nor a rate is said",
	"itl_sd_ms": "standard deviation of ITL (ms)", "e2e_sd_ms": "standard deviation of end-to-end latency (ms)",
}

// engineColumns name the engine that served, or the client's idea of it.
var engineColumns = map[string]bool{"backend": true, "framework": true, "engine": true, "inference_engine": true}

// Fold makes names comparable: lower case, one underscore for blanks, dashes
// and underscores, "(ms)" and "[ms]" as "_ms".
func Fold(name string) string {
	name = strings.NewReplacer("(", " ", ")", " ", "[", " ", "]", " ", "/", " ", ":", " ", ",", " ", "-", " ", "_", " ").Replace(strings.ToLower(name))
	words := strings.Fields(name)
	for i, w := range words {
		words[i] = strings.TrimSuffix(w, ".")
	}
	return strings.Join(words, "_")
}

var (
	statWord   = `mean|avg|average|median|max|p\d+(?:\.\d+)?`
	familyWord = strings.Join(slices.SortedFunc(maps.Keys(families), func(a, b string) int { return len(b) - len(a) }), "|")
	statFirst  = regexp.MustCompile(`^(` + statWord + `)_(` + familyWord + `)(_.*)?$`)
	statLast   = regexp.MustCompile(`^(` + familyWord + `)(?:_(` + statWord + `))?(_.*)?$`)
	stats      = map[string]string{"p100": "max", "avg": "mean", "average": "mean", "median": "p50", "": "mean"}
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
	family = families[family]
	if s, found := stats[stat]; found {
		stat = s
	}
	m.Metric = family + "_" + stat + "_ms"
	if _, ok = metrics.Index(m.Metric); !ok {
		return m, false, ""
	}
	if m.Factor, ok = units[unit]; unit == "" {
		return m, true, "no unit in the name"
	}
	return m, ok, ""
}

// MeaningOf says what a column of a tidy table holds; nil for nothing known. A
// latency without a unit, where unit does not say it for all, and a dotted name
// that is no scenario key are errors.
func (s *Sheet) MeaningOf(col int, unit string) (*Meaning, error) {
	name := s.Header[col]
	m, ok, problem := MetricOf(name)
	if problem != "" && s.cellUnits(col) {
		m, ok, problem = MetricOf(name + "_ms") // each cell says its own
	}
	if problem != "" && unit != "" {
		m, ok, problem = MetricOf(name + "_" + unit)
	}
	if problem != "" && strings.HasPrefix(m.Metric, "e2e") && s.otherLatency() {
		return nil, nil // it is not needed
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

// Alias is the scenario key that a name of a column stands for, whatever the file
// calls its own; the name itself where it stands for none.
func Alias(name string) string {
	folded := Fold(name)
	return cmp.Or(aliases[folded], lastSegments()[folded], name)
}

// otherLatency reports whether some column is a latency with its unit.
func (s *Sheet) otherLatency() bool {
	return slices.ContainsFunc(s.Header, func(h string) bool {
		_, ok, problem := MetricOf(h)
		return ok && problem == ""
	})
}

var scenarioTable = map[string]bool{"model": true, "hardware": true, "engine": true, "workload": true, "measurement": true}

// lastSegments maps the last segments of scenario keys that are unique to
// their keys, so that length_range is measurement.length_range.
var lastSegments = sync.OnceValue(func() map[string]string {
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
})
