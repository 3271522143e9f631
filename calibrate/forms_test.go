package calibrate

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"scoville/calibrate/results"
)

// files writes files to a folder of their own and returns their names.
func files(t *testing.T, texts map[string]string) (dir string) {
	t.Helper()
	dir = t.TempDir()
	for name, text := range texts {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// requestLog is a log of n requests that take 30 ms and 10 ms a token.
func requestLog(n int) string {
	var b strings.Builder
	b.WriteString("arrival_s,prompt_tokens,output_tokens,ttft_ms,e2e_ms\n")
	for i := range n {
		fmt.Fprintf(&b, "%g,%d,%d,30,%d\n", 0.5*float64(i), 400+i, 20+i%7, 30+10*(19+i%7))
	}
	return b.String()
}

// Requests are fitted in groups; those held out are one row with their mean.
func TestFold(t *testing.T) {
	dir := files(t, map[string]string{"r.csv": requestLog(60), "s.toml": "schema = 1\n[holdout]\nwhere = 'request >= 40'\n"})
	opt := Options{Files: []string{filepath.Join(dir, "r.csv")}, Spec: filepath.Join(dir, "s.toml"), Model: "llama-3.1-8b", Hardware: "h100-sxm"}
	in, j, err := prepare(context.Background(), opt)
	if err != nil {
		t.Fatal(err)
	}
	if len(in.conds) != 6 || len(j.fitted) != 5 || len(j.outside) != 1 {
		t.Fatalf("%d conditions, %d fitted, %d held out", len(in.conds), len(j.fitted), len(j.outside))
	}
	held := in.conds[j.outside[0]]
	if len(held.Scored) != 20 || held.Scored[0] != 40 {
		t.Errorf("held out: %v", held.Scored)
	}
	if ms, _ := held.Rows[0].Target("ttft_mean_ms"); ms != 30 {
		t.Errorf("mean TTFT %g", ms)
	}
	opt.Spec, opt.Where = "", "request < 12"
	in, _, err = prepare(context.Background(), opt)
	if err != nil {
		t.Fatal(err)
	}
	if len(in.conds) != 1 || len(in.conds[0].Scored) != 12 || len(in.conds[0].Scenario.Workload.Records) != 60 {
		t.Errorf("the first twelve: %d conditions, %v of %d", len(in.conds), in.conds[0].Scored, len(in.conds[0].Scenario.Workload.Records))
	}
}

const gridHead = "Hardware,Num of Hardware,Framework,Model,Input Output Length,Batch Size,Latency\n"

// Rows of other engines and of unknown models are left out with the reason, and
// a filter that names the column keeps the former.
func TestForeignRows(t *testing.T) {
	dir := files(t, map[string]string{"g.csv": gridHead +
		"Nvidia H100 GPU,1,vLLM,meta-llama/Llama-2-7b-hf,128,16,2\n" +
		"Nvidia H100 GPU,1,TensorRT-LLM,meta-llama/Llama-2-7b-hf,128,16,1.5\n" +
		"Nvidia H100 GPU,1,vLLM,house/model-9b,128,16,2\n"})
	opt := Options{Files: []string{filepath.Join(dir, "g.csv")}}
	in, _, err := prepare(context.Background(), opt)
	if err != nil {
		t.Fatal(err)
	}
	if text := results.Reasons(in.dropped); len(in.conds) != 1 || !strings.Contains(text, "1 engine is not vLLM") || !strings.Contains(text, "1 model not in the catalogue") {
		t.Errorf("%d conditions, dropped %s", len(in.conds), text)
	}
	opt.Where = "Framework == 'TensorRT-LLM'"
	if in, _, err = prepare(context.Background(), opt); err != nil || len(in.conds) != 1 {
		t.Errorf("asked for: %v", err)
	}
	opt.Where = "Model ~ 'house'"
	if _, _, err = prepare(context.Background(), opt); err == nil || !strings.Contains(err.Error(), "house/model-9b") {
		t.Errorf("only an unknown model: %v", err)
	}
}

// grid is a small grid of two models with times of the model itself.
func grid() string {
	var b strings.Builder
	b.WriteString(gridHead)
	for _, m := range []struct {
		name  string
		token float64
	}{{"meta-llama/Llama-2-7b-hf", 8}, {"meta-llama/Meta-Llama-3-8B", 9}} {
		for _, n := range []int{128, 256, 512} {
			for _, batch := range []int{1, 16, 64} {
				fmt.Fprintf(&b, "Nvidia H100 GPU,1,vLLM,%s,%d,%d,%g\n", m.name, n, batch, float64(n)*(m.token+0.08*float64(batch))/1e3)
			}
		}
	}
	return b.String()
}

// Several models are pooled, random conditions are held out by default, and by
// a key when the specification says so.
func TestHoldOutWays(t *testing.T) {
	dir := files(t, map[string]string{
		"g.csv": grid(), "by.toml": "schema = 1\n[holdout]\nby = 'model.name'\n", "few.toml": "schema = 1\n[holdout]\nfraction = 0.5\nseed = 7\nseeds = 1\n",
	})
	for _, c := range []struct {
		spec, how string
		held      int
	}{
		{"", "20 % of the conditions at random, with 5 seeds from 1", 20},
		{"by.toml", "each of model.name = llama-2-7b, llama-3-8b in turn", 18},
		{"few.toml", "50 % of the conditions at random, with 1 seeds from 7", 9},
	} {
		opt := Options{Files: []string{filepath.Join(dir, "g.csv")}}
		if c.spec != "" {
			opt.Spec = filepath.Join(dir, c.spec)
		}
		f, err := Run(context.Background(), opt)
		if err != nil {
			t.Fatal(err)
		}
		if f.HeldOut != c.how {
			t.Errorf("%s: held %q", c.spec, f.HeldOut)
		}
		n := 0
		for _, e := range f.Errors {
			if e.Split == results.HeldOut {
				n += e.Rows
			}
			if e.Split == results.Fitted && e.Median > 0.1 {
				t.Errorf("%s: median error %g", c.spec, e.Median)
			}
		}
		if n != c.held {
			t.Errorf("%s: %d held out, want %d", c.spec, n, c.held)
		}
	}
}
