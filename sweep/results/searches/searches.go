// Package searches knows the table of searches: a row per search with what it
// looked for, what it found, and for one-at-a-time changes the effect on the
// value found. It knows columns and numbers, not how a search is done.
package searches

import (
	"math"

	"scoville/core/table"
)

// Outcomes that hold a feasible value.
const (
	Found       = "found"
	AllFeasible = "all_feasible"
)

// Search is one row. NaN and an empty string are NULL.
type Search struct {
	ID        string  // also of its runs
	Baseline  bool    // what one-at-a-time changes are compared with
	OATPath   string  // changed parameter; empty if none
	OATLevel  string  // as the study writes it
	OATChange float64 // actual relative change, ratio
	Axes      []any   // values of the outer axes, in the order of the columns

	Over, Unit, Goal string
	From, To         float64
	TolRatio         float64

	Value, FirstFail float64 // read only if found
	// LastPass and NextFail bracket the boundary on the replicates of the study,
	// which all searches share; read only if found.
	LastPass, NextFail float64
	Binding            string
	Outcome, Reason    string
	Confirmed          bool // on fresh runs, or nothing is random; read only if found
	Resolved           bool // to the tolerance; read only if found
	Probes, Runs       int
}

// Interval returns the ends of the boundary in the order of numbers; NaN where
// there is none.
func (s *Search) Interval() (lo, hi float64) {
	if s.Goal == "min" {
		return s.FirstFail, s.Value
	}
	return s.Value, s.FirstFail
}

var head = []table.Column{
	{Name: "search_id", Kind: table.String, Definition: "hash of what is searched; the runs of the search carry it too"},
	{Name: "search_index", Kind: table.Int64, Definition: "position of the search in the plan, from 0"},
	{Name: "baseline", Kind: table.Bool, Definition: "the search that one-at-a-time changes are compared with"},
	{Name: "oat_path", Kind: table.String, Definition: "parameter changed one at a time"},
	{Name: "oat_level", Kind: table.String, Definition: "level as requested in the study"},
	{Name: "oat_change_ratio", Kind: table.Float64, Unit: "ratio", Definition: "actual change of the parameter relative to its base value"},
}

var tail = []table.Column{
	{Name: "over", Kind: table.String, Definition: "scenario path that is searched over"},
	{Name: "unit", Kind: table.String, Definition: "unit of over, and so of the values"},
	{Name: "goal", Kind: table.String, Definition: "max or min: the largest or the smallest value that meets every service level"},
	{Name: "search_from", Kind: table.Float64, Definition: "lower end of the range"},
	{Name: "search_to", Kind: table.Float64, Definition: "upper end of the range"},
	{Name: "tol_ratio", Kind: table.Float64, Unit: "ratio", Definition: "how close the last pass and the first fail had to come; whole numbers are exact"},
	{Name: "outcome", Kind: table.String, Definition: "found, none_feasible, all_feasible, non_monotone, budget or error"},
	{Name: "value", Kind: table.Float64, Definition: "last value that meets every service level, confirmed where runs are random; NULL unless found"},
	{Name: "value_lo", Kind: table.Float64, Definition: "lower end of the interval that holds the boundary: value for goal max, first_fail for goal min"},
	{Name: "value_hi", Kind: table.Float64, Definition: "upper end of the interval that holds the boundary"},
	{Name: "first_fail", Kind: table.Float64, Definition: "nearest value beyond that is shown to fail; NULL unless found, and where none in the range is"},
	{Name: "confirmed", Kind: table.Bool, Definition: "value passed on fresh replicates, or nothing is random; NULL unless found"},
	{Name: "resolved", Kind: table.Bool, Definition: "value and first_fail are as close as tol_ratio asks; false: the replicates do not decide between them; NULL unless found"},
	{Name: "binding_slo", Kind: table.String, Definition: "what fails first beyond value: a metric, steady or feasible; where nothing passes, what fails at the easiest value"},
	{Name: "reason", Kind: table.String, Definition: "what must be said of the outcome"},
	{Name: "probes", Kind: table.Int64, Definition: "different values tried"},
	{Name: "runs", Kind: table.Int64, Definition: "runs of all probes"},
	{Name: "delta_ratio", Kind: table.Float64, Unit: "ratio", Definition: "change of the boundary from the baseline's, both on the replicates of the study, which meet the same requests; NULL unless both are found"},
	{Name: "delta_lo", Kind: table.Float64, Unit: "ratio", Definition: "least change that the last passes and the first fails on these replicates allow: the resolution of the searches, no confidence interval"},
	{Name: "delta_hi", Kind: table.Float64, Unit: "ratio", Definition: "largest change that they allow"},
}

// Columns are the columns of the table, with those of the outer axes.
func Columns(axes []table.Column) []table.Column {
	return append(append(append([]table.Column{}, head...), axes...), tail...)
}

// Rows lays searches out as Columns. A baseline comes before its changes.
func Rows(list []Search) []table.Row {
	var rows []table.Row
	var base *Search
	for i := range list {
		s := &list[i]
		if s.Baseline {
			base = s
		}
		row := table.Row{s.ID, int64(i), s.Baseline, text(s.OATPath), text(s.OATLevel), s.OATChange}
		row = append(row, s.Axes...)
		row = append(row, s.Over, text(s.Unit), s.Goal, s.From, s.To, s.TolRatio, s.Outcome)
		if s.Outcome == Found {
			lo, hi := s.Interval()
			row = append(row, s.Value, lo, hi, s.FirstFail, s.Confirmed, s.Resolved)
		} else {
			row = append(row, nil, nil, nil, nil, nil, nil)
		}
		row = append(row, text(s.Binding), text(s.Reason), int64(s.Probes), int64(s.Runs))
		rows = append(rows, append(row, change(s, base)...))
	}
	return rows
}

// change compares a one-at-a-time change with its baseline.
func change(s, base *Search) table.Row {
	if s.OATPath == "" || base == nil || s.Outcome != Found || base.Outcome != Found || !(base.LastPass > 0) {
		return table.Row{nil, nil, nil}
	}
	lo, hi := min(s.LastPass, s.NextFail), max(s.LastPass, s.NextFail)
	baseLo, baseHi := min(base.LastPass, base.NextFail), max(base.LastPass, base.NextFail)
	least, most := lo/baseHi-1, hi/baseLo-1
	if !(lo > 0 && baseLo > 0) { // ratios of numbers above 0 only
		least, most = math.NaN(), math.NaN()
	}
	return table.Row{s.LastPass/base.LastPass - 1, least, most}
}

func text(s string) any {
	if s == "" {
		return nil
	}
	return s
}
