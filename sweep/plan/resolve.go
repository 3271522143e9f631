package plan

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"slices"
	"strconv"

	"scoville/core/scenario"
	"scoville/sweep/sample"
	"scoville/sweep/study"
	"scoville/sweep/study/span"
)

// expansion is one design, resolved.
type expansion struct {
	outer     []study.Level // of each outer axis
	at        []int         // number of the level of each outer axis
	inner     int           // number of the design in its outer combination
	variation *study.Axis   // what is changed one at a time; nil = nothing
	level     study.Level   // of the variation
	change    float64       // actual relative change by the variation, NaN if not one number
	start     float64       // value of the searched path before the search sets it; NaN = none

	resolved   *scenario.Resolved
	infeasible string
	notes      []string
	rule       int                // of [[where]] that takes the design out; -1 = none
	template   *scenario.Template // that resolved is from; nil = from none
}

// canonical appends the canonical text of the scenario.
func (x *expansion) canonical(out []byte) []byte {
	if x.template != nil {
		return x.template.Canonical(out, x.resolved)
	}
	return append(out, x.resolved.Canonical()...)
}

// resolve expands design number n: outer combination n / inner, and in it the
// baseline (0) or one change, or a row of a sample. A rule that takes out the baseline takes its
// changes with it: there would be nothing to compare them with. What a rule
// takes out need not be valid. A design of a search is at its start.
func (p *Plan) resolve(n int) (*expansion, error) {
	return p.resolveAt(n, math.NaN())
}

// design is design number n before it is resolved.
func (p *Plan) design(n int) *expansion {
	axes := p.Study.Axes
	x := &expansion{outer: make([]study.Level, len(axes)), at: make([]int, len(axes)), change: math.NaN(), rule: -1, inner: n % p.inner}
	for rest, i := n/p.inner, len(axes)-1; i >= 0; i-- {
		x.at[i] = rest % len(axes[i].Levels)
		x.outer[i] = axes[i].Levels[x.at[i]]
		rest /= len(axes[i].Levels)
	}
	return x
}

// resolveAt is resolve with a value of the path that is searched over; NaN is
// the start of the search.
func (p *Plan) resolveAt(n int, value float64) (*expansion, error) {
	x := p.design(n)
	if p.quick.resolve(p, x) {
		return x, nil
	}
	x.template, x.infeasible = nil, ""
	x.resolved = nil
	b := builder{plan: p, x: x}
	for _, relative := range []bool{false, true} { // relative levels act on what the absolute ones gave
		if err := b.add(x.outer, relative); err != nil {
			return nil, err
		}
	}
	if p.Study.Sample != nil {
		if err := b.row(x.inner); err != nil {
			return nil, err
		}
	}
	x.rule = p.rule(x)
	if change := x.inner; change > 0 && x.rule < 0 && p.Study.Sample == nil {
		if err := b.vary(change - 1); err != nil {
			return nil, err
		}
		x.rule = p.rule(x)
	}
	if x.rule >= 0 {
		return x, nil
	}
	if err := b.search(value); err != nil {
		return nil, err
	}
	return x, b.validate()
}

// builder adds levels to a design and resolves it anew after each step.
type builder struct {
	plan   *Plan
	x      *expansion
	layers []scenario.Layer
	places []study.Value // every value of layers, with its place in the study
}

// add gives the design the absolute or the relative values of levels.
func (b *builder) add(levels []study.Level, relative bool) error {
	changed := b.x.resolved == nil
	for _, l := range levels {
		layer := scenario.Layer{}
		for _, v := range l.Values {
			if (v.Factor != nil) != relative {
				continue
			}
			a := scenario.Assignment{Path: v.Path, Value: v.Value}
			if relative {
				var err error
				if a.Value, err = b.scaled(v); err != nil {
					return err
				}
			}
			layer.Name = v.At.Table
			layer.Values = append(layer.Values, a)
			b.places = append(b.places, v)
		}
		if layer.Values != nil {
			b.layers = append(b.layers, layer)
			changed = true
		}
	}
	if !changed {
		return nil
	}
	var err error
	if b.x.resolved, err = b.plan.catalog.Resolve(b.all()...); err != nil {
		return b.point(err)
	}
	return nil
}

