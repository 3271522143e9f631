package measured

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"scoville/core/metrics"
	"scoville/core/scenario"
)

// Filter is an expression over the columns of a row:
//
//	expr  = and { "||" and } ;  and = not { "&&" not } ;  not = "!" not | "(" expr ")" | test
//	test  = value op value ;  op = "==" "!=" "<" "<=" ">" ">=" "~"
//	value = name | `name with blanks` | "string" | 'string' | number
//
// A name is a column as the file has it, a scenario key or a metric; the value
// of a key is that of the catalogue (hardware.name == "h100-sxm"). Comparison
// with a number reads the cell as one, and an empty cell is no number; ~ asks
// whether the left text contains the right one, letter case ignored.
type Filter struct {
	root  node
	names []name
	p     parser
}

type name struct {
	text string
	at   int
}

// node decides about a row.
type node func(*Observation) bool

// maxDepth bounds the nesting of expressions.
const maxDepth = 200

// ParseFilter reads an expression. origin names it in errors: "--where". An
// empty text keeps every row.
func ParseFilter(origin, text string) (*Filter, error) {
	f := &Filter{p: parser{origin: origin, text: text}}
	if strings.TrimSpace(text) == "" {
		f.root = func(*Observation) bool { return true }
		return f, nil
	}
	var err error
	if f.root, err = f.p.or(f, 0); err != nil {
		return nil, err
	}
	if f.p.blanks(); f.p.pos < len(text) {
		return nil, f.p.errorf(f.p.pos, "join tests by && or ||", "unexpected %q", f.p.rest())
	}
	return f, nil
}

// Match reports whether a row is kept.
func (f *Filter) Match(o *Observation) bool { return f.root(o) }

// Check returns an error at the first name that neither a scenario key nor a
// metric nor a column of one of the files has.
func (f *Filter) Check(files []*File) error {
	var columns []string
	for _, file := range files {
		columns = append(columns, file.columns()...)
	}
	for _, n := range f.names {
		if _, ok := scenario.Lookup(n.text); ok || shorthand[n.text] != "" || slices.Contains(columns, n.text) {
			continue
		}
		if _, ok := metrics.Index(n.text); ok {
			continue
		}
		hint := fmt.Sprintf("a text needs quotes: %q", n.text)
		if near := scenario.Closest(n.text, columns); near != "" {
			hint = fmt.Sprintf("did you mean %q?", near)
		} else if near := scenario.Nearest(n.text); near != "" && strings.Contains(n.text, ".") {
			hint = fmt.Sprintf("did you mean %q?", near)
		}
		return f.p.errorf(n.at, hint, "no column or parameter %q", n.text)
	}
	return nil
}

// columns returns the header of the file.
func (f *File) columns() []string {
	if len(f.Rows) == 0 {
		return nil
	}
	return f.Rows[0].sheet.header
}

// text returns what a row has under a name: a cell, a key's value or a metric.
func (o *Observation) text(name string) string {
	if i := o.sheet.index(name); i >= 0 {
		return o.sheet.records[o.record].cells[i]
	}
	if m, ok := o.Target(name); ok {
		return strconv.FormatFloat(m, 'g', -1, 64)
	}
	switch v := o.Value(name).(type) {
	case nil:
		return ""
	case float64:
		return strconv.FormatFloat(v, 'g', -1, 64)
	default:
		return fmt.Sprint(v)
	}
}

type parser struct {
	origin, text string
	pos          int
}

func (p *parser) errorf(at int, hint, format string, args ...any) error {
	return &scenario.Error{File: p.origin, Line: 1, Col: at + 1, Text: p.text, Msg: fmt.Sprintf(format, args...), Hint: hint}
}

func (p *parser) blanks() {
	for p.pos < len(p.text) && strings.ContainsRune(" \t\n\r", rune(p.text[p.pos])) {
		p.pos++
	}
}

// take consumes an operator after blanks.
func (p *parser) take(op string) bool {
	p.blanks()
	if strings.HasPrefix(p.text[p.pos:], op) {
		p.pos += len(op)
		return true
	}
	return false
}

// rest is the word at the position, for messages.
func (p *parser) rest() string {
	word, _, _ := strings.Cut(p.text[p.pos:], " ")
	return shorten(word)
}

func (p *parser) or(f *Filter, depth int) (node, error) {
	left, err := p.and(f, depth)
	for err == nil && p.take("||") {
		var right node
		l := left
		if right, err = p.and(f, depth); err == nil {
			left = func(o *Observation) bool { return l(o) || right(o) }
		}
	}
	return left, err
}

