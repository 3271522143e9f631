// Package sample makes small results for the tests of report and its rooms: the
// points that a test thinks up, written and opened as those of a sweep are.
package sample

import (
	"fmt"
	"math"
	"testing"

	"scoville/core/table"
	"scoville/report/view"
	"scoville/sweep/results"
)

// Point is a made-up point: a run for each value of TPOT, in ms; TTFT is ten
// times, tokens per second are 1000 over TPOT.
type Point struct {
	Axes   []any
	TPOT   []float64
	State  view.State // None is infeasible
	Bound  string
	Reason string // why infeasible

	Baseline    bool
	Path, Level string // changed one at a time; "" = nothing
	Change      float64
	Forecast    *results.Forecast
}

// Metrics are those of the runs, in their order.
var Metrics = []table.Column{
	{Name: "tpot_mean_ms", Unit: "ms", Better: "lower"},
	{Name: "ttft_mean_ms", Unit: "ms", Better: "lower"},
	{Name: "output_tok_s", Unit: "tok/s", Better: "higher"},
	{Name: "running_mean_seqs"},
}

// Write writes runs into a folder as those of a whole sweep, and returns it.
func Write(t testing.TB, meta results.Meta, runs []results.Run) string {
	t.Helper()
	dir := t.TempDir()
	meta.Planned = len(runs)
	set, err := results.Create(dir, meta)
	if err != nil {
		t.Fatal(err)
	}
	if err := set.Write(results.Each(runs)); err != nil {
		t.Fatal(err)
	}
	if err := set.Close(); err != nil {
		t.Fatal(err)
	}
	return dir
}

// Open writes points into a folder and opens them, of their metrics all but the
// last.
func Open(t testing.TB, meta results.Meta, points ...Point) *view.View {
	t.Helper()
	meta.Study, meta.StudyTOML, meta.SimVersion, meta.Metrics = "demo", []byte("schema = 1\n"), 1, Metrics
	meta.Selected = []string{"tpot_mean_ms", "ttft_mean_ms", "output_tok_s"}
	var runs []results.Run
	for i, p := range points {
		for replicate, x := range p.TPOT {
			runs = append(runs, p.run(i, replicate, x))
		}
	}
	dir := Write(t, meta, runs)
	v, err := view.Open(dir, func(selected []string) []string { return selected }, []string{"running_mean_seqs"})
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func (p *Point) run(index, replicate int, x float64) results.Run {
	r := results.Run{
		PointID: fmt.Sprintf("p%d", index), PointIndex: index, Replicate: replicate, Status: results.OK, Axes: p.Axes, Baseline: p.Baseline, OATPath: p.Path, OATLevel: p.Level, OATChange: math.NaN(),
		Metrics: []float64{x, 10 * x, 1000 / x, float64(replicate + 1)}, OfferedRPS: math.NaN(), CapacityRPS: 4, LoadRatio: math.NaN(), Bound: p.Bound,
	}
	if replicate == 0 {
		r.Forecast = p.Forecast
	}
	if p.Change != 0 {
		r.OATChange = p.Change
	}
	steady := p.State == view.Steady
	switch p.State {
	case view.None:
		r.Status, r.Error, r.Metrics = results.Infeasible, p.Reason, nil
	case view.Steady, view.Saturated:
		r.Steady, r.OfferedRPS = &steady, 2
		if !steady {
			r.OfferedRPS = 8
		}
		r.LoadRatio = r.OfferedRPS / r.CapacityRPS
	case view.Unjudged:
		r.OfferedRPS, r.LoadRatio = 2, 0.5
	}
	return r
}
