package report

import (
	"scoville/report/factors"
	"scoville/report/section"
)

// factors are the tables that say which parameters of a sampled design matter;
// nil without one.
func (r *Report) factors() (out []section.Section, err error) {
	tables, err := factors.Sampled(r.data, r.metrics)
	return sections(tables), err
}

// elasticities is the table of the effects of one-at-a-time changes relative to
// the change; nil without one.
func (r *Report) elasticities() ([]section.Section, error) {
	tables, err := factors.Elasticities(r.data, r.metrics)
	return sections(tables), err
}

func sections(tables []factors.Table) (out []section.Section) {
	for _, t := range tables {
		s := section.Section{Title: t.Title, Head: t.Head, Rows: t.Rows, Notes: t.Notes, Long: t.Long}
		if b := t.Brief; b != nil {
			s.Brief = &section.Section{Title: b.Title, Head: b.Head, Rows: b.Rows, Notes: b.Notes}
		}
		out = append(out, s)
	}
	return out
}
