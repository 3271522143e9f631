package confirm

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"scoville/core/table"
	"scoville/sweep/again"
	"scoville/sweep/failure"
	"scoville/sweep/pool"
	"scoville/sweep/results"
	"scoville/sweep/row"
)

// candidates reads the goals of every point from the runs.
func (c *confirmation) candidates() ([]*candidate, error) {
	wanted := func(col table.Column) bool {
		return slices.ContainsFunc(c.goals, func(g goal) bool { return g.metric == col.Name })
	}
	f, err := c.data.RunsFor(wanted)
	if err != nil {
		return nil, again.Input(err)
	}
	members := c.members()
	var all []*candidate
	for i := range f.Len() {
		index, _ := f.Int(f.Index("point_index"), i)
		if len(all) == 0 || all[len(all)-1].index != int(index) {
			id, _ := f.String(f.Index("point_id"), i)
			all = append(all, &candidate{index: int(index), id: id, ok: true, member: members[int(index)]})
		}
		k := all[len(all)-1]
		replicate, _ := f.Int(f.Index("replicate"), i)
		c.from = max(c.from, int(replicate)+1, c.plan.Study.Most())
		if status, _ := f.String(f.Index("status"), i); status != results.OK {
			k.ok = false
			continue
		}
		if steady, known := f.Bool(f.Index("steady"), i); known {
			k.steady.Add(&steady)
		} else {
			k.steady.Add(nil)
		}
		values := make([]float64, len(c.goals))
		for j, g := range c.goals {
			x, ok := f.Float(f.Index(g.metric), i)
			if values[j] = x; !ok {
				values[j] = math.NaN()
			}
		}
		k.first = append(k.first, values)
		k.replicates = append(k.replicates, int(replicate))
		c.used = max(c.used, len(k.first))
	}
	return all, nil
}

// members are the points on the front, by index.
func (c *confirmation) members() map[int]bool {
	out := map[int]bool{}
	p := c.data.Points
	for i := range p.Len() {
		if is, _ := p.Bool(p.Index("pareto"), i); is {
			index, _ := p.Int(p.Index("point_index"), i)
			out[int(index)] = true
		}
	}
	return out
}

// job is a run: a fresh replicate, or one that the study has.
type job struct {
	of        *candidate
	replicate int
	old       bool
}

// simulate runs the fresh replicates of the chosen points, and the first old
// one of the best: it must reproduce. A point without chance has no fresh runs.
func (c *confirmation) simulate(ctx context.Context) error {
	n := c.o.Runs
	if n == 0 {
		n = max(c.used, 5)
	}
	jobs := []job{{c.chosen[0], c.chosen[0].replicates[0], true}}
	for _, k := range c.chosen {
		for r := 0; k.random && r < n; r++ {
			jobs = append(jobs, job{k, c.from + r, false})
		}
		if k.random && n < 2 {
			return again.Input(fmt.Errorf("--runs %d: one run has no interval; take 2 or more", n))
		}
	}
	c.o.Runs = n
	items := make([]int, len(jobs))
	for i := range items {
		items[i] = i
	}
	rows, faults := make([]results.Run, len(jobs)), failure.In(c.o.Dir)
	done, failed := 0, 0
	report := func() {
		if c.o.Progress != nil {
			c.o.Progress(done, len(jobs), failed)
		}
	}
	report()
	workers := pool.Pool[row.Simulate, results.Run]{
		Workers: c.o.Jobs,
		State:   c.o.Simulate,
		Work: func(ctx context.Context, sim row.Simulate, item int) (results.Run, error) {
			pt, err := c.plan.Point(jobs[item].of.index)
			if err != nil {
				return results.Run{}, err
			}
			return row.Fill(ctx, sim, &pt.Resolved.Scenario, c.plan.Options(pt, jobs[item].replicate), row.Of(c.plan, pt, jobs[item].replicate))
		},
		Collect: func(item int, r results.Run, err error) error {
			if err != nil {
				faults.Add(jobs[item].of.id, jobs[item].replicate, err)
				r = results.Run{Status: results.Failed, Error: err.Error()}
			}
			if r.Status != results.OK {
				failed++
			}
			rows[item] = r
			done++
			report()
			return nil
		},
	}
	if err := errors.Join(workers.Run(ctx, items), faults.Err()); err != nil {
		return err
	}
	for i, j := range jobs[1:] {
		j.of.fresh = append(j.of.fresh, rows[i+1])
	}
	return c.reproduced(&rows[0])
}

// reproduced compares the goals of the run of the winner with those of the
// tables, to the bit.
func (c *confirmation) reproduced(r *results.Run) error {
	k := c.chosen[0]
	if r.Status != results.OK {
		return fmt.Errorf("%w: point %d replicate %d was ok and is %s: %s", ErrNotReproduced, k.index, k.replicates[0], r.Status, r.Error)
	}
	for j, g := range c.goals {
		if was, is := k.first[0][j], g.value(r); was != is && !(math.IsNaN(was) && math.IsNaN(is)) {
			return fmt.Errorf("%w: point %d replicate %d: %s was %g and is %g", ErrNotReproduced, k.index, k.replicates[0], g.metric, was, is)
		}
	}
	return nil
}
