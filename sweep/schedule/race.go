package schedule

import (
	"math"

	"scoville/core/metrics"
	"scoville/sweep/plan"
	"scoville/sweep/results"
	"scoville/sweep/results/fate"
	"scoville/sweep/results/front"
	"scoville/sweep/statistic"
	"scoville/sweep/study/effort"
)

// RaceError is how sure a race is: the probability that it drops, in all its
// looks together, the best design by one objective, or any design that belongs to
// the front of several.
const RaceError = 0.05

// race gives all designs the same replicates, round by round, and drops those that
// lose: it looks after 5 replicates, and then after half as many again. A design
// is dropped when another is better in every objective: the paired differences
// over the replicates that both have, on the same requests, have a mean above zero
// by a one-sided t-test at level RaceError / (comparisons x looks). With m designs
// the comparisons are m - 1 for one objective, those of the best design, and
// m (m - 1) for several, since any might belong to the front (Bonferroni; Maron and
// Moore, Hoeffding Races, 1994; Birattari et al., F-Race, 2002). All objectives
// must hold at that level, which needs no further correction: if a design is not
// worse in one of them, that test alone fails as often as the level says.
//
// A design leaves, without being dropped, when a run of it is not ok or the queue
// grows in every one: it is not compared. One whose queue grows in some runs
// stays, and drops no other.
type race struct {
	plan    *plan.Plan
	designs []racer
	looks   []int // replicates after which it looks
	round   int
	open    int // runs out
	level   float64
	upper   map[int]float64 // points of Student's t by number of pairs
}

// racer is a design.
type racer struct {
	values  [][]float64 // objectives by replicate, to be minimised; nil = not there, NaN = none
	done    int
	broken  bool
	growing int // runs whose queue grows
	pruned  int
}

func newRace(p *plan.Plan) *race {
	r := &race{plan: p, designs: make([]racer, p.Len()), looks: RaceLooks(p.Study.Replicates), upper: map[int]float64{}}
	comparisons := max(p.Len()-1, 1)
	if len(p.Study.Objectives) > 1 {
		comparisons *= p.Len()
	}
	r.level = RaceError / float64(comparisons) / float64(len(r.looks))
	r.open = p.LeastRuns()
	return r
}

// RaceLooks are the numbers of replicates after which a race of n replicates
// looks.
func RaceLooks(n int) (looks []int) {
	for k := effort.RaceFirst; k < n; k = grown(k, n) {
		looks = append(looks, k)
	}
	return looks
}

func (r *race) Start() []int { return first(r.plan) }

func (r *race) Fate(point int) *fate.Fate {
	if n := r.designs[point].pruned; n > 0 {
		return &fate.Fate{Pruned: n}
	}
	return nil
}

func (r *race) Done(item int, run *results.Run) []int {
	point, replicate := r.plan.Run(item)
	d := &r.designs[point]
	if d.values == nil {
		d.values = make([][]float64, r.plan.Replicates(point))
	}
	d.done++
	switch {
	case run.Status != results.OK:
		d.broken = true
	case run.Steady != nil && !*run.Steady:
		d.growing++
	default:
		d.values[replicate] = r.objectives(run)
	}
	if r.open--; r.open > 0 || r.round == len(r.looks) {
		return nil
	}
	r.prune(r.looks[r.round])
	from := r.looks[r.round]
	r.round++
	to := r.plan.Study.Replicates
	if r.round < len(r.looks) {
		to = r.looks[r.round]
	}
	var more []int
	for i := range r.designs {
		if d := &r.designs[i]; !d.out() {
			more = append(more, items(r.plan, i, from, min(to, r.plan.Replicates(i)))...)
		}
	}
	r.open = len(more)
	return more
}

// out says whether a design is not run any more.
func (d *racer) out() bool { return d.pruned > 0 || d.broken || d.growing == d.done }

// objectives are those of a run, to be minimised.
func (r *race) objectives(run *results.Run) []float64 {
	out := make([]float64, len(r.plan.Study.Objectives))
	for i, o := range r.plan.Study.Objectives {
		switch column, ok := metrics.Index(o.Metric); {
		case ok:
			out[i] = run.Metrics[column]
		case o.Metric == "capacity_rps":
			out[i] = run.CapacityRPS
		case run.AccuracyLoss != nil:
			out[i] = *run.AccuracyLoss
		default:
			out[i] = math.NaN()
		}
		if o.Goal == "max" {
			out[i] = -out[i]
		}
	}
	return out
}

// prune drops the designs that lose after n replicates. Those that beat them are
// looked for on the front of the means: what another design beats, one of the front
// nearly always beats too.
func (r *race) prune(n int) {
	means := make([][]float64, len(r.designs))
	for i := range r.designs {
		if d := &r.designs[i]; !d.out() && d.growing == 0 {
			means[i] = mean(d.values, len(r.plan.Study.Objectives))
		}
	}
	var best []int
	for i, member := range front.Of(means) {
		if member {
			best = append(best, i)
		}
	}
	for i := range r.designs {
		d := &r.designs[i]
		if d.out() || r.plan.Replicates(i) == 1 {
			continue
		}
		for _, j := range best {
			if j != i && r.loses(d.values[:n], r.designs[j].values) {
				d.pruned = n
				break
			}
		}
	}
}

// mean leaves out what is not there.
func mean(values [][]float64, objectives int) []float64 {
	out := make([]float64, objectives)
	for k := range out {
		var m statistic.Mean
		for _, v := range values {
			if v != nil {
				m.Add(v[k])
			}
		}
		out[k] = m.Value()
	}
	return out
}

// loses says whether a design is worse than another in every objective. One of a
// single run, where nothing is random, stands for every replicate.
func (r *race) loses(mine, other [][]float64) bool {
	for k := range r.plan.Study.Objectives {
		var rest []float64
		for replicate, x := range mine {
			y := other[min(replicate, len(other)-1)]
			if x == nil || y == nil || math.IsNaN(x[k]-y[k]) {
				continue
			}
			rest = append(rest, x[k]-y[k])
		}
		if len(rest) < effort.RaceFirst {
			return false
		}
		if mean, spread := statistic.Spread(rest); !(mean-r.point(len(rest))*spread > 0) {
			return false
		}
	}
	return true
}

// point is that of Student's t for n pairs.
func (r *race) point(n int) float64 {
	t, ok := r.upper[n]
	if !ok {
		t = statistic.Upper(r.level, float64(n-1))
		r.upper[n] = t
	}
	return t
}
