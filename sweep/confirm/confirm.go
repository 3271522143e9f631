// Package confirm runs the winners of a sweep again on random draws that chose
// nothing, and says how much of their lead was luck. The best of many noisy
// estimates is too good on average (the winner's curse); replicates that the
// study did not use know nothing of the choice, and their mean is free of it.
package confirm

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"scoville/core/metrics"
	"scoville/sweep/again"
	"scoville/sweep/plan"
	"scoville/sweep/prompt"
	"scoville/sweep/results"
	"scoville/sweep/row"
	"scoville/sweep/statistic"
	"scoville/sweep/study/ask"
)

// File is where Run leaves its report in the folder of the results.
const File = results.ConfirmFile

// ErrNotReproduced says that the winner does not give the numbers of its tables.
var ErrNotReproduced = errors.New("the winner is not reproduced")

// Options is what is confirmed, and how.
type Options struct {
	Dir  string // folder of the results
	Top  int    // points to run again, the best first; members of the front come besides
	By   string // metric that makes them best; "" = the first objective
	Runs int    // fresh replicates of each; 0 = as many as the study has, at least 5
	Jobs int    // simulations at a time, at least 1

	Simulate func() row.Simulate           // makes a simulator for a worker
	Progress func(done, total, failed int) // nil = not at all
}

// candidate is a point that may be run again.
type candidate struct {
	index         int // of the point
	id            string
	replicates    []int
	first         [][]float64 // by replicate: goals
	ok            bool
	steady        statistic.Tally
	member        bool // of the front
	random        bool
	fresh         []results.Run // in order of replicate
	rank, newRank int           // by the first goal, from 1
}

// goal is a metric and which way is better.
type goal struct {
	metric string
	max    bool
}

// worse turns a relative change of the goal into one that is positive where it
// is for the worse.
func (g goal) worse(change float64) float64 {
	if g.max {
		return -change
	}
	return change
}

// confirmation is a confirmation on its way.
type confirmation struct {
	o      *Options
	data   *results.Dataset
	plan   *plan.Plan
	goals  []goal // By, then the objectives
	chosen []*candidate
	from   int // first fresh replicate
	used   int // runs of the study of a point
	points int // that were compared
	t      statistic.Student
}

// Run confirms results and writes its report beside them. Errors that are the
// user's to mend are *again.InputError; others are results.ErrForeign,
// again.ErrChanged, ErrNotReproduced or the context's.
func Run(ctx context.Context, o Options) (*Report, error) {
	c := &confirmation{o: &o, t: statistic.Student{}}
	if _, err := prompt.Call(ctx, func() (any, error) { return nil, c.prepare() }); err != nil {
		return nil, err
	}
	if err := c.simulate(ctx); err != nil {
		return nil, err
	}
	r := c.report()
	return r, r.write(o.Dir)
}

// prepare chooses what runs again.
func (c *confirmation) prepare() error {
	if err := c.open(); err != nil {
		return err
	}
	all, err := c.candidates()
	if err != nil {
		return err
	}
	return c.choose(all)
}

// open reads the results and finds the goals.
func (c *confirmation) open() error {
	d, err := again.Open(c.o.Dir, func(all []string) []string { return all[:min(1, len(all))] })
	if err != nil {
		return err
	}
	c.data = d
	objectives := d.Manifest.Objectives
	if c.o.By == "" && len(objectives) == 0 {
		return again.Input(fmt.Errorf("%s has no [[objective]]: say what makes a point best with --by, for example --by ttft_p99_ms", c.o.Dir))
	}
	if c.o.By == "" {
		c.o.By = objectives[0].Metric
	}
	by, err := c.goal(c.o.By)
	if err != nil {
		return again.Input(err)
	}
	c.goals = []goal{by}
	for _, o := range objectives {
		c.goals = append(c.goals, goal{o.Metric, o.Goal == "max"})
	}
	if c.o.Top < 1 && len(objectives) == 0 {
		return again.Input(fmt.Errorf("--top %d: at least one point, or a study with [[objective]], whose front is run again besides", c.o.Top))
	}
	if c.plan, err = again.Load(d); err != nil {
		return err
	}
	if s := c.plan.Study.Search; s != nil {
		return again.Input(fmt.Errorf("%s holds searches, which confirm what they find themselves: confirm = N under [search] says on how many fresh replicates", c.o.Dir))
	}
	return nil
}

// goal finds which way of a metric is better.
func (c *confirmation) goal(metric string) (goal, error) {
	for _, o := range c.data.Manifest.Objectives {
		if o.Metric == metric {
			return goal{metric, o.Goal == "max"}, nil
		}
	}
	switch metric {
	case "capacity_rps":
		return goal{metric, true}, nil
	case "accuracy_loss_ratio":
		return goal{metric, false}, nil
	}
	i, ok := metrics.Index(metric)
	if !ok {
		hint := ask.NearestMetric(metric) + "; sweep list metrics shows all"
		return goal{}, fmt.Errorf("--by %s: no such metric: %s", metric, hint)
	}
	switch metrics.Columns()[i].Better {
	case "lower":
		return goal{metric, false}, nil
	case "higher":
		return goal{metric, true}, nil
	}
	return goal{}, fmt.Errorf("--by %s: neither more nor less of it is better", metric)
}

// value is a goal of a run that is ok.
func (g goal) value(r *results.Run) float64 {
	switch i, ok := metrics.Index(g.metric); {
	case ok:
		return r.Metrics[i]
	case g.metric == "capacity_rps":
		return r.CapacityRPS
	case r.AccuracyLoss != nil:
		return *r.AccuracyLoss
	}
	return math.NaN()
}

// choose takes the best and the members of the front.
func (c *confirmation) choose(all []*candidate) error {
	by := c.goals[0]
	means := func(k *candidate) float64 { return c.t.Mean(column(k.first, 0)).Mean }
	compared := slices.DeleteFunc(all, func(k *candidate) bool {
		steady := k.steady.Most()
		return !k.ok || steady != nil && !*steady || math.IsNaN(means(k))
	})
	c.points = len(compared)
	if len(compared) == 0 {
		return again.Input(fmt.Errorf("%s has no point to confirm: none is ok, has %s and is not saturated", c.o.Dir, by.metric))
	}
	slices.SortStableFunc(compared, func(a, b *candidate) int {
		return cmp.Or(cmp.Compare(by.worse(means(a)), by.worse(means(b))), a.index-b.index)
	})
	for i, k := range compared {
		k.rank = i + 1
		if i < c.o.Top || k.member {
			c.chosen = append(c.chosen, k)
		}
	}
	for _, k := range c.chosen {
		if now := c.plan.ID(k.index); now != k.id {
			return fmt.Errorf("%w: point %d was the scenario %s and is %s: the catalogue of this program differs", again.ErrChanged, k.index, k.id, now)
		}
		var err error
		if k.random, err = c.plan.Random(k.index); err != nil {
			return again.Input(err)
		}
	}
	return nil
}

// column is one goal over replicates, without those that have no value.
func column(values [][]float64, i int) (out []float64) {
	for _, v := range values {
		if !math.IsNaN(v[i]) {
			out = append(out, v[i])
		}
	}
	return out
}
