package diff

import (
	"fmt"
	"slices"
	"strings"

	"scoville/sweep/again"
	"scoville/sweep/plan"
	"scoville/sweep/study"
)

// matching is which designs of two folders belong together.
type matching struct {
	pairs        []pair
	aloneA       []pair // with nothing of the other side
	aloneB       []pair
	onlyA, onlyB []string // axes
	notes        []string
}

// pair is a design of both: one point of each, or several that an axis of one
// side alone tells apart.
type pair struct {
	place []string
	a, b  []*point
}

// axis is a column that designs are matched by.
type axis struct {
	path   string
	named  bool            // a name of cases, no study key
	values map[string]bool // it has
}

// axes are the columns of a folder, but for those of one-at-a-time changes, which
// are matched by what is changed.
func (s *side) axes() (out []axis) {
	changes := slices.ContainsFunc(s.points, func(p *point) bool { return p.oat != "" })
	for _, c := range s.data.Axes() {
		if changes && !slices.Contains(s.data.Manifest.Outer, c.Name) {
			continue
		}
		if s.over != "" {
			if _, is := s.points[0].cells[c.Path]; !is {
				continue // what is searched
			}
		}
		a := axis{path: c.Path, named: !strings.Contains(c.Path, "."), values: map[string]bool{}}
		for _, p := range s.points {
			a.values[p.cells[c.Path]] = true
		}
		out = append(out, a)
	}
	return out
}

// match finds the designs that both folders have: by the axes that both have,
// and by what the study of one folder gives the axes of the other. Where that is
// not known the axis is averaged over.
func match(a, b *side) *matching {
	m := &matching{}
	axesA, axesB := a.axes(), b.axes()
	has := func(axes []axis, path string) bool {
		return slices.ContainsFunc(axes, func(x axis) bool { return x.path == path })
	}
	var keys []string
	for _, x := range axesA {
		if has(axesB, x.path) {
			keys = append(keys, x.path)
		}
	}
	for _, way := range []struct {
		own, other *side
		axes       []axis
		missing    func(path string) bool
		list       *[]string
		name       string
	}{
		{a, b, axesA, func(path string) bool { return !has(axesB, path) }, &m.onlyA, "A"},
		{b, a, axesB, func(path string) bool { return !has(axesA, path) }, &m.onlyB, "B"},
	} {
		var extra []axis
		for _, x := range way.axes {
			if way.missing(x.path) {
				extra = append(extra, x)
				*way.list = append(*way.list, x.path)
			}
		}
		known, notes := way.other.give(extra, way.name)
		keys = append(keys, known...)
		m.notes = append(m.notes, notes...)
	}
	m.group(a, b, keys)
	return m
}

// give finds what the points of a folder have in axes that only the other has,
// named name, and returns the paths of those that are known.
func (s *side) give(extra []axis, name string) (known, notes []string) {
	average := func(x axis, why string) {
		if len(x.values) > 1 {
			notes = append(notes, fmt.Sprintf("warning: %s averages over %s, %d values, since %s", name, x.path, len(x.values), why))
		}
	}
	var p *plan.Plan
	var err error
	if slices.ContainsFunc(extra, func(x axis) bool { return !x.named }) {
		p, err = again.Load(s.data)
	}
	for _, x := range extra {
		switch {
		case x.named:
			average(x, "the other folder does not have these cases")
			continue
		case err != nil:
			average(x, "what the other folder has there is not known: "+err.Error())
			continue
		}
		found := false
		for _, pt := range s.points {
			r, err := p.Point(pt.index)
			if err != nil {
				break
			}
			v, err := r.Resolved.Scenario.Get(x.path)
			if err != nil {
				continue
			}
			if _, isMap := v.(map[string]any); isMap {
				v = study.Show(v)
			}
			pt.cells[x.path] = word(v)
			found = found || x.values[word(v)]
		}
		known = append(known, x.path)
		if !found {
			notes = append(notes, fmt.Sprintf("%s varies %s over %s, and the other folder has none of these values", name, x.path, strings.Join(names(x.values), ", ")))
		}
	}
	return known, notes
}

// group pairs the points by their values of the keys.
func (m *matching) group(a, b *side, keys []string) {
	groups := map[string]*pair{}
	var order []*pair
	for i, s := range []*side{a, b} {
		for _, p := range s.points {
			var place []string
			for _, k := range keys {
				place = append(place, short(k)+" = "+p.cells[k])
			}
			if p.oat != "" {
				place = append(place, p.oat)
			}
			key := strings.Join(place, "\x00")
			g := groups[key]
			if g == nil {
				g = &pair{place: place}
				groups[key] = g
				order = append(order, g)
			}
			if i == 0 {
				g.a = append(g.a, p)
			} else {
				g.b = append(g.b, p)
			}
		}
	}
	for _, g := range order {
		switch {
		case g.b == nil:
			m.aloneA = append(m.aloneA, *g)
		case g.a == nil:
			m.aloneB = append(m.aloneB, *g)
		default:
			m.pairs = append(m.pairs, *g)
		}
	}
}
