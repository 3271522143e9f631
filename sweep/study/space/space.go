// Package space reads how one parameter of [sample.space] varies: a range or a
// distribution in an inline table. It knows the forms and their rules, and
// draws nothing.
package space

import (
	"fmt"
	"maps"
	"math"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"scoville/core/scenario"
	"scoville/core/schema"
	"scoville/core/workload"
	"scoville/sweep/sample"
	"scoville/sweep/study/ask"
	"scoville/sweep/study/span"
)

// Form is what an entry of [sample.space] may be.
const Form = `write { min, max }, { min, max, step }, { min, max, scale = "log" }, { dist = "normal", mean, sd } or a list of levels`

// distributions are the keys that each takes beside dist; those in the second
// list may be left out.
var distributions = map[string][2][]string{
	"uniform":    {{"min", "max"}, {"step"}},
	"loguniform": {{"min", "max"}, nil},
	"normal":     {{"mean"}, {"sd", "cv", "min", "max"}},
	"lognormal":  {{"mean"}, {"sd", "cv", "min", "max"}},
	"triangular": {{"min", "mode", "max"}, nil},
}

// reader reads one parameter.
type reader struct {
	dim  sample.Dim
	at   ask.Place
	keys map[string]any
	kind scenario.Kind
}

// Decode reads the table of a path that the scenario has. Errors point at the
// place.
func Decode(path string, at ask.Place, keys map[string]any) (sample.Dim, error) {
	f, _ := scenario.Lookup(path)
	r := &reader{dim: sample.Dim{Path: path}, at: at, keys: keys, kind: f.Kind}
	r.dim.Whole = f.Kind == scenario.Int || isLength(path)
	if f.Kind != scenario.Float && f.Kind != scenario.Int {
		return r.dim, r.errorf(`write a list: ["...", "..."]`, "takes a %s: only numbers have ranges and distributions", f.Kind)
	}
	err := r.decode()
	return r.dim, err
}

// isLength reports whether a path is a length of requests, whole tokens.
func isLength(path string) bool {
	v, _ := scenario.Convert(path, int64(1))
	_, ok := v.(workload.Dist)
	return ok
}

func (r *reader) errorf(hint, format string, args ...any) error {
	return r.at.Errorf(r.dim.Path, hint, format, args...)
}

func (r *reader) decode() error {
	dist, hasDist := r.keys["dist"]
	if !hasDist {
		if err := r.allowed([]string{"min", "max"}, []string{"scale", "step"}, "a range"); err != nil {
			return err
		}
		switch scale := r.keys["scale"]; scale {
		case nil, "log":
			r.dim.Log = scale == "log"
		default:
			return r.errorf(`write scale = "log", or leave it out`, "%s is not a scale", schema.Show(scale))
		}
		return r.span()
	}
	name, _ := dist.(string)
	names := slices.Sorted(maps.Keys(distributions))
	form, ok := distributions[name]
	if !ok {
		return r.errorf("write one of "+strings.Join(names, ", "), "no distribution %s", schema.Show(dist))
	}
	if err := r.allowed(form[0], append(form[1], "dist"), "dist = "+strconv.Quote(name)); err != nil {
		return err
	}
	switch name {
	case "uniform":
		return r.span()
	case "loguniform":
		r.dim.Log = true
		return r.span()
	case "triangular":
		return r.triangle()
	}
	return r.bell(name)
}

// allowed refuses keys that are missing or unknown.
func (r *reader) allowed(needed, optional []string, what string) error {
	for _, key := range slices.Sorted(maps.Keys(r.keys)) {
		if all := slices.Concat(needed, optional); !slices.Contains(all, key) {
			return r.errorf(Form, "%s has no key %q; it takes %s", what, key, strings.Join(all, ", "))
		}
	}
	for _, key := range needed {
		if r.keys[key] == nil {
			return r.errorf(Form, "%s needs %s", what, key)
		}
	}
	return nil
}

// number reads a number; valid says that it must be a value of the parameter.
func (r *reader) number(key string, valid bool) (float64, error) {
	exact := span.Exact(r.keys[key])
	if exact == nil {
		return 0, r.errorf(Form, "%s = %s is not a number", key, schema.Show(r.keys[key]))
	}
	if valid {
		if _, err := scenario.Convert(r.dim.Path, r.keys[key]); err != nil {
			return 0, r.at.Point(err)
		}
	}
	x, _ := exact.Float64()
	return x, nil
}

// ends reads min and max where they are given.
func (r *reader) ends() error {
	for _, end := range []struct {
		key string
		to  **float64
	}{{"min", &r.dim.Min}, {"max", &r.dim.Max}} {
		if r.keys[end.key] == nil {
			continue
		}
		x, err := r.number(end.key, true)
		if err != nil {
			return err
		}
		*end.to = &x
	}
	return r.ordered()
}

// ordered refuses ends that leave nothing between them.
func (r *reader) ordered() error {
	if r.dim.Min == nil || r.dim.Max == nil || *r.dim.Min < *r.dim.Max {
		return nil
	}
	hint := "swap them"
	if *r.dim.Min == *r.dim.Max {
		hint = "a value that does not vary belongs into the scenario"
	}
	return r.errorf(hint, "min = %s is not below max = %s", schema.Show(r.keys["min"]), schema.Show(r.keys["max"]))
}

