package measured

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"scoville/calibrate/measured/row"
	"scoville/core/expr"
	"scoville/core/metrics"
	"scoville/core/scenario"
)

// Filter is a condition on a row, in the language of core/expr.
//
// A name is a column as the file has it, a scenario key or a metric, or any usual
// name of a column (model, tp, isl), which means what the file calls otherwise;
// the value of a key is that of the catalogue (hardware.name == "h100-sxm"). Every value
// is a text, which next to a number is read as one; an empty cell is the empty
// text, and no number.
type Filter struct {
	origin string
	expr   *expr.Expr
}

// ParseFilter reads an expression. origin names it in errors: "--where". An
// empty text keeps every row.
func ParseFilter(origin, text string) (*Filter, error) {
	e, err := expr.Parse(text)
	if err != nil {
		return nil, pointed(origin, err)
	}
	return &Filter{origin, e}, nil
}

// pointed is an error of an expression as one that names its origin.
func pointed(origin string, err error) error {
	e, ok := errors.AsType[*expr.Error](err)
	if !ok {
		return err
	}
	return &scenario.Error{File: origin, Line: 1, Col: e.At + 1, Text: e.Text, Msg: e.Msg, Hint: e.Hint}
}

// Match reports whether a row is kept.
func (f *Filter) Match(o *Observation) bool {
	return f.expr.Match(func(name string) expr.Value { return expr.Of(o.Text(name)) })
}

// Names reports whether the condition names one of these columns.
func (f *Filter) Names(columns ...string) bool {
	found := false
	_ = f.expr.Check(expr.Scope{Find: func(name string) (expr.Kind, bool) {
		found = found || slices.Contains(columns, name)
		return expr.Cell, true
	}})
	return found
}

// Check returns an error at the first name that neither a scenario key nor a
// metric nor a column of one of the files has.
func (f *Filter) Check(files []*File) error {
	var columns []string
	for _, file := range files {
		columns = append(columns, file.Columns()...)
	}
	return pointed(f.origin, f.expr.Check(expr.Scope{
		Find: func(name string) (expr.Kind, bool) {
			_, isKey := scenario.Lookup(name)
			_, isMetric := metrics.Index(name)
			return expr.Cell, isKey || isMetric || Path(name) != name || row.Alias(name) != name || slices.Contains(columns, name)
		},
		Names: append(slices.Clone(columns), "model", "hardware", "tp", "isl", "osl", "concurrency", "rate"),
		What:  "column or parameter",
		Hint: func(name string) string {
			if near := scenario.Nearest(name); near != "" && strings.Contains(name, ".") {
				return fmt.Sprintf("did you mean %q?", near)
			}
			return ""
		},
	}))
}
