package report

import (
	"bytes"
	"testing"

	"scoville/core/table"
	"scoville/sweep/results"
)

// A report of many points stays short: it names what it leaves out.
func TestManyPoints(t *testing.T) {
	meta := results.Meta{Axes: []results.Axis{{Path: "a.x", Kind: table.Int64, Outer: true}, {Path: "a.y", Kind: table.Int64, Outer: true}, {Path: "a.z", Kind: table.Int64, Outer: true}}}
	meta.Report = results.ReportSpec{Keep: "tpot_gain_ratio > -9", Baseline: "z == 0"}
	var runs []results.Run
	for i := range 20_000 {
		r := run(i, 0, float64(i%977), float64(i%13))
		r.Axes = []any{int64(i / 400), int64(i / 20 % 20), int64(i % 20)}
		if i%20 == 19 {
			*r.Steady, r.OfferedRPS, r.LoadRatio = false, 8, 2+float64(i)/1e4
		}
		runs = append(runs, r)
	}
	r := dataset(t, meta, runs)
	var text bytes.Buffer
	if err := r.Text(&text, 0); err != nil {
		t.Fatal(err)
	}
	if lines := bytes.Count(text.Bytes(), []byte("\n")); lines > 60 {
		t.Errorf("%d lines on the terminal:\n%s", lines, text.Bytes())
	}
	if md := r.markdown(); len(md) > 20_000 {
		t.Errorf("report.md has %d bytes", len(md))
	}
	for _, want := range []string{"best 10 of 19,000 steady points, by tpot_mean_ms; 20 tie for the best, ranked by ttft_mean_ms\n", "19,990 points not shown", "SATURATED: 1,000 points of 20,000", "x has 50 values"} {
		if !bytes.Contains(text.Bytes(), []byte(want)) {
			t.Errorf("no %q in\n%s", want, text.Bytes())
		}
	}
}
