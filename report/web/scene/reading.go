package scene

import (
	"fmt"
	"math"
	"strings"

	"scoville/report/number"
	"scoville/report/page"
	"scoville/report/view"
)

// spot is a point of a chart on its line, and how many others have its value.
type spot struct {
	page.Point
	line string
	ties int
}

// take makes a point the spot where it lies further, and counts it where equal.
func (s *spot) take(p page.Point, line string, further bool) {
	switch {
	case s.ties > 0 && view.Equal(p.Y, s.Y):
		s.ties++
	case s.ties == 0 || further:
		*s = spot{p, line, 1}
	}
}

// Reading says between which values the points of a chart lie that may be relied
// on: along its line, or of several lines on which each of the two lies.
func Reading(c *page.Chart) string {
	var least, most spot
	lines := 0
	for _, s := range c.Series {
		if s.Role == page.Cross {
			continue
		}
		lines++
		for _, p := range s.Points {
			if p.Hollow || math.IsNaN(p.Y) {
				continue
			}
			least.take(p, s.Name, p.Y < least.Y)
			most.take(p, s.Name, p.Y > most.Y)
		}
	}
	if least.ties == 0 {
		return "No point has a value that may be relied on."
	}
	value := func(p spot) string {
		return strings.TrimSpace(number.Significant(p.Y) + " " + c.Y.Unit)
	}
	if value(least) == value(most) {
		return fmt.Sprintf("%s is %s everywhere.", c.Y.Label, value(least))
	}
	at := func(p spot) string {
		text := c.X.Label + " = " + across(c, p.X)
		if lines > 1 && p.line != "" {
			text += ", " + named(c, p.line)
		}
		if p.ties > 1 {
			text += fmt.Sprintf(" (the first of %s equal points)", number.Grouped(p.ties))
		}
		return text
	}
	if lines > 1 {
		return fmt.Sprintf("Lowest %s %s at %s; highest %s at %s.", c.Y.Label, value(least), at(least), value(most), at(most))
	}
	return fmt.Sprintf("%s from %s at %s to %s at %s.", c.Y.Label, value(least), at(least), value(most), strings.TrimPrefix(at(most), c.X.Label+" = "))
}

// named is a line by the value that its name is.
func named(c *page.Chart, line string) string {
	if c.Names == "" || strings.Contains(c.Names, ", ") {
		return line
	}
	return c.Names + " = " + line
}

// across is a value of the axis across as text.
func across(c *page.Chart, x float64) string {
	if k := int(x); c.X.Words != nil && k >= 0 && k < len(c.X.Words) {
		return c.X.Words[k]
	}
	return Word(x)
}
