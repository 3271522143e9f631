package study

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"scoville/core/scenario"
	"scoville/sweep/study/span"
)

// maxLevels bounds the levels of all axes of a study together.
const maxLevels = 1_000_000

// list decodes the levels of a path: a list of levels and ranges, or one.
func (d *decoder) list(path string, at Place, v any) ([]Level, error) {
	if _, ok := scenario.Lookup(path); !ok {
		return nil, at.Point(unknownPath(path))
	}
	items, ok := v.([]any)
	if !ok {
		items = []any{v}
	}
	var out []Level
	for _, item := range items {
		values := []any{item}
		if r, ok := item.(map[string]any); ok && r["from"] != nil {
			var err error
			if values, err = expand(path, at, r, maxLevels-d.levels-len(out)); err != nil {
				return nil, err
			}
		}
		for _, x := range values {
			v, err := value(path, at, x)
			if err != nil {
				return nil, err
			}
			out = append(out, Level{Name: Show(x), Values: []Value{v}})
		}
	}
	if len(out) == 0 {
		return nil, at.Errorf(at.Table, "give at least one level, or remove the axis", "%q has no levels: the grid is empty", path)
	}
	d.levels += len(out)
	return out, nil
}

// Show prints a level as a study writes it, without quotes.
func Show(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case float64:
		return strconv.FormatFloat(v, 'g', -1, 64)
	case map[string]any:
		var parts []string
		for k, x := range v {
			parts = append(parts, k+" = "+Show(x))
		}
		slices.Sort(parts)
		return "{ " + strings.Join(parts, ", ") + " }"
	}
	return fmt.Sprint(v)
}

// value decodes one level of a path.
func value(path string, at Place, v any) (Value, error) {
	if err := checkMetric(path); err != nil {
		return Value{}, at.Point(err)
	}
	f, ok := scenario.Lookup(path)
	if s, isText := v.(string); ok && isText && (f.Kind == scenario.Float || f.Kind == scenario.Int) {
		factor := span.Relative(s)
		switch {
		case factor == nil:
			return Value{}, at.Errorf(path, `write a number, or relative to the base "-20%", "+10%", "x0.5"`, "%q is not a number", s)
		case factor.Sign() <= 0:
			return Value{}, at.Errorf(path, "", "%q leaves nothing of the base value", s)
		}
		return Value{Path: path, Factor: factor, At: at}, nil
	}
	x, err := scenario.Convert(path, v)
	if err != nil {
		return Value{}, at.Point(err)
	}
	return Value{Path: path, Value: x, At: at}, nil
}

// expand lists the values of a range { from, to, ... } of a path.
func expand(path string, at Place, r map[string]any, room int) ([]any, error) {
	errorf := func(hint, format string, args ...any) error { return at.Errorf(path, hint, format, args...) }
	f, _ := scenario.Lookup(path)
	if f.Kind != scenario.Float && f.Kind != scenario.Int {
		return nil, errorf("list the values", "takes a %s: only numbers have ranges", f.Kind)
	}
	return span.Expand(span.Range{Keys: r, Whole: f.Kind == scenario.Int, Most: room, Limit: maxLevels, Errorf: errorf})
}
