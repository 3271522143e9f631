package sweep

import (
	"bytes"
	"errors"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"scoville/core"
	"scoville/core/scenario"
	"scoville/sweep/again"
	"scoville/sweep/confirm"
	"scoville/sweep/results"
)

const contest = "[axes]\n\"engine.max_num_seqs\" = [1, 2, 3, 4]\n[replicates]\nn = 3\nseed = 5\n"

// noisy answers by the batch limit and the replicate.
func noisy(f func(seqs, replicate int) float64) func() Simulate {
	return fake(func(sc *scenario.Scenario, o core.Options) core.Result {
		return fine(f(sc.Engine.MaxNumSeqs, o.Replicate))
	})
}

// ripple is the same noise of every point, and a little of each.
func ripple(seqs, replicate int) float64 {
	return 3*math.Sin(float64(7*replicate)) + 0.1*math.Sin(float64(11*replicate+5*seqs))
}

// contestants runs the contest.
func contestants(t *testing.T, f func(seqs, replicate int) float64, more string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "out")
	if _, err := Run(t.Context(), Options{File: write(t, reference+contest+more), Dir: dir, Jobs: 1, newSimulate: noisy(f)}); err != nil {
		t.Fatal(err)
	}
	return dir
}

// What a confirmation says of winners that hold, that had luck, and that break,
// with effects that are known.
func TestConfirmVerdicts(t *testing.T) {
	holds := func(seqs, replicate int) float64 { return 100 + 2*float64(seqs) + ripple(seqs, replicate) }
	for name, c := range map[string]struct {
		f       func(seqs, replicate int) float64
		verdict string
		first   int // point
		curse   float64
	}{
		"holds": {holds, confirm.Holds, 0, 0},
		"luck": {func(seqs, replicate int) float64 {
			if seqs == 4 && replicate < 3 { // good by what the study happened to draw
				return 50 + ripple(seqs, replicate)
			}
			return holds(seqs, replicate)
		}, confirm.Luck, 3, 108.0/50 - 1},
		"tied": {func(seqs, replicate int) float64 { return 100 + ripple(3*seqs, replicate) }, confirm.Tied, -1, 0},
	} {
		dir := contestants(t, c.f, "")
		r, err := Confirm(t.Context(), ConfirmOptions{Dir: dir, Top: 4, By: "ttft_mean_ms", Runs: 20, Jobs: 2, newSimulate: noisy(c.f)})
		if err != nil {
			t.Fatal(err)
		}
		if r.Verdict != c.verdict || r.Holds() != (c.verdict != confirm.Luck) || c.first >= 0 && r.Points[0].Index != c.first {
			t.Errorf("%s: %s (%s), winner %d", name, r.Verdict, r.Reason, r.Points[0].Index)
		}
		if got := *r.Curse.Mean; math.Abs(got-c.curse) > 0.1 {
			t.Errorf("%s: curse %g, want %g", name, got, c.curse)
		}
		if r.Pairs != 6 || r.Kept+r.Swapped+r.Undecided != 6 || r.From != 3 {
			t.Errorf("%s: %d pairs, %d + %d + %d, from replicate %d", name, r.Pairs, r.Kept, r.Swapped, r.Undecided, r.From)
		}
		if name == "luck" && (r.Swapped != 3 || r.Kept != 3) {
			t.Errorf("%d swapped, %d kept: the winner is last", r.Swapped, r.Kept)
		}
		var text bytes.Buffer
		if err := r.Text(&text); err != nil || !strings.Contains(text.String(), "verdict         "+c.verdict) {
			t.Errorf("%v\n%s", err, &text)
		}
	}
}

// The fresh replicates are those the study has not, the same of all points, and
// the best is looked for in the direction that the metric says.
func TestConfirmRunsFreshReplicates(t *testing.T) {
	f := func(seqs, replicate int) float64 { return 100 + 2*float64(seqs) + ripple(seqs, replicate) }
	dir := contestants(t, f, "")
	var mu sync.Mutex
	seen := map[int][]int{}
	r, err := Confirm(t.Context(), ConfirmOptions{Dir: dir, Top: 2, By: "output_tok_s", Jobs: 2, newSimulate: noisy(func(seqs, replicate int) float64 {
		mu.Lock()
		defer mu.Unlock()
		seen[seqs] = append(seen[seqs], replicate)
		return f(seqs, replicate)
	})})
	if err != nil {
		t.Fatal(err)
	}
	for seqs, want := range map[int][]int{4: {0, 3, 4, 5, 6, 7}, 3: {3, 4, 5, 6, 7}} { // 0: the winner must reproduce
		if slices.Sort(seen[seqs]); !slices.Equal(seen[seqs], want) {
			t.Errorf("max_num_seqs = %d ran replicates %v, want %v", seqs, seen[seqs], want)
		}
	}
	if len(seen) != 2 || r.Goal != "max" || r.Points[0].Index != 3 || r.Runs != 5 {
		t.Errorf("%v, %+v", seen, r)
	}
}

