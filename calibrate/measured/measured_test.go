package measured

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// tidyFile is a table as users write them: a byte order mark, CRLF, blank
// lines, blanks in the header and around cells, quoted numbers, seconds and
// milliseconds.
const tidyFile = "\ufeffGPU,Model ,tp,ISL,osl, Max Concurrency,Mean TTFT (ms),tpot_mean_s,median_e2el_ms,output_throughput,Source\r\n" +
	"\r\n" +
	"NVIDIA H100 80GB HBM3,meta-llama/Llama-3.1-70B-Instruct-FP8,\"4\",1024, 128 ,8,\" 96.5 \",0.0121,1700,650.1,table 3\r\n" +
	",,,,,,,,,,\r\n" +
	"h100-sxm,llama-3.1-70b,4.0,1024,128,16,120,0.0139,,700,table 3\r\n"

func read(t *testing.T, name, text string, opt Options) *File {
	t.Helper()
	f, err := Read(name, []byte(text), opt)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// rowsOf lists the rows of files.
func rowsOf(files ...*File) []*Observation {
	var out []*Observation
	for _, f := range files {
		for i := range f.Rows {
			out = append(out, &f.Rows[i])
		}
	}
	return out
}

func TestTidy(t *testing.T) {
	f := read(t, "x.csv", tidyFile, Options{})
	if f.Form != Tidy || len(f.Rows) != 2 || len(f.Ignored) != 0 {
		t.Fatalf("%s, %d rows, ignored %v", f.Form, len(f.Rows), f.Ignored)
	}
	first := &f.Rows[0]
	if first.Line != 3 || first.Source != "table 3" {
		t.Errorf("line %d, source %q", first.Line, first.Source)
	}
	for path, want := range map[string]any{
		"hardware.name": "h100-sxm", "model.name": "llama-3.1-70b", "model.weight_dtype": "fp8", "model.activation_dtype": "fp8",
		"model.lm_head_dtype": "bf16", "engine.tp": 4, "workload.prompt_tokens": 1024.0, "workload.output_tokens": 128.0,
		"workload.concurrency": 8, "measurement.prompts_per_concurrency": 10, "workload.rate_rps": nil,
	} {
		if got := first.Value(path); fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%s = %v, want %v", path, got, want)
		}
	}
	if got := fmt.Sprint(first.Targets); got != "[{ttft_mean_ms 96.5} {tpot_mean_ms 12.1} {e2e_p50_ms 1700}]" {
		t.Errorf("targets %s", got)
	}
	if w := f.Rows[1].Value("model.weight_dtype"); w != nil {
		t.Errorf("weights of a plain model are %v", w)
	}
	if n := len(f.Rows[1].Targets); n != 2 {
		t.Errorf("an empty cell is no value: %v", f.Rows[1].Targets)
	}
	if note := f.Rows[0].Notes; len(note) != 1 || !strings.Contains(note[0], "10 per unit of concurrency") {
		t.Errorf("notes %v", note)
	}
}

func TestOpenLoop(t *testing.T) {
	f := read(t, "x.csv", "model,gpu,isl,osl,request_rate,num_prompts,concurrency,ttft_p50_ms,ttft_p99_ms\n"+
		"llama-2-7b,a100-80,100,50,4,200,,30,90\n"+
		"llama-2-7b,a100-80,100,50,inf,200,32,30,20\n", Options{})
	if v := f.Rows[0].Value("workload.arrival"); v != "poisson" || f.Rows[0].Value("workload.rate_rps") != 4.0 {
		t.Errorf("arrival %v at %v", v, f.Rows[0].Value("workload.rate_rps"))
	}
	second := &f.Rows[1]
	if v := second.Value("workload.arrival"); v != nil || second.Value(ConcurrencyPath) != 32 {
		t.Errorf("a rate of inf under a cap is a closed loop, not %v", v)
	}
	if second.Dropped != "ttft_p50_ms 30 above ttft_p99_ms 20" {
		t.Errorf("dropped: %q", second.Dropped)
	}
}

