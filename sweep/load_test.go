package sweep

import (
	"context"
	"math"
	"sync/atomic"
	"testing"
	"time"

	"scoville/core"
	"scoville/core/scenario"
)

// Runs that differ in cost by a factor of 1000, and only sleep, so that whatever
// else the machine does matters little: the workers are busy to the end, and after
// a tenth the time left is known. The bounds are wide; -v tells what was measured.
func TestLoad(t *testing.T) {
	const jobs = 16
	file := write(t, reference+"[axes]\n\"engine.max_num_seqs\" = { from = 1, to = 50, step = 1 }\n\"workload.rate_rps\" = { from = 1, to = 40, step = 1 }\n")
	var busy atomic.Int64
	var begun, tenth time.Time
	var told time.Duration
	calls := 0
	o := Options{
		File: file, Dir: t.TempDir(), Jobs: jobs,
		newSimulate: func() Simulate {
			return func(_ context.Context, sc *scenario.Scenario, _ core.Options) (core.Result, error) {
				start := time.Now()
				u := math.Mod(float64(sc.Engine.MaxNumSeqs)*0.618+sc.Workload.RateRPS*0.414, 1) // of no order
				time.Sleep(time.Duration(1e5 * math.Pow(1000, u)))
				busy.Add(int64(time.Since(start)))
				return fine(1), nil
			}
		},
		Progress: func(p Progress) {
			switch calls++; p.Done {
			case 0:
				begun = time.Now()
			case p.Total / 10:
				tenth, told = time.Now(), p.Left
			case p.Total:
				took, left := time.Since(begun), time.Since(tenth)
				used := float64(busy.Load()) / float64(jobs) / float64(took)
				off := told.Seconds()/left.Seconds() - 1
				t.Logf("%d runs in %v, workers busy %.1f %% of it; after a tenth %v left, told %v: %+.0f %%", p.Total, took, 100*used, left, told, 100*off)
				if used < 0.5 || math.Abs(off) > 0.5 {
					t.Error("workers are idle, or the time left is not known")
				}
			}
		},
	}
	if _, err := Run(t.Context(), o); err != nil || calls != 2001 {
		t.Errorf("%v, %d calls", err, calls)
	}
}
