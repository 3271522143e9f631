package expr

import (
	"fmt"
	"slices"
	"strings"

	"scoville/core/internal/spell"
)

// Scope is what a caller knows of the names that an expression may use.
type Scope struct {
	// Find returns the kind of a name's values, Null when it is not known
	// beforehand; false if there is no such name.
	Find func(name string) (Kind, bool)

	Names []string                   // the names there are, for "did you mean"
	What  string                     // what a name is, in messages: "column"; "" = "name"
	Hint  func(name string) string   // for an unknown name near none of Names; may be nil
	Enum  func(name string) []string // all values that a name can have; may be nil, and return nil
}

// Check returns an error at the first name that the scope does not have, or
// at an operator that its operands do not suit. Errors are of type *Error.
func (e *Expr) Check(s Scope) error {
	if e.Empty() {
		return nil
	}
	return checker{e.text, s}.condition(e.root)
}

type checker struct {
	text  string
	scope Scope
}

func (c checker) errorf(at int, hint, format string, args ...any) error {
	return &Error{Text: c.text, At: at, Msg: fmt.Sprintf(format, args...), Hint: hint}
}

// condition checks a node that must be a truth value.
func (c checker) condition(n *node) error {
	k, err := c.kind(n)
	if err == nil && k != Bool && k != Null {
		err = c.errorf(n.end, compareHint, "no comparison after %q", source(c.text, n))
	}
	return err
}

// kind checks a node and returns the kind of its values.
func (c checker) kind(n *node) (Kind, error) {
	switch n.op {
	case literal:
		return n.value.kind, nil
	case name:
		return c.named(n)
	case "||", "&&", "!":
		for _, a := range n.args {
			if err := c.condition(a); err != nil {
				return Null, err
			}
		}
		return Bool, nil
	}
	kinds := make([]Kind, len(n.args))
	for i, a := range n.args {
		var err error
		if kinds[i], err = c.kind(a); err != nil {
			return Null, err
		}
	}
	switch n.op {
	case "+", "-", "*", "/", negate:
		return Number, c.numbers(n, kinds)
	case "<", "<=", ">", ">=":
		return Bool, c.numbers(n, kinds)
	case "~":
		if i := slices.Index(kinds, Bool); i >= 0 {
			return Bool, c.errorf(n.at, "", "~ needs texts, %q is a truth value", source(c.text, n.args[i]))
		}
		return Bool, nil
	}
	for i, a := range n.args[1:] {
		if err := c.equal(n, a, kinds[0], kinds[i+1]); err != nil {
			return Bool, err
		}
	}
	return Bool, nil
}

// numbers checks operands that must be numbers.
func (c checker) numbers(n *node, kinds []Kind) error {
	for i, k := range kinds {
		if k == Text || k == Bool {
			op, what := n.op, "text"
			if op == negate {
				op = "-"
			}
			if k == Bool {
				what = "a truth value"
			}
			return c.errorf(n.at, "compare texts with ==, != or ~", "%s needs numbers, %q is %s", op, source(c.text, n.args[i]), what)
		}
	}
	return nil
}

// equal checks two sides of ==, != or in, of the kinds a and b.
func (c checker) equal(n, right *node, a, b Kind) error {
	words := map[Kind]string{Number: "a number", Text: "a text", Bool: "a truth value"}
	if a != b && words[a] != "" && words[b] != "" {
		return c.errorf(n.at, "such values are never equal", "%q is %s, %q is %s", source(c.text, n.args[0]), words[a], source(c.text, right), words[b])
	}
	for _, side := range [][2]*node{{n.args[0], right}, {right, n.args[0]}} {
		key, value := side[0], side[1]
		if key.op != name || value.op != literal || value.value.kind != Text || c.scope.Enum == nil {
			continue
		}
		enum := c.scope.Enum(key.name)
		if enum == nil || slices.Contains(enum, value.value.text) {
			continue
		}
		hint := spell.Suggest(value.value.text, enum)
		if hint == "" {
			hint = "it is one of " + strings.Join(enum, ", ")
		}
		return c.errorf(value.at, hint, "%s is never %q", key.name, value.value.text)
	}
	return nil
}

func (c checker) named(n *node) (Kind, error) {
	k, ok := c.scope.Find(n.name)
	if ok {
		return k, nil
	}
	what, hint := c.scope.What, ""
	if what == "" {
		what = "name"
	}
	if near := spell.Closest(n.name, c.scope.Names); near != "" {
		hint = fmt.Sprintf("did you mean %q?", near)
	} else if c.scope.Hint != nil {
		hint = c.scope.Hint(n.name)
	}
	if hint == "" {
		hint = fmt.Sprintf("a text needs quotes: %q", n.name)
	}
	return Null, c.errorf(n.at, hint, "no %s %q", what, n.name)
}
