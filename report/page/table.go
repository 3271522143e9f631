package page

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"scoville/core/unit"
)

// DefaultRows is how many rows of a table a page shows unless it says otherwise,
// maxNumbers how many of the numbers of a chart.
const DefaultRows, maxNumbers = 200, 60

// cell is a cell of a table with how it stands: "n" to the right, "w" in several
// lines.
type cell struct{ Text, Class string }

// tableView is a table as the page shows it.
type tableView struct {
	Title string
	Head  []cell
	Rows  [][]cell
	Notes []string
}

// long is from how many characters on a cell has several lines.
const long = 40

// view lays out a table.
func (t *Table) view() tableView {
	v := tableView{Title: t.Title}
	right := t.right()
	rows, left := t.shown()
	for i, h := range t.Head {
		v.Head = append(v.Head, cell{unit.Visible(h), class(right[i], "")})
	}
	for _, row := range rows {
		var out []cell
		for i, text := range row {
			out = append(out, cell{unit.Visible(text), class(i < len(right) && right[i], text)})
		}
		v.Rows = append(v.Rows, out)
	}
	for _, n := range append(left, t.Notes...) {
		v.Notes = append(v.Notes, unit.Visible(n))
	}
	return v
}

func class(right bool, text string) string {
	switch {
	case right:
		return "n"
	case utf8.RuneCountInString(text) > long:
		return "w"
	}
	return ""
}

// shown are the rows that the page has, and what it says of the others.
func (t *Table) shown() (rows [][]string, left []string) {
	most := t.Max
	if most == 0 {
		most = DefaultRows
	}
	more := len(t.Rows) - most
	if more <= 1 {
		return t.Rows, nil
	}
	line := fmt.Sprintf("the first %d of %d rows", most, len(t.Rows))
	if t.Whole != "" {
		line += ": all are in " + t.Whole
	}
	return t.Rows[:most], []string{line}
}

// right says of each column whether it holds numbers: every cell that has
// something to say begins with one.
func (t *Table) right() []bool {
	out := make([]bool, len(t.Head))
	for i := range t.Head {
		numbers := 0
		for _, row := range t.Rows {
			if i >= len(row) || row[i] == "" || row[i] == "-" || row[i] == "~" || row[i] == saturated || row[i] == "infeasible" || row[i] == "failed" || row[i] == "timeout" {
				continue
			}
			if !numeric(row[i]) || i == 0 && !plain(row[i]) {
				numbers = -1
				break
			}
			numbers++
		}
		out[i] = numbers > 0
	}
	return out
}

// numeric reports whether a text is a number with few words behind it.
func numeric(s string) bool {
	words := strings.Fields(strings.TrimLeft(s, "+-<~± "))
	if len(words) == 0 || len(words) > 7 {
		return false
	}
	_, err := strconv.ParseFloat(strings.ReplaceAll(strings.TrimRight(words[0], "%:;,"), ",", ""), 64)
	return err == nil
}

// plain reports whether a name is a number, and at most a word in brackets.
func plain(s string) bool {
	name, _, _ := strings.Cut(s, " (")
	_, err := strconv.ParseFloat(name, 64)
	return err == nil
}

func (t *Table) encode() object {
	rows, left := t.shown()
	out := make([][]text, len(rows))
	for i, r := range rows {
		out[i] = texts(r)
	}
	return object{"title": text(t.Title), "head": texts(t.Head), "rows": out, "right": t.right(), "notes": texts(append(left, t.Notes...))}
}

// numbers is the table of what a chart draws; nil where there is nothing.
func (c *Chart) numbers() *Table {
	t := c.Table
	if t == nil {
		switch c.Kind {
		case XY:
			t = c.pointTable()
		case Bars, Stack:
			t = c.barTable()
		case Heat:
			t = c.cellTable()
		case Parallel:
			t = c.lineTable()
		}
	}
	if t == nil || len(t.Rows) == 0 {
		return nil
	}
	copied := *t
	if copied.Max == 0 {
		copied.Max = maxNumbers
	}
	if copied.Whole == "" {
		copied.Whole = c.Whole
	}
	copied.Title = ""
	return &copied
}

