package core

import (
	"strings"
	"testing"
)

// A run over its limit is a timeout: no numbers, and what it is over said. The
// limit itself is not over. Jumping and plain engine agree about simulated time
// with every way to batch, and on replicas.
func TestLimit(t *testing.T) {
	for name, set := range map[string]map[string]any{
		"open":     {},
		"closed":   {},
		"static":   {"engine.scheduler": "static"},
		"dynamic":  {"engine.scheduler": "dynamic"},
		"draft":    {"engine.speculative_tokens": 2, "engine.speculative_acceptance": 0.5},
		"replicas": {"engine.dp": 2},
	} {
		set["workload.requests"] = 60
		sc := reference(t, set)
		if name == "closed" {
			sc.Workload.Arrival, sc.Workload.Concurrent, sc.Workload.RateRPS = "closed", 8, 0
		}
		free := simulate(t, sc, Options{})
		if free.Status != OK {
			t.Fatalf("%s: %s %s", name, free.Status, free.Reason)
		}
		for _, c := range []struct {
			limit Limit
			plain bool
			want  string // in the reason; "" = ok
		}{
			{Limit{Events: free.Events, SimS: free.SimS}, false, ""},
			{Limit{Events: free.Events - 1}, false, "events"},
			{Limit{Events: 1}, false, "not over after 1 events"},
			{Limit{SimS: free.SimS}, false, ""},
			{Limit{SimS: 1.000001 * free.SimS}, true, ""},
			{Limit{SimS: 0.999 * free.SimS}, false, "s of simulated time"},
			{Limit{SimS: 0.999 * free.SimS}, true, "s of simulated time"},
			{Limit{SimS: 1e-9}, false, "not over after 1e-09 s"},
		} {
			r := simulate(t, sc, Options{Limit: c.limit, Plain: c.plain})
			if c.want == "" {
				if r.Status != OK || !c.plain && r.Summary[0] != free.Summary[0] {
					t.Errorf("%s, %+v, plain %t: %s %s", name, c.limit, c.plain, r.Status, r.Reason)
				}
				continue
			}
			if r.Status != Timeout || !strings.Contains(r.Reason, c.want) || r.Summary[0] == r.Summary[0] || !(r.SimS >= 0) {
				t.Errorf("%s, %+v, plain %t: %s %q %v", name, c.limit, c.plain, r.Status, r.Reason, r.Summary[0])
			}
		}
	}
}
