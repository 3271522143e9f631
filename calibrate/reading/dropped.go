package reading

import (
	"slices"
	"strings"

	"scoville/calibrate/measured"
	"scoville/calibrate/results"
)

// Dropped groups dropped rows by reason, most frequent first.
func Dropped(rows []*measured.Observation) (out []results.Dropped) {
	at := map[string]int{}
	for _, o := range rows {
		if o.Dropped == "" {
			continue
		}
		reason := ReasonOf(o.Dropped)
		i, ok := at[reason]
		if !ok {
			i = len(out)
			at[reason] = i
			out = append(out, results.Dropped{Reason: reason})
		}
		out[i].Rows = append(out[i].Rows, measured.Place(o))
	}
	slices.SortStableFunc(out, func(a, b results.Dropped) int { return len(b.Rows) - len(a.Rows) })
	return out
}

// ReasonOf is why a row is dropped without the figures of the row, so that rows
// can be counted by it.
func ReasonOf(dropped string) string {
	reason, _, _ := strings.Cut(dropped, ":")
	if strings.HasPrefix(reason, "repeats ") {
		return "repeat another row"
	}
	return reason
}