// A winner whose fresh runs fail or saturate is broken.
func TestConfirmBroken(t *testing.T) {
	f := func(seqs, replicate int) float64 { return 100 + 2*float64(seqs) + ripple(seqs, replicate) }
	dir := contestants(t, f, "")
	for reason, result := range map[string]core.Result{
		"fresh runs are not ok": {Status: core.Failed, Reason: "nothing moves"},
		"is saturated":          {Status: core.OK, Summary: fine(1).Summary, Steady: 1, OfferedRPS: 2},
	} {
		r, err := Confirm(t.Context(), ConfirmOptions{Dir: dir, Top: 2, By: "ttft_mean_ms", Runs: 3, Jobs: 1, newSimulate: fake(func(sc *scenario.Scenario, o core.Options) core.Result {
			if sc.Engine.MaxNumSeqs == 1 && o.Replicate >= 3 {
				return result
			}
			return fine(f(sc.Engine.MaxNumSeqs, o.Replicate))
		})})
		if err != nil || r.Verdict != confirm.Broken || !strings.Contains(r.Reason, reason) || r.Holds() {
			t.Errorf("%v %+v, want %s", err, r, reason)
		}
	}
}

// The front of a study with objectives is run again beside the best; real
// simulations, the same report for any number of workers, and its file goes
// with the next run of the study.
func TestConfirmFront(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "out")
	file := write(t, reference+contest+"[[objective]]\nmetric = \"ttft_mean_ms\"\ngoal = \"min\"\n[[objective]]\nmetric = \"tpot_mean_ms\"\ngoal = \"min\"\n")
	run := Options{File: file, Dir: dir, Jobs: 2}
	if _, err := Run(t.Context(), run); err != nil {
		t.Fatal(err)
	}
	var texts []string
	for _, jobs := range []int{1, 2} {
		r, err := Confirm(t.Context(), ConfirmOptions{Dir: dir, Top: 0, Runs: 4, Jobs: jobs})
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range r.Points {
			if !p.Member || p.Stays == nil || p.InShare == nil {
				t.Errorf("%+v", p)
			}
		}
		text, err := os.ReadFile(filepath.Join(dir, confirm.File))
		if err != nil {
			t.Fatal(err)
		}
		texts = append(texts, string(text))
	}
	if texts[0] != texts[1] {
		t.Error("the report depends on the number of workers")
	}
	if _, err := Run(t.Context(), run); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(dir, confirm.File)); !os.IsNotExist(err) {
		t.Error("the report outlives the results that it is about")
	}
}

// Without chance there is no luck, and nothing is run but the winner.
func TestConfirmFixed(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "out")
	text := strings.NewReplacer("rate_rps = 2.0", "arrival = \"closed\"\nconcurrency = 4", `{ dist = "lognormal", mean = 64, cv = 0.8 }`, "64").Replace(reference)
	if _, err := Run(t.Context(), Options{File: write(t, text+contest), Dir: dir, Jobs: 2}); err != nil {
		t.Fatal(err)
	}
	total := 0
	r, err := Confirm(t.Context(), ConfirmOptions{Dir: dir, Top: 3, By: "ttft_mean_ms", Jobs: 2, Progress: func(p Progress) { total = p.Total }})
	if err != nil || r.Verdict != confirm.Fixed || total != 1 {
		t.Errorf("%v, %+v, %d runs", err, r, total)
	}
}

// What cannot be confirmed says why.
func TestConfirmErrors(t *testing.T) {
	f := func(seqs, replicate int) float64 { return 100 + 2*float64(seqs) + ripple(seqs, replicate) }
	dir := contestants(t, f, "")
	for want, o := range map[string]ConfirmOptions{
		"there is no such folder":             {Dir: "nowhere", Top: 1, By: "ttft_mean_ms"},
		"has no [[objective]]":                {Dir: dir, Top: 1},
		"no such metric":                      {Dir: dir, Top: 1, By: "ttft_men_ms"},
		"neither more nor less":               {Dir: dir, Top: 1, By: "requests_count"},
		"at least one point":                  {Dir: dir, By: "ttft_mean_ms"},
		"is not reproduced: point 0 rep":      {Dir: dir, Top: 1, By: "ttft_mean_ms", newSimulate: noisy(func(int, int) float64 { return 1 })},
		"holds no results":                    {Dir: t.TempDir(), Top: 1, By: "ttft_mean_ms"},
		"one run has no interval; take 2 or ": {Dir: dir, Top: 1, By: "ttft_mean_ms", Runs: 1},
	} {
		if o.Jobs = 1; o.newSimulate == nil {
			o.newSimulate = noisy(f)
		}
		if _, err := Confirm(t.Context(), o); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
	study := filepath.Join(dir, results.StudyFile)
	text, err := os.ReadFile(study)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(study, append(text, '\n'), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Confirm(t.Context(), ConfirmOptions{Dir: dir, Top: 1, By: "ttft_mean_ms", Jobs: 1}); !errors.Is(err, again.ErrChanged) {
		t.Errorf("a study that changed: %v", err)
	}
}

// Points that draw for themselves (crn = false) keep their seeds: the winner
// reproduces, and nothing is paired.
func TestConfirmIndependent(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "out")
	if _, err := Run(t.Context(), Options{File: write(t, reference+contest+"crn = false\n"), Dir: dir, Jobs: 2}); err != nil {
		t.Fatal(err)
	}
	r, err := Confirm(t.Context(), ConfirmOptions{Dir: dir, Top: 2, By: "tpot_mean_ms", Runs: 3, Jobs: 2})
	if err != nil || r.Points[1].Lead == nil {
		t.Fatalf("%v, %+v", err, r)
	}
	again, err := Diff(t.Context(), DiffOptions{A: dir, B: dir})
	if err != nil || !again.Rows[0].Changes[0].Paired || !again.Rows[0].Changes[0].Same {
		t.Errorf("%v, %+v", err, again)
	}
}
