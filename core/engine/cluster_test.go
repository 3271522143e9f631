package engine

import (
	"context"
	"testing"

	"scoville/core/perf"
	"scoville/core/workload"
)

// TestClusterRoundRobin: replicas in turn are engines of their own, each with
// every n-th request.
func TestClusterRoundRobin(t *testing.T) {
	var c Cluster
	var e Engine
	var got, part Output
	for seed := range uint64(300) {
		tr := newTrial(seed)
		if tr.cfg.Batching != Iteration || tr.cfg.Closed || tr.cfg.Frontend > 0 {
			continue
		}
		tr.cfg.Warmup, tr.cfg.Ahead = 0, false
		tr.cfg.Replicas = 1 + int(seed%3)
		if err := c.Run(context.Background(), tr.m, tr.cfg, tr.reqs, &got); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		for r := range tr.cfg.Replicas {
			var reqs []workload.Request
			for i := r; i < len(tr.reqs); i += tr.cfg.Replicas {
				reqs = append(reqs, tr.reqs[i])
			}
			if err := e.Run(context.Background(), tr.m, tr.cfg, reqs, &part); err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
			for i := range part.Requests {
				g, w := got.Requests[r+i*tr.cfg.Replicas], part.Requests[i]
				if g.Replica != int32(r) || !close(g.First, w.First, w.First) || !close(g.Finish, w.Finish, w.Finish) || g.Preemptions != w.Preemptions {
					t.Fatalf("seed %d: replica %d request %d: %+v, alone %+v", seed, r, i, g, w)
				}
			}
		}
	}
}

// TestCluster: any routing and any loop serves everything once, and least
// loaded never waits longer on average than round robin on a busy mix.
func TestCluster(t *testing.T) {
	var c Cluster
	var out Output
	for seed := range uint64(600) {
		tr := newTrial(seed)
		if tr.cfg.Batching != Iteration {
			continue
		}
		tr.cfg.Replicas = 2 + int(seed%3)
		tr.cfg.Routing = Routing(seed / 3 % 2)
		if err := c.Run(context.Background(), tr.m, tr.cfg, tr.reqs, &out); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		tr.cfg.Saturate = true
		if err := c.Run(context.Background(), tr.m, tr.cfg, tr.reqs, &out); err != nil {
			t.Fatalf("seed %d: saturated: %v", seed, err)
		}
	}
}

func TestLeastLoadedBalances(t *testing.T) {
	sc := llama7b(4)
	tr := trial{sc: *sc, reqs: threeClasses(2, 2000, 256)}
	cfg := Config{MaxSeqs: 4, MaxTokens: 8192, Chunked: true, BlockSize: 16, Blocks: 20000, Replicas: 3}
	queue := func(r Routing) (sum float64) {
		var c Cluster
		var out Output
		cfg.Routing = r
		if err := c.Run(context.Background(), perf.New(sc), cfg, tr.reqs, &out); err != nil {
			t.Fatal(err)
		}
		for i := range out.Requests {
			sum += out.Requests[i].Queue + out.Requests[i].Blocked
		}
		return sum
	}
	if robin, least := queue(RoundRobin), queue(LeastLoaded); least > 0.95*robin {
		t.Errorf("waiting: %.1f s least loaded, %.1f s round robin", least, robin)
	}
}
