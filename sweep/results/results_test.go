package results

import (
	"bytes"
	"errors"
	"fmt"
	"iter"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"scoville/core/table"
	"scoville/sweep/results/fate"
)

const study = "schema = 1\nname = \"oat\"\n"

// testMeta is a one-at-a-time study at two loads, with two metrics.
func testMeta() Meta {
	return Meta{
		Study: "oat", StudyTOML: []byte(study), SimVersion: 3, Seed: 1<<63 + 1, Workers: 2, Planned: 12,
		Inputs: map[string]string{"lengths.csv": "ab12"}, Set: []string{"engine.tp=2"},
		Axes: []Axis{
			{Path: "workload.rate_rps", Kind: table.Float64, Unit: "req/s", Outer: true},
			{Path: "hardware.weight_bandwidth_gb_s", Kind: table.Float64, Unit: "GB/s"},
		},
		Metrics: []table.Column{
			{Name: "ttft_p99_ms", Unit: "ms", Better: "lower", Definition: "99th percentile of TTFT"},
			{Name: "output_tok_s", Unit: "tok/s", Better: "higher"},
		},
	}
}

// testRuns are 2 loads x (baseline, -20 %) x 3 replicates: TTFT grows by 25 %
// with the bandwidth cut, throughput stays.
func testRuns() []Run {
	yes := true
	var runs []Run
	for load := range 2 {
		for cut := range 2 {
			for rep := range 3 {
				r := Run{
					PointID: fmt.Sprintf("p%d%d", load, cut), PointIndex: 2*load + cut, Replicate: rep, Status: OK, Baseline: cut == 0,
					Axes:   []any{float64(load + 1), 4000.0},
					SLOOk:  &yes,
					Steady: &yes, OfferedRPS: float64(load + 1), CapacityRPS: 10, LoadRatio: float64(load+1) / 10,
					Bound: "weight_path", DecodeBound: "kv_path", WeakestSource: "assumed", Calibrated: true, SimS: 100, Events: 5, SeedHex: fmt.Sprintf("%016x", rep),
				}
				ttft := 100 * float64(load+1) * (1 + float64(rep)/10)
				if cut == 1 {
					r.OATPath, r.OATLevel, r.OATChange = "hardware.weight_bandwidth_gb_s", "-20%", -0.2
					r.Axes[1] = 3200.0
					ttft *= 1.25
				}
				r.Metrics = []float64{ttft, 50}
				runs = append(runs, r)
			}
		}
	}
	return runs
}

