// Package scope knows which names a condition on the points of a sweep may
// use: axis columns, fixed columns, metrics with their statistics, and gains.
// It holds no results.
package scope

import (
	"fmt"
	"slices"
	"strings"

	"scoville/core/expr"
	"scoville/core/table"
)

// GainSuffix ends the name of a gain: tpot_mean_ms_gain_ratio is by how much
// the metric is better than at the baseline, relative to the baseline.
const GainSuffix = "_gain_ratio"

// short are gains that name a family of metrics.
var short = map[string]string{"ttft": "ttft_mean_ms", "tpot": "tpot_mean_ms"}

// GainMetric returns the metric that a gain is of: tpot_mean_ms of
// tpot_mean_ms_gain_ratio and of tpot_gain_ratio; false for another name.
func GainMetric(name string) (string, bool) {
	metric, ok := strings.CutSuffix(name, GainSuffix)
	if family := short[metric]; ok && family != "" {
		metric = family
	}
	return metric, ok
}

// Columns are those of a points table: the fixed ones, those of the axes, and
// the metrics by their names in the runs table. Statistics are the suffixes of
// a metric's columns.
type Columns struct {
	Fixed, Axes, Metrics []table.Column
	Statistics           []string
}

// placing are the fixed columns that tell where in the design a point stands.
var placing = []string{"point_id", "point_index", "baseline", "oat_path", "oat_level", "oat_change_ratio"}

// Axis returns the column of an axis by its name, its path, or its path without
// ".name".
func (c *Columns) Axis(name string) (table.Column, bool) {
	if i := c.axis(name); i >= 0 {
		return c.Axes[i], true
	}
	return table.Column{}, false
}

// axis is the position of an axis, -1 if there is none of the name.
func (c *Columns) axis(name string) int {
	for _, path := range []string{name, name + ".name"} {
		for i, a := range c.Axes {
			if a.Path == path || a.Name == path {
				return i
			}
		}
	}
	return -1
}

// PlaceOf looks up names of Place: values of the axes, and the position.
func (c *Columns) PlaceOf(axes []any, p Position) func(name string) expr.Value {
	return func(name string) expr.Value {
		if i := c.axis(name); i >= 0 {
			return expr.Of(axes[i])
		}
		return placed(name, p)
	}
}

// Place is the scope of conditions that select points by their place in the
// design.
func (c *Columns) Place() expr.Scope {
	return c.scope("axis", func(name string) (table.Kind, bool) {
		a, ok := c.Axis(name)
		if !ok {
			return c.fixed(name, placing)
		}
		return a.Kind, ok
	}, nil)
}

// Points is the scope of conditions on what came out of a point: its columns,
// with the name of a metric for its mean.
func (c *Columns) Points() expr.Scope {
	var more []string
	for _, cols := range [][]table.Column{c.Metrics, c.Fixed} {
		for _, col := range cols {
			more = append(more, col.Name)
		}
	}
	return c.scope("column", func(name string) (table.Kind, bool) {
		col, ok := c.Column(name)
		return col.Kind, ok
	}, more)
}

// Gains is Points with the gains of metrics.
func (c *Columns) Gains() expr.Scope {
	s := c.Points()
	find := s.Find
	s.Find = func(name string) (expr.Kind, bool) {
		if _, err := c.Gain(name); err == nil {
			return expr.Number, true
		}
		return find(name)
	}
	hint := s.Hint
	for family := range short {
		s.Names = append(s.Names, family+GainSuffix)
	}
	slices.Sort(s.Names[len(s.Names)-len(short):])
	s.Hint = func(name string) string {
		if near := strings.TrimSuffix(name, "_gain") + GainSuffix; strings.HasSuffix(name, "_gain") {
			return fmt.Sprintf("did you mean %q?", near)
		}
		if _, err := c.Gain(name); strings.HasSuffix(name, GainSuffix) {
			return err.Error()
		}
		return hint(name)
	}
	return s
}

