package study

import (
	"errors"
	"fmt"
	"strings"

	"scoville/core/expr"
	"scoville/core/scenario"
)

// Condition is an expression of the study, whose names only the plan knows.
type Condition struct {
	*expr.Expr
	Role string // the key it is the value of: "keep", "at", …
	At   Place
}

// Reference is a column that the study names.
type Reference struct {
	Column string
	Role   string // the key that names it: "x", "metric", …
	At     Place
}

// condition reads an expression.
func condition(doc *scenario.Document, e scenario.Entry) (Condition, error) {
	at := Place{Doc: doc, Key: e.Key()}
	text, err := textOf(doc, e)
	if err != nil {
		return Condition{}, err
	}
	x, err := expr.Parse(text)
	if err == nil && x.Empty() {
		err = doc.Errorf(e.Key(), "write a condition, or remove the line", "is empty")
	}
	if err != nil {
		return Condition{}, at.Expression(err)
	}
	return Condition{x, e.Path[len(e.Path)-1], at}, nil
}

// Expression makes an error of the expression that stands at the place point
// into it; other errors stay as they are.
func (p Place) Expression(err error) error {
	x, ok := errors.AsType[*expr.Error](err)
	if !ok {
		return err
	}
	e := p.Doc.Errorf(p.Key, x.Hint, "%s", x.Msg)
	from := min(max(e.Col-1, 0), len(e.Text))
	if i := strings.Index(e.Text[from:], x.Text); i >= 0 && x.Text != "" {
		e.Col = from + i + x.At + 1
	} else {
		e.Msg += fmt.Sprintf(" at column %d of the expression", x.At+1)
	}
	return e
}

// textOf reads a string that is not empty.
func textOf(doc *scenario.Document, e scenario.Entry) (string, error) {
	if s, ok := e.Value.(string); ok && s != "" {
		return s, nil
	}
	if e.Value == "" {
		return "", doc.Errorf(e.Key(), "give it a text, or remove the line", "is empty")
	}
	return "", doc.Errorf(e.Key(), `write it in quotes: "..."`, "needs a string")
}

// numberOf reads a number.
func numberOf(doc *scenario.Document, e scenario.Entry) (float64, error) {
	switch v := e.Value.(type) {
	case float64:
		return v, nil
	case int64:
		return float64(v), nil
	}
	return 0, doc.Errorf(e.Key(), "", "needs a number")
}
