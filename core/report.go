package core

import (
	"math"

	"scoville/core/engine"
	"scoville/core/hardware"
	"scoville/core/metrics"
	"scoville/core/perf"
	"scoville/core/scenario"
	"scoville/core/workload"
)

// report fills the result from the engine's output.
func (s *Simulator) report(sc *scenario.Scenario, cfg *engine.Config, bounds perf.Bounds, res *Result) {
	o, hw := &s.out, &sc.Hardware
	r := &s.run
	r.Requests, r.Warmup, r.Gaps, r.Chips = o.Requests, cfg.Warmup, o.Gaps, sc.Engine.TP*sc.Engine.DP
	r.Replicas = sc.Engine.DP
	r.Limits = r.Limits[:0]
	for _, l := range sc.SLO {
		r.Limits = append(r.Limits, metrics.Limit{Metric: l.Metric, Max: l.Max, Min: l.Min})
	}
	r.Stages, r.Resources, r.Busy = o.Stages, o.Resources, o.Busy
	r.Peaks, r.Separate = o.Peaks, hw.KVPath == hardware.Separate
	r.KVBytes, r.KVOnChip, r.FLOPs, r.Bytes = o.KVBytes, o.KVOnChip, o.FLOPs, o.Bytes
	r.End, r.Active, r.RunArea, r.TokenArea = o.End, o.Active, o.RunArea, o.TokenArea
	r.SystemArea = o.SystemArea
	r.PoolTokens = float64(cfg.Blocks) * float64(cfg.BlockSize) * float64(cfg.Replicas)
	r.PeakRatio = float64(o.PeakBlocks) / float64(cfg.Blocks)
	r.Steps, r.Preemptions, r.Computed, r.Padded = o.Steps, o.Preemptions, o.Computed, o.Padded
	r.Hit, r.Lost = o.Hit, o.Lost
	r.ClosedToken, r.ClosedWeights = bounds.Token, bounds.Weights
	r.IdleWatts, r.JoulePerFLOP, r.JoulePerByte, r.USDPerHour = hw.WIdle, hw.PJPerFLOP*1e-12, hw.PJPerByte*1e-12, hw.USDPerHour
	if r.Classes = len(sc.Workload.Class); r.Classes < 2 || sc.Workload.Arrival == workload.Trace {
		r.Classes = 0
	}
	res.Summary = r.Summarise(nil)
	for i, c := range sc.Workload.Class[:r.Classes] {
		res.Classes = append(res.Classes, Class{c.Name, r.SummariseClass(int32(i))})
	}
	res.SimS, res.Events = o.End, o.Events
	res.Stages, res.Resources = make([]Share, 0, len(o.Stages)), make([]Share, 0, len(o.Resources))
	for i, v := range o.Stages {
		res.Stages = append(res.Stages, Share{perf.Stage(i).String(), v})
	}
	for i, v := range o.Resources {
		res.Resources = append(res.Resources, Share{perf.Resource(i).String(), v})
	}
	res.Bound, res.DecodeBound = most(&o.Resources), most(&o.Decoding)
	if open(sc) {
		judge(o.Requests, res)
	}
}

// most names the resource with the largest share of seconds, the first at a
// tie; "" when there are none.
func most(seconds *[perf.NumResources]float64) (name string) {
	largest := 0.0
	for i, v := range seconds {
		if v > largest {
			name, largest = perf.Resource(i).String(), v
		}
	}
	return name
}

// judge sets offered load and steadiness of an open loop.
func judge(reqs []metrics.Request, res *Result) {
	res.OfferedRPS = res.RateRPS
	if span := reqs[len(reqs)-1].Arrival - reqs[0].Arrival; !(res.OfferedRPS > 0) && span > 0 {
		res.OfferedRPS = float64(len(reqs)-1) / span // a trace
	}
	res.LoadRatio = res.OfferedRPS / res.CapacityRPS
	res.Steady = metrics.Yes
	switch growing := metrics.Growing(reqs); {
	case res.LoadRatio >= 1, growing == metrics.Yes:
		res.Steady = metrics.No
	case growing == metrics.Unknown, math.IsNaN(res.LoadRatio):
		res.Steady = metrics.Unknown
	}
}
