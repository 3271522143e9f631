package objective

import (
	"context"
	"fmt"
	"math"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"scoville/calibrate/measured/row"
	"scoville/core"
	"scoville/core/metrics"
	"scoville/core/perf"
	"scoville/core/workload"
)

// work grows with the time a condition takes to simulate.
func (c *Condition) work() float64 {
	w := &c.Scenario.Workload
	n := float64(w.Requests)
	switch {
	case c.Kind == row.Replay:
		n = float64(len(w.Records))
	case c.Scenario.Measurement.PerConc > 0:
		n = float64(c.Scenario.Measurement.PerConc * w.Concurrent)
	}
	return n
}

// Open reports whether requests came at a rate of their own.
func (c *Condition) Open() bool {
	return c.Kind == row.Serving && c.Scenario.Workload.Arrival != workload.Closed
}

// Load names how requests came.
func (c *Condition) Load() string {
	switch {
	case c.Kind == row.Batch:
		return "offline batches"
	case c.Kind == row.Phase:
		return "isolated batches, phases apart"
	case c.Kind == row.Replay:
		return "replayed runs"
	case c.Kind == row.Step:
		return "engine steps"
	case c.Open():
		return "open loop"
	}
	return "closed loop"
}

// Concurrency is how many requests a condition works on at once: in flight in a
// closed loop, in the batch or in the step; 0 where that varies.
func (c *Condition) Concurrency() int {
	switch c.Kind {
	case row.Batch, row.Phase:
		return c.Scenario.Workload.Requests
	case row.Step:
		return c.Shape.Decodes + c.Shape.Chunks
	}
	return c.Scenario.Workload.Concurrent
}

// Lengths are the shortest and longest prompt and output, mean ones where
// lengths are drawn; 0 for steps, which do not show them.
func (c *Condition) Lengths() (prompt, output [2]float64) {
	switch c.Kind {
	case row.Step:
		return prompt, output
	case row.Replay:
		records := c.Scenario.Workload.Records
		prompt, output = [2]float64{math.Inf(1)}, [2]float64{math.Inf(1)}
		for i := range records {
			p, o := float64(records[i].Prompt), float64(records[i].Output)
			prompt = [2]float64{min(prompt[0], p), max(prompt[1], p)}
			output = [2]float64{min(output[0], o), max(output[1], o)}
		}
		return prompt, output
	}
	class := &c.Scenario.Workload.Class[0]
	p, o := class.Prompt.Mean, class.Output.Mean
	return [2]float64{p, p}, [2]float64{o, o}
}

// Predict simulates conditions at several parameter values and returns, for
// each point and condition, the targets in ms; NaN where a run gives none.
// Conditions that are parts of one run are predicted from one simulation.
func (o *Objective) Predict(ctx context.Context, points [][]float64, conds []int) ([][][]float64, error) {
	out := make([][][]float64, len(points))
	for k := range points {
		out[k] = make([][]float64, len(conds))
	}
	place := map[int]int{}
	for i, c := range conds {
		place[c] = i
	}
	var runs [][]int // conditions of each run, dearest first
	at := map[int]int{}
	for _, c := range o.order {
		if _, ok := place[c]; !ok {
			continue
		}
		r, ok := at[o.Conditions[c].run]
		if !ok {
			r = len(runs)
			at[o.Conditions[c].run] = r
			runs = append(runs, nil)
		}
		runs[r] = append(runs[r], c)
	}
	points, err := o.completed(points)
	if err != nil {
		return nil, err
	}
	var next atomic.Int64
	todo, same := o.tasks(points, runs)
	tasks := len(todo)
	g, ctx := errgroup.WithContext(ctx)
	for range min(o.jobs, tasks) {
		g.Go(func() (err error) {
			sim := <-o.sims
			defer func() {
				o.sims <- sim
				if r := recover(); r != nil {
					err = fmt.Errorf("simulation of a measured run failed: %v", r)
				}
			}()
			for {
				n := int(next.Add(1)) - 1
				if n >= tasks || ctx.Err() != nil {
					return ctx.Err()
				}
				run, k := todo[n].run, todo[n].k
				values, err := o.predict(ctx, sim, run, points[k])
				if err != nil {
					return err
				}
				for i, c := range run {
					out[k][place[c]] = values[i]
				}
			}
		})
	}
	err = g.Wait()
	for _, t := range same {
		for _, c := range t.run {
			out[t.k][place[c]] = out[t.of][place[c]]
		}
	}
	return out, err
}

