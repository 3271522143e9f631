package sweep

import (
	"bytes"
	"context"
	"errors"
	"math"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"scoville/core"
	"scoville/core/metrics"
	"scoville/core/scenario"
	"scoville/sweep/budget"
	"scoville/sweep/memo"
	"scoville/sweep/results"
)

const reference = `schema = 1
name = "demo"
[model]
name = "llama-2-7b"
weight_dtype = "int8"
kv_dtype = "int8"
[hardware]
name = "jalapeno"
[engine]
max_num_seqs = 16
[workload]
requests = 300
rate_rps = 2.0
[[workload.class]]
name = "chat"
prompt_tokens = 128
output_tokens = { dist = "lognormal", mean = 64, cv = 0.8 }
`

// write puts a study into a fresh folder.
func write(t *testing.T, text string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "demo.toml")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// fake makes simulators that answer by f.
func fake(f func(*scenario.Scenario, core.Options) core.Result) func() Simulate {
	return func() Simulate {
		return func(ctx context.Context, sc *scenario.Scenario, o core.Options) (core.Result, error) {
			return f(sc, o), ctx.Err()
		}
	}
}

// fine is a result whose every metric is x.
func fine(x float64) core.Result {
	s := make(metrics.Summary, len(metrics.Columns()))
	for i := range s {
		s[i] = x
	}
	return core.Result{Status: core.OK, Summary: s, Steady: metrics.Yes, LoadRatio: 0.5}
}

// Results do not depend on how many simulations run at a time.
func TestWorkersDoNotMatter(t *testing.T) {
	file := write(t, reference+`
[axes]
"hardware.overlap" = [0, 1]
"workload.rate_rps" = [3, 6]
[oat]
"hardware.weight_bandwidth_gb_s" = ["-20%"]
[replicates]
n = 3
seed = 7
`)
	dirs := map[int]string{1: t.TempDir(), 3: t.TempDir()}
	for jobs, dir := range dirs {
		out, err := Run(t.Context(), Options{File: file, Dir: dir, Jobs: jobs})
		if err != nil {
			t.Fatal(err)
		}
		if out.Counts["ok"] != 24 {
			t.Errorf("counts %v", out.Counts)
		}
	}
	for _, name := range []string{results.RunsFile, results.PointsFile, results.EffectsFile, results.StudyFile} {
		a, errA := os.ReadFile(filepath.Join(dirs[1], name))
		b, errB := os.ReadFile(filepath.Join(dirs[3], name))
		if err := errors.Join(errA, errB); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(a, b) {
			t.Errorf("%s differs between 1 and 3 workers", name)
		}
	}
}

// One request alone on the machine: a cut of weight bandwidth to 4/5 adds a
// quarter of the time that goes to streaming weights, and nothing else.
func TestEffectIsQuarterOfStreamingShare(t *testing.T) {
	file := write(t, strings.Replace(reference, "rate_rps = 2.0", "arrival = \"closed\"\nconcurrency = 1", 1)+`
[oat]
"hardware.weight_bandwidth_gb_s" = ["-20%"]
"hardware.state_bandwidth_gb_s" = ["-20%"]
[replicates]
n = 2
`)
	dir := t.TempDir()
	if _, err := Run(t.Context(), Options{File: file, Dir: dir, Jobs: 1}); err != nil {
		t.Fatal(err)
	}
	d, err := results.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	tpot, _ := d.Points.Float(d.Points.Index("tpot_mean_ms_mean"), 0)
	weights, _ := d.Points.Float(d.Points.Index("tpot_mean_ms_delta_ratio"), 1)
	state, _ := d.Points.Float(d.Points.Index("tpot_mean_ms_delta_ratio"), 2)
	const stream = 6.607e9 / 6e12 * 1e3 // ms: all weights but the input embedding, over the weight path
	if want := 0.25 * stream / tpot; math.Abs(weights-want) > 1e-4 {
		t.Errorf("TPOT %g ms, changed by %g, want %g", tpot, weights, want)
	}
	if state != 0 {
		t.Errorf("the state path hides behind the weights, but its bandwidth changes TPOT by %g", state)
	}
}

// What goes wrong in a run is its row, and the rest goes on.
func TestFaultsAreRows(t *testing.T) {
	file := write(t, reference+"[axes]\n\"engine.max_num_seqs\" = [1, 2, 3, 4]\n")
	dir := t.TempDir()
	out, err := Run(t.Context(), Options{File: file, Dir: dir, Jobs: 2, newSimulate: fake(func(sc *scenario.Scenario, _ core.Options) core.Result {
		switch sc.Engine.MaxNumSeqs {
		case 2:
			panic("index out of range")
		case 3:
			return core.Result{Status: core.Infeasible, Reason: "too big"}
		}
		return fine(1)
	})})
	if err != nil {
		t.Fatal(err)
	}
	if out.Counts["ok"] != 2 || out.Counts["failed"] != 1 || out.Counts["infeasible"] != 1 {
		t.Errorf("counts %v", out.Counts)
	}
	d, err := results.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	runs, err := d.Runs()
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []string{"", "panic: index out of range", "too big", ""} {
		if got, _ := runs.String(runs.Index("error"), i); got != want {
			t.Errorf("run %d: error %q, want %q", i, got, want)
		}
	}
}

