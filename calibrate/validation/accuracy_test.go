package validation

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"scoville/calibrate"
	"scoville/calibrate/results"
)

var accuracy = flag.Bool("accuracy", false, "fit the published rows, which takes minutes; with -update rewrite the tables of calibrate/ACCURACY.md")

// accuracyPage holds the tables, each between a line that names it and a line
// that ends it.
var accuracyPage = filepath.Join("..", "ACCURACY.md")

// fits of one table: rows selected, hold-out, and what the row is called.
type accuracyRow struct{ name, where, holdout string }

// silicon are the rows of aiconfigurator by chip, model and engine version.
var silicon = []accuracyRow{
	{"H100 Llama-3.1-70B fp8", `hardware.name == "h100-sxm" && model.name == "llama-3.1-70b"`, ""},
	{"H200 Llama-3.1-70B fp8", `hardware.name == "h200" && model.name == "llama-3.1-70b"`, ""},
	{"B200 Llama-3.1-70B fp8", `hardware.name == "b200"`, ""},
	{"H100 gpt-oss-120b, vLLM 0.18", `hardware.name == "h100-sxm" && engine.version == "vllm 0.18.0"`, ""},
	{"H200 MiniMax-M2.5, vLLM 0.16", `hardware.name == "h200" && engine.version == "vllm 0.16.0"`, ""},
	{"H200 MiniMax-M2.5, vLLM 0.18", `hardware.name == "h200" && engine.version == "vllm 0.18.0"`, ""},
	{"H100 Qwen3-32B, vLLM 0.12", `hardware.name == "h100-sxm" && engine.version == "vllm 0.12.0"`, ""},
	{"H200 Qwen3-235B, vLLM 0.12", `hardware.name == "h200" && engine.version == "vllm 0.12.0"`, ""},
}

// pooledSilicon are the same by chip and engine era.
var pooledSilicon = []accuracyRow{
	{"H100, late 2025: Llama-3.1-70B, Qwen3-32B", `hardware.name == "h100-sxm" && engine.version in ["", "vllm 0.12.0"]`, ""},
	{"H200, late 2025: Llama-3.1-70B, Qwen3-235B", `hardware.name == "h200" && engine.version in ["", "vllm 0.12.0"]`, ""},
	{"H200, 0.16 to 0.18: MiniMax-M2.5 of two versions", `hardware.name == "h200" && engine.version in ["vllm 0.16.0", "vllm 0.18.0"]`, ""},
}

// handful holds out all but four or five rows of a model: the smallest and the
// largest number of chips at low and high load, and one long prompt. MiniMax has
// one number of chips under vLLM 0.18: short and long prompts at low and high
// load, each measured twice. Of gpt-oss the row at 64 requests on 8 chips
// contradicts its neighbours (see ACCURACY.md): the one at 32 stands for it.
func handful(rows []accuracyRow) []accuracyRow {
	keep := map[string]string{
		"H100 Llama-3.1-70B fp8":       `isl == 1024 && osl == 1024 && tp in [2, 8] && concurrency in [8, 64] || isl == 8192 && tp == 4 && concurrency == 8`,
		"H200 Llama-3.1-70B fp8":       `isl == 1024 && osl == 1024 && tp in [1, 8] && concurrency in [8, 64] || isl == 8192 && tp == 4 && concurrency == 8`,
		"B200 Llama-3.1-70B fp8":       `isl == 1024 && osl == 1024 && tp in [1, 8] && concurrency in [8, 64] || isl == 8192 && tp == 4 && concurrency == 8`,
		"H100 gpt-oss-120b, vLLM 0.18": `isl == 1024 && osl == 1024 && (tp == 2 && concurrency in [8, 64] || tp == 8 && concurrency in [8, 32]) || isl == 8192 && tp == 4 && concurrency == 8`,
		"H200 MiniMax-M2.5, vLLM 0.18": `osl == 1024 && concurrency in [8, 64]`,
		"H100 Qwen3-32B, vLLM 0.12":    `isl == 1024 && osl == 512 && tp in [2, 8] && concurrency in [8, 64] || isl == 4096 && osl == 512 && tp == 4 && concurrency == 8`,
	}
	long := strings.NewReplacer("isl", "workload.prompt_tokens", "osl", "workload.output_tokens", "concurrency", "workload.concurrency", "tp ", "engine.tp ")
	var out []accuracyRow
	for _, r := range rows {
		if k, ok := keep[r.name]; ok {
			out = append(out, accuracyRow{r.name, r.where, "where = '!(" + long.Replace(k) + ")'"})
		}
	}
	return out
}

