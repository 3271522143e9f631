package measured

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"fmt"
	"strings"
	"testing"
	"unicode/utf16"
)

func zipped(text string) string {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	_, err := w.Write([]byte(text))
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		panic(err)
	}
	return b.String()
}

func wide(text string, order binary.AppendByteOrder, mark string) string {
	out := []byte(mark)
	for _, u := range utf16.Encode([]rune(text)) {
		out = order.AppendUint16(out, u)
	}
	return string(out)
}

// One table as spreadsheets, shells and people write it.
func TestSpellings(t *testing.T) {
	plain := "GPU,Model,TP,ISL,OSL,Concurrency,TTFT (ms),TPOT (ms)\nH100 SXM5,meta-llama/Llama-3.1-8B-Instruct,2,1024,128,16,90.5,7.25\nh100-sxm,llama-3.1-8b,2,256,128,4,30,6.5\n"
	changed := func(pairs ...string) string { return strings.NewReplacer(pairs...).Replace(plain) }
	for name, text := range map[string]string{
		"plain":           plain,
		"gzip":            zipped(plain),
		"utf-16 le":       wide(plain, binary.LittleEndian, "\xff\xfe"),
		"utf-16 be":       wide(plain, binary.BigEndian, "\xfe\xff"),
		"latin-1":         changed("GPU,", "Gerät f\xfcr uns,GPU,", "\nH100", "\nx,H100", "\nh100", "\n\xe4,h100"),
		"bom, crlf":       "\ufeff" + changed("\n", "\r\n") + "\r\n\r\n",
		"semicolons":      changed(",", ";"),
		"tabs":            changed(",", "\t"),
		"comments":        "# ours\n# 2025, June\n" + plain,
		"header comment":  "#" + plain,
		"title":           "Runs of June,,,,,,,\n\n" + plain,
		"quotes":          `"` + strings.TrimSuffix(changed(",", `","`, "\n", "\"\n\""), `"`),
		"thousands":       changed("1024", `"1,024"`),
		"units in cells":  changed(" (ms)", "", "90.5,7.25", "90.5 ms,0.00725 s", "30,6.5", "30ms,6500 us"),
		"brackets":        changed("(ms)", "[ms]"),
		"seconds":         changed("TTFT (ms)", "TTFT (sec)", "90.5", "0.0905", ",30,", ",0.03,"),
		"words":           changed("GPU", "Accelerator", "Model", "LLM", "TP,", "Num GPUs,", "ISL", "Input Sequence Length", "OSL", "gen_len", "Concurrency", "Concurrent Requests", "TTFT (ms)", `"Avg. Time to First Token, ms"`, "TPOT (ms)", "mean time-per-output-token in ms"),
		"tp8":             changed(",2,1024", ",TP2,1024", ",2,256", ",2x,256"),
		"column twice":    changed("TPOT (ms)", "TPOT (ms),TPOT (ms)", "7.25", "7.25,7.25", "6.5", "6.5,6.5"),
		"ends of lines":   changed("7.25", "7.25,,", "6.5", "6.5,,"),
		"totals":          plain + "Average,,,,,,60,6.9\n",
		"failed runs":     plain + "h100-sxm,llama-3.1-8b,2,256,128,64,OOM,n/a\nh100-sxm,llama-3.1-8b,2,256,128,99,nan,-\n",
		"end to end":      changed("TPOT (ms)", "TPOT (ms),Latency", "7.25", "7.25,1.1", "6.5", "6.5,0.9"),
		"markdown":        "# Report\n\nText.\n\n| " + changed(",", " | ", "\n", " |\n| ", "TPOT (ms)", "**TPOT (ms)** |\n|---|:---:|---|---|---|---:|---|---"),
		"markdown, two":   "a | b\n--|--\n1 | 2\n\n" + changed(",", " | ", "\nH", "\n--|--|--|--|--|--|--|--\nH") + "\n",
		"size of a batch": changed("Concurrency", "Batch"),
	} {
		f, err := Read("x.csv", []byte(text), Options{})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		o := &f.Rows[0]
		got := fmt.Sprintln(o.Value("hardware.name"), o.Value("model.name"), o.Value("engine.tp"), o.Value(PromptPath), o.Value(OutputPath), o.Targets[:min(2, len(o.Targets))], o.Dropped)
		if want := "h100-sxm llama-3.1-8b 2 1024 128 [{ttft_mean_ms 90.5} {tpot_mean_ms 7.25}] \n"; got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
		if n := o.Value(ConcurrencyPath); n != 16 && (name != "size of a batch" || o.Value("workload.requests") != 16) {
			t.Errorf("%s: %v in flight", name, n)
		}
		for _, o := range f.Rows[2:] {
			if o.Dropped == "" {
				t.Errorf("%s: line %d is used", name, o.Line)
			}
		}
	}
}

