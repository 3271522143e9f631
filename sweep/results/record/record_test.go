package record

import (
	"encoding/json"
	"math"
	"strings"
	"testing"
	"unicode/utf8"

	"scoville/core/table"
)

var columns = []table.Column{
	{Name: "point_index", Kind: table.Int64},
	{Name: "status", Kind: table.String},
	{Name: "error", Kind: table.String},
	{Name: "search_id", Kind: table.String},
	{Name: "rate_rps", Path: "workload.rate_rps"},
	{Name: "tp", Kind: table.Int64, Path: "engine.tp"},
	{Name: "ttft_mean_ms_mean"},
	{Name: "ttft_p99_ms_mean"},
	{Name: "tpot_mean_ms_mean"},
	{Name: "wait_host_link_ratio_mean"},
	{Name: "steady", Kind: table.Bool},
	{Name: "bound", Kind: table.String},
	{Name: "decode_bound", Kind: table.String},
	{Name: "weakest_source", Kind: table.String},
	{Name: "calibrated", Kind: table.Bool},
	{Name: "extrapolated", Kind: table.Bool},
}

// made is the record of some points: two loads on one and on two chips.
func made(study string, set ...string) *Record {
	b := New(columns, study, set)
	row := func(i int64, rate float64, tp int64, ttft, p99, tpot float64, steady any, bound, decode string) table.Row {
		return table.Row{i, "ok", nil, nil, rate, tp, ttft, p99, tpot, 0.5, steady, bound, decode, "derived", true, i == 1}
	}
	b.Row(row(0, 1, 1, 100, 400, 10, true, "host_link", "kv_memory"))
	b.Row(row(1, 2, 1, 300, 900, 20, true, "host_link", "kv_memory"))
	b.Row(row(2, 1, 2, 50, 60, math.NaN(), nil, "compute", "compute"))
	b.Row(row(3, 2, 2, 100, 900, 10, true, "compute", "weight_memory"))
	b.Row(row(4, 9, 2, 1e9, 1e9, 1e9, false, "compute", "compute")) // saturated: no latency
	for i, why := range []string{"needs 30 GiB of 24", "needs 31.5 GiB of 24", "no format fp4"} {
		b.Row(table.Row{int64(5 + i), "infeasible", why, nil, 2.0, int64(4), nil, nil, nil, nil, nil, nil, nil, "assumed", false, nil})
	}
	return b.Record()
}