// name is an axis with its unit.
func (a *Axis) name() string {
	if a.Unit == "" {
		return a.Label
	}
	return a.Label + " (" + a.Unit + ")"
}

// value is a value of an axis as text.
func (a *Axis) value(x float64) string {
	if k := int(x); a.Words != nil && !math.IsNaN(x) && k >= 0 && k < len(a.Words) {
		return a.Words[k]
	}
	return show(x)
}

// show prints a number as the charts do.
func show(x float64) string {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return "-"
	}
	return fmt.Sprintf("%.6g", x)
}

func interval(lo, hi float64) string {
	if math.IsNaN(lo) || math.IsNaN(hi) {
		return "-"
	}
	return show(lo) + " to " + show(hi)
}

func (c *Chart) interval() string {
	if c.Interval == "" {
		return "95 % interval"
	}
	return c.Interval
}

// pointTable leaves out where lines cross: nothing was simulated there.
func (c *Chart) pointTable() *Table {
	names := c.Names
	if names == "" {
		names = "series"
	}
	t := &Table{Head: []string{names, c.X.name(), c.Y.name(), c.interval(), ""}}
	for _, s := range c.Series {
		if s.Role == Cross {
			continue
		}
		for _, p := range s.Points {
			row := []string{s.Name, c.X.value(p.X), show(p.Y), interval(p.Lo, p.Hi), ""}
			if p.Hollow {
				c.hollow(row)
			}
			t.Rows = append(t.Rows, row)
		}
	}
	t.drop()
	return t
}

// saturated is what a table has of a hollow point.
const saturated = "saturated"

// hollow takes from the row of a hollow point what it has no value of.
func (c *Chart) hollow(row []string) {
	if c.X.Lost {
		row[1] = saturated
	}
	if c.Y.Lost {
		row[2], row[3] = saturated, "-"
		return
	}
	row[4] = saturated
}

// drop removes the columns that say nothing.
func (t *Table) drop() {
	for i := len(t.Head) - 1; i >= 0; i-- {
		says := false
		for _, row := range t.Rows {
			says = says || row[i] != "" && row[i] != "-"
		}
		if says {
			continue
		}
		t.Head = append(t.Head[:i:i], t.Head[i+1:]...)
		for k, row := range t.Rows {
			t.Rows[k] = append(row[:i:i], row[i+1:]...)
		}
	}
}

func (c *Chart) barTable() *Table {
	t := &Table{Head: []string{"", "what", c.X.name(), c.interval(), "said"}}
	for _, r := range c.Rows {
		for _, b := range r.Bars {
			kind := ""
			if b.Kind >= 0 && b.Kind < len(c.Kinds) {
				kind = c.Kinds[b.Kind]
			}
			t.Rows = append(t.Rows, []string{r.Name, kind, show(b.Value), interval(b.Lo, b.Hi), b.Text})
		}
	}
	t.drop()
	return t
}

func (c *Chart) cellTable() *Table {
	t := &Table{Head: append([]string{c.Y.name()}, c.X.Words...)}
	rows := make([][]string, len(c.Y.Words))
	for i, w := range c.Y.Words {
		rows[i] = append([]string{w}, make([]string, len(c.X.Words))...)
	}
	for _, e := range c.Cells {
		text := e.Text
		if text == "" {
			text = show(e.Value)
		}
		if e.Y < len(rows) && e.X < len(c.X.Words) {
			rows[e.Y][e.X+1] = text
		}
	}
	t.Rows = rows
	return t
}

func (c *Chart) lineTable() *Table {
	t := &Table{}
	for i := range c.Axes {
		t.Head = append(t.Head, c.Axes[i].name())
	}
	for _, l := range c.Lines {
		var row []string
		for i, v := range l.Values {
			row = append(row, c.Axes[i].value(v))
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}
