package expr

import "strings"

// Match evaluates the condition: get returns the value of a name. Null is
// false.
func (e *Expr) Match(get func(name string) Value) bool {
	return e.Empty() || e.root.eval(get).yes
}

// Number evaluates an expression that is a sum, such as 2 * a + 1. ok is false
// when its value is no number.
func (e *Expr) Number(get func(name string) Value) (x float64, ok bool) {
	if e.Empty() {
		return 0, false
	}
	return e.root.eval(get).number()
}

func (n *node) eval(get func(string) Value) Value {
	switch n.op {
	case literal:
		return n.value
	case name:
		return get(n.name)
	case "||":
		return Of(n.args[0].eval(get).yes || n.args[1].eval(get).yes)
	case "&&":
		return Of(n.args[0].eval(get).yes && n.args[1].eval(get).yes)
	case "!":
		return Of(!n.args[0].eval(get).yes)
	case "in":
		x := n.args[0].eval(get)
		for _, a := range n.args[1:] {
			if compare("==", x, a.eval(get)) {
				return Of(true)
			}
		}
		return Of(false)
	case "+", "-", "*", "/", negate:
		return n.arithmetic(get)
	}
	return Of(compare(n.op, n.args[0].eval(get), n.args[1].eval(get)))
}

func (n *node) arithmetic(get func(string) Value) Value {
	x, ok := n.args[0].eval(get).number()
	if !ok {
		return Value{}
	}
	if len(n.args) == 1 {
		if n.op == negate {
			x = -x
		}
		return Of(x)
	}
	y, ok := n.args[1].eval(get).number()
	if !ok {
		return Value{}
	}
	switch n.op {
	case "+":
		x += y
	case "-":
		x -= y
	case "*":
		x *= y
	default:
		x /= y
	}
	return Of(x) // not a number is null
}

func compare(op string, a, b Value) bool {
	switch {
	case a.kind == Null || b.kind == Null:
		return false
	case op == "~":
		return strings.Contains(strings.ToLower(a.String()), strings.ToLower(b.String()))
	case a.kind == Number || b.kind == Number || op[0] == '<' || op[0] == '>':
		return compareNumbers(op, a, b)
	case op == "==":
		return a.String() == b.String()
	}
	return a.String() != b.String()
}

// compareNumbers compares two values as numbers; one that is none differs from
// all and is in no order.
func compareNumbers(op string, a, b Value) bool {
	x, okX := a.number()
	y, okY := b.number()
	if !okX || !okY {
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
