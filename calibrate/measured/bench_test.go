package measured

import (
	"fmt"
	"strings"
	"testing"
)

// native is one run as `vllm bench serve` writes it, with metadata keys.
func native(change ...string) string {
	text := `{"date": "20250610-160721", "backend": "vllm", "model_id": "meta-llama/Llama-3.1-8B-Instruct", "tokenizer_id": "x",
 "num_prompts": 200, "gpu_name": "NVIDIA-H100-PCIe", "gpu_count": "1", "request_rate": 4.0, "burstiness": 1.0, "max_concurrency": null,
 "duration": 55.0, "completed": 200, "total_input_tokens": 41650, "total_output_tokens": 41704, "request_throughput": 3.64,
 "request_goodput:": null, "output_throughput": 758.2, "total_token_throughput": 1515.5,
 "mean_ttft_ms": 43.1, "median_ttft_ms": 37.6, "p50_ttft_ms": 37.6, "std_ttft_ms": 9.6, "p99_ttft_ms": 97.7, "p99.9_ttft_ms": 98, "p100_ttft_ms": 99,
 "mean_tpot_ms": "11.5", "mean_itl_ms": 11.4}`
	return strings.NewReplacer(change...).Replace(text)
}

func TestServe(t *testing.T) {
	f := read(t, "r.json", "\ufeff"+native()+"\r\n"+native(`"request_rate": 4.0`, `"request_rate": "inf"`, `"max_concurrency": null`, `"max_concurrency": 8`)+native(`"burstiness": 1.0`, `"burstiness": 0.25`, `"mean_itl_ms": 11.4`, `"mean_itl_ms": NaN`), Options{})
	if f.Form != Serve || len(f.Rows) != 3 {
		t.Fatalf("%s, %d rows", f.Form, len(f.Rows))
	}
	for _, c := range []struct {
		row  int
		path string
		want any
	}{
		{0, "hardware.name", "h100-pcie"},
		{0, "model.name", "llama-3.1-8b"},
		{0, "engine.tp", 1},
		{0, "workload.arrival", "poisson"},
		{0, "workload.rate_rps", 4.0},
		{0, "workload.requests", 200},
		{0, PromptPath, 208.25},
		{0, PromptPath + ".dist", "gamma"},
		{1, "workload.arrival", nil},
		{1, "workload.concurrency", 8},
		{1, "workload.requests", 200},
		{2, "workload.arrival", "gamma"},
		{2, "workload.arrival_cv", 2.0},
	} {
		if got := f.Rows[c.row].Value(c.path); fmt.Sprint(got) != fmt.Sprint(c.want) {
			t.Errorf("row %d: %s = %v, want %v", c.row, c.path, got, c.want)
		}
	}
	o := &f.Rows[0]
	for metric, want := range map[string]float64{"ttft_mean_ms": 43.1, "ttft_max_ms": 99, "tpot_mean_ms": 11.5, "e2e_mean_ms": 43.1 + 11.4*(41704.0/200-1)} {
		if got, ok := o.Target(metric); !ok || got != want {
			t.Errorf("%s = %g, %v, want %g", metric, got, ok, want)
		}
	}
	if fmt.Sprint(o.Rates) != "[{throughput_rps 3.64} {output_tok_s 758.2}]" || o.Facts["ttft_sd_ms"] != 9.6 {
		t.Errorf("rates %v, facts %v", o.Rates, o.Facts)
	}
	if f.Rows[1].Line != 7 || f.Rows[2].Line != 12 {
		t.Errorf("objects on lines %d and %d", f.Rows[1].Line, f.Rows[2].Line)
	}
	if _, ok := f.Rows[2].Target("itl_mean_ms"); ok {
		t.Error("NaN is a value")
	}
	summary := read(t, "summary.json", "["+native()+",\n"+native()+"]", Options{})
	if summary.Form != SweepSummary || len(summary.Rows) != 2 {
		t.Errorf("%s, %d rows", summary.Form, len(summary.Rows))
	}
}

