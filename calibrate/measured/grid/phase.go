package grid

import (
	"strings"

	"scoville/calibrate/measured/row"
)

// phaseFields of a grid with the phases timed apart. Its times are in ms.
var phaseFields = []field{
	{[]string{"model"}, "model.name"},
	{[]string{"hardware"}, "hardware.name"},
	{[]string{"prompt_size"}, "workload.prompt_tokens"},
	{[]string{"batch_size"}, "workload.requests, all at once"},
	{[]string{"token_size"}, "workload.output_tokens"},
	{[]string{"prompt_time"}, "ttft_mean_ms (of the whole batch, ms)"},
	{[]string{"token_time"}, "tpot_mean_ms (ms)"},
	{[]string{"tensor_parallel"}, "engine.tp"},
	{[]string{"e2e_time"}, "not used: generation may have stopped early"},
}

// phaseVersion stands for the engine of such a grid, which names none.
const phaseVersion = "vllm 0.2"

// IsPhase reports whether the file is a grid with the phases timed apart.
func IsPhase(src *row.Source) bool {
	return src.Has("prompt_size", "batch_size", "token_size", "prompt_time", "token_time")
}

// ReadPhase reads a grid with the phases timed apart into f.
func ReadPhase(src *row.Source, f *row.File) error {
	if !IsPhase(src) {
		return src.Errorf("it has columns prompt_size, batch_size, token_size, prompt_time, token_time", "not of the phase-grid form")
	}
	s, err := src.Sheet()
	if err != nil {
		return err
	}
	t := columns(s, phaseFields, f)
	f.Load = "isolated batches: prompt phase and token phase timed apart, times in ms"
	for i := range s.Records {
		o, err := readPhase(&t, i, src.Unit)
		if err != nil {
			return err
		}
		f.Rows = append(f.Rows, o)
	}
	return nil
}

func readPhase(t *table, rec int, unit string) (row.Observation, error) {
	o := row.New(t.Sheet, rec)
	o.Kind = row.Phase
	var b batch
	var err error
	for _, x := range []struct {
		name string
		to   *int
	}{{"prompt_size", &b.prompt}, {"token_size", &b.output}, {"batch_size", &b.size}} {
		if *x.to, err = t.count(rec, x.name); err != nil {
			return o, err
		}
	}
	if hw := t.text(rec, "hardware"); hw != "" {
		o.Set("hardware.name", row.Canonical("hardware.name", hw), t.at["hardware"])
		if strings.HasSuffix(strings.ToLower(hw), "-pcap") {
			o.Drop("synthetic: rows of a capped chip are those of the chip with longer prompt times")
		}
	}
	if _, err := o.SetModel(t.text(rec, "model"), "", t.at["model"], -1); err != nil {
		return o, err
	}
	if t.text(rec, "tensor_parallel") != "" {
		tp, err := t.count(rec, "tensor_parallel")
		if err != nil {
			return o, err
		}
		o.Set("engine.tp", tp, t.at["tensor_parallel"])
	}
	b.set(&o, t, "prompt_size", "token_size", "batch_size")
	o.Set("engine.max_num_batched_tokens", max(8192, b.size*b.prompt), -1)
	o.Set("engine.version", phaseVersion, -1)
	o.Notes = append(o.Notes, "engine version not said: "+phaseVersion+", eager execution as when grids of this form were published")
	return o, measurePhases(&o, t, rec, unit)
}

// measurePhases reads both times of a row. A single output token has no token
// phase.
func measurePhases(o *row.Observation, t *table, rec int, unit string) error {
	factor := 1.0
	if unit == "s" {
		factor = 1e3
	}
	for _, m := range [][2]string{{"prompt_time", "ttft_mean_ms"}, {"token_time", "tpot_mean_ms"}} {
		text := t.text(rec, m[0])
		if text == "" || text == "0" || m[0] == "token_time" && o.Value(row.OutputPath) == 1.0 {
			continue
		}
		ms, err := t.Latency(rec, t.at[m[0]], factor)
		if err != nil {
			return err
		}
		o.Measure(m[1], ms, t.at[m[0]], false)
	}
	if len(o.Targets) == 0 {
		o.Drop("no measured value")
	}
	return nil
}
