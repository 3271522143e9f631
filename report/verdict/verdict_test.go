package verdict

import (
	"testing"

	"scoville/core/table"
	"scoville/report/sample"
	"scoville/report/view"
	"scoville/sweep/results"
)

// The words of a verdict by what the point is: every way not to have a steady
// value comes before any comparison.
func TestJudge(t *testing.T) {
	meta := results.Meta{Axes: []results.Axis{{Path: "engine.max_num_seqs", Kind: table.Int64, Group: "seqs", Outer: true}}}
	at := func(n int64, state view.State, tpot ...float64) sample.Point {
		return sample.Point{Axes: []any{n}, TPOT: tpot, State: state, Reason: "KV needs 9 GB"}
	}
	v := sample.Open(t, meta,
		at(1, view.Bounded, 10), at(2, view.Steady, 9.98), at(3, view.Saturated, 50),
		at(4, view.Unjudged, 10), at(5, view.None, 1), at(6, view.Bounded, 10, 12))
	const tpot = "tpot_mean_ms"
	for _, c := range []struct {
		what                string
		p                   results.Published
		verdict, val, ratio string
	}{
		{"equal", results.Published{At: "max_num_seqs == 1", Metric: tpot, Value: 10, Tolerance: 0}, "reproduced", "10.00", "1.00"},
		{"within", results.Published{At: "max_num_seqs == 1", Metric: tpot, Value: 11, Tolerance: 0.1}, "reproduced", "10.00", "0.91"},
		{"outside", results.Published{At: "max_num_seqs == 1", Metric: tpot, Value: 11, Tolerance: 0.09}, "differs, no reason given", "10.00", "0.91"},
		{"outside, explained", results.Published{At: "max_num_seqs == 1", Metric: tpot, Value: 20, Tolerance: 0.1, Because: "of the host"}, "differs because of the host", "10.00", "0.50"},
		{"impossible", results.Published{At: "max_num_seqs == 1", Metric: tpot, Value: 1, Tolerance: 0.1, Because: "x", Cannot: "above the peak"}, "cannot follow from the stated inputs: above the peak", "10.00", "10.00"},
		{"reproduced although impossible", results.Published{At: "max_num_seqs == 1", Metric: tpot, Value: 10, Cannot: "above the peak"}, "reproduced", "10.00", "1.00"},
		{"not judged", results.Published{At: "max_num_seqs == 4", Metric: tpot, Value: 10, Tolerance: 0.1}, "reproduced", "10.00 (not judged)", "1.00"},
		{"infeasible", results.Published{At: "max_num_seqs == 5", Metric: tpot, Value: 10, Tolerance: 0.1}, "cannot follow from the stated inputs: KV needs 9 GB", "infeasible", "-"},
		{"saturated", results.Published{At: "max_num_seqs == 3", Metric: tpot, Value: 50, Tolerance: 0.1}, "cannot follow from the stated inputs: offered 8.000/s is 2.00 x the capacity 4.000/s", "saturated", "-"},
		{"capacity of a saturated point", results.Published{At: "max_num_seqs == 3", Metric: "capacity_rps", Value: 4}, "reproduced", "4.000", "1.00"},
		{"no effect is not -8 %", results.Published{At: "max_num_seqs == 2", RatioTo: "max_num_seqs == 1", Metric: tpot, Value: 0.92, Tolerance: 0.1}, "differs, no reason given", "0.9980", "1.08"},
		{"no effect", results.Published{At: "max_num_seqs == 2", RatioTo: "max_num_seqs == 1", Metric: tpot, Value: 1, Tolerance: 0.01}, "reproduced", "0.9980", "1.00"},
		{"against a saturated point", results.Published{At: "max_num_seqs == 1", RatioTo: "max_num_seqs == 3", Metric: tpot, Value: 0.2, Tolerance: 0.1}, "cannot follow from the stated inputs: offered 8.000/s is 2.00 x the capacity 4.000/s", "saturated", "-"},
		{"against a point not judged", results.Published{At: "max_num_seqs == 1", RatioTo: "max_num_seqs == 4", Metric: tpot, Value: 1, Tolerance: 0.1}, "reproduced", "1.000 (not judged)", "1.00"},
		{"several points", results.Published{At: "max_num_seqs < 3", Metric: tpot, Value: 1, Tolerance: 0.1}, `not answered: "max_num_seqs < 3" selects 2 points, not one`, "-", "-"},
		{"no point", results.Published{At: "max_num_seqs == 9", Metric: tpot, Value: 1, Tolerance: 0.1}, `not answered: "max_num_seqs == 9" selects 0 points, not one`, "-", "-"},
		{"no such metric", results.Published{At: "max_num_seqs == 1", Metric: "e2e_mean_ms", Value: 1, Tolerance: 0.1}, "not answered: point 0 has no value of e2e_mean_ms", "-", "-"},
		{"with an interval", results.Published{At: "max_num_seqs == 6", Metric: tpot, Value: 11}, "reproduced", "11 ± 13", "1.00"},
		{"a count", results.Published{At: "max_num_seqs == 6", RatioTo: "max_num_seqs == 1", Metric: "runs_ok", Value: 2}, "reproduced", "2.000", "1.00"},
	} {
		j := Judge(v, c.p)
		if j.String() != c.verdict || j.Value != c.val || j.Ratio != c.ratio {
			t.Errorf("%s: %q, %q, %q; want %q, %q, %q", c.what, j, j.Value, j.Ratio, c.verdict, c.val, c.ratio)
		}
	}
}
