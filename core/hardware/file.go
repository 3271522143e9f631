package hardware

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/BurntSushi/toml"

	"scoville/core/internal/spell"
)

// FileError is a hardware file that does not load, or a name that the
// catalogue does not have (then File is "" and Key is "name"). Key is the key
// at fault as in the file, "" for the text as a whole; whoever has the text
// finds the line.
type FileError struct {
	File, Key string
	Msg       string
	Hint      string // how to mend it; may be ""
}

func (e *FileError) Error() string {
	s := e.Msg
	for _, prefix := range []string{e.Key, e.File} {
		if prefix != "" {
			s = prefix + ": " + s
		}
	}
	if e.Hint != "" {
		s += "; " + e.Hint
	}
	return s
}

// maxFile bounds the size of a hardware file in bytes; a real one has 3,000.
const maxFile = 64 << 10

// Read reads a hardware file: TOML with the keys of Hardware, a table
// [peak_tflops], and a table [sources] that says for every key set above it
// where the value comes from, as "grade: where".
//
//	memory_gib = 80
//	[peak_tflops]
//	bf16 = 989.4
//	[sources]
//	memory_gib  = "published: NVIDIA H100 datasheet"
//	peak_tflops = "published: NVIDIA H100 architecture white paper"   # all peaks without a source of their own
//
// The grades are published, derived, assumed and calibrated. A key without a
// source, a source without a key, an unknown key, a wrong type and a value out
// of range are a *FileError. Only keys of the file are set in the result:
// defaults are not filled in. Source text is for people and is not read; name
// needs no source, and aliases (other names of a catalogue entry) are ignored.
func Read(file string, data []byte) (Entry, error) {
	e, _, err := parse(file, data)
	return e, err
}

// Keys lists the keys that the file set, in the order of Hardware's fields,
// without name.
func (e Entry) Keys() []string {
	var keys []string
	for _, f := range fields(&e.Hardware) {
		if _, ok := e.Sources[f.key]; ok {
			keys = append(keys, f.key)
		}
	}
	return keys
}

// parse is Read that also returns the aliases.
func parse(file string, data []byte) (e Entry, aliases []string, err error) {
	tables, err := decode(data)
	if err == nil {
		aliases, err = stringsOf(tables["aliases"])
	}
	if err == nil {
		e, err = entry(tables)
	}
	if fe, ok := errors.AsType[*FileError](err); ok {
		fe.File = file
	}
	if err != nil {
		return Entry{}, nil, err
	}
	return e, aliases, nil
}

func decode(data []byte) (map[string]any, error) {
	if len(data) > maxFile {
		return nil, &FileError{Msg: fmt.Sprintf("%d bytes are more than a hardware file can have (%d)", len(data), maxFile)}
	}
	var tables map[string]any
	if _, err := toml.Decode(string(data), &tables); err != nil {
		if p, ok := errors.AsType[toml.ParseError](err); ok {
			return nil, &FileError{Key: p.LastKey, Msg: fmt.Sprintf("line %d: %s", p.Position.Line, p.Message)}
		}
		return nil, &FileError{Msg: err.Error()}
	}
	return tables, nil
}

// entry sets every key of the file and finds its source.
func entry(tables map[string]any) (Entry, error) {
	values, sources := map[string]any{}, map[string]any{}
	for _, table := range slices.Sorted(maps.Keys(tables)) {
		var err error
		switch table {
		case "aliases":
		case "sources":
			err = flatten(sources, "", tables[table])
		default:
			err = flatten(values, table, tables[table])
		}
		if err != nil {
			return Entry{}, err
		}
	}
	e := Entry{Sources: map[string]Source{}}
	used := map[string]bool{}
	for _, f := range fields(&e.Hardware) {
		v, ok := values[f.key]
		if !ok {
			continue
		}
		delete(values, f.key)
		if err := f.set(v); err != nil {
			return Entry{}, &FileError{Key: f.key, Msg: err.Error()}
		}
		if f.key == "name" {
			continue
		}
		at := f.key
		if sources[at] == nil {
			at, _, _ = strings.Cut(f.key, ".")
		}
		used[at] = true
		source, err := parseSource(sources[at])
		if err != nil {
			return Entry{}, &FileError{
				Key: f.key, Msg: err.Error(),
				Hint: fmt.Sprintf(`write under [sources]: %s = "published: datasheet", "derived: how" or "assumed: why"`, f.key),
			}
		}
		e.Sources[f.key] = source
	}
	if unknown := slices.Sorted(maps.Keys(values)); len(unknown) > 0 {
		var known []string
		for _, f := range fields(&e.Hardware) {
			known = append(known, f.key)
		}
		return Entry{}, &FileError{Key: unknown[0], Msg: "no such key", Hint: spell.Suggest(unknown[0], known)}
	}
	for _, key := range slices.Sorted(maps.Keys(sources)) {
		if !used[key] {
			return Entry{}, &FileError{Key: "sources." + key, Msg: "is the source of nothing: the file does not set " + key}
		}
	}
	return e, nil
}

