package report

import (
	"scoville/report/found"
	"scoville/report/section"
)

// searches is the table of a study with [search]; nil without one.
func (r *Report) searches() ([]section.Section, error) {
	f, err := r.data.Searches()
	if f == nil || err != nil || f.Len() == 0 {
		return nil, err
	}
	t := found.Make(f, r.data.BareSearches())
	return []section.Section{{Title: t.Title, Head: t.Head, Rows: t.Rows, Notes: t.Notes}}, nil
}
