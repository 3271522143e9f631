// Package span expands ranges of a study, { from, to, step } and the like, into
// the numbers that a study would write. It knows arithmetic in decimal, and
// nothing of what the numbers mean.
package span

import (
	"math"
	"math/big"
	"slices"
	"strconv"
)

// Range is a range as a study writes it, and what its values are for.
type Range struct {
	Keys  map[string]any // from, to, and one of step, n and factor
	Whole bool           // whole numbers only
	Most  int            // values that it may have; Limit names the rule
	Limit int

	// Errorf makes an error that points at the range.
	Errorf func(hint, format string, args ...any) error
}

// span is a range of numbers, both ends included.
type span struct {
	Range
	from, to *big.Rat
}

const rangeForms = `write { from, to, step }, { from, to, n }, { from, to, n, scale = "log" } or { from, to, factor }`

// Expand lists the values of a range: int64 where they are whole, else float64.
// Steps are taken in decimal, so that 0.1 to 0.3 by 0.1 is 0.1, 0.2, 0.3.
func Expand(from Range) ([]any, error) {
	r := from.Keys
	s := span{Range: from, from: Exact(r["from"]), to: Exact(r["to"])}
	for key := range r {
		if !slices.Contains([]string{"from", "to", "step", "n", "scale", "factor"}, key) {
			return nil, s.Errorf(rangeForms, "a range has no key %q", key)
		}
	}
	if s.from == nil || s.to == nil {
		return nil, s.Errorf(rangeForms, "from and to of a range are numbers")
	}
	step, n, factor, scale := r["step"], r["n"], r["factor"], r["scale"]
	switch {
	case step != nil && n == nil && factor == nil && scale == nil:
		return s.steps(Exact(step))
	case n != nil && step == nil && factor == nil && (scale == nil || scale == "log"):
		return s.points(n, scale != nil)
	case factor != nil && step == nil && n == nil && scale == nil:
		return s.factors(Exact(factor))
	}
	return nil, s.Errorf(rangeForms, "a range has one of step, n and factor")
}

func (s *span) tooMany() error {
	return s.Errorf("take fewer levels", "the axes of a study may have %d levels together", s.Limit)
}

// steps is from, from + step, ... to, which must be one of them.
func (s *span) steps(step *big.Rat) ([]any, error) {
	if step == nil || step.Sign() == 0 {
		return nil, s.Errorf(rangeForms, "step of a range is a number other than 0")
	}
	k := new(big.Rat).Sub(s.to, s.from)
	k.Quo(k, step)
	if k.Sign() < 0 {
		return nil, s.Errorf("", "step %s leads away from to", text(step))
	}
	at := func(i int64) *big.Rat {
		x := new(big.Rat).SetInt64(i)
		return x.Add(s.from, x.Mul(x, step))
	}
	if k.Cmp(big.NewRat(int64(s.Most)-1, 1)) > 0 {
		return nil, s.tooMany()
	}
	whole, _ := k.Float64()
	n := int64(whole)
	if !k.IsInt() {
		return nil, s.Errorf("", "steps of %s from %s miss to = %s: the nearest ends are %s and %s",
			text(step), text(s.from), text(s.to), text(at(n)), text(at(n+1)))
	}
	out := make([]any, n+1)
	for i := range out {
		out[i] = s.number(at(int64(i)))
	}
	return out, nil
}

