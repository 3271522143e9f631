package schema

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// Get reads the node's value below root: float64, int, bool, string or
// []float64.
func (n *Node) Get(root reflect.Value) any {
	v := root.FieldByIndex(n.Index)
	switch n.Kind {
	case Float:
		return v.Float()
	case Int:
		return int(v.Int())
	case Bool:
		return v.Bool()
	case Floats:
		return slices.Clone(v.Interface().([]float64))
	}
	return v.String()
}

// Put writes a value that Convert returned below root.
func (n *Node) Put(root reflect.Value, value any) {
	v := root.FieldByIndex(n.Index)
	switch x := value.(type) {
	case float64:
		v.SetFloat(x)
	case int:
		v.SetInt(int64(x))
	case bool:
		v.SetBool(x)
	case string:
		v.SetString(x)
	default:
		v.Set(reflect.ValueOf(x))
	}
}

// Convert checks a value from a study file or from code and returns it in the
// type of the field. The field decides the type, not the literal: 400 and
// 400.0 are one float; 3.0 for an integer is an error. So are numbers that are
// not finite or out of range, and strings for numbers.
func (f *Field) Convert(v any) (any, *FieldError) {
	switch f.Kind {
	case Float:
		return f.float(v)
	case Int:
		return f.int(v)
	case Floats:
		return f.floats(v)
	case Bool:
		if b, ok := v.(bool); ok {
			return b, nil
		}
		return nil, f.fail(v, "is not true or false", "")
	}
	s, ok := v.(string)
	switch {
	case !ok:
		return nil, f.fail(v, "is not a string", "write it in quotes")
	case len(f.Enum) > 0 && !slices.Contains(f.Enum, s) && (f.Kind != DType || s != ""):
		return nil, f.fail(v, "is not one of "+strings.Join(f.Enum, ", "), DidYouMean(Closest(s, f.Enum)))
	}
	return s, nil
}

// literal is a value shown as a file has it: 3.0 must not look like 3.
type literal string

// fail makes the error of a value; without a hint it says what the key means.
func (f *Field) fail(v any, rule, hint string) *FieldError {
	if hint == "" {
		hint = f.Help
		if f.Unit != "" && f.Unit != "ratio" {
			hint += ", in " + f.Unit
		}
	}
	return &FieldError{Path: f.Path, Value: v, Rule: rule, Hint: hint}
}

func (f *Field) notNumber(v any) *FieldError {
	if s, ok := v.(string); ok {
		hint := ""
		if _, err := strconv.ParseFloat(s, 64); err == nil {
			hint = "write " + s + " without quotes"
		}
		return f.fail(v, "is a string where a number belongs", hint)
	}
	return f.fail(v, "is not a number", "")
}

func (f *Field) outOfRange(v any) *FieldError {
	return f.fail(v, fmt.Sprintf("is not in %s (%s)", f.interval, f.Unit), "")
}

func (f *Field) float(v any) (float64, *FieldError) {
	var x float64
	switch v := v.(type) {
	case float64:
		x = v
	case int:
		x = float64(v)
	case int64:
		x = float64(v)
	default:
		return 0, f.notNumber(v)
	}
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return 0, f.fail(v, "is not a finite number", "")
	}
	if !f.inRange(x) {
		return 0, f.outOfRange(v)
	}
	if x == 0 {
		x = 0 // -0.0 and 0 are one value
	}
	return x, nil
}

func (f *Field) int(v any) (int, *FieldError) {
	var i int64
	switch v := v.(type) {
	case int:
		i = int64(v)
	case int64:
		i = v
	case float64:
		if v == math.Trunc(v) && math.Abs(v) < 1<<53 {
			whole := strconv.FormatFloat(v, 'f', 0, 64)
			return 0, f.fail(literal(whole+".0"), "is a float where a whole number belongs", "write "+whole)
		}
		return 0, f.fail(v, "is not a whole number", "")
	default:
		return 0, f.notNumber(v)
	}
	if !f.inRange(float64(i)) {
		return 0, f.outOfRange(v)
	}
	return int(i), nil
}

func (f *Field) floats(v any) ([]float64, *FieldError) {
	list, ok := v.([]any)
	if xs, isFloats := v.([]float64); isFloats {
		for _, x := range xs {
			list = append(list, x)
		}
	} else if !ok {
		return nil, f.fail(v, "is not a list of numbers", "")
	}
	var out []float64
	for _, x := range list {
		y, err := f.float(x)
		if err != nil {
			return nil, err
		}
		out = append(out, y)
	}
	return out, nil
}
