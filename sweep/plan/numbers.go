package plan

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"scoville/core/scenario"
	"scoville/sweep/results"
)

// numbers gathers the graded numbers of the hardware of many points. The zero
// value is ready.
type numbers struct {
	index map[results.Number]int // by all that is not counted
	all   []results.Number
}

// add takes those of a point.
func (n *numbers) add(r *scenario.Resolved) {
	for _, path := range slices.Sorted(maps.Keys(r.Grades)) {
		v, err := r.Scenario.Get(path)
		x, ok := v.(float64)
		if err != nil || !ok {
			continue
		}
		f, _ := scenario.Lookup(path)
		s, _ := r.Source(path)
		n.count(x, results.Number{
			Hardware: r.Scenario.Hardware.Name, Path: path, Unit: f.Unit,
			Grade: string(s.Grade), Source: s.Where, Layer: cmp.Or(r.Origin[path], defaults),
		})
	}
}

// defaults is the layer of a value that no layer sets.
const defaults = "default"

// count counts value x of a number.
func (n *numbers) count(x float64, key results.Number) {
	i, ok := n.index[key]
	if !ok {
		if n.index == nil {
			n.index = map[results.Number]int{}
		}
		i = len(n.all)
		n.index[key] = i
		key.Min, key.Max = x, x
		n.all = append(n.all, key)
	}
	e := &n.all[i]
	e.Min, e.Max, e.Points = min(e.Min, x), max(e.Max, x), e.Points+1
}

// grades from weakest to best.
var grades = []string{"assumed", "derived", "calibrated", "published"}

// list returns the numbers by hardware, the weakest grade first, then by key.
func (n *numbers) list() []results.Number {
	slices.SortStableFunc(n.all, func(a, b results.Number) int {
		return cmp.Or(strings.Compare(a.Hardware, b.Hardware),
			slices.Index(grades, a.Grade)-slices.Index(grades, b.Grade),
			strings.Compare(a.Path, b.Path), strings.Compare(a.Layer, b.Layer))
	})
	return n.all
}