func TestFailFast(t *testing.T) {
	file := write(t, reference+"[axes]\n\"engine.max_num_seqs\" = [1, 2, 3, 4]\n")
	dir := t.TempDir()
	_, err := Run(t.Context(), Options{File: file, Dir: dir, Jobs: 1, FailFast: true, newSimulate: fake(func(*scenario.Scenario, core.Options) core.Result {
		return core.Result{Status: core.Failed, Reason: "leak"}
	})})
	if e, ok := errors.AsType[*budget.StoppedError](err); !ok || e.Failed != 1 || len(e.Causes) != 1 || e.Causes[0].Reason != "failed: leak" {
		t.Error(err)
	}
	if _, err := results.Open(dir); err == nil {
		t.Error("a stopped sweep left results")
	}
}

// An interrupted sweep returns soon and leaves the results that were there.
func TestCancelKeepsOldResults(t *testing.T) {
	file, dir := write(t, reference+"[axes]\n\"engine.max_num_seqs\" = [1, 2, 3, 4]\n"), t.TempDir()
	if _, err := Run(t.Context(), Options{File: file, Dir: dir, Jobs: 1}); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(filepath.Join(dir, memo.File)); err != nil {
		t.Fatal(err)
	}
	before, err := os.ReadFile(filepath.Join(dir, results.RunsFile))
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	var runs atomic.Int64
	_, err = Run(ctx, Options{File: file, Dir: dir, Jobs: 1, newSimulate: fake(func(*scenario.Scenario, core.Options) core.Result {
		runs.Add(1)
		cancel()
		return fine(1)
	})})
	if !errors.Is(err, context.Canceled) || runs.Load() != 1 {
		t.Errorf("error %v after %d runs", err, runs.Load())
	}
	after, err := os.ReadFile(filepath.Join(dir, results.RunsFile))
	if err != nil || !bytes.Equal(before, after) {
		t.Errorf("the interrupted sweep touched the old results: %v", err)
	}
}

func TestRefusals(t *testing.T) {
	file, dir := write(t, reference), t.TempDir()
	if _, err := Run(t.Context(), Options{File: file, Dir: dir, Jobs: 1}); err != nil {
		t.Fatal(err)
	}
	other := write(t, strings.Replace(reference, `"demo"`, `"other"`, 1))
	if _, err := Run(t.Context(), Options{File: other, Dir: dir, Jobs: 1}); !errors.Is(err, ErrForeign) {
		t.Errorf("another study: %v", err)
	}
	_, err := Run(t.Context(), Options{File: filepath.Join(dir, "none.toml"), Dir: dir, Jobs: 1})
	if _, ok := errors.AsType[*InputError](err); !ok {
		t.Errorf("no study: %v", err)
	}
}

// Values from the command line win over the study and are recorded.
func TestSetIsRecorded(t *testing.T) {
	file, dir := write(t, reference), t.TempDir()
	seen := 0
	set := []string{"workload.requests=17", "hardware.name=h100-sxm"}
	_, err := Run(t.Context(), Options{File: file, Dir: dir, Jobs: 1, Set: set, newSimulate: fake(func(sc *scenario.Scenario, _ core.Options) core.Result {
		seen = sc.Workload.Requests
		return fine(1)
	})})
	if err != nil || seen != 17 {
		t.Fatalf("%d requests, %v", seen, err)
	}
	m, err := results.ReadManifest(dir)
	if err != nil || strings.Join(m.Set, " ") != strings.Join(set, " ") || len(m.Inputs) != 1 {
		t.Errorf("manifest: set %q, inputs %v, %v", m.Set, m.Inputs, err)
	}
}

func TestDescribe(t *testing.T) {
	p, err := Load(write(t, reference+"[axes]\n\"model.weight_dtype\" = [\"int8\", \"fp32\"]\n\"engine.max_num_seqs\" = { from = 1, to = 20, step = 1 }\n[replicates]\nn = 2\n"), nil)
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := Describe(t.Context(), &b, p, 2); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"engine.max_num_seqs  20  1  2  3  4  5  6  7  ...  20", "points  40, 20 infeasible before running; point 20: ", "40 x 2 replicates = 80, limit 100,000", "\ncost    pilot of 8 runs: mean "} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("want %q in\n%s", want, b.String())
		}
	}
	b.Reset()
	if err := WritePoints(&b, p); err != nil {
		t.Fatal(err)
	}
	if lines := strings.Split(b.String(), "\n"); len(lines) != 42 || !strings.HasSuffix(lines[0], ",infeasible,weight_dtype,max_num_seqs") || !strings.HasSuffix(lines[1], ",int8,1") {
		t.Errorf("points:\n%s", b.String())
	}
}