// What an open-loop row leaves out is noted; a rate under a cap is no load that
// can be simulated.
func TestOpenLoopIncomplete(t *testing.T) {
	f := read(t, "x.csv", "model,gpu,tp,isl,osl,request_rate,max_concurrency,num_prompts,ttft_p50_ms\n"+
		"llama-2-7b,a100-80,1,100,50,4,,,30\n"+
		"llama-2-7b,a100-80,1,100,50,4,16,200,30\n"+
		"llama-2-7b,a100-80,1,100,50,4,,200,30\n", Options{})
	if r := &f.Rows[0]; len(r.Notes) != 1 || r.Notes[0] != "number of requests not said: 1000" || r.Value("workload.requests") != 1000 {
		t.Errorf("notes %q, %v requests", r.Notes, r.Value("workload.requests"))
	}
	if r := &f.Rows[1]; r.Dropped != "a rate under a cap on concurrency is neither an open nor a closed loop: 4 per second, at most 16 in flight" {
		t.Errorf("dropped: %q", r.Dropped)
	}
	if r := &f.Rows[2]; r.Dropped != "" || len(r.Notes) != 0 {
		t.Errorf("dropped %q, notes %q", r.Dropped, r.Notes)
	}
}

func TestStatistic(t *testing.T) {
	one := func() *Observation {
		return &read(t, "x.csv", "model,isl,osl,conc,ttft_ms,ttft_p99_ms,tpot_mean_ms\nllama-2-7b,9,9,1,20,30,5\n", Options{}).Rows[0]
	}
	o := one()
	if err := o.Statistic("mean"); err != nil || o.Targets[0].Metric != "ttft_mean_ms" {
		t.Errorf("%v %v", err, o.Targets)
	}
	for range 2 {
		if err := o.Statistic("p50"); err != nil || fmt.Sprint(o.Targets) != "[{ttft_p50_ms 20} {ttft_p99_ms 30} {tpot_mean_ms 5}]" {
			t.Errorf("%v %v", err, o.Targets)
		}
	}
	if err := o.Errorf("ttft_p50_ms", "", "x").Error(); !strings.HasPrefix(err, "x.csv:2:18: ttft_ms: x") {
		t.Error(err)
	}
	o = &read(t, "x.csv", "model,isl,osl,conc,ttft_ms,ttft_p50_ms\nllama-2-7b,9,9,1,20,19\n", Options{}).Rows[0]
	if err := o.Statistic("p50"); err == nil || !strings.Contains(err.Error(), "two columns are ttft_p50_ms") {
		t.Errorf("%v", err)
	}
}

func TestColumns(t *testing.T) {
	f := read(t, "x.csv", "what,n,out,c,lat\nllama-2-7b,100,50,4,0.5\n", Options{Columns: map[string]string{
		"model.name": "what", PromptPath: "n", OutputPath: "out", ConcurrencyPath: "c", "ttft_mean_ms": "lat",
	}})
	o := &f.Rows[0]
	if o.Value("workload.prompt_tokens") != 100.0 || o.Value("model.name") != "llama-2-7b" || o.Targets[0] != (Target{Metric: "ttft_mean_ms", Value: 0.5}) {
		t.Errorf("%v %v", o.Values, o.Targets)
	}
	if len(f.Notes) != 1 || !strings.Contains(f.Notes[0], "is the unit right?") {
		t.Errorf("half a millisecond to the first token: notes %v", f.Notes)
	}
}

