package plan

import (
	"fmt"

	"scoville/sweep/sample"
	"scoville/sweep/sensitivity"
	"scoville/sweep/study"
)

// row gives the design row i of the sample, in place of a baseline and its
// changes.
func (b *builder) row(i int) error {
	level, err := b.plan.Study.Sample.Row(i)
	if err != nil {
		return err
	}
	return b.give(level)
}

// give gives the design a row.
func (b *builder) give(level study.Level) error {
	for _, relative := range []bool{false, true} {
		if err := b.add([]study.Level{level}, relative); err != nil {
			return err
		}
	}
	return nil
}

// Sample is the sample of the plan with the point of each row, as its results
// keep it; nil if the study has none. With a search it is nil too: the points of
// the results are what the searches try, and no row has one.
func (p *Plan) Sample() *sample.Record {
	if p.rows == nil || p.Study.Search != nil {
		return nil
	}
	r := *p.rows
	r.Compact()
	return &r
}

// sampleNotes say where a sample will give no indices: of too few rows, or of
// what searches find in them.
func (p *Plan) sampleNotes() []string {
	d := p.Study.Sample
	switch {
	case d == nil:
		return nil
	case p.Study.Search != nil:
		return []string{"a search in each row of the sample: searches.parquet has what each found beside the parameters of its row; no indices are made of it"}
	}
	least, thing := sensitivity.LeastRows, "rank correlations"
	switch d.Method {
	case sample.Morris:
		least, thing = sensitivity.LeastTrajectories, "effects"
	case sample.Saltelli:
		least, thing = sensitivity.LeastBlocks, "indices"
	}
	if d.N >= least {
		return nil
	}
	return []string{fmt.Sprintf("warning: n = %d is too few for %s: n = %d is the least that gives any", d.N, thing, least)}
}

// Sampled describes the sample for people; "" if there is none.
func (p *Plan) Sampled() string {
	if p.rows == nil {
		return ""
	}
	return p.rows.Text()
}
