package page

import (
	"encoding/json"
	"math"
	"slices"
	"strconv"

	"scoville/core/unit"
)

// digits are how many significant digits of a coordinate a page keeps: more than
// any screen shows.
const digits = 7

// num is a number in JSON, null where it is missing or has no end.
type num float64

// MarshalJSON writes the number.
func (n num) MarshalJSON() ([]byte, error) {
	if x := float64(n); !math.IsNaN(x) && !math.IsInf(x, 0) {
		return strconv.AppendFloat(nil, x, 'g', digits, 64), nil
	}
	return []byte("null"), nil
}

// text is a string in JSON whose control characters are visible.
type text string

// MarshalJSON writes the text.
func (t text) MarshalJSON() ([]byte, error) { return json.Marshal(unit.Visible(string(t))) }

func texts(list []string) []text {
	out := make([]text, len(list))
	for i, s := range list {
		out[i] = text(s)
	}
	return out
}

// object is an object in JSON without what is empty; keys come in their order.
type object map[string]any

func (o object) put(key string, value any, known bool) {
	if known {
		o[key] = value
	}
}

// array cuts what is missing off the end of a list.
func array(list ...any) []any {
	for len(list) > 0 {
		switch last := list[len(list)-1].(type) {
		case text:
			if last != "" {
				return list
			}
		case num:
			if !math.IsNaN(float64(last)) {
				return list
			}
		case int:
			if last != 0 {
				return list
			}
		default:
			return list
		}
		list = list[:len(list)-1]
	}
	return list
}

func bit(b bool) int {
	if b {
		return 1
	}
	return 0
}

// encode is a chart for the script of the page.
func (c *Chart) encode() object {
	o := object{"id": c.ID, "kind": c.Kind, "title": text(c.Title)}
	o.put("x", c.X.encode(), c.Kind != Parallel)
	o.put("y", c.Y.encode(), c.Kind == XY || c.Kind == Heat)
	o.put("colour", c.Colour.encode(), c.Colour.Label != "")
	o.put("interval", text(c.Interval), c.Interval != "")
	o.put("names", text(c.Names), c.Names != "")
	o.put("marks", text(c.Marks), c.Marks != "")
	o.put("kinds", texts(c.Kinds), c.Kinds != nil)
	c.encodePoints(o)
	var rows, cells, axes, lines []any
	for _, r := range c.Rows {
		rows = append(rows, r.encode())
	}
	for _, e := range c.Cells {
		cells = append(cells, array(e.X, e.Y, num(e.Value), text(e.Text), bit(e.Hollow), text(e.Ref)))
	}
	for _, a := range c.Axes {
		axes = append(axes, a.encode())
	}
	for _, l := range c.Lines {
		values := make([]num, len(l.Values))
		for i, v := range l.Values {
			values[i] = num(v)
		}
		lines = append(lines, array(values, num(l.Colour), text(l.Ref)))
	}
	o.put("rows", rows, rows != nil)
	o.put("cells", cells, cells != nil)
	o.put("axes", axes, axes != nil)
	o.put("lines", lines, lines != nil)
	o.put("floor", c.Floor.encode(), c.Floor.Label != "")
	return o
}

// encodePoints adds what a chart of x and y has.
func (c *Chart) encodePoints(o object) {
	var series, bands, levels []any
	for _, s := range c.Series {
		series = append(series, s.encode(c.marks()))
	}
	for _, b := range c.Bands {
		bands = append(bands, b.encode())
	}
	for _, l := range c.Levels {
		levels = append(levels, l.encode())
	}
	o.put("series", series, series != nil)
	o.put("bands", bands, bands != nil)
	o.put("levels", levels, levels != nil)
	o.put("markNames", texts(c.marks()), c.Marks != "")
}

// marks are the names that shapes stand for, in the order of the points.
func (c *Chart) marks() (names []string) {
	if c.Marks == "" {
		return nil
	}
	for _, s := range c.Series {
		for _, p := range s.Points {
			if p.Mark != "" && !slices.Contains(names, p.Mark) {
				names = append(names, p.Mark)
			}
		}
	}
	return names
}

func (a *Axis) encode() object {
	o := object{"label": text(a.Label)}
	o.put("unit", text(a.Unit), a.Unit != "")
	o.put("log", true, a.Log)
	o.put("words", texts(a.Words), a.Words != nil)
	o.put("better", a.Better, a.Better != "")
	o.put("lost", true, a.Lost)
	o.put("min", num(a.Min), a.Max > a.Min)
	o.put("max", num(a.Max), a.Max > a.Min)
	return o
}

func (s *Series) encode(marks []string) object {
	points := make([]any, len(s.Points))
	for i, p := range s.Points {
		points[i] = array(num(p.X), num(p.Y), num(p.Lo), num(p.Hi), bit(p.Hollow), slices.Index(marks, p.Mark)+1, text(p.Ref), text(p.Text))
	}
	o := object{"name": text(s.Name), "points": points}
	o.put("joined", true, s.Joined)
	o.put("step", true, s.Step)
	o.put("dashed", true, s.Dashed)
	o.put("role", s.Role, s.Role != "")
	return o
}

func (b *Band) encode() object {
	o := object{"label": text(b.Label)}
	if b.Axis != "" {
		o["axis"], o["from"], o["to"] = b.Axis, num(b.From), num(b.To)
		return o
	}
	o["lower"], o["upper"] = pairs(b.Lower), pairs(b.Upper)
	return o
}

func (l *Level) encode() object {
	o := object{"label": text(l.Label)}
	if l.Axis != "" {
		o["axis"], o["at"] = l.Axis, num(l.At)
		return o
	}
	if l.Line == nil {
		o["at"] = num(l.At)
		return o
	}
	o["line"] = pairs(l.Line)
	return o
}

func pairs(line [][2]float64) [][2]num {
	out := make([][2]num, len(line))
	for i, p := range line {
		out[i] = [2]num{num(p[0]), num(p[1])}
	}
	return out
}

func (r *Row) encode() object {
	bars := make([]any, len(r.Bars))
	for i, b := range r.Bars {
		bars[i] = array(num(b.Value), num(b.Lo), num(b.Hi), b.Kind, text(b.Text), text(b.Ref))
	}
	o := object{"name": text(r.Name), "bars": bars}
	o.put("ref", text(r.Ref), r.Ref != "")
	return o
}
