package measured

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"scoville/calibrate/measured/row"
	"scoville/core/hardware"
	"scoville/core/model"
	"scoville/core/unit"
)

// Suspect compares rows with each other and with the chip's datasheet and adds
// to their Suspects what a single row does not show: a prefix cache that is
// warm because the same prompts came before, TTFT that does not depend on the
// prompt or lies below what the chip can do, and first tokens that are held
// back. Rows stay in use: a warm cache is a fact to model, not an error. Chip
// and model must be filled in.
func Suspect(rows []*Observation) {
	machines := map[string][]*Observation{}
	for _, o := range rows {
		belowFloor(o)
		key := fmt.Sprint(o.Value("hardware.name"), o.Value("model.name"), o.Value("model.weight_dtype"), o.Value("engine.tp"))
		machines[key] = append(machines[key], o)
	}
	for _, key := range slices.Sorted(maps.Keys(machines)) {
		samePrompts(machines[key])
		heldBack(machines[key])
		flat(machines[key])
	}
}

// How the reasons begin that others look for: of a row dropped since its times
// are in another unit, and of the suspicion of a warm prefix cache.
const (
	WrongUnit = "the unit is wrong"
	WarmCache = "warm prefix cache"
)

// unitSlip is the factor by which a TTFT lies below what the chip can do, from
// which it is in another unit than its column says.
const unitSlip = 20

// belowFloor compares TTFT with the time the chips need at their peak for the
// prompt's GEMMs: 2 x active parameters x tokens.
func belowFloor(o *Observation) {
	name, _ := o.Value("model.name").(string)
	chip, _ := o.Value("hardware.name").(string)
	md, err := model.Catalog(name)
	e, err2 := hardware.Catalog(chip)
	prompt, ok := o.Value(PromptPath).(float64)
	ttft, ok2 := o.Target("ttft_p50_ms")
	if !ok2 {
		ttft, ok2 = o.Target("ttft_mean_ms")
	}
	if err != nil || err2 != nil || !ok || !ok2 {
		return
	}
	tp, _ := o.Value("engine.tp").(int)
	peaks, params := e.Hardware.Peak, md.Params()
	peak := 1e12 * max(peaks.Of(unit.BF16), peaks.Of(unit.FP8), peaks.Of(unit.INT8)) // the fastest the weights could be multiplied in
	if peak <= 0 {
		return
	}
	floor := 1e3 * 2 * (params.Active - params.Embedding - params.LMHead) * prompt / (peak * float64(max(tp, 1)))
	if n, _ := o.Value(row.RequestsPath).(int); o.Kind == row.Serving && o.Value(row.ArrivalPath) == "burst" && o.Facts["rate_inf"] == 0 && o.Value("engine.prefix_caching") != true && n > 2 && ttft < floor*float64(n)/2 {
		o.Drop("the load is not said: all %d requests at once would take %.3g ms to the first token at the chip's peak, the row says %.3g; give --set workload.rate_rps=R or --set workload.concurrency=N", n, floor*float64(n)/2, ttft)
		return
	}
	tpot, _ := o.Target("tpot_mean_ms")
	if ttft < floor/unitSlip && (tpot == 0 || tpot < 1.0/unitSlip) {
		o.Drop(WrongUnit+": TTFT %.3g ms, where the prompt's arithmetic takes %.3g at the chip's peak; if these are seconds, call the column ttft_s", ttft, floor)
		return
	}
	if ttft < floor {
		o.Suspect(WarmCache+": TTFT %.3g ms is below %.3g ms, the prompt's arithmetic at the chip's peak", ttft, floor)
	}
}

// samePrompts finds runs that sent as many prompts with as many tokens as an
// earlier one: the same prompts, then. The earlier one is the one with the
// earlier date, or that stands first.
func samePrompts(rows []*Observation) {
	groups := map[[2]float64][]*Observation{}
	for _, o := range rows {
		if n, tokens := o.Facts["completed"], o.Facts["input_tok"]; n >= 10 && tokens > 0 && tokens != n*float64(int(tokens/n)) && o.Value("engine.prefix_caching") != false {
			groups[[2]float64{n, tokens}] = append(groups[[2]float64{n, tokens}], o)
		}
	}
	for _, g := range groups {
		slices.SortStableFunc(g, func(a, b *Observation) int { return cmp.Compare(a.Text("date"), b.Text("date")) })
		for _, o := range g[1:] {
			o.Suspect(WarmCache+": a run of as many prompts and tokens came before (%s); with prefix caching on, as vLLM is by default since 0.8, these prompts were all in the cache", Place(g[0]))
		}
	}
}

// heldBack finds open loops whose TTFT falls as the rate rises, by a factor
// that noise does not explain.
func heldBack(rows []*Observation) {
	type point struct {
		rate, ttft float64
		o          *Observation
	}
	var points []point
	for _, o := range rows {
		rate, ok := o.Value(RatePath).(float64)
		ttft, ok2 := o.Target("ttft_p50_ms")
		if ok && ok2 && !o.Saturated {
			points = append(points, point{rate, ttft, o})
		}
	}
	for _, a := range points {
		for _, b := range points {
			if a.rate < b.rate && a.ttft > 1.5*b.ttft && a.o.Value(PromptPath) == b.o.Value(PromptPath) {
				a.o.Suspect("held-back tokens: the median TTFT falls from %.3g to %.3g ms as the rate rises from %g to %g per second; the end-to-end latency is right where this comes from buffering", a.ttft, b.ttft, a.rate, b.rate)
				break
			}
		}
	}
}

// flat finds runs under one load whose TTFT hardly depends on the prompt's
// length.
func flat(rows []*Observation) {
	for _, a := range rows {
		pa, ok := a.Value(PromptPath).(float64)
		ta, ok2 := a.Target("ttft_mean_ms")
		if !ok || !ok2 {
			continue
		}
		for _, b := range rows {
			pb, _ := b.Value(PromptPath).(float64)
			tb, ok := b.Target("ttft_mean_ms")
			same := a.Value(ConcurrencyPath) == b.Value(ConcurrencyPath) && a.Value(RatePath) == b.Value(RatePath) && a.Value(OutputPath) == b.Value(OutputPath) &&
				(a.Kind == row.Serving || a.Value(row.RequestsPath) == b.Value(row.RequestsPath)) && a.Kind == b.Kind
			if ok && same && pb >= 1024 && pb >= 4*pa && pa > 0 && tb < 1.2*ta {
				b.Suspect("warm prefix cache: %.0f prompt tokens take %.3g ms to the first token, %.0f take %.3g", pb, tb, pa, ta)
				break
			}
		}
	}
}

// Place is where a row stands: file and line.
func Place(o *Observation) string { return fmt.Sprintf("%s:%d", o.File, o.Line) }
