package sweep

import (
	"testing"

	"scoville/sweep/results"
)

// saturated is how many points of each shipped study have no steady state, as
// studies/README.md says of it.
var saturated = map[string]int{
	"baseline":      0,
	"batch-degrade": 0,
	"batch-ttft":    2,
	"concurrency":   0,
	"condition":     0,
	"crossings":     0,
	"devices":       0,
	"dtype":         0,
	"dtype-32k":     0,
	"grid":          360,
	"h100":          1,
	"headline":      0,
	"kv-half":       0,
	"kv-int8":       0,
	"lengths":       1,
	"memory":        0,
	"mix":           1,
	"onchip":        0,
	"schedulers":    3,
	"sensitivity":   0,
	"sequence":      0,
	"throughput":    8,
	"tiers":         0,
	"tradeoff":      0,
	"utilisation":   0,
	"variants":      0,
	"vendor":        0,
	"window":        2,
}

// TestShippedStudiesRun runs every shipped study: no point fails, those that
// cannot run are the ones meant to be, and so are the saturated ones.
func TestShippedStudiesRun(t *testing.T) {
	for name, want := range saturated {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := Options{File: "../studies/" + name + ".toml", Dir: t.TempDir(), Jobs: 1}
			if name == "grid" { // its answer is in its own test; a fifth of the requests will do
				o.Set = []string{"workload.requests=200"}
			}
			out, err := Run(t.Context(), o)
			if err != nil {
				t.Fatal(err)
			}
			if n := out.Counts[results.Failed]; n > 0 {
				t.Errorf("%d failed runs", n)
			}
			if n := out.Counts[results.Infeasible]; n != impossible[name+".toml"] {
				t.Errorf("%d infeasible points, want %d", n, impossible[name+".toml"])
			}
			d, err := results.Open(o.Dir)
			if err != nil {
				t.Fatal(err)
			}
			got, steady := 0, d.Points.Index("steady")
			for i := range d.Points.Len() {
				if s, known := d.Points.Bool(steady, i); known && !s {
					got++
				}
			}
			if got != want {
				t.Errorf("%d saturated points, want %d", got, want)
			}
		})
	}
}