// What a run is dropped for, and what is suspected of it.
func TestServeOdd(t *testing.T) {
	for _, c := range []struct {
		change        []string
		drop, suspect string
	}{
		{[]string{`"backend": "vllm"`, `"backend": "sglang"`}, "engine sglang, not vllm", ""},
		{[]string{`"backend": "vllm"`, `"backend": "openai-chat"`}, "", ""},
		{[]string{`"completed": 200`, `"completed": 150`}, "failed requests: 50 of 200", ""},
		{[]string{`"completed": 200`, `"completed": 195`}, "", "failed requests: 5 of 200"},
		{[]string{`"completed": 200`, `"completed": 0`, "43.1", "0", `"11.5"`, "0"}, "no request succeeded", ""},
		{[]string{`"request_throughput": 3.64`, `"request_throughput": 1.04`}, "saturated: 1.04 requests per second of 4 offered were served", ""},
		{[]string{`"mean_ttft_ms": 43.1`, `"mean_ttft_ms": 14300`, `"p99_ttft_ms": 97.7`, `"p99_ttft_ms": 20000`}, "saturated: requests arrive in 50 s, and the first token takes 14.3 s", ""},
		{[]string{`"max_concurrency": null`, `"max_concurrency": 400`}, "", ""},
		{[]string{`"max_concurrency": null`, `"max_concurrency": 12`}, "a rate under a cap on concurrency is neither", ""},
		{[]string{`"max_concurrency": null`, `"max_concurrency": 8`}, "", ""},
		{[]string{`"request_rate": 4.0`, `"request_rate": "inf"`}, "", ""},
		{[]string{`"request_rate": 4.0`, `"request_rate": Infinity`, "200", "300", `"completed": 200`, `"completed": 300`}, "saturated: 300 requests at once are more than the batch of 256", ""},
		{[]string{`"mean_itl_ms": 11.4`, `"mean_itl_ms": 5.6`}, "", "stream chunks: mean ITL is 0.49 of mean TPOT"},
		{[]string{`"mean_itl_ms": 11.4`, `"mean_itl_ms": 23`}, "", "stream chunks: mean ITL is 2.00 of mean TPOT"},
	} {
		o := &read(t, "r.json", native(c.change...), Options{}).Rows[0]
		if !strings.HasPrefix(o.Dropped, c.drop) || c.drop == "" && o.Dropped != "" {
			t.Errorf("%v: dropped %q, want %q", c.change, o.Dropped, c.drop)
		}
		if got := strings.Join(o.Suspects, "|"); !strings.HasPrefix(got, c.suspect) || c.suspect == "" && got != "" {
			t.Errorf("%v: suspect %q, want %q", c.change, got, c.suspect)
		}
		if o.Saturated != strings.HasPrefix(o.Dropped, "saturated") || o.Saturated && len(o.Rates) != 2 {
			t.Errorf("%v: saturated %v, rates %v", c.change, o.Saturated, o.Rates)
		}
	}
	if o := &read(t, "r.json", native(`"max_concurrency": null`, `"max_concurrency": 8`), Options{}).Rows[0]; o.Value("workload.rate_rps") != nil || o.Value("workload.concurrency") != 8 {
		t.Error("a cap that always acts is a closed loop")
	}
}

// Nominal lengths beside totals: the client's range rule, early stopping.
func TestNominal(t *testing.T) {
	head := "gpu,model,tp,isl,osl,max_concurrency,completed,total_input_tokens,total_output_tokens,mean_ttft_ms,mean_tpot_ms\n"
	for _, c := range []struct{ cells, length, prompt, output, note string }{
		{"1000,100,8,80,80000,8000", "<nil>", "1000", "100", ""},
		{"1000,100,8,80,79000,8000", "<nil>", "1000", "100", ""},
		{"1000,100,8,80,72000,7200", "0.8", "1000", "100", "drawn uniformly from 0.8 L to L"},
		{"1000,100,8,80,80000,5000", "<nil>", "1000", "62.5", "early stopping: outputs average 62 tokens of 100"},
		{"1000,100,8,80,88000,8000", "<nil>", "1100", "100", "mean prompt length is that of the totals"},
		{",,8,80,80000,8000", "<nil>", "1000", "100", "a whole number"},
		{",,8,80,80000,8010", "<nil>", "1000", "100.125", "spread assumed as of ShareGPT"},
	} {
		o := &read(t, "x.csv", head+"h200,llama-2-7b,1,"+c.cells+",20,9\n", Options{}).Rows[0]
		got := []string{fmt.Sprint(o.Value("measurement.length_range")), fmt.Sprint(o.Value(PromptPath)), fmt.Sprint(o.Value(OutputPath))}
		if fmt.Sprint(got) != fmt.Sprint([]string{c.length, c.prompt, c.output}) || !strings.Contains(strings.Join(append(o.Notes, o.Suspects...), "|"), c.note) {
			t.Errorf("%s: %v, notes %q, suspects %q", c.cells, got, o.Notes, o.Suspects)
		}
	}
}

