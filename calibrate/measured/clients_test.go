package measured

import (
	"fmt"
	"strings"
	"testing"
)

// Results of other clients become runs with vLLM's definitions.
func TestClients(t *testing.T) {
	guide := `{"benchmarks": [{"args": {"strategy": {"type_": %s}}, "worker": {"backend_model": "llama-3.1-8b"}, "request_totals": {"successful": 40, "errored": 0},
 "metrics": {"time_to_first_token_ms": {"successful": {"mean": 90.5, "median": 80, "percentiles": {"p99": 300}}}, "inter_token_latency_ms": {"successful": {"mean": 7.25}},
 "time_per_output_token_ms": {"successful": {"mean": 7.9}}, "request_latency": {"successful": {"mean": 1.01125}},
 "prompt_token_count": {"successful": {"mean": 1024}}, "output_token_count": {"successful": {"mean": 128}}}}]}`
	for _, c := range []struct{ name, text, form, load, targets string }{
		{"guidellm", fmt.Sprintf(guide, `"concurrent", "streams": 16`), GuideLLM, "closed 16", "ttft_mean_ms=90.5 itl_mean_ms=7.25 e2e_mean_ms=1011.25"},
		{"guidellm", fmt.Sprintf(guide, `"synchronous"`), GuideLLM, "closed 1", "ttft_mean_ms=90.5 itl_mean_ms=7.25"},
		{"guidellm", fmt.Sprintf(guide, `"constant", "rate": 2.5`), GuideLLM, "constant 2.5", "ttft_mean_ms=90.5 itl_mean_ms=7.25"},
		{"genai-bench", `{"aggregated_metrics": {"num_concurrency": 16, "num_completed_requests": 160, "num_error_requests": 0, "stats": {"ttft": {"mean": 0.0905, "p50": 0.08},
 "tpot": {"mean": 0.00725}, "e2e_latency": {"mean": 1.01125}, "num_input_tokens": {"mean": 1024}, "num_output_tokens": {"mean": 128}}},
 "experiment_metadata": {"model": "llama-3.1-8b"}}`, GenaiBench, "closed 16", "ttft_mean_ms=90.5 tpot_mean_ms=7.25 e2e_mean_ms=1011.25"},
		{
			"llmperf", `{"model": "llama-3.1-8b", "mean_input_tokens": 1000, "num_concurrent_requests": 16, "results_ttft_s_mean": 0.0905, "results_inter_token_latency_s_mean": 0.0079,
 "results_end_to_end_latency_s_mean": 1.01125, "results_number_input_tokens_mean": 1024, "results_number_output_tokens_mean": 128, "results_num_completed_requests": 160}`,
			LLMPerf, "closed 16", "ttft_mean_ms=90.5 e2e_mean_ms=1011.25 tpot_mean_ms=7.25",
		},
		{
			"fmbench", "experiment_name,payload_file,instance_type,concurrency,error_rate,prompt_token_count_mean,completion_token_count_mean,latency_mean\nx,y,ml.p5.48xlarge,16,0,1024,128,1.01125\n",
			FMBench, "closed 16", "e2e_mean_ms=1011.25",
		},
	} {
		f, err := Read("x", []byte(c.text), Options{})
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		o := &f.Rows[0]
		load := fmt.Sprint("closed ", o.Value(ConcurrencyPath))
		if r := o.Value(RatePath); r != nil {
			load = fmt.Sprint(o.Value("workload.arrival"), " ", r)
		}
		if f.Form != c.form || load != c.load || o.Value(PromptPath) != 1024.0 || o.Value(OutputPath) != 128.0 || o.Dropped != "" {
			t.Errorf("%s: form %s, %s, prompt %v, output %v, dropped %q", c.name, f.Form, load, o.Value(PromptPath), o.Value(OutputPath), o.Dropped)
		}
		for _, want := range strings.Fields(c.targets) {
			metric, value, _ := strings.Cut(want, "=")
			if got, _ := o.Target(metric); fmt.Sprintf("%.6g", got) != value {
				t.Errorf("%s: %s = %.6g, want %s", c.name, metric, got, value)
			}
		}
		if tpot, ok := o.Target("tpot_mean_ms"); ok && tpot > 7.5 {
			t.Errorf("%s: the first token counts in TPOT %g", c.name, tpot)
		}
	}
	for _, text := range []string{
		"TIMESTAMP,ContextTokens,GeneratedTokens\n2023-11-16 18:17:03,4808,10\n",
		`{"timestamp": 0, "input_length": 40, "output_length": 6, "hash_ids": [0]}`,
	} {
		if _, err := Read("x", []byte(text), Options{}); err == nil || !strings.Contains(err.Error(), "a trace of requests holds no latencies") {
			t.Errorf("%.30s: %v", text, err)
		}
	}
}

