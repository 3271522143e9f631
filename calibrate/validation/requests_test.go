package validation

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"scoville/calibrate/fit"
	"scoville/core/metrics"
	"scoville/core/scenario"
)

// measuredRequest is a line of requests.jsonl: lengths in tokens, times in
// seconds on the server's clock but for Client, which is Unix time.
type measuredRequest struct {
	Client float64 `json:"arrival_time"`
	Output int32   `json:"output_toks"`
	Queued float64 `json:"queued_ts"`
	First  float64 `json:"first_token_ts"`
	Last   float64 `json:"last_token_ts"`
}

func (m *measuredRequest) ttft() float64 { return m.First - m.Queued }
func (m *measuredRequest) tpot() float64 { return (m.Last - m.First) / float64(m.Output-1) }
func (m *measuredRequest) e2e() float64  { return m.Last - m.Queued }

// requestRun is a run of llmservingsim-vllm-requests.
type requestRun struct {
	name     string // of the scenario
	folder   string
	requests []measuredRequest // by time of entry into the queue
	started  float64           // Unix time of the run's start, from which its time series counts
	sc       scenario.Scenario

	publisher [3]float64 // errors of its own simulator: mean TTFT, TPOT and end to end, %
}

func readRequests(t *testing.T, dir string, r *requestRun) {
	t.Helper()
	r.folder = filepath.Join(dir, "llmservingsim-vllm-requests", r.folder, "Llama-3.1-8B")
	for line := range strings.Lines(read(t, r.folder, "requests.jsonl")) {
		var m measuredRequest
		if err := json.Unmarshal([]byte(line), &m); err != nil {
			t.Fatal(err)
		}
		r.requests = append(r.requests, m)
	}
	slices.SortStableFunc(r.requests, func(a, b measuredRequest) int { return cmp.Compare(a.Queued, b.Queued) })
	var meta struct {
		Started time.Time `json:"started_at"`
	}
	if err := json.Unmarshal([]byte(read(t, r.folder, "meta.json")), &meta); err != nil {
		t.Fatal(err)
	}
	r.started = float64(meta.Started.UnixMicro()) / 1e6
	r.sc = load(t, dir, r.name)
	separate(r.sc.Workload.Records, r.sc.Engine.BlockSize)
}

func read(t *testing.T, elem ...string) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(elem...))
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// latencies are TTFT, TPOT and end-to-end latency of requests in seconds.
type latencies [3][]float64

var latencyNames = [3]string{"TTFT", "TPOT", "E2E"}

func (l *latencies) simulated(q *metrics.Request) {
	tpot, _ := q.TPOT()
	l.add(q.TTFT(), tpot, q.E2E())
}

func (l *latencies) add(ttft, tpot, e2e float64) {
	for i, v := range [3]float64{ttft, tpot, e2e} {
		l[i] = append(l[i], v)
	}
}

// Scales of the residuals. A TTFT is uncertain by 10 % and by 0.1 s: arrivals
// are stamped at the end of a step, and a step with a full token budget takes
// that long or longer.
const (
	sigmaRatio = 0.05
	sigmaTTFT  = 0.10
	sigmaStep  = 0.1 // s
)

// estimate fits to the first n requests of a run, all of which is simulated.
func (r *requestRun) estimate(t *testing.T, p *replay, n int) *fit.Result {
	return p.fit(t, func(x []float64) (out []float64) {
		_, sim := p.run(t, r.sc, x)
		for i := range n {
			m, q := &r.requests[i], &sim[i]
			tpot, _ := q.TPOT()
			out = append(
				out,
				(q.TTFT()-m.ttft())/(sigmaTTFT*m.ttft()+sigmaStep),
				math.Log(tpot/m.tpot())/sigmaRatio,
				math.Log(q.E2E()/m.e2e())/sigmaRatio,
			)
		}
		return out
	})
}

