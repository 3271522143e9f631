package plan

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"scoville/core/expr"
	"scoville/core/scenario"
	"scoville/core/unit"
)

// maxDesigns bounds the product that the rules of [[where]] choose from: every
// design of it is resolved.
const maxDesigns = 1_000_000

// reference is what a name in a rule stands for: a study key, or the level of
// an axis of cases.
type reference struct {
	path string
	axis int // -1 = path
}

// checkRules checks the conditions of [[where]] and resolves their names: a
// path with or without ".name", the last segment of an axis' path where no other axis has it, or the
// name of an axis of cases.
func (p *Plan) checkRules() error {
	p.names = map[string]reference{}
	var known []string
	twice := map[string][]string{}
	for i, a := range p.Study.Axes {
		if a.Named {
			p.names[a.Name] = reference{axis: i}
			known = append(known, a.Name)
		}
	}
	for _, c := range p.Columns {
		if _, ok := p.names[c.Path]; ok {
			continue
		}
		short := c.Path[strings.LastIndexByte(c.Path, '.')+1:]
		twice[short] = append(twice[short], c.Path)
		known = append(known, c.Path)
	}
	for _, short := range slices.Sorted(maps.Keys(twice)) {
		if _, taken := p.names[short]; !taken && len(twice[short]) == 1 {
			p.names[short] = reference{twice[short][0], -1}
			known = append(known, short)
		}
	}
	s := expr.Scope{
		What: "parameter or axis", Names: known,
		Find: func(name string) (expr.Kind, bool) {
			r := p.reference(name)
			if r.axis >= 0 {
				return expr.Text, true
			}
			f, ok := scenario.Lookup(r.path)
			return kindOf(f), ok
		},
		Enum: func(name string) []string {
			f, _ := scenario.Lookup(p.reference(name).path)
			return f.Enum
		},
		Hint: func(name string) string {
			if paths := twice[name]; len(paths) > 1 {
				return "write the path: " + strings.Join(paths, " or ")
			}
			if near := scenario.Nearest(name); near != "" {
				return fmt.Sprintf("did you mean %q?", near)
			}
			return ""
		},
	}
	for i := range p.Study.Where {
		r := &p.Study.Where[i]
		if err := r.Check(s); err != nil {
			return r.At.Expression(err)
		}
		for _, n := range r.Names() {
			if s := p.Study.Search; s != nil && p.reference(n.Text).path == s.Over {
				return r.At.Errorf(r.Role, "choose with what does not change in a search", "%q is what the study searches over", n.Text)
			}
		}
	}
	p.Removed = make([]int, len(p.Study.Where))
	return nil
}

func (p *Plan) reference(name string) reference {
	if r, ok := p.names[name]; ok {
		return r
	}
	if _, ok := scenario.Lookup(name); !ok {
		if _, ok := scenario.Lookup(name + ".name"); ok {
			name += ".name"
		}
	}
	return reference{name, -1}
}

func kindOf(f scenario.Field) expr.Kind {
	switch f.Kind {
	case scenario.Float, scenario.Int:
		return expr.Number
	case scenario.Bool:
		return expr.Bool
	case scenario.String, scenario.DType:
		return expr.Text
	}
	return expr.Null
}

// rule returns the first rule that takes the design out, as it is resolved so
// far; -1 if none does.
func (p *Plan) rule(x *expansion) int {
	get := func(name string) expr.Value {
		r := p.reference(name)
		if r.axis >= 0 {
			return expr.Of(x.outer[r.axis].Name)
		}
		v, err := x.resolved.Scenario.Get(r.path)
		if err != nil {
			return expr.Value{}
		}
		return expr.Of(v) // a length distribution, or a list, is null
	}
	for i := range p.Study.Where {
		if r := &p.Study.Where[i]; r.Removes(r.Match(get)) {
			return i
		}
	}
	return -1
}

// ruleNotes says what each rule did; a rule that removes nothing or all is a
// warning.
func (p *Plan) ruleNotes(total int) []string {
	var notes []string
	left := total
	for i, n := range p.Removed {
		label := p.Study.Where[i].Label(i + 1)
		count := unit.Grouped(left)
		switch {
		case n == 0:
			notes = append(notes, fmt.Sprintf("warning: %s removes none of %s designs", label, count))
		case n == left:
			notes = append(notes, fmt.Sprintf("warning: %s removes all %s designs that are left", label, count))
		default:
			notes = append(notes, fmt.Sprintf("%s removes %s of %s designs", label, unit.Grouped(n), count))
		}
		left -= n
	}
	return notes
}

// checkRuns refuses a plan that still has too many runs after [[where]].
func (p *Plan) checkRuns() error {
	st := p.Study
	runs := p.Runs() + p.DrawRuns()
	if int64(runs) <= st.MaxRuns {
		return nil
	}
	words := fmt.Sprintf("%s runs of %s points", unit.Grouped(runs), unit.Grouped(p.Len()))
	if p.DrawRuns() > 0 {
		words += fmt.Sprintf(", %d draws of the parameters of %s among them,", st.Draws, unit.Grouped(len(p.Drawn())))
	}
	at := max(slices.IndexFunc(sizeKeys, st.Doc.Has), 0)
	err := st.Doc.Errorf(sizeKeys[at], "remove levels, or raise max_runs under [run]", "%s are more than max_runs = %d", words, st.MaxRuns)
	err.Where = "run.max_runs"
	return err
}
