package sweep

import (
	"fmt"
	"io"
	"math"
	"strconv"

	"scoville/core"
	"scoville/core/sheet"
	"scoville/sweep/plan"
	"scoville/sweep/results"
)

// infeasible says why a point cannot run; "" if it can, as far as is known
// before its requests are drawn.
func infeasible(pt *plan.Point) string {
	if pt.Infeasible != "" {
		return pt.Infeasible
	}
	if err := core.Feasible(&pt.Resolved.Scenario); err != nil {
		return err.Error()
	}
	return ""
}

// AxisNames are the columns that the axes of a plan have in the results.
func AxisNames(p *Plan) []string {
	paths := make([]string, len(p.Columns))
	for i, c := range p.Columns {
		paths[i] = c.Path
	}
	return results.AxisNames(paths, metricColumns())
}

// WritePoints writes the points of a plan as CSV, a row each.
func WritePoints(w io.Writer, p *Plan) error {
	out := sheet.NewWriter(w)
	head := append([]string{"point_index", "point_id", "baseline", "oat_path", "oat_level", "oat_change_ratio", "infeasible"}, AxisNames(p)...)
	if err := out.Write(head); err != nil {
		return err
	}
	for i := range p.Len() {
		pt, err := p.Point(i)
		if err != nil {
			return err
		}
		change := ""
		if !math.IsNaN(pt.OATChange) {
			change = strconv.FormatFloat(pt.OATChange, 'g', -1, 64)
		}
		row := []string{strconv.Itoa(i), pt.ID, strconv.FormatBool(pt.Baseline), pt.OATPath, pt.OATLevel, change, infeasible(pt)}
		for _, c := range pt.Cells {
			switch c := c.(type) {
			case nil:
				row = append(row, "")
			case float64:
				row = append(row, strconv.FormatFloat(c, 'g', -1, 64))
			default:
				row = append(row, fmt.Sprint(c))
			}
		}
		if err := out.Write(row); err != nil {
			return err
		}
	}
	out.Flush()
	return out.Error()
}
