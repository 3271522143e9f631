package web

import (
	"fmt"
	"math"
	"strings"

	"scoville/core/table"
	"scoville/report/number"
	"scoville/report/page"
	"scoville/report/web/scene"
)

// maxSearches is how many searches the picture of them has.
const maxSearches = 40

// found draws what searches found, with the first value that failed; nil without
// any.
func (m *maker) found() *page.Chart {
	f, err := m.V.Searches()
	if f == nil || err != nil || f.Len() < 2 {
		return nil
	}
	over, _ := f.String(f.Index("over"), 0)
	name := over[strings.LastIndexByte(over, '.')+1:]
	goal, side := "largest", "above"
	c := &page.Chart{Kind: page.Bars, X: page.Axis{Label: name, Unit: m.unit(over)}, Interval: "last pass and first fail", Whole: "searches.parquet"}
	if g, _ := f.String(f.Index("goal"), 0); g == "min" {
		goal, side, c.Interval = "smallest", "below", "first fail and last pass"
	}
	c.Title = fmt.Sprintf("the %s %s of each search", goal, name)
	c.Reading = "The bar ends at the last value that passes, the whisker at the first shown to fail."
	n := min(f.Len(), maxSearches)
	bars := named(f, n)
	if bars.short {
		c.Reading += " Bars are named by " + strings.Join(bars.heads, ", ") + "."
	}
	c.Table = &page.Table{Head: append(append([]string{}, bars.heads...), c.X.Label, "first fail "+side, "outcome")}
	if c.X.Unit != "" {
		c.Table.Head[len(bars.heads)] += " (" + c.X.Unit + ")"
	}
	some := false
	for i := range n {
		get := func(column string) float64 {
			if x, ok := f.Float(f.Index(column), i); ok {
				return x
			}
			return math.NaN()
		}
		b := page.Bar{Value: get("value"), Lo: math.NaN(), Hi: math.NaN(), Text: m.foundText(f, i)}
		fail := get("first_fail")
		if !math.IsNaN(fail + b.Value) {
			b.Lo, b.Hi = min(b.Value, fail), max(b.Value, fail)
		}
		some = some || !math.IsNaN(b.Value)
		c.Rows = append(c.Rows, page.Row{Name: bars.name(i), Bars: []page.Bar{b}})
		c.Table.Rows = append(c.Table.Rows, append(append([]string{}, bars.cells[i]...), told(b.Value), told(fail), ended(f, i)))
	}
	if left := f.Len() - n; left > 0 {
		c.Notes = append(c.Notes, fmt.Sprintf("%s of %s searches are not drawn: see searches.parquet", number.Grouped(left), number.Grouped(f.Len())))
	}
	if !some {
		return nil
	}
	return c
}

// told is a cell of a table, "-" without a value.
func told(x float64) string {
	if math.IsNaN(x) {
		return "-"
	}
	return number.Plain(x)
}

// names tell the bars of searches apart: by the parts that differ between them.
type names struct {
	heads []string
	cells [][]string // of each search its values, by heads
	short bool       // the values alone, since the parts with their names are too long
}

// maxName is from how many characters on the name of a bar would be cut.
const maxName = 36

// named finds what the first n searches differ in.
func named(f *table.Frame, n int) *names {
	out := &names{cells: make([][]string, n)}
	add := func(head string, value func(i int) string) {
		differ := false
		for i := range n {
			differ = differ || value(i) != value(0)
		}
		if !differ {
			return
		}
		out.heads = append(out.heads, head)
		for i := range n {
			out.cells[i] = append(out.cells[i], value(i))
		}
	}
	for k, c := range f.Columns {
		if c.Path != "" {
			add(c.Heading(), func(i int) string { return scene.Word(f.Row(i)[k]) })
		}
	}
	add("change", func(i int) string {
		path, _ := f.String(f.Index("oat_path"), i)
		if path == "" {
			return "baseline"
		}
		level, _ := f.String(f.Index("oat_level"), i)
		return path[strings.LastIndexByte(path, '.')+1:] + " " + number.Level(level)
	})
	for i := range n {
		out.short = out.short || len(out.name(i)) > maxName
	}
	return out
}

// name is that of the bar of search i.
func (n *names) name(i int) string {
	var words []string
	for k, head := range n.heads {
		if n.short || head == "change" {
			words = append(words, n.cells[i][k])
		} else {
			words = append(words, head+" = "+n.cells[i][k])
		}
	}
	return strings.Join(words, ", ")
}

// foundText is what a search found, or how it ended.
func (m *maker) foundText(f *table.Frame, i int) string {
	if x, ok := f.Float(f.Index("value"), i); ok {
		return number.Plain(x)
	}
	return ended(f, i)
}

// ended is how a search ended.
func ended(f *table.Frame, i int) string {
	outcome, _ := f.String(f.Index("outcome"), i)
	return strings.ReplaceAll(outcome, "_", " ")
}
