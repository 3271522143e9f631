package engine

import (
	"context"
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"
	"unsafe"

	"scoville/core/metrics"
	"scoville/core/workload"
)

// harsh returns n requests with short prompts and outputs, gap seconds apart.
func harsh(n int, gap float64) []workload.Request {
	r := rand.New(rand.NewPCG(1, uint64(n)))
	reqs := make([]workload.Request, n)
	for i := range reqs {
		reqs[i] = workload.Request{Arrival: float64(i) * gap, Class: int32(r.IntN(2)), Prompt: int32(1 + r.IntN(40)), Output: int32(1 + r.IntN(60))}
	}
	return reqs
}

// each changes a copy of every request.
func each(reqs []workload.Request, f func(q *workload.Request)) []workload.Request {
	for i := range reqs {
		f(&reqs[i])
	}
	return reqs
}

// TestFaults serves what is hard to serve with every scheduler: each run ends,
// conserves (Run checks that), and agrees with the plain engine.
func TestFaults(t *testing.T) {
	one := func(q *workload.Request) { q.Output = 1 }
	cases := []struct {
		name string
		cfg  Config
		reqs []workload.Request
	}{
		// 25 blocks of 4 hold one of the requests, and the budget lets 64 in.
		{"preemption storm", Config{MaxSeqs: 64, MaxTokens: 2048, Blocks: 25, BlockSize: 4}, harsh(150, 0)},
		{"preemption storm of split prompts", Config{MaxSeqs: 64, MaxTokens: 100, Blocks: 100, BlockSize: 1}, harsh(150, 1e-3)},
		{
			"storm over shared prefixes",
			Config{MaxSeqs: 64, MaxTokens: 256, Blocks: 30, BlockSize: 4, Prefixes: 10, PrefixBlock: 4},
			each(harsh(150, 0), func(q *workload.Request) {
				for b := range q.Prompt / 4 {
					q.Prefix = append(q.Prefix, b)
				}
			}),
		},
		{"identical arrival times", Config{MaxSeqs: 8, MaxTokens: 128, Blocks: 1000, BlockSize: 16}, each(harsh(200, 0), func(q *workload.Request) { q.Arrival = 7.25 })},
		{"rate far beyond capacity", Config{MaxSeqs: 8, MaxTokens: 128, Blocks: 200, BlockSize: 16}, harsh(500, 1e-12)},
		{"zero-length gaps of a closed loop", Config{MaxSeqs: 8, MaxTokens: 128, Blocks: 200, BlockSize: 16, Closed: true, Concurrency: 20}, harsh(200, 0)},
		{"one-token outputs", Config{MaxSeqs: 4, MaxTokens: 128, Blocks: 200, BlockSize: 16}, each(harsh(200, 1e-3), one)},
		{"one-token outputs of a closed loop", Config{MaxSeqs: 4, MaxTokens: 128, Blocks: 200, BlockSize: 16, Closed: true, Concurrency: 3}, each(harsh(200, 0), one)},
		{"prompts of one token", Config{MaxSeqs: 16, MaxTokens: 16, Blocks: 600, BlockSize: 2}, each(harsh(200, 1e-3), func(q *workload.Request) { q.Prompt = 1 })},
		{"one sequence at a time", Config{MaxSeqs: 1, MaxTokens: 128, Blocks: 200, BlockSize: 16}, harsh(100, 1e-2)},
		{"one token a step", Config{MaxSeqs: 1, MaxTokens: 1, Blocks: 200, BlockSize: 16}, harsh(50, 1e-2)},
		{"no request", Config{MaxSeqs: 1, MaxTokens: 1, Blocks: 1, BlockSize: 1}, nil},
	}
	m := toy()
	for _, c := range cases {
		for name, s := range schedulers {
			cfg := c.cfg
			cfg.Chunked, cfg.PrefillFirst, cfg.Order, cfg.Batching = s.Chunked, s.PrefillFirst, s.Order, s.Batching
			cfg.Priorities, cfg.BatchWindow, cfg.BucketTokens = []int32{1, 0}, 0.05, 16
			if !cfg.Chunked {
				cfg.MaxTokens = max(cfg.MaxTokens, 100)
			}
			t.Run(c.name+"/"+name, func(t *testing.T) {
				out := both(t, m, cfg, c.reqs)
				storm := strings.Contains(c.name, "storm") && cfg.Batching == Iteration
				if storm != (out.Preemptions > 0) {
					t.Errorf("%d preemptions", out.Preemptions)
				}
			})
		}
	}
}

