package plain

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// Object is one JSON object of a file.
type Object struct {
	Line   int            // on which it starts, from 1
	Number int            // among the objects of the file, from 1
	Keys   []string       // in the order of the file, trimmed of a trailing colon
	Values map[string]any // numbers as json.Number
}

// A table holds no more columns, nor more cells: each takes some 50 bytes.
const (
	MaxColumns = 5000
	MaxCells   = 10_000_000
)

// Bounds on JSON files: published ones nest seven deep.
const (
	maxDepth   = 64
	maxObjects = 1 << 20
)

// Fault is what is wrong with a text, and where.
type Fault struct {
	Line      int // 0 = the file as a whole
	Msg, Hint string
}

func (f *Fault) Error() string { return f.Msg }

// Objects reads a text of JSON objects: one, several behind each other with or
// without line ends, or arrays of them. Bare NaN and Infinity, which Python
// writes, count as null and "inf". Other values between objects, an object cut
// off, and nesting deeper than 64 are errors with their line.
func Objects(data []byte) ([]Object, *Fault) {
	data, at := plainJSON(data)
	if at >= 0 {
		return nil, faultAt(data, at, "the limit is 64", "nested too deep")
	}
	var out []Object
	keys := map[string]bool{}
	d := json.NewDecoder(bytes.NewReader(data))
	for {
		start := int(d.InputOffset())
		var raw json.RawMessage
		err := d.Decode(&raw)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, syntax(data, err)
		}
		list, starts := elements(raw)
		line := 1 + bytes.Count(data[:start], []byte("\n")) + blankLines(data[start:])
		from := 0
		for i, r := range list {
			line += bytes.Count(raw[from:starts[i]], []byte("\n"))
			from = starts[i]
			o, err := object(r)
			if err != nil {
				return nil, &Fault{Line: line, Msg: fmt.Sprintf("value %d is %v", len(out)+1, err), Hint: "a file of results is one JSON object a run"}
			}
			o.Line, o.Number = line, len(out)+1
			if out = append(out, o); len(out) > maxObjects {
				return nil, &Fault{Msg: "more than a million objects"}
			}
			for _, k := range o.Keys {
				keys[k] = true
			}
			if len(keys) > MaxColumns || len(keys)*len(out) > MaxCells {
				return nil, &Fault{Line: line, Msg: fmt.Sprintf("%d objects with %d different keys are too many for a table", len(out), len(keys)), Hint: "objects of one file have the same keys"}
			}
		}
	}
	if len(out) == 0 {
		return nil, &Fault{Msg: "no JSON object in the file"}
	}
	return out, nil
}

// elements are the values of an array with the places they start at, or the one
// value that is none.
func elements(raw json.RawMessage) (list []json.RawMessage, starts []int) {
	if raw[0] != '[' {
		return []json.RawMessage{raw}, []int{0}
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	_, err := d.Token()
	for err == nil && d.More() {
		var r json.RawMessage
		if err = d.Decode(&r); err == nil {
			list, starts = append(list, r), append(starts, int(d.InputOffset())-len(r))
		}
	}
	return list, starts
}

func blankLines(data []byte) int {
	text := bytes.TrimLeft(data, " \t\r\n,")
	return bytes.Count(data[:len(data)-len(text)], []byte("\n"))
}

// object reads one object, keys in order.
func object(raw json.RawMessage) (Object, error) {
	o := Object{Values: map[string]any{}}
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	t, err := d.Token()
	if err != nil {
		return o, err
	}
	if t != json.Delim('{') {
		return o, fmt.Errorf("no object")
	}
	for d.More() {
		t, err := d.Token()
		if err != nil {
			return o, err
		}
		key, _ := t.(string)
		key = string(bytes.TrimRight([]byte(key), ": "))
		var v any
		if err := d.Decode(&v); err != nil {
			return o, err
		}
		if _, twice := o.Values[key]; !twice {
			o.Keys = append(o.Keys, key)
		}
		o.Values[key] = v
	}
	return o, nil
}

// Float returns a field as a number, from a number or a text.
func (o *Object) Float(key string) (float64, bool) { return AsNumber(o.Values[key]) }

// AsNumber returns a JSON value as a finite number, from a number or a text.
func AsNumber(v any) (float64, bool) {
	switch x := v.(type) {
	case json.Number:
		f, err := x.Float64()
		return f, err == nil
	case string:
		f, err := Number(x)
		return f, err == nil
	}
	return 0, false
}

// Field follows a path of keys through nested objects; nil for none.
func (o *Object) Field(path ...string) any {
	var v any = o.Values
	for _, key := range path {
		m, ok := v.(map[string]any)
		if !ok {
			return nil
		}
		v = m[key]
	}
	return v
}

// CellText returns a value as the text of a cell; "" for null and for what is no
// single value.
func CellText(v any) string {
	switch x := v.(type) {
	case string:
		return x
	case json.Number:
		return x.String()
	case bool:
		return fmt.Sprint(x)
	}
	return ""
}

// plainJSON replaces NaN, Infinity and -Infinity outside of texts by null and
// "inf" and returns the place where values nest deeper than maxDepth, -1 for
// nowhere.
func plainJSON(data []byte) ([]byte, int) {
	var out []byte
	depth, last := 0, 0
	for i := 0; i < len(data); i++ {
		switch c := data[i]; c {
		case '"':
			for i++; i < len(data) && data[i] != '"'; i++ {
				if data[i] == '\\' {
					i++
				}
			}
		case '{', '[':
			if depth++; depth > maxDepth {
				return data, i
			}
		case '}', ']':
			depth--
		case 'N', 'I':
			for _, w := range [][2]string{{"NaN", "null"}, {"Infinity", `"inf"`}} {
				if bytes.HasPrefix(data[i:], []byte(w[0])) {
					end := i
					if i > last && data[i-1] == '-' {
						end--
					}
					out = append(append(out, data[last:end]...), w[1]...)
					i += len(w[0]) - 1
					last = i + 1
				}
			}
		}
	}
	if last == 0 {
		return data, -1
	}
	return append(out, data[last:]...), -1
}

// syntax points a decoder's error at its line.
func syntax(data []byte, err error) *Fault {
	at := len(data)
	if se, ok := errors.AsType[*json.SyntaxError](err); ok {
		at = int(se.Offset)
	}
	hint := ""
	if errors.Is(err, io.ErrUnexpectedEOF) {
		hint = "the file is cut off"
	}
	return faultAt(data, at, hint, "not JSON: "+err.Error())
}

func faultAt(data []byte, at int, hint, msg string) *Fault {
	at = min(max(at, 0), len(data))
	return &Fault{1 + bytes.Count(data[:at], []byte("\n")), msg, hint}
}

// Number reads a decimal number.
func Number(text string) (float64, error) {
	if strings.ContainsAny(text, "xXpP_") {
		return 0, strconv.ErrSyntax
	}
	return strconv.ParseFloat(strings.TrimSpace(text), 64)
}
