package results

import (
	"math"
	"slices"
	"strings"
	"testing"

	"scoville/sweep/statistic"
)

// verdicts makes flags of a word: y, n and ? for not known.
func verdicts(word string) []*bool {
	yes, no := true, false
	var out []*bool
	for _, c := range word {
		out = append(out, map[rune]*bool{'y': &yes, 'n': &no}[c])
	}
	return out
}

func TestSteadyPoint(t *testing.T) {
	for word, want := range map[string]any{
		"": nil, "?": nil, "y": true, "n": false, "??y": nil, "?yy": true, "?y": nil, "?n": false, "??n": nil,
		"yn": false, "yyn": true, "ynn": false, "yyn?": nil, "ynn?": false, "yyyyyyyyyn": true,
	} {
		var c statistic.Tally
		for _, v := range verdicts(word) {
			c.Add(v)
		}
		if got := flag(c.Most()); got != want {
			t.Errorf("%q: %v, want %v", word, got, want)
		}
	}
}

func TestBothSteady(t *testing.T) {
	for pair, want := range map[string]any{"yy": true, "yn": false, "ny": false, "nn": false, "n?": false, "?n": false, "?y": nil, "y?": nil, "??": nil} {
		v := verdicts(pair)
		if got := flag(both(v[0], v[1])); got != want {
			t.Errorf("%s: %v, want %v", pair, got, want)
		}
	}
}

// An open loop that is not known to be steady meets or misses no objective,
// and taints the effects it is part of.
func TestUnsteadyRuns(t *testing.T) {
	runs := testRuns()
	no := false
	for i := range runs {
		switch runs[i].PointIndex {
		case 0:
			runs[i].Steady = verdicts("?y?")[i]
		case 3:
			runs[i].Steady = &no
		}
	}
	d := write(t, testMeta(), runs)
	want(t, whole(t, d), 0, map[string]any{"slo_ok": nil, "steady": nil})
	want(t, whole(t, d), 1, map[string]any{"slo_ok": true, "steady": true})
	want(t, whole(t, d), 9, map[string]any{"slo_ok": nil, "steady": false})
	want(t, d.Points, 0, map[string]any{"slo_ok": nil, "steady": nil})
	want(t, d.Points, 1, map[string]any{"slo_ok": true, "steady": true})
	want(t, d.Points, 3, map[string]any{"slo_ok": nil, "steady": false})
	want(t, effects(t, d), 0, map[string]any{"steady": nil, "effect": 0.25})
	want(t, effects(t, d), 2, map[string]any{"steady": false, "effect": 0.25})
	want(t, effects(t, write(t, testMeta(), testRuns())), 0, map[string]any{"steady": true})
}

// Axes and changes that move nothing are named; one that moves one bit of one
// metric of one run is not.
func TestInert(t *testing.T) {
	same := func(change func([]Run)) []string {
		runs := testRuns()
		for i := range runs {
			runs[i].Metrics = []float64{float64(runs[i].Replicate), math.NaN()}
		}
		change(runs)
		return write(t, testMeta(), runs).Manifest.Inert
	}
	for name, c := range map[string]struct {
		change func([]Run)
		want   string
	}{
		"all equal":         {func([]Run) {}, "workload.rate_rps hardware.weight_bandwidth_gb_s"},
		"one bit":           {func(r []Run) { r[7].Metrics[0] = math.Nextafter(1, 2) }, ""},
		"a cut moves":       {func(r []Run) { r[4].Metrics[1], r[10].Metrics[1] = 3, 3 }, "workload.rate_rps"},
		"a load moves":      {func(r []Run) { r[1].Metrics[1], r[4].Metrics[1] = 3, 3 }, "hardware.weight_bandwidth_gb_s"},
		"a missing partner": {func(r []Run) { r[0].Status, r[9].Status = Failed, Failed }, ""},
	} {
		if got := strings.Join(same(c.change), " "); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
	one := testRuns()[:3]
	if got := write(t, testMeta(), one).Manifest.Inert; !slices.Equal(got, []string{}) {
		t.Errorf("one point: %q", got)
	}
}

func TestExtrapolated(t *testing.T) {
	runs := testRuns()
	for i := range runs {
		switch runs[i].PointIndex {
		case 0:
			runs[i].Outside = []string{"engine.tp = 8 is outside 1 to 4", "x"}
		case 1:
			runs[i].Calibrated = false
		}
	}
	d := write(t, testMeta(), runs)
	want(t, whole(t, d), 0, map[string]any{"extrapolated": true, "outside": "engine.tp = 8 is outside 1 to 4; x"})
	want(t, d.Points, 0, map[string]any{"extrapolated": true, "outside": "engine.tp = 8 is outside 1 to 4; x"})
	want(t, d.Points, 1, map[string]any{"extrapolated": nil, "outside": nil})
	want(t, d.Points, 2, map[string]any{"extrapolated": false, "outside": nil})
}