// predict simulates the conditions of one run at one point.
func (o *Objective) predict(ctx context.Context, sim *core.Simulator, run []int, x []float64) ([][]float64, error) {
	first := &o.Conditions[run[0]]
	sc := first.Scenario
	if err := o.apply(run[0], &sc, x); err != nil {
		return nil, err
	}
	out := make([][]float64, len(run))
	for i := range out {
		out[i] = make([]float64, len(o.Targets))
	}
	switch first.Kind {
	case row.Step:
		m := perf.New(&sc)
		for i, c := range run {
			o.step(m, &o.Conditions[c], out[i])
		}
		return out, nil
	case row.Replay:
		res, err := sim.Run(ctx, &sc, core.Options{NoCapacity: true, Requests: func(q []metrics.Request) {
			for i, c := range run {
				o.replay(q, o.Conditions[c].Scored, out[i])
			}
		}})
		if err == nil && res.Status != core.OK {
			fill(out, math.NaN())
		}
		return out, err
	}
	for draw := range o.draws {
		res, err := sim.Run(ctx, &sc, core.Options{Replicate: draw, NoCapacity: true})
		if err != nil {
			return nil, err
		}
		for t, i := range o.index {
			if i < 0 {
				out[0][t] = math.NaN()
				continue
			}
			out[0][t] += res.Summary[i] / float64(o.draws)
		}
	}
	for i := range out[1:] {
		copy(out[1+i], out[0])
	}
	return out, nil
}

func fill(out [][]float64, x float64) {
	for i := range out {
		for t := range out[i] {
			out[i][t] = x
		}
	}
}

// step predicts one engine step. Its context is spread evenly over the
// sequences, and every prompt is taken to end with it.
func (o *Objective) step(m *perf.Machine, c *Condition, out []float64) {
	s := &c.Shape
	b := perf.Batch{}
	context := 0.0
	if n := s.Decodes + s.Chunks; n > 0 {
		context = s.Resident / float64(n)
	}
	window := c.Scenario.Model.SlidingWindow
	if s.Decodes > 0 {
		b.Seqs, b.Decodes, b.Tokens, b.Rows = s.Decodes, s.Decodes, s.Decodes, s.Decodes
		b.DecodeCtx = float64(s.Decodes) * max(context, 1)
		b.DecodeCtxWin = float64(s.Decodes) * max(min(context, float64(window)), 1)
	}
	left := s.Prefill
	for i := range s.Chunks {
		n := left / (s.Chunks - i)
		left -= n
		b.AddChunk(max(int(context)-n, 0), n, window, true)
	}
	var cost perf.Cost
	m.Step(&b, &cost)
	for t, i := range o.index {
		out[t] = math.NaN()
		if i < 0 {
			out[t] = 1e3 * cost.Total.Value
		}
	}
}

// replay is the mean over the scored requests of a run.
func (o *Objective) replay(q []metrics.Request, scored []int, out []float64) {
	for t, target := range o.Targets {
		sum, n := 0.0, 0
		for _, i := range scored {
			if x, ok := latency(&q[i], target.Metric); ok {
				sum += x
				n++
			}
		}
		out[t] = 1e3 * sum / float64(n)
	}
}

// latency is what one request contributes to a mean, in s.
func latency(q *metrics.Request, metric string) (float64, bool) {
	switch metric {
	case "ttft_mean_ms":
		return q.TTFT(), true
	case "tpot_mean_ms":
		return q.TPOT()
	case "e2e_mean_ms":
		return q.E2E(), true
	}
	return 0, false
}
