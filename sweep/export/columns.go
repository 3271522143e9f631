package export

import (
	"slices"
	"strings"

	"scoville/core/metrics"
	"scoville/core/table"
	"scoville/sweep/request"
	"scoville/sweep/results/class"
	"scoville/sweep/results/layout"
	"scoville/sweep/results/searches"
)

// Described is a column of a table.
type Described struct {
	Table string // of Tables
	table.Column
}

// Metric stands in names of columns for each metric of the study.
const Metric = "METRIC"

// Columns describes the columns of every table, in the order of the tables. The
// columns of the axes, which differ by study, are one AXIS; those of metrics are by
// name in runs, and METRIC_mean and the like elsewhere.
func Columns() (out []Described) {
	add := func(name string, lists ...[]table.Column) {
		for _, c := range slices.Concat(lists...) {
			out = append(out, Described{name, c})
		}
	}
	axis := []table.Column{{Name: "AXIS", Kind: table.Float64, Definition: "value of an axis: the last part of its key where that is unique, else all of it; whole numbers, texts and truth values in their own types"}}
	metric := layout.Metric(table.Column{Name: Metric})
	add("points", layout.Pick(layout.RunHead, layout.PointShared), layout.PointHead, axis, metric, layout.PointEnd)
	var all []table.Column
	for _, c := range metrics.Columns() {
		all = append(all, table.Column{Name: c.Name, Kind: table.Float64, Unit: c.Unit, Better: c.Better, Definition: c.Definition})
	}
	add("runs", layout.RunHead, axis, all, layout.RunTail)
	add("effects", layout.EffectHead, axis)
	add("searches", searches.Columns(axis))
	add("classes", class.New([]table.Column{{Name: Metric, Definition: "the metric"}}).Columns())
	add("requests", leading, axis, request.Columns)
	return out
}

// Matches says whether a column has part in its name or that of its table.
func (d Described) Matches(part string) bool {
	return strings.Contains(strings.ToLower(d.Table+"."+d.Name), part)
}
