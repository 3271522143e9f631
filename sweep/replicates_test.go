package sweep

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"scoville/core"
	"scoville/core/scenario"
	"scoville/sweep/budget"
	"scoville/sweep/results"
)

// finished runs a study text and opens its results.
func finished(t *testing.T, text string, jobs int) (*Outcome, *results.Dataset) {
	t.Helper()
	out, err := Run(t.Context(), Options{File: write(t, text), Dir: t.TempDir(), Jobs: jobs})
	if err != nil {
		t.Fatal(err)
	}
	d, err := results.Open(out.Dir)
	if err != nil {
		t.Fatal(err)
	}
	return out, d
}

// column prints a column of points.
func column(d *results.Dataset, name string) string {
	var out []string
	for i := range d.Points.Len() {
		out = append(out, fmt.Sprint(d.Points.Row(i)[d.Points.Index(name)]))
	}
	return strings.Join(out, " ")
}

const (
	untilDesign = `
[axes]
"hardware.overlap" = [0, 1]
[oat]
"workload.rate_rps" = [4, 40]
[replicates]
n = 3
seed = 0
until = { metric = ["tpot_mean_ms", "ttft_p99_ms"], rel_ci = "7%", max = 20 }
`
	raceDesign = `
[axes]
"hardware.weight_bandwidth_gb_s" = [3000, 5000, 6000]
"engine.max_num_seqs" = [2, 4, 16]
[[objective]]
metric = "tpot_mean_ms"
[replicates]
n = 20
`
)

// What is run is decided point by point, or round by round: the tables are the
// same to the byte whatever the number of workers.
func TestDecisionsDoNotDependOnWorkers(t *testing.T) {
	for name, design := range map[string]string{"until": untilDesign, "race": raceDesign + "[run]\nrace = true\n"} {
		one, d := finished(t, reference+design, 1)
		three, _ := finished(t, reference+design, 3)
		for _, file := range []string{results.RunsFile, results.PointsFile, results.EffectsFile} {
			a, errA := os.ReadFile(filepath.Join(one.Dir, file))
			b, errB := os.ReadFile(filepath.Join(three.Dir, file))
			if err := errors.Join(errA, errB); err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(a, b) {
				t.Errorf("%s: %s differs between 1 and 3 workers", name, file)
			}
		}
		m := d.Manifest
		if !m.Complete() || m.Most != one.Plan.Runs() || m.Planned >= m.Most || m.Counts["ok"] != m.Planned {
			t.Errorf("%s: planned %d of %d, counts %v", name, m.Planned, m.Most, m.Counts)
		}
	}
}

// The saturated point of the sweep (40 requests/s) stops at once, others when they
// are known or have the most; pairs are the replicates that both have.
func TestUntilInTables(t *testing.T) {
	out, d := finished(t, reference+untilDesign, 2)
	runs, reached := strings.Fields(column(d, "runs")), strings.Fields(column(d, "until_reached"))
	if column(d, "steady") != "true true false true true false" || runs[2] != "3" || reached[2] != "<nil>" {
		t.Errorf("steady %s, runs %v, reached %v", column(d, "steady"), runs, reached)
	}
	effects, err := d.Effects()
	if err != nil {
		t.Fatal(err)
	}
	for i := range d.Points.Len() {
		n := strings.TrimSpace(runs[i])
		if reached[i] == "false" && n != "20" || reached[i] == "true" && n == "20" && i == 2 {
			t.Errorf("point %d: %s runs, reached %s", i, n, reached[i])
		}
		mean, _ := d.Points.Float(d.Points.Index("ttft_p99_ms_mean"), i)
		hi, _ := d.Points.Float(d.Points.Index("ttft_p99_ms_ci_hi"), i)
		if narrow := hi-mean <= 0.07*mean; reached[i] != "<nil>" && narrow != (reached[i] == "true") {
			t.Errorf("point %d: TTFT P99 %g to %g, reached %s", i, mean, hi, reached[i])
		}
	}
	for i := range effects.Len() {
		level, _ := effects.String(effects.Index("level"), i)
		n, _ := effects.Int(effects.Index("n"), i)
		if level == "40" && n > 3 {
			t.Fatalf("%d pairs with a point of 3 runs", n)
		}
	}
	for _, point := range []string{"0", "2"} {
		x, err := Show(context.Background(), ShowOptions{Dir: out.Dir, Point: point, Jobs: 1, Quick: true})
		if err != nil || x.Reproduced == "" || fmt.Sprint(x.Runs) != runs[x.Index] {
			t.Errorf("point %s: %v, %+v", point, err, x)
		}
	}
}

