// Package clients reads results of benchmark clients other than vLLM's own:
// guidellm, genai-bench, llmperf and fmbench, and turns down traces of requests,
// which hold no latencies. Each names and counts the same things in its own way;
// objects become rows of a table that tidy reads.
package clients

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"scoville/calibrate/measured/row"
	"scoville/calibrate/measured/tidy"
	"scoville/core/scenario"
)

// has reports whether the file is JSON that holds all these keys.
func has(src *row.Source, keys ...string) bool {
	for _, k := range keys {
		if !bytes.Contains(src.Data, []byte(`"`+k+`"`)) {
			return false
		}
	}
	return src.JSON()
}

// objects reads a file of objects into a table.
func objects(src *row.Source, f *row.File, read func(*row.Sheet, *row.Object)) error {
	list, err := src.Objects()
	if err != nil {
		return err
	}
	s := &row.Sheet{File: src.Name}
	for i := range list {
		read(s, &list[i])
	}
	if len(s.Records) == 0 {
		return src.Errorf("", "no run in the file")
	}
	return tidy.Table(s, src.Options, f)
}

// at follows a path of keys to a number, NaN for none.
func at(v any, path ...string) float64 {
	for _, k := range path {
		m, _ := v.(map[string]any)
		v = m[k]
	}
	if x, ok := row.AsNumber(v); ok {
		return x
	}
	return math.NaN()
}

// text finds the first of some keys in nested objects that holds a text.
func text(v any, depth int, keys ...string) string {
	m, ok := v.(map[string]any)
	if !ok || depth == 0 {
		return ""
	}
	for _, k := range keys {
		if s, ok := m[k].(string); ok && s != "" {
			return s
		}
	}
	for _, k := range []string{"args", "config", "backend", "worker", "benchmarker", "metadata", "extras", "request_loader", "experiment_metadata", "strategy", "profile"} {
		if s := text(m[k], depth-1, keys...); s != "" {
			return s
		}
	}
	return ""
}

// cell formats a number, NaN and 0 as nothing.
func cell(name string, x float64) row.Cell {
	if math.IsNaN(x) || math.IsInf(x, 0) || x == 0 {
		return row.Cell{Name: name}
	}
	return row.Cell{Name: name, Text: strconv.FormatFloat(x, 'g', -1, 64)}
}

// IsGenai reports whether the file is a run of genai-bench.
func IsGenai(src *row.Source) bool {
	return has(src, "aggregated_metrics", "stats", "ttft", "num_concurrency")
}

// ReadGenai reads runs of genai-bench: seconds, closed loops, TPOT as vLLM's.
func ReadGenai(src *row.Source, f *row.File) error {
	f.Load = "closed loop at num_concurrency"
	return objects(src, f, func(s *row.Sheet, o *row.Object) {
		m, ok := o.Field("aggregated_metrics").(map[string]any)
		if !ok {
			return
		}
		stats := func(path ...string) float64 { return at(m["stats"], path...) }
		done, failed := at(m, "num_completed_requests"), at(m, "num_error_requests")
		engine, version := text(o.Values, 4, "server_engine"), text(o.Values, 4, "server_version")
		if engine != "" && !strings.EqualFold(engine, "vllm") {
			version = "" // not one of vLLM's
		}
		cells := []row.Cell{
			{Name: "model", Text: text(o.Values, 4, "model", "model_name", "api_model_name")},
			{Name: "gpu", Text: text(o.Values, 4, "server_gpu_type")},
			{Name: "engine", Text: engine},
			{Name: "vllm_version", Text: version},
			cell("gpu_count", at(o.Values["experiment_metadata"], "server_gpu_count")),
			cell("concurrency", at(m, "num_concurrency")), cell("completed", done), cell("failed", failed), cell("duration_s", at(m, "run_duration")),
			cell(row.PromptPath, stats("num_input_tokens", "mean")), cell(row.OutputPath, stats("num_output_tokens", "mean")),
			cell("request_throughput", at(m, "requests_per_second")), cell("output_throughput", at(m, "mean_output_throughput_tokens_per_s")),
		}
		for _, stat := range []string{"mean", "p50", "p90", "p95", "p99"} {
			cells = append(cells, cell(stat+"_ttft_s", stats("ttft", stat)), cell(stat+"_tpot_s", stats("tpot", stat)), cell(stat+"_e2e_s", stats("e2e_latency", stat)))
		}
		s.Add(row.Place{Line: o.Line}, cells)
	})
}

