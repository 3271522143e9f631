package sweep

import (
	"maps"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"scoville/core"
	"scoville/core/metrics"
	"scoville/core/table"
	"scoville/sweep/plan"
	"scoville/sweep/results"
	"scoville/sweep/schedule"
	"scoville/sweep/study"
)

// meta is what the dataset of a plan is made of beside its runs.
func meta(p *Plan, o Options) results.Meta {
	st := p.Study
	m := results.Meta{
		Study: st.Name, StudyTOML: []byte(st.Doc.Text), SimVersion: core.Version, Seed: st.Seed,
		Inputs: maps.Clone(p.Inputs), Set: o.Set, Workers: o.Jobs, Planned: p.Runs(), Independent: st.Independent, Selected: st.Metrics, Notes: p.Notes,
		Point: o.Point, StudyFile: st.Doc.File, Numbers: p.Numbers, Sample: p.Sample(),
	}
	m.Until, m.Race = schedule.Rule(st), st.Race
	if st.First() > 0 {
		m.Most = p.Runs()
	}
	if full, err := filepath.Abs(st.Doc.File); err == nil {
		m.StudyFile = full
	}
	if st.Set != nil {
		delete(m.Inputs, st.Set.Doc.File) // recorded as m.Set
	}
	for _, l := range st.Layers {
		delete(m.Inputs, l.Doc.File)
		m.Inputs[relative(p, l.Doc.File)] = l.Doc.SHA256
		if l.Doc != st.Doc {
			m.Overlays = append(m.Overlays, relative(p, l.Doc.File))
		}
	}
	for _, c := range p.Columns {
		m.Axes = append(m.Axes, results.Axis(c))
	}
	m.Metrics, m.ClassMetrics = metricColumns(), describe(metrics.ClassColumns())
	m.Report, m.Objectives = st.Report, st.Objectives
	m.Report.Limits = limits(p)
	if t := st.Accuracy.Table; t != nil {
		m.Inputs[relative(p, t.File)] = st.Accuracy.SHA256
	}
	return m
}

// limits are the service levels that hold for all points: none is an axis, or set
// by a case.
func limits(p *Plan) (out []results.Limit) {
	level := func(path string) bool { return strings.HasPrefix(path, "slo.") }
	cases := func(a study.Axis) bool { return slices.ContainsFunc(a.Paths, level) }
	if slices.ContainsFunc(p.Columns, func(c plan.Column) bool { return level(c.Path) }) || slices.ContainsFunc(p.Study.Axes, cases) || p.Len() == 0 {
		return nil
	}
	first, err := p.Point(0)
	if err != nil {
		return nil // running it says why
	}
	bound := func(x float64) *float64 {
		if math.IsNaN(x) {
			return nil
		}
		return &x
	}
	for _, l := range first.Resolved.Scenario.SLO {
		out = append(out, results.Limit{Metric: l.Metric, Max: bound(l.Max), Min: bound(l.Min)})
	}
	return out
}

// metricColumns are the metrics as columns of a table.
func metricColumns() []table.Column { return describe(metrics.Columns()) }

func describe(cols []metrics.Column) (out []table.Column) {
	for _, c := range cols {
		out = append(out, table.Column{Name: c.Name, Kind: table.Float64, Unit: c.Unit, Better: c.Better, Definition: c.Definition})
	}
	return out
}
