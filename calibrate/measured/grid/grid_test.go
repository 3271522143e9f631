package grid

import (
	"strings"
	"testing"

	"scoville/calibrate/measured/row"
)

const latencyHead = "Hardware,Num of Hardware,Framework,Model,Input Output Length,Batch Size,Latency,Throughput \n"

func latency(t *testing.T, text string) *row.File {
	t.Helper()
	f := &row.File{}
	if err := ReadLatency(&row.Source{Name: "x.csv", Data: []byte(text)}, f); err != nil {
		t.Fatal(err)
	}
	return f
}

// want checks values of a row against what the form means.
func want(t *testing.T, o *row.Observation, values map[string]any) {
	t.Helper()
	for path, v := range values {
		if got := o.Value(path); got != v {
			t.Errorf("line %d: %s = %v, want %v", o.Line, path, got, v)
		}
	}
}

func TestLatency(t *testing.T) {
	f := latency(t, latencyHead+
		"Nvidia A100 GPU,2,vLLM,meta-llama/Llama-2-7b-hf,128,16,2,2048\r\n\r\n"+
		"AMD MI250 GPU,1,vLLM,mistralai/Mixtral-8x7B-v0.1,256,1,4,128\n"+
		"Nvidia H100 GPU,1,TensorRT-LLM,Qwen/Qwen2-7B,256,1,4,999\n")
	if len(f.Rows) != 3 {
		t.Fatalf("%d rows", len(f.Rows))
	}
	o := &f.Rows[0]
	want(t, o, map[string]any{
		"hardware.name": "a100-40", "engine.tp": 2, "model.name": "llama-2-7b", "workload.arrival": "burst",
		row.PromptPath: 128.0, row.OutputPath: 128.0, row.RequestsPath: 16, "measurement.clock": "server", "engine.version": "vllm 0.6",
	})
	if ms, ok := o.Target("e2e_max_ms"); !ok || ms != 2000 || o.Kind != row.Batch || len(o.Suspects) > 0 || o.Engine != "" {
		t.Errorf("%v %v %v %q", o.Targets, o.Kind, o.Suspects, o.Engine)
	}
	want(t, &f.Rows[1], map[string]any{"hardware.name": "mi250-package", "engine.tp": 1, "engine.max_num_seqs": 256})
	if f.Rows[2].Engine != "TensorRT-LLM" || len(f.Rows[2].Suspects) != 1 {
		t.Errorf("engine %q, suspects %v", f.Rows[2].Engine, f.Rows[2].Suspects)
	}
}

// The variant with a TTFT gives the output length of the run with one token.
func TestLatencyWithTTFT(t *testing.T) {
	f := latency(t, "\ufeffHardware,Num of Hardware,Framework,Model,Input Length,Output Length,Batch Size,TTFT Latency,end_latency \n\n"+
		"Nvidia H100 GPU,1,vLLM,meta-llama/Meta-Llama-3-8B,1024,1,16,0.4,11\n")
	o := &f.Rows[0]
	want(t, o, map[string]any{row.PromptPath: 1024.0, row.OutputPath: 1024.0, row.RequestsPath: 16})
	for metric, ms := range map[string]float64{"ttft_max_ms": 400, "e2e_max_ms": 11_000} {
		if got, _ := o.Target(metric); got != ms {
			t.Errorf("%s = %g, want %g", metric, got, ms)
		}
	}
}

func TestPhase(t *testing.T) {
	f := &row.File{}
	text := "model,hardware,prompt_size,batch_size,token_size,prompt_time,token_time,e2e_time,tensor_parallel\n" +
		"llama2-70b,a100-80gb,512,32,128,196,54.9,7000,2\n" +
		"llama2-70b,h100-80gb-pcap,512,1,128,196,54.9,7000,2\n" +
		"llama2-70b,h100-80gb,512,1,1,196,54.9,7000,2\n"
	if err := ReadPhase(&row.Source{Name: "x.csv", Data: []byte(text)}, f); err != nil {
		t.Fatal(err)
	}
	want(t, &f.Rows[0], map[string]any{
		"hardware.name": "a100-80", "model.name": "llama-2-70b", "engine.tp": 2, row.RequestsPath: 32,
		"engine.max_num_batched_tokens": 32 * 512, row.PromptPath: 512.0, row.OutputPath: 128.0,
	})
	for metric, ms := range map[string]float64{"ttft_mean_ms": 196, "tpot_mean_ms": 54.9} {
		if got, _ := f.Rows[0].Target(metric); got != ms {
			t.Errorf("%s = %g, want %g", metric, got, ms)
		}
	}
	if !strings.HasPrefix(f.Rows[1].Dropped, "synthetic: ") {
		t.Errorf("capped chip: %q", f.Rows[1].Dropped)
	}
	if _, ok := f.Rows[2].Target("tpot_mean_ms"); ok {
		t.Error("a single token has no token phase")
	}
}

func TestErrors(t *testing.T) {
	for text, want := range map[string]string{
		latencyHead + "Nvidia A100 GPU,0,vLLM,x,128,16,2,1\n":  "x.csv:2:17: Num of Hardware: 0 is not a whole number",
		latencyHead + "Nvidia A100 GPU,1,vLLM,x,128,16,-2,1\n": "a latency of -2 is not above 0",
		latencyHead + "Nvidia A100 GPU,1,vLLM,x,12.5,16,2,1\n": "12.5 is not a whole number",
		"isl,osl\n1,2\n": "not of the latency-grid form",
	} {
		err := ReadLatency(&row.Source{Name: "x.csv", Data: []byte(text)}, &row.File{})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: want %q, got\n%v", text, want, err)
		}
	}
}

func FuzzGrids(f *testing.F) {
	f.Add([]byte(latencyHead + "Nvidia A100 GPU,2,vLLM,meta-llama/Llama-2-7b-hf,128,16,2,2048\n"))
	f.Add([]byte("model,hardware,prompt_size,batch_size,token_size,prompt_time,token_time\nllama2-70b,a100-80gb,512,1,128,196,54\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, read := range []func(*row.Source, *row.File) error{ReadLatency, ReadPhase} {
			file := &row.File{}
			if err := read(&row.Source{Name: "x.csv", Data: data}, file); err != nil {
				continue
			}
			for i := range file.Rows {
				if o := &file.Rows[i]; o.Dropped == "" && len(o.Targets) == 0 {
					t.Errorf("line %d: neither measured nor dropped", o.Line)
				}
			}
		}
	})
}