// IsLLMPerf reports whether the file is a summary of llmperf.
func IsLLMPerf(src *row.Source) bool {
	return has(src, "num_concurrent_requests") && (has(src, "results_ttft_s_mean") || has(src, "results_ttft_s_quantiles_p50"))
}

// ReadLLMPerf reads summaries of llmperf: seconds, closed loops. What it calls
// inter-token latency is the whole latency over the tokens, first one included:
// TPOT is derived from end-to-end latency and TTFT instead.
func ReadLLMPerf(src *row.Source, f *row.File) error {
	f.Load = "closed loop at num_concurrent_requests"
	f.Notes = append(f.Notes, "TPOT is derived: (end-to-end latency - TTFT) / (output tokens - 1); the file's inter-token latency divides the whole latency by the tokens and is not used")
	return objects(src, f, func(s *row.Sheet, o *row.Object) {
		get := func(key string) float64 { return at(o.Values, key) }
		or := func(a, b float64) float64 {
			if math.IsNaN(a) {
				return b
			}
			return a
		}
		prompt := or(get("results_number_input_tokens_mean"), get("mean_input_tokens"))
		output := or(get("results_number_output_tokens_mean"), get("mean_output_tokens"))
		failed := get("results_number_errors")
		cells := []row.Cell{
			{Name: "model", Text: text(o.Values, 1, "model")},
			cell("concurrency", get("num_concurrent_requests")), cell(row.PromptPath, prompt), cell(row.OutputPath, output),
			cell("completed", get("results_num_completed_requests")), cell("failed", failed),
			cell("output_throughput", get("results_mean_output_throughput_token_per_s")), cell("request_throughput", get("results_num_completed_requests_per_min")/60),
		}
		for _, stat := range []string{"mean", "p50", "p90", "p95", "p99"} {
			key := "_quantiles_" + stat
			if stat == "mean" {
				key = "_mean"
			}
			ttft, e2e := get("results_ttft_s"+key), get("results_end_to_end_latency_s"+key)
			cells = append(cells, cell(stat+"_ttft_s", ttft), cell(stat+"_e2e_s", e2e))
			if stat == "mean" && output > 1 && e2e > ttft {
				cells = append(cells, cell("mean_tpot_s", (e2e-ttft)/(output-1)))
			}
		}
		s.Add(row.Place{Line: o.Line}, cells)
	})
}

// GenaiMeta is the file beside runs of genai-bench that says what was served.
const GenaiMeta = "experiment_metadata.json"

// DescribeGenai gives rows what the file beside them says: model, chip, engine
// and its version, where they do not say it themselves.
func DescribeGenai(f *row.File, name string, data []byte) error {
	var m map[string]any
	if err := json.Unmarshal(data, &m); err != nil {
		return &scenario.Error{File: name, Msg: "not the description of an experiment: " + err.Error(), Hint: "move it away if it does not belong to " + f.Name}
	}
	chip, version := row.Canonical("hardware.name", text(m, 4, "server_gpu_type")), text(m, 4, "server_version")
	engine, id := text(m, 4, "server_engine"), text(m, 4, "model", "model_name", "api_model_name")
	count, _ := m["server_gpu_count"].(float64) // 0 where it is not said, or is no number: then parallelism is said to be missing
	if s, ok := m["server_gpu_count"].(string); ok {
		count, _ = strconv.ParseFloat(s, 64)
	}
	said := []string{}
	set := func(path string, v any, ok bool) {
		if !ok {
			return
		}
		said = append(said, fmt.Sprintf("%s %v", path, v))
		for i := range f.Rows {
			if o := &f.Rows[i]; o.Value(path) == nil || o.Value(path) == "" {
				o.Set(path, v, -1)
			}
		}
	}
	set("hardware.name", chip, chip != "")
	set("engine.version", row.Canonical("engine.version", version), version != "")
	counted := count >= 1 && count <= 1024 && count == math.Trunc(count)
	set("engine.tp", int(count), counted)
	if id != "" {
		said = append(said, "model "+id)
	}
	for i := range f.Rows {
		o := &f.Rows[i]
		if o.Value("model.name") == nil && id != "" {
			if _, err := o.SetModel(id, "", -1, -1); err != nil {
				return err
			}
		}
		if counted {
			o.Notes = slices.DeleteFunc(o.Notes, func(n string) bool { return n == row.NoTP })
		}
		if !strings.EqualFold(engine, "vllm") && o.Engine == "" {
			o.Engine = engine
		}
	}
	f.Notes = append(f.Notes, GenaiMeta+" beside it says: "+strings.Join(said, ", "))
	return nil
}