// detailed is a run with its requests: seconds beside milliseconds.
const detailed = `{"model_id": "llama-2-7b", "num_prompts": 3, "request_rate": "inf", "max_concurrency": null, "completed": 3, "duration": 1,
"total_input_tokens": 60, "total_output_tokens": 9, "request_throughput": 3, "mean_ttft_ms": 200,
"input_lens": [10, 20, 30], "output_lens": [3, 5, 1], "ttfts": [0.1, 0.2, 0.3], "itls": [[0.01, 0.03], [0.02, 0.02, 0.02, 0.02], []], "generated_texts": ["{[", "b", "c"], "errors": ["", "", ""]}`

func TestDetailed(t *testing.T) {
	f := read(t, "d.json", detailed, Options{})
	o := &f.Rows[0]
	if f.Form != Detailed || o.Kind.String() != "replay" || fmt.Sprint(o.Records) != "[{0 10 3 []} {0 20 5 []} {0 30 1 []}]" {
		t.Fatalf("%s %s %v", f.Form, o.Kind, o.Records)
	}
	for metric, want := range map[string]float64{"ttft_p50_ms": 200, "tpot_mean_ms": 20, "itl_mean_ms": 20, "e2e_mean_ms": 240, "e2e_p50_ms": 280} {
		if got, _ := o.Target(metric); got < want*(1-1e-9) || got > want*(1+1e-9) {
			t.Errorf("%s = %g, want %g", metric, got, want)
		}
	}
	if v := o.Value(PromptPath + ".values"); fmt.Sprint(v) != "[10 20 30]" {
		t.Errorf("lengths %v", v)
	}
	chunks := &read(t, "d.json", strings.Replace(detailed, "[0.02, 0.02, 0.02, 0.02]", "[0.04, 0.04]", 1), Options{}).Rows[0]
	if got := strings.Join(chunks.Suspects, "|"); !strings.Contains(got, "4 gaps for 6 tokens") {
		t.Errorf("suspects %q", got)
	}
	wrong := &read(t, "d.json", strings.Replace(detailed, `"mean_ttft_ms": 200`, `"mean_ttft_ms": 0.2`, 1), Options{}).Rows[0]
	if got := strings.Join(wrong.Suspects, "|"); !strings.Contains(got, "aggregates contradict the requests") {
		t.Errorf("suspects %q", got)
	}
	if o := &read(t, "d.json", strings.Replace(detailed, `"inf"`, "2.5", 1), Options{}).Rows[0]; o.Records != nil || o.Value("workload.arrival") != "poisson" {
		t.Errorf("arrivals of a Poisson run are not recorded: %v", o.Records)
	}
}

// Offline runs are in seconds, and their parameters in the name of the file.
func TestOffline(t *testing.T) {
	latency := `{"avg_latency": 78.61, "latencies": [78.59, 78.63], "percentiles": {"50": 78.6}}`
	through := `{"elapsed_time": 75.06, "num_requests": 8, "total_num_tokens": 17408, "requests_per_second": 0.107, "tokens_per_second": 231.9}`
	a := &read(t, "x/latency_ip2048_op128_np8.json", latency, Options{}).Rows[0]
	b := &read(t, "x/throughput_ip2048_op128_np8.json", through, Options{}).Rows[0]
	for _, o := range []*Observation{a, b} {
		if o.Kind.String() != "batch" || o.Value("workload.arrival") != "burst" || o.Value("workload.requests") != 8 || o.Value(PromptPath) != 2048.0 || o.Value(OutputPath) != 128.0 {
			t.Errorf("%s %v", o.Kind, o.Values)
		}
	}
	if fmt.Sprint(a.Targets, b.Targets) != "[{e2e_mean_ms 78610}] [{e2e_max_ms 75060}]" {
		t.Error(a.Targets, b.Targets)
	}
	if len(b.Suspects) != 0 {
		t.Error(b.Suspects)
	}
	_, err := Read("latency.json", []byte(latency), Options{})
	if err == nil || !strings.Contains(err.Error(), "says the prompt length of the run; give --set workload.prompt_tokens=N") {
		t.Errorf("%v", err)
	}
}

func TestInferenceX(t *testing.T) {
	f := read(t, "agg.json", `{"hw": "h200", "conc": 8, "image": "vllm/vllm-openai:v0.11.2", "model": "meta-llama/Llama-3.1-70B-Instruct-FP8", "framework": "vllm", "precision": "fp8",
"isl": 1024, "osl": 1024, "tp": 4, "ep": 1, "dp_attention": "false", "tput_per_gpu": 100.5, "mean_ttft": 0.12, "p99_ttft": 0.4, "mean_tpot": 0.0131}`, Options{})
	o := &f.Rows[0]
	if f.Form != InferenceX || o.Dropped != "" || fmt.Sprint(o.Targets) != "[{ttft_mean_ms 120} {ttft_p99_ms 400} {tpot_mean_ms 13.100000000000001}]" || o.Value("measurement.length_range") != 0.8 || o.Value("engine.version") != "vllm 0.11.2" {
		t.Errorf("%s %q %v %v", f.Form, o.Dropped, o.Targets, o.Values)
	}
}

