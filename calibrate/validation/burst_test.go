package validation

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"sort"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mathext/prng"

	"scoville/calibrate/fit"
	"scoville/core/metrics"
	"scoville/core/perf"
	"scoville/core/scenario"
	"scoville/core/workload"
)

// burstRun is a run of llm-k8s-vllm-detailed.
type burstRun struct {
	name     string
	rate     float64     // req/s; 0 = all at once
	cached   bool        // an earlier run on the server had the same prompts
	fitted   bool        // its first half is fitted
	cold     int         // first requests that a fresh server serves more slowly: not scored
	atOnce   bool        // front end beyond the model: TTFT not fitted
	In       []int32     `json:"input_lens"`
	Out      []int32     `json:"output_lens"`
	TTFT     []float64   `json:"ttfts"`
	Gaps     [][]float64 `json:"itls"`
	Duration float64     `json:"duration"`

	sc    scenario.Scenario
	first int // requests before those measured
}

func (r *burstRun) read(t *testing.T, dir string) {
	t.Helper()
	if err := json.Unmarshal([]byte(read(t, dir, "llm-k8s-vllm-detailed", "tp8_pp1_qps_"+r.name+".json")), r); err != nil {
		t.Fatal(err)
	}
	r.sc = load(t, dir, "a100-40")
	w := &r.sc.Workload
	end := 0.0
	for i, at := range arrivals(len(r.In), r.rate) {
		w.Records = append(w.Records, workload.Record{Arrival: at, Prompt: r.In[i], Output: r.Out[i]})
		end = max(end, at+r.e2e(i))
	}
	if math.Abs(end-r.Duration) > 0.3 {
		t.Errorf("run %s: last answer at %.2f s, duration %.2f s: the arrivals are not those of the run", r.name, end, r.Duration)
	}
	separate(w.Records, r.sc.Engine.BlockSize)
	if r.cached {
		r.repeat()
	}
	r.sc.Measurement.Warmup = r.first + r.cold
}

// repeat puts a pass over the same prompts before the measured one, so that
// that one finds them in the prefix cache as the run did.
func (r *burstRun) repeat() {
	w := &r.sc.Workload
	r.first = len(w.Records)
	earlier := slices.Clone(w.Records)
	for i := range earlier {
		earlier[i].Arrival, earlier[i].Output = float64(i), 1
		w.Records[i].Arrival += 1000
	}
	w.Records = append(earlier, w.Records...)
}

func (r *burstRun) e2e(i int) float64 {
	sum := r.TTFT[i]
	for _, x := range r.Gaps[i] {
		sum += x
	}
	return sum
}

// tpot returns false for a single token.
func (r *burstRun) tpot(i int) (float64, bool) {
	return (r.e2e(i) - r.TTFT[i]) / float64(r.Out[i]-1), r.Out[i] > 1
}

// separate gives every prompt prefix blocks of its own: engines keep the
// blocks of a preempted or finished request until they need the room.
func separate(records []workload.Record, block int) {
	next := int32(0)
	for i := range records {
		r := &records[i]
		for range int(r.Prompt) / block {
			r.Prefix = append(r.Prefix, next)
			next++
		}
	}
}

// arrivals returns when the benchmark client sent its n requests: its gaps are
// numpy's exponentials of seed 0 (legacy generator, inverse transform). The
// durations of the runs confirm them.
func arrivals(n int, rate float64) []float64 {
	out := make([]float64, n)
	if rate == 0 {
		return out
	}
	mt := prng.NewMT19937()
	mt.Seed(0)
	for i := 1; i < n; i++ {
		hi, lo := mt.Uint32()>>5, mt.Uint32()>>6
		out[i] = out[i-1] - math.Log1p(-(float64(hi)*(1<<26)+float64(lo))/(1<<53))/rate
	}
	return out
}

// replayBursts returns the section on the three runs.
func replayBursts(t *testing.T, dir string) string {
	runs := []*burstRun{
		{name: "01", rate: 1, fitted: true, cold: 5},
		{name: "04", rate: 4, cached: true},
		{name: "inf", cached: true, fitted: true, atOnce: true},
	}
	for _, r := range runs {
		r.read(t, dir)
	}
	p := newReplay(&runs[0].sc, 8, "compute_util", "weight_bandwidth_util", "step_overhead_us", "sequence_overhead_us", "client_overhead_us")
	f := p.fit(t, func(x []float64) (out []float64) {
		for _, r := range runs {
			if r.fitted {
				out = r.residuals(t, p, x, out)
			}
		}
		return out
	})
	var table strings.Builder
	fmt.Fprintln(&table, "| run | scored | latency | mean | p50 | p90 | p99 |\n|---|---|---|---|---|---|---|")
	for _, r := range runs {
		r.score(t, p, f, &table)
	}
	sc := p.set(t, runs[0].sc, f.Values)
	return "| fitted | first half of 1 req/s and of the burst |\n|---|---|\n" + p.estimates(f) + "\n" + table.String() + "\n" + staircase(perf.New(&sc), runs)
}

