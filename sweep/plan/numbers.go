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
	known map[*scenario.Template][]graded // of the points of a template
}

// graded is a graded number of a point.
type graded struct {
	at   int     // in numbers.all
	path string  // its key
	x    float64 // its value
	vary bool    // it differs between the points of the template
}

// add takes those of a point.
func (n *numbers) add(x *expansion) {
	list, ok := n.known[x.template]
	if !ok {
		list = n.graded(x)
		if n.known == nil || len(n.known) > maxTemplates {
			n.known = map[*scenario.Template][]graded{}
		}
		if x.template != nil {
			n.known[x.template] = list
		}
	}
	for _, g := range list {
		if g.vary {
			v, _ := x.resolved.Scenario.Get(g.path)
			g.x, _ = v.(float64)
		}
		e := &n.all[g.at]
		e.Min, e.Max, e.Points = min(e.Min, g.x), max(e.Max, g.x), e.Points+1
	}
}

// defaults is the layer of a value that no layer sets.
const defaults = "default"

// graded finds those of a point.
func (n *numbers) graded(p *expansion) (list []graded) {
	r := p.resolved
	for _, path := range slices.Sorted(maps.Keys(r.Grades)) {
		v, err := r.Scenario.Get(path)
		x, ok := v.(float64)
		if err != nil || !ok {
			continue
		}
		f, _ := scenario.Lookup(path)
		s, _ := r.Source(path)
		key := results.Number{
			Hardware: r.Scenario.Hardware.Name, Path: path, Unit: f.Unit,
			Grade: string(s.Grade), Source: s.Where, Layer: cmp.Or(r.Origin[path], defaults),
		}
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
		list = append(list, graded{i, path, x, p.template != nil && p.template.Varies(path)})
	}
	return list
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
