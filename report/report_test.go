package report

import (
	"bytes"
	"flag"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"scoville/core/table"
	"scoville/report/number"
	"scoville/report/sample"
	"scoville/sweep/results"
)

var update = flag.Bool("update", false, "rewrite the golden files in testdata")

// dataset writes results of made-up runs and loads their report.
func dataset(t *testing.T, meta results.Meta, runs []results.Run) *Report {
	t.Helper()
	meta.Study, meta.StudyTOML, meta.SimVersion = "demo", []byte("schema = 1\n"), 1
	for _, name := range []string{"tpot_mean_ms", "ttft_mean_ms"} {
		meta.Metrics = append(meta.Metrics, table.Column{Name: name, Unit: "ms", Better: "lower"})
	}
	for _, name := range []string{"wait_weight_memory_ratio", "wait_compute_ratio", "running_mean_seqs"} {
		meta.Metrics = append(meta.Metrics, table.Column{Name: name})
	}
	meta.Selected = []string{"tpot_mean_ms", "ttft_mean_ms"}
	r, err := Load(sample.Write(t, meta, runs))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// run is an ok run with the metrics of dataset.
func run(point, replicate int, metrics ...float64) results.Run {
	steady := true
	return results.Run{
		PointID: "x", PointIndex: point, Replicate: replicate, Status: results.OK, OATChange: math.NaN(),
		Metrics: append(metrics, 0.75, 0.2, 3), Steady: &steady, OfferedRPS: 2, CapacityRPS: 4, LoadRatio: 0.5, Bound: "weight_memory",
	}
}

// golden compares the report in both forms with the files NAME.txt and NAME.md.
func golden(t *testing.T, name string, r *Report) {
	t.Helper()
	var text bytes.Buffer
	if err := r.Text(&text, 0); err != nil {
		t.Fatal(err)
	}
	if err := r.Write(); err != nil {
		t.Fatal(err)
	}
	md, err := os.ReadFile(filepath.Join(r.data.Dir, File))
	if err != nil {
		t.Fatal(err)
	}
	for ext, got := range map[string]string{".txt": text.String(), ".md": string(md)} {
		got = strings.ReplaceAll(got, r.data.Dir, "DIR")
		got = regexp.MustCompile(`(runs?) in \S+ s`).ReplaceAllString(got, "$1 in T s")
		file := filepath.Join("testdata", name+ext)
		if *update {
			if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if got != string(want) {
			t.Errorf("%s: got\n%s\nwant\n%s", file, got, want)
		}
	}
}

// One block per outer combination; effects paired by replicate; saturated
// points labelled; what was asked and what was used.
func TestEffects(t *testing.T) {
	meta := results.Meta{Axes: []results.Axis{
		{Path: "context", Kind: table.String, Outer: true},
		{Path: "hardware.weight_bandwidth_gb_s", Kind: table.Float64, Unit: "GB/s"},
		{Path: "engine.max_num_seqs", Kind: table.Int64},
	}}
	var runs []results.Run
	add := func(point int, cells []any, path, level string, change, tpot, ttft float64) {
		for replicate := range 3 {
			noise := 0.01 * float64(replicate)
			r := run(point, replicate, tpot*(1+noise), ttft*(1-noise*noise))
			r.Axes, r.OATPath, r.OATLevel, r.OATChange = cells, path, level, change
			r.Baseline = path == ""
			if level == "x9" {
				*r.Steady, r.OfferedRPS, r.CapacityRPS, r.LoadRatio = false, 4, 1.66+0.01*float64(replicate), 2.4
			}
			runs = append(runs, r)
		}
	}
	add(0, []any{"short", 6000.0, int64(6)}, "", "", math.NaN(), 1.3, 30)
	add(1, []any{"short", 4800.0, int64(6)}, "hardware.weight_bandwidth_gb_s", "-20%", -0.2, 1.6, 30)
	add(2, []any{"short", 6000.0, int64(5)}, "engine.max_num_seqs", "-20%", -1.0/6, 1.3, 33)
	add(3, []any{"short", 54000.0, int64(6)}, "hardware.weight_bandwidth_gb_s", "x9", 8, 0.3, 30)
	add(4, []any{"long", 6000.0, int64(6)}, "", "", math.NaN(), 4.2, 1800)
	add(5, []any{"long", 4800.0, int64(6)}, "hardware.weight_bandwidth_gb_s", "4800", -0.2, 4.2, 1800)
	golden(t, "effects", dataset(t, meta, runs))
}

// A grid shows counts, causes and its best points.
func TestPoints(t *testing.T) {
	meta := results.Meta{Axes: []results.Axis{{Path: "hardware.weight_bandwidth_gb_s", Kind: table.Float64, Outer: true}, {Path: "model.name", Kind: table.String, Outer: true}}}
	var runs []results.Run
	for i := range 24 {
		r := run(i, 0, float64(30-i), float64(10+i))
		r.Axes = []any{float64(1000 * i), "a|b"}
		if r.DecodeBound = r.Bound; i >= 4 {
			r.DecodeBound = "kv_memory"
		}
		switch {
		case i%5 == 0:
			r.Status, r.Error = results.Infeasible, "weights of 13."+strings.Repeat("1", i%3+1)+" GiB do not fit"
		case i == 6:
			r.Status, r.Error = results.Failed, "panic: <boom>"
		case i == 23:
			*r.Steady = false // though load 0.5 would be served
		}
		runs = append(runs, r)
	}
	golden(t, "points", dataset(t, meta, runs))
}

// One point without a design is a table of one row.
func TestOnePoint(t *testing.T) {
	golden(t, "one", dataset(t, results.Meta{}, []results.Run{run(0, 0, 1.25, 30)}))
}

// Open loops that nobody could judge are labelled, and counted only where
// nothing better is; a closed loop is no steady point.
func TestNotJudged(t *testing.T) {
	meta := results.Meta{
		Axes:  []results.Axis{{Path: "engine.watermark", Kind: table.Float64, Outer: true}},
		Notes: []string{"workload.rate_rps: has no effect"},
	}
	var runs []results.Run
	for i := range 4 {
		r := run(i, 0, 20, 10)
		r.Axes = []any{float64(i)}
		switch i {
		case 0:
			r.OfferedRPS, r.LoadRatio, r.Steady = math.NaN(), math.NaN(), nil
		case 1, 2:
			r.Steady = nil
		}
		runs = append(runs, r)
	}
	golden(t, "unjudged", dataset(t, meta, runs))
	for _, c := range []struct {
		points []int
		want   string
	}{
		{[]int{0, 3}, "2 points by"}, {[]int{3}, "1 steady point by"}, {[]int{1, 2}, "2 not judged points by"}, {[]int{0, 1, 2}, "1 point by"},
	} {
		var some []results.Run
		for _, i := range c.points {
			some = append(some, runs[i])
		}
		if got := strings.Join(dataset(t, meta, some).bounds(), ""); !strings.HasPrefix(got, c.want) {
			t.Errorf("%v: %q, want %q", c.points, got, c.want)
		}
	}
}

// An effect against a baseline that nobody could judge is labelled too.
func TestEffectNotJudged(t *testing.T) {
	meta := results.Meta{Axes: []results.Axis{{Path: "engine.max_num_seqs", Kind: table.Int64}}}
	base, change := run(0, 0, 20, 10), run(1, 0, 30, 10)
	base.Baseline, base.Steady, base.Axes = true, nil, []any{int64(10)}
	change.OATPath, change.OATLevel, change.OATChange, change.Axes = "engine.max_num_seqs", "5", -0.5, []any{int64(5)}
	rows := dataset(t, meta, []results.Run{base, change}).sections[0].Rows
	if rows[0][0] != "baseline (not judged)" || rows[1][0] != "max_num_seqs = 5 (not judged)" || rows[1][1] != "+50.0%" {
		t.Errorf("%q", rows)
	}
}

// A calibrated point outside what was measured is counted, and the keys named.
func TestExtrapolated(t *testing.T) {
	var runs []results.Run
	for i := range 3 {
		r := run(i, 0, 20, 10)
		r.Calibrated = true
		if i > 0 {
			r.Outside = []string{"engine.tp = 8 is outside 1 to 4", "workload.class.a.prompt_tokens = 9000 is outside 128 to 2048"}[:i]
		}
		runs = append(runs, r)
	}
	got := dataset(t, results.Meta{}, runs).summary[1]
	want := "calibrated at 3 points; 2 of them extrapolated beyond what it was measured at, in engine.tp, workload.class.a.prompt_tokens"
	if got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// Where a calibration applies to some points only, the others say so beside
// their numbers: what a datasheet allows at best stands next to what was measured.
func TestMixed(t *testing.T) {
	a, b := run(0, 0, 20, 10), run(1, 0, 2, 1)
	a.Calibrated = true
	r := dataset(t, results.Meta{}, []results.Run{a, b})
	if x, y := r.label("0", 0), r.label("1", 1); strings.Contains(x, "calibrated") || !strings.HasSuffix(y, " (not calibrated)") {
		t.Errorf("labels %q and %q", x, y)
	}
	b.Calibrated = true
	r = dataset(t, results.Meta{}, []results.Run{a, b})
	if y := r.label("1", 1); strings.Contains(y, "calibrated") {
		t.Errorf("label %q though both are calibrated", y)
	}
}

// A ranking of calibrated and uncalibrated points warns, and names these by the
// axis that tells them apart, else by their numbers.
func TestMixedIsWarnedOf(t *testing.T) {
	var runs []results.Run
	for i := range 4 {
		r := run(i, 0, 20, 10)
		r.Axes = []any{[]string{"h100", "zephyr"}[i%2], int64(i / 2)}
		r.Calibrated = i%2 == 0
		runs = append(runs, r)
	}
	meta := func(goals ...string) results.Meta {
		m := results.Meta{Axes: []results.Axis{{Path: "device", Kind: table.String}, {Path: "engine.tp", Kind: table.Int64}}}
		for _, g := range goals {
			m.Objectives = append(m.Objectives, results.Objective{Metric: g, Goal: "min"})
		}
		return m
	}
	warnings := func(m results.Meta) (out []string) {
		for _, line := range dataset(t, m, runs).summary {
			if strings.HasPrefix(line, "warning") {
				out = append(out, line)
			}
		}
		return out
	}
	const tail = ": their times are no predictions and may be far too good"
	if got := warnings(meta()); got != nil {
		t.Errorf("nothing is ranked: %q", got)
	}
	if got, want := warnings(meta("tpot_mean_ms")), "warning: the ranking compares calibrated points with 2 points not calibrated, at device = zephyr"+tail; len(got) != 1 || got[0] != want {
		t.Errorf("%q, want %q", got, want)
	}
	runs[2].Calibrated = false
	if got, want := warnings(meta("tpot_mean_ms", "ttft_mean_ms")), "warning: the Pareto front compares calibrated points with 3 points not calibrated, at point 1, 2, 3"+tail; len(got) != 1 || got[0] != want {
		t.Errorf("%q, want %q", got, want)
	}
	for i := range runs {
		runs[i].Calibrated = true
	}
	if got := warnings(meta("tpot_mean_ms")); got != nil {
		t.Errorf("all are calibrated: %q", got)
	}
}

func TestNoResults(t *testing.T) {
	if _, err := Load(t.TempDir()); err == nil {
		t.Error("an empty folder has a report")
	}
}

func TestWords(t *testing.T) {
	for _, c := range []struct{ got, want string }{
		{number.Level("-20%"), "-20%"},
		{number.Level("x0.5"), "x0.5"},
		{number.Level("fp16"), "= fp16"},
		{number.Level("xl"), "= xl"},
		{escape("a|b <c> [d](e)"), `a\|b &lt;c&gt; \[d](e)`},
	} {
		if c.got != c.want {
			t.Errorf("%s, want %s", c.got, c.want)
		}
	}
}

// A change that is told from chance but too small for two decimals has no sign
// and no zeros.
func TestTinyEffect(t *testing.T) {
	meta := results.Meta{Axes: []results.Axis{{Path: "hardware.a", Kind: table.Float64}}}
	var runs []results.Run
	for point, by := range []float64{1, 1.00001, 1.001} {
		for replicate := range 3 {
			r := run(point, replicate, (10+float64(replicate))*by, 30)
			r.Axes, r.Baseline, r.OATChange = []any{float64(point)}, point == 0, math.NaN()
			if point > 0 {
				r.OATPath, r.OATLevel, r.OATChange = "hardware.a", "x2", 1
			}
			runs = append(runs, r)
		}
	}
	d := dataset(t, meta, runs)
	tpot, _ := d.data.Column("tpot_mean_ms")
	for i, want := range map[int]string{1: "<0.01%", 2: "+0.10% ± 0.00"} {
		if got := d.effect(i, 0, tpot); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// What draws of the calibration say stands beside the mean and its interval.
func TestPredicted(t *testing.T) {
	a, b := run(0, 0, 14.2, 30), run(1, 0, 12.5, 20)
	nan := math.NaN()
	a.Forecast = &results.Forecast{Draws: 200, Lo: []float64{13.1, nan, nan, nan, nan}, Hi: []float64{15.6, nan, nan, nan, nan}, SLO: 0.25, Saturated: 0, Pareto: nan}
	b.Forecast = &results.Forecast{Draws: 190, Lo: []float64{11.5, 18, nan, nan, nan}, Hi: []float64{nan, 22, nan, nan, nan}, SLO: nan, Saturated: 0.05, Pareto: nan}
	a.Axes, b.Axes = []any{1.0}, []any{2.0}
	r := dataset(t, results.Meta{Axes: []results.Axis{{Path: "workload.rate_rps", Kind: table.Float64, Outer: true}}}, []results.Run{a, b, run2(b)})
	var text bytes.Buffer
	if err := r.Text(&text, 0); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"14.20 [13.10 .. 15.60]", "13 ± 1", " [11.50 .. ?]", " [18.00 .. 22.00]", "slo_probability", "0.25", "saturated_draw_ratio",
		"[..]: 90 % of other runs are expected inside, over 200 draws of what the calibration leaves open",
	} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("no %q in\n%s", want, text.String())
		}
	}
}

// run2 is a second replicate of a run.
func run2(r results.Run) results.Run {
	r.Replicate, r.Forecast = 1, nil
	r.Metrics = slices.Clone(r.Metrics)
	r.Metrics[0] += 0.2
	return r
}

// A file of details that cannot be read is missed in every form of the report.
func TestDamagedDetails(t *testing.T) {
	dir := dataset(t, results.Meta{}, []results.Run{run(0, 0, 1, 30)}).data.Dir
	if err := os.WriteFile(filepath.Join(dir, "details.json"), []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	r, err := Load(dir)
	if err != nil {
		t.Fatal(err)
	}
	var text bytes.Buffer
	if err := r.Text(&text, 0); err != nil {
		t.Fatal(err)
	}
	for form, got := range map[string]string{"text": text.String(), "markdown": string(r.markdown())} {
		if !strings.Contains(got, "distributions of latencies not shown: ") || !strings.Contains(got, "details.json") {
			t.Errorf("%s says nothing of it:\n%s", form, got)
		}
	}
	if len(r.web.Extra) != 1 || len(r.web.Details) != 0 {
		t.Errorf("%+v", r.web.Extra)
	}
}

// What cannot be written is one error.
func TestWriteOnce(t *testing.T) {
	r := dataset(t, results.Meta{}, []results.Run{run(0, 0, 1, 30)})
	r.data.Dir = filepath.Join(r.data.Dir, "gone")
	if err := r.Write(); err == nil || strings.Contains(err.Error(), "\n") {
		t.Errorf("%v", err)
	}
}
