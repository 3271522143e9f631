package sweep

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"scoville/core"
	"scoville/core/scenario"
	"scoville/sweep/memo"
	"scoville/sweep/shard"
)

// split runs every shard of a study into a folder, one after the other.
func split(t *testing.T, o Options, n int) {
	t.Helper()
	for i := range n {
		o.Shard = fmt.Sprintf("%d/%d", i+1, n)
		out, err := Run(t.Context(), o)
		if err != nil {
			t.Fatal(o.Shard, err)
		}
		if got := len(out.Shard.Others); got != n-1-i {
			t.Errorf("shard %s: %d others have not finished", o.Shard, got)
		}
	}
}

// A study that runs in shards gives the tables of one machine, however many there
// are, and what is laid out is simulated by nobody.
func TestShards(t *testing.T) {
	designs := map[string]string{}
	for name, design := range resumed {
		if name != "race" {
			designs[name] = design
		}
	}
	designs["draws"] = "[axes]\n\"workload.rate_rps\" = [1, 2]\n\"hardware.name\" = [\"jalapeno\", \"h100-sxm\"]\n[replicates]\nn = 2\ncrn = false\n[[objective]]\nmetric = \"tpot_mean_ms\"\n[[objective]]\nmetric = \"output_tok_s\"\n[uncertainty]\ndraws = 20\n"
	counts := []int{1, 3, 7}
	if testing.Short() {
		counts = []int{3}
	}
	for name, design := range designs {
		file, whole := write(t, reference+design), t.TempDir()
		if name == "draws" {
			file = unsure(t, unsureOverlay, reference+design)
		}
		if _, err := Run(t.Context(), Options{File: file, Dir: whole, Jobs: 2}); err != nil {
			t.Fatal(name, err)
		}
		for _, n := range counts {
			o := Options{File: file, Dir: t.TempDir(), Jobs: 2}
			split(t, o, n)
			if left := tables(t, o.Dir); len(left) > 0 {
				t.Errorf("%s: shards left %d tables", name, len(left))
			}
			o.newSimulate = never(t)
			if _, err := Merge(t.Context(), o, nil); err != nil {
				t.Fatal(name, n, err)
			}
			same(t, fmt.Sprintf("%s in %d shards", name, n), whole, o.Dir)
		}
	}
}

// never makes simulators that must not be asked.
func never(t *testing.T) func() Simulate {
	return func() Simulate {
		return func(context.Context, *scenario.Scenario, core.Options) (core.Result, error) {
			t.Error("a known run is simulated")
			return core.Result{}, nil
		}
	}
}

// Missing shards are named with the commands that run them; after them, and after
// the whole study on one machine, there are tables. A shard that was interrupted
// goes on where it was.
func TestMergeMissing(t *testing.T) {
	if testing.Short() {
		t.Skip("says nothing of concurrency that shorter tests do not")
	}
	for _, name := range []string{"grid", "search", "until", "requests"} {
		file, whole, dir := write(t, reference+resumed[name]), t.TempDir(), t.TempDir()
		if _, err := Run(t.Context(), Options{File: file, Dir: whole, Jobs: 2}); err != nil {
			t.Fatal(err)
		}
		o := Options{File: file, Dir: dir, Jobs: 1, Shard: "1/2"}
		if _, err := Run(t.Context(), o); err != nil {
			t.Fatal(err)
		}
		if name == "grid" {
			o.Shard = "2/2"
			interrupted(t, o, 2)
		}
		_, err := Merge(t.Context(), Options{File: file, Dir: dir, Jobs: 2}, nil)
		var missing *MissingError
		if p, _ := Load(file, nil); name == "search" && shard.Of(p.ID(0), 2) == 1 {
			if err != nil { // its one search is in the first shard
				t.Error(err)
			}
			continue
		}
		if !errors.As(err, &missing) || len(missing.Parts) != 1 || missing.Parts[0].Shard.Index != 2 || missing.Runs == 0 {
			t.Fatalf("%s: %v", name, err)
		}
		if !strings.Contains(err.Error(), "sweep run "+file+" -o "+dir+" --shard 2/2") || len(tables(t, dir)) > 0 && name != "requests" {
			t.Errorf("%s: %v", name, err)
		}
		other := t.TempDir()
		if err := os.CopyFS(other, os.DirFS(dir)); err != nil {
			t.Fatal(err)
		}
		out, err := Run(t.Context(), Options{File: file, Dir: other, Jobs: 2}) // the rest, here
		if err != nil || name == "grid" && out.Recalled == 0 {
			t.Fatal(name, err)
		}
		same(t, name+" here", whole, other)
		o.Shard = "2/2"
		if _, err := Run(t.Context(), o); err != nil {
			t.Fatal(err)
		}
		if _, err := Merge(t.Context(), Options{File: file, Dir: dir, Jobs: 2, newSimulate: never(t)}, nil); err != nil {
			t.Fatal(name, err)
		}
		same(t, name+" there", whole, dir)
	}
}

