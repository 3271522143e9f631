package results

import (
	"math"
	"slices"

	"scoville/core/table"
	"scoville/sweep/results/layout"
)

// effectColumns ends in the axes whose values have a baseline each.
func (s *Set) effectColumns() []table.Column {
	cols := slices.Clone(layout.EffectHead)
	for i, a := range s.meta.Axes {
		if a.Outer {
			cols = append(cols, s.axes[i])
		}
	}
	return cols
}

// effects writes a row per selected metric of a one-at-a-time point. The points
// of a search have none: the effect is on the value it finds.
func (b *board) effects(p *point) error {
	if p.first.OATPath == "" || p.first.SearchID != "" {
		return nil
	}
	var steady *bool
	if base := b.baseline(p); base != nil {
		steady = both(p.steady.Most(), base.steady.Most())
	}
	oat := p.first.oat()
	for _, m := range b.set.selected {
		e := b.change(p, m)
		row := append(b.row[:0], b.set.meta.Metrics[m].Name, oat[0], oat[1], oat[2], "oat", e.Mean, "ratio", e.Lo, e.Hi, int64(e.N), flag(steady), elasticity(e.Mean, p.first.OATChange))
		for j, a := range b.set.meta.Axes {
			if a.Outer {
				row = append(row, p.first.Axes[j])
			}
		}
		if err := b.effect(row); err != nil {
			return err
		}
		b.row = row
	}
	return nil
}

// elasticity is an effect relative to the relative change of the parameter,
// both ratios; NULL where there is none.
func elasticity(effect, change float64) any {
	if e := effect / change; !math.IsNaN(e) && !math.IsInf(e, 0) {
		return e
	}
	return nil
}
