package sweep

import (
	"bytes"
	"encoding/csv"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"scoville/core"
	"scoville/core/scenario"
	"scoville/core/unit"
)

// folder runs a study with answers that are known.
func folder(t *testing.T, text string, f func(*scenario.Scenario, core.Options) core.Result, set ...string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "out")
	if _, err := Run(t.Context(), Options{File: write(t, reference+text), Set: set, Dir: dir, Jobs: 1, newSimulate: fake(f)}); err != nil {
		t.Fatal(err)
	}
	return dir
}

// scaled is a metric that scatters a lot between replicates, times a factor.
func scaled(factor func(*scenario.Scenario) float64) func(*scenario.Scenario, core.Options) core.Result {
	return func(sc *scenario.Scenario, o core.Options) core.Result {
		return fine(factor(sc) * (100 + 40*math.Sin(float64(3*o.Replicate)+float64(o.Seed%7))))
	}
}

func seqs(sc *scenario.Scenario) float64 { return float64(sc.Engine.MaxNumSeqs) }

const batches = "[axes]\n\"engine.max_num_seqs\" = [2, 3, 4]\n[replicates]\nn = 4\nseed = 1\n"

func diffed(t *testing.T, o DiffOptions) *Difference {
	t.Helper()
	r, err := Diff(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// Runs that met the same requests are paired: a change of a tenth shows through
// a scatter of a third. Other seeds leave Welch's interval, which hides it.
func TestDiffPairs(t *testing.T) {
	before := folder(t, batches, scaled(seqs))
	after := folder(t, batches, scaled(func(sc *scenario.Scenario) float64 { return 1.1 * seqs(sc) }))
	other := folder(t, strings.Replace(batches, "seed = 1", "seed = 4", 1), scaled(func(sc *scenario.Scenario) float64 { return 1.1 * seqs(sc) }))
	r := diffed(t, DiffOptions{A: before, B: after, Metrics: []string{"ttft_mean_ms"}})
	if len(r.Rows) != 3 || r.Ranked != 3 || len(r.Moved) != 0 || len(r.Inputs) != 0 {
		t.Fatalf("%+v", r)
	}
	for _, row := range r.Rows {
		c := row.Changes[0]
		if !c.Paired || math.Abs(*c.Ratio-0.1) > 1e-12 || *c.Lo < 0.09 || *c.Hi > 0.11 || c.N != 4 || c.Same {
			t.Errorf("%+v", c)
		}
	}
	if got := *r.Geomean[0].Ratio; math.Abs(got-0.1) > 1e-12 || r.Geomean[0].N != 3 {
		t.Errorf("geomean %g", got)
	}
	r = diffed(t, DiffOptions{A: before, B: other, Metrics: []string{"ttft_mean_ms"}})
	if c := r.Rows[0].Changes[0]; c.Paired || *c.Lo > 0 || *c.Hi < 0 {
		t.Errorf("other seeds: %+v", c)
	}
	for _, c := range diffed(t, DiffOptions{A: before, B: before}).Rows[2].Changes {
		if !c.Same || *c.Ratio != 0 {
			t.Errorf("a folder and itself: %+v", c)
		}
	}
}

// What an axis of one folder alone tells apart is matched by the value that the
// other's study has, and averaged over with a warning where that is not known.
func TestDiffOtherAxes(t *testing.T) {
	both := folder(t, "[axes]\n\"engine.max_num_seqs\" = [2, 3, 16]\n\"hardware.overlap\" = [0.25, 1]\n[replicates]\nn = 2\n", scaled(seqs))
	one := folder(t, "[axes]\n\"hardware.overlap\" = [1, 0.25]\n[replicates]\nn = 2\n", scaled(func(sc *scenario.Scenario) float64 { return 2 * seqs(sc) }))
	r := diffed(t, DiffOptions{A: both, B: one, Metrics: []string{"ttft_mean_ms"}})
	if len(r.Rows) != 2 || len(r.OnlyA) != 4 || len(r.OnlyB) != 0 || len(r.AxesA) != 1 || len(r.Notes) != 0 {
		t.Fatalf("%+v", r)
	}
	for _, row := range r.Rows {
		if math.Abs(*row.Changes[0].Ratio-1) > 1e-12 || row.Place[1] != "max_num_seqs = 16" {
			t.Errorf("%+v", row)
		}
	}
	study := filepath.Join(one, "study.toml")
	text, err := os.ReadFile(study)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(study, append(text, '\n'), 0o600); err != nil {
		t.Fatal(err)
	}
	r = diffed(t, DiffOptions{A: both, B: one, Metrics: []string{"ttft_mean_ms"}})
	if len(r.Rows) != 2 || len(r.Rows[0].PointsA) != 3 || len(r.Notes) != 1 || !strings.HasPrefix(r.Notes[0], "warning: A averages over engine.max_num_seqs, 3 values") {
		t.Errorf("%+v", r)
	}
	if got := *r.Rows[0].Changes[0].Ratio; math.Abs(got-(32/7.0-1)) > 1e-12 {
		t.Errorf("against the mean of 2, 3 and 16: %g", got)
	}
}

// One-at-a-time changes are matched by what is changed, whatever their base.
func TestDiffOneAtATime(t *testing.T) {
	const oat = "[oat]\n\"hardware.weight_bandwidth_gb_s\" = [\"-20%\"]\n\"hardware.overlap\" = [0.5]\n[replicates]\nn = 2\n"
	bw := func(sc *scenario.Scenario) float64 { return sc.Hardware.WeightBandwidthGBs }
	a := folder(t, oat, scaled(bw))
	b := folder(t, strings.Replace(oat, "\"hardware.overlap\" = [0.5]\n", "\"engine.max_num_seqs\" = [4]\n", 1), scaled(bw))
	r := diffed(t, DiffOptions{A: a, B: b})
	if len(r.Rows) != 2 || len(r.OnlyA) != 1 || r.OnlyA[0].Place[0] != "hardware.overlap 0.5" || r.OnlyB[0].Place[0] != "engine.max_num_seqs 4" {
		t.Errorf("%+v", r)
	}
	if r.Rows[1].Place[0] != "hardware.weight_bandwidth_gb_s -20%" || !r.Rows[1].Changes[0].Same {
		t.Errorf("%+v", r.Rows[1])
	}
}

// Designs rank by what the objective asks for, also where that is not what is
// usually better.
func TestDiffGoal(t *testing.T) {
	study := func(goal string) string {
		return batches + "[[objective]]\nmetric = \"ttft_mean_ms\"\ngoal = \"" + goal + "\"\n"
	}
	swap := func(sc *scenario.Scenario) float64 { return map[int]float64{2: 1, 3: 5, 4: 4}[sc.Engine.MaxNumSeqs] }
	for goal, want := range map[string]int{"min": 1, "max": 3} {
		r := diffed(t, DiffOptions{A: folder(t, study(goal), scaled(seqs)), B: folder(t, study(goal), scaled(swap))})
		if r.By != "ttft_mean_ms" || r.Goal != goal || len(r.Moved) != 2 {
			t.Fatalf("%s: by %s %s, moved %+v", goal, r.Goal, r.By, r.Moved)
		}
		for _, m := range r.Moved {
			if m.Row.PointsA[0] == 0 || m.From == want {
				t.Errorf("%s: %+v", goal, m) // the smallest stays where it is
			}
		}
		var text strings.Builder
		if err := r.Text(&text); err != nil || strings.Contains(text.String(), "the largest first") != (goal == "max") {
			t.Errorf("%s: %v\n%s", goal, err, text.String())
		}
	}
	a, b := folder(t, study("min"), scaled(seqs)), folder(t, study("max"), scaled(seqs))
	if _, err := Diff(t.Context(), DiffOptions{A: a, B: b, By: "ttft_mean_ms"}); err == nil || !strings.Contains(err.Error(), "rank by another metric") {
		t.Error(err)
	}
	if r := diffed(t, DiffOptions{A: a, B: b, By: "tpot_mean_ms"}); r.Goal != "min" {
		t.Errorf("goal %s", r.Goal)
	}
}

// What moved: ranks, the front, states, and the inputs that may be why.
func TestDiffRanksAndStates(t *testing.T) {
	front := batches + "[[objective]]\nmetric = \"ttft_mean_ms\"\ngoal = \"min\"\n[[objective]]\nmetric = \"output_tok_s\"\ngoal = \"max\"\n"
	two := func(ttft, rate func(float64) float64) func(*scenario.Scenario, core.Options) core.Result {
		return func(sc *scenario.Scenario, _ core.Options) core.Result {
			r := fine(1)
			for i, c := range metricColumns() {
				switch c.Name {
				case "ttft_mean_ms":
					r.Summary[i] = ttft(seqs(sc))
				case "output_tok_s":
					r.Summary[i] = rate(seqs(sc))
				}
			}
			if sc.Engine.MaxNumSeqs == 4 && sc.Model.KV() != unit.INT8 {
				r.Status, r.Reason = core.Failed, "nothing moves"
			}
			return r
		}
	}
	up := func(x float64) float64 { return x }
	down := func(x float64) float64 { return 10 - x }
	a := folder(t, front, two(up, up))
	b := folder(t, strings.Replace(front, "seed = 1", "seed = 2", 1), two(down, up))
	r := diffed(t, DiffOptions{A: a, B: b})
	if len(r.Moved) != 2 || r.Moved[0].From-r.Moved[0].To != -2 || len(r.Left) != 2 || len(r.Joined) != 0 || r.By != "ttft_mean_ms" {
		t.Errorf("moved %+v, left %+v, joined %+v", r.Moved, r.Left, r.Joined)
	}
	if len(r.Inputs) != 2 || strings.Join(r.Inputs[0].More, "|") != "- seed = 1|+ seed = 2" || r.Inputs[1].What != "seed" {
		t.Errorf("%+v", r.Inputs)
	}
	c := folder(t, front, two(up, up), "model.kv_dtype=fp16")
	if r = diffed(t, DiffOptions{A: a, B: c}); r.Rows[2].Changes[0].Word != "failed in B" || r.Rows[2].Changes[0].Ratio != nil || r.Geomean[0].N != 2 {
		t.Errorf("%+v", r.Rows[2])
	}
	var text, table bytes.Buffer
	if err := r.Text(&text); err != nil {
		t.Fatal(err)
	}
	for _, word := range []string{"failed in B", "geomean", "--set  none -> model.kv_dtype=fp16", "rank by ttft_mean_ms: 0 of 2 designs moved"} {
		if !strings.Contains(text.String(), word) {
			t.Errorf("no %q in\n%s", word, &text)
		}
	}
	if err := r.CSV(&table); err != nil {
		t.Fatal(err)
	}
	if rows, err := csv.NewReader(&table).ReadAll(); err != nil || len(rows) != 1+3*len(r.Metrics) {
		t.Errorf("%d rows, %v", len(rows), err)
	}
}

// What cannot be compared says why.
// Two folders of searches are compared by what was found: here the largest rate
// is 100 ms over the milliseconds that a request adds, so half of it where these
// are twice as many, and none where the lowest rate breaks the level.
func TestDiffSearches(t *testing.T) {
	design := strings.Replace(rateSearch, "[search]", "[search]\nrequire_steady = false\ntol = \"1%\"", 1) + "[axes]\n\"engine.max_num_seqs\" = [2, 4, 400]\n[replicates]\nn = 2\n"
	line := func(factor float64) func(*scenario.Scenario, core.Options) core.Result {
		return func(sc *scenario.Scenario, _ core.Options) core.Result {
			return fine(factor * seqs(sc) * sc.Workload.RateRPS)
		}
	}
	before, after := folder(t, design, line(1)), folder(t, design, line(2))
	r := diffed(t, DiffOptions{A: before, B: after})
	if len(r.Found) != 3 || len(r.Rows) != 0 || len(r.OnlyA)+len(r.OnlyB)+len(r.Notes) != 0 {
		t.Fatalf("%+v", r)
	}
	for i, f := range r.Found[:2] {
		if want := []float64{50, 25}[i]; math.Abs(*f.A.Value/want-1) > 0.01 || math.Abs(*f.B.Value*2/want-1) > 0.01 {
			t.Errorf("%v: found %g and %g, want %g and half of it", f.Place, *f.A.Value, *f.B.Value, want)
		}
		if *f.Lo > -0.5 || *f.Hi < -0.5 || *f.Lo < -0.53 || *f.Hi > -0.47 || *f.Ratio < *f.Lo || *f.Ratio > *f.Hi {
			t.Errorf("%v: change %g, %g to %g", f.Place, *f.Ratio, *f.Lo, *f.Hi)
		}
	}
	if f := r.Found[2]; f.A.Outcome != "none_feasible" || f.A.Value != nil || f.Ratio != nil {
		t.Errorf("%+v", f)
	}
	var text, list bytes.Buffer
	if err := r.Text(&text); err != nil || !strings.Contains(text.String(), "max_num_seqs = 400  none_feasible  none_feasible  -") {
		t.Errorf("%v\n%s", err, text.String())
	}
	if err := r.CSV(&list); err != nil || strings.Count(list.String(), "\n") != 4 || !strings.Contains(list.String(), "max_num_seqs = 2,req/s,found,found,") {
		t.Errorf("%v\n%s", err, list.String())
	}
	points := folder(t, batches, scaled(seqs))
	if _, err := Diff(t.Context(), DiffOptions{A: points, B: after}); err == nil || !strings.Contains(err.Error(), "there is nothing to compare") {
		t.Errorf("points and searches: %v", err)
	}
}

func TestDiffErrors(t *testing.T) {
	a := folder(t, batches, scaled(seqs))
	for want, o := range map[string]DiffOptions{
		"nowhere holds no results: there is no such folder": {A: a, B: "nowhere"},
		"holds no results":           {A: t.TempDir(), B: a},
		"--metric ttft_men: no such": {A: a, B: a, Metrics: []string{"ttft_men"}},
		"--metric [: not a pattern":  {A: a, B: a, Metrics: []string{"["}},
		"--by x: no such metric":     {A: a, B: a, By: "x"},
		"neither more nor less":      {A: a, B: a, By: "requests_count"},
	} {
		if _, err := Diff(t.Context(), o); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}