// Folders split into other numbers of shards, and not at all, and of the study
// before it was edited, are gathered; runs that are not planned any more are not
// used.
func TestMergeFolders(t *testing.T) {
	old := strings.Replace(resumed["grid"], "[1, 2, 3, 4, 5, 6]", "[1, 2, 3, 9]", 1)
	a, b, c, dir := t.TempDir(), t.TempDir(), t.TempDir(), t.TempDir()
	split(t, Options{File: write(t, reference+old), Dir: a, Jobs: 2}, 3)
	file := write(t, reference+resumed["grid"])
	if _, err := Run(t.Context(), Options{File: file, Dir: b, Jobs: 2}); err != nil {
		t.Fatal(err)
	}
	if _, err := Run(t.Context(), Options{File: file, Dir: c, Jobs: 2, Shard: "1/2"}); err != nil {
		t.Fatal(err)
	}
	if _, err := Merge(t.Context(), Options{File: file, Dir: dir, Jobs: 2, newSimulate: never(t)}, []string{a, b, c, b}); err != nil {
		t.Fatal(err)
	}
	same(t, "gathered", b, dir)
	if _, err := Merge(t.Context(), Options{File: file, Dir: t.TempDir(), Jobs: 2}, []string{filepath.Join(a, "none")}); err == nil {
		t.Error("a folder that is not there is gathered")
	}
}