func TestBadFiles(t *testing.T) {
	head := "model,isl,osl,concurrency,ttft_mean_ms\n"
	for _, c := range []struct{ text, want string }{
		{"", "x.csv: empty file"},
		{"\ufeff\r\n\r\n", "x.csv: empty file"},
		{head, "x.csv: no rows below the header"},
		{"a;b;c\n1;2;3\n", "x.csv:1:1: no column holds a latency"},
		{"a,b\n1,2\n", "x.csv:1:1: no column holds a latency"},
		{"isl,ttft_mean_ms,isl\n1,2,3\n", `x.csv:1:18: column "isl" occurs twice`},
		{"isl,input_len,ttft_mean_ms\n1,2,1\n", `x.csv:1:5: columns "isl" and "input_len" are both workload.class.measured.prompt_tokens`},
		{"isl,mean_ttft\n1,1\n", "x.csv:1:5: mean_ttft: no unit in the name"},
		{"isl,mean_ttft\n1,1\n", "is it ms or s? say --unit ms or --unit s, or rename the column to ttft_mean_ms or ttft_mean_s"},
		{"engine.tpp,ttft_mean_ms\n1,1\n", `x.csv:1:1: no parameter "engine.tpp"`},
		{"engine.tpp,ttft_mean_ms\n1,1\n", `did you mean "engine.tp"?`},
		{head + "llama-2-7b,100,50,4\n", "x.csv:2:1: 4 cells in this row, 5 columns in the header"},
		{head + "llama-2-7b,100,50,4,fast\n", `x.csv:2:21: ttft_mean_ms: "fast" is not a number`},
		{head + "llama-2-7b,100,50,4,Inf\n", "Inf is not a value"},
		{head + "llama-2-7b,100,50,4,0x1p3\n", "is not a number"},
		{head + "llama-2-7b,100,50,4,-3\n", "a latency of -3 is not above 0"},
		{head + "llama-2-7b,100,50,4,1e12\n", "a latency of 1e+12 ms is not between 0.001 and 1e8"},
		{head + "llama-2-7b,-100,50,4,9\n", "x.csv:2:12: isl: -100 is not in"},
		{head + "llama-2-7b,100,0,4,9\n", "x.csv:2:16: osl: 0 is not in"},
		{head + "llama-2-7b,100,50,4.5,9\n", "x.csv:2:19: concurrency: 4.5"},
		{head + "llama-2-7b,100,50,0,9\n", "the load is not said"},
		{head + "llama-2-7b,,50,4,9\n", "workload.prompt_tokens is not said"},
		{"model,isl,osl,ttft_mean_ms\nllama-2-7b,1,1,9\n", "neither requests in flight nor a rate"},
		{"model,dtype,isl,osl,concurrency,ttft_mean_ms\nllama-2-7b,fp7,1,1,1,9\n", "x.csv:2:12: dtype: \"fp7\""},
		{"isl,ttft_mean_ms\n1,\"2\n", "x.csv:2:6: extraneous or missing \" in quoted-field"},
		{"isl,ttft_mean_ms\n1,2\x00\n", "x.csv: not text in UTF-8"},
		{"isl,ttft_mean_ms\n1,\xff\x01\n", "x.csv: not text in UTF-8"},
	} {
		_, err := Read("x.csv", []byte(c.text), Options{})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%.60q: want an error with %q, got\n%v", c.text, c.want, err)
		}
	}
	if _, err := Read("x.csv", []byte(tidyFile), Options{Format: "prose"}); err == nil || !strings.Contains(err.Error(), `no format "prose"`) {
		t.Errorf("unknown format: %v", err)
	}
}

