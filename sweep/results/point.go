package results

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"scoville/core/table"
	"scoville/sweep/results/class"
	"scoville/sweep/results/compare"
	"scoville/sweep/results/forecast"
	"scoville/sweep/results/inert"
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
	classes   classes

	point, effect func(table.Row) error // take a row
}

func newBoard(s *Set) *board {
	return &board{set: s, baselines: map[string]*point{}, t: statistic.Student{}, inert: inert.New(s.outerPaths()), classes: classes{Table: class.New(s.meta.ClassMetrics)}}
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
	if err := b.classes.flush(p); err != nil {
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
	var x []float64
	for _, values := range p.metrics {
		if v := values[m]; !math.IsNaN(v) {
			x = append(x, v)
		}
	}
	return b.t.Mean(x)
}

// change estimates the change of metric m from the baseline, over the
// replicates that both have; n = 0 without a baseline.
func (b *board) change(p *point, m int) statistic.Estimate {
	base := b.baseline(p)
	if base == nil {
		return statistic.Unknown(0)
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
	pointTail   = []string{"slo_ok", "steady", "offered_rps", "capacity_rps", "load_ratio", "bound", "decode_bound", "weakest_source", "calibrated", "extrapolated", "outside", "accuracy_loss_ratio", "sim_version"}
)

// statistics are the suffixes of a metric's columns in points.
var statistics = append([]string{"_mean", "_ci_lo", "_ci_hi", "_n", "_delta_ratio", "_delta_ci_lo", "_delta_ci_hi", GainSuffix}, forecast.Statistics...)

// pointEnd are the points columns after the metrics.
var pointEnd = slices.Concat(pick(runTail, pointTail), forecast.Columns, compare.Columns)

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
		stat(GainSuffix, "ratio", "higher", "by how much better than at the baseline of [oat] or of [report], relative to it; NULL without one, unless both are ok and neither is saturated, and where neither more nor less is better; of the mean of ")
		stat("_pred_lo", m.Unit, "", "lower end of the interval that holds 90 % of other runs, over draws of the calibrated parameters, of ")
		stat("_pred_hi", m.Unit, "", "upper end of the interval that holds 90 % of other runs, over draws of the calibrated parameters, of ")
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
	row = append(row, r.Forecast.Cells()...)
	return append(row, b.verdict(judged, row)...)
}
