package core

import (
	"math"
	"testing"
)

// TestWatch: what is told while a run goes on adds up to what it reports, watching
// changes nothing, and every request begins, speaks and ends once.
func TestWatch(t *testing.T) {
	for name, set := range map[string]map[string]any{
		"separate":     nil,
		"shared":       {"hardware.name": "h100-sxm"},
		"replicas":     {"engine.dp": 2},
		"speculative":  {"engine.speculative_tokens": 3, "engine.speculative_acceptance": 0.7},
		"static":       {"engine.scheduler": "static"},
		"short memory": {"engine.kv_blocks": 300},
	} {
		sc := reference(t, set)
		sc.Workload.Requests = 200
		quiet := simulate(t, sc, Options{})
		var spent Spent
		began, first, ended := map[int]bool{}, map[int]bool{}, map[int]bool{}
		res := simulate(t, sc, Options{Watch: func(m *Moment) {
			switch m.Kind {
			case Stepped:
				spent.Add(m.Steps)
				stages, resources := m.Steps.Shares(m.Steps.N - 1)
				if s := m.Steps.Seconds(m.Steps.N - 1); !near(sum(stages), s) || !near(sum(resources), s) {
					t.Fatalf("%s: a step of %g s has stages of %g s and resources of %g s", name, s, sum(stages), sum(resources))
				}
			case Began:
				began[m.Request] = true
			case First:
				first[m.Request] = true
			case Ended:
				ended[m.Request] = true
			}
		}})
		if len(began) != 200 || len(first) != 200 || len(ended) != 200 {
			t.Errorf("%s: of 200 requests %d begin, %d speak, %d end", name, len(began), len(first), len(ended))
		}
		if a, b := metric(t, quiet, "e2e_mean_ms"), metric(t, res, "e2e_mean_ms"); a != b {
			t.Errorf("%s: E2E is %g ms, watched %g ms", name, a, b)
		}
		stages, resources := spent.Shares()
		for _, both := range [][2][]Share{{stages, res.Stages}, {resources, res.Resources}} {
			told := map[string]float64{}
			for _, s := range both[0] {
				told[s.Name] = s.Seconds
			}
			for _, s := range both[1] {
				if math.Abs(told[s.Name]-s.Seconds) > 1e-9*spent.Seconds {
					t.Errorf("%s: %s takes %g s, told %g s", name, s.Name, s.Seconds, told[s.Name])
				}
			}
		}
	}
}

func sum(all []Share) (s float64) {
	for _, x := range all {
		s += x.Seconds
	}
	return s
}

func near(a, b float64) bool { return math.Abs(a-b) <= 1e-9*math.Max(a, b) }
