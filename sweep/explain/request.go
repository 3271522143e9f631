package explain

import (
	"context"
	"math"
	"strings"

	"scoville/core"
	"scoville/core/metrics"
	"scoville/core/scenario"
)

// Request is the mean request: what its latencies are made of, and the same
// request alone on the machine. Times are in milliseconds.
type Request struct {
	Prompt    int    `json:"prompt_tokens"` // mean, rounded
	Output    int    `json:"output_tokens"`
	TTFT      Num    `json:"ttft_mean_ms"`
	TTFTParts []Term `json:"ttft_parts"` // add up to TTFT
	TPOT      Num    `json:"tpot_mean_ms"`
	TPOTParts []Term `json:"tpot_parts"` // add up to TPOT
	E2E       Num    `json:"e2e_mean_ms"`
	EachTTFT  Num    `json:"ttft_alone_mean_ms"` // mean of the requests, each alone on the machine
	EachTPOT  Num    `json:"tpot_alone_mean_ms"`
	Alone     *Alone `json:"alone"`
}

// Term is one term of a sum.
type Term struct {
	Name string `json:"name"`
	MS   Num    `json:"ms"`
}

// Alone is the mean request alone on the machine.
type Alone struct {
	TTFT   Num    `json:"ttft_ms"`
	TPOT   Num    `json:"tpot_ms"`
	E2E    Num    `json:"e2e_ms"`
	Stages []Part `json:"stages"`
	Bound  string `json:"bound"`
}

// Parts of the latencies by metric; the first list of which a run has every
// column is taken.
var (
	ttftParts = [][]string{
		{"ttft_closed_mean_ms", "ttft_host_mean_ms", "ttft_queue_mean_ms", "ttft_blocked_mean_ms", "ttft_prefill_excess_mean_ms", "ttft_adapter_mean_ms"},
		{"ttft_host_mean_ms", "ttft_queue_mean_ms", "ttft_blocked_mean_ms", "ttft_prefill_mean_ms", "ttft_adapter_mean_ms"},
	}
	tpotParts = [][]string{
		{"tpot_closed_mean_ms", "tpot_own_excess_mean_ms", "tpot_batch_mean_ms", "tpot_prefill_mean_ms", "tpot_host_mean_ms", "tpot_adapter_mean_ms"},
		{"tpot_own_mean_ms", "tpot_batch_mean_ms", "tpot_prefill_mean_ms", "tpot_host_mean_ms", "tpot_adapter_mean_ms"},
	}
)

// request explains the mean request over the runs.
func request(ctx context.Context, sc *scenario.Scenario, runs []replay) (*Request, error) {
	q := &Request{
		Prompt: max(1, int(math.Round(mean(runs, func(r *replay) float64 { return r.prompt })))),
		Output: max(1, int(math.Round(mean(runs, func(r *replay) float64 { return r.output })))),
		TTFT:   metric(runs, "ttft_mean_ms"), TPOT: metric(runs, "tpot_mean_ms"), E2E: metric(runs, "e2e_mean_ms"),
		EachTTFT: metric(runs, "ttft_alone_mean_ms"), EachTPOT: metric(runs, "tpot_alone_mean_ms"),
		TTFTParts: terms(runs, "ttft_", ttftParts), TPOTParts: terms(runs, "tpot_", tpotParts),
	}
	res, err := core.NewSimulator(core.NewCapacities()).Alone(ctx, sc, q.Prompt, q.Output)
	if err != nil || res.Status != core.OK {
		return q, err
	}
	one := []replay{{Result: res}}
	q.Alone = &Alone{
		TTFT: metric(one, "ttft_mean_ms"), TPOT: metric(one, "tpot_mean_ms"), E2E: metric(one, "e2e_mean_ms"),
		Stages: parts(res.Stages, total(res.Stages)), Bound: res.Bound,
	}
	return q, nil
}

func total(shares []core.Share) float64 {
	sum := 0.0
	for _, s := range shares {
		sum += s.Seconds
	}
	return sum
}

// metric is the mean of a metric over the runs, NaN if there is no such metric
// or one run does not define it.
func metric(runs []replay, name string) Num {
	i, ok := metrics.Index(name)
	if !ok {
		return Num(math.NaN())
	}
	return Num(mean(runs, func(r *replay) float64 { return r.Summary[i] }))
}

// terms returns the first list whose metrics all have a value.
func terms(runs []replay, prefix string, lists [][]string) []Term {
	for _, names := range lists {
		var out []Term
		for _, name := range names {
			if v := metric(runs, name); v.known() {
				short := strings.TrimSuffix(strings.TrimPrefix(name, prefix), "_mean_ms")
				out = append(out, Term{strings.ReplaceAll(short, "_", " "), v})
			}
		}
		if len(out) == len(names) {
			return out
		}
	}
	return nil
}
