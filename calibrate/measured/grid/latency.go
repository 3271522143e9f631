package grid

import (
	"fmt"
	"math"

	"scoville/calibrate/measured/row"
)

// latencyFields of a grid of whole batches. Its times are in seconds.
var latencyFields = []field{
	{[]string{"hardware"}, "hardware.name"},
	{[]string{"num_of_hardware"}, "engine.tp"},
	{[]string{"framework"}, "dropped unless vLLM or asked for"},
	{[]string{"model"}, "model.name"},
	{[]string{"input_output_length"}, "workload.prompt_tokens and workload.output_tokens"},
	{[]string{"input_length"}, "workload.prompt_tokens"},
	{[]string{"output_length"}, "workload.output_tokens (1 beside an end latency: as many as prompt tokens)"},
	{[]string{"batch_size"}, "workload.requests, all at once"},
	{[]string{"latency", "end_latency"}, "e2e_max_ms (s x 1000)"},
	{[]string{"ttft_latency"}, "ttft_max_ms (s x 1000)"},
	{[]string{"throughput"}, "checked: all tokens over the latency"},
}

// latencyVersion stands for the engine of such a grid, which names none.
const latencyVersion = "vllm 0.6"

// IsLatency reports whether the file is a grid of whole batches.
func IsLatency(src *row.Source) bool {
	return src.Has("num_of_hardware", "framework", "batch_size", "latency", "input_output_length") ||
		src.Has("num_of_hardware", "framework", "batch_size", "input_length", "ttft_latency") ||
		src.Has("num_of_hardware", "framework", "batch_size", "input_length", "latency")
}

// ReadLatency reads a grid of whole batches into f.
func ReadLatency(src *row.Source, f *row.File) error {
	if !IsLatency(src) {
		return src.Errorf("it has columns Hardware, Num of Hardware, Framework, Batch Size, lengths and a latency", "not of the latency-grid form")
	}
	s, err := src.Sheet()
	if err != nil {
		return err
	}
	t := columns(s, latencyFields, f)
	for _, need := range []string{"hardware", "num_of_hardware", "model", "batch_size"} {
		if t.at[need] < 0 {
			return s.HeadError(0, "", "the latency-grid form has a column %q, this file has none", need)
		}
	}
	f.Load = "offline batches: all requests at once, exact lengths, times in s"
	for i := range s.Records {
		r := latencyRow{row.New(s, i), &t, i}
		if err := r.read(src.Unit); err != nil {
			return err
		}
		f.Rows = append(f.Rows, r.Observation)
	}
	return nil
}

// latencyRow reads one row.
type latencyRow struct {
	row.Observation
	t   *table
	rec int
}

func (r *latencyRow) read(unit string) error {
	r.Kind = row.Batch
	engine(&r.Observation, r.t.text(r.rec, "framework"))
	if err := r.machine(); err != nil {
		return err
	}
	b, prompt, output, err := r.lengths()
	if err != nil {
		return err
	}
	b.set(&r.Observation, r.t, prompt, output, "batch_size")
	r.Set("engine.version", latencyVersion, -1)
	r.Notes = append(r.Notes, "engine version not said: "+latencyVersion+", of the year in which grids of this form were published")
	r.Set("engine.scheduler", "prefill-first", -1)
	factor := 1e3
	if unit == "ms" {
		factor = 1
	}
	for _, m := range [][2]string{{"ttft_latency", "ttft_max_ms"}, {"latency", "e2e_max_ms"}} {
		if r.t.text(r.rec, m[0]) == "" {
			continue
		}
		ms, err := r.t.Latency(r.rec, r.t.at[m[0]], factor)
		if err != nil {
			return err
		}
		r.Measure(m[1], ms, r.t.at[m[0]], false)
	}
	if len(r.Targets) == 0 {
		r.Drop("no measured value")
	}
	r.checkThroughput(b)
	return nil
}

// machine sets chip, model and parallelism.
func (r *latencyRow) machine() error {
	name, note := chip(r.t.text(r.rec, "hardware"))
	if note != "" {
		r.Notes = append(r.Notes, note)
	}
	r.Set("hardware.name", name, r.t.at["hardware"])
	if _, err := r.SetModel(r.t.text(r.rec, "model"), "", r.t.at["model"], -1); err != nil {
		return err
	}
	tp, err := r.t.count(r.rec, "num_of_hardware")
	if err != nil {
		return err
	}
	r.Set("engine.tp", tp, r.t.at["num_of_hardware"])
	return nil
}

// lengths reads batch size and lengths, and says which fields they came from.
func (r *latencyRow) lengths() (b batch, prompt, output string, err error) {
	prompt, output = "input_output_length", "input_output_length"
	if r.t.at[prompt] < 0 {
		prompt, output = "input_length", "output_length"
	}
	if b.size, err = r.t.count(r.rec, "batch_size"); err != nil {
		return
	}
	if b.prompt, err = r.t.count(r.rec, prompt); err != nil {
		return
	}
	b.output = b.prompt
	if r.t.at[output] >= 0 && output != prompt {
		if b.output, err = r.t.count(r.rec, output); err != nil {
			return
		}
	}
	if b.output == 1 && r.t.at["ttft_latency"] >= 0 && r.t.text(r.rec, "latency") != "" {
		b.output = b.prompt
		r.Notes = append(r.Notes, "the output length is that of the run which gave the TTFT: the other run has as many output tokens as prompt tokens")
	}
	return
}

// checkThroughput compares the throughput, prompt and output tokens of the
// batch over its latency, with the latency.
func (r *latencyRow) checkThroughput(b batch) {
	c := r.t.at["throughput"]
	ms, ok := r.Target("e2e_max_ms")
	if c < 0 || !ok || r.t.text(r.rec, "throughput") == "" {
		return
	}
	x, err := r.t.Number(r.rec, c)
	if err != nil {
		return
	}
	want := float64(b.size*(b.prompt+b.output)) / ms * 1e3
	if math.Abs(x/want-1) > 0.02 {
		r.Suspects = append(r.Suspects, fmt.Sprintf("throughput %.4g, but %d x %d tokens in %.4g s are %.4g per second", x, b.size, b.prompt+b.output, ms/1e3, want))
	}
}
