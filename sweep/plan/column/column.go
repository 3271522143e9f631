// Package column knows the columns that the axes of a study have in its
// results.
package column

import (
	"slices"

	"scoville/core/scenario"
	"scoville/core/table"
	"scoville/core/workload"
	"scoville/sweep/study"
)

// Column is an axis as a column of the results.
type Column struct {
	Path  string // scenario path, or the name of a [[cases.NAME]] axis
	Kind  table.Kind
	Unit  string
	Group string // name of its axis: columns of one axis vary together
	Outer bool   // varies between baselines; else only one at a time
}

// Of lists the axis columns of a study: each path of its axes, the names of
// cases, and each path of one-at-a-time changes or of a sample.
func Of(st *study.Study) []Column {
	var out []Column
	add := func(a study.Axis, outer bool) {
		if a.Named {
			out = append(out, Column{Path: a.Name, Kind: table.String, Group: a.Name, Outer: outer})
			return
		}
		for _, path := range a.Paths {
			if !slices.ContainsFunc(out, func(c Column) bool { return c.Path == path }) {
				f, _ := scenario.Lookup(path)
				out = append(out, Column{path, kind(f, path, a), f.Unit, a.Name, outer})
			}
		}
	}
	for _, a := range st.Axes {
		add(a, true)
	}
	for _, a := range st.OAT {
		add(a, false)
	}
	if st.Sample != nil {
		for _, a := range st.Sample.Axes() {
			add(a, st.Search != nil) // a search of its own for each row
		}
	}
	if s := st.Search; s != nil {
		f, _ := scenario.Lookup(s.Over)
		out = append(out, Column{s.Over, kind(f, s.Over, study.Axis{}), f.Unit, s.Over, true})
	}
	return out
}

// kind is the type of a path's column: a length distribution is text unless
// all its levels are fixed lengths.
func kind(f scenario.Field, path string, a study.Axis) table.Kind {
	switch f.Kind {
	case scenario.Int:
		return table.Int64
	case scenario.Bool:
		return table.Bool
	case scenario.Float:
		for _, l := range a.Levels {
			for _, v := range l.Values {
				if d, ok := v.Value.(workload.Dist); ok && v.Path == path && d.Kind != workload.Fixed {
					return table.String
				}
			}
		}
		return table.Float64
	}
	return table.String
}
