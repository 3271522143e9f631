package perf

import (
	"fmt"
	"math"
	"strings"

	"scoville/core/hardware"
	"scoville/core/scenario"
	"scoville/core/unit"
)

// Budget is what the memory of one chip holds, in bytes. On kv_path =
// "separate" the KV cache has a capacity of its own.
type Budget struct {
	Capacity  float64 // memory the engine may use: memory_fraction of the chip
	Weights   float64 // weights of one chip
	Reserve   float64 // the larger of workspace_gib and Activations
	Activ     float64 // activations of a full step
	KVSpace   float64 // left for KV blocks; negative when weights and reserve do not fit
	BlockSize float64 // bytes of one KV block on one chip
	Windows   float64 // KV of sliding-window layers for max_num_seqs sequences
	Blocks    int     // KV blocks: given, else derived
	separate  bool
}

// Memory divides the memory of one chip. Weights and KV are split over tp
// (KV over Shard chips). The activations of a step are taken as
// max_num_batched_tokens x (4 hidden + 2 FFN width / tp) in 16 bit and count
// only where they exceed the workspace.
//
// Blocks hold the full-attention layers. Sliding-window layers need their
// window for each sequence: it is set aside for as many sequences, at most
// max_num_seqs, as fit with a window of context each. In a model whose layers
// all slide, blocks hold those as if they did not, as vLLM allocates them.
func Memory(sc *scenario.Scenario) Budget {
	md, hw, en := &sc.Model, &sc.Hardware, &sc.Engine
	tp, shard := float64(en.TP), Shard(sc)
	perLayer := KVBytesPerToken(sc) / float64(md.Layers) / shard
	width := float64(max(md.FFN, md.ExpertFFN*max(md.ExpertsPerTok, 1)))
	b := Budget{
		Weights:   deviceWeights(sc) / tp,
		Activ:     float64(en.MaxTokens) * (4*float64(md.Hidden) + 2*width/tp) * 2,
		BlockSize: float64(md.FullLayers()) * perLayer * float64(en.BlockSize),
		separate:  hw.KVPath == hardware.Separate,
	}
	if md.FullLayers() == 0 {
		b.BlockSize = float64(md.Layers) * perLayer * float64(en.BlockSize)
	}
	b.Reserve = max(hw.WorkspaceGiB*unit.GiB, b.Activ)
	if b.separate {
		b.Capacity = en.MemoryFrac * hw.WeightMemoryGiB * unit.GiB
		b.KVSpace = en.MemoryFrac * hw.StateMemoryGiB * unit.GiB
		if b.Weights+b.Reserve > b.Capacity {
			b.KVSpace = b.Capacity - b.Weights - b.Reserve
		}
	} else {
		b.Capacity = en.MemoryFrac * hw.MemoryGiB * unit.GiB
		b.KVSpace = b.Capacity - b.Weights - b.Reserve
	}
	if w := perLayer * float64(md.SlidingWindow); w > 0 && md.FullLayers() > 0 {
		seqs := math.Floor(b.KVSpace / (w * float64(md.Layers)))
		b.Windows = w * float64(md.SlidingLayers) * min(max(seqs, 1), float64(en.MaxNumSeqs))
		b.KVSpace -= b.Windows
	}
	b.Blocks = en.KVBlocks
	if b.Blocks == 0 && b.KVSpace > 0 {
		b.Blocks = int(min(b.KVSpace/b.BlockSize, math.MaxInt32))
	}
	return b
}

// Check returns nil when the weights fit and the pool has a block; otherwise an
// error that names every part.
func (b *Budget) Check() error {
	switch need := float64(b.Blocks) * b.BlockSize; {
	case b.KVSpace < 0:
		return fmt.Errorf("does not fit memory: %s", b.parts(0))
	case b.Blocks == 0:
		return fmt.Errorf("no room for a KV block: %s", b.parts(b.BlockSize))
	case need > b.KVSpace*(1+1e-9):
		return fmt.Errorf("kv_blocks = %d do not fit memory: %s", b.Blocks, b.parts(need))
	}
	return nil
}

// parts names weights, workspace, KV and capacity of one chip.
func (b *Budget) parts(kv float64) string {
	var s []string
	s = append(s, "weights "+unit.Bytes(b.Weights))
	if b.Activ >= b.Reserve {
		s = append(s, "activations "+unit.Bytes(b.Activ))
	} else {
		s = append(s, "workspace "+unit.Bytes(b.Reserve)+" (activations "+unit.Bytes(b.Activ)+" within)")
	}
	if b.Windows > 0 {
		s = append(s, "sliding windows "+unit.Bytes(b.Windows))
	}
	if kv > 0 {
		s = append(s, "KV "+unit.Bytes(kv))
	}
	where := " per chip, usable "
	if b.separate {
		where = " per chip, usable behind the weight path "
		if kv > 0 {
			return strings.Join(s, " + ") + where + unit.Bytes(b.Capacity) + ", behind the KV path " + unit.Bytes(max(b.KVSpace, 0))
		}
	}
	return strings.Join(s, " + ") + where + unit.Bytes(b.Capacity)
}
