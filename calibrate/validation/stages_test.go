package validation

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"testing"

	"scoville/calibrate/fit"
	"scoville/calibrate/objective"
	"scoville/core/metrics"
	"scoville/core/scenario"
	"scoville/core/workload"
)

// spread is a summary of inference-perf, in seconds.
type spread struct {
	Mean   float64
	Median float64
	P90    float64
}

// stage is one stage of a variant of inference-perf-kubecon.
type stage struct {
	variant string
	number  int
	rate    float64 // req/s asked for
	served  float64 // req/s, from the first request sent to the last answer
	ttft    spread
	tpot    float64 // mean, s: (latency - TTFT) / 63; the file's own counts two chunks a token
	full    bool    // the client's limit of requests in flight bound: the queue is never empty
	count   int     // requests
	sc      scenario.Scenario
}

// inFlight is the client's limit: 44 workers of 10 requests each.
const inFlight = 440

// Variants. In the second and third the 100 distinct prompts are in the prefix
// cache after the first pass; the third is a repeat of the second.
var variants = [...]string{"vllm", "vllm+chunking_and_prefix_caching", "vllm+quantization"}

// fittedStages are the stages of a variant that are well below saturation.
const fittedStages = 4

func readStage(t *testing.T, dir string, variant, number int) *stage {
	t.Helper()
	var file struct {
		Load struct {
			Asked float64 `json:"requested_rate"`
			Sent  float64 `json:"achieved_rate"`
		} `json:"load_summary"`
		Successes struct {
			Count   int
			Latency struct {
				E2E  spread `json:"request_latency"`
				TTFT spread `json:"time_to_first_token"`
			}
			Throughput struct {
				Requests float64 `json:"requests_per_sec"`
			}
		}
	}
	name := fmt.Sprintf("stage_%d_lifecycle_metrics.json", number)
	if err := json.Unmarshal([]byte(read(t, dir, "inference-perf-kubecon", variants[variant], "..", variants[variant], name)), &file); err != nil {
		t.Fatal(err)
	}
	l := &file.Successes.Latency
	s := &stage{
		variant: variants[variant], number: number, rate: file.Load.Asked, served: file.Successes.Throughput.Requests,
		ttft: l.TTFT, tpot: (l.E2E.Mean - l.TTFT.Mean) / 63, full: file.Load.Sent < 0.97*file.Load.Asked,
		count: file.Successes.Count, sc: load(t, dir, "h100"),
	}
	w := &s.sc.Workload
	w.RateRPS = s.rate
	s.sc.Engine.ChunkedPre = variant > 0
	if s.sc.Engine.PrefixCache = variant > 0; variant > 0 {
		w.Class = []workload.Class{w.Class[0]}
		w.Class[0].Shared = int(w.Class[0].Prompt.Mean)
	}
	return s
}

// replayStages returns the section on the stages.
func replayStages(t *testing.T, dir string) string {
	var stages []*stage
	for v := range variants {
		for n := range 7 {
			stages = append(stages, readStage(t, dir, v, n))
		}
	}
	p := newReplay(&stages[0].sc, 1, "compute_util", "weight_bandwidth_util", "sequence_overhead_us", "client_overhead_us")
	p.drop("prefill_step_overhead_us") // a fixed cost of prefill steps; the curve explains more
	p.params = append(p.params, objective.Param{
		Path:  "hardware.tokens_half",
		Param: fit.Param{Name: "tokens_half", Unit: "tokens", Init: 50, Min: 1, Max: 1000, Log: true},
	})
	both, alone := estimateStages(t, p, stages, 2), estimateStages(t, p, stages, 1)
	var table strings.Builder
	fmt.Fprintln(&table, "| variant | stage | req/s | TPOT | error | fitted on `vllm` alone | TTFT | error | p50 | p90 | served req/s | error |")
	fmt.Fprintln(&table, "|---|---|---|---|---|---|---|---|---|---|---|---|")
	for _, s := range stages {
		s.score(t, p, both, alone, &table)
	}
	return "| fitted | stages 0 to 3 of `vllm` and `vllm+chunking_and_prefix_caching` | stages 0 to 3 of `vllm` |\n|---|---|---|\n" + p.estimates(both, alone) + "\n" + table.String()
}

// estimateStages fits to the first stages of the first variants.
func estimateStages(t *testing.T, p *replay, stages []*stage, count int) *fit.Result {
	return p.fit(t, func(x []float64) (out []float64) {
		for _, s := range stages[:7*count] {
			if s.number >= fittedStages {
				continue
			}
			res, _ := p.run(t, s.sc, x)
			out = append(out, math.Log(column(res.Summary, "tpot")[0]/s.tpot)/sigmaRatio)
			if s.number == 0 {
				continue // one request at a time: the server falls idle and wakes up slowly
			}
			ttft := column(res.Summary, "ttft")
			for i, m := range []float64{s.ttft.Mean, s.ttft.Median, s.ttft.P90} {
				out = append(out, math.Log(ttft[i]/m)/sigmaTTFT/math.Sqrt(3))
			}
		}
		return out
	})
}

// score adds the row of a stage. One that the client's limit bound is simulated
// at the rate asked for: the batch is as full. Its TTFT is that of a closed loop.
func (s *stage) score(t *testing.T, p *replay, both, alone *fit.Result, table *strings.Builder) {
	res, _ := p.run(t, s.sc, both.Values)
	other, _ := p.run(t, s.sc, alone.Values)
	queue := res
	if s.full {
		sc := s.sc
		w := &sc.Workload
		w.Arrival, w.Concurrent, w.Requests, w.RateRPS, w.DurationS = workload.Closed, inFlight, s.count, 0, 0
		queue, _ = p.run(t, sc, both.Values)
	}
	ttft := column(queue.Summary, "ttft")
	fmt.Fprintf(
		table, "| `%s` | %d | %.1f | %.2f ms | %s | %s |", s.variant, s.number, s.rate,
		1e3*s.tpot, percent(column(res.Summary, "tpot")[0], s.tpot), percent(column(other.Summary, "tpot")[0], s.tpot),
	)
	fmt.Fprintf(table, " %s ms |", digits(1e3*s.ttft.Mean))
	for i, m := range []float64{s.ttft.Mean, s.ttft.Median, s.ttft.P90} {
		fmt.Fprintf(table, " %s |", percent(ttft[i], m))
	}
	k, _ := metrics.Index("throughput_rps")
	fmt.Fprintf(table, " %.1f | %s |\n", s.served, percent(res.Summary[k], s.served))
}