// What folders and names suggest of chip and parallelism.
func TestHints(t *testing.T) {
	text := "model,isl,osl,concurrency,ttft_mean_ms\nllama-2-7b,10,10,4,20\n"
	for name, want := range map[string]string{
		"8xH100SXM5/a.csv":           " --hardware h100-sxm --set engine.tp=8",
		"RTXPRO6000/8B/requests.csv": " --hardware rtx-pro-6000",
		"a_1xNVIDIA-H100-PCIe.csv":   " --hardware h100-pcie --set engine.tp=1",
		"A100-SXM4-40GB_tp8.csv":     " --hardware a100-40 --set engine.tp=8",
		"h100.csv":                   " --hardware NAME (h100: which one? h100-nvl, h100-pcie, h100-sxm)",
		"A100-PCIe.csv":              " --hardware NAME (A100-PCIe: which one? a100-pcie-40, a100-pcie-80)",
		"h100-nvl_tp2.csv":           " --hardware h100-nvl --set engine.tp=2",
		"A100-PCIe-80GB.csv":         " --hardware a100-pcie-80",
		"NVIDIA A100 80GB PCIe.csv":  " --hardware a100-pcie-80",
		"run-4xL4.csv":               " --hardware l4 --set engine.tp=4",
		"nvidia_a10g.csv":            " --hardware a10g",
		"rtx5090-a.csv":              " --hardware rtx-5090",
		"all4.csv":                   "",
		"http4.csv":                  "",
	} {
		got := strings.Join(read(t, name, text, Options{}).Notes, "|")
		if got != strings.TrimSuffix("the name of the file suggests"+want, "the name of the file suggests") {
			t.Errorf("%s: %q", name, got)
		}
	}
}

// A sweep writes what it varied into the names of its runs' folders only.
func TestSweptFolders(t *testing.T) {
	for folder, want := range map[string]string{
		"SERVE--max_num_seqs=32-tensor_parallel_size=4-BENCH--random_input_len=512": "32 4 512",
		"BENCH--random-input-len=512":                                              "<nil> <nil> 512",
		"SERVE--max-num-seqs=16-kv-cache-dtype=fp8-tensor-parallel-size=2":         "16 2 208",
		"SERVE--model=acme-Llama-3.1-8B-max_num_seqs=8-enforce_eager=None-BENCH--": "8 <nil> 208",
		"results-max_num_seqs=32":                                                  "<nil> <nil> 208",
		"SERVE--max_num_seqs-BENCH--a=":                                            "<nil> <nil> 208",
	} {
		f := read(t, "x/"+folder+"/run=0.json", native(`"gpu_count": "1", `, ""), Options{})
		o := &f.Rows[0]
		prompt, _ := o.Value(PromptPath).(float64)
		if got := fmt.Sprintf("%v %v %.0f", o.Value("engine.max_num_seqs"), o.Value("engine.tp"), prompt); got != want {
			t.Errorf("%s: %s, want %s", folder, got, want)
		}
	}
}

// Errors of JSON point at the line.
func TestBadJSON(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{`{} {"mean_ttft_ms": 1, "request_throughput": 1, "total_output_tokens": 2}`, "r.json:1"},
		{`{"mean_ttft_ms": 1, "total_output_tokens"`, "r.json:1: not JSON"},
		{native() + "\n{\"a\": }", "r.json:7: not JSON"},
		{native() + "\n" + native()[:100], "the file is cut off"},
		{native() + "\n[1, 2]", "r.json:7: value 2 is no object"},
		{`{"request_throughput": 1, "total_output_tokens": ` + strings.Repeat("[", 70), "nested too deep; the limit is 64"},
		{native(`"gpu_count": "1"`, `"gpu_count": "one"`), `r.json:1: gpu_count: "one" is not a number`},
		{native(`"num_prompts": 200`, `"num_prompts": 0.5`), `num_prompts`},
	} {
		_, err := Read("r.json", []byte(c.text), Options{})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%.60q: want an error with %q, got\n%v", c.text, c.want, err)
		}
	}
}