// A race with the simulator finds the winner that running everything finds, for
// several seeds, in a part of the runs. Points it dropped are in the tables and
// not compared.
func TestRaceFindsTheWinner(t *testing.T) {
	if testing.Short() {
		t.Skip("says nothing of concurrency that shorter tests do not")
	}
	two := strings.Replace(raceDesign, "[replicates]", "[[objective]]\nmetric = \"output_tok_s\"\n[replicates]", 1)
	closed := strings.NewReplacer("requests = 300", "requests = 150", "rate_rps = 2.0", "arrival = \"closed\"\nconcurrency = 8").Replace(reference)
	for name, c := range map[string]struct {
		design string
		saved  float64 // at least
	}{"one objective": {raceDesign, 0.5}, "two": {two, 0.2}} {
		var saved []string
		for seed := range 3 {
			text := fmt.Sprintf("%s%sseed = %d\n", closed, c.design, seed)
			_, all := finished(t, text, 2)
			out, raced := finished(t, text+"[run]\nrace = true\n", 2)
			if column(all, "pareto") != column(raced, "pareto") {
				t.Errorf("%s, seed %d: front %s, of all runs %s", name, seed, column(raced, "pareto"), column(all, "pareto"))
			}
			part := 1 - float64(out.Counts["ok"])/float64(all.Manifest.Planned)
			if saved = append(saved, fmt.Sprintf("%.0f %%", 100*part)); part < c.saved {
				t.Errorf("%s, seed %d: %.0f %% saved", name, seed, 100*part)
			}
			dropped := strings.Fields(column(raced, "pruned_at"))
			for i, on := range strings.Fields(column(raced, "pareto")) {
				if runs := strings.Fields(column(raced, "runs"))[i]; dropped[i] != "<nil>" && (on == "true" || runs != dropped[i]) || dropped[i] == "<nil>" && runs != "20" {
					t.Errorf("%s, seed %d, point %d: dropped %s, %s runs, front %s", name, seed, i, dropped[i], runs, on)
				}
			}
		}
		t.Logf("%s: saved %s", name, strings.Join(saved, ", "))
	}
}

