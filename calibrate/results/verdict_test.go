package results

import (
	"math"
	"testing"
)

// A fit that converged describes its data up to a median error of 50 %, in every
// metric and for every model; what is held out has no say.
func TestJudge(t *testing.T) {
	of := func(ttft, tpot float64) []Error {
		return []Error{{Metric: "ttft_mean_ms", Split: Fitted, Median: ttft}, {Metric: "tpot_mean_ms", Split: Fitted, Median: tpot}, {Metric: "ttft_mean_ms", Split: HeldOut, Median: 9}}
	}
	for _, c := range []struct {
		f      Fit
		status string
		gates  string
	}{
		{Fit{Status: Converged, Errors: of(0.1, 0.5)}, Converged, ""},
		{Fit{Status: Converged, Errors: of(0.1, 0.51)}, Undescribed, "fitted tpot_mean_ms 0.510 > 0.500"},
		{Fit{Status: Converged, Errors: of(math.Inf(1), 0.1)}, Undescribed, "fitted ttft_mean_ms none > 0.500"},
		{Fit{Status: Converged, Errors: of(0.1, 0.1), Models: []Model{{Name: "a", Errors: of(0.1, 0.1)}, {Name: "b", Errors: of(585, 0.1)}}}, Undescribed, "fitted ttft_mean_ms of b 585 > 0.500"},
		{Fit{Status: "not converged", Errors: of(585, 585)}, "not converged", ""},
	} {
		c.f.Judge()
		gates := ""
		for _, g := range c.f.Gates {
			gates += g.String()
		}
		if c.f.Status != c.status || gates != c.gates {
			t.Errorf("%v: %s, %q, want %s, %q", c.f.Errors, c.f.Status, gates, c.status, c.gates)
		}
	}
}
