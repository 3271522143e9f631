package core

import (
	"context"
	"strings"
	"testing"

	"scoville/core/workload"
)

// A small file may ask for what no memory holds: that is infeasible, and said
// before anything is drawn.
func TestTooLargeIsInfeasible(t *testing.T) {
	for _, c := range []struct {
		dp, seqs, requests int
		seconds            float64
		want               string
	}{
		{4096, 256, 50, 0, "engine.dp = 4096 replicas of up to 256 sequences: measuring their capacity takes 5242880 requests, at most 2000000"},
		{1, 256, 10_000_001, 0, "1e+07 requests in one run, at most 10000000"},
		{1, 256, 0, 1e9, "1e+09 requests in one run, at most 10000000"},
		{64, 256, 50, 0, ""},
	} {
		sc := reference(t, map[string]any{})
		sc.Workload = workload.Spec{
			Requests: c.requests, DurationS: c.seconds, Arrival: workload.Poisson, RateRPS: 1, ArrivalCV: 1, RateScale: 1,
			Class: []workload.Class{{Name: "a", Share: 1, Prompt: workload.Dist{Kind: workload.Fixed, Mean: 128}, Output: workload.Dist{Kind: workload.Fixed, Mean: 64}}},
		}
		sc.Engine.DP, sc.Engine.MaxNumSeqs = c.dp, c.seqs
		res, err := Simulate(context.Background(), sc, Options{})
		if err != nil || (res.Status == Infeasible) != (c.want != "") || !strings.HasPrefix(res.Reason, c.want) {
			t.Errorf("%+v: %v %s, %v", c, res.Status, res.Reason, err)
		}
	}
}
