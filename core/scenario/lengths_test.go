package scenario

import (
	"slices"
	"strings"
	"testing"

	"scoville/core/workload"
)

// TestClampedMeans: a mean that limits move by more than 5 % is noted, with
// what remains of it.
func TestClampedMeans(t *testing.T) {
	const key = "workload.class.short.prompt_tokens: mean = "
	for _, c := range []struct {
		prompt map[string]any
		want   string
	}{
		{map[string]any{"dist": "lognormal", "mean": 300, "cv": 0.8, "max": 2048}, ""},
		{map[string]any{"dist": "lognormal", "mean": 8000, "cv": 1, "max": 4000}, "8,000 is above max = 4,000, to which longer ones are cut: the lengths drawn have a mean of 3,492"},
		{map[string]any{"dist": "lognormal", "mean": 4000, "cv": 1, "max": 8000}, "4,000 is before lengths above max = 8,000 are cut to it: the lengths drawn have a mean of 3,492"},
		{map[string]any{"dist": "gamma", "mean": 100, "cv": 0.5, "min": 200}, "100 is below min = 200, to which shorter ones are raised: the lengths drawn have a mean of 201"},
		{map[string]any{"dist": "gamma", "mean": 100, "cv": 3, "min": 50}, "100 is before lengths below 50 are raised to it: the lengths drawn have a mean of 134"},
		{map[string]any{"dist": "gamma", "mean": 100, "cv": 3, "min": 10, "max": 300}, "100 is before the limits min = 10 and max = 300: the lengths drawn have a mean of 57.6"},
	} {
		s := resolve(t, Layer{Doc: doc(t, "s.toml", plain)}, values("workload.class.short.prompt_tokens", c.prompt, "model.max_context", 0)).Scenario
		var want []string
		if c.want != "" {
			want = []string{key + c.want}
		}
		if got := s.Notes(); !slices.Equal(got, want) {
			t.Errorf("%v: got %q, want %q", c.prompt, got, want)
		}
		if s.Workload.Arrival = workload.Trace; s.clampedMeans() != nil {
			t.Error("a trace has no classes")
		}
	}
}

// TestLimitsReachable: a limit below what a metric can be is refused.
func TestLimitsReachable(t *testing.T) {
	for _, c := range []struct {
		key  string
		x    float64
		want string
	}{
		{"ttft_p99_ms.max", -2, "-2 is below 0, which ttft_p99_ms never is"},
		{"ttft_p99_ms.max", 0, "0 is not above 0, as ttft_p99_ms always is"},
		{"output_tok_s.min", -1, "-1 is below 0, which output_tok_s never is"},
		{"output_tok_s.min", 0, ""},
		{"preemptions_count.max", 0, ""},
		{"preemptions_count.max", -1, "-1 is below 0, which preemptions_count never is"},
		{"ttft_queue_mean_ms.max", 0, ""},
		{"tpot_own_excess_mean_ms.max", -1, ""},
	} {
		err := resolve(t, Layer{Doc: doc(t, "s.toml", plain)}, values("slo."+c.key, c.x)).Scenario.Validate()
		got := ""
		if err != nil {
			got = err.Error()
		}
		if (c.want == "") != (got == "") || !strings.Contains(got, c.want) {
			t.Errorf("%s = %v: %q, want %q", c.key, c.x, got, c.want)
		}
	}
}
