package results

import (
	"math"
	"slices"

	"scoville/core/table"
)

// effectHead are the effects columns before the outer axes.
var effectHead = []table.Column{
	{Name: "metric", Kind: table.String, Definition: "metric that changes"},
	{Name: "parameter", Kind: table.String, Definition: "scenario path that is changed"},
	{Name: "level", Kind: table.String, Definition: "level as requested in the study"},
	{Name: "change_ratio", Kind: table.Float64, Unit: "ratio", Definition: "actual change of the parameter relative to its base value"},
	{Name: "method", Kind: table.String, Definition: "how the effect is found: oat = one parameter at a time"},
	{Name: "effect", Kind: table.Float64, Definition: "change of the metric, paired by replicate, relative to the baseline's mean; NULL if either has no value"},
	{Name: "unit", Kind: table.String, Definition: "unit of effect, ci_lo and ci_hi"},
	{Name: "ci_lo", Kind: table.Float64, Definition: "lower end of the 95 % interval of the effect; NULL for n < 2"},
	{Name: "ci_hi", Kind: table.Float64, Definition: "upper end of the 95 % interval of the effect; NULL for n < 2"},
	{Name: "n", Kind: table.Int64, Definition: "pairs of runs"},
	{Name: "steady", Kind: table.Bool, Definition: "changed point and baseline are both steady; false if either is known not to be, NULL if not known and for closed loops and bursts"},
	{Name: "elasticity", Kind: table.Float64, Definition: "effect over change_ratio: percent of the metric per percent of the parameter; the interval scales alike. NULL for a parameter without a relative change"},
}

// effectColumns ends in the axes whose values have a baseline each.
func (s *Set) effectColumns() []table.Column {
	cols := slices.Clone(effectHead)
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