// What may be two things is asked.
func TestQuestions(t *testing.T) {
	head := "gpu;model;isl;osl;concurrency;ttft_ms;tpot_ms\n"
	for _, c := range []struct{ text, want string }{
		{head + "h100-sxm;llama-3.1-8b;256;128;4;30,5;6,5\n", `x.csv:2:33: ttft_ms: "30,5" is not a number`},
		{head + "h100-sxm;llama-3.1-8b;256;128;4;30,5;6,5\n", "is its comma the decimal point, or does it part thousands?"},
		{head + "h100-sxm;llama-3.1-8b;256;128;4;1,024;6.5\n", `"1,024" is not a number`},
		{head + "h100-sxm;llama-3.1-8b;256;128;4;30 s;6.5\n", `"30 s" has another unit than the name of its column`},
		{"isl,osl,concurrency,ttft\n1,1,1,30 ms\n1,1,1,30\n", "no unit in the name"},
		{zipped("x")[:12], "gzip is damaged"},
	} {
		if _, err := Read("x.csv", []byte(c.text), Options{}); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%.60q: want an error with %q, got\n%v", c.text, c.want, err)
		}
	}
}

// A zero is what clients write where nothing was measured.
func TestZeroLatency(t *testing.T) {
	f := read(t, "x.csv", "isl,osl,concurrency,ttft_ms,tpot_ms\n256,1,4,30,0.0\n", Options{})
	if o := &f.Rows[0]; len(o.Targets) != 1 || len(o.Suspects) != 1 || o.Dropped != "" {
		t.Errorf("targets %v, suspects %v, dropped %q", o.Targets, o.Suspects, o.Dropped)
	}
}

