// Package document reads TOML files into flat lists of keys with the place of
// each, and words errors that point at file, line and column. It knows nothing
// of what the keys mean.
package document

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"sort"
	"strings"

	"github.com/BurntSushi/toml"
)

// maxFile bounds TOML files and model configurations, in bytes.
const maxFile = 4 << 20

// Document is a TOML file, or one element of an array of tables in it,
// flattened to its keys in file order.
//
// Quoted and unquoted dotted keys are one path: "hardware.x" = 1, hardware.x = 1
// and [hardware] x = 1 give the same entry. Arrays and inline tables stay
// values, since a list of levels is one thing to an axis; Under opens inline
// tables where the form must not matter.
type Document struct {
	File      string
	Text      string // of the whole file, without byte order mark
	Entries   []Entry
	Line, Col int // header of the element; 0 for a file

	SHA256 string // of the whole file, in hex

	prefix string // key of the element in the file; "" for a file
	src    *source
}

// source is what a file and its elements share.
type source struct {
	marks  map[string]mark
	starts []int // offset of each line
}

// Entry is one key of a document with its place: Line and Col count from 1,
// Col in bytes; Line 0 = not known.
//
// Value is a string, int64, float64 (finite), bool, time.Time, []any (array),
// map[string]any (inline or empty table) or, for an array of tables such as
// [[workload.class]], []*Document: one per element, with paths relative to it.
type Entry struct {
	Path      []string
	Value     any
	Line, Col int
}

// Key is the path joined by dots.
func (e Entry) Key() string { return strings.Join(e.Path, ".") }

// Parse reads a TOML file of at most 4 MiB. Syntax errors, keys given
// twice and numbers that are not finite are an *Error. It never panics.
func Parse(file string, text []byte) (*Document, error) {
	sum := sha256.Sum256(text)
	d := &Document{File: file, SHA256: hex.EncodeToString(sum[:]), src: &source{}}
	if len(text) > maxFile {
		return nil, &Error{File: file, Msg: "too many bytes for a TOML file", Hint: "the limit is 4 MiB"}
	}
	d.Text = strings.TrimLeft(string(text), "\ufeff")
	for i := 0; i >= 0; {
		d.src.starts = append(d.src.starts, i)
		if n := strings.IndexByte(d.Text[i:], '\n'); n >= 0 {
			i += n + 1
		} else {
			i = -1
		}
	}
	l := locate(d.Text)
	if l.bad != "" {
		return nil, d.errorAt(l.badAt, l.bad)
	}
	d.src.marks = l.marks
	tree, err := d.decode()
	if err != nil {
		return nil, err
	}
	if err := d.fill(tree); err != nil {
		return nil, err
	}
	return d, nil
}

// decode runs the TOML parser. Its own printing of positions panics on an
// error without a line, and so may the parser on broken input: neither reaches
// the user.
func (d *Document) decode() (tree map[string]any, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = &Error{File: d.File, Msg: "not valid TOML"}
		}
	}()
	_, err = toml.Decode(d.Text, &tree)
	var pe toml.ParseError
	if err == nil {
		return tree, nil
	} else if !errors.As(err, &pe) {
		return nil, &Error{File: d.File, Msg: strings.TrimPrefix(err.Error(), "toml: ")}
	}
	msg := strings.TrimSuffix(pe.Message, ".")
	if !strings.HasPrefix(msg, "TOML") && msg != "" {
		msg = strings.ToLower(msg[:1]) + msg[1:]
	}
	if at := pe.Position.Start; pe.Position.Line < 1 || at < 0 || at > len(d.Text) {
		return nil, &Error{File: d.File, Msg: msg}
	}
	return nil, d.errorAt(pe.Position.Start, msg)
}

// errorAt makes an error at a byte offset of the file.
func (d *Document) errorAt(off int, msg string) *Error {
	e := &Error{File: d.File, Msg: msg}
	d.point(e, off)
	return e
}

// point fills in place and source line of a byte offset.
func (d *Document) point(e *Error, off int) {
	e.Line, e.Col = d.place(off)
	from, to := d.src.starts[e.Line-1], len(d.Text)
	if e.Line < len(d.src.starts) {
		to = d.src.starts[e.Line] - 1
	}
	e.Text = strings.TrimSuffix(d.Text[from:to], "\r")
}

func (d *Document) place(off int) (line, col int) {
	line = sort.SearchInts(d.src.starts, off+1)
	return line, off - d.src.starts[line-1] + 1
}

// fill makes the entries of a table and puts them in file order. Keys without
// a known place come last, by name.
func (d *Document) fill(tree map[string]any) error {
	if err := d.walk(tree, ""); err != nil {
		return err
	}
	sortEntries(d.Entries)
	for i := range d.Entries[:max(len(d.Entries)-1, 0)] {
		// Equal paths share one place and so stand side by side.
		if key := d.Entries[i].Key(); key == d.Entries[i+1].Key() {
			err := d.Errorf(key, "quoted and unquoted dotted keys are the same path", "already given")
			if m, ok := d.find(key); ok && m.last > 0 {
				err.Msg += fmt.Sprintf(" on line %d", err.Line)
				d.point(err, m.last)
			}
			return err
		}
	}
	return nil
}

