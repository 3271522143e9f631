package explain

import (
	"fmt"
	"slices"

	"scoville/core"
	"scoville/core/hardware"
	"scoville/core/metrics"
	"scoville/core/scenario"
	"scoville/core/unit"
	"scoville/core/workload"
)

// Room is what requests wait for the KV pool: the same requests with a pool
// that holds them all, means over the paired replicates. Latencies in
// milliseconds, capacities in requests per second, unknown where there is none.
type Room struct {
	Peak     Num `json:"kv_util_max_ratio"`
	Queue    Num `json:"ttft_queue_mean_ms"` // part of TTFT, as the pool is
	TTFT     Num `json:"ttft_mean_ms"`
	Capacity Num `json:"capacity_rps"`

	AmpleQueue    Num `json:"ample_ttft_queue_mean_ms"` // with a pool that holds all
	AmpleTTFT     Num `json:"ample_ttft_mean_ms"`
	AmpleCapacity Num `json:"ample_capacity_rps"`
}

// ampleGiB is a memory that holds every request: the end of its range.
const ampleGiB = 1e9

// least is the part of TTFT, or of the capacity, from which waiting for the
// pool is told.
const least = 0.01

// poolLever is the lever of the memory that holds the KV pool. Idle are those of
// memories that change nothing, with the reason; the lever is then nil where it
// is one of them. It is tried once where it can change the capacity alone, which
// is measured with a full machine.
func poolLever(sc *scenario.Scenario, runs []replay, capacity bool) (pool *Lever, idle []string) {
	pool = &Lever{Name: "memory +10%", Paths: []string{"hardware.memory_gib"}, Change: step}
	b := core.MemoryBudget(sc)
	if b.Separate {
		pool.Name, pool.Paths = "state memory +10%", []string{"hardware.state_memory_gib"}
		idle = append(idle, fmt.Sprintf("weight memory +10%%: weights and workspace take %s of %s", unit.Bytes(b.Weights+b.Reserve), unit.Bytes(b.Capacity)))
	}
	pool.once = roomy(sc, runs)
	switch {
	case sc.Engine.KVBlocks > 0:
		return nil, append(idle, fmt.Sprintf("%s: engine.kv_blocks = %d sets the KV pool", pool.Name, sc.Engine.KVBlocks))
	case pool.once && !capacity:
		return nil, append(idle, pool.unused(runs))
	}
	return pool, idle
}

// unused says why more memory changes nothing.
func (l *Lever) unused(runs []replay) string {
	return fmt.Sprintf("%s: at most %s of the KV pool is in use", l.Name, percent(Num(most(runs))))
}

// most is the largest share of the KV pool that was in use in any run.
func most(runs []replay) float64 {
	i, _ := metrics.Index("kv_util_max_ratio")
	return slices.MaxFunc(runs, func(a, b replay) int { return compareNum(Num(a.Summary[i]), Num(b.Summary[i])) }).Summary[i]
}

// roomy reports whether the KV pool kept nothing waiting in any run: at its
// fullest it had room for the longest request and what admission keeps free. A
// batch that is padded to its longest request has room if as many as it may hold
// have. Prefixes that requests share stay in what is free, which is then never
// too much.
func roomy(sc *scenario.Scenario, runs []replay) bool {
	shares := sc.Workload.TraceFile != "" || slices.ContainsFunc(sc.Workload.Class, func(c workload.Class) bool { return c.Shared > 0 })
	if sc.Engine.PrefixCache && shares {
		return false
	}
	blocks := core.MemoryBudget(sc).Blocks
	longest := 0
	for i := range runs {
		longest = max(longest, (runs[i].longest+sc.Engine.BlockSize-1)/sc.Engine.BlockSize)
	}
	if slices.Contains([]string{scenario.Static, scenario.Dynamic, scenario.Bucketed}, sc.Engine.Scheduler) {
		return longest*sc.Engine.MaxNumSeqs <= blocks
	}
	return (most(runs)+sc.Engine.Watermark)*float64(blocks)+float64(longest) <= float64(blocks)
}

// ample is the scenario with a KV pool that holds all.
func ample(sc *scenario.Scenario) *scenario.Scenario {
	out := *sc
	out.Engine.KVBlocks = 0
	if out.Hardware.KVPath == hardware.Separate {
		out.Hardware.StateMemoryGiB = ampleGiB
	} else {
		out.Hardware.MemoryGiB = ampleGiB
	}
	return &out
}

// waits compares runs with those of an ample pool; nil where requests do not
// wait for the pool, or one of the runs is not ok.
func (x *Explanation) waits(before []replay, after []core.Result) *Room {
	then := make([]replay, len(after))
	for i := range after {
		if after[i].Status != core.OK {
			return nil
		}
		then[i].Result = after[i]
	}
	before = before[:len(after)]
	capacity := func(r *replay) float64 { return r.CapacityRPS }
	r := &Room{
		Peak:  Num(most(before)),
		Queue: metric(before, "ttft_queue_mean_ms"), TTFT: metric(before, "ttft_mean_ms"), Capacity: Num(mean(before, capacity)),
		AmpleQueue: metric(then, "ttft_queue_mean_ms"), AmpleTTFT: metric(then, "ttft_mean_ms"), AmpleCapacity: Num(mean(then, capacity)),
	}
	if x.Verdict == Saturated {
		if !(r.AmpleCapacity > (1+least)*r.Capacity) {
			return nil
		}
	} else if !(r.Queue-r.AmpleQueue > least*r.TTFT) {
		return nil
	}
	return r
}

// text says it in a sentence.
func (r *Room) text(verdict string) string {
	if verdict == Saturated {
		return fmt.Sprintf("the KV pool is full (peak %s): with memory for every request the machine would serve %s/s, not %s/s",
			percent(r.Peak), significant(r.AmpleCapacity), significant(r.Capacity))
	}
	return fmt.Sprintf("the queue waits for the KV pool, at its peak %s full: with memory for every request it would be %s ms, not %s, and TTFT %s ms, not %s",
		percent(r.Peak), significant(r.AmpleQueue), significant(r.Queue), significant(r.AmpleTTFT), significant(r.TTFT))
}