// Merge tells of journals of shards that are not whole, and that the runs they
// lost are missing.
func TestMergeDamaged(t *testing.T) {
	o := Options{File: write(t, reference+"[axes]\n\"engine.max_num_seqs\" = { from = 1, to = 20, step = 1 }\n"), Dir: t.TempDir(), Jobs: 2, newSimulate: fake(func(*scenario.Scenario, core.Options) core.Result { return fine(1) })}
	split(t, o, 2)
	spoil := func(index int, change func([]byte) []byte) {
		path := filepath.Join(shard.Shard{Index: index, Count: 2}.Dir(o.Dir), memo.File)
		text, err := os.ReadFile(path)
		if err == nil {
			err = os.WriteFile(path, change(text), 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	spoil(1, func(b []byte) []byte { b[len(b)/2] ^= 1; return b })
	spoil(2, func(b []byte) []byte { return b[:len(b)-7] })
	var told []Damage
	o.Damaged = func(list []Damage) { told = list }
	_, err := Merge(t.Context(), o, nil)
	var missing *MissingError
	if !errors.As(err, &missing) || missing.Runs != 2 {
		t.Errorf("error %v", err)
	}
	if len(told) != 2 || told[0].Damaged == 0 || told[0].Cut != 0 || told[1].Damaged != 0 || told[1].Cut == 0 || !strings.HasSuffix(told[1].Dir, "2-of-2") {
		t.Errorf("told %+v", told)
	}
}

// Different results of one run are refused with both folders, and nothing is
// written; a result counts more than a failure.
func TestMergeDisagree(t *testing.T) {
	file := write(t, reference+"[axes]\n\"engine.max_num_seqs\" = [1, 2]\n")
	run := func(x float64) Options {
		o := Options{File: file, Dir: t.TempDir(), Jobs: 1, newSimulate: fake(func(*scenario.Scenario, core.Options) core.Result {
			if x == 0 {
				panic("out of luck")
			}
			return fine(x)
		})}
		split(t, o, 2)
		return o
	}
	a, b, failed := run(1), run(2), run(0)
	dir := filepath.Join(t.TempDir(), "all")
	_, err := Merge(t.Context(), Options{File: file, Dir: dir, Jobs: 1}, []string{a.Dir, b.Dir})
	if !errors.Is(err, ErrDisagree) || !strings.Contains(err.Error(), a.Dir) || !strings.Contains(err.Error(), b.Dir) || !strings.Contains(err.Error(), "replicate 0") {
		t.Error(err)
	}
	if _, err := os.Stat(filepath.Join(dir, memo.File)); err == nil || len(tables(t, dir)) > 0 {
		t.Error("something is written")
	}
	for _, folders := range [][]string{{failed.Dir, a.Dir}, {a.Dir, failed.Dir}} {
		out, err := Merge(t.Context(), Options{File: file, Dir: t.TempDir(), Jobs: 1}, folders)
		if err != nil || out.Counts["ok"] != 2 {
			t.Error(out, err)
		}
	}
	old := filepath.Join(a.Dir, "shards", "1-of-2", memo.File)
	if err := os.WriteFile(old, []byte("runs of simulator version 0, metrics 0\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Merge(t.Context(), Options{File: file, Dir: t.TempDir(), Jobs: 1}, []string{a.Dir}); !errors.Is(err, ErrForeign) || !strings.Contains(err.Error(), "1-of-2") {
		t.Error(err)
	}
}

// What cannot be split says why.
func TestShardRefused(t *testing.T) {
	for design, want := range map[string]string{resumed["race"]: "a race drops a point", "": "3/2"} {
		o := Options{File: write(t, reference+design), Dir: t.TempDir(), Jobs: 1, Shard: "1/2"}
		if design == "" {
			o.Shard = "3/2"
		}
		if _, err := Run(t.Context(), o); err == nil || !strings.Contains(err.Error(), want) {
			t.Error(err)
		}
	}
}

// Limits that are edited between two merges leave in the folder what other limits
// gave: the tables are those of one machine.
func TestMergeLimits(t *testing.T) {
	dir := t.TempDir()
	for _, limit := range []string{"", "max_events = 90", "max_events = 95", "max_sim_s = 0.5", ""} {
		file, whole := write(t, reference+"[axes]\n\"engine.max_num_seqs\" = [1, 2, 3]\n[run]\n"+limit+"\n"), t.TempDir()
		if _, err := Run(t.Context(), Options{File: file, Dir: whole, Jobs: 2}); err != nil {
			t.Fatal(limit, err)
		}
		o := Options{File: file, Dir: dir, Jobs: 2}
		split(t, o, 2)
		if _, err := Merge(t.Context(), o, nil); err != nil {
			t.Fatalf("%s: %v", limit, err)
		}
		same(t, limit, whole, dir)
	}
}

// A share of runs that may fail is one of the whole study, not of a shard: what one
// machine finishes, shards do.
func TestShardFailures(t *testing.T) {
	axis := "[axes]\n\"engine.max_num_seqs\" = { from = 1, to = 10, step = 1 }\n[run]\nmax_failures = "
	for name, design := range map[string]string{
		"points": axis + "\"10%\"\n",
		"search": resumed["search"] + axis + "\"2%\"\n",
	} {
		o := Options{File: write(t, reference+design), Dir: t.TempDir(), Jobs: 1, newSimulate: fake(func(sc *scenario.Scenario, _ core.Options) core.Result {
			if sc.Engine.MaxNumSeqs == 1 {
				return core.Result{Status: core.Timeout, Reason: "late"}
			}
			return fine(1)
		})}
		whole := o
		whole.Dir = t.TempDir()
		if _, err := Run(t.Context(), whole); err != nil {
			t.Fatal(name, err)
		}
		split(t, o, 8)
		if _, err := Merge(t.Context(), o, nil); err != nil {
			t.Fatal(name, err)
		}
		same(t, name, whole.Dir, o.Dir)
	}
}

// Tables do not depend on how the study is named: a merge of a folder knows its whole
// path, and the study may name its base so.
func TestNamedAbroad(t *testing.T) {
	home := t.TempDir()
	t.Chdir(home)
	base := filepath.Join(home, "inputs", "base.toml")
	for path, text := range map[string]string{base: strings.TrimPrefix(reference, "schema = 1\n"), filepath.Join(home, "studies", "demo.toml"): "schema = 1\nbase = [\"" + base + "\"]\n"} {
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	whole := t.TempDir()
	if _, err := Run(t.Context(), Options{File: "studies/demo.toml", Dir: whole, Jobs: 1}); err != nil {
		t.Fatal(err)
	}
	o := Options{File: filepath.Join(home, "studies", "demo.toml"), Dir: t.TempDir(), Jobs: 1}
	if _, err := Run(t.Context(), o); err != nil {
		t.Fatal(err)
	}
	same(t, "the whole path", whole, o.Dir)
	o.File, o.Dir = "studies/demo.toml", t.TempDir()
	split(t, o, 2)
	file, set, err := StudyOf(o.Dir, nil)
	if err != nil || !filepath.IsAbs(file) {
		t.Fatal(file, err)
	}
	if _, err := Merge(t.Context(), Options{File: file, Set: set, Dir: o.Dir, Jobs: 1}, nil); err != nil {
		t.Fatal(err)
	}
	same(t, "a merged folder", whole, o.Dir)
}

// Folders of others that say of how many shards they are one cost no more than the
// points that there are, and an empty one says nothing.
func TestMergeCounts(t *testing.T) {
	o := Options{File: write(t, reference+"[axes]\n\"engine.max_num_seqs\" = [1, 2, 3]\n"), Dir: t.TempDir(), Jobs: 1, Shard: "1/2"}
	if _, err := Run(t.Context(), o); err != nil {
		t.Fatal(err)
	}
	merged := func(want string) {
		t.Helper()
		_, err := Merge(t.Context(), Options{File: o.File, Dir: o.Dir, Jobs: 1}, nil)
		var missing *MissingError
		if !errors.As(err, &missing) || len(missing.Parts) == 0 || !strings.Contains(err.Error(), want) {
			t.Error(err)
		}
	}
	for i := range 3 {
		if err := os.MkdirAll(shard.Shard{Index: i + 1, Count: 9_999_999}.Dir(o.Dir), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	merged(" --shard 2/2")
	other := shard.Shard{Index: 1, Count: shard.MaxCount}.Dir(o.Dir)
	if err := os.CopyFS(other, os.DirFS(shard.Shard{Index: 1, Count: 2}.Dir(o.Dir))); err != nil {
		t.Fatal(err)
	}
	merged(" --shard 2/2")
	if err := os.RemoveAll(shard.Shard{Index: 1, Count: 2}.Dir(o.Dir)); err != nil {
		t.Fatal(err)
	}
	merged("/1000000")
}