func TestRecord(t *testing.T) {
	r := made("schema = 1\n")
	if r.Points != 8 || r.States[Steady] != 3 || r.States[Unjudged] != 1 || r.States[Saturated] != 1 || r.States["infeasible"] != 3 || r.Calibrated != 5 || r.Extrapolated != 1 || r.Weakest != "assumed" {
		t.Errorf("%+v", r)
	}
	var got []string
	for _, v := range r.Varied {
		got = append(got, v.String())
	}
	got = append(got, r.Effect.String())
	for _, b := range r.Bounds {
		got = append(got, b.String())
	}
	for _, s := range r.Symptoms {
		got = append(got, s.String())
	}
	for _, c := range r.Causes {
		got = append(got, c.String())
	}
	want := []string{
		"rate_rps 1 .. 9 (3)", "tp 1 .. 4 (3)",
		"ttft_mean_ms x2.449 (x2 .. x3 in 2 groups) along rate_rps, unresolved: no interval", // geometric mean of 3 and 2, saturated left out
		"compute bound, 3 points", "PCIe bound, 2 points, 50% of busy time",
		"TTFT high, PCIe bound: 1 point, ttft_mean_ms up to 300 at point 1 (limit 200)",
		"TPOT high, KV memory bound: 1 point, tpot_mean_ms up to 20 at point 1 (limit 15)",
		"infeasible, 2 points: needs 30 GiB of 24", "infeasible, 1 point: no format fp4",
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if _, err := json.Marshal(r); err != nil {
		t.Error(err)
	}
}

// Limits are those of the study where it has some.
func TestLimits(t *testing.T) {
	r := made("slo.ttft_p99_ms.max = 800\nslo.tpot_mean_ms.max = 30\n")
	if len(r.Symptoms) != 2 || r.Symptoms[0].String() != "TTFT high, compute bound: 1 point, ttft_p99_ms up to 900 at point 3 (limit 800)" {
		t.Errorf("%v", r.Symptoms)
	}
	if r := made("slo.ttft_p99_ms.max = 800\nslo.ttft_mean_ms.max = 90000\n"); len(r.Symptoms) != 3 || r.Symptoms[0].Metric != "ttft_p99_ms" {
		t.Errorf("a limit that holds hides one that does not: %v", r.Symptoms)
	}
	if r := made("slo.ttft_p99_ms.max = 800\n", "slo.ttft_p99_ms.max=1000"); len(r.Symptoms) != 1 || r.Symptoms[0].Latency != "TPOT" {
		t.Errorf("%v", r.Symptoms)
	}
}

func TestEffects(t *testing.T) {
	cols := []table.Column{{Name: "metric"}, {Name: "parameter"}, {Name: "level"}, {Name: "method"}, {Name: "effect"}, {Name: "ci_lo"}, {Name: "ci_hi"}, {Name: "n"}, {Name: "steady"}}
	row := func(metric, parameter, method string, x, lo, hi float64, steady any) table.Row {
		return table.Row{metric, parameter, "-20%", method, x, lo, hi, int64(9), steady}
	}
	nan := math.NaN()
	for _, c := range []struct {
		rows []table.Row
		want string
	}{
		{[]table.Row{row("ttft_mean_ms", "a.b", "oat", 0.1, 0.05, 0.15, true), row("tpot_mean_ms", "a.c", "oat", -0.314, -0.35, -0.3, nil)}, "tpot_mean_ms -31.4% (-35% .. -30%) by c -20%"},
		{[]table.Row{row("ttft_mean_ms", "a.b", "oat", 0.9, -0.05, 1.9, true), row("ttft_mean_ms", "a.c", "oat", 0.01, 0.005, 0.015, true)}, "ttft_mean_ms +1% (+0.5% .. +1.5%) by c -20%"},
		{[]table.Row{row("ttft_mean_ms", "a.b", "oat", 0.9, nan, nan, true)}, "ttft_mean_ms +90% by b -20%, unresolved: no interval"}, // one replicate
		{[]table.Row{row("ttft_mean_ms", "a.b", "oat", 90, 80, 100, false)}, ""},                                                      // saturated
		{[]table.Row{row("steps_count", "a.b", "oat", 90, 80, 100, true)}, ""},
		{[]table.Row{row("ttft_mean_ms", "dummy", "sobol_total", 0.39, 0.3, 0.5, nil), row("tpot_mean_ms", "a.b", "sobol_total", 0.9, 0.8, 1, nil), row("ttft_mean_ms", "a.c", "sobol_total", 0.5, 0.4, 0.6, nil), row("ttft_mean_ms", "a.d", "sobol_first", 2, 1, 3, nil)}, "ttft_mean_ms: sobol total of c 0.5 (0.4 .. 0.6)"},
		{[]table.Row{row("ttft_mean_ms", "a.b", "oat", 0.9, nan, nan, true), row("ttft_mean_ms", "a.c", "oat", 0.01, 0.005, 0.015, true)}, "ttft_mean_ms +1% (+0.5% .. +1.5%) by c -20%"}, // resolved before large
		{[]table.Row{row("ttft_mean_ms", "a.b", "oat", 0.6, 0.5, 0.7, true), row("ttft_mean_ms", "a.c", "oat", -0.5, -0.6, -0.4, true)}, "ttft_mean_ms -50% (-60% .. -40%) by c -20%"},    // a halving before +60 %
		{[]table.Row{row("ttft_mean_ms", "a.b", "morris_mu_star", 5, 1, 8, nil), row("ttft_mean_ms", "dummy", "morris_mu_star", 2, 1, 3, nil)}, ""},                                       // not above the dummy
		{[]table.Row{row("ttft_mean_ms", "a.b", "sobol_total", 0.3, 0.1, 0.5, nil), row("ttft_mean_ms", "a.scatter", "sobol_total", 0.9, 0.2, 1, nil)}, "ttft_mean_ms: sobol total of b 0.3 (0.1 .. 0.5)"},
		{[]table.Row{row("ttft_mean_ms", "a.b", "sobol_total", 0.3, nan, nan, nil)}, ""},
		{[]table.Row{row("ttft_mean_ms", "a.b", "rank_correlation", -0.5, -0.6, -0.4, nil)}, ""}, // of nine rows chance gives 0.69
		{[]table.Row{row("ttft_mean_ms", "a.b", "rank_correlation", -0.8, -0.9, -0.4, nil)}, "ttft_mean_ms: rank correlation of b -0.8 (-0.9 .. -0.4)"},
	} {
		b := New(columns, "", nil)
		b.Floors("ttft_mean_ms", nil, map[string]float64{"a.scatter": 0.25})
		write := b.Effects(cols, func(table.Row) error { return nil })
		for _, r := range c.rows {
			if err := write(r); err != nil {
				t.Fatal(err)
			}
		}
		if got := b.Record().Effect.String(); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}

// A span is of values that are apart by their intervals, and an axis that changes
// nothing has none.
func TestSpan(t *testing.T) {
	cols := []table.Column{{Name: "status"}, {Name: "x", Path: "a.x"}, {Name: "ttft_mean_ms_mean"}, {Name: "ttft_mean_ms_ci_lo"}, {Name: "ttft_mean_ms_ci_hi"}}
	for _, c := range []struct {
		half float64
		want string
	}{{3, ""}, {0.5, "ttft_mean_ms x1.04 along x"}, {math.NaN(), "ttft_mean_ms x1.04 along x, unresolved: no interval"}} {
		b := New(cols, "", nil)
		for x := range 5 {
			mean := 100 + float64(x)
			b.Row(table.Row{"ok", float64(x), mean, mean - c.half, mean + c.half})
		}
		if got := b.Record().Effect.String(); got != c.want {
			t.Errorf("half %g: %q, want %q", c.half, got, c.want)
		}
	}
}

// Reasons beyond those that are counted by themselves are counted, and letters are
// not cut.
func TestCauses(t *testing.T) {
	b := New([]table.Column{{Name: "status"}, {Name: "error"}}, "", nil)
	for i := range 150 {
		b.Row(table.Row{"failed", strings.Repeat("x", i) + strings.Repeat("é", 300)})
	}
	r := b.Record()
	if r.Causes[0] != (Cause{"failed", "other reasons", 50}) {
		t.Errorf("%+v", r.Causes[0])
	}
	for _, c := range r.Causes {
		if !utf8.ValidString(c.Reason) {
			t.Errorf("%q", c.Reason)
		}
	}
}

func TestFound(t *testing.T) {
	cols := Index([]table.Column{{Name: "over"}, {Name: "goal"}, {Name: "outcome"}, {Name: "value"}, {Name: "binding_slo"}})
	b := New(columns, "", nil)
	for _, v := range []float64{4, math.NaN(), 2.5} {
		outcome := "found"
		if math.IsNaN(v) {
			outcome = "none_feasible"
		}
		b.Search(cols, table.Row{"workload.rate_rps", "max", outcome, v, "ttft_p99_ms"})
	}
	if got, want := b.Record().Found.String(), "largest rate_rps: found 2, none_feasible 1; 2.5 .. 4, bound by ttft_p99_ms"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
