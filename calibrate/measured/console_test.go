package measured

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// report is a Markdown report with blocks of several servers.
const report = "# Report\n\nOne NVIDIA H100 SXM GPU.\n\n### Engines\n```bash\nvllm serve Qwen/Qwen3-8B \\\n  --max-num-seqs 64 --no-enable-prefix-caching --swap-thing 3\n```\n" + block +
	"\n### Speculation\n# --speculative-config {\"n\":3}\n" + block + "```\npython3 -m sglang.launch_server --model-path Qwen/Qwen3-8B\n```\n" + block

const block = "    ============ Serving Benchmark Result ============\r\n" +
	"    Successful requests:                     100\r\n" +
	"    Maximum request concurrency:             4\r\n" +
	"    Benchmark duration (s):                  44.40\r\n" +
	"    Total input tokens:                      23,260\r\n" +
	"    Total generated tokens:                  22061\r\n" +
	"    Request throughput (req/s):              2.25\r\n" +
	"    ---------------Time to First Token----------------\r\n" +
	"    Mean TTFT (ms):                          64.00\r\n" +
	"    Median TTFT (ms):                        60.26\r\n" +
	"    -----Time per Output Token (excl. 1st token)------\r\n" +
	"    Mean TPOT (ms):                          7.38\r\n" +
	"    ==================================================\r\n"

func TestConsole(t *testing.T) {
	f := read(t, "r.md", report, Options{})
	if f.Form != Console || len(f.Rows) != 3 {
		t.Fatalf("%s, %d rows", f.Form, len(f.Rows))
	}
	o := &f.Rows[0]
	for path, want := range map[string]any{
		"model.name": "qwen3-8b", "workload.concurrency": 4, "workload.requests": 100, "engine.max_num_seqs": 64, "engine.prefix_caching": false, PromptPath: 232.6,
	} {
		if got := o.Value(path); fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%s = %v, want %v", path, got, want)
		}
	}
	if o.Source != "Engines" || o.Line != 10 || fmt.Sprint(o.Targets) != "[{ttft_mean_ms 64} {ttft_p50_ms 60.26} {tpot_mean_ms 7.38}]" {
		t.Errorf("%q line %d %v", o.Source, o.Line, o.Targets)
	}
	if got := strings.Join(o.Suspects, "|"); got != "flag without a counterpart: --swap-thing" {
		t.Errorf("suspects %q", got)
	}
	for i, want := range []string{"", "speculative decoding", "engine sglang, not vllm"} {
		if f.Rows[i].Dropped != want {
			t.Errorf("block %d dropped %q, want %q", i, f.Rows[i].Dropped, want)
		}
	}
	if got := strings.Join(f.Notes, "|"); !strings.Contains(got, "the text suggests --hardware h100-sxm") {
		t.Errorf("notes %q", got)
	}
	_, err := Read("r.md", []byte(strings.Replace(report, "64.00", "fast", 1)), Options{})
	if err == nil || !strings.Contains(err.Error(), `r.md:18:1: Mean TTFT (ms): "fast" is not a number`) {
		t.Errorf("%v", err)
	}
	labels := read(t, "x.csv", "model,hardware,input_len,output_len,max_concurrency,num_prompts,Successful_requests,Benchmark_duration_s,Mean_TTFT_ms,Mean TPOT (ms)\nllama-2-7b,h200,10,10,4,40,40,9,20,5\n", Options{})
	if len(labels.Rows) != 1 || fmt.Sprint(labels.Rows[0].Targets) != "[{ttft_mean_ms 20} {tpot_mean_ms 5}]" {
		t.Errorf("%v", labels.Rows)
	}
}

const stage = `{"load_summary": {"count": 60, "schedule_delay": {"mean": DELAY}, "requested_rate": 31.4, "achieved_rate": ACHIEVED},
"successes": {"count": 60, "latency": {"request_latency": {"mean": 0.5, "median": 0.5}, "time_per_output_token": {"mean": 0.0035}, "time_to_first_token": {"mean": 0.059}},
"throughput": {"requests_per_sec": 31, "output_tokens_per_sec": 2000}, "prompt_len": {"mean": 204.1}, "output_len": {"mean": 62.4, "median": 64.0}}, "failures": {"count": 0}}`

func TestStages(t *testing.T) {
	f := read(t, "stage_1.json", strings.NewReplacer("DELAY", "0.0002", "ACHIEVED", "31.5").Replace(stage), Options{})
	o := &f.Rows[0]
	if f.Form != InferencePerf || o.Dropped != "" || o.Value("workload.arrival") != "constant" || o.Value("workload.rate_rps") != 31.4 || o.Value(OutputPath) != 64.0 {
		t.Fatalf("%s %q %v", f.Form, o.Dropped, o.Values)
	}
	if got, _ := o.Target("tpot_mean_ms"); fmt.Sprintf("%.3f", got) != "7.000" {
		t.Errorf("TPOT %g", got)
	}
	if got := strings.Join(o.Suspects, "|"); !strings.HasPrefix(got, "stream chunks: time_per_output_token is 0.50") {
		t.Errorf("suspects %q", got)
	}
	o = &read(t, "stage_6.json", strings.NewReplacer("DELAY", "20", "ACHIEVED", "12").Replace(stage), Options{}).Rows[0]
	if !o.Saturated || !strings.Contains(o.Dropped, "12 requests per second of 31.4 were sent") || len(o.Rates) != 2 {
		t.Errorf("%q %v", o.Dropped, o.Rates)
	}
}

