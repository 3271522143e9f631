package perf

import (
	"fmt"
	"math"
	"strings"

	"scoville/core/scenario"
	"scoville/core/unit"
)

// Fits returns nil if the weights and the KV pool of a scenario fit the memory
// of its chips, else an error that names every part and what would fit.
func Fits(sc *scenario.Scenario) error {
	b := Memory(sc)
	if err := b.Check(); err != nil {
		return fmt.Errorf("%w; %s", err, b.advise(sc, sc.LongestRequest()))
	}
	return nil
}

// Advise names the memory of a scenario whose pool is too small for a request
// of longest tokens, prompt and output together, and what would fit.
func Advise(sc *scenario.Scenario, longest float64) string {
	b := Memory(sc)
	return b.parts(float64(b.Blocks)*b.BlockSize) + "; " + b.advise(sc, longest)
}

// advise says what would fit instead, each by itself: a shorter context or
// fewer sequences in the memory that is left, the widest number format of the
// weights or of the KV cache, and the fewest chips.
func (b *Budget) advise(sc *scenario.Scenario, longest float64) string {
	var can []string
	say := func(format string, args ...any) { can = append(can, fmt.Sprintf(format, args...)) }
	b.adviseLengths(sc, longest, say)
	if perToken := b.Activ / float64(sc.Engine.MaxTokens); b.KVSpace < 0 && b.Activ >= b.Reserve && b.Capacity-b.Weights > perToken {
		say("engine.max_num_batched_tokens < %.0f", (b.Capacity-b.Weights)/perToken)
	}
	try := *sc
	try.Model.ActivationDType = sc.Model.Activations() // what the GEMMs are computed in stays
	if d := widest(&try, longest, sc.Model.DenseWeights(), func(d unit.DType) { try.Model.WeightDType, try.Model.ExpertDType = d, "" }); d != "" {
		say("model.weight_dtype = %q%s", d, computed(sc, d))
	}
	try = *sc
	if d := widest(&try, longest, sc.Model.KV(), func(d unit.DType) { try.Model.KVDType = d }); d != "" {
		say("model.kv_dtype = %q", d)
	}
	if tp := chipsNeeded(sc, longest); tp > 0 {
		link := ""
		if sc.Hardware.LinkBandwidthGBs == 0 {
			link = " with hardware.link_bandwidth_gb_s"
		}
		say("engine.tp = %d%s", tp, link)
	}
	if len(can) == 0 {
		return "no number format and no engine.tp would fit: take a chip with more memory or a smaller model"
	}
	return "what would fit: " + strings.Join(can, ", or ")
}

// adviseLengths says which context and how many sequences the memory beside
// the weights holds, and how many blocks where they are given: blocks that
// exceed the memory do so whatever the requests are. The last token of a request
// is never in the cache.
func (b *Budget) adviseLengths(sc *scenario.Scenario, longest float64, say func(string, ...any)) {
	blocks, given := math.Floor(b.KVSpace*(1+1e-9)/b.BlockSize), float64(sc.Engine.KVBlocks)
	if blocks < 1 {
		return
	}
	need, length := blocksOf(sc, longest), func(blocks float64) string {
		return fmt.Sprintf("requests of up to %.0f tokens, prompt and output together", blocks*float64(sc.Engine.BlockSize)+1)
	}
	switch {
	case given > blocks:
		within := length(blocks)
		if seqs := math.Floor(blocks / need); longest > 0 && seqs >= 1 {
			within += fmt.Sprintf(", and engine.max_num_seqs <= %.0f at the longest request, %.0f tokens", seqs, longest)
		}
		say("engine.kv_blocks <= %.0f (within it %s)", blocks, within)
		return
	case given > 0 && given < need && need <= blocks:
		say("engine.kv_blocks >= %.0f", need)
	}
	if given > 0 {
		blocks = min(blocks, given)
	}
	say("%s", length(blocks))
}

// blocksOf returns the KV blocks of one request.
func blocksOf(sc *scenario.Scenario, tokens float64) float64 {
	return math.Max(1, math.Ceil((tokens-1)/float64(sc.Engine.BlockSize)))
}

// holds reports whether a scenario fits its memory, and its pool one request.
func holds(sc *scenario.Scenario, longest float64) bool {
	b := Memory(sc)
	return b.Check() == nil && float64(b.Blocks) >= blocksOf(sc, longest)
}

// computed says which activation format weights of format d need beside them
// where the one that would follow from d has no units on the chip.
func computed(sc *scenario.Scenario, d unit.DType) string {
	try := *sc
	try.Model.WeightDType, try.Model.ExpertDType = d, ""
	now := sc.Model.Activations()
	if follows := try.Model.Activations(); follows == now || sc.Hardware.Peak.Of(follows) > 0 {
		return ""
	}
	return fmt.Sprintf(" with model.activation_dtype = %q", now)
}

// widest returns the widest format narrower than now with which try fits, of
// formats of one width one that the chip computes in where there is one; "" for
// none.
func widest(try *scenario.Scenario, longest float64, now unit.DType, set func(unit.DType)) unit.DType {
	var best unit.DType
	for i := len(unit.DTypes) - 1; i >= 0; i-- {
		d := unit.DTypes[i]
		if bits(d) >= bits(now) || best != "" && (bits(d) < bits(best) || try.Hardware.Peak.Of(best) > 0) {
			continue
		}
		if set(d); holds(try, longest) && (best == "" || try.Hardware.Peak.Of(d) > 0) {
			best = d
		}
	}
	return best
}

// bits returns the width of a format without the scales of blocks.
func bits(d unit.DType) int { return int(8 * d.Bytes()) }

// maxTP is the most tensor-parallel chips advised.
const maxTP = 1024

// chipsNeeded returns the smallest tensor parallelism above the present one
// that splits the heads and fits; 0 for none.
func chipsNeeded(sc *scenario.Scenario, longest float64) int {
	try := *sc
	for tp := sc.Engine.TP + 1; tp <= min(maxTP, sc.Model.Heads); tp++ {
		if try.Engine.TP = tp; Splits(&try) && holds(&try, longest) {
			return tp
		}
	}
	return 0
}

// Splits reports whether tensor parallelism splits the heads evenly: every chip
// has the same query heads, and whole KV heads or one copy of a KV head.
func Splits(sc *scenario.Scenario) bool {
	tp, md := sc.Engine.TP, &sc.Model
	return md.Heads%tp == 0 && (md.MLA() || md.KVHeads%tp == 0 || tp%md.KVHeads == 0)
}
