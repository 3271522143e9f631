package schedule

import (
	"math"
	"slices"

	"scoville/core/metrics"
	"scoville/sweep/plan"
	"scoville/sweep/results"
	"scoville/sweep/results/fate"
	"scoville/sweep/statistic"
	"scoville/sweep/study/effort"
)

// until gives each point replicates until its intervals are narrow. A point is
// looked at when all its runs so far are done: after n, then after half as many
// again. It stops when half the 95 % interval of every metric is at most rel_ci of
// the mean, at the most replicates, and at once where a run is not ok or the queue
// grows: more runs make neither better.
//
// An interval that is looked at until it is narrow stops more often where it is
// narrow by chance, and then holds the truth less often than it says. The first
// look at three runs or more, and few looks after it, keep that small: with normal
// values intervals that end between 7 and 40 runs hold it in 92.5 to 94 % where the
// first look is at 5, in 91.5 to 93.5 % where it is at 3 (TestUntilCovers).
type until struct {
	plan    *plan.Plan
	rule    *effort.Until
	columns []int // of the metrics
	points  map[int]*sampled
	fates   map[int]*fate.Fate
	t       statistic.Student
}

// sampled are the runs of a point that is not decided yet.
type sampled struct {
	asked  int // replicates
	done   int
	broken bool // a run is not ok
	steady statistic.Tally
	values []observed
}

// observed are the metrics of one run.
type observed struct {
	replicate int
	values    []float64
}

func newUntil(p *plan.Plan) *until {
	u := &until{plan: p, rule: p.Study.Until, points: map[int]*sampled{}, fates: map[int]*fate.Fate{}, t: statistic.Student{}}
	for _, name := range u.rule.Metrics {
		i, _ := metrics.Index(name) // checked with the study
		u.columns = append(u.columns, i)
	}
	return u
}

func (u *until) Start() []int              { return first(u.plan) }
func (u *until) Fate(point int) *fate.Fate { return u.fates[point] }

func (u *until) Done(item int, r *results.Run) []int {
	point, replicate := u.plan.Run(item)
	s := u.points[point]
	if s == nil {
		s = &sampled{asked: u.plan.Least(point)}
		u.points[point] = s
	}
	s.done++
	if r.Status == results.OK {
		values := make([]float64, len(u.columns))
		for i, c := range u.columns {
			values[i] = r.Metrics[c]
		}
		s.steady.Add(r.Steady)
		s.values = append(s.values, observed{replicate, values})
	} else {
		s.broken = true
	}
	if s.done < s.asked {
		return nil
	}
	most := u.plan.Replicates(point)
	verdict := u.look(s)
	if verdict == nil && s.asked < most && !s.broken && !saturated(s) {
		from := s.asked
		s.asked = grown(from, most)
		return items(u.plan, point, from, s.asked)
	}
	u.fates[point] = &fate.Fate{Narrow: verdict}
	if verdict == nil && !s.broken && !saturated(s) {
		no := false
		u.fates[point].Narrow = &no
	}
	delete(u.points, point)
	return nil
}

// saturated says whether the queue of a point grows in most of its runs.
func saturated(s *sampled) bool {
	steady := s.steady.Most()
	return steady != nil && !*steady
}

// look says whether a point is known well enough; nil = no. A single run where
// nothing is random is.
func (u *until) look(s *sampled) *bool {
	if s.broken || saturated(s) {
		return nil
	}
	slices.SortFunc(s.values, func(a, b observed) int { return a.replicate - b.replicate })
	narrow := true
	for i := range u.columns {
		var x []float64
		for _, o := range s.values {
			if !math.IsNaN(o.values[i]) {
				x = append(x, o.values[i])
			}
		}
		narrow = narrow && len(x) > 0 && (s.asked == 1 || u.narrow(x))
	}
	if !narrow {
		return nil
	}
	return &narrow
}

// narrow says whether the mean of a metric is known well enough.
func (u *until) narrow(x []float64) bool {
	e := u.t.Mean(x)
	return e.N >= effort.LeastUntil && (e.Hi-e.Lo)/2 <= u.rule.RelCI*math.Abs(e.Mean)
}
