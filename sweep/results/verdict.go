package results

import (
	"iter"
	"math"

	"scoville/core/table"
	"scoville/sweep/results/compare"
	"scoville/sweep/results/scope"
)

// comparison reads what the study asks of its points.
func (s *Set) comparison() (*compare.Comparison, error) {
	var groups []string
	for _, a := range s.meta.Axes {
		groups = append(groups, a.Group)
	}
	return compare.New(Columns(s.axes, s.meta.Metrics), groups, s.meta.Report, s.meta.Objectives)
}

// gather shows all runs to the comparison.
func (s *Set) gather(runs iter.Seq2[Run, error]) error {
	if !s.compare.Needed() {
		return nil
	}
	s.compare.Start()
	for r, err := range runs {
		if err != nil {
			return err
		}
		if err := s.checkRun(&r); err != nil {
			return err
		}
		x := compare.Run{
			Place: scope.Position{ID: r.PointID, Index: r.PointIndex, Baseline: r.Baseline, Path: r.OATPath, Level: r.OATLevel, Change: r.OATChange},
			Axes:  r.Axes, OK: r.Status == OK && !r.Fate.Dropped(), Steady: r.Steady, Metrics: r.Metrics, CapacityRPS: r.CapacityRPS, AccuracyLoss: math.NaN(),
		}
		if r.AccuracyLoss != nil {
			x.AccuracyLoss = *r.AccuracyLoss
		}
		s.compare.Add(x)
	}
	s.compare.Finish()
	return nil
}

// verdict returns the last cells of a point, whose row holds all others.
func (b *board) verdict(judged *compare.Point, row table.Row) table.Row {
	if b.columns == nil {
		b.columns = map[string]int{}
		for i, c := range b.set.pointColumns() {
			b.columns[c.Name] = i
		}
	}
	judged.Cell = func(column string) any { return row[b.columns[column]] }
	return b.set.compare.Verdict(judged)
}

// judged is a point as it is compared with others, without its cells.
func (b *board) judged(p *point) *compare.Point {
	compared := func(p *point) bool {
		return compare.Compared(p.first.Status == OK && !p.first.Fate.Dropped(), p.steady.Most())
	}
	return &compare.Point{
		Index: p.first.PointIndex, Axes: p.first.Axes, Compared: compared(p),
		Mean: func(m int) float64 { return b.mean(p, m).Mean },
		Change: func(m int) float64 {
			if base := b.baseline(p); base == nil || !compared(base) {
				return math.NaN()
			}
			return b.change(p, m).Mean
		},
	}
}