// walk adds the entries of a table whose key relative to the document is path.
func (d *Document) walk(table map[string]any, path string) error {
	for _, k := range slices.Sorted(maps.Keys(table)) {
		key, v := join(path, k), table[k]
		m, known := d.src.marks[join(d.prefix, key)]
		if sub, ok := v.(map[string]any); ok && len(sub) > 0 && !m.inline {
			if err := d.walk(sub, key); err != nil {
				return err
			}
			continue
		}
		if !finite(v) {
			return d.Errorf(key, "write a finite number", "nan and inf are not values")
		}
		e := Entry{Path: strings.Split(key, "."), Value: v}
		if known {
			e.Line, e.Col = d.place(m.off)
		}
		if tables, ok := v.([]map[string]any); ok {
			elems, err := d.elements(key, tables)
			if err != nil {
				return err
			}
			e.Value = elems
		}
		d.Entries = append(d.Entries, e)
	}
	return nil
}

// elements makes the documents of an array of tables.
func (d *Document) elements(key string, tables []map[string]any) ([]*Document, error) {
	var out []*Document
	for i, t := range tables {
		e := &Document{File: d.File, Text: d.Text, SHA256: d.SHA256, prefix: element(join(d.prefix, key), i), src: d.src}
		if m, ok := d.src.marks[e.prefix]; ok {
			e.Line, e.Col = d.place(m.off)
		}
		if err := e.fill(t); err != nil {
			return nil, err
		}
		out = append(out, e)
	}
	return out, nil
}

// finite reports whether no float in v is nan or inf. Arrays of tables are
// checked when their elements are filled.
func finite(v any) bool {
	switch v := v.(type) {
	case float64:
		return !math.IsNaN(v) && !math.IsInf(v, 0)
	case []any:
		return !slices.ContainsFunc(v, func(x any) bool { return !finite(x) })
	case map[string]any:
		for _, x := range v {
			if !finite(x) {
				return false
			}
		}
	}
	return true
}

// Under returns the entries at or below a path in file order, with inline
// tables opened, so that x = { a = 1 } and [x] a = 1 read alike. The entry of
// an empty table is left out.
func (d *Document) Under(path string) []Entry {
	var out []Entry
	for _, e := range d.Entries {
		if key := e.Key(); key == path || strings.HasPrefix(key, path+".") {
			out = d.open(out, e)
		}
	}
	return out
}

func (d *Document) open(out []Entry, e Entry) []Entry {
	if _, ok := e.Value.(map[string]any); !ok {
		return append(out, e)
	}
	for _, sub := range d.Inside(e) {
		out = d.open(out, sub)
	}
	return out
}

// Inside returns the keys of the inline table of an entry as the file orders
// them, with full paths.
func (d *Document) Inside(e Entry) []Entry {
	table, _ := e.Value.(map[string]any)
	out := make([]Entry, 0, len(table))
	for _, k := range slices.Sorted(maps.Keys(table)) {
		key := join(e.Key(), k)
		sub := Entry{Path: strings.Split(key, "."), Value: table[k], Line: e.Line, Col: e.Col}
		if m, ok := d.src.marks[join(d.prefix, key)]; ok {
			sub.Line, sub.Col = d.place(m.off)
		}
		out = append(out, sub)
	}
	sortEntries(out)
	return out
}

// sortEntries puts entries in file order, those without a known place last.
func sortEntries(entries []Entry) {
	slices.SortStableFunc(entries, func(a, b Entry) int {
		known := cmp.Compare(min(b.Line, 1), min(a.Line, 1))
		return cmp.Or(known, cmp.Compare(a.Line, b.Line), cmp.Compare(a.Col, b.Col), slices.Compare(a.Path, b.Path))
	})
}

// Has reports whether the document has a key, or the key of an element
// addressed by its name, as in workload.class.short.share.
func (d *Document) Has(path string) bool {
	_, ok := d.find(path)
	return ok
}

// find returns the place of a path, see Has.
func (d *Document) find(path string) (mark, bool) {
	if m, ok := d.src.marks[join(d.prefix, path)]; ok {
		return m, true
	}
	for _, e := range d.Entries {
		elems, _ := e.Value.([]*Document)
		rest, ok := strings.CutPrefix(path, e.Key()+".")
		if !ok {
			continue
		}
		for _, el := range elems {
			if name, _ := el.Value("name").(string); name == rest {
				return el.find("name")
			} else if key, ok := strings.CutPrefix(rest, name+"."); ok {
				return el.find(key)
			}
		}
	}
	return mark{}, false
}

// Value returns the value of a key, or nil.
func (d *Document) Value(key string) any {
	for _, e := range d.Entries {
		if e.Key() == key {
			return e.Value
		}
	}
	return nil
}

// Errorf returns an error about a path that points at its line, or at the
// line of the nearest table around it that the file has. Where is the path in
// the file; callers may change it.
func (d *Document) Errorf(path, hint, format string, args ...any) *Error {
	e := &Error{File: d.File, Where: path, Msg: fmt.Sprintf(format, args...), Hint: hint}
	if d.prefix != "" {
		e.Where = join(withoutIndex(d.prefix), path)
	}
	for p := path; p != ""; p = p[:max(0, strings.LastIndexByte(p, '.'))] {
		if m, ok := d.find(p); ok {
			d.point(e, m.off)
			return e
		}
	}
	if m, ok := d.src.marks[d.prefix]; ok && d.prefix != "" {
		d.point(e, m.off)
	}
	return e
}

// withoutIndex drops the element numbers of a key.
func withoutIndex(key string) string {
	parts := strings.Split(key, "\x00")
	for i := 1; i < len(parts); i++ {
		parts[i] = strings.TrimLeft(parts[i], "0123456789")
	}
	return strings.Join(parts, "")
}
