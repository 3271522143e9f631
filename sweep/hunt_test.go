package sweep

import (
	"bytes"
	"errors"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"scoville/core"
	"scoville/core/metrics"
	"scoville/core/scenario"
	"scoville/core/table"
	"scoville/sweep/results"
)

const rateSearch = `
[slo]
ttft_mean_ms = { max = 100 }
[search]
over = "workload.rate_rps"
goal = "max"
from = 0.5
to = 64
`

// searched runs a study and reads its table of searches.
func searched(t *testing.T, text string, f func(*scenario.Scenario, core.Options) core.Result) (*Outcome, *table.Frame) {
	t.Helper()
	o := Options{File: write(t, text), Dir: t.TempDir(), Jobs: 2}
	if f != nil {
		o.newSimulate = fake(f)
	}
	out, err := Run(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	d, err := results.Open(o.Dir)
	if err != nil {
		t.Fatal(err)
	}
	frame, err := d.Searches()
	if err != nil || frame == nil || frame.Len() != len(out.Searches) {
		t.Fatalf("searches %v, %v", frame, err)
	}
	if failed := d.Manifest.Counts[results.Failed]; d.Manifest.Complete() != (failed == 0) {
		t.Errorf("complete %t with %d of %d runs failed", d.Manifest.Complete(), failed, d.Manifest.Planned)
	}
	return out, frame
}

// The capacity of a server with Poisson arrivals and one service time is where
// Pollaczek and Khinchine put it: a mean TTFT of prefill + rate S^2 / 2(1 - rate S).
func TestSearchFindsQueueFormula(t *testing.T) {
	if testing.Short() {
		t.Skip("says nothing of concurrency that shorter tests do not")
	}
	text := strings.NewReplacer("rate_rps = 2.0\n", "", `{ dist = "lognormal", mean = 64, cv = 0.8 }`, "64",
		"max_num_seqs = 16", "max_num_seqs = 1", "requests = 300", "requests = 4000").Replace(reference) + rateSearch + "[replicates]\nn = 6\n"
	alone := strings.Replace(text, "requests = 4000", "requests = 2\narrival = \"closed\"\nconcurrency = 1", 1)
	alone = alone[:strings.Index(alone, "[slo]")]
	dir := t.TempDir()
	if _, err := Run(t.Context(), Options{File: write(t, alone), Dir: dir, Jobs: 1}); err != nil {
		t.Fatal(err)
	}
	d, err := results.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	value := func(metric string) float64 {
		v, _ := d.Points.Float(d.Points.Index(metric+"_mean"), 0)
		return v / 1000
	}
	first, service := value("ttft_mean_ms"), value("e2e_mean_ms")
	wait := 0.1 - first
	want := 2 * wait / (service*service + 2*wait*service)

	out, _ := searched(t, text, nil)
	s := out.Searches[0]
	lo, hi := s.Interval()
	t.Logf("service %.4g s: capacity %.4g in [%g, %g], %d probes, %d runs", service, want, lo, hi, s.Probes, s.Runs)
	if s.Outcome != "found" || !(lo <= want && want <= hi) || hi > 1.2*lo || s.Binding != "ttft_mean_ms" || !s.Confirmed {
		t.Errorf("want %g: %+v", want, s)
	}
}

// Tables do not depend on the number of workers, every run says its search and
// probe, and a probe is a point.
func TestSearchWorkersDoNotMatter(t *testing.T) {
	file := write(t, reference+rateSearch+`
[axes]
"engine.max_num_seqs" = [2, 8]
[oat]
"hardware.weight_bandwidth_gb_s" = ["-20%"]
[replicates]
n = 3
`)
	dirs := map[int]string{1: t.TempDir(), 3: t.TempDir()}
	for jobs, dir := range dirs {
		if _, err := Run(t.Context(), Options{File: file, Dir: dir, Jobs: jobs}); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{results.RunsFile, results.PointsFile, results.EffectsFile, results.SearchesFile} {
		a, errA := os.ReadFile(filepath.Join(dirs[1], name))
		b, errB := os.ReadFile(filepath.Join(dirs[3], name))
		if err := errors.Join(errA, errB); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(a, b) {
			t.Errorf("%s differs between 1 and 3 workers", name)
		}
	}
	d, err := results.Open(dirs[1])
	if err != nil {
		t.Fatal(err)
	}
	runs, err1 := d.Runs()
	found, err2 := d.Searches()
	if err := errors.Join(err1, err2); err != nil {
		t.Fatal(err)
	}
	if found.Len() != 4 {
		t.Fatalf("%d searches", found.Len())
	}
	probes := map[string]int64{}
	for i := range runs.Len() {
		id, ok := runs.String(runs.Index("search_id"), i)
		probe, ok2 := runs.Int(runs.Index("probe"), i)
		if !ok || !ok2 {
			t.Fatalf("run %d has no search or probe", i)
		}
		probes[id] = max(probes[id], probe+1)
	}
	points := int64(0)
	for i := range found.Len() {
		id, _ := found.String(found.Index("search_id"), i)
		n, _ := found.Int(found.Index("probes"), i)
		if points += n; probes[id] != n {
			t.Errorf("search %d has %d probes, its runs %d", i, n, probes[id])
		}
		delta, known := found.Float(found.Index("delta_ratio"), i)
		if baseline := i%2 == 0; known == baseline || !baseline && !(delta < -0.02 && delta > -0.25) {
			t.Errorf("search %d: effect %g %t of a weight path 20 %% slower", i, delta, known)
		}
	}
	if int(points) != d.Points.Len() {
		t.Errorf("%d points, %d probes", d.Points.Len(), points)
	}
}

// What a response is decides the outcome; a value is there only if found.
func TestSearchOutcomes(t *testing.T) {
	if testing.Short() {
		t.Skip("says nothing of concurrency that shorter tests do not")
	}
	at := func(f func(rate float64) core.Result) func(*scenario.Scenario, core.Options) core.Result {
		return func(sc *scenario.Scenario, _ core.Options) core.Result { return f(sc.Workload.RateRPS) }
	}
	without := func() core.Result { // no TTFT
		r := fine(1)
		i, _ := metrics.Index("ttft_mean_ms")
		r.Summary[i] = math.NaN()
		return r
	}
	saturated := func() core.Result {
		r := fine(1)
		r.Steady = metrics.No
		return r
	}
	for name, c := range map[string]struct {
		f                func(rate float64) core.Result
		outcome, binding string
		feasible         bool
	}{
		"monotone":   {func(rate float64) core.Result { return fine(rate * 10) }, "found", "ttft_mean_ms", true},
		"none":       {func(float64) core.Result { return fine(200) }, "none_feasible", "ttft_mean_ms", false},
		"all":        {func(float64) core.Result { return fine(1) }, "all_feasible", "", true},
		"hump":       {func(rate float64) core.Result { return fine(10 * math.Abs(rate-20)) }, "non_monotone", "ttft_mean_ms", false},
		"null":       {func(float64) core.Result { return without() }, "error", "", false},
		"saturated":  {func(float64) core.Result { return saturated() }, "none_feasible", "steady", false},
		"infeasible": {func(float64) core.Result { return core.Result{Status: core.Infeasible, Reason: "memory"} }, "none_feasible", "feasible", false},
		"full": {func(rate float64) core.Result {
			if rate > 9 {
				return core.Result{Status: core.Infeasible, Reason: "memory"}
			}
			return fine(1)
		}, "found", "feasible", true},
		"fault": {func(rate float64) core.Result {
			if rate > 9 {
				panic("index out of range")
			}
			return fine(1)
		}, "error", "", false},
	} {
		out, f := searched(t, reference+rateSearch, at(c.f))
		s := out.Searches[0]
		value, known := f.Float(f.Index("value"), 0)
		if s.Outcome != c.outcome || s.Binding != c.binding || known != (c.outcome == "found") || out.Feasible() != c.feasible {
			t.Errorf("%s: %+v", name, s)
		}
		if name == "monotone" && !(value > 9.8 && value <= 10) {
			t.Errorf("found %g, want 10", value)
		}
		if !known && s.Outcome != "all_feasible" && s.Reason == "" {
			t.Errorf("%s: no reason", name)
		}
	}
}

// Without require_steady a growing queue does not fail, and a smallest value is
// found from above.
func TestSearchMin(t *testing.T) {
	text := reference + `
[slo]
output_tok_s = { min = 40 }
[search]
over = "hardware.state_bandwidth_gb_s"
goal = "min"
from = 100
to = 20_000
tol = "1%"
require_steady = false
`
	out, f := searched(t, text, func(sc *scenario.Scenario, _ core.Options) core.Result {
		r := fine(sc.Hardware.StateBandwidthGBs / 100)
		r.Steady = metrics.No
		return r
	})
	s := out.Searches[0]
	lo, _ := f.Float(f.Index("value_lo"), 0)
	hi, _ := f.Float(f.Index("value_hi"), 0)
	if s.Outcome != "found" || s.Value < 4000 || s.Value > 4040 || hi != s.Value || lo != s.FirstFail || lo >= 4000 || lo < 3960 {
		t.Errorf("%+v, %g .. %g", s, lo, hi)
	}
}

// A folder keeps no table of searches of an earlier making.
func TestSearchTableGoes(t *testing.T) {
	dir := t.TempDir()
	one := func(*scenario.Scenario, core.Options) core.Result { return fine(1) }
	for _, text := range []string{reference + rateSearch, reference} {
		if _, err := Run(t.Context(), Options{File: write(t, text), Dir: dir, Jobs: 1, newSimulate: fake(one)}); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := os.Stat(filepath.Join(dir, results.SearchesFile)); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the table of searches is left: %v", err)
	}
	d, err := results.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	if f, err := d.Searches(); f != nil || err != nil || slices.Contains(d.Manifest.Tables, results.SearchesFile) {
		t.Errorf("%v, %v", f, err)
	}
}

func TestWrongSearchesOfPlans(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{reference + strings.Replace(rateSearch, "[slo]\nttft_mean_ms = { max = 100 }\n", "", 1), "there is no service level to meet"},
		{reference + rateSearch + "[replicates]\nn = 1", "one run has no interval"},
		{strings.Replace(reference, "rate_rps = 2.0", "load = 0.5", 1) + rateSearch, "rate_rps"},
		{reference + rateSearch + "[[where]]\ndrop = 'rate_rps > 3'", "is what the study searches over"},
		{reference + rateSearch + "[run]\nmax_runs = 100", "runs of a search at most"},
	} {
		_, err := Load(write(t, c.text), nil)
		if _, ok := errors.AsType[*InputError](err); !ok || !strings.Contains(err.Error(), c.want) {
			t.Errorf("got %v\nwant %s", err, c.want)
		}
	}
}
