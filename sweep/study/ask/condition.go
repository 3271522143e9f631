// Package ask decodes what a study asks of its points beside its design: rules
// that choose them, objectives that compare them, and what the report is to
// show. It checks the form, with errors that point into the study; names in
// conditions are for the plan to check.
package ask

import (
	"errors"
	"fmt"
	"strings"

	"scoville/core/expr"
	"scoville/core/scenario"
	"scoville/sweep/results/spec"
)

// Ask is what a study asks.
type Ask struct {
	Where      []Rule           // what stays out of the plan, in file order
	Objectives []spec.Objective // metrics that the points are compared by
	Report     spec.Report      // what the report is to show and to compare
	Conditions []Condition      // all of Report
	References []Reference      // columns that Report names
}

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
	text, err := Text(doc, e)
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

// Text reads a string that is not empty.
func Text(doc *scenario.Document, e scenario.Entry) (string, error) {
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

// Place is where in the study a value stands, for errors about it.
type Place struct {
	Doc   *scenario.Document
	Key   string // of the entry in Doc
	Table string // table of the design, as errors name it: "axes", "zip.NAME"
}

// Point makes an error about a study key point at the place; other errors
// stay as they are.
func (p Place) Point(err error) error {
	err = scenario.Point(p.Doc, p.Key, err)
	if e, ok := err.(*scenario.Error); ok && strings.HasPrefix(e.Msg, "no parameter") {
		e.Where = p.Table // the message names the path
	}
	return err
}

// Errorf makes an error at the place.
func (p Place) Errorf(where, hint, format string, args ...any) error {
	e := p.Doc.Errorf(p.Key, hint, format, args...)
	e.Where = where
	return e
}
