package hardware

import (
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"sync"

	"github.com/BurntSushi/toml"

	"scoville/core/internal/spell"
	"scoville/core/schema"
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
			if err = misnamed(table, tables[table]); err == nil {
				err = flatten(values, table, tables[table])
			}
		}
		if err != nil {
			return Entry{}, err
		}
	}
	e := Entry{Sources: map[string]Source{}}
	used := map[string]bool{}
	for _, k := range keys() {
		v, ok := values[k.Path]
		if !ok {
			continue
		}
		delete(values, k.Path)
		x, bad := k.Convert(v)
		if bad != nil {
			return Entry{}, &FileError{Key: k.Path, Msg: bad.Message(), Hint: bad.Hint}
		}
		k.Put(reflect.ValueOf(&e.Hardware).Elem(), x)
		if k.Path == "name" {
			continue
		}
		at := k.Path
		if sources[at] == nil {
			at, _, _ = strings.Cut(k.Path, ".")
		}
		used[at] = true
		source, err := parseSource(sources[at])
		if err != nil {
			return Entry{}, &FileError{
				Key: k.Path, Msg: err.Error(),
				Hint: fmt.Sprintf(`write under [sources]: %s = "published: datasheet", "derived: how" or "assumed: why"`, k.Path),
			}
		}
		e.Sources[k.Path] = source
	}
	if unknown := slices.Sorted(maps.Keys(values)); len(unknown) > 0 {
		var known []string
		for _, k := range keys() {
			known = append(known, k.Path)
		}
		hint := spell.Suggest(unknown[0], known)
		if slices.Contains(known, "peak_tflops."+unknown[0]) {
			hint = "put it under [peak_tflops]"
		}
		if key, ok := strings.CutPrefix(unknown[0], "hardware."); ok && slices.Contains(known, key) {
			hint = "a hardware file has its keys at the top, without [hardware]: " + key + " = ..."
		}
		return Entry{}, &FileError{Key: unknown[0], Msg: "no such key", Hint: hint}
	}
	for _, key := range slices.Sorted(maps.Keys(sources)) {
		if !used[key] {
			return Entry{}, &FileError{Key: "sources." + key, Msg: "is the source of nothing: the file does not set " + key}
		}
	}
	return e, nil
}

// misnamed refuses a table whose name is nearly that of one of the file's.
func misnamed(name string, v any) error {
	if _, table := v.(map[string]any); !table || name == "peak_tflops" {
		return nil
	}
	if near := spell.Closest(name, []string{"sources", "peak_tflops"}); near != "" {
		return &FileError{Key: name, Msg: "no such table", Hint: "did you mean [" + near + "]?"}
	}
	return nil
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

// keys are the keys of a hardware file, from the tags of Hardware. A malformed
// tag is a fault of the program, which the tests of core/scenario find.
var keys = sync.OnceValue(func() []*schema.Node {
	nodes, err := schema.Read(reflect.TypeFor[Hardware](), "")
	if err != nil {
		panic("hardware: " + err.Error())
	}
	return nodes
})
