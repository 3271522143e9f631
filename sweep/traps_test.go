package sweep

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"scoville/core"
	"scoville/core/scenario"
	"scoville/sweep/results"
)

// Values are told apart by what they are, not by how they print: a step of 0.1
// arrives at 0.3 itself, and the float next to it is another point with a cell of
// its own.
func TestFloatsThatLookAlike(t *testing.T) {
	_, d := finished(t, reference+"[axes]\n\"hardware.overlap\" = [{ from = 0.1, to = 0.3, step = 0.1 }, 0.3, 0.1, 0.30000000000000004]\n", 2)
	if got := column(d, "overlap"); got != "0.1 0.2 0.3 0.30000000000000004" {
		t.Error(got)
	}
	ids := strings.Fields(column(d, "point_id"))
	slices.Sort(ids)
	if len(slices.Compact(ids)) != 4 {
		t.Errorf("ids %v", ids)
	}
}

// Seed 0 is a seed like others: what it gives is not what another gives, and it is
// written down. Replicates differ with it.
func TestSeedZero(t *testing.T) {
	ttft := func(replicates string) []float64 {
		_, d := finished(t, reference+"[replicates]\nn = 3\n"+replicates, 2)
		runs, err := d.Runs()
		if err != nil {
			t.Fatal(err)
		}
		var out []float64
		for i := range runs.Len() {
			x, _ := runs.Float(runs.Index("ttft_mean_ms"), i)
			seed, _ := runs.String(runs.Index("seed_hex"), i)
			if n, err := strconv.ParseUint(seed, 16, 64); err != nil || n != d.Manifest.Seed {
				t.Errorf("seed %s in the table, %d in the manifest", seed, d.Manifest.Seed)
			}
			out = append(out, x)
		}
		return out
	}
	zero, one := ttft("seed = 0\n"), ttft("seed = 1\n")
	if !slices.Equal(zero, ttft("")) || zero[0] == zero[1] || zero[1] == zero[2] {
		t.Errorf("seed 0: %v, without a seed %v", zero, ttft(""))
	}
	for _, x := range zero {
		if slices.Contains(one, x) {
			t.Errorf("seed 0 gives %v, seed 1 gives %v", zero, one)
		}
	}
}

// A failed run is no result: not in a mean, not in a comparison, and a sweep with
// one is not complete.
func TestFailedIsNotDone(t *testing.T) {
	file := write(t, reference+"[axes]\n\"engine.max_num_seqs\" = [1, 2]\n[[objective]]\nmetric = \"tpot_mean_ms\"\n[replicates]\nn = 3\n")
	dir := t.TempDir()
	out, err := Run(t.Context(), Options{File: file, Dir: dir, Jobs: 2, newSimulate: fake(func(sc *scenario.Scenario, o core.Options) core.Result {
		if sc.Engine.MaxNumSeqs == 1 && o.Replicate == 1 {
			return core.Result{Status: core.Failed, Reason: "leak"}
		}
		return fine(float64(sc.Engine.MaxNumSeqs))
	})})
	if err != nil {
		t.Fatal(err)
	}
	d, err := results.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	if d.Manifest.Complete() || out.Counts["failed"] != 1 {
		t.Errorf("complete with counts %v", d.Manifest.Counts)
	}
	for name, want := range map[string]string{"status": "failed ok", "runs": "3 3", "runs_ok": "2 3", "tpot_mean_ms_n": "2 3", "pareto": "false true", "objective_rank": "<nil> 1"} {
		if got := column(d, name); got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
}

// A metric without a value in one run leaves the others' mean, and no table a NaN.
func TestNaNStaysAlone(t *testing.T) {
	file := write(t, reference+"[oat]\n\"engine.max_num_seqs\" = [1]\n[[objective]]\nmetric = \"tpot_mean_ms\"\n[replicates]\nn = 3\n")
	dir := t.TempDir()
	if _, err := Run(t.Context(), Options{File: file, Dir: dir, Jobs: 2, newSimulate: fake(func(_ *scenario.Scenario, o core.Options) core.Result {
		r := fine(2 + float64(o.Replicate))
		if o.Replicate == 1 {
			for i := range r.Summary {
				r.Summary[i] = math.NaN()
			}
		}
		return r
	})}); err != nil {
		t.Fatal(err)
	}
	d, err := results.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	if column(d, "tpot_mean_ms_mean") != "3 3" || column(d, "tpot_mean_ms_n") != "2 2" || column(d, "objective_rank") != "1 1" || column(d, "tpot_mean_ms_delta_ratio") != "<nil> 0" {
		t.Errorf("mean %s, n %s, rank %s, change %s", column(d, "tpot_mean_ms_mean"), column(d, "tpot_mean_ms_n"), column(d, "objective_rank"), column(d, "tpot_mean_ms_delta_ratio"))
	}
	for i := range d.Points.Len() {
		for k, cell := range d.Points.Row(i) {
			if x, ok := cell.(float64); ok && (math.IsNaN(x) || math.IsInf(x, 0)) {
				t.Errorf("point %d, %s is %g", i, d.Points.Columns[k].Name, x)
			}
		}
	}
}

// One at a time takes names and switches as it takes numbers: an effect each, and
// no change in percent where there is none.
func TestOneAtATimeOfNames(t *testing.T) {
	_, d := finished(t, reference+"[oat]\n\"model.kv_dtype\" = [\"fp16\"]\n\"engine.chunked_prefill\" = [false]\n\"hardware.name\" = [\"h100-sxm\"]\n\"engine.max_num_seqs\" = [8]\n[replicates]\nn = 2\n", 2)
	effects, err := d.Effects()
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for i := range effects.Len() {
		if m, _ := effects.String(effects.Index("metric"), i); m != "tpot_mean_ms" {
			continue
		}
		if method, _ := effects.String(effects.Index("method"), i); method != "oat" {
			continue
		}
		path, _ := effects.String(effects.Index("parameter"), i)
		level, _ := effects.String(effects.Index("level"), i)
		_, number := effects.Float(effects.Index("change_ratio"), i)
		_, known := effects.Float(effects.Index("effect"), i)
		if !known {
			t.Errorf("%s %s has no effect", path, level)
		}
		got = append(got, path+" "+level+" "+strconv.FormatBool(number))
	}
	want := []string{"model.kv_dtype fp16 false", "engine.chunked_prefill false false", "hardware.name h100-sxm false", "engine.max_num_seqs 8 true"}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// An axis that changes nothing is named, and one that changes anything is not.
func TestAxisWithoutEffect(t *testing.T) {
	_, d := finished(t, reference+"[axes]\n\"engine.bucket_tokens\" = [64, 128]\n\"engine.max_num_seqs\" = [1, 16]\n", 2)
	if !slices.Equal(d.Manifest.Inert, []string{"engine.bucket_tokens"}) {
		t.Errorf("without effect: %q", d.Manifest.Inert)
	}
}
