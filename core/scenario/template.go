package scenario

import (
	"reflect"
	"slices"
	"strings"
)

// Template makes the scenarios of a design that differ from one resolved
// scenario in numbers alone. What Catalog.Resolve gives for them differs in
// these numbers and in Resolved.Outside only, so that the rest is shared and
// must not be changed. It is safe for concurrent use.
type Template struct {
	from  *Resolved
	paths []string
	text  []byte // canonical, without the values at the cuts
	cuts  []cut
	valid bool // its own values are in their ranges
}

// cut is a place of a canonical text where a value belongs.
type cut struct {
	at    int
	node  *node
	class int // read only of a key of a class
}

// deciding are numbers that decide about others when a scenario is resolved.
var deciding = []string{"workload.requests", "workload.duration_s", "engine.tp", "model.experts"}

// Plain reports whether a template may vary a study key: a number, or a length
// distribution, on which nothing but its own value depends.
func Plain(path string) bool {
	n, _ := find(path)
	return n != nil && !n.inDerate && (n.Kind == Float || n.Kind == Int) && !slices.Contains(deciding, path)
}

// Template returns the template that varies paths, all of them Plain and set by
// a layer of the scenario that no later layer overrides.
func (r *Resolved) Template(paths []string) *Template {
	t := &Template{from: r, paths: paths, valid: r.Scenario.checkRanges() == nil}
	t.text, t.cuts = r.Scenario.canonical(r.trace, t.Varies)
	return t
}

// Varies reports whether a study key is one of the paths, or part of one.
func (t *Template) Varies(path string) bool {
	return slices.ContainsFunc(t.paths, func(p string) bool { return path == p || strings.HasPrefix(path, p+".") })
}

// Resolve is the scenario with values of the paths, as Catalog.Resolve gives it
// with them in place of those it was resolved with. Errors are of type
// *FieldError.
func (t *Template) Resolve(values []Assignment) (*Resolved, error) {
	r := *t.from
	for _, a := range values {
		set, err := newSetting(a.Path, a.Value)
		if err == nil {
			err = set.apply(&r.Scenario)
		}
		if err != nil {
			return nil, err
		}
	}
	r.Outside = r.Scenario.outside(r.spans)
	return &r, nil
}

// Validate is Scenario.Validate of a scenario of the template.
func (t *Template) Validate(r *Resolved) error {
	if !t.valid {
		return r.Scenario.Validate()
	}
	return r.Scenario.checkRules()
}

// Canonical appends the canonical text of a scenario of the template.
func (t *Template) Canonical(out []byte, r *Resolved) []byte {
	root, last := reflect.ValueOf(&r.Scenario).Elem(), 0
	for _, c := range t.cuts {
		out = append(out, t.text[last:c.at]...)
		if last = c.at; c.node.inClass {
			out = appendValue(out, reflect.ValueOf(&r.Scenario.Workload.Class[c.class]).Elem().FieldByIndex(c.node.Index))
		} else {
			out = appendValue(out, root.FieldByIndex(c.node.Index))
		}
	}
	return append(out, t.text[last:]...)
}
