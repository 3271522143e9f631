// Package fate says how the sampling of a point ended, where a stopping rule or a
// race decided on it.
package fate

import "scoville/core/table"

// Fate is how the sampling of a point ended. The zero value and nil are those of
// a point whose replicates were fixed beforehand.
type Fate struct {
	Narrow *bool // its intervals are as narrow as the stopping rule asks; nil = no rule, or no steady value
	Pruned int   // replicates after which a race dropped it; 0 = it did not
}

// Columns of the points table.
var Columns = []table.Column{
	{Name: "until_reached", Kind: table.Bool, Definition: "the interval of every metric of [replicates] until is as narrow as asked; false where the most replicates did not get there; NULL without until, and for a point that is not ok or saturated"},
	{Name: "pruned_at", Kind: table.Int64, Definition: "replicates after which the race dropped the point, since another is better in every objective; it is not compared any more; NULL for one that ran on, and without a race"},
}

// Cells returns the cells of Columns.
func (f *Fate) Cells() []any {
	out := make([]any, len(Columns))
	if f == nil {
		return out
	}
	if f.Narrow != nil {
		out[0] = *f.Narrow
	}
	if f.Pruned > 0 {
		out[1] = int64(f.Pruned)
	}
	return out
}

// Dropped says whether a race dropped the point.
func (f *Fate) Dropped() bool { return f != nil && f.Pruned > 0 }