// parseSource takes "grade: where".
func parseSource(v any) (Source, error) {
	if v == nil {
		return Source{}, errors.New("has no source")
	}
	text, _ := v.(string)
	grade, where, _ := strings.Cut(text, ":")
	s := Source{Grade: Grade(grade), Where: strings.TrimSpace(where)}
	if s.Where == "" || !slices.Contains([]Grade{Published, Calibrated, Derived, Assumed}, s.Grade) {
		return Source{}, fmt.Errorf("has the source %.60q, which is not of the form \"grade: where\"", fmt.Sprint(v))
	}
	return s, nil
}

// flatten adds v to flat under key, a table as its values under dotted keys.
func flatten(flat map[string]any, key string, v any) error {
	table, ok := v.(map[string]any)
	if !ok {
		if _, twice := flat[key]; twice {
			return &FileError{Key: key, Msg: "is set twice"}
		}
		flat[key] = v
		return nil
	}
	for _, k := range slices.Sorted(maps.Keys(table)) {
		if err := flatten(flat, strings.TrimPrefix(key+"."+k, "."), table[k]); err != nil {
			return err
		}
	}
	return nil
}

// stringsOf takes an optional array of strings.
func stringsOf(v any) ([]string, error) {
	if v == nil {
		return nil, nil
	}
	list, ok := v.([]any)
	names := make([]string, len(list))
	for i := range list {
		var isString bool
		names[i], isString = list[i].(string)
		ok = ok && isString
	}
	if !ok {
		return nil, &FileError{Key: "aliases", Msg: "must be an array of names"}
	}
	return names, nil
}

// field is one settable value of a Hardware with its tags.
type field struct {
	key   string // "peak_tflops.fp8"
	value reflect.Value
	tag   reflect.StructTag
}

// fields lists the values of h in order, those of Peaks under their table.
func fields(h *Hardware) []field {
	var list []field
	var walk func(prefix string, v reflect.Value)
	walk = func(prefix string, v reflect.Value) {
		for i := range v.NumField() {
			f := field{prefix + v.Type().Field(i).Tag.Get("toml"), v.Field(i), v.Type().Field(i).Tag}
			if f.value.Kind() == reflect.Struct {
				walk(f.key+".", f.value)
			} else {
				list = append(list, f)
			}
		}
	}
	walk("", reflect.ValueOf(h).Elem())
	return list
}

// set checks type, range and enum, and stores the value.
func (f field) set(v any) error {
	if f.value.Kind() == reflect.String {
		s, ok := v.(string)
		if !ok {
			return fmt.Errorf("%.60v is not a string", fmt.Sprintf("%#v", v))
		}
		if enum := f.tag.Get("enum"); enum != "" && !slices.Contains(strings.Split(enum, "|"), s) {
			return fmt.Errorf("%.60q is none of %s", s, strings.ReplaceAll(enum, "|", ", "))
		}
		f.value.SetString(s)
		return nil
	}
	x, ok := v.(float64)
	if n, isInt := v.(int64); isInt {
		x, ok = float64(n), true
	}
	if !ok {
		return fmt.Errorf("%.60v is not a number", fmt.Sprintf("%#v", v))
	}
	if math.IsInf(x, 0) || math.IsNaN(x) || !within(f.tag.Get("range"), x) {
		return fmt.Errorf("%v is outside %s %s", x, f.tag.Get("range"), f.tag.Get("unit"))
	}
	f.value.SetFloat(x)
	return nil
}

// within reports whether x lies in a mathematical interval such as "(0,1]".
func within(interval string, x float64) bool {
	if interval == "" {
		return true
	}
	lo, hi, _ := strings.Cut(strings.Trim(interval, "[]()"), ",")
	low, errLow := strconv.ParseFloat(lo, 64)
	high, errHigh := strconv.ParseFloat(hi, 64)
	if errLow != nil || errHigh != nil {
		panic("hardware: bad range tag " + interval)
	}
	return (x > low || x == low && interval[0] == '[') && (x < high || x == high && strings.HasSuffix(interval, "]"))
}