// span reads a range.
func (r *reader) span() error {
	_, lowText := r.keys["min"].(string)
	_, highText := r.keys["max"].(string)
	if lowText && highText {
		if err := r.relative(); err != nil {
			return err
		}
	} else if err := r.ends(); err != nil {
		return err
	}
	r.dim.Kind = sample.Range
	if r.dim.Log && *r.dim.Min <= 0 {
		return r.errorf("for zero write a list: [0, { from = 1, to = 64, n = 7, scale = \"log\" }]", "min and max of a log range are above 0")
	}
	if r.keys["step"] == nil {
		return nil
	}
	return r.step()
}

// relative reads ends such as "-20%" and "+20%": factors on the base value.
func (r *reader) relative() error {
	if r.dim.Whole {
		return r.errorf("write whole numbers", "takes whole numbers: a relative range would round them")
	}
	for _, end := range []struct {
		key string
		to  **float64
	}{{"min", &r.dim.Min}, {"max", &r.dim.Max}} {
		text := r.keys[end.key].(string)
		factor := span.Relative(text)
		if factor == nil || factor.Sign() <= 0 {
			return r.errorf(`write a number, or relative to the base "-20%", "+10%", "x0.5"`, "%s = %q is no value", end.key, text)
		}
		x, _ := factor.Float64()
		*end.to = &x
	}
	r.dim.Relative = true
	return r.ordered()
}

// step reads the step of a range, which must lead from min to max.
func (r *reader) step() error {
	switch {
	case r.dim.Log:
		return r.errorf("list the levels: { from, to, factor }", "a log range has no step")
	case r.dim.Relative:
		return r.errorf(`list the levels: ["-20%", "-10%", "+10%"]`, "a relative range has no step")
	}
	step := span.Exact(r.keys["step"])
	if step == nil || step.Sign() <= 0 {
		return r.errorf(Form, "step = %s is not a number above 0", schema.Show(r.keys["step"]))
	}
	if r.dim.Whole && !step.IsInt() {
		return r.errorf("write a whole step", "takes whole numbers, and step = %s leads beside them", schema.Show(r.keys["step"]))
	}
	from, to := span.Exact(r.keys["min"]), span.Exact(r.keys["max"])
	n := new(big.Rat).Sub(to, from)
	n.Quo(n, step)
	if !n.IsInt() {
		at := func(k *big.Int) string {
			x := new(big.Rat).SetInt(k)
			f, _ := x.Add(from, x.Mul(x, step)).Float64()
			return schema.Show(f)
		}
		k := new(big.Int).Quo(n.Num(), n.Denom())
		return r.errorf("", "steps of %s from %s miss max = %s: the nearest ends are %s and %s",
			schema.Show(r.keys["step"]), schema.Show(r.keys["min"]), schema.Show(r.keys["max"]), at(k), at(new(big.Int).Add(k, big.NewInt(1))))
	}
	if n.Cmp(big.NewRat(1e9, 1)) > 0 {
		return r.errorf("leave step out", "a range with step has at most 1e9 values")
	}
	r.dim.Step, _ = step.Float64()
	return nil
}

// triangle reads a triangular distribution.
func (r *reader) triangle() (err error) {
	r.dim.Kind = sample.Triangular
	if err := r.ends(); err != nil {
		return err
	}
	if r.dim.Mode, err = r.number("mode", true); err != nil {
		return err
	}
	if r.dim.Mode < *r.dim.Min || r.dim.Mode > *r.dim.Max {
		return r.errorf("", "mode = %s is not between min and max", schema.Show(r.keys["mode"]))
	}
	return nil
}

// bell reads a normal or lognormal distribution.
func (r *reader) bell(name string) (err error) {
	r.dim.Kind = name
	if err := r.ends(); err != nil {
		return err
	}
	if r.dim.Mean, err = r.number("mean", false); err != nil {
		return err
	}
	if name == sample.LogNormal && r.dim.Mean <= 0 {
		return r.errorf("it is the mean of the value, not of its logarithm", "mean = %s is not above 0", schema.Show(r.keys["mean"]))
	}
	key := "sd"
	if (r.keys["sd"] == nil) == (r.keys["cv"] == nil) {
		return r.errorf("write sd = standard deviation, or cv = sd / mean", "a distribution has one of sd and cv")
	}
	if r.keys["sd"] == nil {
		key = "cv"
	}
	if r.dim.SD, err = r.number(key, false); err != nil {
		return err
	}
	if key == "cv" {
		r.dim.SD *= math.Abs(r.dim.Mean)
	}
	if r.dim.SD <= 1e-9*math.Abs(r.dim.Mean) || math.IsInf(r.dim.SD, 0) || name == sample.LogNormal && r.dim.SD/r.dim.Mean > 1e6 {
		return r.errorf("a value that does not vary belongs into the scenario", "%s = %s is no spread", key, schema.Show(r.keys[key]))
	}
	if share := r.dim.Share(); !(share >= 1e-6) {
		return r.errorf("", "min and max leave %s of the distribution", fmt.Sprintf("%.1g", share))
	}
	return nil
}
