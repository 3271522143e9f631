package budget

import (
	"errors"
	"math"
	"strings"
	"testing"

	"scoville/sweep/results"
	"scoville/sweep/study/effort"
)

// One failure more than the rule allows stops; what cannot run is none.
func TestBudget(t *testing.T) {
	nan := math.NaN()
	for _, c := range []struct {
		limit effort.Budget
		fast  bool
		stop  int // number of the failure that stops; 0 = none
		rule  string
	}{
		{effort.Budget{Failures: -1, Share: nan}, false, 0, ""},
		{effort.Budget{Failures: -1, Share: nan}, true, 1, "--fail-fast"},
		{effort.Budget{Failures: 5, Share: nan}, true, 1, "--fail-fast"},
		{effort.Budget{Failures: 0, Share: nan}, false, 1, "max_failures = 0"},
		{effort.Budget{Failures: 3, Share: nan}, false, 4, "max_failures = 3"},
		{effort.Budget{Failures: -1, Share: 0.05}, false, 3, `max_failures = "5%" of 40 planned runs`},
		{effort.Budget{Failures: -1, Share: 1}, false, 0, ""},
	} {
		b := New(&effort.Effort{Budget: c.limit}, 40, c.fast)
		stopped := 0
		for i := range 40 {
			for _, status := range []string{results.OK, results.Infeasible} {
				if err := b.Add(&results.Run{Status: status}); err != nil {
					t.Fatalf("%+v: %s: %v", c, status, err)
				}
			}
			status := results.Failed
			if i%2 == 1 {
				status = results.Timeout
			}
			err := b.Add(&results.Run{PointIndex: i, Replicate: 1, Status: status, Error: "leak"})
			if err == nil {
				continue
			}
			stopped = i + 1
			e, ok := errors.AsType[*StoppedError](err)
			if !ok || e.Failed != stopped || e.Rule != c.rule || !strings.Contains(err.Error(), "x failed: leak (point 0 replicate 1)") {
				t.Errorf("%+v: %v", c, err)
			}
			break
		}
		if stopped != c.stop {
			t.Errorf("%+v: stopped at failure %d", c, stopped)
		}
	}
}
