// Package expr is the one expression language of the project: the conditions
// of [[where]] and [report] in a study, of --where and [data.filter] in a
// calibration. It reads a condition, checks its names and types against what
// the caller knows, and evaluates it on what the caller looks up. It knows
// nothing of studies, columns or files.
//
//	cond    = and { "||" and } ;  and = not { "&&" not } ;  not = "!" not | test
//	test    = sum [ op sum | "in" "[" [ sum { "," sum } ] "]" ]
//	op      = "==" | "!=" | "<" | "<=" | ">" | ">=" | "~"
//	sum     = product { ("+" | "-") product } ;  product = factor { ("*" | "/") factor }
//	factor  = { "-" | "+" } ( number | "text" | 'text' | true | false | name | `name with blanks` | "(" cond ")" )
//	name    = letter or _, then letters, digits, _ and dots
//	number  = 1_000 | 0.5 | 1e-3
//
// "!" binds looser than a comparison: !a == 1 is !(a == 1). Comparisons do not
// chain: write a < b && b < c.
//
// A value is a number, a text, a truth value, or null where there is none.
// Every comparison with null is false, != included, and a condition that is
// null is false; arithmetic with null, on text, and division by zero give
// null. A text next to a number, and every text in < <= > >= and arithmetic,
// is read as a number; one that is none differs from every number and is in no
// order. Texts are equal letter by letter; ~ asks whether the left text
// contains the right one, letter case ignored. x in [a, b] is x == a || x == b.
package expr

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"scoville/core/internal/caret"
)

// Bounds of an expression: bytes, and nesting of parentheses and "!".
const (
	MaxLength = 16 << 10
	maxDepth  = 200
)

// Kind is the type of a value.
type Kind uint8

// The kinds. Null is the kind of no value, and of a name whose kind is not
// known before it is looked up. Cell is a kind of names only: text that may
// hold a number, as a cell of a CSV file.
const (
	Null Kind = iota
	Number
	Text
	Bool
	Cell
)

// Value is a number, a text, a truth value or null, which is the zero Value.
type Value struct {
	kind Kind
	num  float64
	text string
	yes  bool
}

// Of makes a value: of a number, a string or a bool; NaN, infinities and every
// other type are null.
func Of(v any) Value {
	switch v := v.(type) {
	case float64:
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return Value{}
		}
		return Value{kind: Number, num: v}
	case int:
		return Value{kind: Number, num: float64(v)}
	case int64:
		return Value{kind: Number, num: float64(v)}
	case string:
		return Value{kind: Text, text: v}
	case bool:
		return Value{kind: Bool, yes: v}
	}
	return Value{}
}

// IsNull reports whether there is no value.
func (v Value) IsNull() bool { return v.kind == Null }

// String prints the value: 4, fp8, true; "" for null.
func (v Value) String() string {
	switch v.kind {
	case Number:
		return strconv.FormatFloat(v.num, 'g', -1, 64)
	case Bool:
		return strconv.FormatBool(v.yes)
	}
	return v.text
}

// number reads the value as a number.
func (v Value) number() (float64, bool) {
	switch v.kind {
	case Number:
		return v.num, true
	case Text:
		x, err := strconv.ParseFloat(v.text, 64)
		return x, err == nil
	}
	return 0, false
}

// Error says what is wrong with an expression, and where.
type Error struct {
	Text string // the expression
	At   int    // offset in it, bytes
	Msg  string
	Hint string // how to put it right; may be empty
}

// Error prints the message, the expression and a caret under the place.
func (e *Error) Error() string {
	text, pad := caret.Excerpt(e.Text, e.At)
	s := fmt.Sprintf("column %d: %s\n  %s\n  %s^", e.At+1, e.Msg, text, strings.Repeat(" ", pad))
	if e.Hint != "" {
		s += " " + e.Hint
	}
	return s
}

// Expr is a condition. The zero Expr, and that of an empty text, is true.
type Expr struct {
	text  string
	root  *node // nil = true
	names []Name
}

// Name is a name as an expression uses it.
type Name struct {
	Text string
	At   int // offset in the expression, bytes
}

// Parse reads a condition. Errors are of type *Error.
func Parse(text string) (*Expr, error) {
	e := &Expr{text: text}
	if len(text) > MaxLength {
		return nil, &Error{Text: text, Msg: fmt.Sprintf("the expression is longer than %d bytes", MaxLength)}
	}
	if strings.TrimSpace(text) == "" {
		return e, nil
	}
	p := parser{expr: e, text: text}
	root, err := p.or(0)
	if err != nil {
		return nil, err
	}
	if p.blanks(); p.pos < len(text) {
		return nil, p.errorf(p.pos, "join tests by && or ||", "unexpected %q", p.rest())
	}
	c := checker{text: text, scope: Scope{Find: func(string) (Kind, bool) { return Null, true }}}
	if err := c.condition(root); err != nil {
		return nil, err
	}
	e.root = root
	return e, nil
}

// ParseSum reads a number made of names and numbers, such as 2 * a + 1, for
// Number. Errors are of type *Error.
func ParseSum(text string) (*Expr, error) {
	e := &Expr{text: text}
	if len(text) > MaxLength {
		return nil, &Error{Text: text, Msg: fmt.Sprintf("the expression is longer than %d bytes", MaxLength)}
	}
	p := parser{expr: e, text: text}
	root, err := p.sum(0)
	if err != nil {
		return nil, err
	}
	if p.blanks(); p.pos < len(text) {
		return nil, p.errorf(p.pos, "join numbers and names by + - * /", "unexpected %q", p.rest())
	}
	e.root = root
	return e, nil
}

// String is the expression as it was written.
func (e *Expr) String() string { return e.text }

// Empty reports whether the expression is empty, and so always true.
func (e *Expr) Empty() bool { return e == nil || e.root == nil }

// Names are the names that the expression uses, in its order.
func (e *Expr) Names() []Name { return e.names }
