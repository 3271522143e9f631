// Package stages reads results of inference-perf: stages of an evenly spaced
// open loop, in seconds, whose tokens arrive in several stream chunks.
package stages

import (
	"bytes"
	"fmt"
	"math"
	"strconv"

	"scoville/calibrate/measured/row"
	"scoville/calibrate/measured/tidy"
)

// Is reports whether the file is a stage or a summary of inference-perf.
func Is(src *row.Source) bool {
	return src.JSON() && bytes.Contains(src.Data, []byte(`"load_summary"`)) && bytes.Contains(src.Data, []byte(`"request_latency"`))
}

// Read reads stages, one an object.
func Read(src *row.Source, f *row.File) error {
	list, err := src.Objects()
	if err != nil {
		return err
	}
	s := &row.Sheet{File: src.Name}
	for i := range list {
		stage(s, &list[i])
	}
	f.Load = "open loop at equal gaps, until the generator's own limit on requests in flight"
	f.Notes = append(f.Notes, "TPOT is derived: (request latency - TTFT) / (output tokens - 1), since the file counts two stream chunks a token; output tokens are the median, which re-tokenising moves least")
	return tidy.Table(s, src.Options, f)
}

// slack is the share of the requested rate that an open loop must have sent,
// and the mean delay of sending, in s, from which the generator was the limit.
const (
	slack = 0.95
	late  = 0.1
)

// stage adds one stage.
func stage(s *row.Sheet, o *row.Object) {
	get := func(path ...string) float64 {
		x, ok := row.AsNumber(o.Field(path...))
		if !ok {
			return math.NaN()
		}
		return x
	}
	latency := func(name, stat string) float64 { return get("successes", "latency", name, stat) }
	rate, got := get("load_summary", "requested_rate"), get("load_summary", "achieved_rate")
	done, failed := get("successes", "count"), get("failures", "count")
	output := math.Round(get("successes", "output_len", "median"))
	cells := []row.Cell{
		cell("completed", done), cell("failed", failed), cell(row.RatePath, rate),
		{Name: "workload.arrival", Text: "constant"},
		cell(row.PromptPath, get("successes", "prompt_len", "mean")), cell(row.OutputPath, output),
		cell("request_throughput", get("successes", "throughput", "requests_per_sec")),
		cell("output_throughput", get("successes", "throughput", "output_tokens_per_sec")),
	}
	for _, stat := range []string{"mean", "median", "p90", "p95", "p99"} {
		ttft, whole := latency("time_to_first_token", stat), latency("request_latency", stat)
		cells = append(cells, cell(stat+"_ttft_s", ttft), cell(stat+"_e2el_s", whole))
		if stat == "mean" && output > 1 && whole > ttft {
			cells = append(cells, cell("mean_tpot_s", (whole-ttft)/(output-1)))
		}
	}
	r := s.Add(row.Place{Line: o.Line}, cells)
	delay := get("load_summary", "schedule_delay", "mean")
	switch {
	case math.IsNaN(rate):
		r.Dropped = "summary of several stages: no rate of its own"
	case got < slack*rate || delay > late:
		r.Dropped = fmt.Sprintf("saturated: %.4g requests per second of %.4g were sent, %.2g s late on average: the generator's limit on requests in flight makes it a closed loop of unknown size near %.0f",
			got, rate, delay, get("successes", "throughput", "requests_per_sec")*latency("request_latency", "mean"))
	}
	if chunks := latency("time_per_output_token", "mean"); chunks > 0 && output > 1 {
		tpot := (latency("request_latency", "mean") - latency("time_to_first_token", "mean")) / (output - 1)
		if q := chunks / tpot; q < 0.7 {
			r.Suspects = append(r.Suspects, fmt.Sprintf("stream chunks: time_per_output_token is %.2f of (latency - TTFT) / (tokens - 1); it is not used", q))
		}
	}
}

// cell formats a number, NaN as nothing.
func cell(name string, x float64) row.Cell {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return row.Cell{Name: name}
	}
	return row.Cell{Name: name, Text: strconv.FormatFloat(x, 'g', -1, 64)}
}
