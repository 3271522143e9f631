package row

import (
	"math"
	"testing"

	"scoville/core/metrics"
	"scoville/core/scenario"
)

func TestMeets(t *testing.T) {
	s := make(metrics.Summary, len(metrics.Columns()))
	for i := range s {
		s[i] = 10
	}
	i, _ := metrics.Index("tpot_mean_ms")
	s[i] = math.NaN()
	nan := math.NaN()
	for _, c := range []struct {
		limits []scenario.Limit
		want   string
	}{
		{nil, "null"},
		{[]scenario.Limit{{Metric: "ttft_mean_ms", Max: 10, Min: nan}}, "true"},
		{[]scenario.Limit{{Metric: "ttft_mean_ms", Max: 9, Min: nan}}, "false"},
		{[]scenario.Limit{{Metric: "ttft_mean_ms", Max: nan, Min: 11}}, "false"},
		{[]scenario.Limit{{Metric: "tpot_mean_ms", Max: 99, Min: nan}}, "null"},
	} {
		got := "null"
		if ok := meets(c.limits, s); ok != nil {
			got = map[bool]string{true: "true", false: "false"}[*ok]
		}
		if got != c.want {
			t.Errorf("%+v: %s, want %s", c.limits, got, c.want)
		}
	}
}