func create(t *testing.T, dir string, meta Meta) *Set {
	t.Helper()
	s, err := Create(dir, meta)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// write leaves a dataset in a new folder.
func write(t *testing.T, meta Meta, runs []Run) *Dataset {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "results", "oat")
	s := create(t, dir, meta)
	if err := errors.Join(s.Write(Each(runs)), s.Close()); err != nil {
		t.Fatal(err)
	}
	d, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// whole and effects read the tables that Open leaves.
func whole(t *testing.T, d *Dataset) *table.Frame {
	t.Helper()
	f, err := d.Runs()
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func effects(t *testing.T, d *Dataset) *table.Frame {
	t.Helper()
	f, err := d.Effects()
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// want checks cells of one row of a table by column name.
func want(t *testing.T, f *table.Frame, row int, cells map[string]any) {
	t.Helper()
	got := f.Row(row)
	for name, v := range cells {
		i := f.Index(name)
		if i < 0 {
			t.Errorf("no column %s", name)
			continue
		}
		x, isFloat := v.(float64)
		y, ok := got[i].(float64)
		if isFloat && ok && math.Abs(x-y) <= 1e-9*math.Abs(x) {
			continue
		}
		if !reflect.DeepEqual(got[i], v) {
			t.Errorf("row %d: %s is %v, want %v", row, name, got[i], v)
		}
	}
}

func TestDataset(t *testing.T) {
	d := write(t, testMeta(), testRuns())
	if whole(t, d).Len() != 12 || d.Points.Len() != 4 || effects(t, d).Len() != 4 {
		t.Fatalf("%d runs, %d points, %d effects", whole(t, d).Len(), d.Points.Len(), effects(t, d).Len())
	}
	want(t, whole(t, d), 4, map[string]any{
		"point_id": "p01", "point_index": int64(1), "replicate": int64(1), "status": "ok", "error": nil, "baseline": false,
		"oat_path": "hardware.weight_bandwidth_gb_s", "oat_level": "-20%", "oat_change_ratio": -0.2, "search_id": nil, "probe": nil,
		"rate_rps": 1.0, "weight_bandwidth_gb_s": 3200.0, "ttft_p99_ms": 137.5, "output_tok_s": 50.0,
		"slo_ok": true, "steady": true, "offered_rps": 1.0, "capacity_rps": 10.0, "load_ratio": 0.1, "bound": "weight_path", "decode_bound": "kv_path",
		"weakest_source": "assumed", "calibrated": true, "sim_s": 100.0, "events": int64(5), "sim_version": int64(3), "seed_hex": "0000000000000001",
	})
	want(t, whole(t, d), 0, map[string]any{"baseline": true, "oat_path": nil, "oat_level": nil, "oat_change_ratio": nil})

	// Baseline TTFT 100, 110, 120: mean 110, sd 10, t(2) = 4.302653, half-width 24.84138.
	// Differences 25, 27.5, 30: 25 % of each baseline, without scatter.
	const half = 24.841377
	want(t, d.Points, 0, map[string]any{
		"point_id": "p00", "status": "ok", "baseline": true, "runs": int64(3), "runs_ok": int64(3), "ttft_p99_ms_mean": 110.0,
		"ttft_p99_ms_n": int64(3), "ttft_p99_ms_delta_ratio": nil, "ttft_p99_ms_delta_ci_lo": nil, "output_tok_s_ci_hi": 50.0, "bound": "weight_path", "decode_bound": "kv_path",
	})
	near(t, "ci_lo", cellOf(d.Points, 0, "ttft_p99_ms_ci_lo"), 110-half, 1e-5)
	near(t, "ci_hi", cellOf(d.Points, 0, "ttft_p99_ms_ci_hi"), 110+half, 1e-5)
	want(t, d.Points, 1, map[string]any{"oat_level": "-20%", "ttft_p99_ms_delta_ratio": 0.25, "output_tok_s_delta_ratio": 0.0, "output_tok_s_delta_ci_lo": 0.0})
	near(t, "delta_ci_lo", cellOf(d.Points, 1, "ttft_p99_ms_delta_ci_lo"), 0.25, 1e-12)
	near(t, "delta_ci_hi", cellOf(d.Points, 3, "ttft_p99_ms_delta_ci_hi"), 0.25, 1e-12)
	want(t, effects(t, d), 2, map[string]any{
		"metric": "ttft_p99_ms", "parameter": "hardware.weight_bandwidth_gb_s", "level": "-20%", "change_ratio": -0.2,
		"method": "oat", "effect": 0.25, "unit": "ratio", "n": int64(3), "elasticity": -1.25, "rate_rps": 2.0,
	})
	if effects(t, d).Index("weight_bandwidth_gb_s") >= 0 {
		t.Error("effects has an axis that is not outer")
	}
	if a, m := d.Axes(), d.Metrics(); len(a) != 2 || a[1].Name != "weight_bandwidth_gb_s" || len(m) != 2 || m[1].Name != "output_tok_s" {
		t.Errorf("axes %v, metrics %v", a, m)
	}
}

func cellOf(f *table.Frame, row int, name string) float64 {
	v, _ := f.Float(f.Index(name), row)
	return v
}

func near(t *testing.T, what string, got, want, tol float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tol) {
		t.Errorf("%s is %.9g, want %.9g", what, got, want)
	}
}

func TestProvenance(t *testing.T) {
	d := write(t, testMeta(), testRuns())
	m := d.Manifest
	if m.Schema != Schema || m.Study != "oat" || m.SimVersion != 3 || m.Seed != 1<<63+1 || m.Workers != 2 || len(m.Hosts) != 1 ||
		m.Counts[OK] != 12 || !m.Complete() || m.Inputs["lengths.csv"] != "ab12" || m.Set[0] != "engine.tp=2" || m.Written.Before(m.Started) {
		t.Errorf("manifest %+v", m)
	}
	if d.Study != study {
		t.Errorf("study %q", d.Study)
	}
	if text, err := os.ReadFile(filepath.Join(d.Dir, StudyFile)); err != nil || string(text) != study {
		t.Errorf("study copy %q, %v", text, err)
	}
	for key, want := range map[string]string{
		"schema": "5", "study": "oat", "study_toml": study, "sim_version": "3", "seed": "9223372036854775809",
		"inputs": `{"lengths.csv":"ab12"}`, "set": `["engine.tp=2"]`, "counts": `{"ok":12}`, "planned_runs": "12", "digest": m.Digest,
	} {
		for _, f := range []*table.Frame{whole(t, d), d.Points, effects(t, d)} {
			if f.Meta[key] != want {
				t.Errorf("footer %s is %q, want %q", key, f.Meta[key], want)
			}
		}
	}
}

func TestTablesAreDeterministic(t *testing.T) {
	meta := testMeta()
	a := write(t, meta, testRuns())
	meta.Workers = 16
	b := write(t, meta, testRuns())
	for _, name := range []string{RunsFile, PointsFile, EffectsFile, StudyFile} {
		x, xerr := os.ReadFile(filepath.Join(a.Dir, name))
		y, yerr := os.ReadFile(filepath.Join(b.Dir, name))
		if xerr != nil || yerr != nil || !bytes.Equal(x, y) {
			t.Errorf("%s differs: %v %v", name, xerr, yerr)
		}
	}
}

func TestRunsThatAreNotOK(t *testing.T) {
	runs := testRuns()
	runs[1].Status, runs[1].Error = Failed, "stalled" // baseline at load 1, replicate 1
	runs[5].Metrics[0] = math.NaN()                   // cut at load 1, replicate 2
	for i := 6; i < 9; i++ {                          // baseline at load 2
		runs[i].Status, runs[i].Error, runs[i].Metrics, runs[i].CapacityRPS = Infeasible, "weights do not fit", nil, math.NaN()
	}
	d := write(t, testMeta(), runs)
	want(t, whole(t, d), 1, map[string]any{"status": "failed", "error": "stalled", "ttft_p99_ms": nil, "output_tok_s": nil, "steady": nil, "slo_ok": nil})
	want(t, d.Points, 0, map[string]any{"status": "failed", "error": "stalled", "runs": int64(3), "runs_ok": int64(2), "ttft_p99_ms_n": int64(2), "ttft_p99_ms_mean": 110.0})
	// Only replicate 0 has both values: 125 against 100.
	want(t, d.Points, 1, map[string]any{"ttft_p99_ms_delta_ratio": 0.25, "ttft_p99_ms_delta_ci_lo": nil, "output_tok_s_delta_ratio": 0.0})
	want(t, d.Points, 2, map[string]any{"status": "infeasible", "runs_ok": int64(0), "ttft_p99_ms_mean": nil, "ttft_p99_ms_n": int64(0), "steady": nil, "bound": nil, "decode_bound": nil, "capacity_rps": nil})
	want(t, d.Points, 3, map[string]any{"status": "ok", "ttft_p99_ms_n": int64(3), "ttft_p99_ms_delta_ratio": nil})
	want(t, effects(t, d), 0, map[string]any{"n": int64(1), "effect": 0.25, "ci_lo": nil})
	want(t, effects(t, d), 1, map[string]any{"n": int64(2), "effect": 0.0, "ci_lo": 0.0})
	want(t, effects(t, d), 3, map[string]any{"metric": "output_tok_s", "n": int64(0), "effect": nil, "ci_hi": nil})
	if c := d.Manifest.Counts; c[OK] != 8 || c[Failed] != 1 || c[Infeasible] != 3 {
		t.Errorf("counts %v", c)
	}
}

func TestZeroBaselineHasNoRatio(t *testing.T) {
	runs := testRuns()
	for i := range runs {
		runs[i].Metrics[1] = 0
	}
	d := write(t, testMeta(), runs)
	want(t, d.Points, 1, map[string]any{"output_tok_s_mean": 0.0, "output_tok_s_delta_ratio": nil, "output_tok_s_delta_ci_lo": nil})
}

func TestWithoutBaselineAndSelection(t *testing.T) {
	meta := testMeta()
	meta.Selected = []string{"output_tok_s"}
	runs := testRuns()
	for i := range runs {
		runs[i].Baseline, runs[i].OATPath, runs[i].OATChange = false, "", 7
		runs[i].Steady, runs[i].OfferedRPS = nil, math.NaN() // a closed loop
	}
	no := false
	runs[4].SLOOk = &no
	runs[4].Bound, runs[5].Bound = "compute", "compute"
	d := write(t, meta, runs)
	if effects(t, d).Len() != 0 || d.Points.Index("ttft_p99_ms_mean") >= 0 || whole(t, d).Index("ttft_p99_ms") < 0 {
		t.Errorf("%d effects, points columns %v", effects(t, d).Len(), d.Points.Columns)
	}
	want(t, d.Points, 0, map[string]any{"output_tok_s_mean": 50.0, "output_tok_s_delta_ratio": nil, "slo_ok": true, "steady": nil})
	want(t, d.Points, 1, map[string]any{"slo_ok": false, "bound": "compute", "oat_change_ratio": nil})
}

func TestOpenFor(t *testing.T) {
	dir := write(t, testMeta(), testRuns()).Dir
	d, err := OpenFor(dir, func(names []string) []string { return names[1:] })
	if err != nil {
		t.Fatal(err)
	}
	if m := d.Metrics(); len(m) != 1 || m[0].Name != "output_tok_s" || m[0].Better != "higher" || d.Points.Index("ttft_p99_ms_n") >= 0 || d.Points.Index("output_tok_s_n") >= 0 || len(d.Axes()) != 2 {
		t.Errorf("metrics %v, columns %v", m, d.Points.Columns)
	}
	d, err = OpenFor(dir, func(names []string) []string { return append(names[1:], "ttft_p99_ms_n") })
	if err != nil {
		t.Fatal(err)
	}
	if m := d.Metrics(); len(m) != 1 || d.Points.Index("ttft_p99_ms_n") < 0 {
		t.Errorf("a count that was named is not there: metrics %v, columns %v", m, d.Points.Columns)
	}
}

func TestWriteAgainWithMoreRuns(t *testing.T) {
	dir := t.TempDir()
	s := create(t, dir, testMeta())
	runs := testRuns()
	for _, n := range []int{0, 7, len(runs)} {
		if err := s.Write(Each(runs[:n])); err != nil {
			t.Fatal(err)
		}
		d, err := Open(dir)
		if err != nil || whole(t, d).Len() != n || d.Manifest.Complete() != (n == len(runs)) {
			t.Fatalf("after %d runs: %v, %+v", n, err, d)
		}
	}
}

func TestRefusedRuns(t *testing.T) {
	at := func(i int, change func(*Run)) iter.Seq2[Run, error] {
		runs := testRuns()
		change(&runs[i])
		return Each(runs)
	}
	for wantText, runs := range map[string]iter.Seq2[Run, error]{
		`point 1 replicate 1: no status "done"`:               at(4, func(r *Run) { r.Status = "done" }),
		"point 1 replicate 1: 1 axis values for 2 axes":       at(4, func(r *Run) { r.Axes = r.Axes[:1] }),
		"point 1 replicate 1: 3 metric values for 2":          at(4, func(r *Run) { r.Metrics = make([]float64, 3) }),
		"point 1 replicate 0: comes after point 1":            at(4, func(r *Run) { r.Replicate = 0 }),
		"point 0 replicate 1: comes after point 1":            at(4, func(r *Run) { r.PointIndex = 0 }),
		`column "rate_rps": cell is int, want float64`:        at(4, func(r *Run) { r.Axes[0] = 1 }),
		"point 1 is a second baseline beside 0":               at(3, func(r *Run) { r.Baseline = true }),
		"lost":                                                broken(testRuns()[:5]),
		"point 3 replicate 0: point 3 is a second baseline b": at(9, func(r *Run) { r.Baseline = true }),
	} {
		dir := t.TempDir()
		s := create(t, dir, testMeta())
		if err := s.Write(runs); err == nil || !strings.Contains(err.Error(), wantText) {
			t.Errorf("%v, want %q", err, wantText)
		}
		if m, _ := filepath.Glob(filepath.Join(dir, "*.parquet")); len(m) > 0 {
			t.Errorf("left %q", m)
		}
	}
}

// Runs that are not paired have the change of independent means: 137.5 over 110, of
// variances 12.5^2 / 3 = 52.083 and 1.25^2 10^2 / 3 = 52.083, which makes 4 degrees
// of freedom: 2.776445 x sqrt(104.167) / 110 = 0.257609 each way.
func TestIndependentRuns(t *testing.T) {
	meta := testMeta()
	meta.Independent = true
	d := write(t, meta, testRuns())
	want(t, d.Points, 1, map[string]any{"ttft_p99_ms_delta_ratio": 0.25})
	near(t, "delta_ci_lo", cellOf(d.Points, 1, "ttft_p99_ms_delta_ci_lo"), 0.25-0.257609, 1e-6)
	near(t, "delta_ci_hi", cellOf(d.Points, 1, "ttft_p99_ms_delta_ci_hi"), 0.25+0.257609, 1e-6)
	if !d.Manifest.Independent {
		t.Error("the manifest does not say so")
	}
}

// What decided on the replicates of a point is in its row, and one that a race
// dropped is not compared: it is on no front and has no rank.
func TestFate(t *testing.T) {
	meta := testMeta()
	meta.Objectives = []Objective{{Metric: "ttft_p99_ms", Goal: "min"}}
	runs := testRuns()
	no := false
	runs[0].Fate = &fate.Fate{Pruned: 3} // the best
	runs[3].Fate = &fate.Fate{Narrow: &no}
	d := write(t, meta, runs)
	want(t, d.Points, 0, map[string]any{"pruned_at": int64(3), "until_reached": nil, "pareto": false, "objective_rank": nil, "pareto_probability": nil, "ttft_p99_ms_mean": 110.0})
	want(t, d.Points, 1, map[string]any{"pruned_at": nil, "until_reached": false})
	want(t, d.Points, 2, map[string]any{"pruned_at": nil, "until_reached": nil})
}

// broken gives an error after the runs.
func broken(runs []Run) iter.Seq2[Run, error] {
	return func(yield func(Run, error) bool) {
		for r, err := range Each(runs) {
			if !yield(r, err) {
				return
			}
		}
		yield(Run{}, errors.New("lost"))
	}
}

// That a folder holds no results is said before what else is odd of it.
func TestOpenNoResults(t *testing.T) {
	dir := t.TempDir()
	if err := os.Symlink("/", filepath.Join(dir, "link")); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(dir); !errors.Is(err, os.ErrNotExist) || !strings.Contains(err.Error(), dir+" holds no results: manifest.json: ") {
		t.Errorf("%v", err)
	}
}
