package plan

import (
	"scoville/sweep/sample"
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

// Sampled describes the sample for people; "" if there is none.
func (p *Plan) Sampled() string {
	if p.rows == nil {
		return ""
	}
	return p.rows.Text()
}