// Without common random numbers every point has a seed of its own, which follows
// from the study's seed (0 is one like others) and from the point, not from its
// place in a plan; effects are as large and their intervals wider.
func TestIndependentStreams(t *testing.T) {
	if testing.Short() {
		t.Skip("says nothing of concurrency that shorter tests do not")
	}
	const design = "[oat]\n\"hardware.weight_bandwidth_gb_s\" = [\"-20%\"]\n\"engine.max_num_seqs\" = [15]\n[replicates]\nn = 5\nseed = 0\n"
	_, paired := finished(t, reference+design, 2)
	out, free := finished(t, reference+design+"crn = false\n", 2)
	seeds := func(d *results.Dataset) (out []string) {
		runs, err := d.Runs()
		if err != nil {
			t.Fatal(err)
		}
		for i := range runs.Len() {
			if s, _ := runs.String(runs.Index("seed_hex"), i); !slices.Contains(out, s) {
				out = append(out, s)
			}
		}
		return out
	}
	if s := seeds(paired); !slices.Equal(s, []string{"0000000000000000"}) {
		t.Errorf("seeds %q", s)
	}
	mine := seeds(free)
	if len(mine) != 3 || slices.Contains(mine, "0000000000000000") {
		t.Errorf("seeds %q", mine)
	}
	_, alone := finished(t, strings.Replace(reference, "max_num_seqs = 16", "max_num_seqs = 15", 1)+"[replicates]\nn = 5\nseed = 0\ncrn = false\n", 1)
	if s := seeds(alone); !slices.Equal(s, mine[2:]) {
		t.Errorf("the point alone has seed %q, in a sweep %q", s, mine[2])
	}
	_, other := finished(t, reference+strings.Replace(design, "seed = 0", "seed = 1", 1)+"crn = false\n", 2)
	for _, s := range seeds(other) {
		if slices.Contains(mine, s) {
			t.Errorf("seed %s with the study's seeds 0 and 1", s)
		}
	}
	width := func(d *results.Dataset) float64 {
		lo, _ := d.Points.Float(d.Points.Index("tpot_mean_ms_delta_ci_lo"), 1)
		hi, _ := d.Points.Float(d.Points.Index("tpot_mean_ms_delta_ci_hi"), 1)
		return hi - lo
	}
	if a, b := width(paired), width(free); !(b > 3*a) {
		t.Errorf("intervals: %g paired, %g unpaired", a, b)
	}
	if len(paired.Manifest.Inert) != 1 || len(free.Manifest.Inert) != 0 || !free.Manifest.Independent {
		t.Errorf("without effect: %q on common requests, %q on others", paired.Manifest.Inert, free.Manifest.Inert)
	}
	x, err := Show(context.Background(), ShowOptions{Dir: out.Dir, Point: "2", Jobs: 1, Quick: true})
	if err != nil || x.Reproduced == "" {
		t.Errorf("%v, %+v", err, x)
	}
}

// A run over its limit is a timeout: a row without numbers that is no success.
func TestTimeoutsAreRows(t *testing.T) {
	const design = "[axes]\n\"workload.requests\" = [100, 3000]\n[replicates]\nn = 2\n[run]\nmax_sim_s = 300\n"
	out, d := finished(t, reference+design, 2)
	if out.Counts["ok"] != 2 || out.Counts["timeout"] != 2 || column(d, "status") != "ok timeout" || column(d, "tpot_mean_ms_n") != "2 0" {
		t.Errorf("counts %v, %s, %s", out.Counts, column(d, "status"), column(d, "tpot_mean_ms_n"))
	}
	if reason := column(d, "error"); reason != "<nil> not over after 300 s of simulated time" {
		t.Error(reason)
	}
	_, d = finished(t, reference+"[run]\nmax_events = 10\n", 1)
	if column(d, "status") != "timeout" {
		t.Error(column(d, "status"))
	}
}

// More failures than max_failures stop the sweep, whatever the order of the runs;
// what cannot run is no failure.
func TestMaxFailures(t *testing.T) {
	text := reference + "[axes]\n\"engine.max_num_seqs\" = { from = 1, to = 40, step = 1 }\n[run]\nmax_failures = "
	sim := fake(func(sc *scenario.Scenario, _ core.Options) core.Result {
		switch n := sc.Engine.MaxNumSeqs; {
		case n > 20:
			return core.Result{Status: core.Infeasible, Reason: "too big"}
		case n > 18:
			panic("index out of range")
		case n == 18:
			return core.Result{Status: core.Timeout, Reason: "too long"}
		}
		return fine(1)
	})
	for limit, stops := range map[string]bool{"2": true, "3": false, `"5%"`: true, `"7.5%"`: false} {
		for jobs := 1; jobs < 4; jobs++ {
			out, err := Run(t.Context(), Options{File: write(t, text+limit), Dir: t.TempDir(), Jobs: jobs, newSimulate: sim})
			if e, ok := errors.AsType[*budget.StoppedError](err); ok != stops || stops && (e.Failed != 3 || len(e.Causes) != 2) {
				t.Errorf("max_failures = %s, %d workers: %v", limit, jobs, err)
			}
			if !stops && (out.Counts["failed"] != 2 || out.Counts["timeout"] != 1) {
				t.Errorf("counts %v", out.Counts)
			}
		}
	}
}
