package results

import (
	"math"

	"scoville/core/table"
	"scoville/sweep/results/compare"
	"scoville/sweep/results/impact"
)

// Judgement is what must be said of the effects that a sample shows on one
// metric.
type Judgement = impact.Judgement

// selectedMetrics are the metrics of points and effects.
func (s *Set) selectedMetrics() (out []table.Column) {
	for _, i := range s.selected {
		out = append(out, s.meta.Metrics[i])
	}
	return out
}

// outerCells are the values of the axes around a design.
func (b *board) outerCells(p *point) (cells []any) {
	for i, a := range b.set.meta.Axes {
		if a.Outer {
			cells = append(cells, p.first.Axes[i])
		}
	}
	return cells
}

// addImpact shows a point to the analysis of a sampled design. The points of a
// search are values that it tried, none of the design.
func (b *board) addImpact(p *point) {
	if p.first.SearchID != "" {
		return
	}
	b.impact.Add(impact.Point{
		Index: p.first.PointIndex, Outer: b.outerCells(p),
		Compared: compare.Compared(p.first.Status == OK, p.steady.Most()),
		Runs: func(m int) []float64 {
			values := make([]float64, len(p.metrics))
			for j, run := range p.metrics {
				values[j] = run[b.set.selected[m]]
			}
			return values
		},
	})
}

// sampled writes the effects of a sampled design, after its points.
func (b *board) sampled() ([]Judgement, error) {
	return b.impact.Rows(func(r impact.Row) error {
		var parameter any = r.Parameter
		if r.Parameter == "" {
			parameter = nil
		}
		e := r.Estimate
		row := append(b.row[:0], r.Metric, parameter, nil, math.NaN(), r.Method, e.Value, r.Unit, e.Lo, e.Hi, int64(r.N), nil, nil)
		row = append(row, r.Outer...)
		for len(row) < len(b.set.effectColumns()) {
			row = append(row, nil)
		}
		b.row = row
		return b.effect(row)
	})
}
