package expr

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// node is a part of an expression.
type node struct {
	op      string // an operator, or literal, name, negate
	at, end int    // place of the operator, or of the literal or name
	value   Value  // of a literal
	name    string
	args    []*node
}

// Node operators that are not written as such.
const (
	literal = "literal"
	name    = "name"
	negate  = "negate"
)

type parser struct {
	expr *Expr
	text string
	pos  int
}

func (p *parser) errorf(at int, hint, format string, args ...any) error {
	return &Error{Text: p.text, At: at, Msg: fmt.Sprintf(format, args...), Hint: hint}
}

func (p *parser) blanks() {
	for p.pos < len(p.text) && strings.IndexByte(" \t\n\r", p.text[p.pos]) >= 0 {
		p.pos++
	}
}

// take consumes the first of some operators that stands after blanks, and
// returns it with its place.
func (p *parser) take(ops ...string) (op string, at int) {
	p.blanks()
	for _, op := range ops {
		if strings.HasPrefix(p.text[p.pos:], op) {
			at, p.pos = p.pos, p.pos+len(op)
			return op, at
		}
	}
	return "", p.pos
}

// word consumes a word of letters after blanks.
func (p *parser) word(w string) bool {
	p.blanks()
	rest, ok := strings.CutPrefix(p.text[p.pos:], w)
	if ok = ok && (rest == "" || strings.IndexByte(nameBytes, rest[0]) < 0); ok {
		p.pos += len(w)
	}
	return ok
}

// rest is the word at the position, for messages.
func (p *parser) rest() string {
	word, _, _ := strings.Cut(p.text[p.pos:], " ")
	if r := []rune(word); len(r) > 40 {
		word = string(r[:40]) + "..."
	}
	return word
}

// chain reads operands joined by operators of one rank, left to right.
func (p *parser) chain(depth int, operand func(int) (*node, error), ops ...string) (*node, error) {
	left, err := operand(depth)
	for err == nil {
		op, at := p.take(ops...)
		if op == "" {
			return left, nil
		}
		var right *node
		if right, err = operand(depth); err == nil {
			left = &node{op: op, at: at, end: p.pos, args: []*node{left, right}}
		}
	}
	return nil, err
}

func (p *parser) or(depth int) (*node, error)  { return p.chain(depth, p.and, "||") }
func (p *parser) and(depth int) (*node, error) { return p.chain(depth, p.not, "&&") }

func (p *parser) not(depth int) (*node, error) {
	if depth > maxDepth {
		return nil, p.errorf(p.pos, "", "nested too deep")
	}
	op, at := p.take("!")
	if op == "" {
		return p.test(depth)
	}
	inner, err := p.not(depth + 1)
	return &node{op: op, at: at, end: p.pos, args: []*node{inner}}, err
}

// comparisons, longer ones before their beginnings.
var comparisons = []string{"==", "!=", "<=", ">=", "<", ">", "~"}

const compareHint = "compare with ==, !=, <, <=, >, >=, ~ or in [...]"

func (p *parser) test(depth int) (*node, error) {
	left, err := p.sum(depth)
	if err != nil {
		return nil, err
	}
	if p.blanks(); p.word("in") {
		return p.list(left, depth)
	}
	op, at := p.take(comparisons...)
	if op == "" {
		if strings.HasPrefix(p.text[p.pos:], "=") {
			return nil, p.errorf(p.pos, compareHint, "no comparison after %q", p.source(left))
		}
		return left, nil
	}
	right, err := p.sum(depth)
	return &node{op: op, at: at, end: p.pos, args: []*node{left, right}}, err
}

// source is how a node is written, for messages.
func (p *parser) source(n *node) string { return source(p.text, n) }

func source(text string, n *node) string {
	if n.op == name || n.op == literal && n.value.kind == Text {
		return n.name + n.value.text
	}
	if n.op == literal {
		return text[n.at:n.end]
	}
	return n.op
}