func (c *Columns) scope(what string, find func(string) (table.Kind, bool), more []string) expr.Scope {
	s := expr.Scope{What: what, Find: func(name string) (expr.Kind, bool) {
		k, ok := find(name)
		switch k {
		case table.String:
			return expr.Text, ok
		case table.Bool:
			return expr.Bool, ok
		}
		return expr.Number, ok
	}}
	for _, a := range c.Axes {
		s.Names = append(s.Names, a.Name, a.Path)
	}
	s.Names = append(s.Names, more...)
	s.Hint = func(name string) string {
		if near := c.family(name); near != "" {
			return fmt.Sprintf("did you mean %q?", near)
		}
		if len(c.Axes) == 0 {
			return "the study has no axes"
		}
		var names []string
		for _, a := range c.Axes {
			names = append(names, a.Name)
		}
		return "the axes are " + strings.Join(names[:min(len(names), 8)], ", ")
	}
	return s
}

// family is the first metric of what a name stands for without a statistic and
// unit, its mean if it has one: tpot_mean_ms of tpot. "" if there is none.
func (c *Columns) family(name string) (first string) {
	for _, m := range c.Metrics {
		switch {
		case strings.HasPrefix(m.Name, name+"_mean_"):
			return m.Name
		case first == "" && strings.HasPrefix(m.Name, name+"_"):
			first = m.Name
		}
	}
	return first
}

// Column returns the points column that a name stands for: a column by its
// name, an axis by its path, a metric by its name for its mean.
func (c *Columns) Column(name string) (table.Column, bool) {
	if a, ok := c.Axis(name); ok {
		return a, true
	}
	if k, ok := c.fixed(name, nil); ok {
		return table.Column{Name: name, Kind: k}, true
	}
	for _, m := range c.Metrics {
		rest, ok := strings.CutPrefix(name, m.Name)
		switch {
		case !ok:
		case rest == "":
			m.Name += "_mean"
			return m, true
		case slices.Contains(c.Statistics, rest):
			m.Name = name
			if rest == "_n" {
				m.Kind = table.Int64
			}
			return m, true
		}
	}
	return table.Column{}, false
}

// fixed returns the kind of a fixed column, of some or, with nil, of all.
func (c *Columns) fixed(name string, some []string) (table.Kind, bool) {
	for _, f := range c.Fixed {
		if f.Name == name && (some == nil || slices.Contains(some, name)) {
			return f.Kind, true
		}
	}
	return 0, false
}

// Gain returns the metric that a gain is of, by its position.
func (c *Columns) Gain(name string) (int, error) {
	metric, ok := GainMetric(name)
	if !ok {
		return 0, fmt.Errorf("%q is no gain", name)
	}
	i := slices.IndexFunc(c.Metrics, func(m table.Column) bool { return m.Name == metric })
	switch {
	case i < 0:
		return 0, fmt.Errorf("no metric %q to gain in", metric)
	case c.Metrics[i].Better == "":
		return 0, fmt.Errorf("neither more nor less %s is better", metric)
	}
	return i, nil
}

// Position is where in the design a point stands, beside its axes.
type Position struct {
	ID          string
	Index       int
	Baseline    bool
	Path, Level string  // of a one-at-a-time change; "" = none
	Change      float64 // relative, of the change
}

// placed is what a fixed column that tells a place is at a position; null for
// another name.
func placed(name string, p Position) expr.Value {
	switch name {
	case "point_id":
		return expr.Of(p.ID)
	case "point_index":
		return expr.Of(p.Index)
	case "baseline":
		return expr.Of(p.Baseline)
	}
	if p.Path == "" {
		return expr.Value{}
	}
	switch name {
	case "oat_path":
		return expr.Of(p.Path)
	case "oat_level":
		return expr.Of(p.Level)
	case "oat_change_ratio":
		return expr.Of(p.Change)
	}
	return expr.Value{}
}

// Together returns the axes, by position, that a point and its baseline agree
// in, when a condition selects the baselines: those that it does not name.
// groups are the names of the axes that columns belong to, as those of a zip
// belong to one. A condition on another column than an axis selects one
// baseline for all points.
func (c *Columns) Together(baseline *expr.Expr, groups []string) []int {
	named := map[string]bool{}
	for _, n := range baseline.Names() {
		i := c.axis(n.Text)
		if i < 0 {
			return nil
		}
		named[groups[i]] = true
	}
	var out []int
	for i := range c.Axes {
		if !named[groups[i]] {
			out = append(out, i)
		}
	}
	return out
}