func (p *parser) and(f *Filter, depth int) (node, error) {
	left, err := p.not(f, depth)
	for err == nil && p.take("&&") {
		var right node
		l := left
		if right, err = p.not(f, depth); err == nil {
			left = func(o *Observation) bool { return l(o) && right(o) }
		}
	}
	return left, err
}

func (p *parser) not(f *Filter, depth int) (node, error) {
	if depth > maxDepth {
		return nil, p.errorf(p.pos, "", "nested too deep")
	}
	p.blanks()
	at := p.pos
	switch {
	case p.take("!"):
		inner, err := p.not(f, depth+1)
		return func(o *Observation) bool { return !inner(o) }, err
	case p.take("("):
		inner, err := p.or(f, depth+1)
		if err == nil && !p.take(")") {
			err = p.errorf(at, "", "this parenthesis is not closed")
		}
		return inner, err
	}
	return p.test(f)
}

// operand is one side of a test: a name, a string or a number.
type operand struct {
	name     string
	literal  string
	isNumber bool
}

func (v *operand) of(o *Observation) string {
	if v.name != "" {
		return o.text(v.name)
	}
	return v.literal
}

var operators = []string{"==", "!=", "<=", ">=", "<", ">", "~"}

func (p *parser) test(f *Filter) (node, error) {
	left, err := p.value(f)
	if err != nil {
		return nil, err
	}
	p.blanks()
	at, op := p.pos, ""
	for _, candidate := range operators {
		if p.take(candidate) {
			op = candidate
			break
		}
	}
	if op == "" {
		return nil, p.errorf(at, "compare with ==, !=, <, <=, >, >= or ~", "no comparison after %q", left.name+left.literal)
	}
	right, err := p.value(f)
	if err != nil {
		return nil, err
	}
	for _, v := range []operand{left, right} {
		if strings.ContainsAny(op, "<>") && v.name == "" && !v.isNumber {
			return nil, p.errorf(at, "compare texts with ==, != or ~", "%s needs numbers, %q is text", op, v.literal)
		}
	}
	numeric := left.isNumber || right.isNumber || strings.ContainsAny(op, "<>")
	return func(o *Observation) bool {
		a, b := left.of(o), right.of(o)
		if op != "~" && numeric {
			return compareNumbers(a, b, op)
		}
		switch op {
		case "==":
			return a == b
		case "!=":
			return a != b
		}
		return strings.Contains(strings.ToLower(a), strings.ToLower(b))
	}, nil
}

// compareNumbers compares cells as numbers; one that is none differs from all
// and is in no order.
func compareNumbers(a, b, op string) bool {
	x, errX := strconv.ParseFloat(a, 64)
	y, errY := strconv.ParseFloat(b, 64)
	if errX != nil || errY != nil {
		return op == "!="
	}
	switch op {
	case "==":
		return x == y
	case "!=":
		return x != y
	case "<":
		return x < y
	case "<=":
		return x <= y
	case ">":
		return x > y
	}
	return x >= y
}

const nameBytes = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_"

// value reads a name, a quoted string or a number.
func (p *parser) value(f *Filter) (operand, error) {
	p.blanks()
	at := p.pos
	if at == len(p.text) {
		return operand{}, p.errorf(max(at-1, 0), "", "the expression ends here")
	}
	switch c := p.text[at]; {
	case c == '"' || c == '\'' || c == '`':
		end := strings.IndexByte(p.text[at+1:], c)
		if end < 0 {
			return operand{}, p.errorf(at, "", "this quote is not closed")
		}
		p.pos = at + end + 2
		word := p.text[at+1 : at+1+end]
		if c != '`' {
			return operand{literal: word}, nil
		}
		f.names = append(f.names, name{word, at})
		return operand{name: word}, nil
	case strings.IndexByte(nameBytes, c) >= 0:
		p.span(nameBytes + "0123456789.")
		word := p.text[at:p.pos]
		f.names = append(f.names, name{word, at})
		return operand{name: word}, nil
	}
	p.span("0123456789.+-eE_")
	word := p.text[at:p.pos]
	x, err := strconv.ParseFloat(strings.ReplaceAll(word, "_", ""), 64)
	if err != nil {
		return operand{}, p.errorf(at, "a name, a number or a quoted text belongs here", "unexpected %q", p.text[at:min(len(p.text), max(p.pos, at+1))])
	}
	return operand{literal: strconv.FormatFloat(x, 'g', -1, 64), isNumber: true}, nil
}

func (p *parser) span(set string) {
	for p.pos < len(p.text) && strings.IndexByte(set, p.text[p.pos]) >= 0 {
		p.pos++
	}
}
