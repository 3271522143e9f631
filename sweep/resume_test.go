package sweep

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"scoville/core"
	"scoville/core/scenario"
	"scoville/sweep/memo"
	"scoville/sweep/request"
)

// studies that decide, each in its way, which runs there are.
var resumed = map[string]string{
	"grid":     "[axes]\n\"engine.max_num_seqs\" = [1, 2, 3, 4, 5, 6]\n[replicates]\nn = 3\n",
	"oat":      "[oat]\n\"hardware.weight_bandwidth_gb_s\" = [\"-20%\", \"-10%\", \"+10%\"]\n[replicates]\nn = 4\n",
	"until":    "[axes]\n\"engine.max_num_seqs\" = [1, 2, 3]\n[replicates]\nn = 3\nuntil = { metric = \"ttft_mean_ms\", rel_ci = 0.05, max = 12 }\n",
	"race":     "[axes]\n\"hardware.weight_bandwidth_gb_s\" = [3000, 4000, 5000]\n[replicates]\nn = 8\n[run]\nrace = true\n[[objective]]\nmetric = \"tpot_mean_ms\"\ngoal = \"min\"\n",
	"search":   "[search]\nover = \"hardware.weight_bandwidth_gb_s\"\ngoal = \"min\"\nfrom = 1000\nto = 64000\n[slo]\ntpot_mean_ms = { max = 5 }\n[replicates]\nn = 2\n",
	"sample":   "[sample]\nmethod = \"lhs\"\nn = 12\n[sample.space]\n\"hardware.weight_bandwidth_gb_s\" = { min = 2000, max = 6000 }\n\"engine.max_num_seqs\" = { min = 1, max = 32 }\n",
	"requests": "[axes]\n\"engine.max_num_seqs\" = [1, 2, 3, 4, 5, 6, 7, 8]\n[output]\nrequests = \"sample:5\"\n",
}

// interrupted stops a sweep of one worker in its run number n; n counts on over
// calls of the same counter.
func interrupted(t *testing.T, o Options, n int64) {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	var runs atomic.Int64
	fresh := simulators(core.NewCapacities(), nil)
	o.newSimulate = func() Simulate {
		sim := fresh()
		return func(ctx context.Context, sc *scenario.Scenario, opt core.Options) (core.Result, error) {
			if runs.Add(1) == n {
				stop()
			}
			return sim(ctx, sc, opt)
		}
	}
	_, err := Run(ctx, o)
	var stopped *StoppedError
	if !errors.As(err, &stopped) || !errors.Is(err, context.Canceled) || stopped.Kept < int(n)-1 {
		t.Fatalf("interrupt in run %d: %v", n, err)
	}
}

// tables are the Parquet files of a folder, by name.
func tables(t *testing.T, dir string) map[string][]byte {
	t.Helper()
	out := map[string][]byte{}
	for _, pattern := range []string{"*.parquet", "requests/*.parquet"} {
		files, err := filepath.Glob(filepath.Join(dir, pattern))
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range files {
			text, err := os.ReadFile(f)
			if err != nil {
				t.Fatal(err)
			}
			out[strings.TrimPrefix(f, dir)] = text
		}
	}
	return out
}

// same checks that two folders have equal tables, to the byte.
func same(t *testing.T, what, a, b string) {
	t.Helper()
	x, y := tables(t, a), tables(t, b)
	if len(x) == 0 || len(x) != len(y) {
		t.Errorf("%s: %d tables and %d", what, len(x), len(y))
	}
	for name, text := range x {
		if !bytes.Equal(text, y[name]) {
			t.Errorf("%s: %s differs", what, name)
		}
	}
}

// A sweep that is interrupted, twice, and goes on gives the tables of one in one
// go, and simulates no run twice.
func TestResume(t *testing.T) {
	for name, design := range resumed {
		file, whole, cut := write(t, reference+design), t.TempDir(), t.TempDir()
		if _, err := Run(t.Context(), Options{File: file, Dir: whole, Jobs: 2}); err != nil {
			t.Fatal(name, err)
		}
		o := Options{File: file, Dir: cut, Jobs: 1}
		interrupted(t, o, 3)
		for left := range tables(t, cut) {
			if !strings.Contains(left, request.Dir) {
				t.Errorf("%s: an interrupted sweep left %s", name, left)
			}
		}
		interrupted(t, o, 2)
		out, err := Run(t.Context(), o)
		if err != nil || out.Recalled < 3 {
			t.Fatalf("%s: %v, %d recalled", name, err, out.Recalled)
		}
		same(t, name, whole, cut)
		again, err := Run(t.Context(), Options{File: file, Dir: cut, Jobs: 2, newSimulate: func() Simulate {
			return func(context.Context, *scenario.Scenario, core.Options) (core.Result, error) {
				t.Errorf("%s: a known run is simulated", name)
				return core.Result{}, nil
			}
		}})
		if err != nil || again.Recalled == 0 {
			t.Errorf("%s: %v", name, err)
		}
		same(t, name+" again", whole, cut)
	}
}

