package report

import "scoville/report/factors"

// factors are the tables that say which parameters of a sampled design matter;
// nil without one.
func (r *Report) factors() (out []section, err error) {
	tables, err := factors.Sampled(r.data, r.metrics)
	return sections(tables), err
}

// elasticities is the table of the effects of one-at-a-time changes relative to
// the change; nil without one.
func (r *Report) elasticities() ([]section, error) {
	tables, err := factors.Elasticities(r.data, r.metrics)
	return sections(tables), err
}

func sections(tables []factors.Table) (out []section) {
	for _, t := range tables {
		s := section{title: t.Title, head: t.Head, rows: t.Rows, notes: t.Notes, long: t.Long}
		if b := t.Brief; b != nil {
			s.brief = &section{title: b.Title, head: b.Head, rows: b.Rows, notes: b.Notes}
		}
		out = append(out, s)
	}
	return out
}