// list reads the list after in.
func (p *parser) list(left *node, depth int) (*node, error) {
	n := &node{op: "in", at: p.pos - len("in"), args: []*node{left}}
	open, at := p.take("[")
	if open == "" {
		return nil, p.errorf(at, `write x in [1, 2] or x in ["a", "b"]`, "a list belongs after in")
	}
	for {
		if end, _ := p.take("]"); end != "" {
			n.end = p.pos
			return n, nil
		}
		if p.pos == len(p.text) {
			return nil, p.errorf(at, "", "this list is not closed")
		}
		if len(n.args) > 1 {
			if comma, at := p.take(","); comma == "" {
				return nil, p.errorf(at, "values of a list are separated by commas", "unexpected %q", p.rest())
			}
			if end, _ := p.take("]"); end != "" {
				n.end = p.pos
				return n, nil
			}
		}
		item, err := p.sum(depth)
		if err != nil {
			return nil, err
		}
		n.args = append(n.args, item)
	}
}

func (p *parser) sum(depth int) (*node, error)     { return p.chain(depth, p.product, "+", "-") }
func (p *parser) product(depth int) (*node, error) { return p.chain(depth, p.factor, "*", "/") }

func (p *parser) factor(depth int) (*node, error) {
	minus, first := false, -1
	for {
		sign, at := p.take("-", "+")
		if sign == "" {
			break
		}
		if first < 0 {
			first = at
		}
		minus = minus != (sign == "-")
	}
	n, err := p.atom(depth)
	if err == nil && first >= 0 {
		op := "+"
		if minus {
			op = negate
		}
		n = &node{op: op, at: first, end: p.pos, args: []*node{n}}
	}
	return n, err
}

const (
	letters   = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_"
	nameBytes = letters + "0123456789."
)

// atom reads a name, a quoted text, a number, or a condition in parentheses.
func (p *parser) atom(depth int) (*node, error) {
	p.blanks()
	at := p.pos
	if at == len(p.text) {
		return nil, p.errorf(max(at-1, 0), "", "the expression ends here")
	}
	switch c := p.text[at]; {
	case c == '(':
		p.pos++
		inner, err := p.or(depth + 1)
		if err == nil {
			if end, _ := p.take(")"); end == "" {
				err = p.errorf(at, "", "this parenthesis is not closed")
			}
		}
		return inner, err
	case c == '"' || c == '\'' || c == '`':
		return p.quoted(c)
	case strings.IndexByte(letters, c) >= 0:
		p.span(nameBytes)
		word := p.text[at:p.pos]
		if word == "true" || word == "false" {
			return &node{op: literal, at: at, end: p.pos, value: Of(word == "true")}, nil
		}
		return p.named(word, at), nil
	}
	return p.numeral()
}

// quoted reads a text, or a name in backquotes.
func (p *parser) quoted(quote byte) (*node, error) {
	at := p.pos
	end := strings.IndexByte(p.text[at+1:], quote)
	if end < 0 {
		return nil, p.errorf(at, "", "this quote is not closed")
	}
	p.pos = at + end + 2
	word := p.text[at+1 : at+1+end]
	if quote == '`' {
		return p.named(word, at), nil
	}
	return &node{op: literal, at: at, end: p.pos, value: Of(word)}, nil
}

func (p *parser) named(word string, at int) *node {
	p.expr.names = append(p.expr.names, Name{word, at})
	return &node{op: name, at: at, end: p.pos, name: word}
}

func (p *parser) numeral() (*node, error) {
	at := p.pos
	p.span("0123456789._")
	if e := p.text[p.pos:]; p.pos > at && len(e) > 1 && (e[0] == 'e' || e[0] == 'E') {
		digits := strings.TrimPrefix(strings.TrimPrefix(e[1:], "-"), "+")
		if digits != "" && digits[0] >= '0' && digits[0] <= '9' {
			p.pos += len(e) - len(digits)
			p.span("0123456789_")
		}
	}
	x, err := strconv.ParseFloat(strings.ReplaceAll(p.text[at:p.pos], "_", ""), 64)
	if err != nil {
		_, size := utf8.DecodeRuneInString(p.text[at:])
		return nil, p.errorf(at, "a name, a number or a quoted text belongs here", "unexpected %q", p.text[at:max(p.pos, at+size)])
	}
	return &node{op: literal, at: at, end: p.pos, value: Of(x)}, nil
}

func (p *parser) span(set string) {
	for p.pos < len(p.text) && strings.IndexByte(set, p.text[p.pos]) >= 0 {
		p.pos++
	}
}
