// Package grade gathers the graded numbers of the hardware that the points of a
// plan rest on. It knows no study.
package grade

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"scoville/core/scenario"
	"scoville/sweep/results"
)

// Numbers gathers those of many points. The zero value is ready.
type Numbers struct {
	index map[results.Number]int // by all that is not counted
	all   []results.Number
	known map[*scenario.Template][]graded // of the points of a template
}

// graded is a graded number of a point.
type graded struct {
	at   int     // in Numbers.all
	path string  // its key
	x    float64 // its value
	vary bool    // it differs between the points of the template
}

// most templates are remembered.
const most = 512

// Add takes those of a point, which may be of a template; nil = of none.
func (n *Numbers) Add(r *scenario.Resolved, template *scenario.Template) {
	list, ok := n.known[template]
	if !ok {
		list = n.graded(r, template)
		if n.known == nil || len(n.known) > most {
			n.known = map[*scenario.Template][]graded{}
		}
		if template != nil {
			n.known[template] = list
		}
	}
	for _, g := range list {
		if g.vary {
			v, _ := r.Scenario.Get(g.path)
			g.x, _ = v.(float64)
		}
		e := &n.all[g.at]
		e.Min, e.Max, e.Points = min(e.Min, g.x), max(e.Max, g.x), e.Points+1
	}
}

// Default is the layer of a value that no layer sets.
const Default = "default"

// graded finds those of a point.
func (n *Numbers) graded(r *scenario.Resolved, template *scenario.Template) (list []graded) {
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
			Grade: string(s.Grade), Source: s.Where, Layer: cmp.Or(r.Origin[path], Default),
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
		list = append(list, graded{i, path, x, template != nil && template.Varies(path)})
	}
	return list
}

// grades from weakest to best.
var grades = []string{"assumed", "derived", "calibrated", "published"}

// List returns the numbers by hardware, the weakest grade first, then by key.
func (n *Numbers) List() []results.Number {
	slices.SortStableFunc(n.all, func(a, b results.Number) int {
		return cmp.Or(strings.Compare(a.Hardware, b.Hardware),
			slices.Index(grades, a.Grade)-slices.Index(grades, b.Grade),
			strings.Compare(a.Path, b.Path), strings.Compare(a.Layer, b.Layer))
	})
	return n.all
}