// all is every layer of the design, lowest precedence first.
func (b *builder) all() []scenario.Layer {
	st := b.plan.Study
	all := slices.Concat(st.Layers, b.layers)
	if st.Set != nil {
		all = append(all, *st.Set)
	}
	return all
}

// point makes an error about a value of the design point at its line.
func (b *builder) point(err error) error {
	fe, ok := errors.AsType[*scenario.FieldError](err)
	if !ok {
		return err
	}
	for _, path := range append([]string{fe.Path}, fe.Related...) {
		for _, v := range slices.Backward(b.places) {
			if v.Path == path {
				return v.At.Point(err)
			}
		}
	}
	return scenario.Point(b.plan.Study.Doc, fe.Path, err)
}

// vary makes one-at-a-time change number i of the resolved baseline.
func (b *builder) vary(i int) error {
	for j := range b.plan.Study.OAT {
		a := &b.plan.Study.OAT[j]
		if i < len(a.Levels) {
			b.x.variation, b.x.level = a, a.Levels[i]
			break
		}
		i -= len(a.Levels)
	}
	base := b.x.resolved.Scenario
	for _, relative := range []bool{false, true} {
		if err := b.add([]study.Level{b.x.level}, relative); err != nil {
			return err
		}
	}
	for i, v := range b.x.level.Values {
		change := ratio(&base, &b.x.resolved.Scenario, v.Path)
		if i > 0 && change != b.x.change {
			change = math.NaN() // the paths of a group moved differently
		}
		b.x.change = change
	}
	return nil
}

// ratio is the relative change of a number between two scenarios, NaN for
// other values. It is exact where the decimals are: 4800 of 6000 is -0.2.
func ratio(from, to *scenario.Scenario, path string) float64 {
	before, after := number(from, path), number(to, path)
	if before == nil || after == nil || before.Sign() == 0 {
		return math.NaN()
	}
	after.Sub(after, before)
	f, _ := after.Quo(after, before).Float64()
	return f
}

// number is the value of a path as the decimal a study would write; nil if it
// is no number.
func number(s *scenario.Scenario, path string) *big.Rat {
	v, err := s.Get(path)
	if err != nil {
		return nil
	}
	switch v := v.(type) {
	case int:
		return new(big.Rat).SetInt64(int64(v))
	case float64:
		r, _ := new(big.Rat).SetString(strconv.FormatFloat(v, 'g', -1, 64))
		return r
	}
	return nil
}

// scaled is the absolute value of a relative level.
func (b *builder) scaled(v study.Value) (any, error) {
	s := &b.x.resolved.Scenario
	old, err := s.Get(v.Path)
	if err != nil {
		return nil, v.At.Point(err)
	}
	base := number(s, v.Path)
	switch {
	case base == nil:
		return nil, v.At.Errorf(v.Path, "vary one number of it, such as mean", "a relative level needs a number as base value, which is %s", study.Show(old))
	case base.Sign() == 0:
		return nil, v.At.Errorf(v.Path, s.NoBase(v.Path), "the base value is 0, and so is every relative level of it")
	}
	whole, isInt := old.(int)
	if !isInt {
		return product(base, v), nil
	}
	base.Mul(base, v.Factor)
	n := span.Nearest(base)
	if n == int64(whole) {
		f, _ := base.Float64()
		return nil, v.At.Errorf(v.Path, "take a larger change", "%s rounds back to the base value %d", study.Show(f), whole)
	}
	if !base.IsInt() {
		f, _ := base.Float64()
		b.x.notes = append(b.x.notes, fmt.Sprintf("%s: %s of %d rounded to %d", v.Path, study.Show(f), whole, n))
	}
	return int(n), nil
}

// product is a relative value of a base.
func product(base *big.Rat, v study.Value) float64 {
	f, _ := new(big.Rat).Mul(base, v.Factor).Float64()
	if v.Sampled {
		f = sample.Round(f)
	}
	return f
}

// validate checks the rules between the values of the design.
func (b *builder) validate() error {
	err := b.x.resolved.Scenario.Validate()
	if reason, ok := asInfeasible(err); ok {
		b.x.infeasible = reason
		return nil
	}
	if err != nil {
		return b.point(b.x.resolved.Locate(err, b.all()...))
	}
	return nil
}
