package request

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"scoville/calibrate/measured/row"
)

func read(t *testing.T, text string) *row.File {
	t.Helper()
	f := &row.File{}
	src := &row.Source{Name: "x", Data: []byte(text)}
	if !Is(src) {
		t.Fatalf("not recognised: %q", text)
	}
	if err := Read(src, f); err != nil {
		t.Fatal(err)
	}
	return f
}

// Every form of log gives the same two requests: one of 100 + 11 tokens at 0 s,
// TTFT 0.5 s, end after 1.5 s, and one of 50 + 5 tokens, 2 s later.
func TestForms(t *testing.T) {
	for name, text := range map[string]string{
		"two clocks": `{"request_id":"b","input_toks":50,"output_toks":5,"arrival_time":1.7e9,"queued_ts":102,"first_token_ts":102.25,"last_token_ts":102.75}` + "\r\n\r\n" +
			`{"request_id":"a","input_toks":100,"output_toks":11,"arrival_time":1.6e9,"queued_ts":100,"first_token_ts":100.5,"last_token_ts":101.5}`,
		"LMBench":     "\ufeffprompt_tokens,generation_tokens,ttft,generation_time,launch_time,finish_time\n100,11,0.5,1,100,101.5\n50,5,0.25,0.5,102,102.75\n",
		"mixed units": "arrival_s,prompt_tokens,tokens,latency_ms,ok,ttft_ms\n100,100,11,1500,true,500\n102,50,5,750,true,250\n103,50,5,,false,\n",
	} {
		f := read(t, text)
		var first, second *row.Observation
		for i := range f.Rows {
			o := &f.Rows[i]
			switch {
			case o.Dropped != "":
				if !strings.HasPrefix(o.Dropped, "failed: ") {
					t.Errorf("%s: %q", name, o.Dropped)
				}
			case o.Scored[0] == 0:
				first = o
			default:
				second = o
			}
		}
		if first == nil || second == nil || len(first.Records) != 2 {
			t.Fatalf("%s: %+v", name, f.Rows)
		}
		r := first.Records
		if r[0].Prompt != 100 || r[0].Output != 11 || r[1].Prompt != 50 || math.Abs(r[1].Arrival-2) > 1e-9 || len(r[0].Prefix) != 6 || r[1].Prefix[0] != 6 {
			t.Errorf("%s: records %+v", name, r)
		}
		for metric, ms := range map[string]float64{"ttft_mean_ms": 500, "tpot_mean_ms": 100, "e2e_mean_ms": 1500} {
			if got, _ := first.Target(metric); math.Abs(got-ms) > 1e-6 {
				t.Errorf("%s: %s = %g, want %g", name, metric, got, ms)
			}
		}
		if first.Text(Number) != "0" || second.Text(Number) != "1" {
			t.Errorf("%s: numbers %q %q", name, first.Text(Number), second.Text(Number))
		}
	}
}

// A log without arrivals is read, and each row says what is missing.
func TestNoArrivals(t *testing.T) {
	f := read(t, "id,input_len,output_len,status,ttft_ms,tpot_ms,e2e_ms\n1,100,11,ok,500,100,1500\n")
	if d := f.Rows[0].Dropped; d != "the run cannot be served again: it is not said when requests arrived" {
		t.Errorf("dropped: %q", d)
	}
}

func TestErrors(t *testing.T) {
	for text, want := range map[string]string{
		"arrival_s,prompt_tokens,output_tokens,ttft\n1,2,3,4\n":                       "ttft: no unit in the name",
		"arrival_s,prompt_tokens,output_tokens,ttft_ms\n1,2,0,4\n":                    "x:2:5: output_tokens: 0 is not a whole number",
		"arrival_s,prompt_tokens,output_tokens,ttft_ms,request\n1,2,3,4,5\n":          `a column "request" is added`,
		`{"queued_ts":1,"input_toks":2,"output_toks":3,"first_token_ts":4}` + "\n[1]": "x:2: value 2 is no object",

		"isl,ttft_mean_ms\n1,2\n": "not of the requests form",
	} {
		err := Read(&row.Source{Name: "x", Data: []byte(text)}, &row.File{})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: want %q, got\n%v", text, want, err)
		}
	}
}

