package measured

import (
	"strings"
	"testing"

	"scoville/calibrate/measured/row"
)

// What columns of published tables are taken for; "" = ignored, "unit?" = the
// unit is asked for.
func TestMeanings(t *testing.T) {
	for _, c := range []struct{ names, want string }{
		{"isl|Input Length|input_len|random-input-len|prompt_size|PROMPT TOKENS|workload.prompt_tokens", PromptPath},
		{"osl|output_len|Output Length|token_size|generation_tokens|workload.class.measured.output_tokens", OutputPath},
		{"concurrency|conc|max_concurrency|Maximum request concurrency|workload.concurrency", ConcurrencyPath},
		{"request_rate|qps|rps|rate|rate_rps", RatePath},
		{"Hardware|system|hw|gpu_name|GPU|device name", "hardware.name"},
		{"tp|tp_size|tensor_parallel|tensor-parallel-size|Num of Hardware|gpu_count", "engine.tp"},
		{"model|model_id|model_path|Model Name", "model.name"},
		{"precision|dtype|quantization", "model.weight_dtype"},
		{"kv_cache_dtype|kv_dtype", "model.kv_dtype"},
		{"vllm_version|backend_version|image|engine.version", "engine.version"},
		{"num_prompts|requests", "workload.requests"},
		{"max-num-seqs|max_num_seqs", "engine.max_num_seqs"},
		{"enable-chunked-prefill", "engine.chunked_prefill"},
		{"length_range", "measurement.length_range"},
		{"mean_ttft_ms|Mean TTFT (ms)|Mean_TTFT_ms|ttft_mean_ms|avg_ttft_ms|time_to_first_token_mean_ms", "ttft_mean_ms"},
		{"ttft_ms|TTFT (ms)", "ttft_mean_ms (no statistic in the name: measurement.statistic, the mean unless set)"},
		{"median_tpot_s|tpot_p50_s", "tpot_p50_ms (x 1000)"},
		{"p99_itl_us", "itl_p99_ms (x 0.001)"},
		{"p90_e2el_ms|e2e_p90_ms", "e2e_p90_ms"},
		{"ttft_p50|mean_ttft|TPOT|p99 e2el", "unit?"},
		{"std_ttft_ms", "standard deviation of TTFT (ms)"},
		{"completed|Successful requests", "completed requests"},
		{"total_input_tokens|Total input tokens|Total_input_tokens", "prompt tokens of all requests"},
		{"request_throughput|Request throughput (req/s)|Request_throughput_req_s|throughput_req_per_s", "throughput_rps (req/s), for saturated runs"},
		{"backend|framework", "dropped unless vllm"},
		{"p99.9_ttft_ms|ttft_mean_ratio|tpot_mean_min", ""},
		{"request_goodput:|date|name|share|p99.9_itl_ms", ""},
		{"source|Source", "source of the row"},
	} {
		for _, name := range strings.Split(c.names, "|") {
			s := &row.Sheet{File: "x.csv", Lines: []string{name}, Header: []string{name}, HeadAt: []row.Place{{Line: 1, Col: 1}}}
			m, err := s.MeaningOf(0, "")
			got := ""
			switch {
			case err != nil && strings.Contains(err.Error(), "is it ms or s?"):
				got = "unit?"
			case err != nil:
				got = err.Error()
			case m != nil:
				got = m.String()
			}
			if got != c.want {
				t.Errorf("%q is taken for %q, want %q", name, got, c.want)
			}
		}
	}
}

// A run published twice is one run; a repeated measurement is another.
func TestDropDuplicates(t *testing.T) {
	head := "source,model,gpu,isl,osl,concurrency,ttft_mean_ms\n"
	a := read(t, "a.csv", head+"x,llama-2-7b,h200,10,10,4,20\ny,llama-2-7b,h200,10,10,4,20\ny,llama-2-7b,h200,10,10,4,20.1\n", Options{})
	b := read(t, "b.csv", head+"z,llama-2-7b,h200,10,10,4,20.1\nz,llama-2-7b,h200,10,10,8,20\n", Options{})
	DropDuplicates(rowsOf(a, b))
	for i, want := range []string{"", "repeats a.csv:2 exactly", "", "repeats a.csv:4 exactly", ""} {
		o := append(a.Rows, b.Rows...)[i]
		if o.Dropped != want {
			t.Errorf("row %d: dropped %q, want %q", i, o.Dropped, want)
		}
	}
}
