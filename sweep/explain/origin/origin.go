// Package origin says where the values of a scenario come from: which layer of
// a study set each, and how well it is known.
package origin

import (
	"cmp"
	"maps"
	"reflect"
	"slices"

	"scoville/core/scenario"
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

// Values lists them in the order of the registry.
func Values(r *scenario.Resolved) []Value {
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
