package results

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"scoville/core/table"
)

// point gathers the runs of one point.
type point struct {
	first      Run // the first run that is not ok, else the first run
	runs       int
	replicates []int     // of the ok runs, ascending
	values     []float64 // of the ok runs: all selected metrics of the first, then of the next
	slo        tally
	steady     tally
	offered    meanOf
	capacity   meanOf
	load       meanOf
	bounds     []string // of the ok runs
}

// tally folds flags over runs: false if any is, NULL if none is known.
type tally struct{ yes, no int }

func (t *tally) add(b *bool) {
	switch {
	case b == nil:
	case *b:
		t.yes++
	default:
		t.no++
	}
}

// most folds to what at least half of the known flags are, false on a tie: a
// test with a false-alarm rate must not condemn a point for one of many runs.
func (t tally) most() any {
	if t.yes+t.no == 0 {
		return nil
	}
	return t.no < t.yes
}

func (t tally) cell() any {
	if t.yes+t.no == 0 {
		return nil
	}
	return t.no == 0
}

// meanOf is a running mean that leaves NaN out; NaN if nothing is left.
type meanOf struct {
	sum float64
	n   int
}

func (m *meanOf) add(x float64) {
	if !math.IsNaN(x) {
		m.sum += x
		m.n++
	}
}

func (m meanOf) value() float64 { return m.sum / float64(m.n) }

// board gathers all points of a dataset, in the order of the plan.
type board struct {
	set       *Set
	points    []*point
	baselines map[string]*point // by outer axis values
	t         student
}

func newBoard(s *Set) *board {
	return &board{s, nil, map[string]*point{}, student{}}
}

// add takes the next run. Runs come by point index, then replicate.
func (b *board) add(r *Run) error {
	var p *point
	if n := len(b.points); n > 0 && b.points[n-1].first.PointIndex == r.PointIndex {
		p = b.points[n-1]
	} else {
		p = &point{first: *r}
		p.first.Axes = slices.Clone(r.Axes)
		b.points = append(b.points, p)
		if r.Baseline {
			key := b.outer(p)
			if other := b.baselines[key]; other != nil {
				return fmt.Errorf("point %d is a second baseline beside %d", r.PointIndex, other.first.PointIndex)
			}
			b.baselines[key] = p
		}
	}
	p.runs++
	if r.Status != OK {
		if p.first.Status == OK {
			p.first.Status, p.first.Error = r.Status, r.Error
		}
		return nil
	}
	p.replicates = append(p.replicates, r.Replicate)
	for _, m := range b.set.selected {
		p.values = append(p.values, r.Metrics[m])
	}
	p.slo.add(r.SLOOk)
	p.steady.add(r.Steady)
	p.offered.add(r.OfferedRPS)
	p.capacity.add(r.CapacityRPS)
	p.load.add(r.LoadRatio)
	if r.Bound != "" {
		p.bounds = append(p.bounds, r.Bound)
	}
	return nil
}

// outer identifies the baseline that a point is compared with.
func (b *board) outer(p *point) string {
	var key strings.Builder
	for i, a := range b.set.meta.Axes {
		if a.Outer {
			fmt.Fprintf(&key, "%q;", fmt.Sprint(p.first.Axes[i]))
		}
	}
	return key.String()
}

// value returns selected metric i of the j-th ok run of a point.
func (b *board) value(p *point, i, j int) float64 { return p.values[j*len(b.set.selected)+i] }

// mean estimates selected metric i of a point over its ok runs.
func (b *board) mean(p *point, i int) estimate {
	var x []float64
	for j := range p.replicates {
		if v := b.value(p, i, j); !math.IsNaN(v) {
			x = append(x, v)
		}
	}
	return b.t.mean(x)
}

// change estimates the change of selected metric i from the baseline, over the
// replicates that both have; n = 0 for the baseline itself and where there is
// none.
func (b *board) change(p *point, i int) estimate {
	base := b.baselines[b.outer(p)]
	if base == nil || base == p {
		return unknown(0)
	}
	var x, y []float64
	for j, replicate := range p.replicates {
		k, found := slices.BinarySearch(base.replicates, replicate)
		if !found {
			continue
		}
		if v, w := b.value(p, i, j), b.value(base, i, k); !math.IsNaN(v) && !math.IsNaN(w) {
			x, y = append(x, v), append(y, w)
		}
	}
	return b.t.change(x, y)
}

// pointHead are the points columns before the axes, as far as they are not
// those of runs.
var pointHead = []table.Column{
	{Name: "runs", Kind: table.Int64, Definition: "runs of the point"},
	{Name: "runs_ok", Kind: table.Int64, Definition: "runs of the point that are ok"},
}

// Names of the runs columns that points has too, with status and error of the
// first run that is not ok, and means or verdicts over the ok runs.
var (
	pointShared = []string{"point_id", "point_index", "status", "error", "baseline", "oat_path", "oat_level", "oat_change_ratio", "search_id"}
	pointTail   = []string{"slo_ok", "steady", "offered_rps", "capacity_rps", "load_ratio", "bound", "weakest_source", "calibrated", "sim_version"}
)

func pick(cols []table.Column, names []string) []table.Column {
	return slices.DeleteFunc(slices.Clone(cols), func(c table.Column) bool { return !slices.Contains(names, c.Name) })
}

func (s *Set) pointColumns() []table.Column {
	cols := slices.Concat(pick(runHead, pointShared), pointHead, s.axes)
	for _, i := range s.selected {
		m := s.meta.Metrics[i]
		stat := func(suffix, unit, better, definition string) {
			cols = append(cols, table.Column{Name: m.Name + suffix, Unit: unit, Better: better, Definition: definition + m.Name})
		}
		stat("_mean", m.Unit, m.Better, "mean over the ok runs of ")
		stat("_ci_lo", m.Unit, "", "lower end of the 95 % interval of the mean of ")
		stat("_ci_hi", m.Unit, "", "upper end of the 95 % interval of the mean of ")
		cols = append(cols, table.Column{Name: m.Name + "_n", Kind: table.Int64, Definition: "ok runs that have a value of " + m.Name})
		stat("_delta_ratio", "ratio", "", "change from the baseline, paired by replicate, relative to the baseline's mean of ")
		stat("_delta_ci_lo", "ratio", "", "lower end of the 95 % interval of the change of ")
		stat("_delta_ci_hi", "ratio", "", "upper end of the 95 % interval of the change of ")
	}
	return append(cols, pick(runTail, pointTail)...)
}

func (b *board) pointRow(row table.Row, p *point) table.Row {
	r := &p.first
	row = append(row[:0], r.PointID, int64(r.PointIndex), r.Status, text(r.Error), r.Baseline)
	row = append(row, r.oat()...)
	row = append(row, nil, int64(p.runs), int64(len(p.replicates)))
	row = append(row, r.Axes...)
	for i := range b.set.selected {
		m, d := b.mean(p, i), b.change(p, i)
		row = append(row, m.mean, m.lo, m.hi, int64(m.n), d.mean, d.lo, d.hi)
	}
	return append(row, p.slo.cell(), p.steady.most(), p.offered.value(), p.capacity.value(), p.load.value(),
		text(mostFrequent(p.bounds)), text(r.WeakestSource), r.Calibrated, int64(b.set.meta.SimVersion))
}

// mostFrequent returns the most frequent word, the earlier at a tie.
func mostFrequent(words []string) string {
	count := map[string]int{}
	for _, w := range words {
		count[w]++
	}
	best := ""
	for _, w := range words {
		if count[w] > count[best] {
			best = w
		}
	}
	return best
}
