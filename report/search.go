package report

import "scoville/report/found"

// searches is the table of a study with [search]; nil without one.
func (r *Report) searches() ([]section, error) {
	f, err := r.data.Searches()
	if f == nil || err != nil || f.Len() == 0 {
		return nil, err
	}
	t := found.Make(f)
	return []section{{title: t.Title, head: t.Head, rows: t.Rows, notes: t.Notes}}, nil
}
