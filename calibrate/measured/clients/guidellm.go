package clients

import (
	"strings"

	"scoville/calibrate/measured/row"
)

// IsGuide reports whether the file is a report of guidellm.
func IsGuide(src *row.Source) bool {
	return has(src, "benchmarks", "time_to_first_token_ms", "successful")
}

// ReadGuide reads reports of guidellm: TTFT and inter-token latency in ms,
// request latency in s, one benchmark a strategy. What it calls time per output
// token divides the whole latency by the tokens and is not used; its
// inter-token latency, weighted by tokens, is the mean gap.
func ReadGuide(src *row.Source, f *row.File) error {
	f.Notes = append(f.Notes, "ITL is guidellm's inter-token latency; its time per output token counts the first token and is not used")
	return objects(src, f, func(s *row.Sheet, o *row.Object) {
		list, _ := o.Field("benchmarks").([]any)
		for _, b := range list {
			if m, ok := b.(map[string]any); ok {
				benchmark(s, o, m)
			}
		}
	})
}

// benchmark adds one benchmark of a report.
func benchmark(s *row.Sheet, o *row.Object, b map[string]any) {
	get := func(metric string, path ...string) float64 {
		return at(b["metrics"], append([]string{metric, "successful"}, path...)...)
	}
	name := text(b, 4, "model", "backend_model")
	if name == "" {
		name = text(o.Values, 4, "model", "backend_model")
	}
	done := get("time_to_first_token_ms", "count")
	if n := at(b, "request_totals", "successful"); n > 0 {
		done = n
	}
	if n := at(b, "run_stats", "requests_made", "successful"); n > 0 {
		done = n
	}
	cells := []row.Cell{
		{Name: "model", Text: name},
		cell("completed", done), cell("failed", at(b, "request_totals", "errored")),
		cell(row.PromptPath, get("prompt_token_count", "mean")), cell(row.OutputPath, get("output_token_count", "mean")),
		cell("request_throughput", get("requests_per_second", "mean")), cell("output_throughput", get("output_tokens_per_second", "mean")),
	}
	kind, strategy := strategyOf(b)
	reason := ""
	switch {
	case kind == "synchronous":
		cells = append(cells, row.Cell{Name: "concurrency", Text: "1"})
	case kind == "concurrent":
		n := at(strategy, "streams")
		if !(n > 0) {
			n = at(strategy, "max_concurrency")
		}
		cells = append(cells, cell("concurrency", n))
	case kind == "constant" || kind == "poisson":
		cells = append(cells, cell(row.RatePath, at(strategy, "rate")), row.Cell{Name: row.ArrivalPath, Text: kind})
	case kind == "throughput":
		reason = "the load is not said: all requests as fast as the server takes them"
	default:
		reason = "the strategy is not said"
	}
	for _, to := range []string{"mean", "p50", "p90", "p95", "p99"} {
		stat := []string{"percentiles", to}
		switch to {
		case "mean":
			stat = []string{"mean"}
		case "p50":
			stat = []string{"median"}
		}
		cells = append(cells, cell(to+"_ttft_ms", get("time_to_first_token_ms", stat...)), cell(to+"_e2e_s", get("request_latency", stat...)))
		if to == "mean" {
			cells = append(cells, cell("mean_itl_ms", get("inter_token_latency_ms", stat...)))
		}
	}
	r := s.Add(row.Place{Line: o.Line}, cells)
	r.Dropped = reason
}

// strategyOf finds how requests were sent: "synchronous", "concurrent", ...
func strategyOf(b map[string]any) (string, map[string]any) {
	for _, path := range [][]string{{"args", "strategy"}, {"config", "strategy"}, {"scheduler", "strategy"}, {"strategy"}} {
		var v any = b
		for _, k := range path {
			m, _ := v.(map[string]any)
			v = m[k]
		}
		if m, ok := v.(map[string]any); ok {
			for _, k := range []string{"type_", "type", "kind"} {
				if s, ok := m[k].(string); ok {
					return strings.ToLower(s), m
				}
			}
		}
	}
	return "", nil
}
