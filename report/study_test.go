package report

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"scoville/core/table"
	"scoville/report/sample"
	"scoville/report/view"
	"scoville/sweep/results"
)

// columns of the made-up studies below, in the order of their metrics.
var studyMetrics = []string{
	"ttft_mean_ms", "tpot_mean_ms", "resident_mean_tok",
	"ttft_closed_mean_ms", "ttft_host_mean_ms", "ttft_queue_mean_ms", "ttft_blocked_mean_ms", "ttft_prefill_excess_mean_ms", "ttft_adapter_mean_ms",
	"tpot_closed_mean_ms", "tpot_host_mean_ms", "tpot_prefill_mean_ms", "tpot_batch_mean_ms", "tpot_own_excess_mean_ms", "tpot_adapter_mean_ms",
}

// studied writes results of three designs by six contexts, two replicates each,
// and loads their report. Point 11 is saturated, point 17 infeasible.
func studied(t *testing.T, meta results.Meta, selected ...string) *Report {
	t.Helper()
	meta.Study, meta.StudyTOML, meta.SimVersion, meta.Selected = "demo", []byte("schema = 1\n"), 1, selected
	meta.Axes = []results.Axis{{Path: "hardware.name", Kind: table.String, Outer: true, Group: "name"}, {Path: "workload.class.chat.prompt_tokens", Kind: table.Int64, Unit: "tokens", Outer: true, Group: "tokens"}}
	for _, name := range studyMetrics {
		unit := ""
		if strings.HasSuffix(name, "_ms") {
			unit = "ms"
		}
		meta.Metrics = append(meta.Metrics, table.Column{Name: name, Unit: unit, Better: "lower"})
	}
	var runs []results.Run
	for point := range 18 {
		for replicate := range 2 {
			runs = append(runs, studyRun(point, replicate))
		}
	}
	r, err := Load(sample.Write(t, meta, runs))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// studyRun follows the bytes of the sample chip: weights 1.123 ms, state 131 ns
// a token beside them or 44 and 33 ns after them.
func studyRun(point, replicate int) results.Run {
	design, context := point/6, 1000*math.Pow(2, float64(point%6))
	wobble := 1 + 0.002*float64(replicate)*float64(1+point%3)
	tpot := wobble * []float64{max(1.123, 131e-6*context), 1.123 + 44e-6*context, 0.842 + 33e-6*context}[design]
	closed := 0.224 * context
	steady := point != 11
	r := results.Run{
		PointID: fmt.Sprintf("p%d", point), PointIndex: point, Replicate: replicate, Status: results.OK, OATChange: math.NaN(), Steady: &steady,
		Axes:       []any{[]string{"separate", "shared-6", "shared-8"}[design], int64(context)},
		Metrics:    []float64{wobble * (closed + 22), tpot, context, closed, 1, 4, 2, 15 + (wobble-1)*(closed+22), 0, 1.123, 0, 0, 0, tpot - 1.123 - 0.02, 0.02},
		OfferedRPS: 1, CapacityRPS: 1.67, LoadRatio: 0.6, Bound: "weight_memory",
	}
	if tpot > 1.6 {
		r.Bound = "kv_memory"
	}
	if point == 11 {
		r.Metrics[0], r.OfferedRPS, r.LoadRatio = 9e6, 4, 4/1.67
	}
	if point == 17 {
		r.Status, r.Error = results.Infeasible, "KV of 32,000 tokens needs 8.4 GB"
	}
	return r
}

func TestPublished(t *testing.T) {
	at := func(design string, context int) string {
		return fmt.Sprintf("name == %q && prompt_tokens == %d", design, context)
	}
	spec := results.ReportSpec{Published: []results.Published{
		{Name: "short TTFT", At: at("separate", 1000), Metric: "ttft_mean_ms", Value: 250, Tolerance: 0.10, Source: "table 1"},
		{Name: "long TTFT", At: at("separate", 8000), Metric: "ttft_mean_ms", Value: 1000, Tolerance: 0.10, Because: "2 N P at the peak alone is 1.7 s"},
		{Name: "long TPOT", At: at("separate", 32000), Metric: "tpot_mean_ms", Value: 1.33, Tolerance: 0.10},
		{Name: "long TTFT again", At: at("separate", 8000), Metric: "ttft_mean_ms", Value: 1000, Tolerance: 0.10, Because: "-", Cannot: "it is above the peak"},
		{Name: "overloaded", At: at("shared-6", 32000), Metric: "ttft_mean_ms", Value: 500, Tolerance: 0.10},
		{Name: "its capacity", At: at("shared-6", 32000), Metric: "capacity_rps", Value: 1.67, Tolerance: 0.01},
		{Name: "no room", At: at("shared-8", 32000), Metric: "tpot_mean_ms", Value: 1.33, Tolerance: 0.10},
		{Name: "32 K against 1 K", At: at("separate", 32000), RatioTo: at("separate", 1000), Metric: "tpot_mean_ms", Value: 3.7, Tolerance: 0.05},
		{Name: "against the overloaded", At: at("separate", 32000), RatioTo: at("shared-6", 32000), Metric: "tpot_mean_ms", Value: 1, Tolerance: 0.05},
		{Name: "two points", At: "prompt_tokens == 1000 && name ~ 'shared'", Metric: "tpot_mean_ms", Value: 1, Tolerance: 0.1},
		{Name: "no metric", At: at("separate", 1000), Metric: "tpot_p98_ms", Value: 1, Tolerance: 0.1},
		{Name: "no axis", At: "context == 1", Metric: "tpot_mean_ms", Value: 1, Tolerance: 0.1},
		{Name: "no class", At: at("separate", 1000), Class: "short", Metric: "tpot_mean_ms", Value: 1, Tolerance: 0.1},
	}}
	r := studied(t, results.Meta{Report: spec}, "tpot_mean_ms")
	s := r.published()[0]
	want := []string{
		"reproduced", "differs because 2 N P at the peak alone is 1.7 s", "differs, no reason given", "cannot follow from the stated inputs: it is above the peak",
		"cannot follow from the stated inputs: offered 4.000/s is 2.40 x the capacity 1.670/s", "reproduced",
		"cannot follow from the stated inputs: KV of 32,000 tokens needs 8.4 GB", "reproduced",
		"cannot follow from the stated inputs: offered 4.000/s is 2.40 x the capacity 1.670/s",
		`not answered: "prompt_tokens == 1000 && name ~ 'shared'" selects 2 points, not one`,
		"not answered: point 0 has no value of tpot_p98_ms", `not answered: context == 1: the results have no axis or metric "context"`,
		"not answered: point 0 class short has no value of tpot_mean_ms",
	}
	for i, w := range want {
		if s.Rows[i][4] != w {
			t.Errorf("%s: %q, want %q", s.Rows[i][0], s.Rows[i][4], w)
		}
	}
	if s.Rows[4][2] != "saturated" || s.Rows[6][2] != "infeasible" {
		t.Errorf("a value is shown where there is none: %q, %q", s.Rows[4], s.Rows[6])
	}
	if got, want := s.Notes[0], "13 published figures: 3 reproduced, 4 cannot follow from the stated inputs, 2 differ, 4 not answered"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// The parts of a deviation add up to it, whether points or runs hold them.
func TestDeviations(t *testing.T) {
	for _, selected := range [][]string{{"ttft_mean_ms"}, studyMetrics} {
		r := studied(t, results.Meta{}, selected...)
		s := r.deviations()
		if len(s) != 2 || len(s[0].Rows) != 17 {
			t.Fatalf("%d tables", len(s))
		}
		for _, d := range decompositions {
			for i := range 11 {
				total, _ := r.data.Estimate(d.simulated, i)
				sum, _ := r.data.Estimate(d.closed, i)
				for _, p := range d.parts {
					v, ok := r.data.Estimate(p.column, i)
					if !ok {
						t.Fatalf("no %s", p.column)
					}
					sum.Mean += v.Mean
				}
				if math.Abs(sum.Mean-total.Mean) > 1e-9*total.Mean {
					t.Errorf("%s of point %d: %v, parts make %v", d.simulated, i, total.Mean, sum.Mean)
				}
			}
		}
		if row := s[0].Rows[11]; row[3] != "7168" || row[4] != "saturated" || row[6] != "-" {
			t.Errorf("saturated: %q", row)
		}
	}
}

func TestSaturation(t *testing.T) {
	r := studied(t, results.Meta{}, "tpot_mean_ms")
	text := strings.Join(r.summary, "\n")
	for _, want := range []string{"SATURATED: 1 point of 18", "point 11 (hardware = shared-6, prompt_tokens = 32000) saturated: offered 4.000/s is 2.40 x its capacity of 1.670/s; steady rates lie below 1.670/s (load 1), the highest steady one simulated is 1.000/s (load 0.60, point 0)"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	// The steady point of the same axis values but for the rate is named.
	meta := results.Meta{Axes: []results.Axis{{Path: "workload.rate_rps", Kind: table.Float64}}}
	var runs []results.Run
	for i, rate := range []float64{1, 1.5, 4, 5, 6, 7, 8, 9} {
		x := run(i, 0, 1, 1)
		x.Axes, x.OfferedRPS, x.CapacityRPS, x.LoadRatio = []any{rate}, rate, 2, rate/2
		*x.Steady = rate < 2
		runs = append(runs, x)
	}
	text = strings.Join(dataset(t, meta, runs).summary, "\n")
	for _, want := range []string{
		"point 2 (rate_rps = 4) saturated: offered 4.000/s is 2.00 x its capacity of 2.000/s; steady rates lie below 2.000/s (load 1), the highest steady one simulated is 1.500/s (load 0.75, point 1)",
		"2 more points saturated; loads of all saturated points 2.00 to 4.50",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
}

// headline is a study that asks for a plot.
func headline(change func(*results.Plot)) results.Meta {
	p := results.Plot{
		Name: "headline", Title: "TPOT against resident tokens", X: "resident_mean_tok", Y: "tpot_mean_ms", Series: []string{"hardware"},
		Scale: "log-log", Mark: "bound", Crossings: true, HLine: []results.Level{{Y: 1.123, Label: "W / B"}},
	}
	change(&p)
	return results.Meta{Report: results.ReportSpec{Plots: []results.Plot{p}}}
}

func TestHeadline(t *testing.T) {
	r := studied(t, headline(func(*results.Plot) {}), "tpot_mean_ms", "ttft_mean_ms", "resident_mean_tok")
	golden(t, "study", r)
	svg, err := os.ReadFile(filepath.Join(r.data.Dir, PlotsDir, "headline.svg"))
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join("testdata", "headline.svg")
	if *update {
		if err := os.WriteFile(file, svg, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(svg, want) {
		t.Errorf("%s differs; see it, then run with -update", file)
	}
	cross := r.plots[0].Cross
	// 131e-6 x = 1.123 + 44e-6 x
	if len(cross) != 1 || cross[0].A != "separate" || cross[0].B != "shared-6" || math.Abs(cross[0].X/12908-1) > 0.05 {
		t.Errorf("crossings %+v", cross)
	}
}

func TestPlotWarnings(t *testing.T) {
	for _, c := range []struct {
		change func(*results.Plot)
		note   string
		err    string
	}{
		{func(p *results.Plot) { p.Series = nil }, "folds hardware, prompt_tokens, which vary", ""},
		{func(p *results.Plot) { p.X, p.Series = "prompt_tokens", nil }, "folds hardware, which varies", ""},
		{func(p *results.Plot) { p.Where = "name == 'separate'"; p.Series = nil }, "", ""},
		{func(p *results.Plot) { p.Y = "tpot_p98_ms" }, "", `no axis or metric "tpot_p98_ms"`},
		{func(p *results.Plot) { p.Y = "bound" }, "", "is no number"},
		{func(p *results.Plot) { p.Where = "prompt_tokens > 1e9" }, "", "no point has a value"},
		{func(p *results.Plot) { p.Where = "prompt_tokens >" }, "", "column"},
		{func(p *results.Plot) { p.X, p.Name = "name", "../out" }, "folds prompt_tokens", ""},
	} {
		r := studied(t, headline(c.change), "tpot_mean_ms")
		p := r.plots[0]
		notes := strings.Join(p.Notes, "\n")
		if c.err == "" && p.Err != nil || c.err != "" && (p.Err == nil || !strings.Contains(p.Err.Error(), c.err)) {
			t.Errorf("%v, want %q", p.Err, c.err)
		}
		if !strings.Contains(notes, c.note) || c.note == "" && strings.Contains(notes, "folds") {
			t.Errorf("notes %q, want %q", notes, c.note)
		}
		if err := r.Write(); err != nil {
			t.Error(err)
		}
		if outside, _ := filepath.Glob(filepath.Join(filepath.Dir(r.data.Dir), "*.svg")); outside != nil {
			t.Errorf("wrote %v", outside)
		}
	}
}

// Charts of earlier results go, files of others stay.
func TestOldPlots(t *testing.T) {
	r := studied(t, results.Meta{}, "tpot_mean_ms")
	dir := filepath.Join(r.data.Dir, PlotsDir)
	if err := r.Write(); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(dir, "tpot_mean_ms.svg"))
	if err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string][]byte{"old.svg": text, "mine.svg": []byte("<svg/>"), "notes.txt": []byte("x")} {
		if err := os.WriteFile(filepath.Join(dir, name), content, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := r.Write(); err != nil {
		t.Fatal(err)
	}
	entries, _ := os.ReadDir(dir)
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	if got := strings.Join(names, " "); got != "mine.svg notes.txt tpot_mean_ms.svg" {
		t.Errorf("%s", got)
	}
}

func TestConditions(t *testing.T) {
	r := studied(t, results.Meta{}, "tpot_mean_ms")
	for condition, want := range map[string]int{
		"": 18, "hardware.name == 'separate'": 6, "hardware == 'separate'": 6, "name == 'separate'": 6, "tpot_mean_ms < 1.2": 9,
		"load_ratio > 1": 1, "steady": 16, "bound == 'kv_memory' && prompt_tokens >= 16_000": 4, "status == 'infeasible'": 1,
	} {
		got, err := r.data.Find(condition)
		if err != nil || len(got) != want {
			t.Errorf("%s: %v %v, want %d points", condition, got, err, want)
		}
	}
	if e, ok := r.data.Estimate("tpot_mean_ms", 17); ok || r.data.State(17) != view.None {
		t.Errorf("an infeasible point has %v", e)
	}
}
