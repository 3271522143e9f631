package objective

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"scoville/calibrate/measured"
	"scoville/calibrate/measured/row"
	"scoville/core"
	"scoville/core/metrics"
	"scoville/core/perf"
	"scoville/core/scenario"
	"scoville/core/workload"
)

// Condition is one simulated run, or a part of one, with the rows that measured
// it.
type Condition struct {
	Scenario scenario.Scenario
	Rows     []*measured.Observation
	Kind     row.Kind
	Variant  string    // the model, with engine version or weight format where it has several
	Scored   []int     // Replay: requests of the run that count, by arrival
	Shape    row.Shape // Step: what the step works on

	// Of a pairing with an overlay: Applies is set where its applies_to holds, and
	// Outside says how the condition leaves the range of its fit.
	Applies bool
	Outside []string

	run int // conditions of one run are predicted from one simulation
}

// Pair resolves rows to conditions, in order of their first row. extra are
// values for all rows: what the file does not say. Rows already dropped are
// left out; rows that cannot be fitted to are dropped with the reason: their
// scenario does not fit the chip, or the run was saturated: a closed loop by its
// KV cache, an open loop by a simulation at the priors. Errors point at the row.
func Pair(ctx context.Context, rows []*measured.Observation, extra []scenario.Assignment, cat *scenario.Catalog) ([]Condition, error) {
	return pairOver(ctx, rows, extra, cat, nil)
}

// PairWith is Pair with the values of an overlay, also where it does not say it
// applies: nothing is at a prior then.
func PairWith(ctx context.Context, rows []*measured.Observation, extra []scenario.Assignment, cat *scenario.Catalog, overlay scenario.Layer) ([]Condition, error) {
	return pairOver(ctx, rows, extra, cat, &overlay)
}

func pairOver(ctx context.Context, rows []*measured.Observation, extra []scenario.Assignment, cat *scenario.Catalog, overlay *scenario.Layer) ([]Condition, error) {
	base, err := scenario.ParseTOML("measured runs", []byte(measured.Base))
	if err != nil {
		return nil, err
	}
	var out []Condition
	at, runs := map[string]int{}, map[string]int{}
	for _, o := range rows {
		if o.Dropped != "" {
			continue
		}
		layer := scenario.Layer{Name: o.File, Doc: base, Values: slices.Concat(o.Values, extra)}
		r, applies, err := resolve(cat, layer, overlay)
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
		c := Condition{Scenario: r.Scenario, Kind: o.Kind, Scored: o.Scored, Shape: o.Shape, Applies: applies, Outside: r.Outside}
		said := slices.Concat(o.Values, extra)
		if overlay != nil { // which says how its engine schedules
			said = append(said, scenario.Assignment{Path: Async})
		}
		c.complete(o, said)
		if o.Dropped = c.unfit(); o.Dropped != "" {
			o.Saturated = strings.HasPrefix(o.Dropped, "saturated")
			continue
		}
		run := c.runKey(o, string(r.Canonical()))
		if _, ok := runs[run]; !ok {
			runs[run] = len(runs)
		}
		c.run = runs[run]
		key := c.key(o, run)
		i, ok := at[key]
		if !ok {
			i = len(out)
			at[key] = i
			out = append(out, c)
		}
		if err := o.Statistic(r.Scenario.Measurement.Statistic); err != nil {
			return nil, err
		}
		out[i].Rows = append(out[i].Rows, o)
	}
	out, err = screen(ctx, out, extra, overlay == nil)
	label(out)
	return out, err
}

