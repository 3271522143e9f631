package plan

import (
	"math/big"
	"slices"
	"sync"

	"scoville/core/scenario"
	"scoville/sweep/sample"
	"scoville/sweep/study"
)

// quick resolves the designs of a plain product, or of a sample around each
// combination of one. Axes and dimensions that give numbers which nothing else
// depends on are smooth: designs that agree in all others differ in these
// numbers alone, and come from one template.
type quick struct {
	smooth []bool   // of the outer axes; nil = the plan has no plain product
	rough  []int    // dimensions of a sample that are not smooth
	paths  []string // of the smooth axes and dimensions

	mu        sync.Mutex
	templates map[int]*pattern // by number in the product of the others
}

// pattern is a template and what the relative ranges of a sample act on.
type pattern struct {
	template *scenario.Template  // nil = resolve without
	bases    map[string]*big.Rat // by path
}

// maxTemplates bounds the templates kept, of about 20 kB each.
const maxTemplates = 512

// newQuick finds the smooth axes of a plan.
func newQuick(p *Plan) *quick {
	q := &quick{templates: map[int]*pattern{}}
	if len(p.Study.OAT) > 0 || p.Study.Search != nil {
		return q
	}
	if s := p.Study.Sample; s != nil && !q.sample(s.Axes(), s.Dims) {
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

// sample finds the rough dimensions; false if a level acts on what other axes
// give, or a rough one has more values than can be told apart by number.
func (q *quick) sample(dimensions []study.Axis, dims []sample.Dim) bool {
	for i, a := range dimensions {
		if slices.ContainsFunc(a.Levels, func(l study.Level) bool { return l.Values[0].Factor != nil }) {
			return false
		}
		switch {
		case scenario.Plain(a.Name):
			q.paths = append(q.paths, a.Name)
		case dims[i].Bins() == 0:
			return false
		default:
			q.rough = append(q.rough, i)
		}
	}
	return true
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
	row, err := study.Level{}, error(nil)
	if s := p.Study.Sample; s != nil {
		u := s.Unit(x.inner)
		if row, err = s.RowAt(x.inner, u); err != nil {
			return false
		}
		for _, i := range q.rough {
			key = key*s.Dims[i].Bins() + s.Dims[i].Bin(u[i])
		}
	}
	t := q.template(p, x, key, row)
	if x.template = t.template; x.template == nil {
		return false
	}
	values = append(values, t.assign(row)...)
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

// assign gives the smooth values of a row of a sample.
func (t *pattern) assign(row study.Level) (values []scenario.Assignment) {
	for _, v := range row.Values {
		x := v.Value
		if v.Factor != nil {
			x = product(t.bases[v.Path], v)
		}
		if t.template.Varies(v.Path) {
			values = append(values, scenario.Assignment{Path: v.Path, Value: x})
		}
	}
	return values
}

// template is that of the designs that agree with x in all axes but the smooth
// ones. It is made of x itself; which of them makes no difference.
func (q *quick) template(p *Plan, x *expansion, key int, row study.Level) *pattern {
	q.mu.Lock()
	defer q.mu.Unlock()
	t, ok := q.templates[key]
	if ok {
		return t
	}
	t = q.make(p, x, row)
	if len(q.templates) == maxTemplates {
		clear(q.templates)
	}
	q.templates[key] = t
	return t
}

func (q *quick) make(p *Plan, x *expansion, row study.Level) *pattern {
	t := &pattern{bases: map[string]*big.Rat{}}
	b := builder{plan: p, x: &expansion{outer: x.outer}}
	if b.add(x.outer, false) != nil {
		return t
	}
	for _, v := range row.Values {
		if v.Factor != nil {
			base := number(&b.x.resolved.Scenario, v.Path)
			if base == nil || base.Sign() == 0 {
				return t
			}
			t.bases[v.Path] = base
		}
	}
	if row.Values == nil || b.give(row) == nil {
		t.template = b.x.resolved.Template(q.paths)
	}
	return t
}
