package reading

import (
	"fmt"
	"slices"
	"strconv"

	"scoville/calibrate/measured/row"
)

// Rows is a table of what was read: a row for each row of the measurements, with
// whether a fit would use it, or why not, what it says of the scenario, and its
// latencies in ms. What a row does not say is empty.
func Rows(rows []*row.Observation) [][]string {
	head := []string{"file", "line", "used", "why_not"}
	cells := make([]map[string]string, len(rows))
	add := func(i int, name, value string) {
		if !slices.Contains(head, name) {
			head = append(head, name)
		}
		cells[i][name] = value
	}
	for i, o := range rows {
		cells[i] = map[string]string{"file": o.File, "line": strconv.Itoa(o.Line), "used": strconv.FormatBool(o.Dropped == ""), "why_not": o.Dropped}
		for _, v := range o.Values {
			add(i, v.Path, fmt.Sprint(v.Value))
		}
	}
	for i, o := range rows { // latencies behind what they depend on
		for _, t := range o.Targets {
			add(i, t.Metric, strconv.FormatFloat(t.Value, 'g', -1, 64))
		}
	}
	out := [][]string{head}
	for _, c := range cells {
		var line []string
		for _, name := range head {
			line = append(line, c[name])
		}
		out = append(out, line)
	}
	return out
}
