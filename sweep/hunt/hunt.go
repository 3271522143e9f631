// Package hunt runs the searches of a study: it asks the simulator what each
// search wants to know, on one pool for all, and lays out what they found. It
// knows runs and service levels; how a search goes on is sweep/search.
package hunt

import (
	"context"
	"iter"
	"slices"
	"sync"

	"scoville/core/metrics"
	"scoville/core/scenario"
	"scoville/sweep/failure"
	"scoville/sweep/plan"
	"scoville/sweep/pool"
	"scoville/sweep/results"
	"scoville/sweep/results/searches"
	"scoville/sweep/row"
	"scoville/sweep/search"
)

// hunter runs the searches of a study. Each search asks one question at a time;
// the runs that answer the questions of all searches share the pool. What a
// search asks depends on its own answers alone, so that results do not depend on
// the number of workers.
type hunter struct {
	plan  *plan.Plan
	chase []*chase

	mu   sync.Mutex // of jobs: workers read while Next appends
	jobs []job

	done, total, failed int // runs
}

// chase is one search on its way.
type chase struct {
	index  int // of the search in the plan
	id     string
	next   func() (question, bool)
	stop   func()
	asked  question      // waits for pending runs
	probe  *probe        // of asked
	wait   int           // runs of asked still out
	answer search.Answer // read by the search when next is called
	result search.Result
	probes []*probe // in the order of trying
	first  *plan.Point

	expected int // runs, counted in the progress
}

type question struct {
	value float64
	fresh bool
}

// probe is a tried value: a point of its own.
type probe struct {
	value  float64
	point  *plan.Point
	random bool
	runs   []results.Run
}

// job is one run of a probe.
type job struct {
	of        *chase
	probe     *probe
	replicate int
}

// Hunt is how searches run.
type Hunt struct {
	Plan     *plan.Plan
	Workers  int                 // simulations at a time
	Simulate func() row.Simulate // makes a simulator for a worker
	Progress func(done, total, failed int)
	Failed   func(*results.Run) error // of a run that failed or timed out: an error stops the searches; nil = go on
	Faults   *failure.Log             // takes the stacks of panics; nil = nobody
}

// Run runs every search of a plan on the pool. It returns the rows of all runs,
// by search, then by value in the order of trying, then by replicate; and the
// results of the searches in the order of the plan.
func (o Hunt) Run(ctx context.Context) ([]results.Run, []searches.Search, error) {
	p := o.Plan
	h := &hunter{plan: p}
	defer func() {
		for _, c := range h.chase {
			c.stop()
		}
	}()
	var items []int
	for i := range p.Len() {
		c, err := h.begin(i)
		if err != nil {
			return nil, nil, err
		}
		h.chase = append(h.chase, c)
		items = append(items, h.step(c)...)
		h.expect(c)
	}
	report := func() { o.Progress(h.done, h.total, h.failed) }
	report()
	workers := pool.Pool[row.Simulate, results.Run]{
		Workers: o.Workers,
		State:   o.Simulate,
		Work: func(ctx context.Context, sim row.Simulate, item int) (results.Run, error) {
			j := h.job(item)
			return row.Fill(ctx, sim, &j.probe.point.Resolved.Scenario, p.Options(j.probe.point, j.replicate), h.row(j))
		},
		Collect: func(item int, r results.Run, err error) error {
			j := h.job(item)
			if err != nil {
				o.Faults.Add(j.probe.point.ID, j.replicate, err)
				r = h.row(j)
				r.Status, r.Error = results.Failed, err.Error()
			}
			j.probe.runs = append(j.probe.runs, r)
			h.done++
			if !r.Broken() {
				return nil
			}
			h.failed++
			if o.Failed != nil {
				return o.Failed(&r)
			}
			return nil
		},
		Next: func(item int) []int {
			c := h.job(item).of
			more := h.answered(c)
			h.expect(c)
			report()
			return more
		},
	}
	if err := workers.Run(ctx, items); err != nil {
		return nil, nil, err
	}
	return h.rows(), h.found(), nil
}

// begin starts search i.
func (h *hunter) begin(i int) (*chase, error) {
	id, spec, err := h.plan.Search(i)
	if err != nil {
		return nil, err
	}
	c := &chase{index: i, id: id}
	if c.first, err = h.plan.Point(i); err != nil {
		return nil, err
	}
	c.next, c.stop = iter.Pull(func(yield func(question) bool) {
		c.result = search.Run(spec, func(value float64, fresh bool) search.Answer {
			if !yield(question{value, fresh}) {
				return search.Answer{Verdict: search.Broken, Reason: "stopped"}
			}
			return c.answer
		})
	})
	return c, nil
}

// step lets a search ask on until it waits for runs or ends, and returns the
// items of those runs.
func (h *hunter) step(c *chase) []int {
	for {
		q, more := c.next()
		if !more {
			c.asked, c.probe = question{}, nil
			return nil
		}
		c.asked = q
		var err error
		if c.probe, err = h.probe(c, q.value); err != nil { // an invalid scenario
			c.answer = search.Answer{Verdict: search.Broken, Reason: err.Error()}
			continue
		}
		if items := h.queue(c); len(items) > 0 {
			return items
		}
		c.answer = h.judge(c)
	}
}

// probe returns the probe of a value, a new one if it was not tried yet.
func (h *hunter) probe(c *chase, value float64) (*probe, error) {
	i := slices.IndexFunc(c.probes, func(p *probe) bool { return p.value == value })
	if i >= 0 {
		return c.probes[i], nil
	}
	pt, isRandom, err := h.plan.Probe(c.index, value)
	if err != nil {
		return nil, err
	}
	p := &probe{value: value, point: pt, random: isRandom}
	c.probes = append(c.probes, p)
	return p, nil
}

