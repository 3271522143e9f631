package objective

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"scoville/calibrate/measured"
	"scoville/core"
	"scoville/core/metrics"
	"scoville/core/perf"
	"scoville/core/scenario"
	"scoville/core/workload"
)

// Condition is one simulated run with the rows that measured it.
type Condition struct {
	Scenario scenario.Scenario
	Rows     []*measured.Observation
}

// Pair resolves rows to conditions, in order of their first row. extra are
// values for all rows: what the file does not say. Rows already dropped are
// left out; rows that cannot be fitted to are dropped with the reason: their
// scenario does not fit the chip, or the run was saturated: a closed loop by its
// KV cache, an open loop by a simulation at the priors. Errors point at the row.
func Pair(ctx context.Context, rows []*measured.Observation, extra []scenario.Assignment, cat *scenario.Catalog) ([]Condition, error) {
	base, err := scenario.ParseTOML("measured runs", []byte(measured.Base))
	if err != nil {
		return nil, err
	}
	var out []Condition
	at := map[string]int{}
	for _, o := range rows {
		if o.Dropped != "" {
			continue
		}
		layer := scenario.Layer{Name: o.File, Doc: base, Values: slices.Concat(o.Values, extra)}
		r, err := cat.Resolve(layer)
		if err == nil {
			err = r.Scenario.Validate()
		}
		if err != nil {
			if infeasible, ok := errors.AsType[*scenario.InfeasibleError](err); ok {
				o.Dropped = infeasible.Reason
				continue
			}
			return nil, atRow(o, err)
		}
		if o.Dropped = unfit(&r.Scenario); o.Dropped != "" {
			continue
		}
		key := string(r.Canonical())
		i, ok := at[key]
		if !ok {
			i = len(out)
			at[key] = i
			out = append(out, Condition{Scenario: r.Scenario})
		}
		if err := o.Statistic(r.Scenario.Measurement.Statistic); err != nil {
			return nil, err
		}
		out[i].Rows = append(out[i].Rows, o)
	}
	return screen(ctx, out, extra)
}

// atRow points an error of the scenario at the cell it came from.
func atRow(o *measured.Observation, err error) error {
	fe, ok := errors.AsType[*scenario.FieldError](err)
	if !ok {
		return fmt.Errorf("%s:%d: %w", o.File, o.Line, err)
	}
	return o.Errorf(fe.Path, fe.Hint, "%s", fe.Message())
}

// Saturation: near the limit small errors of capacity decide everything. A
// closed loop is there when concurrency x mean length reaches this share of the
// KV pool, an open loop when its rate reaches this share of the capacity. A request holds its prompt and on average 0.6 of its
// output.
const (
	saturated   = 0.95
	outputShare = 0.6
)

// unfit says why a scenario is no use for fitting, "" if it is.
func unfit(sc *scenario.Scenario) string {
	if err := core.Feasible(sc); err != nil {
		return err.Error()
	}
	if sc.Workload.Arrival != workload.Closed || len(sc.Workload.Class) != 1 {
		return ""
	}
	c := &sc.Workload.Class[0]
	drawn := (1 + sc.Measurement.LengthRange) / 2
	held := float64(sc.Workload.Concurrent) * drawn * (c.Prompt.Mean + outputShare*c.Output.Mean)
	pool := float64(perf.Memory(sc).Blocks) * float64(sc.Engine.BlockSize)
	if held > saturated*pool {
		return fmt.Sprintf("saturated: %d requests hold about %.0fk tokens, the KV cache has %.0fk", sc.Workload.Concurrent, held/1e3, pool/1e3)
	}
	return ""
}

// screen drops the rows of open loops that are overloaded at the priors: their
// latencies are those of a queue that grows as long as the run lasts. Values in
// extra stand before the priors.
func screen(ctx context.Context, conds []Condition, extra []scenario.Assignment) ([]Condition, error) {
	sim := core.NewSimulator(core.NewCapacities())
	var kept []Condition
	for i := range conds {
		sc := conds[i].Scenario
		if sc.Workload.Arrival == workload.Closed {
			kept = append(kept, conds[i])
			continue
		}
		for _, p := range Parameters(&sc, sc.Engine.TP) {
			if slices.ContainsFunc(extra, func(a scenario.Assignment) bool { return a.Path == p.Path }) {
				continue
			}
			if err := sc.Set(p.Path, p.Init); err != nil {
				return nil, fmt.Errorf("prior of %s: %w", p.Name, err)
			}
		}
		res, err := sim.Run(ctx, &sc, core.Options{})
		if err != nil {
			return nil, err
		}
		reason := overloaded(res)
		for _, o := range conds[i].Rows {
			o.Dropped = reason
		}
		if reason == "" {
			kept = append(kept, conds[i])
		}
	}
	return kept, nil
}

// overloaded says that a run was saturated, "" if it was not.
func overloaded(res core.Result) string {
	switch {
	case res.LoadRatio >= saturated:
		return fmt.Sprintf("saturated: at the priors the rate is %.2f of the capacity", res.LoadRatio)
	case res.Steady == metrics.No && math.IsNaN(res.LoadRatio):
		return "saturated: at the priors the queue grows"
	case res.Steady == metrics.No:
		return fmt.Sprintf("saturated: at the priors the queue grows, at %.2f of the capacity", res.LoadRatio)
	}
	return ""
}