func TestFill(t *testing.T) {
	text := "gpu,isl,osl,concurrency,ttft_mean_ms,model\nh100_sxm,100,50,4,9,\nmy-h100,100,50,4,9,house-model\n"
	rows := read(t, "x.csv", text, Options{}).Rows
	if err := rows[0].Fill("", "Llama-3.1-8B-Instruct-FP8"); err != nil || rows[0].Value("model.name") != "llama-3.1-8b" || rows[0].Value("model.weight_dtype") != "fp8" {
		t.Errorf("%v, %v", err, rows[0].Values)
	}
	if err := rows[0].Fill("a100-80", ""); err == nil || !strings.Contains(err.Error(), "the file says h100-sxm, --hardware says a100-80") {
		t.Errorf("another chip than the file's: %v", err)
	}
	if err := rows[0].Fill("", "llama-2-7b"); err == nil || !strings.Contains(err.Error(), "the file says llama-3.1-8b, --model says llama-2-7b") {
		t.Errorf("another model than the row's: %v", err)
	}
	if err := rows[1].Fill("H100-SXM", "llama-2-7b"); err != nil || rows[1].Value("hardware.name") != "h100-sxm" || rows[1].Value("model.name") != "llama-2-7b" {
		t.Errorf("names no catalogue has are replaced: %v, %v", err, rows[1].Values)
	}
	if err := rows[1].Fill("", "llamma"); err == nil {
		t.Error("an unknown model is accepted")
	}
	if err := rows[1].Fill("", "/x/config.json"); err != nil || rows[1].Value("model.name") != nil || rows[1].Value("model.config") != "/x/config.json" {
		t.Errorf("a model of one's own: %v, %v", err, rows[1].Values)
	}
}

const siliconHead = "id,silicon_data_source,backend,backend_version,model_path,system,precision,mode,isl,osl,tp_size,pp_size,attention_dp_size,moe_tp_size,moe_ep_size,silicon_ttft_ms,silicon_tpot_ms\n"

func TestAiconfigurator(t *testing.T) {
	f := read(t, "s.csv", siliconHead+
		"a,x; silicon_concurrency=8; measured=2025; image=vllm/vllm-openai:v0.11.2,vllm,,meta-llama/Llama-3.1-70B,b200_sxm,fp8,agg,1024,1024,4,1,1,4,1,90,9\n"+
		"b,x; silicon_concurrency=8; measured=2026; image=vllm/vllm-openai:v0.11.2,vllm,,meta-llama/Llama-3.1-70B,b200_sxm,fp8,agg,1024,1024,4,1,1,4,1,90,9\n"+
		"c,silicon_concurrency=32,vllm,0.12.0,Qwen/Qwen3-32B,h100_sxm,,agg,4096,128,8,1,,1,1,300,9\n"+
		"d,silicon_concurrency=4,vllm,0.12.0,Qwen/Qwen3-235B-A22B-FP8,h200_sxm,fp8,agg,4096,128,2,1,,4,1,300,9\n"+
		"e,silicon_concurrency=4,vllm,0.12.0,Qwen/Qwen3-235B-A22B-FP8,h200_sxm,fp8,agg,4096,128,4,1,,1,4,300,9\n"+
		"f,silicon_concurrency=512,trtllm,1,x/y,h100_sxm,,disagg,1,1,1,2,2,1,1,,\n", Options{})
	if f.Form != Aiconfigurator {
		t.Fatal(f.Form)
	}
	DropDuplicates(rowsOf(f))
	r := f.Rows
	for _, c := range []struct {
		row  int
		path string
		want any
	}{
		{0, "hardware.name", "b200"},
		{0, "model.kv_dtype", "fp8"},
		{0, "engine.version", "vllm 0.11.2"},
		{0, "measurement.length_range", 0.8},
		{0, "engine.max_num_batched_tokens", 8192},
		{0, "workload.concurrency", 8},
		{2, "model.weight_dtype", nil},
		{2, "measurement.length_range", nil},
		{2, "engine.max_num_batched_tokens", 4608},
		{2, "engine.version", "vllm 0.12.0"},
		{3, "model.name", "qwen3-235b-a22b"},
		{3, "model.weight_dtype", "fp8"},
		{4, "engine.ep", 4},
	} {
		if got := r[c.row].Value(c.path); fmt.Sprint(got) != fmt.Sprint(c.want) {
			t.Errorf("row %d: %s = %v, want %v", c.row, c.path, got, c.want)
		}
	}
	for i, want := range []string{"", "repeats s.csv:2 exactly", "", "experts on 4 chips, attention on 2", "", "backend trtllm, not vllm"} {
		if !strings.HasPrefix(r[i].Dropped, want) || want == "" && r[i].Dropped != "" {
			t.Errorf("row %d dropped: %q, want %q", i, r[i].Dropped, want)
		}
	}
	for _, c := range []struct{ row, want string }{
		{"a,none,vllm,,x,h,,agg,1,1,1,1,1,1,1,1,1", "s.csv:2:3: silicon_data_source: no silicon_concurrency=N"},
		{"a,silicon_concurrency=many,vllm,,x,h,,agg,1,1,1,1,1,1,1,1,1", "silicon_concurrency=many is not a whole number"},
		{"a,silicon_concurrency=4,vllm,,x,h,,agg,,1,1,1,1,1,1,1,1", `isl: "" is not a number`},
		{"a,silicon_concurrency=4,vllm,,x,h,,agg,1,1,0,1,1,1,1,1,1", "tp_size: 0 is not a whole number from 1"},
		{"a,silicon_concurrency=4,vllm,,x,h,,agg,1,1,1,1,1,1,1,-4,1", "silicon_ttft_ms: a latency of -4 is not above 0"},
		{"a,silicon_concurrency=4,vllm,,x,h,fp3,agg,1,1,1,1,1,1,1,4,1", `precision: "fp3"`},
	} {
		if _, err := Read("s.csv", []byte(siliconHead+c.row+"\n"), Options{}); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("want an error with %q, got\n%v", c.want, err)
		}
	}
}