// replicates returns the replicates that answer a question: those of the study,
// or as many further ones as it confirms with. Where nothing is random, or
// nothing can run, one tells all.
func (h *hunter) replicates(p *probe, fresh bool) (from, to int) {
	st := h.plan.Study
	switch {
	case !p.random || p.point.Infeasible != "":
		return 0, 1
	case fresh:
		return st.Replicates, st.Replicates + st.Search.Confirm
	}
	return 0, st.Replicates
}

// queue makes the runs that the question of a search still needs.
func (h *hunter) queue(c *chase) []int {
	var items []int
	from, to := h.replicates(c.probe, c.asked.fresh)
	h.mu.Lock()
	defer h.mu.Unlock()
	for replicate := from; replicate < to; replicate++ {
		if slices.ContainsFunc(c.probe.runs, func(r results.Run) bool { return r.Replicate == replicate }) {
			continue
		}
		items = append(items, len(h.jobs))
		h.jobs = append(h.jobs, job{c, c.probe, replicate})
	}
	c.wait = len(items)
	return items
}

func (h *hunter) job(item int) job {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.jobs[item]
}

// answered counts a finished run of a search, and lets it go on after the last.
func (h *hunter) answered(c *chase) []int {
	if c.wait--; c.wait > 0 {
		return nil
	}
	c.answer = h.judge(c)
	return h.step(c)
}

// judge answers the question of a search from its runs.
func (h *hunter) judge(c *chase) search.Answer {
	sc := &c.probe.point.Resolved.Scenario
	rules := search.Rules{RequireSteady: h.plan.Study.Search.RequireSteady, Exact: !c.probe.random}
	var columns []int
	for _, l := range sc.SLO {
		column, _ := metrics.Index(l.Metric) // checked with the study
		columns = append(columns, column)
		rules.Limits = append(rules.Limits, search.Limit(l))
	}
	from, to := h.replicates(c.probe, c.asked.fresh)
	slices.SortFunc(c.probe.runs, func(a, b results.Run) int { return a.Replicate - b.Replicate })
	var samples []search.Sample
	for i := range c.probe.runs {
		if r := &c.probe.runs[i]; r.Replicate >= from && r.Replicate < to {
			samples = append(samples, sample(r, sc, columns))
		}
	}
	return rules.Judge(samples)
}

// sample is what a run tells of the service levels.
func sample(r *results.Run, sc *scenario.Scenario, columns []int) search.Sample {
	s := search.Sample{Open: row.Open(sc), Steady: r.Steady}
	switch r.Status {
	case results.OK:
		for _, c := range columns {
			s.Values = append(s.Values, r.Metrics[c])
		}
	case results.Infeasible:
		s.Infeasible = r.Error
	default:
		s.Broken = r.Error
	}
	return s
}

// row is the row of a job before it runs. A probe is no baseline: effects of a
// search are on the value it finds.
func (h *hunter) row(j job) results.Run {
	r := row.Of(h.plan, j.probe.point, j.replicate)
	r.SearchID, r.Baseline = j.of.id, false
	return r
}

// rows numbers the points and returns the rows of all runs.
func (h *hunter) rows() []results.Run {
	var out []results.Run
	point := 0
	for _, c := range h.chase {
		for i, p := range c.probes {
			for _, r := range p.runs {
				r.PointIndex, r.Probe = point, i
				out = append(out, r)
			}
			point++
		}
	}
	return out
}

// found returns the results of the searches.
func (h *hunter) found() []searches.Search {
	st := h.plan.Study
	s := st.Search
	goal := map[bool]string{true: "max", false: "min"}[s.Max]
	unit := h.plan.Columns[len(h.plan.Columns)-1].Unit
	var out []searches.Search
	for _, c := range h.chase {
		f := searches.Search{
			ID: c.id, Baseline: c.first.Baseline, OATPath: c.first.OATPath, OATLevel: c.first.OATLevel, OATChange: c.first.OATChange,
			Over: s.Over, Unit: unit, Goal: goal, From: s.From, To: s.To, TolRatio: s.Tol,
			Value: c.result.Value, FirstFail: c.result.FirstFail, LastPass: c.result.LastPass, NextFail: c.result.NextFail, Resolved: c.result.Resolved, Binding: c.result.Binding,
			Outcome: c.result.Outcome, Reason: c.result.Reason, Probes: len(c.probes),
		}
		for i, column := range h.plan.Columns[:len(h.plan.Columns)-1] {
			if column.Outer {
				f.Axes = append(f.Axes, c.first.Cells[i])
			}
		}
		for _, p := range c.probes {
			f.Runs += len(p.runs)
			f.Confirmed = f.Confirmed || p.value == c.result.Value && (!p.random || s.Confirm > 0)
		}
		out = append(out, f)
	}
	return out
}

// usualProbes are the values that a search usually tries, for the progress.
const usualProbes = 14

// expect counts anew how many runs a search will have, as far as anybody can
// tell.
func (h *hunter) expect(c *chase) {
	runs := c.wait
	for _, p := range c.probes {
		runs += len(p.runs)
	}
	if c.probe != nil {
		from, to := h.replicates(c.probe, c.asked.fresh)
		runs = max(runs, usualProbes*(to-from))
	}
	h.total += runs - c.expected
	c.expected = runs
}
