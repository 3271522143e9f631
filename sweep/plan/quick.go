package plan

import (
	"sync"

	"scoville/core/scenario"
)

// quick resolves the designs of a plain product. Axes that give numbers which
// nothing else depends on are smooth: designs that agree in all other axes
// differ in these numbers alone, and come from one template.
type quick struct {
	smooth []bool   // of the outer axes; nil = the plan has no plain product
	paths  []string // of the smooth axes

	mu        sync.Mutex
	templates map[int]*scenario.Template // by number in the product of the other axes; nil = resolve without
}

// maxTemplates bounds the templates kept, of about 20 kB each.
const maxTemplates = 512

// newQuick finds the smooth axes of a plan.
func newQuick(p *Plan) *quick {
	q := &quick{templates: map[int]*scenario.Template{}}
	if p.inner > 1 || p.Study.Search != nil || p.Study.Sample != nil {
		return q
	}
	smooth := make([]bool, len(p.Study.Axes))
	for i, a := range p.Study.Axes {
		smooth[i] = !a.Named && len(a.Levels) > 1
		for _, path := range a.Paths {
			smooth[i] = smooth[i] && scenario.Plain(path)
		}
		for _, l := range a.Levels {
			for _, v := range l.Values {
				if v.Factor != nil { // acts on what other axes give
					return q
				}
			}
		}
		if smooth[i] {
			q.paths = append(q.paths, a.Paths...)
		}
	}
	if len(q.paths) > 0 {
		q.smooth = smooth
	}
	return q
}

// resolve is design x of a template; false where it has none, or where the
// design is not valid.
func (q *quick) resolve(p *Plan, x *expansion) bool {
	if q.smooth == nil {
		return false
	}
	key := 0
	var values []scenario.Assignment
	for i, l := range x.outer {
		if !q.smooth[i] {
			levels := p.Study.Axes[i].Levels
			key = key*len(levels) + x.at[i]
			continue
		}
		for _, v := range l.Values {
			values = append(values, scenario.Assignment{Path: v.Path, Value: v.Value})
		}
	}
	x.template = q.template(p, x, key)
	if x.template == nil {
		return false
	}
	var err error
	if x.resolved, err = x.template.Resolve(values); err != nil {
		return false
	}
	if x.rule = p.rule(x); x.rule >= 0 {
		return true
	}
	err = x.template.Validate(x.resolved)
	reason, impossible := asInfeasible(err)
	x.infeasible = reason
	return err == nil || impossible
}

// template is that of the designs that agree with x in all axes but the smooth
// ones. It is made of x itself; which of them makes no difference.
func (q *quick) template(p *Plan, x *expansion, key int) *scenario.Template {
	q.mu.Lock()
	defer q.mu.Unlock()
	t, ok := q.templates[key]
	if ok {
		return t
	}
	b := builder{plan: p, x: &expansion{outer: x.outer}}
	if b.add(x.outer, false) == nil {
		t = b.x.resolved.Template(q.paths)
	}
	if len(q.templates) == maxTemplates {
		clear(q.templates)
	}
	q.templates[key] = t
	return t
}