// Names of models and chips as files write them; what may be several is asked.
func TestNames(t *testing.T) {
	for spelt, want := range map[string]string{
		"/models/meta-llama/Llama-3.1-8B-Instruct/snapshots/0e9e39f249a16976918f6564b8830bc894c91359": "llama-3.1-8b",
		"models--meta-llama--Llama-3.1-8B-Instruct":                                                   "llama-3.1-8b",
		"Llama-3.1-8B-Instruct@0e9e39f":                                                               "llama-3.1-8b",
		"meta-llama/Llama-3.1-8B-Instruct:main":                                                       "llama-3.1-8b",
		"Llama 3.1 8B":                                                                                "llama-3.1-8b",
		"llama3.1-8b":                                                                                 "llama-3.1-8b",
		"meta-llama-3-1-8b-instruct":                                                                  "llama-3.1-8b",
		"Meta-Llama-3.1-8B-Instruct-AWQ-INT4":                                                         "llama-3.1-8b int4",
		"Llama-3.1-8B-Instruct-FP8":                                                                   "llama-3.1-8b fp8",
		"acme/Foo-8B":                                                                                 "acme/Foo-8B",
		"google/gemma-2-9b-it":                                                                        "gemma-2-9b",
		"mistralai/Mixtral-8x22B-Instruct-v0.1":                                                       "mixtral-8x22b-instruct-v0.1",
		"microsoft/Phi-3-mini-4k-instruct":                                                            "phi-3-mini-4k",
		"Qwen/Qwen2.5-Coder-32B-Instruct":                                                             "qwen2.5-32b",
		"neuralmagic/Mistral-7B-Instruct-v0.3-FP8":                                                    "mistral-7b-v0.3 fp8",
	} {
		o := &read(t, "x.csv", "model,isl,osl,concurrency,ttft_ms\n"+spelt+",9,9,1,20\n", Options{}).Rows[0]
		got := fmt.Sprint(o.Value("model.name"))
		if d := o.Value("model.weight_dtype"); d != nil {
			got += fmt.Sprint(" ", d)
		}
		if got != want {
			t.Errorf("%s is %s, want %s", spelt, got, want)
		}
	}
	for spelt, want := range map[string]string{
		"NVIDIA H100 80GB HBM3": "h100-sxm", "8x NVIDIA H100 80GB HBM3": "h100-sxm", "h100_80gb_sxm": "h100-sxm", "H100SXM": "h100-sxm", "H100 (SXM5)": "h100-sxm",
		"H100 80GB PCIe": "h100-pcie", "A100-SXM4-40GB": "a100-40", "A100-80GB-SXM": "a100-80", "8xA100-SXM4-80GB": "a100-80", "AMD Instinct MI300X VF": "mi300x",
		"geforce rtx4090": "rtx-4090", "NVIDIA L40S": "l40s",
		"NVIDIA A100 80GB PCIe": "a100-pcie-80", "A100 PCIe 40GB": "a100-pcie-40", "H100 NVL": "h100-nvl", "NVIDIA H20": "h20", "2x NVIDIA L4": "l4", "A10G": "a10g",
		"NVIDIA RTX A6000": "rtx-a6000", "rtx5090": "rtx-5090", "AMD Instinct MI325X": "mi325x", "L40": "l40",
		"H100": "H100", "A100": "A100", "A100-PCIe": "A100-PCIe", "GB200": "GB200",
	} {
		o := &read(t, "x.csv", "gpu,isl,osl,concurrency,ttft_ms\n"+spelt+",9,9,1,20\n", Options{}).Rows[0]
		if got := o.Value("hardware.name"); got != want {
			t.Errorf("%s is %v, want %s", spelt, got, want)
		}
	}
}

// Any text is read or turned down; no reader panics.
func FuzzOthers(f *testing.F) {
	for _, s := range []string{
		"a | ttft_ms\n--|--\n1 | 2 ms\n", "gpu;isl;osl;concurrency;ttft_ms\nh100-sxm;1,024;1;1;2,5\n", "\xff\xfea\x00", "\x1f\x8b",
		`{"benchmarks": [{"metrics": {"time_to_first_token_ms": {"successful": {"mean": 1}}}}]}`, `{"aggregated_metrics": {"num_concurrency": 1, "stats": {"ttft": {"mean": 1}}}}`,
		`{"num_concurrent_requests": 1, "results_ttft_s_mean": 1}`, `{"r": [{"total_output_tokens": 5, "mean_ttft_ms": 1}]}`,
		"Namespace(model='x', a=1)\n============ Serving Benchmark Result ============\nMean TTFT (ms): 1,000.5\n",
		"instance_type,concurrency,latency_mean,prompt_token_count_mean,completion_token_count_mean\nx,1,1,1,1\n",
	} {
		f.Add([]byte(s), true)
	}
	f.Fuzz(func(t *testing.T, data []byte, names bool) {
		file, err := Read("8xH100-tp8/x", data, Options{Unit: "ms", Names: names})
		if err != nil {
			return
		}
		rows := make([]*Observation, len(file.Rows))
		for i := range file.Rows {
			rows[i] = &file.Rows[i]
		}
		DropDuplicates(rows)
		Suspect(rows)
	})
}