// Rows that only others show to be odd.
func TestSuspect(t *testing.T) {
	run := func(date, rate, ttft string) string {
		return native("20250610-160721", date, `"request_rate": 4.0`, `"request_rate": `+rate, `"median_ttft_ms": 37.6, "p50_ttft_ms": 37.6`, `"median_ttft_ms": `+ttft, `"request_throughput": 3.64`, `"request_throughput": `+rate)
	}
	f := read(t, "r.json", run("2", "1.0", "90")+run("1", "2.0", "40")+native(`"total_input_tokens": 41650`, `"total_input_tokens": 4165000`), Options{})
	rows := rowsOf(f)
	Suspect(rows)
	for i, want := range []string{
		"warm prefix cache: a run of as many prompts and tokens came before (r.json:6)|held-back tokens: the median TTFT falls from 90 to 40 ms",
		"",
		"warm prefix cache: TTFT 37.6 ms is below",
	} {
		got := strings.Join(rows[i].Suspects, "|")
		if want == "" && got != "" {
			t.Errorf("row %d: %q", i, got)
		}
		for _, part := range strings.Split(want, "|") {
			if !strings.Contains(got, part) {
				t.Errorf("row %d: %q, want %q", i, got, part)
			}
		}
	}
}

// What is read of each folder of published data.
func TestFolders(t *testing.T) {
	for _, c := range []struct {
		pattern, form string
		files, rows   int
		dropped       int // by the readers, before any chip is known
	}{
		{"ionet-vllm-serve/*.json", Serve, 44, 52, 4},
		{"llm-k8s-vllm-detailed/*.json", Detailed, 3, 3, 0},
		{"dstack-405b/*/*latency*.json", Latency, 7, 7, 0},
		{"dstack-405b/*/*throughput*.json", Throughput, 17, 17, 0},
		{"dstack-405b/*/*.csv", Serve, 1, 39, 25},
		{"gpustack-perf-lab/q*.md", Console, 3, 55, 50},
		{"gpustack-perf-lab/gpt*.md", Console, 1, 13, 13},
		{"inference-perf-kubecon/vllm/stage*.json", InferencePerf, 7, 7, 3},
		{"inference-perf-kubecon/vllm+*/stage*.json", InferencePerf, 14, 14, 4},
	} {
		dir := shared(t, "README.md")
		names, err := filepath.Glob(filepath.Join(filepath.Dir(dir), c.pattern))
		if err != nil || len(names) != c.files {
			t.Errorf("%s: %d files, %v", c.pattern, len(names), err)
			continue
		}
		rows, dropped := 0, 0
		for _, name := range names {
			data, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			f := read(t, name, string(data), Options{})
			if f.Form != c.form {
				t.Errorf("%s: %s form", name, f.Form)
			}
			for i := range f.Rows {
				if rows++; f.Rows[i].Dropped != "" {
					dropped++
				}
			}
		}
		if rows != c.rows || dropped != c.dropped {
			t.Errorf("%s: %d rows, %d dropped, want %d and %d", c.pattern, rows, dropped, c.rows, c.dropped)
		}
	}
}

// fuzz reads bytes as one form: whatever they are, an error or rows, no panic.
func fuzz(f *testing.F, form string, seeds ...string) {
	for _, s := range seeds {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		file, err := Read("a_ip8_op8_np8", data, Options{Format: form})
		if err == nil && len(file.Rows) == 0 {
			t.Error("no rows and no error")
		}
		if err == nil {
			rows := rowsOf(file)
			DropDuplicates(rows)
			Suspect(rows)
		}
	})
}

func FuzzServe(f *testing.F)    { fuzz(f, Serve, native(), native()+native(), "["+native()+"]") }
func FuzzDetailed(f *testing.F) { fuzz(f, Detailed, detailed) }
func FuzzLatency(f *testing.F) {
	fuzz(f, Latency, `{"avg_latency": 78.61, "percentiles": {"50": 78.6}}`)
}

func FuzzThroughput(f *testing.F) { fuzz(f, Throughput, `{"elapsed_time": 75.06, "num_requests": 8}`) }

func FuzzInferenceX(f *testing.F) {
	fuzz(f, InferenceX, `{"hw": "h200", "conc": 8, "mean_ttft": 1, "isl": 1, "osl": 2}`)
}
func FuzzConsole(f *testing.F)       { fuzz(f, Console, report, "#") }
func FuzzInferencePerf(f *testing.F) { fuzz(f, InferencePerf, stage) }
func FuzzTidy(f *testing.F)          { fuzz(f, Tidy, tidyFile) }
func FuzzSilicon(f *testing.F) {
	fuzz(f, Aiconfigurator, siliconHead+"a,silicon_concurrency=4,vllm,,x,h,,agg,1,1,1,1,1,1,1,4,1\n")
}