// A slip of unit or of load contradicts the chip, and is left out.
func TestContradictions(t *testing.T) {
	head := "hardware,model,tp,isl,osl,concurrency,ttft_ms,tpot_ms\nh100-sxm,llama-3.1-8b,1,1024,128,4,"
	for text, want := range map[string]string{
		head + "0.0905,0.00725\n": "the unit is wrong: TTFT 0.0905 ms",
		head + "5,7\n":            "",
		"============ Serving Benchmark Result ============\nSuccessful requests: 200\nBenchmark duration (s): 50\nTotal input tokens: 204800\nTotal generated tokens: 25600\nMean TTFT (ms): 45\nMean TPOT (ms): 7\n": "the load is not said: all 200 requests at once",
	} {
		f := read(t, "x", text, Options{})
		o := &f.Rows[0]
		if err := o.Fill("h100-sxm", "llama-3.1-8b"); err != nil {
			t.Fatal(err)
		}
		if Suspect([]*Observation{o}); !strings.HasPrefix(o.Dropped, want) || want == "" && o.Dropped != "" {
			t.Errorf("%.40q: dropped %q, want %q", text, o.Dropped, want)
		}
	}
}

// What the client's command and its arguments say, a block need not.
func TestClientCommand(t *testing.T) {
	block := "\n============ Serving Benchmark Result ============\nSuccessful requests: 100\nBenchmark duration (s): 50\nTotal input tokens: 102400\nTotal generated tokens: 12800\nMean TTFT (ms): 45\nMean TPOT (ms): 7\n"
	for _, c := range []struct{ above, model, load string }{
		{"vllm bench serve --model meta-llama/Llama-3.1-8B \\\n --request-rate 4 --dataset-name sharegpt", "llama-3.1-8b", "4"},
		{"python benchmark_serving.py --model=llama-3.1-8b --max-concurrency=16", "llama-3.1-8b", "16 in flight"},
		{"Namespace(backend='vllm', model='llama-3.1-8b', dataset_name='random', random_input_len=1024, request_rate=inf, max_concurrency=8)", "llama-3.1-8b", "8 in flight"},
		{"docker run vllm/vllm-openai:v0.8.5 --model llama-3.1-8b\nTraffic request rate: 2.0", "llama-3.1-8b", "2"},
		{"for c in 1 2; do vllm bench serve --model llama-3.1-8b --max-concurrency $c; done\nMaximum request concurrency: 2", "llama-3.1-8b", "2 in flight"},
	} {
		o := &read(t, "r.log", "\x1b[32mINFO\x1b[0m "+c.above+block, Options{}).Rows[0]
		load := fmt.Sprint(o.Value(RatePath))
		if n := o.Value(ConcurrencyPath); n != nil {
			load = fmt.Sprint(n, " in flight")
		}
		if o.Value("model.name") != c.model || load != c.load {
			t.Errorf("%s: model %v, load %s", c.above, o.Value("model.name"), load)
		}
		if v := o.Value("engine.version"); strings.Contains(c.above, "docker") && v != "vllm 0.8.5" {
			t.Errorf("version %v", v)
		}
	}
}
