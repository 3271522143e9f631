package main

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"
)

// A shell is told how arguments go on: what there is, with what it means.
func TestCompletion(t *testing.T) {
	dir := t.TempDir()
	var out, none bytes.Buffer
	if err := run(t.Context(), []string{"run", "../../studies/sensitivity.toml", "-o", filepath.Join(dir, "demo"), "--progress", "none"}, &none, &none); err != nil {
		t.Fatal(err)
	}
	studies, err := filepath.Abs("../../studies")
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(dir)
	for _, c := range []struct{ args, want string }{
		{"r", "run\tSimulate every point"},
		{"run ", "toml\n:8"}, // files of that extension
		{"plan s --explain hardware.weight_b", "hardware.weight_bandwidth_gb_s\t"},
		{"run s --set workload.ra", "workload.rate_rps=\t"},
		{"run " + studies + "/sensitivity.toml --point 1", "1\thardware.weight_bandwidth_gb_s -20%"},
		{"run s --progress ", "json\t"},
		{"show ", "demo\n"},
		{"show demo --point ", "4\tcontext=long"},
		{"show nothing --point ", ":4"},
		{"diff demo ", "demo\n"},
		{"confirm demo --by ttft_p99", "ttft_p99_ms\t99th percentile"},
		{"submit s --engine ", "slurm\t"},
		{"profile --model llama-3-8", "llama-3-8b"},
		{"profile --hardware h100-s", "h100-sxm"},
		{"list ", "chips"},
		{"list models qwen3-3", "qwen3-32b"},
		{"list nothing x", ":4"},
		{"export csv demo --table ru", "runs"},
		{"export csv demo --columns ttft_p99_ms_m", "ttft_p99_ms_mean"},
		{"completion z", "zsh"},
	} {
		out.Reset()
		if err := run(t.Context(), append([]string{"__complete"}, strings.Split(c.args, " ")...), &out, &none); err != nil || !strings.Contains(out.String(), c.want) {
			t.Errorf("%q: no %q in\n%s(%v)", c.args, c.want, out.String(), err)
		}
	}
	for _, shell := range []string{"bash", "zsh", "fish", "powershell"} {
		out.Reset()
		if err := run(t.Context(), []string{"completion", shell}, &out, &none); err != nil || !strings.Contains(out.String(), "sweep") {
			t.Errorf("%s: %v", shell, err)
		}
	}
}
