// Package schema reads study keys from struct tags: type, unit, range, default,
// allowed values and help of each field; and it checks and converts values by
// them. It knows nothing of what the keys are about.
//
// Tags: toml = last segment of the key, unit and range (mathematical interval)
// on numbers, default, enum (values joined by |) on strings, help on all.
package schema

import (
	"errors"
	"fmt"
	"math"
	"reflect"
	"strconv"
	"strings"

	"scoville/core/unit"
)

// Kind is the type of a study key's value.
type Kind int

// Kinds of values. A DType is written as a string.
const (
	Float Kind = iota
	Int
	Bool
	String
	DType
	Floats // list of numbers
)

func (k Kind) String() string {
	return [...]string{"float", "int", "bool", "string", "dtype", "floats"}[k]
}

// Field is one study key.
type Field struct {
	Path           string  // "hardware.memory_gib"
	Kind           Kind    // type of the value; the TOML literal does not decide it
	Unit           string  // of numbers
	Lo, Hi         float64 // range of numbers
	LoOpen, HiOpen bool
	HasRange       bool
	Enum           []string // allowed strings; nil = any
	Default        string   // as written in a study
	HasDefault     bool
	Help           string

	interval string // the range as the tag writes it
}

// Node is a field with its place in the struct that Read was given.
type Node struct {
	Field
	Index []int // struct field indexes, for reflect
}

// Read lists the fields of a struct in order, those of nested structs under
// their key, with prefix before every key. Fields tagged toml:"-" and slices
// of structs are left out. Malformed tags are an error.
func Read(t reflect.Type, prefix string) ([]*Node, error) { return read(t, prefix, nil) }

func read(t reflect.Type, prefix string, index []int) (nodes []*Node, err error) {
	for i := range t.NumField() {
		sf := t.Field(i)
		name, ok := sf.Tag.Lookup("toml")
		if !ok {
			err = errors.Join(err, fmt.Errorf("%s%s has no toml tag", prefix, sf.Name))
			continue
		}
		path, at := prefix+name, append(index[:len(index):len(index)], i)
		switch {
		case name == "-" || sf.Type.Kind() == reflect.Slice && sf.Type.Elem().Kind() == reflect.Struct:
		case sf.Type.Kind() == reflect.Struct:
			inner, e := read(sf.Type, path+".", at)
			nodes, err = append(nodes, inner...), errors.Join(err, e)
		default:
			f, e := readTags(path, sf)
			nodes, err = append(nodes, &Node{Field: f, Index: at}), errors.Join(err, e)
		}
	}
	return nodes, err
}

// SetDefaults writes the defaults of all nodes below root, the struct that
// they were read from.
func SetDefaults(root reflect.Value, nodes []*Node) error {
	for _, n := range nodes {
		if !n.HasDefault {
			continue
		}
		v, err := n.parseDefault()
		if err != nil {
			return err
		}
		n.Put(root, v)
	}
	return nil
}

// readTags makes the Field of a struct field that holds one value.
func readTags(path string, sf reflect.StructField) (Field, error) {
	f := Field{Path: path, Help: sf.Tag.Get("help")}
	f.Default, f.HasDefault = sf.Tag.Lookup("default")
	enum, hasEnum := sf.Tag.Lookup("enum")
	if hasEnum {
		f.Enum = strings.Split(enum, "|")
	}
	var err error
	switch {
	case sf.Type == reflect.TypeFor[unit.DType]():
		f.Kind = DType
		for _, d := range unit.DTypes {
			f.Enum = append(f.Enum, string(d))
		}
	case sf.Type == reflect.TypeFor[[]float64]():
		f.Kind = Floats
	case sf.Type.Kind() == reflect.Float64:
		err = f.readNumber(sf.Tag)
	case sf.Type.Kind() == reflect.Int:
		f.Kind = Int
		err = f.readNumber(sf.Tag)
	case sf.Type.Kind() == reflect.Bool:
		f.Kind = Bool
	case sf.Type.Kind() == reflect.String:
		f.Kind = String
	default:
		err = fmt.Errorf("%s: no study key can have type %s", path, sf.Type)
	}
	if f.Help == "" {
		err = errors.Join(err, fmt.Errorf("%s has no help", path))
	}
	if hasEnum && f.Kind != String {
		err = errors.Join(err, fmt.Errorf("%s: enum on a %s", path, f.Kind))
	}
	for _, e := range f.Enum {
		if e == "" {
			err = errors.Join(err, fmt.Errorf("%s: empty value in enum", path))
		}
	}
	return f, err
}

// readNumber reads the unit and range tags every number must have. The range
// is an interval: "(0,1]" excludes 0 and includes 1.
func (f *Field) readNumber(tag reflect.StructTag) error {
	f.Unit, f.interval = tag.Get("unit"), tag.Get("range")
	if f.Unit == "" {
		return fmt.Errorf("%s has no unit", f.Path)
	}
	bad := fmt.Errorf("%s: range %q is not an interval like (0,1]", f.Path, f.interval)
	n := len(f.interval)
	if n < 5 || !strings.ContainsAny(f.interval[:1], "[(") || !strings.ContainsAny(f.interval[n-1:], "])") {
		return bad
	}
	lo, hi, ok := strings.Cut(f.interval[1:n-1], ",")
	var errLo, errHi error
	f.Lo, errLo = strconv.ParseFloat(lo, 64)
	f.Hi, errHi = strconv.ParseFloat(hi, 64)
	if !ok || errLo != nil || errHi != nil || !(f.Lo < f.Hi) || math.IsInf(f.Lo, 0) || math.IsInf(f.Hi, 0) {
		return bad
	}
	f.LoOpen, f.HiOpen, f.HasRange = f.interval[0] == '(', f.interval[n-1] == ')', true
	return nil
}

// Holds reports whether a number is finite and in the field's range.
func (f *Field) Holds(x float64) bool {
	return !math.IsNaN(x) && !math.IsInf(x, 0) && f.inRange(x)
}

// inRange reports whether x is a finite number in the field's range.
func (f *Field) inRange(x float64) bool {
	return !f.HasRange || (x > f.Lo || x == f.Lo && !f.LoOpen) && (x < f.Hi || x == f.Hi && !f.HiOpen)
}

// parseDefault reads a default tag.
func (f *Field) parseDefault() (v any, err error) {
	switch f.Kind {
	case Float:
		v, err = strconv.ParseFloat(f.Default, 64)
	case Int:
		v, err = strconv.Atoi(f.Default)
	case Bool:
		v, err = strconv.ParseBool(f.Default)
	default:
		v = f.Default
	}
	if err != nil {
		return nil, fmt.Errorf("%s: default %q is not a %s", f.Path, f.Default, f.Kind)
	}
	v, fe := f.Convert(v)
	if fe != nil {
		return nil, fmt.Errorf("default: %w", fe)
	}
	return v, nil
}