// TestFits: what can never be served is refused with the numbers, and a run of
// it nevertheless ends with an error instead of not at all.
func TestFits(t *testing.T) {
	reqs := []workload.Request{{Prompt: 10, Output: 5}, {Prompt: 30, Output: 20}}
	cases := []struct {
		cfg   Config
		want  string
		stuck bool
	}{
		{
			Config{MaxSeqs: 4, MaxTokens: 64, Chunked: true, Blocks: 12, BlockSize: 4},
			"cannot hold one request of the workload: 30 prompt + 20 output tokens need 13 KV blocks of 4 tokens, the pool has 12", true,
		},
		{
			Config{MaxSeqs: 4, MaxTokens: 20, Blocks: 13, BlockSize: 4},
			"a request of 30 prompt + 20 output tokens exceeds max_num_batched_tokens = 20 without chunked prefill", true,
		},
		{
			Config{MaxSeqs: 4, MaxTokens: 64, Chunked: true, Blocks: 13, BlockSize: 4, Prefixes: 1, PrefixBlock: 6},
			"prefix blocks of 6 tokens are not whole KV blocks of 4", false,
		},
		{Config{MaxSeqs: 4, MaxTokens: 64, Chunked: true, Blocks: 13, BlockSize: 4}, "<nil>", false},
	}
	m := toy()
	for _, c := range cases {
		if got := fmt.Sprint(c.cfg.Fits(reqs)); got != c.want {
			t.Errorf("got  %s\nwant %s", got, c.want)
		}
		if !c.stuck {
			continue
		}
		var e Engine
		var out Output
		if err := e.Run(context.Background(), m, c.cfg, reqs, &out); err != errStuck {
			t.Errorf("run: %v, want %v", err, errStuck)
		}
		if err := Plain(context.Background(), m, c.cfg, reqs, &out); err != errStuck {
			t.Errorf("plain: %v, want %v", err, errStuck)
		}
	}
}

// ending is a context that ends when it has been asked for its error so often.
type ending struct {
	context.Context
	asks int
}

func (e *ending) Err() error {
	if e.asks--; e.asks < 0 {
		return context.Canceled
	}
	return nil
}

// TestCancel: a run asks its context every 1024 events at most, and ends with it.
func TestCancel(t *testing.T) {
	reqs := harsh(5000, 1)
	engines := map[string]func(context.Context, Config, *Output) error{
		"one": func(ctx context.Context, cfg Config, out *Output) error {
			return new(Engine).Run(ctx, toy(), cfg, reqs, out)
		},
		"plain": func(ctx context.Context, cfg Config, out *Output) error {
			return Plain(ctx, toy(), cfg, reqs, out)
		},
		"two": func(ctx context.Context, cfg Config, out *Output) error {
			cfg.Replicas = 2
			return new(Cluster).Run(ctx, toy(), cfg, reqs, out)
		},
	}
	for name, s := range schedulers {
		for engine, run := range engines {
			if engine == "two" && s.Batching != Iteration {
				continue // batches are of one engine
			}
			for _, asks := range []int{0, 3} {
				cfg := s
				cfg.MaxSeqs, cfg.MaxTokens, cfg.Blocks, cfg.BlockSize, cfg.BucketTokens = 1, 128, 200, 16, 16
				ctx := &ending{context.Background(), asks}
				var out Output
				if err := run(ctx, cfg, &out); err != context.Canceled || out.Events > int64(1024*(asks+1)) {
					t.Errorf("%s on %s: %v after %d events", name, engine, err, out.Events)
				}
			}
		}
	}
}

// TestMillion serves 10^6 requests at a rate far beyond capacity, so that nearly
// all of them wait, and measures what an engine keeps beside its output: at most
// 200 bytes per request.
func TestMillion(t *testing.T) {
	if testing.Short() {
		t.Skip("a million requests")
	}
	const n = 1_000_000
	reqs := harsh(n, 1e-9)
	cfg := Config{MaxSeqs: 256, MaxTokens: 8192, Chunked: true, Blocks: 10_000, BlockSize: 16, Order: Shortest}
	var e Engine
	var out Output
	before := heap()
	if err := e.Run(context.Background(), toy(), cfg, reqs, &out); err != nil {
		t.Fatal(err)
	}
	result := cap(out.Requests)*int(unsafe.Sizeof(metrics.Request{})) + cap(out.Gaps)*int(unsafe.Sizeof(metrics.Gap{}))
	perRequest := float64(int(heap()-before)-result) / n
	runtime.KeepAlive(&e)
	runtime.KeepAlive(reqs)
	t.Logf("%.1f bytes per request beside %.1f of output", perRequest, float64(result)/n)
	if perRequest > 200 {
		t.Errorf("%.1f bytes per request, at most 200", perRequest)
	}
}

// heap returns the bytes of live memory.
func heap() uint64 {
	runtime.GC()
	var s runtime.MemStats
	runtime.ReadMemStats(&s)
	return s.HeapAlloc
}
