// Package draw runs the points of a study again with samples of their calibrated
// parameters, and says what those tell of each point. Draw k is the same for
// every point, so that their differences are free of it, and serves the requests
// of replicate k, in turn, so that a prediction interval holds what differs from
// run to run beside what the calibration leaves open.
package draw

import (
	"context"
	"iter"
	"math"
	"slices"
	"strconv"
	"strings"

	"scoville/core"
	"scoville/core/metrics"
	"scoville/core/scenario"
	"scoville/core/table"
	"scoville/core/workload"
	"scoville/sweep/failure"
	"scoville/sweep/plan"
	"scoville/sweep/pool"
	"scoville/sweep/results"
	"scoville/sweep/results/compare"
	"scoville/sweep/results/forecast"
	"scoville/sweep/results/front"
	"scoville/sweep/row"
	"scoville/sweep/statistic"
)

// Draws is how the draws of a plan run.
type Draws struct {
	Plan     *plan.Plan
	Metrics  []table.Column      // in the order of a summary
	Workers  int                 // simulations at a time
	Simulate func() row.Simulate // makes a simulator for a worker
	Progress func()              // after each run; nil = not at all
	Faults   *failure.Log        // takes the stacks of panics; nil = nobody
}

// worker is a simulator and the point it was last asked about.
type worker struct {
	simulate row.Simulate
	index    int
	point    *plan.Point
}

// Run simulates the draws of every point that has any, and returns what they tell
// by point. runs are all runs of the plan, by point; they are asked for only with
// objectives, and nil leaves the front of the draws out. An error is the context's, or that of runs.
func (d *Draws) Run(ctx context.Context, runs iter.Seq2[results.Run, error]) (map[int]*forecast.Forecast, error) {
	p, n := d.Plan, d.Plan.Study.Draws
	points := p.Drawn()
	items := make([]int, len(points)*n) // by point: a few points are open at a time
	for i := range items {
		items[i] = i
	}
	open := map[int][]forecast.Sample{} // by position in points
	left := slices.Repeat([]int{n}, len(points))
	goals := make([][][]float64, len(points)) // objectives of each draw
	found := make([]*forecast.Forecast, len(points))
	selected := d.selected()
	workers := pool.Pool[*worker, results.Run]{
		Workers: d.Workers,
		State:   func() *worker { return &worker{simulate: d.Simulate(), index: -1} },
		Work: func(ctx context.Context, w *worker, item int) (results.Run, error) {
			return d.one(ctx, w, points[item/n], item%n)
		},
		Collect: func(item int, r results.Run, err error) error {
			i, k := item/n, item%n
			d.Faults.Add(p.ID(points[i])+" draw "+strconv.Itoa(k), k%p.Least(points[i]), err)
			if open[i] == nil {
				open[i] = make([]forecast.Sample, n)
				goals[i] = make([][]float64, n)
			}
			s := &open[i][k]
			if err == nil && r.Status == results.OK {
				*s = forecast.Sample{OK: true, Metrics: r.Metrics, SLO: r.SLOOk, Steady: r.Steady}
				if !math.IsNaN(r.OfferedRPS) && (r.Steady == nil || !*r.Steady) {
					s.SLO = nil // slower the longer it runs
				}
				goals[i][k] = d.objectives(&r)
			}
			if left[i]--; left[i] == 0 {
				found[i] = forecast.Of(open[i], d.Metrics, selected)
				delete(open, i)
			}
			if d.Progress != nil {
				d.Progress()
			}
			return nil
		},
	}
	if err := workers.Run(ctx, items); err != nil {
		return nil, err
	}
	if len(p.Study.Objectives) > 0 && len(points) > 0 && runs != nil {
		contenders, err := d.contenders(runs, points, goals)
		if err != nil {
			return nil, err
		}
		d.front(contenders, points, found)
	}
	out := map[int]*forecast.Forecast{}
	for i, point := range points {
		out[point] = found[i]
	}
	return out, nil
}

// one simulates a draw of a point. Its scenario may be impossible: that is a row
// that is not ok.
func (d *Draws) one(ctx context.Context, w *worker, point, k int) (results.Run, error) {
	if w.index != point {
		pt, err := d.Plan.Point(point)
		if err != nil {
			return results.Run{}, err
		}
		w.index, w.point = point, pt
	}
	sample, o, err := Sample(d.Plan, point, w.point, k)
	if err != nil {
		return results.Run{Status: results.Infeasible, Error: err.Error()}, nil
	}
	wrong := func(ctx context.Context, sc *scenario.Scenario, o core.Options) (core.Result, error) {
		res, err := w.simulate(ctx, sc, o)
		if err == nil && res.Status == core.OK {
			Err(&sample, res.Summary)
		}
		return res, err
	}
	return row.Fill(ctx, wrong, &sample.Scenario, o, row.Of(d.Plan, w.point, o.Replicate))
}