// An edited study simulates what is new, and runs it does not plan any more
// leave the tables. An edited overlay changes what runs are.
func TestResumeEdited(t *testing.T) {
	dir := t.TempDir()
	overlay := filepath.Join(dir, "base.toml")
	text := func(levels string) string {
		return strings.Replace(reference, "schema = 1\n", "schema = 1\nbase = [\"base.toml\"]\n", 1) + "[axes]\n\"engine.max_num_seqs\" = " + levels + "\n"
	}
	edit := func(overhead, levels string) Options {
		t.Helper()
		for f, s := range map[string]string{overlay: "schema = 1\n[engine]\nstep_overhead_us = " + overhead + "\n", filepath.Join(dir, "demo.toml"): text(levels)} {
			if err := os.WriteFile(f, []byte(s), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		return Options{File: filepath.Join(dir, "demo.toml"), Dir: filepath.Join(dir, "out"), Jobs: 2}
	}
	for _, c := range []struct {
		overhead, levels string
		recalled         int
	}{
		{"100", "[1, 2, 3]", 0},
		{"100", "[2, 3, 4, 5]", 2},
		{"200", "[2, 3, 4, 5]", 0},
		{"100", "[1, 5]", 2},
	} {
		o := edit(c.overhead, c.levels)
		out, err := Run(t.Context(), o)
		if err != nil || out.Recalled != c.recalled {
			t.Fatalf("%v: %v, %d recalled", c, err, out.Recalled)
		}
		fresh := o
		fresh.Dir = t.TempDir()
		if _, err := Run(t.Context(), fresh); err != nil {
			t.Fatal(err)
		}
		same(t, c.levels, fresh.Dir, o.Dir)
	}
}

// Failed runs count as finished, run again with OnlyFailed, and those alone;
// their stacks are in a log.
func TestOnlyFailed(t *testing.T) {
	file, dir := write(t, reference+"[axes]\n\"engine.max_num_seqs\" = [1, 2, 3, 4]\n"), t.TempDir()
	var runs atomic.Int64
	o := Options{File: file, Dir: dir, Jobs: 1, newSimulate: fake(func(sc *scenario.Scenario, _ core.Options) core.Result {
		if runs.Add(1); sc.Engine.MaxNumSeqs == 2 {
			panic("out of luck")
		}
		return fine(float64(sc.Engine.MaxNumSeqs))
	})}
	check := func(want int64, failed int) {
		t.Helper()
		runs.Store(0)
		out, err := Run(t.Context(), o)
		if err != nil || runs.Load() != want || out.Counts["failed"] != failed {
			t.Fatalf("%v, %d runs, want %d; counts %v", err, runs.Load(), want, out.Counts)
		}
	}
	check(4, 1)
	check(0, 1)
	log, err := os.ReadFile(filepath.Join(dir, "failures.log"))
	if err != nil || !strings.Contains(string(log), "replicate 0: panic: out of luck") || !strings.Contains(string(log), "resume_test.go") {
		t.Errorf("log %q, %v", log, err)
	}
	o.OnlyFailed = true
	check(1, 1)
	o.newSimulate = fake(func(sc *scenario.Scenario, _ core.Options) core.Result {
		runs.Add(1)
		return fine(float64(sc.Engine.MaxNumSeqs))
	})
	check(1, 0)
	check(0, 0)
	o.OnlyFailed, o.Fresh = false, true
	check(4, 0)
}

// A journal that was cut anywhere costs the runs it lost, never the tables.
func TestCutJournal(t *testing.T) {
	file, whole := write(t, reference+resumed["grid"]), t.TempDir()
	if _, err := Run(t.Context(), Options{File: file, Dir: whole, Jobs: 2}); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(whole, memo.File))
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range []int{0, 10, len(text) / 3, len(text) / 2, len(text) - 1} {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, memo.File), text[:n], 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := Run(t.Context(), Options{File: file, Dir: dir, Jobs: 2}); err != nil {
			t.Fatal(err)
		}
		same(t, "cut", whole, dir)
	}
}

// Runs of another version are refused, and forgotten with Fresh.
func TestForeignJournal(t *testing.T) {
	file, dir := write(t, reference), t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, memo.File), []byte("runs of simulator version 0\nwhat they gave"), 0o644); err != nil {
		t.Fatal(err)
	}
	o := Options{File: file, Dir: dir, Jobs: 1}
	if _, err := Run(t.Context(), o); !errors.Is(err, ErrForeign) || !strings.Contains(err.Error(), "--fresh") {
		t.Error(err)
	}
	o.Fresh = true
	if _, err := Run(t.Context(), o); err != nil {
		t.Error(err)
	}
}

// Another choice of requests writes their tables anew.
func TestResumeRequests(t *testing.T) {
	text := reference + "[axes]\n\"engine.max_num_seqs\" = [1, 2]\n[output]\nrequests = \"sample:5\"\n"
	dir := t.TempDir()
	if _, err := Run(t.Context(), Options{File: write(t, text), Dir: dir, Jobs: 1}); err != nil {
		t.Fatal(err)
	}
	small := tables(t, dir)
	all := write(t, strings.Replace(text, "sample:5", "all", 1))
	if _, err := Run(t.Context(), Options{File: all, Dir: dir, Jobs: 1}); err != nil {
		t.Fatal(err)
	}
	fresh := t.TempDir()
	if _, err := Run(t.Context(), Options{File: all, Dir: fresh, Jobs: 1}); err != nil {
		t.Fatal(err)
	}
	same(t, "all requests", fresh, dir)
	for name, text := range tables(t, dir) {
		if strings.Contains(name, request.Dir) && slices.Equal(text, small[name]) {
			t.Errorf("%s is that of a sample", name)
		}
	}
}
