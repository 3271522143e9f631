package sweep

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"scoville/core"
	"scoville/core/scenario"
	"scoville/sweep/failure"
)

// stacks reads the log of a folder and wants the stack of a panic of this file.
func stacks(t *testing.T, name, dir, where string) {
	t.Helper()
	log, err := os.ReadFile(filepath.Join(dir, failure.File))
	if err != nil || !strings.Contains(string(log), where) || !strings.Contains(string(log), "panic: out of luck") || !strings.Contains(string(log), "failure_test.go") {
		t.Errorf("%s: log %q, %v", name, log, err)
	}
}

// The stack of a panic is written down wherever the run is asked for: by a search,
// a draw or a confirmation.
func TestStacksAreLogged(t *testing.T) {
	unlucky := fake(func(*scenario.Scenario, core.Options) core.Result { panic("out of luck") })
	dir := t.TempDir()
	search := "[slo]\nttft_p99_ms = { max = 500 }\n[search]\nover = \"engine.max_num_seqs\"\ngoal = \"max\"\nfrom = 1\nto = 8\n"
	if _, err := Run(t.Context(), Options{File: write(t, reference+search), Dir: dir, Jobs: 1, newSimulate: unlucky}); err != nil {
		t.Fatal(err)
	}
	stacks(t, "search", dir, " replicate 0: ")

	dir = t.TempDir()
	half := fake(func(sc *scenario.Scenario, _ core.Options) core.Result {
		if sc.Hardware.ComputeUtil != 0.5 { // a draw
			panic("out of luck")
		}
		return fine(1)
	})
	if _, err := Run(t.Context(), Options{File: unsure(t, unsureOverlay, reference+"[uncertainty]\ndraws = 20\n"), Dir: dir, Jobs: 1, newSimulate: half}); err != nil {
		t.Fatal(err)
	}
	stacks(t, "draw", dir, " draw ")

	dir = contestants(t, func(seqs, _ int) float64 { return float64(seqs) }, "")
	_, _ = Confirm(t.Context(), ConfirmOptions{Dir: dir, Top: 1, By: "ttft_mean_ms", Jobs: 1, newSimulate: unlucky})
	stacks(t, "confirm", dir, " replicate 0: ")
}
