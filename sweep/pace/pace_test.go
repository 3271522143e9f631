package pace

import (
	"container/heap"
	"context"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"scoville/core"
	"scoville/core/scenario"
)

// job is a run of a sweep on a clock of its own.
type job struct {
	cost, capacity time.Duration // capacity 0 = somebody else's, or none
	known          bool
}

// worker is when a worker is free, and what it did last.
type worker struct {
	free time.Duration
	job  job
}

type workers []worker

func (w workers) Len() int           { return len(w) }
func (w workers) Less(i, j int) bool { return w[i].free < w[j].free }
func (w workers) Swap(i, j int)      { w[i], w[j] = w[j], w[i] }
func (w *workers) Push(x any)        { *w = append(*w, x.(worker)) }
func (w *workers) Pop() any          { panic("not asked for") }

// sweep runs jobs in order on n workers, and returns the truth: how long after the
// asked number of jobs the last is over, what Left said then, and the share of the
// workers' time that they worked.
func sweep(jobs []job, n, asked, designs, known int) (truth, told time.Duration, busy float64) {
	now := time.Duration(0)
	recalled, done := 0, 0
	p := &Pace{Now: func() time.Time { return time.Unix(0, 0).Add(now) }}
	p.Begin(designs, known, func() int { return recalled })
	pool := make(workers, n)
	p.start()
	work, at := time.Duration(0), time.Duration(0)
	finish := func(w worker) {
		now = w.free
		switch {
		case w.job.known:
			recalled++
		default:
			p.runs.n++
			p.runs.time += w.job.cost
			if w.job.capacity > 0 {
				p.capacity.n++
				p.capacity.time += w.job.capacity
			}
		}
		if done++; done == asked {
			at = now
			told = p.Left(done, len(jobs))
		}
	}
	for i, j := range jobs {
		w := pool[0]
		if i >= n {
			finish(w)
		}
		took := j.cost + j.capacity
		if j.known {
			took = 0
		}
		work += took
		pool[0] = worker{w.free + took, j}
		heap.Fix(&pool, 0)
	}
	end := time.Duration(0)
	for _, w := range pool {
		finish(w)
		end = max(end, w.free)
	}
	return end - at, told, work.Seconds() / (float64(n) * end.Seconds())
}

// costs are of 1 ms to 10 s, each size as likely as another.
func costs(r *rand.Rand, n int) []job {
	jobs := make([]job, n)
	for i := range jobs {
		jobs[i].cost = time.Duration(1e6 * math.Pow(1e4, r.Float64()))
	}
	return jobs
}

// After a tenth of the runs the time left is right to 20 %: for runs of very
// different cost, for designs whose points share a capacity run, and for sweeps
// that go on.
func TestLeft(t *testing.T) {
	const n, designs = 10_000, 1000
	worst := map[string]float64{}
	for seed := range uint64(30) {
		r := rand.New(rand.NewPCG(seed, 7))
		shared := costs(r, n)
		met := map[int]bool{}
		for i := range shared {
			if d := r.IntN(designs); !met[d] {
				met[d] = true
				shared[i].capacity = 8 * time.Second
			}
		}
		again := costs(r, n)
		for i := range n / 2 {
			again[i].known = true
		}
		edited := costs(r, n)
		for i := range edited {
			edited[i].known = r.IntN(2) == 0
		}
		count := 0
		for _, j := range edited {
			if j.known {
				count++
			}
		}
		for name, c := range map[string]struct {
			jobs                  []job
			asked, designs, known int
		}{
			"different":   {costs(r, n), n / 10, 0, 0},
			"capacities":  {shared, n / 10, len(met), 0},
			"interrupted": {again, n/2 + n/10, 0, n / 2},
			"edited":      {edited, n / 5, 0, count},
		} {
			truth, told, busy := sweep(c.jobs, 2, c.asked, c.designs, c.known)
			off := math.Abs(told.Seconds()/truth.Seconds() - 1)
			worst[name] = max(worst[name], off)
			if off > 0.2 {
				t.Errorf("%s, seed %d: %v left, told %v", name, seed, truth, told)
			}
			if busy < 0.99 {
				t.Errorf("%s, seed %d: workers are busy %.1f %% of the time", name, seed, 100*busy)
			}
		}
	}
	t.Log("worst errors", worst)
}

// Nothing is told before anything is known, and nothing is left at the end.
func TestEnds(t *testing.T) {
	p := &Pace{}
	if p.Left(0, 10) >= 0 {
		t.Error("told without a run")
	}
	sim := p.Watch(func(context.Context, *scenario.Scenario, core.Options) (core.Result, error) {
		p.Capacity(func() { time.Sleep(time.Millisecond) })
		return core.Result{}, nil
	})
	p.Begin(1, 0, func() int { return 0 })
	if _, err := sim(t.Context(), nil, core.Options{}); err != nil {
		t.Fatal(err)
	}
	if p.runs.n != 1 || p.capacity.n != 1 || p.capacity.time < time.Millisecond || p.runs.time < 0 {
		t.Errorf("%+v %+v", p.runs, p.capacity)
	}
	if p.Left(1, 10) < 0 {
		t.Error("not told")
	}
	if left := p.Left(10, 10); left != 0 {
		t.Error(left)
	}
	var nobody *Pace
	nobody.Begin(1, 2, nil)
	if nobody.Left(1, 2) >= 0 || nobody.Watch(nil) != nil {
		t.Error("nobody knows")
	}
}
