package explain

import (
	"cmp"
	"fmt"
	"maps"
	"reflect"
	"slices"

	"scoville/core"
	"scoville/core/scenario"
	"scoville/core/unit"
)

// Value is a value of the scenario that is not its default, or a graded number
// of the hardware.
type Value struct {
	Path   string `json:"path"`
	Value  any    `json:"value"`
	Unit   string `json:"unit"`
	Layer  string `json:"layer"`  // catalogue entry, overlay or table of the study that set it; "default" for none
	Grade  string `json:"grade"`  // of a number of the hardware
	Source string `json:"source"` // document, formula or reason
}

// values lists them in the order of the registry.
func values(r *scenario.Resolved) []Value {
	defaults := scenario.Default()
	order := map[string]int{}
	for i, f := range scenario.Fields() {
		order[f.Path] = i + 1
	}
	paths := slices.Sorted(maps.Keys(r.Origin))
	for path := range r.Grades {
		if _, set := r.Origin[path]; !set {
			paths = append(paths, path)
		}
	}
	slices.SortStableFunc(paths, func(a, b string) int {
		// keys of classes and service levels have no place of their own
		return cmp.Or(cmp.Compare(position(order, a), position(order, b)), cmp.Compare(a, b))
	})
	var out []Value
	for _, path := range paths {
		v, err := r.Scenario.Get(path)
		if err != nil {
			continue
		}
		s, graded := r.Source(path)
		if was, err := defaults.Get(path); !graded && (err == nil && reflect.DeepEqual(v, was) || path == "model.source") {
			continue
		}
		f, _ := scenario.Lookup(path)
		out = append(out, Value{path, v, f.Unit, cmp.Or(r.Origin[path], "default"), string(s.Grade), s.Where})
	}
	return out
}

func position(order map[string]int, path string) int {
	if n := order[path]; n > 0 {
		return n
	}
	return len(order) + 1
}

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
	return []string{first, fmt.Sprintf("%s: %s tokens of all sequences together", pool, grouped(m.Tokens))}
}