// points is n values from from to to with equal differences, or with equal
// ratios when log is set. On an integer path they are rounded, equal ones
// once.
func (s *span) points(n any, log bool) ([]any, error) {
	count, ok := n.(int64)
	switch {
	case !ok || count < 2:
		return nil, s.Errorf("", "n of a range is a whole number, at least 2")
	case count > int64(s.Most):
		return nil, s.tooMany()
	case log && (s.from.Sign() <= 0 || s.to.Sign() <= 0):
		return nil, s.Errorf("for zero and a log range write [0, { from = 1, ... }]", "from and to of a log range are values above 0")
	}
	out := make([]*big.Rat, count)
	from, _ := s.from.Float64()
	to, _ := s.to.Float64()
	for i := range out {
		share := big.NewRat(int64(i), count-1)
		switch f, _ := share.Float64(); {
		case i == 0:
			out[i] = s.from
		case i == len(out)-1:
			out[i] = s.to
		case log:
			out[i] = Exact(clean(from * math.Pow(to/from, f)))
		default:
			share.Mul(share, new(big.Rat).Sub(s.to, s.from))
			out[i] = share.Add(share, s.from)
		}
	}
	return s.rounded(out), nil
}

// factors is from, from x factor, ... to, which must be one of them.
func (s *span) factors(factor *big.Rat) ([]any, error) {
	if factor == nil || factor.Sign() <= 0 || factor.Cmp(big.NewRat(1, 1)) == 0 || s.from.Sign() <= 0 || s.to.Sign() <= 0 {
		return nil, s.Errorf("", "factor of a range is a number above 0 other than 1, and from and to are above 0")
	}
	from, _ := s.from.Float64()
	to, _ := s.to.Float64()
	f, _ := factor.Float64()
	k := math.Log(to/from) / math.Log(f)
	if k > float64(s.Most) {
		return nil, s.tooMany()
	}
	if k < -1e-9 {
		return nil, s.Errorf("", "factor %s leads away from to", text(factor))
	}
	n := math.Round(k)
	if clean(from*math.Pow(f, n)) != clean(to) {
		n = math.Floor(k)
		return nil, s.Errorf("", "factors of %s from %s miss to = %s: the nearest ends are %s and %s", text(factor), text(s.from), text(s.to),
			show(clean(from*math.Pow(f, n))), show(clean(from*math.Pow(f, n+1))))
	}
	out := make([]*big.Rat, int(n)+1)
	for i := range out {
		out[i] = Exact(clean(from * math.Pow(f, float64(i))))
	}
	return s.rounded(out), nil
}

// clean rounds to 12 significant digits: a power that should be 2 is 2, on
// every machine.
func clean(x float64) float64 {
	y, _ := strconv.ParseFloat(strconv.FormatFloat(x, 'g', 12, 64), 64)
	return y
}

// rounded turns exact values into levels; on an integer path to the nearest
// whole number, without neighbours that become equal.
func (s *span) rounded(values []*big.Rat) []any {
	out := make([]any, 0, len(values))
	for _, v := range values {
		if s.Whole {
			v = big.NewRat(Nearest(v), 1)
		}
		if x := s.number(v); len(out) == 0 || out[len(out)-1] != x || !s.Whole {
			out = append(out, x)
		}
	}
	return out
}

// Nearest rounds to a whole number, halves up; beyond int64 to its end.
func Nearest(x *big.Rat) int64 {
	x = new(big.Rat).Add(x, big.NewRat(1, 2))
	n := new(big.Int).Div(x.Num(), x.Denom()) // floor: the denominator is positive
	switch {
	case n.IsInt64():
		return n.Int64()
	case n.Sign() < 0:
		return math.MinInt64
	}
	return math.MaxInt64
}

// number is a value as a TOML file would give it.
func (s *span) number(x *big.Rat) any {
	if s.Whole && x.IsInt() && x.Num().IsInt64() {
		return x.Num().Int64()
	}
	f, _ := x.Float64()
	return f
}

func text(x *big.Rat) string {
	f, _ := x.Float64()
	return show(f)
}

func show(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }

// Exact is a number of a TOML file as the decimal the user wrote; nil for
// another type. The shortest decimal that reads as a float64 is that decimal.
func Exact(v any) *big.Rat {
	switch v := v.(type) {
	case int64:
		return new(big.Rat).SetInt64(v)
	case float64:
		r, _ := new(big.Rat).SetString(strconv.FormatFloat(v, 'g', -1, 64))
		return r
	}
	return nil
}
