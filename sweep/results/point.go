package results

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"scoville/core/table"
	"scoville/sweep/results/class"
	"scoville/sweep/results/impact"
	"scoville/sweep/results/inert"
	"scoville/sweep/results/layout"
	"scoville/sweep/results/record"
	"scoville/sweep/statistic"
)

// point gathers the runs of one point.
type point struct {
	first      Run // the first run that is not ok, else the first run
	runs       int
	replicates []int       // of the ok runs, ascending
	metrics    [][]float64 // of the ok runs
	slo        statistic.Tally
	steady     statistic.Tally
	offered    statistic.Mean
	capacity   statistic.Mean
	load       statistic.Mean
	bounds     []string // of the ok runs
	decodes    []string // their bounds in steps of decodes alone
	print      uint64   // of all metrics of all ok runs
}

// both is true if both are, false if either is, else NULL.
func both(a, b *bool) *bool {
	if isFalse(a) || a == nil && !isFalse(b) {
		return a
	}
	return b
}

// board turns runs into rows of points and effects as they come, and keeps
// what later points are compared with: their baselines.
type board struct {
	set       *Set
	current   *point            // its runs are still coming
	baselines map[string]*point // by outer axis values
	t         statistic.Student
	inert     inert.Axes
	row       table.Row
	columns   map[string]int // of points, by name
	classes   class.Late
	impact    *impact.Effects // of a sampled design, else nil

	point, effect func(table.Row) error // take a row
}

func newBoard(s *Set) *board {
	return &board{set: s, baselines: map[string]*point{}, t: statistic.Student{}, inert: inert.New(s.outerPaths()), classes: class.Late{Table: class.New(s.meta.ClassMetrics)}, impact: impact.New(s.meta.Sample, s.selectedMetrics())}
}

// add takes the next run and keeps its slices. Runs come by point index, then
// replicate; a baseline comes before its changes.
func (b *board) add(r *Run) error {
	if b.current == nil || b.current.first.PointIndex != r.PointIndex {
		if err := b.flush(); err != nil {
			return err
		}
		b.current = &point{first: *r}
		if r.Baseline {
			key := b.outer(b.current)
			if other := b.baselines[key]; other != nil {
				return fmt.Errorf("point %d is a second baseline beside %d", r.PointIndex, other.first.PointIndex)
			}
			b.baselines[key] = b.current
		}
	}
	p := b.current
	p.runs++
	if r.Status != OK {
		if p.first.Status == OK {
			p.first.Status, p.first.Error = r.Status, r.Error
		}
		return nil
	}
	b.classes.Add(r.Classes)
	p.replicates = append(p.replicates, r.Replicate)
	p.metrics = append(p.metrics, r.Metrics)
	p.print = inert.Fingerprint(p.print, r.Metrics)
	p.slo.Add(r.slo())
	p.steady.Add(r.Steady)
	p.offered.Add(r.OfferedRPS)
	p.capacity.Add(r.CapacityRPS)
	p.load.Add(r.LoadRatio)
	if r.Bound != "" {
		p.bounds = append(p.bounds, r.Bound)
	}
	if r.DecodeBound != "" {
		p.decodes = append(p.decodes, r.DecodeBound)
	}
	return nil
}

// flush writes the rows of the current point, whose runs are all there.
func (b *board) flush() error {
	p := b.current
	if p == nil {
		return nil
	}
	b.addInert(p, b.baseline(p))
	b.addImpact(p)
	if err := b.classes.Flush(p.first.PointID, p.first.PointIndex); err != nil {
		return err
	}
	b.row = b.pointRow(b.row, p)
	if err := b.point(b.row); err != nil {
		return err
	}
	return b.effects(p)
}

// outerPaths are the paths of the axes, empty for what varies one at a time.
func (s *Set) outerPaths() []string {
	paths := make([]string, len(s.meta.Axes))
	for i, a := range s.meta.Axes {
		if a.Outer {
			paths[i] = a.Path
		}
	}
	return paths
}

