package explain

import (
	"slices"
	"strings"

	"scoville/core"
	"scoville/core/metrics"
	"scoville/core/scenario"
)

// Run is the whole run, means over the replicates.
type Run struct {
	BusySeconds Num    `json:"busy_seconds"` // of all replicas
	Stages      []Part `json:"stages"`       // of busy time
	Resources   []Part `json:"resources"`
	Bound       string `json:"bound"` // resource with the largest share
	Use         []Use  `json:"utilisation"`
	Batch       Num    `json:"batch_mean_seqs"`  // sequences running while busy, of one replica
	Context     Num    `json:"context_mean_tok"` // resident tokens of each
	Offered     Num    `json:"offered_rps"`
	Capacity    Num    `json:"capacity_rps"`
	Load        Num    `json:"load_ratio"`
	Energy      Num    `json:"energy_j_per_tok"`
	Cost        Num    `json:"cost_usd_per_mtok"`
}

// Use is the utilisation of a resource against its datasheet.
type Use struct {
	Name string `json:"name"`
	Mean Num    `json:"mean_ratio"`
	Peak Num    `json:"peak_ratio"` // in the busiest 100 ms; unknown for some
}

func summarise(sc *scenario.Scenario, runs []replay) *Run {
	r := &Run{
		Offered:  Num(mean(runs, func(r *replay) float64 { return r.OfferedRPS })),
		Capacity: Num(mean(runs, func(r *replay) float64 { return r.CapacityRPS })),
		Load:     Num(mean(runs, func(r *replay) float64 { return r.LoadRatio })),
		Energy:   metric(runs, "energy_j_per_tok"), Cost: metric(runs, "cost_usd_per_mtok"),
	}
	stages := average(runs, func(r *replay) []core.Share { return r.Stages })
	resources := average(runs, func(r *replay) []core.Share { return r.Resources })
	busy := total(stages)
	r.BusySeconds, r.Stages, r.Resources = Num(busy), parts(stages, busy), parts(resources, busy)
	if len(r.Resources) > 0 {
		r.Bound = slices.MaxFunc(r.Resources, func(a, b Part) int { return compareNum(a.Share, b.Share) }).Name
	}
	running, resident := metric(runs, "running_mean_seqs"), metric(runs, "resident_mean_tok")
	r.Batch = running / metric(runs, "busy_ratio") / Num(sc.Engine.DP)
	r.Context = resident / running
	for _, c := range metrics.Columns() {
		name, is := strings.CutSuffix(c.Name, "_util_mean_ratio")
		if !is {
			continue
		}
		if name == "kv" {
			name = "kv_pool"
		}
		u := Use{name, metric(runs, c.Name), metric(runs, name+"_util_peak_ratio")}
		if name == "kv_pool" {
			u.Peak = metric(runs, "kv_util_max_ratio")
		}
		if u.Mean > 0 || u.Peak > 0 {
			r.Use = append(r.Use, u)
		}
	}
	return r
}

// average averages shares over the runs, name by name.
func average(runs []replay, of func(*replay) []core.Share) []core.Share {
	out := slices.Clone(of(&runs[0]))
	for i := range out {
		out[i].Seconds = mean(runs, func(r *replay) float64 { return of(r)[i].Seconds })
	}
	return out
}
