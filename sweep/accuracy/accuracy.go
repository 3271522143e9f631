// Package accuracy knows a user's table of accuracy losses by data types and
// context, and looks a loss up. It neither makes up nor extrapolates one.
package accuracy

import (
	"cmp"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"scoville/core/scenario"
	"scoville/core/schema"
)

// Table holds losses: shares of a score that a quantised model loses against
// its reference, ratio.
type Table struct {
	File string
	rows map[formats][]row // by ascending context
}

type formats struct{ weight, kv string }

type row struct {
	formats
	context float64 // largest context that the loss was measured up to, tokens
	loss    float64
	line    int
}

// columns of the file, in any order. A column named source is for people.
var columns = []string{"weight_dtype", "kv_dtype", "context_max", "loss_ratio"}

// Parse reads a CSV file with the columns weight_dtype, kv_dtype, context_max
// (tokens) and loss_ratio. Errors are a *scenario.Error at the cell.
func Parse(file string, text []byte) (*Table, error) {
	p := parser{file: file, lines: strings.Split(strings.TrimPrefix(string(text), "\ufeff"), "\n")}
	p.csv = csv.NewReader(strings.NewReader(strings.TrimPrefix(string(text), "\ufeff")))
	p.csv.TrimLeadingSpace = true
	t := &Table{File: file, rows: map[formats][]row{}}
	head, err := p.csv.Read()
	if err == nil {
		err = p.header(head)
	} else if err == io.EOF {
		err = p.errorf(1, 1, "the columns are "+strings.Join(columns, ", "), "the file is empty")
	}
	for err == nil {
		var cells []string
		if cells, err = p.csv.Read(); err == io.EOF {
			break
		}
		var r row
		if err == nil {
			r, err = p.row(cells)
		}
		t.rows[r.formats] = append(t.rows[r.formats], r)
	}
	if pe, ok := errors.AsType[*csv.ParseError](err); ok {
		err = p.errorf(pe.Line, pe.Column, "", "%v", pe.Err)
	}
	if err != nil && err != io.EOF {
		return nil, err
	}
	if len(t.rows) == 0 {
		return nil, p.errorf(1, 1, "add a row for each pair of data types", "the table has no rows")
	}
	if err := t.sort(&p); err != nil {
		return nil, err
	}
	return t, nil
}

// Loss returns the loss at data types and a context in tokens: that of the row
// with the smallest context_max that is not below the context; false if there
// is none.
func (t *Table) Loss(weight, kv string, context float64) (float64, bool) {
	rows := t.rows[formats{weight, kv}]
	i, _ := slices.BinarySearchFunc(rows, context, func(r row, context float64) int { return cmp.Compare(r.context, context) })
	if i == len(rows) {
		return 0, false
	}
	return rows[i].loss, true
}

// sort puts the rows in order, and refuses the first that says the same as an
// earlier one.
func (t *Table) sort(p *parser) error {
	var twice, as row
	for _, rows := range t.rows {
		slices.SortStableFunc(rows, func(a, b row) int { return cmp.Compare(a.context, b.context) })
		for i := range rows[:len(rows)-1] {
			if a, b := rows[i], rows[i+1]; a.context == b.context && (twice.line == 0 || b.line < twice.line) {
				twice, as = b, a
			}
		}
	}
	if twice.line > 0 {
		return p.errorf(twice.line, 1, "remove one", "line %d has the same data types and context_max", as.line)
	}
	return nil
}

type parser struct {
	file  string
	lines []string
	csv   *csv.Reader
	names []string // by column
}

func (p *parser) errorf(line, col int, hint, format string, args ...any) error {
	e := &scenario.Error{File: p.file, Line: line, Col: col, Msg: fmt.Sprintf(format, args...), Hint: hint}
	if line >= 1 && line <= len(p.lines) {
		e.Text = strings.TrimSuffix(p.lines[line-1], "\r")
	}
	return e
}

func (p *parser) cell(i int, hint, format string, args ...any) error {
	line, col := p.csv.FieldPos(i)
	return p.errorf(line, col, hint, format, args...)
}

func (p *parser) header(head []string) error {
	for i, name := range head {
		name = strings.TrimSpace(name)
		lower := strings.ToLower(name)
		switch {
		case strings.Contains(lower, "percent"), strings.Contains(lower, "pct"), strings.Contains(lower, "%"):
			return p.cell(i, "if its values are percent, divide them by 100 and call the column loss_ratio", "is %q a percentage? the table holds ratios: 0.01 is a loss of 1 %%", name)
		case name != "source" && !slices.Contains(columns, name):
			return p.cell(i, schema.DidYouMean(schema.Closest(name, columns)), "no column %q: the columns are %s", name, strings.Join(columns, ", "))
		case slices.Contains(p.names, name):
			return p.cell(i, "remove one", "a second column %q", name)
		}
		p.names = append(p.names, name)
	}
	for _, name := range columns {
		if !slices.Contains(p.names, name) {
			return p.errorf(1, 1, "the columns are "+strings.Join(columns, ", "), "no column %q", name)
		}
	}
	return nil
}

func (p *parser) row(cells []string) (row, error) {
	var r row
	r.line, _ = p.csv.FieldPos(0)
	for i, text := range cells {
		text = strings.TrimSpace(text)
		switch p.names[i] {
		case "weight_dtype", "kv_dtype":
			f, _ := scenario.Lookup("model." + p.names[i])
			if _, err := scenario.Convert(f.Path, text); err != nil || text == "" {
				return r, p.cell(i, "write one of "+strings.Join(f.Enum, ", "), "no data type %q", text)
			}
			if p.names[i] == "kv_dtype" {
				r.kv = text
			} else {
				r.weight = text
			}
		case "context_max":
			x, err := number(text)
			if err != nil || x < 1 || x > 1e9 || x != math.Trunc(x) {
				return r, p.cell(i, "the largest context that the loss was measured at", "context_max %q is not a whole number of tokens", text)
			}
			r.context = x
		case "loss_ratio":
			x, err := number(text)
			switch {
			case err != nil || math.IsNaN(x) || math.IsInf(x, 0):
				return r, p.cell(i, "0.01 is a loss of 1 %", "loss_ratio %q is not a number", text)
			case x > 1:
				return r, p.cell(i, fmt.Sprintf("if it is, write %s", strconv.FormatFloat(x/100, 'g', 6, 64)), "is %s a percentage? loss_ratio is a ratio: 1 is all of the accuracy", text)
			case x < -1:
				return r, p.cell(i, "0.01 is a loss of 1 %, -0.01 a gain", "loss_ratio %s is below -1", text)
			}
			r.loss = x
		}
	}
	return r, nil
}

func number(text string) (float64, error) {
	return strconv.ParseFloat(strings.ReplaceAll(text, "_", ""), 64)
}