// Summaries of runs and traces without latencies are no logs of requests.
func TestIs(t *testing.T) {
	for _, text := range []string{
		"isl,osl,concurrency,ttft_mean_ms,tpot_mean_ms\n1,2,3,4,5\n",
		"TIMESTAMP,ContextTokens,GeneratedTokens\n0,1,2\n",
		`{"date":"x","backend":"vllm","num_prompts":200,"mean_ttft_ms":3}`,
		`{"timestamp":0,"input_length":1,"output_length":2}`,
		`[1]`, "", "{",
	} {
		if Is(&row.Source{Name: "x", Data: []byte(text)}) {
			t.Errorf("taken for a log of requests: %q", text)
		}
	}
}

// Objects may stand one a line, spread over lines, or in an array.
func TestArray(t *testing.T) {
	const a = `{"input_toks":100,"output_toks":11,"queued_ts":100,"first_token_ts":100.5,"last_token_ts":101.5}`
	b := strings.ReplaceAll(strings.ReplaceAll(a, ":10", ":20"), ",", ",\n ")
	want := fmt.Sprint(read(t, a+"\n"+strings.ReplaceAll(b, "\n", "")).Rows[1].Values)
	for _, text := range []string{"[" + a + "," + b + "]", "[\n  " + a + ",\n  " + b + "\n]\n", a + "\r\n" + b, "\ufeff[" + a + ", " + b + "]"} {
		f := read(t, text)
		if len(f.Rows) != 2 || fmt.Sprint(f.Rows[1].Values) != want || len(f.Rows[0].Records) != 2 {
			t.Errorf("%q: %d rows, %v, want %v", text, len(f.Rows), f.Rows[len(f.Rows)-1].Values, want)
		}
	}
}

func TestDescribe(t *testing.T) {
	log := `{"input_toks":100,"output_toks":11,"queued_ts":100,"first_token_ts":100.5,"last_token_ts":101.5}`
	f := read(t, log)
	meta := `{"model":"meta-llama/Llama-3.1-8B","vllm_version":"0.19.0","engine_kwargs":{"tensor_parallel_size":1,"max_num_seqs":64,"max_num_batched_tokens":2048,"dtype":"bfloat16","kv_cache_dtype":"auto"},
		"kv_cache":{"num_gpu_blocks":2588,"block_size":16,"enable_prefix_caching":true},"hardware":{"device_name":"NVIDIA GeForce RTX 4090"}}`
	if err := Describe(f, "meta.json", []byte(meta)); err != nil {
		t.Fatal(err)
	}
	for path, v := range map[string]any{
		"model.name": "llama-3.1-8b", "hardware.name": "rtx-4090", "engine.version": "vllm 0.19.0", "engine.max_num_seqs": 64,
		"engine.kv_blocks": 2588, "engine.reserve_full_prompt": true,
	} {
		if got := f.Rows[0].Value(path); got != v {
			t.Errorf("%s = %v, want %v", path, got, v)
		}
	}
	for text, want := range map[string]string{
		"[": "not the description of a run", `{"engine_kwargs":{"max_num_seqs":99999999}}`: "max_num_seqs",
		`{"model":"x","engine_kwargs":{"dtype":"float7"}}`: `"float7" is no number format`,
	} {
		if err := Describe(read(t, log), "meta.json", []byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: want %q, got %v", text, want, err)
		}
	}
}

func FuzzRead(f *testing.F) {
	f.Add([]byte(`{"input_toks":100,"output_toks":11,"queued_ts":100,"first_token_ts":100.5,"last_token_ts":101.5}`))
	f.Add([]byte("arrival_s,prompt_tokens,tokens,latency_ms,ok,ttft_ms\n100,100,11,1500,true,500\n102,50,5,,false,\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		file := &row.File{}
		src := &row.Source{Name: "x", Data: data}
		if !Is(src) || Read(src, file) != nil {
			return
		}
		for i := range file.Rows {
			o := &file.Rows[i]
			if o.Dropped == "" && (len(o.Targets) == 0 || len(o.Scored) != 1 || o.Scored[0] >= len(o.Records)) {
				t.Errorf("line %d: %+v", o.Line, o)
			}
		}
	})
}