// residuals appends those of the first half of a run.
func (r *burstRun) residuals(t *testing.T, p *replay, x, out []float64) []float64 {
	_, sim := p.run(t, r.sc, x)
	for i := r.cold; i < len(r.In)/2; i++ {
		q := &sim[r.first+i]
		if !r.atOnce {
			out = append(out, (q.TTFT()-r.TTFT[i])/(sigmaTTFT*r.TTFT[i]+0.02)) // and a decode step
		}
		if m, ok := r.tpot(i); ok {
			tpot, _ := q.TPOT()
			out = append(out, math.Log(tpot/m)/sigmaRatio)
		}
	}
	return out
}

// score adds the rows of a run: measured value and error.
func (r *burstRun) score(t *testing.T, p *replay, f *fit.Result, table *strings.Builder) {
	res, sim := p.run(t, r.sc, f.Values)
	name := fmt.Sprintf("%g req/s", r.rate)
	if r.atOnce {
		name = "burst of 200"
	}
	parts := []struct {
		label string
		from  int
	}{{"whole run", r.cold}, {fmt.Sprintf("held out: %d to %d", len(r.In)/2+1, len(r.In)), len(r.In) / 2}}
	if !r.fitted {
		parts = parts[:1]
		parts[0].label = "held out: whole run"
	}
	for _, part := range parts {
		measured, simulated := r.compare(sim[r.first:], part.from)
		for i, latency := range latencyNames {
			r.row(table, [3]string{name, part.label, latency}, summarise(simulated[i]), summarise(measured[i]))
		}
	}
	r.row(table, [3]string{name, parts[0].label, "ITL"}, column(res.Summary, "itl"), summarise(slices.Concat(r.Gaps[r.cold:]...)))
}

func (r *burstRun) compare(sim []metrics.Request, from int) (measured, simulated latencies) {
	for i := from; i < len(r.In); i++ {
		m, ok := r.tpot(i)
		q, _ := sim[i].TPOT()
		if ok {
			measured[1], simulated[1] = append(measured[1], m), append(simulated[1], q)
		}
		measured[0], simulated[0] = append(measured[0], r.TTFT[i]), append(simulated[0], sim[i].TTFT())
		measured[2], simulated[2] = append(measured[2], r.e2e(i)), append(simulated[2], sim[i].E2E())
	}
	return measured, simulated
}

func (r *burstRun) row(table *strings.Builder, label [3]string, simulated, measured figures) {
	fmt.Fprintf(table, "| %s |", strings.Join(label[:], " | "))
	for i := range measured {
		fmt.Fprintf(table, " %s ms %s |", digits(1e3*measured[i]), percent(simulated[i], measured[i]))
	}
	table.WriteString("\n")
}

// staircase compares what a decode step takes with what the model says, by the
// number of running sequences.
func staircase(m *perf.Machine, runs []*burstRun) string {
	bins := []int{1, 2, 4, 8, 16, 24, 32, 48, 64, 80, 96, 128, 160}
	steps := make([][]float64, len(bins))
	contexts := make([][]float64, len(bins))
	for _, r := range runs {
		r.steps(bins, steps, contexts)
	}
	var rows [3]string
	for i, n := range bins {
		rows[0] += fmt.Sprintf(" %d |", n)
		rows[1] += fmt.Sprintf(" %.1f |", 1e3*summarise(steps[i])[1])
		b := perf.Batch{Seqs: n, Decodes: n, Tokens: n, Rows: n, DecodeCtx: float64(n) * summarise(contexts[i])[0]}
		var c perf.Cost
		m.Step(&b, &c)
		rows[2] += fmt.Sprintf(" %.1f |", 1e3*c.Total.Value)
	}
	return "| running sequences |" + rows[0] + "\n|---|" + strings.Repeat("---|", len(bins)) + "\n| measured, median ms |" + rows[1] + "\n| model, ms |" + rows[2] + "\n"
}

// steps sorts the inter-token latencies without a first token of another
// request near into bins of running sequences (within 2, from 8 on), with the
// mean context of what ran.
func (r *burstRun) steps(bins []int, steps, contexts [][]float64) {
	at := arrivals(len(r.In), r.rate)
	n := len(at)
	first, last := make([]float64, n), make([]float64, n)
	for i := range at {
		first[i], last[i] = at[i]+r.TTFT[i], at[i]+r.e2e(i)
	}
	starts, ends := slices.Sorted(slices.Values(first)), slices.Sorted(slices.Values(last))
	before := func(x []float64, t float64) int { return sort.SearchFloat64s(x, t) }
	for i := range at {
		now := first[i]
		for k, gap := range r.Gaps[i] {
			now += gap
			running := before(starts, now-gap/2) - before(ends, now-gap/2)
			if before(starts, now+gap) > before(starts, now-2*gap) {
				continue
			}
			for b, size := range bins {
				if running == size || size >= 8 && running >= size-2 && running <= size+2 {
					steps[b] = append(steps[b], gap)
					contexts[b] = append(contexts[b], float64(r.In[i])+float64(k+1))
				}
			}
		}
	}
}
