package validation

import (
	"path/filepath"
	"testing"

	"scoville/calibrate/measured"
)

// Published files of every form are known for what they are, and of their rows
// only those are left out that say why.
func TestForms(t *testing.T) {
	dir := shared(t)
	for _, c := range []struct {
		file, form    string
		rows, dropped int
		metric        string
	}{
		{"argonne-batch-grid/All_results.vllm.csv", measured.LatencyGrid, 1349, 0, "e2e_max_ms"},
		{"argonne-batch-grid/all_results_TTFT_ITL.csv", measured.LatencyGrid, 24, 0, "ttft_max_ms"},
		{"splitwise-perf-model/perf_model.llama2-70b.csv", measured.PhaseGrid, 525, 0, "tpot_mean_ms"},
		{"llmservingsim-vllm-requests/RTX4090/Llama-3.1-8B/requests.jsonl", measured.Requests, 300, 0, "e2e_mean_ms"},
		{"llmservingsim-vllm-requests/RTXPRO6000/Llama-3.1-8B/requests.jsonl", measured.Requests, 300, 0, "ttft_mean_ms"},
		{"vllm-h100-steps/steps.llama-2-70b-tp4-general.csv", measured.Steps, 5992, 5399, "step_ms"},
		{"vllm-h100-steps/steps.codellama-34b-tp2-general.csv", measured.Steps, 7441, 6725, "step_ms"},
	} {
		f, err := measured.Read(c.file, []byte(read(t, dir, filepath.FromSlash(c.file))), measured.Options{})
		if err != nil {
			t.Error(err)
			continue
		}
		dropped := 0
		for i := range f.Rows {
			o := &f.Rows[i]
			if o.Dropped != "" {
				dropped++
			} else if ms, ok := o.Target(c.metric); !ok || ms < 0.5 || ms > 1e7 {
				t.Errorf("%s:%d: %s %g", c.file, o.Line, c.metric, ms)
			}
			if len(o.Suspects) > 0 {
				t.Errorf("%s:%d: %v", c.file, o.Line, o.Suspects)
			}
		}
		if f.Form != c.form || len(f.Rows) != c.rows || dropped != c.dropped {
			t.Errorf("%s: %s, %d rows, %d dropped", c.file, f.Form, len(f.Rows), dropped)
		}
	}
}