// byModel holds out each model in turn.
func byModel(rows []accuracyRow) []accuracyRow {
	var out []accuracyRow
	for _, r := range rows {
		out = append(out, accuracyRow{r.name, r.where, `by = "model"`})
	}
	return out
}

// TestAccuracy fits the published rows and holds the errors against the
// published ones; with -update it publishes them. Tables can be run apart:
// -run TestAccuracy/pooled.
func TestAccuracy(t *testing.T) {
	if !*accuracy {
		t.Skip("fits take minutes: make accuracy")
	}
	dir := shared(t)
	for _, table := range []struct {
		name string
		rows []accuracyRow
	}{
		{"alone", silicon},
		{"handful", handful(silicon)},
		{"models", byModel(pooledSilicon)},
		{"pooled", pooledSilicon},
	} {
		t.Run(table.name, func(t *testing.T) {
			publish(t, table.name, accuracyTable(t, dir, table.rows))
		})
	}
}

// accuracyTable fits each row of a table.
func accuracyTable(t *testing.T, dir string, rows []accuracyRow) string {
	var b strings.Builder
	b.WriteString("| rows | held out | metric | model | nearest neighbour | log-linear | 90 % interval holds | high / low end |\n|---|---|---|---|---|---|---|---|\n")
	files, err := filepath.Glob(filepath.Join(dir, "aiconfigurator-silicon", "*.csv"))
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range rows {
		opt := calibrate.Options{Files: files, Where: r.where, Jobs: 2}
		if r.holdout != "" {
			opt.Spec = filepath.Join(t.TempDir(), "fit.toml")
			if err := os.WriteFile(opt.Spec, []byte("schema = 1\n[holdout]\n"+r.holdout+"\n"), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		f, err := calibrate.Run(context.Background(), opt)
		if err != nil {
			t.Fatalf("%s: %v", r.name, err)
		}
		t.Logf("%s\n%s", r.name, calibrate.Text(f))
		b.WriteString(accuracyLines(r.name, f))
	}
	return b.String()
}

// accuracyLines are the lines of one fit, one for each metric.
func accuracyLines(name string, f *results.Fit) string {
	var b strings.Builder
	cell := func(list []results.Error, metric, split string) string {
		for _, e := range list {
			if e.Metric == metric && e.Split == split {
				return fmt.Sprintf("%.1f / %.1f %%", 100*e.Median, 100*e.P90)
			}
		}
		return ""
	}
	for _, c := range f.Coverage {
		fmt.Fprintf(&b, "| %s | %d | %s | %s | %s | %s | %d of %d | %.2f |\n", name, c.Rows, strings.TrimSuffix(c.Metric, "_mean_ms"),
			cell(f.Errors, c.Metric, results.HeldOut), cell(f.Baselines, c.Metric, results.Nearest), cell(f.Baselines, c.Metric, results.LogLinear), c.Inside, c.Rows, c.Width)
		name = ""
	}
	return b.String()
}

// publish replaces or compares one table of the page.
func publish(t *testing.T, name, got string) {
	text, err := os.ReadFile(accuracyPage)
	if err != nil {
		t.Fatal(err)
	}
	head, rest, ok := strings.Cut(string(text), "<!-- table "+name+" -->\n")
	published, tail, ok2 := strings.Cut(rest, "<!-- end -->\n")
	if !ok || !ok2 {
		t.Fatalf("%s has no place for the table %s", accuracyPage, name)
	}
	if *update {
		if err := os.WriteFile(accuracyPage, []byte(head+"<!-- table "+name+" -->\n"+got+"<!-- end -->\n"+tail), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if line, ok := same(published, got); !ok {
		t.Errorf("%s is out of date: run make accuracy. First difference:\n%s", accuracyPage, line)
	}
}