func (b *board) addInert(p, base *point) {
	if p.first.Status != OK {
		return
	}
	var print *uint64
	if base != nil && base.first.Status == OK {
		print = &base.print
	}
	b.inert.Add(inert.Point{Cells: p.first.Axes, Path: p.first.OATPath, Level: p.first.OATLevel, Print: p.print}, print)
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

// baseline is what a point is compared with; nil for the baseline itself and
// where there is none.
func (b *board) baseline(p *point) *point {
	if len(b.baselines) == 0 {
		return nil
	}
	if base := b.baselines[b.outer(p)]; base != p {
		return base
	}
	return nil
}

// mean estimates metric m of a point over its ok runs.
func (b *board) mean(p *point, m int) statistic.Estimate {
	return b.t.Mean(present(p.metrics, m))
}

// present are the values that runs have of metric m.
func present(metrics [][]float64, m int) (x []float64) {
	for _, values := range metrics {
		if v := values[m]; !math.IsNaN(v) {
			x = append(x, v)
		}
	}
	return x
}

// change estimates the change of metric m from the baseline, over the
// replicates that both have, or with independent runs over all of either; n = 0
// without a baseline.
func (b *board) change(p *point, m int) statistic.Estimate {
	base := b.baseline(p)
	if base == nil {
		return statistic.Unknown(0)
	}
	if b.set.meta.Independent {
		return b.t.Welch(present(p.metrics, m), present(base.metrics, m))
	}
	var x, y []float64
	for j, replicate := range p.replicates {
		k, found := slices.BinarySearch(base.replicates, replicate)
		if !found {
			continue
		}
		if v, w := p.metrics[j][m], base.metrics[k][m]; !math.IsNaN(v) && !math.IsNaN(w) {
			x, y = append(x, v), append(y, w)
		}
	}
	return b.t.Change(x, y)
}

// waits is the share of busy time that the current point waits for a resource.
func (b *board) waits(resource string) float64 {
	for i, m := range b.set.meta.Metrics {
		if m.Name == record.Waits(resource) {
			return b.mean(b.current, i).Mean
		}
	}
	return math.NaN()
}

func (s *Set) pointColumns() []table.Column {
	cols := slices.Concat(layout.Pick(runHead, pointShared), pointHead, s.axes)
	for _, m := range s.selectedMetrics() {
		cols = append(cols, layout.Metric(m)...)
	}
	return append(cols, pointEnd...)
}

func (b *board) pointRow(row table.Row, p *point) table.Row {
	r := &p.first
	row = append(row[:0], r.PointID, int64(r.PointIndex), r.Status, text(r.Error), r.Baseline)
	row = append(row, r.oat()...)
	row = append(row, text(r.SearchID), int64(p.runs), int64(len(p.replicates)))
	row = append(row, r.Axes...)
	judged := b.judged(p)
	for _, i := range b.set.selected {
		m, d := b.mean(p, i), b.change(p, i)
		lo, hi := r.Forecast.Range(i)
		row = append(row, m.Mean, m.Lo, m.Hi, int64(m.N), d.Mean, d.Lo, d.Hi, b.set.compare.Gain(judged, i), lo, hi)
	}
	slo, steady := p.slo.Every(), p.steady.Most()
	if p.offered.N > 0 && !isTrue(steady) {
		slo = nil
	}
	row = append(row, flag(slo), flag(steady), p.offered.Value(), p.capacity.Value(), p.load.Value(),
		text(statistic.MostFrequent(p.bounds)), text(statistic.MostFrequent(p.decodes)), text(r.WeakestSource), r.Calibrated, r.extrapolated(), text(strings.Join(r.Outside, OutsideSeparator)), r.loss(), int64(b.set.meta.SimVersion))
	row = append(append(row, r.Forecast.Cells()...), r.Fate.Cells()...)
	return append(row, b.verdict(judged, row)...)
}
