package sweep

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"scoville/core"
	"scoville/core/scenario"
	"scoville/sweep/pilot"
)

func TestCost(t *testing.T) {
	p, err := Load(write(t, reference+"[axes]\n\"workload.rate_rps\" = { from = 0.1, to = 100, step = 0.1 }\n\"engine.max_num_seqs\" = [8, 16]\n[replicates]\nn = 5\n"), nil)
	if err != nil {
		t.Fatal(err)
	}
	if n, _, _ := p.Infeasible(); p.Capacities() != 2 || n != 0 {
		t.Errorf("%d capacities, %d infeasible: capacity depends on the batch limit, not on the rate", p.Capacities(), n)
	}
	ms := time.Millisecond
	trials := []pilot.Trial{{Run: 3 * ms, Capacity: 100 * ms}, {Run: 5 * ms, Capacity: 300 * ms}}
	for _, c := range []struct {
		trials           []pilot.Trial
		capacities, jobs int
		want             string
	}{
		// 10,000 runs of 4 ms and 2 of 200 ms.
		{trials, 2, 2, "pilot of 2 runs: mean 4 ms, max 5 ms; 2 capacity runs: mean 200 ms -> about 20 s on 2 cores, about "},
		{trials[:1], 0, 1, "pilot of 1 run: mean 3 ms, max 3 ms -> about 30 s on 1 core, about "},
		{nil, 2, 2, "pilot: no run ends within 2s -> over 3 h on 2 cores, about "},
	} {
		if got := pilot.Cost(p, c.trials, c.capacities, c.jobs); !strings.HasPrefix(got, c.want) || !strings.HasSuffix(got, " MB") {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}

// A pilot takes runs from all over the plan; what hangs or breaks does not
// keep or break the plan.
func TestPilot(t *testing.T) {
	p, err := Load(write(t, reference+"[axes]\n\"engine.max_num_seqs\" = { from = 1, to = 80, step = 1 }\n"), nil)
	if err != nil {
		t.Fatal(err)
	}
	seen := map[int]int{}
	trials, err := pilot.Try(t.Context(), p, fake(func(sc *scenario.Scenario, _ core.Options) core.Result {
		seen[sc.Engine.MaxNumSeqs]++
		if sc.Engine.MaxNumSeqs == 6 {
			panic("index out of range")
		}
		return fine(1)
	}))
	if err != nil || len(trials) != pilot.Runs-1 || len(seen) != pilot.Runs || seen[76] != 2 {
		t.Errorf("%d trials, %v, %v", len(trials), seen, err)
	}
	hang := func() Simulate {
		return func(ctx context.Context, _ *scenario.Scenario, _ core.Options) (core.Result, error) {
			<-ctx.Done()
			return core.Result{}, ctx.Err()
		}
	}
	start := time.Now()
	if trials, err = pilot.Try(t.Context(), p, hang); err != nil || len(trials) != 0 || time.Since(start) > 10*time.Second {
		t.Errorf("%d trials, %v", len(trials), err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err = pilot.Try(ctx, p, hang); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}
