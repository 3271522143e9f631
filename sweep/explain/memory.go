package explain

import (
	"fmt"

	"scoville/core"
	"scoville/core/scenario"
	"scoville/core/unit"
)

// Memory is what the memory of one chip holds, in bytes.
type Memory struct {
	Separate    bool   `json:"separate"` // weights and KV have memories of their own
	Capacity    Num    `json:"capacity_bytes"`
	Weights     Num    `json:"weights_bytes"`
	Activations Num    `json:"activations_bytes"`
	Reserve     Num    `json:"reserve_bytes"` // workspace, or the activations where they are larger
	Windows     Num    `json:"windows_bytes"` // KV of sliding-window layers
	KV          Num    `json:"kv_bytes"`      // for KV blocks
	Tokens      int    `json:"kv_tokens"`     // that the pool holds
	Reason      string `json:"reason"`        // why it does not fit; "" if it does
}

func memory(sc *scenario.Scenario) Memory {
	b := core.MemoryBudget(sc)
	return Memory{
		Separate: b.Separate, Capacity: Num(b.Capacity), Weights: Num(b.Weights), Activations: Num(b.Activations),
		Reserve: Num(b.Reserve), Windows: Num(b.Windows), KV: Num(b.KV), Tokens: b.Blocks * b.BlockTokens, Reason: b.Reason,
	}
}

// lines says it in words.
func (m *Memory) lines() []string {
	bytes := func(n Num) string { return unit.Bytes(float64(n)) }
	reserve := fmt.Sprintf("workspace %s (activations %s within)", bytes(m.Reserve), bytes(m.Activations))
	if m.Activations >= m.Reserve {
		reserve = "activations " + bytes(m.Activations)
	}
	first := fmt.Sprintf("weights %s + %s of %s usable", bytes(m.Weights), reserve, bytes(m.Capacity))
	if m.Separate {
		first += " behind the weight path"
	}
	if m.Reason != "" {
		return []string{first}
	}
	pool := fmt.Sprintf("KV pool %s", bytes(m.KV))
	if m.Separate {
		pool += " behind the KV path"
	}
	if m.Windows > 0 {
		pool += ", sliding windows " + bytes(m.Windows)
	}
	return []string{first, fmt.Sprintf("%s: %s tokens of all sequences together", pool, unit.Grouped(m.Tokens))}
}
