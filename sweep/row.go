package sweep

import (
	"context"
	"fmt"
	"maps"
	"math"
	"path/filepath"

	"scoville/core"
	"scoville/core/metrics"
	"scoville/core/scenario"
	"scoville/core/table"
	"scoville/sweep/results"
	"scoville/sweep/results/class"
)

// one simulates run number item of a plan.
func one(ctx context.Context, p *Plan, sim Simulate, item int) (results.Run, error) {
	r, sc, err := row(p, item)
	if err != nil || r.Status == results.Infeasible {
		return r, err
	}
	res, err := sim(ctx, sc, core.Options{Seed: p.Study.Seed, Replicate: r.Replicate})
	if err != nil {
		return results.Run{}, err
	}
	r.Status, r.Error = string(res.Status), res.Reason
	r.Metrics = res.Summary
	for _, c := range res.Classes {
		r.Classes = append(r.Classes, class.Values{Name: c.Name, Metrics: c.Summary})
	}
	r.OfferedRPS, r.CapacityRPS, r.LoadRatio = res.OfferedRPS, res.CapacityRPS, res.LoadRatio
	r.Bound, r.SimS, r.Events = res.Bound, res.SimS, res.Events
	if res.Status == core.OK {
		r.SLOOk = meets(sc.SLO, res.Summary)
		r.Steady = flag(res.Steady)
	}
	return r, nil
}

// failed is the row of a run that ended in an error or a panic.
func failed(p *Plan, item int, reason error) (results.Run, error) {
	r, _, err := row(p, item)
	r.Status, r.Error = results.Failed, reason.Error()
	return r, err
}

// row is what is known of a run before it runs. Its status is infeasible if
// the plan knows so, else still to be set.
func row(p *Plan, item int) (results.Run, *scenario.Scenario, error) {
	point, replicate := p.Run(item)
	pt, err := p.Point(point)
	if err != nil {
		return results.Run{}, nil, err
	}
	nan := math.NaN()
	r := results.Run{
		PointID: pt.ID, PointIndex: pt.Index, Replicate: replicate,
		Baseline: pt.Baseline, OATPath: pt.OATPath, OATLevel: pt.OATLevel, OATChange: pt.OATChange,
		Axes: pt.Cells, OfferedRPS: nan, CapacityRPS: nan, LoadRatio: nan, SimS: nan,
		WeakestSource: string(pt.Resolved.WeakestSource), Calibrated: pt.Resolved.Calibrated, Outside: pt.Resolved.Outside,
		SeedHex: fmt.Sprintf("%016x", p.Study.Seed),
	}
	if x, ok := p.Study.Accuracy.Of(&pt.Resolved.Scenario); ok {
		r.AccuracyLoss = &x
	}
	if pt.Infeasible != "" {
		r.Status, r.Error = results.Infeasible, pt.Infeasible
	}
	return r, &pt.Resolved.Scenario, nil
}

// meets reports whether a run keeps every service level; nil without any, or
// when a metric they speak of has no value.
func meets(limits []scenario.Limit, s metrics.Summary) *bool {
	if len(limits) == 0 {
		return nil
	}
	ok := true
	for _, l := range limits {
		i, known := metrics.Index(l.Metric)
		if !known || math.IsNaN(s[i]) {
			return nil
		}
		ok = ok && !(s[i] > l.Max) && !(s[i] < l.Min) // a bound that is not given is NaN
	}
	return &ok
}

func flag(t metrics.Tri) *bool {
	yes := t == metrics.Yes
	if t == metrics.Unknown {
		return nil
	}
	return &yes
}

// meta is what the dataset of a plan is made of beside its runs.
func meta(p *Plan, o Options) results.Meta {
	st := p.Study
	m := results.Meta{
		Study: st.Name, StudyTOML: []byte(st.Doc.Text), SimVersion: core.Version, Seed: st.Seed,
		Inputs: maps.Clone(p.Inputs), Set: o.Set, Workers: o.Jobs, Planned: p.Runs(), Selected: st.Metrics, Notes: p.Notes,
		StudyFile: st.Doc.File, Numbers: p.Numbers,
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
	if t := st.Accuracy.Table; t != nil {
		m.Inputs[relative(p, t.File)] = st.Accuracy.SHA256
	}
	return m
}

// metricColumns are the metrics as columns of a table.
func metricColumns() []table.Column { return describe(metrics.Columns()) }

func describe(cols []metrics.Column) (out []table.Column) {
	for _, c := range cols {
		out = append(out, table.Column{Name: c.Name, Kind: table.Float64, Unit: c.Unit, Better: c.Better, Definition: c.Definition})
	}
	return out
}