// resolve resolves a row, over an overlay if there is one.
func resolve(cat *scenario.Catalog, row scenario.Layer, overlay *scenario.Layer) (r *scenario.Resolved, applies bool, err error) {
	if overlay == nil {
		r, err = cat.Resolve(row)
		return r, false, err
	}
	if r, err = cat.Resolve(*overlay, row); err != nil || r.Calibrated || r.Failed != "" || overlay.AppliesTo == nil {
		return r, err == nil, err
	}
	anywhere := *overlay
	anywhere.AppliesTo = &scenario.AppliesTo{}
	r, err = cat.Resolve(anywhere, row)
	return r, false, err
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

// complete adds what follows from the kind of a row and from the engine's era:
// an eager engine of 2023 hides the shorter of host and device time, one of 2026
// schedules ahead, and a replayed run has the requests of its log.
func (c *Condition) complete(o *measured.Observation, said []scenario.Assignment) {
	open := func(path string) bool {
		return !slices.ContainsFunc(said, func(a scenario.Assignment) bool { return a.Path == path })
	}
	en := &c.Scenario.Engine
	e, known := eraOf(en.Version)
	if known && e.overlaps && open(HostOverlap) {
		en.HostOverlap = scenario.Max
	}
	if known && e.ahead && en.DP <= 1 && c.Kind != row.Step && open(Async) {
		en.Async = true
	}
	if c.Kind == row.Replay {
		w := &c.Scenario.Workload
		w.Arrival, w.Requests, w.Records = workload.Trace, 0, o.Records
	}
}

// HostOverlap and Async are keys that an engine's era decides where rows do not.
const (
	HostOverlap = "engine.host_overlap"
	Async       = "engine.async_scheduling"
)

// runKey tells simulated runs apart.
func (c *Condition) runKey(o *measured.Observation, canonical string) string {
	if c.Kind == row.Replay {
		return fmt.Sprintf("%v %s %s", c.Kind, o.File, canonical)
	}
	return fmt.Sprintf("%v %s", c.Kind, canonical)
}

// key tells conditions apart: parts of a replayed run, and each engine step.
func (c *Condition) key(o *measured.Observation, run string) string {
	switch c.Kind {
	case row.Replay:
		return fmt.Sprintf("%v %s", c.Scored, run)
	case row.Step:
		return fmt.Sprintf("%s:%d %s", o.File, o.Line, run)
	}
	return run
}

// unfit says why a condition is no use for fitting, "" if it is.
func (c *Condition) unfit() string {
	sc := &c.Scenario
	if err := core.Feasible(sc); err != nil {
		return err.Error()
	}
	pool := float64(perf.Memory(sc).Blocks) * float64(sc.Engine.BlockSize)
	if c.Kind == row.Batch || c.Kind == row.Phase {
		return c.batchUnfit(pool)
	}
	if sc.Workload.Arrival != workload.Closed || len(sc.Workload.Class) != 1 {
		return ""
	}
	class := &sc.Workload.Class[0]
	drawn := (1 + sc.Measurement.LengthRange) / 2
	held := float64(sc.Workload.Concurrent) * drawn * (class.Prompt.Mean + outputShare*class.Output.Mean)
	if held > saturated*pool {
		return fmt.Sprintf("saturated: %d requests hold about %.0fk tokens, the KV cache has %.0fk", sc.Workload.Concurrent, held/1e3, pool/1e3)
	}
	return ""
}

// batchUnfit says why a batch is of no use. One that outgrows the KV cache is
// served in several, which its phases, timed as one, do not show.
func (c *Condition) batchUnfit(pool float64) string {
	class := &c.Scenario.Workload.Class[0]
	one := class.Prompt.Mean + class.Output.Mean
	switch all := one * float64(c.Scenario.Workload.Requests); {
	case one > pool:
		return fmt.Sprintf("does not fit memory: a request of %.0f tokens, the KV cache has %.0f", one, pool)
	case c.Kind == row.Phase && all > pool:
		return fmt.Sprintf("beyond the KV cache: the batch holds %.1fk tokens, the cache has %.1fk", all/1e3, pool/1e3)
	}
	return ""
}

// screen drops the rows of open loops that are overloaded at the priors: their
// latencies are those of a queue that grows as long as the run lasts. Values in
// extra stand before the priors, which an overlay's pairing does not use.
func screen(ctx context.Context, conds []Condition, extra []scenario.Assignment, priors bool) ([]Condition, error) {
	sim := core.NewSimulator(core.NewCapacities())
	var kept []Condition
	for i := range conds {
		sc := conds[i].Scenario
		if sc.Workload.Arrival == workload.Closed || conds[i].Kind != row.Serving || roomForAll(&sc) {
			kept = append(kept, conds[i])
			continue
		}
		for _, p := range Parameters(&sc, sc.Engine.TP) {
			if !priors || slices.ContainsFunc(extra, func(a scenario.Assignment) bool { return a.Path == p.Path }) {
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
			o.Dropped, o.Saturated = reason, reason != ""
		}
		if reason == "" {
			kept = append(kept, conds[i])
		}
	}
	return kept, nil
}

// roomForAll reports whether the running batch and the KV cache hold all
// requests of a run at once: nothing waits then, so that its latencies follow
// from the steps alone whatever the rate, and a rate above capacity is only a
// short run.
func roomForAll(sc *scenario.Scenario) bool {
	w := &sc.Workload
	if w.Requests < 1 || w.Requests > sc.Engine.MaxNumSeqs || len(w.Class) != 1 {
		return false
	}
	held := float64(w.Requests) * (w.Class[0].Prompt.Mean + w.Class[0].Output.Mean)
	return held <= saturated*float64(perf.Memory(sc).Blocks)*float64(sc.Engine.BlockSize)
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
