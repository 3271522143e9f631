package document

import (
	"fmt"
	"strconv"
	"strings"
)

// Limits of a TOML file: nesting of keys and values, and bytes of one full
// key. The parser recurses on nesting, so depth is checked before it runs.
const (
	maxDepth = 64
	maxKey   = 1024
)

// mark is where a key or a table header stands.
type mark struct {
	off    int  // byte offset
	last   int  // offset of the last key with this path, when there are more
	inline bool // the value is an inline table
}

// locator finds the place of every key, which the TOML parser keeps to itself.
// It knows only the outer form (headers, keys, strings, brackets) and accepts
// more than TOML: the parser judges. Keys are joined by dots; an element of an
// array carries its index, see element.
type locator struct {
	src   string
	pos   int
	marks map[string]mark
	count map[string]int // elements of each array of tables so far
	bad   string         // which limit is exceeded, found at offset badAt
	badAt int
}

// element is the key of one element of an array.
func element(path string, i int) string { return path + "\x00" + strconv.Itoa(i) }

func join(prefix, key string) string {
	if prefix == "" {
		return key
	}
	return prefix + "." + key
}

// locate scans a whole file.
func locate(src string) *locator {
	l := &locator{src: src, marks: map[string]mark{}, count: map[string]int{}}
	table := ""
	for l.bad == "" {
		l.blank()
		if l.pos >= len(l.src) {
			break
		}
		if l.src[l.pos] == '[' {
			table = l.header()
		} else {
			l.pair(table, 0)
		}
		l.skipLine()
	}
	return l
}

// header reads [table] or [[array of tables]] and returns its key.
func (l *locator) header() string {
	at, array := l.pos, strings.HasPrefix(l.src[l.pos:], "[[")
	l.pos++
	if array {
		l.pos++
	}
	segs := l.key()
	path := ""
	for i, seg := range segs {
		path = join(path, seg)
		if array && i == len(segs)-1 {
			l.add(path, mark{off: at})
			l.count[path]++
		}
		if n := l.count[path]; n > 0 {
			path = element(path, n-1)
		}
	}
	l.add(path, mark{off: at})
	return path
}

// pair reads key = value.
func (l *locator) pair(table string, depth int) {
	at := l.pos
	path := table
	segs := l.key()
	for _, seg := range segs[:len(segs)-1] {
		path = join(path, seg)
		l.add(path, mark{off: at})
	}
	path = join(path, segs[len(segs)-1])
	if !l.eat('=') {
		return
	}
	l.space()
	l.add(path, mark{off: at, inline: l.pos < len(l.src) && l.src[l.pos] == '{'})
	l.value(path, depth)
}

// add keeps the first and the last place of a path.
func (l *locator) add(path string, m mark) {
	if len(path) > maxKey {
		l.fail(m.off, fmt.Sprintf("a key is longer than %d bytes", maxKey))
	}
	if first, ok := l.marks[path]; ok {
		first.last = m.off
		m = first
	}
	l.marks[path] = m
}

func (l *locator) fail(at int, msg string) {
	if l.bad == "" {
		l.bad, l.badAt = msg, at
	}
}

// value skips a value and marks the keys of the inline tables in it.
func (l *locator) value(path string, depth int) {
	if depth > maxDepth {
		l.fail(l.pos, fmt.Sprintf("values nest deeper than %d", maxDepth))
	}
	if l.pos >= len(l.src) || l.bad != "" {
		return
	}
	switch l.src[l.pos] {
	case '"', '\'':
		l.quoted()
	case '[':
		l.pos++
		for i := 0; !l.end(']'); i++ {
			elem := path
			if l.src[l.pos] == '{' || l.src[l.pos] == '[' {
				elem = element(path, i)
			}
			l.value(elem, depth+1)
			if !l.comma(']') {
				return
			}
		}
	case '{':
		l.pos++
		for !l.end('}') {
			l.pair(path, depth+1)
			if !l.comma('}') {
				return
			}
		}
	default:
		for l.pos < len(l.src) && !strings.ContainsRune(",]}#\n", rune(l.src[l.pos])) {
			l.pos++
		}
	}
}

// end skips blanks and reports whether a list is over, eating its bracket.
func (l *locator) end(bracket byte) bool {
	l.blank()
	return l.pos >= len(l.src) || l.bad != "" || l.eat(bracket)
}

// comma eats the comma after an element, or else the closing bracket.
func (l *locator) comma(bracket byte) bool {
	l.blank()
	if l.eat(',') {
		return true
	}
	l.eat(bracket)
	return false
}

// key reads a dotted key; the dots of quoted parts separate like others.
func (l *locator) key() []string {
	var segs []string
	for len(segs) <= maxDepth {
		l.space()
		if l.pos < len(l.src) && (l.src[l.pos] == '"' || l.src[l.pos] == '\'') {
			segs = append(segs, l.quoted())
		} else {
			from := l.pos
			for l.pos < len(l.src) && !strings.ContainsRune(" \t\r\n.=[]{},#\"'", rune(l.src[l.pos])) {
				l.pos++
			}
			segs = append(segs, l.src[from:l.pos])
		}
		l.space()
		if !l.eat('.') {
			return segs
		}
	}
	l.fail(l.pos, fmt.Sprintf("keys nest deeper than %d", maxDepth))
	return segs
}

// quoted skips a string of any of the four kinds and returns its content.
func (l *locator) quoted() string {
	q := l.src[l.pos : l.pos+1]
	multi := strings.HasPrefix(l.src[l.pos:], q+q+q)
	if multi {
		q += q + q
	}
	l.pos += len(q)
	from, escaped := l.pos, false
	for l.pos < len(l.src) && !strings.HasPrefix(l.src[l.pos:], q) {
		switch c := l.src[l.pos]; {
		case c == '\\' && q[0] == '"':
			l.pos++
			escaped = true
		case c == '\n' && !multi:
			return l.src[from:l.pos]
		}
		l.pos++
	}
	l.pos = min(l.pos, len(l.src))
	text := l.src[from:l.pos]
	l.pos = min(l.pos+len(q), len(l.src))
	for i := 0; multi && i < 2; i++ { // up to two quotes may end the content
		l.eat(q[0])
	}
	if escaped {
		if s, err := strconv.Unquote(`"` + text + `"`); err == nil {
			return s
		}
	}
	return text
}

func (l *locator) eat(c byte) bool {
	if l.pos < len(l.src) && l.src[l.pos] == c {
		l.pos++
		return true
	}
	return false
}

// space skips blanks within a line.
func (l *locator) space() {
	for l.pos < len(l.src) && (l.src[l.pos] == ' ' || l.src[l.pos] == '\t') {
		l.pos++
	}
}

// blank skips blanks, line ends and comments.
func (l *locator) blank() {
	for l.pos < len(l.src) {
		switch l.src[l.pos] {
		case ' ', '\t', '\r', '\n':
			l.pos++
		case '#':
			l.skipLine()
		default:
			return
		}
	}
}

// skipLine goes past the end of the line.
func (l *locator) skipLine() {
	if i := strings.IndexByte(l.src[l.pos:], '\n'); i >= 0 {
		l.pos += i + 1
	} else {
		l.pos = len(l.src)
	}
}