// shared returns the path of a file of the measured data, which stand beside
// the repository.
func shared(t *testing.T, name string) string {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			break
		}
		if dir == filepath.Dir(dir) {
			t.Fatal("no go.mod above the test")
		}
		dir = filepath.Dir(dir)
	}
	path := filepath.Join(dir, "..", "shared", "data", name)
	if _, err := os.Stat(path); err != nil {
		t.Skipf("the measured data are not here: %v", err)
	}
	return path
}

// The published rows: 373, of which 308 are distinct and usable, and our own
// table of the H100 rows says the same of each as they do.
func TestPublished(t *testing.T) {
	var files []*File
	for _, name := range []string{"silicon_sample.vllm-agg.csv", "silicon_sample.vllm-agg.trimmed-source.csv"} {
		data, err := os.ReadFile(shared(t, "aiconfigurator-silicon/"+name))
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, read(t, name, string(data), Options{}))
	}
	DropDuplicates(rowsOf(files...))
	rows, usable := 0, 0
	byID := map[string]*Observation{}
	for _, f := range files {
		for i := range f.Rows {
			rows++
			if f.Rows[i].Dropped == "" {
				usable++
			}
			byID[f.Rows[i].ID] = &f.Rows[i]
		}
	}
	if rows != 373 || usable != 308 {
		t.Errorf("%d rows, %d usable, want 373 and 308", rows, usable)
	}
	data, err := os.ReadFile("../../studies/measured/h100.csv")
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range read(t, "h100.csv", string(data), Options{}).Rows {
		_, id, _ := strings.Cut(o.Source, " id ")
		p := byID[id]
		if p == nil {
			t.Errorf("line %d: no published row %q", o.Line, id)
			continue
		}
		for i, target := range o.Targets {
			if ratio := target.Value / p.Targets[i].Value; ratio < 0.9994 || ratio > 1.0006 {
				t.Errorf("line %d: %s %g, published %g", o.Line, target.Metric, target.Value, p.Targets[i].Value)
			}
		}
		for _, path := range []string{"hardware.name", "model.name", "model.weight_dtype", "engine.tp", PromptPath, OutputPath, ConcurrencyPath, "measurement.length_range", "engine.max_num_batched_tokens"} {
			if o.Value(path) != p.Value(path) {
				t.Errorf("line %d: %s = %v, published %v", o.Line, path, o.Value(path), p.Value(path))
			}
		}
	}
}
