package validation

import (
	"context"
	"encoding/csv"
	"fmt"
	"math"
	"strconv"
	"strings"
	"testing"

	"scoville/core/engine"
	"scoville/core/metrics"
	"scoville/core/perf"
	"scoville/core/scenario"
	"scoville/core/workload"
)

const seriesHeader = "| requests every second, fitted on | running: mean | mean difference | correlation | waiting: mean | mean difference | correlation |\n|---|---|---|---|---|---|---|\n"

// series compares running and waiting requests at every tick of the run's time
// series: measured mean, mean absolute difference in requests, correlation.
func (r *requestRun) series(t *testing.T, sc scenario.Scenario, requests []metrics.Request) string {
	rows, err := csv.NewReader(strings.NewReader(read(t, r.folder, "timeseries.csv"))).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	number := func(s string) float64 {
		v, err := strconv.ParseFloat(s, 64)
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	var ticks []float64
	var measured [2][]float64
	for _, row := range rows[1:] {
		ticks = append(ticks, number(row[0])-(r.requests[0].Client-r.started))
		measured[0] = append(measured[0], number(row[3]))
		measured[1] = append(measured[1], number(row[4]))
	}
	simulated := population(t, &sc, requests, ticks)
	var cells []string
	for i := range measured {
		difference, correlation := agreement(simulated[i], measured[i])
		cells = append(cells, fmt.Sprintf("%.1f | %.2f | %.4f", summarise(measured[i])[0], difference, correlation))
	}
	return strings.Join(cells, " | ")
}

// population returns the running and the waiting requests at the ticks. It runs
// the engine itself, which tells what happens when; the requests of the same
// run through core must come out alike.
func population(t *testing.T, sc *scenario.Scenario, want []metrics.Request, ticks []float64) (out [2][]float64) {
	t.Helper()
	g := workload.Generator{Spec: &sc.Workload, Block: sc.Engine.BlockSize}
	b := perf.Memory(sc)
	cfg := engine.Config{
		MaxSeqs: sc.Engine.MaxNumSeqs, MaxTokens: sc.Engine.MaxTokens, Chunked: sc.Engine.ChunkedPre, Reserve: sc.Engine.ReserveFull,
		BlockSize: sc.Engine.BlockSize, Blocks: b.Blocks,
	}
	cfg.Prefixes, cfg.PrefixBlock = g.Prefixes()
	var running float64
	cfg.Trace = func(e engine.Event) {
		for len(out[0]) < len(ticks) && ticks[len(out[0])] < e.At {
			out[0] = append(out[0], running)
		}
		switch e.Kind {
		case engine.Admit:
			running++
		case engine.Preempt, engine.Finish:
			running--
		}
	}
	var eng engine.Engine
	var got engine.Output
	if err := eng.Run(context.Background(), perf.New(sc), cfg, g.Append(nil), &got); err != nil {
		t.Fatal(err)
	}
	for i := range want {
		if got.Requests[i].Finish != want[i].Finish {
			t.Fatalf("request %d ends at %g s, through core at %g s", i, got.Requests[i].Finish, want[i].Finish)
		}
	}
	for len(out[0]) < len(ticks) {
		out[0] = append(out[0], running)
	}
	for i, at := range ticks {
		waiting := -out[0][i]
		for k := range want {
			if want[k].Arrival <= at && want[k].Finish > at {
				waiting++
			}
		}
		out[1] = append(out[1], waiting)
	}
	return out
}

// agreement returns the mean absolute difference of two series and their
// correlation.
func agreement(a, b []float64) (difference, correlation float64) {
	ma, mb := summarise(a)[0], summarise(b)[0]
	var saa, sbb, sab float64
	for i := range a {
		difference += math.Abs(a[i]-b[i]) / float64(len(a))
		saa += (a[i] - ma) * (a[i] - ma)
		sbb += (b[i] - mb) * (b[i] - mb)
		sab += (a[i] - ma) * (b[i] - mb)
	}
	return difference, sab / math.Sqrt(saa*sbb)
}
