package scene

import (
	"fmt"
	"math"
	"strconv"

	"scoville/report/number"
	"scoville/report/page"
)

// Reading says between which values the points of a chart lie that may be relied
// on.
func Reading(c *page.Chart) string {
	var least, most page.Point
	least.Y, most.Y = math.Inf(1), math.Inf(-1)
	n := 0
	for _, s := range c.Series {
		for _, p := range s.Points {
			if p.Hollow || math.IsNaN(p.Y) {
				continue
			}
			n++
			if p.Y < least.Y {
				least = p
			}
			if p.Y > most.Y {
				most = p
			}
		}
	}
	if n == 0 {
		return "No point has a value that may be relied on."
	}
	value := func(p page.Point) string {
		text := number.Significant(p.Y)
		if c.Y.Unit != "" {
			text += " " + c.Y.Unit
		}
		return text
	}
	if value(least) == value(most) {
		return fmt.Sprintf("%s is %s everywhere.", c.Y.Label, value(least))
	}
	return fmt.Sprintf("%s from %s at %s = %s to %s at %s.", c.Y.Label, value(least), c.X.Label, along(c, least.X), value(most), along(c, most.X))
}

// along is a value of the axis across as text.
func along(c *page.Chart, x float64) string {
	if k := int(x); c.X.Words != nil && k >= 0 && k < len(c.X.Words) {
		return c.X.Words[k]
	}
	return number.Plain(roundTo(x))
}

// roundTo keeps four significant digits.
func roundTo(x float64) float64 {
	out, _ := strconv.ParseFloat(strconv.FormatFloat(x, 'g', 4, 64), 64)
	return out
}
