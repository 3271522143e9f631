package remark

import (
	"strings"
	"testing"

	"scoville/core/scenario"
	"scoville/core/workload"
)

func TestCounted(t *testing.T) {
	open := func(n, warm int) scenario.Scenario {
		s := scenario.Scenario{Workload: workload.Spec{Requests: n, Arrival: workload.Poisson}}
		s.Measurement.Warmup = warm
		return s
	}
	timed, trace, closed := open(0, 0), open(0, 0), open(500, 0)
	timed.Workload.DurationS, timed.Workload.RateRPS = 100, 12.34
	trace.Workload.Arrival, trace.Workload.Records = workload.Trace, make([]workload.Record, 40)
	closed.Workload.Arrival, closed.Workload.Concurrent, closed.Measurement.PerConc = workload.Closed, 8, 2000
	for _, c := range []struct {
		scenarios []scenario.Scenario
		metrics   []string
		want      string
	}{
		{[]scenario.Scenario{open(2000, 0)}, nil, "over 2,000 requests a run, from an empty start: none is left out as warm-up (measurement.warmup_requests); P99 rests on 20 of them beyond it: its interval will be wide"},
		{[]scenario.Scenario{open(2100, 100)}, []string{"ttft_p99_ms"}, "over 2,000 requests a run, the first 100 left out as warm-up; P99 rests on 20"},
		{[]scenario.Scenario{open(2100, 0)}, nil, "warmup_requests)$"},
		{[]scenario.Scenario{open(300, 0)}, []string{"ttft_mean_ms", "itl_p99_ms"}, "warmup_requests)$"},
		{[]scenario.Scenario{open(99, 0)}, nil, "P99 rests on 0 of them beyond it, it is hardly more than the largest"},
		{[]scenario.Scenario{open(5000, 10), open(300, 0)}, nil, "over 300 to 4,990 requests a run, the first 0 to 10 left out as warm-up; P99 rests on 3"},
		{[]scenario.Scenario{timed}, nil, "over 1,234 requests"},
		{[]scenario.Scenario{trace}, nil, "over 40 requests"},
		{[]scenario.Scenario{closed}, nil, "over 16,000 requests a run, from an empty start: none is left out as warm-up (measurement.warmup_requests)$"},
	} {
		var n counted
		for i := range c.scenarios {
			n.add(&c.scenarios[i])
		}
		got := strings.Join(n.note(c.metrics), "\n") + "$"
		if !strings.Contains(got, c.want) {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
	var none counted
	none.add(&scenario.Scenario{})
	if got := none.note(nil); got != nil {
		t.Errorf("%q", got)
	}
}