// IsFMBench reports whether the file is a summary of fmbench.
func IsFMBench(src *row.Source) bool {
	return src.Has("instance_type", "concurrency", "latency_mean", "prompt_token_count_mean", "completion_token_count_mean")
}

// fmColumns are the columns of fmbench by the names that tidy knows.
var fmColumns = map[string]string{
	"prompt_token_count_mean": row.PromptPath, "completion_token_count_mean": row.OutputPath, "latency_mean": "mean_e2e_s", "latency_p50": "p50_e2e_s",
	"latency_p95": "p95_e2e_s", "latency_p99": "p99_e2e_s", "ttft_mean": "mean_ttft_s", "ttft_p50": "p50_ttft_s", "ttft_p95": "p95_ttft_s", "ttft_p99": "p99_ttft_s",
	"tpot_mean": "mean_tpot_s", "tpot_p50": "p50_tpot_s", "concurrency": "concurrency",
}

// instances are the chips of cloud machines.
var instances = []struct {
	name, chip string
	count      int
}{
	{"p4de.24xlarge", "a100-80", 8},
	{"p4d.24xlarge", "a100-40", 8},
	{"p5.48xlarge", "h100-sxm", 8},
	{"p5e.48xlarge", "h200", 8},
	{"p5en.48xlarge", "h200", 8},
	{"g6e.48xlarge", "l40s", 8},
	{"g6e.", "l40s", 0},
	{"g6.48xlarge", "l4", 8},
	{"g6.12xlarge", "l4", 4},
	{"g6.24xlarge", "l4", 4},
	{"g6.", "l4", 1},
	{"g5.48xlarge", "a10g", 8},
	{"g5.12xlarge", "a10g", 4},
	{"g5.24xlarge", "a10g", 4},
	{"g5.", "a10g", 1},
}

// ReadFMBench reads summaries of fmbench: seconds, closed loops, one row a
// prompt file and concurrency. The machine's type is a hint of its chips.
func ReadFMBench(src *row.Source, f *row.File) error {
	from, err := src.Sheet()
	if err != nil {
		return err
	}
	s := *from
	s.Header = append([]string{}, from.Header...)
	machine, errors := -1, -1
	for i, h := range s.Header {
		switch name := row.Fold(h); name {
		case "instance_type":
			machine = i
		case "error_rate":
			errors = i
		default:
			if to := fmColumns[name]; to != "" {
				s.Header[i] = to
			}
		}
	}
	f.Load = "closed loop at concurrency"
	f.Notes = append(f.Notes, "latencies in seconds, as fmbench writes them")
	for i := range s.Records {
		r := &s.Records[i]
		for _, m := range instances {
			if strings.Contains(r.Cells[machine], m.name) {
				if h := (row.Hint{What: "the instance type " + r.Cells[machine], Chip: m.chip, TP: m.count}); len(f.Hints) == 0 || f.Hints[0] != h {
					f.Hints = append(f.Hints, h)
				}
				break
			}
		}
		if errors >= 0 {
			if x, err := strconv.ParseFloat(r.Cells[errors], 64); err == nil && x > 0.05 {
				r.Dropped = fmt.Sprintf("failed requests: %.0f %%", 100*x)
			}
		}
	}
	return tidy.Table(&s, src.Options, f)
}

// IsTrace reports whether the file is a trace of requests: when they came and
// how long they were, without what they took.
func IsTrace(src *row.Source) bool {
	if src.JSON() {
		return has(src, "timestamp", "input_length", "output_length") && !has(src, "ttft") && !has(src, "ttft_ms")
	}
	return src.Has("TIMESTAMP", "ContextTokens", "GeneratedTokens") || src.Has("Timestamp", "Request tokens", "Response tokens", "Log Type")
}

// ReadTrace is an error: a trace drives a study.
func ReadTrace(src *row.Source, _ *row.File) error {
	return src.Errorf("a study can be driven by it: [workload] arrival = \"trace\", trace = the file", "a trace of requests holds no latencies to calibrate on")
}
