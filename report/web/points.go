package web

import (
	"fmt"
	"slices"
	"strconv"

	"scoville/core/table"
	"scoville/report/number"
	"scoville/report/page"
	"scoville/report/verdict"
	"scoville/report/view"
	"scoville/report/web/scene"
)

// rows are the values of the points that charts refer to: every axis, what
// became of the point, and every metric of the tables and objectives.
func (m *maker) rows() page.Points {
	out := page.Points{Head: []string{"point"}, Rows: map[string][]string{}, Command: "sweep show DIR --point %s"}
	if m.probes {
		out.Command = "" // sweep show explains points of a plan, and a search has none
	}
	axes := m.V.Axes()
	for _, c := range axes {
		out.Head = append(out.Head, scene.Named(c))
	}
	out.Head = append(out.Head, "change", "state", "load_ratio", "bound")
	columns := slices.Clone(m.Metrics)
	for _, o := range m.V.Manifest.Objectives {
		if c, ok := m.V.Column(o.Metric); ok && !slices.ContainsFunc(columns, func(k table.Column) bool { return k.Name == o.Metric }) && c.Path == "" {
			c.Name = o.Metric
			columns = append(columns, c)
		}
	}
	for _, c := range columns {
		out.Head = append(out.Head, c.Name)
	}
	for _, i := range m.All {
		if !m.Used(i) {
			continue
		}
		row := []string{strconv.Itoa(m.V.Index(i))}
		for _, c := range axes {
			row = append(row, scene.Said(m.V.Value(c.Name, i)))
		}
		row = append(row, m.change(i), m.State(i), m.load(i), scene.Said(m.V.Value("bound", i)))
		for _, c := range columns {
			row = append(row, m.cell(c, i))
		}
		out.Rows[row[0]] = row
	}
	return out
}

// change names what is changed one at a time at point i.
func (m *maker) change(i int) string {
	path, ok := m.V.Points.String(m.V.Points.Index("oat_path"), i)
	if !ok {
		return ""
	}
	level, _ := m.V.Points.String(m.V.Points.Index("oat_level"), i)
	return path + " " + number.Level(level)
}

func (m *maker) load(i int) string {
	load, ok := m.V.Points.Float(m.V.Points.Index("load_ratio"), i)
	if !ok {
		return ""
	}
	return fmt.Sprintf("%.2f", load)
}

// cell is a metric of point i, or why it has none.
func (m *maker) cell(c table.Column, i int) string {
	switch {
	case !m.V.OK(i):
		return ""
	case m.V.State(i) == view.Saturated && !verdict.HoldsAnyway[c.Name]:
		return "saturated"
	}
	return m.Mean(c, i)
}