// replayRequests returns the section on one run, fitted on its first half and
// on its first hundred requests.
func replayRequests(t *testing.T, dir string, r *requestRun) string {
	readRequests(t, dir, r)
	p := newReplay(&r.sc, 1, "compute_util", "weight_bandwidth_util", "kv_bandwidth_util", "step_overhead_us", "sequence_overhead_us")
	p.drop("frontend_us_per_prompt_token") // arrivals are at the engine's queue
	n := [2]int{len(r.requests) / 2, 100}
	var fits [2]*fit.Result
	var table, series, quantiles strings.Builder
	fmt.Fprintln(&table, "| scored | fitted on |"+header(latencyNames[:]))
	fmt.Fprintln(&table, "|---|---|"+strings.Repeat("---|", 12))
	for part := range 2 {
		for k := range n {
			if fits[k] == nil {
				fits[k] = r.estimate(t, p, n[k])
			}
			from, label := 0, "whole run"
			if part == 1 {
				from, label = n[k], fmt.Sprintf("held out: %d to %d", n[k]+1, len(r.requests))
			}
			_, sim := p.run(t, r.sc, fits[k].Values)
			measured, simulated := r.compare(sim, from)
			if part+k == 0 {
				fmt.Fprintf(&table, "| measured | | %s |\n", absolute(&measured))
			}
			fmt.Fprintf(&table, "| %s | first %d |", label, n[k])
			for i := range latencyNames {
				a, b := summarise(simulated[i]), summarise(measured[i])
				for j := range a {
					fmt.Fprintf(&table, " %s |", percent(a[j], b[j]))
				}
				quantiles.WriteString(displaced(fmt.Sprintf("%s, first %d: %s", label, n[k], latencyNames[i]), measured[i], a, b))
			}
			fmt.Fprintln(&table)
			if part == 0 {
				r.guard(t, &measured, &simulated)
				fmt.Fprintf(&series, "| first %d | %s |\n", n[k], r.series(t, p.set(t, r.sc, fits[k].Values), sim))
			}
		}
	}
	out := fmt.Sprintf("| fitted | first %d requests | first %d requests |\n|---|---|---|\n%s\n%s", n[0], n[1], p.estimates(fits[0], fits[1]), table.String())
	out += fmt.Sprintf("| publisher's simulator | | %+.1f %% | | | | %+.1f %% | | | | %+.1f %% | | | |\n", r.publisher[0], r.publisher[1], r.publisher[2])
	if quantiles.Len() > 0 {
		out += "\nQuantiles off by more than 3 %, with the place that the simulated value has among the measured ones:\n\n" + quantiles.String()
	}
	return out + "\n" + seriesHeader + series.String()
}

// compare returns the latencies of the requests from `from` on.
func (r *requestRun) compare(sim []metrics.Request, from int) (measured, simulated latencies) {
	for i := from; i < len(r.requests); i++ {
		m := &r.requests[i]
		measured.add(m.ttft(), m.tpot(), m.e2e())
		simulated.simulated(&sim[i])
	}
	return measured, simulated
}

// guard fails the test when a mean is so far off that something broke.
func (r *requestRun) guard(t *testing.T, measured, simulated *latencies) {
	t.Helper()
	for i, limit := range [3]float64{0.04, 0.02, 0.02} {
		a, b := summarise(simulated[i])[0], summarise(measured[i])[0]
		if d := math.Abs(a/b - 1); d > limit {
			t.Errorf("%s: mean %s is %.1f %% off", r.name, latencyNames[i], 100*d)
		}
	}
}

// header names the four figures of each latency.
func header(names []string) (s string) {
	for _, n := range names {
		for _, f := range figureNames {
			s += " " + n + " " + f + " |"
		}
	}
	return s
}

// absolute prints measured figures: TTFT and end to end in s, TPOT in ms.
func absolute(l *latencies) string {
	var cells []string
	for i := range l {
		for _, v := range summarise(l[i]) {
			if i == 1 {
				cells = append(cells, fmt.Sprintf("%.1f ms", 1e3*v))
			} else {
				cells = append(cells, fmt.Sprintf("%.1f s", v))
			}
		}
	}
	return strings.Join(cells, " | ")
}

// displaced says, for quantiles off by more than 3 %, which quantile of the
// measured values the simulated one is: at a gap of the distribution a
// displacement of a percent of the requests is many percent of the value.
func displaced(label string, measured []float64, a, b figures) (s string) {
	sorted := slices.Sorted(slices.Values(measured))
	for j := 1; j < len(a); j++ {
		if math.Abs(a[j]/b[j]-1) <= 0.03 {
			continue
		}
		below, _ := slices.BinarySearch(sorted, a[j])
		s += fmt.Sprintf("- %s %s: p%.1f\n", label, figureNames[j], 100*float64(below)/float64(len(sorted)))
	}
	return s
}
