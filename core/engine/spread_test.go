package engine

import (
	"math"
	"testing"

	"scoville/core/workload"
)

// TestClientSpread: the overhead of clients keeps its mean, has the standard
// deviation asked for and a part that all have, 10 ms x (1 - 0.4).
func TestClientSpread(t *testing.T) {
	cfg := Config{Client: 0.010, Spread: 0.4, SpreadNoise: workload.NewStream(1, 0, "client")}
	const n = 100_000
	sum, squares, least := 0.0, 0.0, math.Inf(1)
	for id := range int32(n) {
		x := cfg.client(id)
		sum, squares, least = sum+x, squares+x*x, min(least, x)
	}
	mean := sum / n
	for _, c := range []struct {
		what      string
		got, want float64
	}{
		{"mean", mean, 0.010},
		{"standard deviation", math.Sqrt(squares/n - mean*mean), 0.004},
		{"least", least, 0.006},
	} {
		if math.Abs(c.got/c.want-1) > 0.02 {
			t.Errorf("%s %g s, by hand %g", c.what, c.got, c.want)
		}
	}
	cfg.Spread = 0
	if got := cfg.client(7); got != 0.010 {
		t.Errorf("without a spread %g s", got)
	}
}
