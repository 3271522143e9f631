package objective

import (
	"context"
	"math"
	"testing"

	"scoville/calibrate/measured"
	"scoville/calibrate/measured/row"
	"scoville/core"
	"scoville/core/metrics"
	"scoville/core/scenario"
)

// observations reads a file as its form.
func observations(t *testing.T, text string) []*measured.Observation {
	t.Helper()
	f, err := measured.Read("x.csv", []byte(text), measured.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var out []*measured.Observation
	for i := range f.Rows {
		out = append(out, &f.Rows[i])
	}
	return out
}

// predictions pairs rows and predicts them at the priors' centres.
func predictions(t *testing.T, rows []*measured.Observation, targets []Target, extra ...scenario.Assignment) ([]Condition, [][]float64) {
	t.Helper()
	conds, err := Pair(context.Background(), rows, extra, scenario.NewCatalog("."))
	if err != nil {
		t.Fatal(err)
	}
	params := ParametersOf(conds)
	o, err := New(conds, params, targets, 1, 2)
	if err != nil {
		t.Fatal(err)
	}
	all := make([]int, len(conds))
	for i := range all {
		all[i] = i
	}
	x := make([]float64, len(params))
	for i := range x {
		x[i] = params[i].Init
	}
	out, err := o.Predict(context.Background(), [][]float64{x, x}, all)
	if err != nil {
		t.Fatal(err)
	}
	for i := range all {
		for k := range targets {
			if a, b := out[0][i][k], out[1][i][k]; a != b && !math.IsNaN(a) {
				t.Errorf("condition %d: %g and %g at one point", i, a, b)
			}
		}
	}
	return conds, out[0]
}

func logTargets(names ...string) (t []Target) {
	for _, n := range names {
		t = append(t, Target{n, Log, Sigma(n), 1})
	}
	return t
}

// A batch ends when its last request does; twice the batch is no faster, and a
// dense and an expert model have a parameter for the difference.
func TestBatch(t *testing.T) {
	rows := observations(t, "Hardware,Num of Hardware,Framework,Model,Input Output Length,Batch Size,Latency\n"+
		"Nvidia H100 GPU,2,vLLM,meta-llama/Llama-2-7b-hf,128,16,2\n"+
		"Nvidia H100 GPU,2,vLLM,meta-llama/Llama-2-7b-hf,128,32,2\n"+
		"Nvidia H100 GPU,2,vLLM,mistralai/Mixtral-8x7B-v0.1,128,16,2\n")
	conds, ms := predictions(t, rows, logTargets("e2e_max_ms", "ttft_max_ms"))
	if !(ms[0][1] < ms[0][0] && ms[0][0] < ms[1][0]) {
		t.Errorf("predicted %v", ms)
	}
	if conds[1].Concurrency() != 32 || conds[0].Open() || conds[0].Load() != "offline batches" || conds[0].Scenario.Engine.HostOverlap != "sum" {
		t.Errorf("condition %+v", conds[1])
	}
	free := map[string]bool{}
	for _, p := range ParametersOf(conds) {
		free[p.Name] = !p.Fixed
	}
	for _, name := range []string{"link_latency_us", "moe_layer_overhead_us", "expert_compute_util", "gqa_reread", "cold_start_ms"} {
		if !free[name] {
			t.Errorf("%s is not fitted to several models on two chips", name)
		}
	}
	for _, name := range []string{"client_overhead_us", "frontend_us_per_prompt_token"} {
		if _, ok := free[name]; ok {
			t.Errorf("%s on the engine's clock", name)
		}
	}
	one := ParametersOf(conds[:1])
	for _, p := range one {
		if p.Name == "moe_layer_overhead_us" || p.Name == "gqa_reread" || p.Name == "link_latency_us" && !p.Fixed {
			t.Errorf("%s is fitted to one dense model", p.Name)
		}
	}
}

// Phases: an eager engine hides the shorter of host and device, and a batch
// beyond the KV cache is of no use.
func TestPhase(t *testing.T) {
	rows := observations(t, "model,hardware,prompt_size,batch_size,token_size,prompt_time,token_time,tensor_parallel\n"+
		"llama2-70b,a100-80gb,512,1,128,196,54.9,4\n"+
		"llama2-70b,a100-80gb,512,512,512,796,60,2\n")
	conds, ms := predictions(t, rows, DefaultTargets())
	if len(conds) != 1 || conds[0].Scenario.Engine.HostOverlap != "max" || !(ms[0][0] > ms[0][1]) {
		t.Errorf("%d conditions, host %q, predicted %v", len(conds), conds[0].Scenario.Engine.HostOverlap, ms)
	}
	if rows[1].Dropped == "" {
		t.Error("a batch beyond the KV cache is used")
	}
	rows = observations(t, "model,hardware,prompt_size,batch_size,token_size,prompt_time,token_time,tensor_parallel\nllama2-70b,a100-80gb,512,1,128,196,54.9,4\n")
	conds, _ = predictions(t, rows, DefaultTargets(), scenario.Assignment{Path: HostOverlap, Value: "sum"})
	if conds[0].Scenario.Engine.HostOverlap != "sum" {
		t.Error("what is fixed does not stand before the era")
	}
}

// A step of so many decodes takes what the same step takes in a simulated run.
func TestStep(t *testing.T) {
	rows := observations(t, "step.id,step.ts_start_ns,batch.num_prefill_reqs,batch.prefill_tokens,batch.decode_tokens,kv.usage_gpu_ratio,kv.blocks_total_gpu,model,tp,hardware\n"+
		"1,0,0,0,4,0.25,1000,llama-2-7b,1,h100-sxm\n"+
		"2,9000000,1,512,4,0.25,1000,llama-2-7b,1,h100-sxm\n"+
		"3,29000000,0,0,8,0.5,1000,llama-2-7b,1,h100-sxm\n"+
		"4,39000000,0,0,8,0.5,1000,llama-2-7b,1,h100-sxm\n")
	conds, ms := predictions(t, rows, logTargets(row.StepMetric))
	if len(conds) != 3 || conds[0].Concurrency() != 4 || conds[1].Concurrency() != 5 {
		t.Fatalf("%d conditions", len(conds))
	}
	if !(ms[0][0] < ms[2][0] && ms[2][0] < ms[1][0]) {
		t.Errorf("predicted %v: 4 decodes, 4 with a prompt, 8 decodes", ms)
	}
	sc := conds[0].Scenario
	for _, p := range ParametersOf(conds) {
		if err := sc.Set(p.Path, p.Init); err != nil {
			t.Fatal(err)
		}
	}
	sc.Workload.Requests, sc.Engine.ChunkedPre = 4, true
	sc.Workload.Class[0].Prompt.Mean, sc.Workload.Class[0].Output.Mean = 999, 2
	res, err := core.Simulate(context.Background(), &sc, core.Options{})
	if err != nil {
		t.Fatal(err)
	}
	k, _ := metrics.Index("tpot_mean_ms")
	if d := math.Abs(res.Summary[k]/ms[0][0] - 1); d > 0.001 {
		t.Errorf("a step takes %g ms, in a run %g", ms[0][0], res.Summary[k])
	}
}

// Parts of a replayed run come from one simulation, and their means add up.
func TestReplay(t *testing.T) {
	text := "arrival_s,prompt_tokens,output_tokens,ttft_ms,e2e_ms\n0,500,10,30,200\n0.5,800,20,40,300\n0.6,300,1,20,20\n1.5,700,30,30,600\n"
	var rows []*measured.Observation
	for _, scored := range [][]int{{0, 1, 2, 3}, {0, 1}, {2, 3}} {
		o := *observations(t, text)[0]
		o.Scored = scored
		rows = append(rows, &o)
	}
	extra := []scenario.Assignment{{Path: "hardware.name", Value: "h100-sxm"}, {Path: "model.name", Value: "llama-3.1-8b"}}
	conds, ms := predictions(t, rows, logTargets("ttft_mean_ms", "e2e_mean_ms"), extra...)
	if len(conds) != 3 || conds[0].run != conds[2].run {
		t.Fatalf("%d conditions", len(conds))
	}
	for k := range 2 {
		if whole, parts := ms[0][k], (ms[1][k]+ms[2][k])/2; math.Abs(whole/parts-1) > 1e-12 || !(whole > 0) {
			t.Errorf("mean over all %g, of the halves %g", whole, parts)
		}
	}
	prompt, output := conds[0].Lengths()
	if prompt != [2]float64{300, 800} || output != [2]float64{1, 30} {
		t.Errorf("lengths %v %v", prompt, output)
	}
	ttft := Target{"ttft_mean_ms", Log, 0.1, 1}
	if w := conds[0].trust(&ttft, 1000); w != 1 {
		t.Errorf("weight of a TTFT of 1 s on the client's clock is %g", w)
	}
	conds[0].Scenario.Measurement.Clock = "server"
	if w := conds[0].trust(&ttft, 1000); w != 0.5 {
		t.Errorf("weight of a TTFT of 1 s in the engine's log is %g", w)
	}
}
