package sweep

import (
	"runtime"
	"testing"

	"scoville/core/table"
	"scoville/sweep/results"
)

// The shipped grid has the points its head line says.
func TestGridStudy(t *testing.T) {
	p, err := Load("../studies/grid.toml", nil)
	if err != nil {
		t.Fatal(err)
	}
	if p.Len() != 2160 || p.Merged != 0 {
		t.Errorf("%d points, %d merged", p.Len(), p.Merged)
	}
	if n, _, why := p.Infeasible(); n > 0 {
		t.Errorf("%d infeasible: %s", n, why)
	}
}

// The shipped sensitivity study shows what studies/README.md says of it:
// weights bind at short context, the state path at long.
func TestSensitivityStudy(t *testing.T) {
	dir := t.TempDir()
	if _, err := Run(t.Context(), Options{File: "../studies/sensitivity.toml", Dir: dir, Jobs: 2}); err != nil {
		t.Fatal(err)
	}
	d, err := results.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	for i := range d.Points.Len() {
		if steady, ok := d.Points.Bool(d.Points.Index("steady"), i); !steady || !ok {
			t.Errorf("point %d is not steady", i)
		}
	}
	between := func(f *table.Frame, column string, row int, lo, hi float64) {
		t.Helper()
		if v, ok := f.Float(f.Index(column), row); !ok || v < lo || v > hi {
			t.Errorf("%s of row %d is %g, want %g to %g", column, row, v, lo, hi)
		}
	}
	const short, long, replicates = 0, 4, 10 // baselines; their changes follow: weight, state, on-chip
	for i, want := range map[int]string{short: "weight_memory", long: "kv_memory"} {
		if bound, _ := d.Points.String(d.Points.Index("bound"), i); bound != want {
			t.Errorf("baseline %d is bound by %s, want %s", i, bound, want)
		}
	}
	runs, err := d.Runs()
	if err != nil {
		t.Fatal(err)
	}
	between(runs, "running_mean_seqs", short*replicates, 0, 5)
	between(runs, "resident_mean_tok", short*replicates, 0, 8500)
	between(d.Points, "tpot_mean_ms_delta_ratio", short+1, 0.18, 0.21)
	between(d.Points, "tpot_mean_ms_delta_ratio", short+2, -1e-3, 1e-3)
	between(d.Points, "tpot_mean_ms_delta_ratio", short+3, -1e-3, 1e-3)
	between(d.Points, "tpot_mean_ms_delta_ratio", long+1, 0, 0.1)
	between(d.Points, "tpot_mean_ms_delta_ratio", long+2, 0.25, 0.5)
	between(d.Points, "tpot_mean_ms_delta_ratio", long+3, 0, 0.01)
}

// BenchmarkGrid runs the points of the shipped grid with a tenth of the
// requests on all cores, files included.
func BenchmarkGrid(b *testing.B) {
	runs := 0
	for b.Loop() {
		out, err := Run(b.Context(), Options{File: "../studies/grid.toml", Set: []string{"workload.requests=100"}, Dir: b.TempDir(), Jobs: runtime.GOMAXPROCS(0)})
		if err != nil {
			b.Fatal(err)
		}
		runs += out.Plan.Runs()
	}
	b.ReportMetric(float64(runs)/b.Elapsed().Seconds(), "runs/s")
}