// Sample is what draw k of a point, at place i of the plan, simulates. An error says
// that it is impossible.
func Sample(p *plan.Plan, i int, pt *plan.Point, k int) (scenario.Draw, core.Options, error) {
	d, err := pt.Resolved.Draw(p.Study.Seed, k)
	return d, p.Options(pt, k%p.Least(i)), err
}

// Throughputs of a closed loop: a client that waits longer asks less often.
var throughputs = []string{"throughput_rps", "output_tok_s", "output_tok_s_per_chip", "total_tok_s"}

// Err multiplies the statistics of latencies by the model's errors of a draw:
// TTFT, TPOT and ITL by their own, E2E by its own or by those of its parts, each
// by its share of the mean; throughputs of a closed loop go with 1 / E2E. Parts
// of a latency, utilisation, energy and goodput stay as the parameters give them.
func Err(d *scenario.Draw, s metrics.Summary) {
	value := func(name string) float64 {
		if i, ok := metrics.Index(name); ok {
			return s[i]
		}
		return math.NaN()
	}
	e2e := d.E2E
	if e2e == 0 {
		first := value("ttft_mean_ms") / value("e2e_mean_ms")
		if e2e = first*d.TTFT + (1-first)*d.TPOT; math.IsNaN(e2e) {
			e2e = 1
		}
	}
	factors := map[string]float64{"ttft": d.TTFT, "tpot": d.TPOT, "itl": d.ITL, "e2e": e2e}
	closed := d.Scenario.Workload.Arrival == workload.Closed
	for i, c := range metrics.Columns() {
		if part := strings.Split(c.Name, "_"); len(part) == 3 && part[2] == "ms" && factors[part[0]] > 0 {
			s[i] *= factors[part[0]]
		} else if closed && slices.Contains(throughputs, c.Name) {
			s[i] /= e2e
		}
	}
}

// selected lists the metrics that points has, by position.
func (d *Draws) selected() (out []int) {
	for i, m := range d.Metrics {
		if s := d.Plan.Study.Metrics; s == nil || slices.Contains(s, m.Name) {
			out = append(out, i)
		}
	}
	return out
}

// objectives returns those of an ok run, to be minimised; NaN while its queue
// grows.
func (d *Draws) objectives(r *results.Run) []float64 {
	var out []float64
	for _, o := range d.Plan.Study.Objectives {
		x := math.NaN()
		switch i, ok := metrics.Index(o.Metric); {
		case r.Steady != nil && !*r.Steady:
		case ok:
			x = r.Metrics[i]
		case o.Metric == "capacity_rps":
			x = r.CapacityRPS
		case r.AccuracyLoss != nil:
			x = *r.AccuracyLoss
		}
		if o.Goal == "max" {
			x = -x
		}
		out = append(out, x)
	}
	return out
}

// contenders are the objectives of each point in turn: of its draws, else of its
// replicates; nil where it is not compared.
func (d *Draws) contenders(runs iter.Seq2[results.Run, error], points []int, goals [][][]float64) ([][][]float64, error) {
	out := make([][][]float64, d.Plan.Len())
	i, index, ok := -1, -1, true // the point at hand, and whether all its runs are
	var steady statistic.Tally
	end := func() {
		if i >= 0 && !compare.Compared(ok, steady.Most()) {
			out[i] = nil
		}
		ok, steady = true, statistic.Tally{}
	}
	for r, err := range runs {
		if err != nil {
			return nil, err
		}
		if r.PointIndex != index {
			end()
			i, index = i+1, r.PointIndex
		}
		ok = ok && r.Status == results.OK
		steady.Add(r.Steady)
		drawn, isDrawn := slices.BinarySearch(points, i)
		switch {
		case isDrawn:
			out[i] = goals[drawn]
		case ok:
			out[i] = append(out[i], d.objectives(&r))
		}
	}
	end()
	return out, nil
}

// front puts the share of draws in which each point is on the front into its
// forecast. Points without draws take part with their replicates in turn.
func (d *Draws) front(contenders [][][]float64, points []int, found []*forecast.Forecast) {
	count := make([]int, len(contenders))
	n := d.Plan.Study.Draws
	for k := range n {
		values := make([][]float64, len(contenders))
		for i, c := range contenders {
			if c != nil {
				values[i] = c[k%len(c)]
			}
		}
		for i, member := range front.Of(values) {
			if member {
				count[i]++
			}
		}
	}
	for j, i := range points {
		if contenders[i] != nil {
			found[j].Pareto = float64(count[i]) / float64(n)
		}
	}
}
