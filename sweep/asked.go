package sweep

import (
	"fmt"
	"slices"
	"strings"

	"scoville/core/expr"
	"scoville/core/scenario"
	"scoville/core/table"
	"scoville/sweep/results"
	"scoville/sweep/results/scope"
	"scoville/sweep/study"
)

// columnsOf are the columns that the points of a plan will have.
func columnsOf(p *Plan) *scope.Columns {
	var axes []table.Column
	for i, name := range AxisNames(p) {
		c := p.Columns[i]
		axes = append(axes, table.Column{Name: name, Kind: c.Kind, Path: c.Path, Unit: c.Unit})
	}
	return results.Columns(axes, metricColumns())
}

// checkAsked checks what a study asks of its report against the points there
// will be, before any of them runs. Errors point into the study.
func checkAsked(p *Plan) error {
	st := p.Study
	if len(st.Conditions) == 0 && len(st.References) == 0 {
		return nil
	}
	columns := columnsOf(p)
	for _, r := range st.References {
		if err := checkReference(columns, r); err != nil {
			return err
		}
	}
	for _, c := range st.Conditions {
		s := columns.Place()
		switch c.Role {
		case "keep":
			s = columns.Gains()
		case "where":
			s = columns.Points()
		}
		if err := c.Check(s); err != nil {
			return c.At.Expression(err)
		}
	}
	return checkSelects(p, columns)
}

func checkReference(columns *scope.Columns, r study.Reference) error {
	_, ok := columns.Axis(r.Column)
	switch r.Role {
	case "metric":
		ok = isMetric(columns, r.Column)
	case "x", "y", "mark":
		_, ok = columns.Column(r.Column)
	}
	if ok {
		return nil
	}
	what := map[string]string{"metric": "metric", "series": "axis"}[r.Role]
	if what == "" {
		what = "metric, axis or other column"
	}
	var known []string
	for _, a := range columns.Axes {
		known = append(known, a.Name, a.Path)
	}
	for _, m := range columns.Metrics {
		known = append(known, m.Name)
	}
	hint := ""
	if near := scenario.Closest(r.Column, known); near != "" {
		hint = fmt.Sprintf("did you mean %q?", near)
	} else if r.Role != "metric" && len(columns.Axes) > 0 {
		hint = columns.Place().Hint("")
	} else {
		hint = "sweep list metrics says which there are"
	}
	return r.At.Doc.Errorf(r.At.Key, hint, "no %s %q", what, r.Column)
}

// otherNumbers are the numbers of a point that are no metric.
var otherNumbers = []string{"offered_rps", "capacity_rps", "load_ratio", "accuracy_loss_ratio"}

func isMetric(columns *scope.Columns, name string) bool {
	return slices.Contains(otherNumbers, name) || slices.ContainsFunc(columns.Metrics, func(m table.Column) bool { return m.Name == name })
}

// checkSelects checks that each published figure is about one point.
func checkSelects(p *Plan, columns *scope.Columns) error {
	var conditions []study.Condition
	for _, c := range p.Study.Conditions {
		if c.Role == "at" || c.Role == "ratio_to" {
			conditions = append(conditions, c)
		}
	}
	if len(conditions) == 0 {
		return nil
	}
	found := make([][]int, len(conditions))
	for i := range p.Len() {
		get, err := placeOf(p, columns, i)
		if err != nil {
			return err
		}
		for j, c := range conditions {
			if c.Match(get) {
				found[j] = append(found[j], i)
			}
		}
	}
	for j, c := range conditions {
		if len(found[j]) == 1 {
			continue
		}
		err := c.At.Doc.Errorf(c.At.Key, "it must select exactly one; sweep plan STUDY --points FILE lists them", "selects none of %s", plural(p.Len(), "point"))
		if n := len(found[j]); n > 1 {
			err.Msg = fmt.Sprintf("selects %s of %s: %s", grouped(n), plural(p.Len(), "point"), numbers(found[j]))
		}
		return err
	}
	return nil
}

// numbers lists the first few of some point numbers.
func numbers(points []int) string {
	const most = 4
	var out []string
	for _, i := range points[:min(len(points), most)] {
		out = append(out, fmt.Sprint(i))
	}
	if len(points) > most {
		out = append(out, "...")
	}
	return strings.Join(out, ", ")
}

// placeOf looks up where in the design point i of a plan stands.
func placeOf(p *Plan, columns *scope.Columns, i int) (func(string) expr.Value, error) {
	pt, err := p.Point(i)
	if err != nil {
		return nil, err
	}
	return func(name string) expr.Value {
		switch name {
		case "point_id":
			return expr.Of(pt.ID)
		case "point_index":
			return expr.Of(pt.Index)
		case "baseline":
			return expr.Of(pt.Baseline)
		}
		if pt.OATPath != "" {
			switch name {
			case "oat_path":
				return expr.Of(pt.OATPath)
			case "oat_level":
				return expr.Of(pt.OATLevel)
			case "oat_change_ratio":
				return expr.Of(pt.OATChange)
			}
		}
		for j, a := range columns.Axes {
			if a.Name == name || a.Path == name {
				return expr.Of(pt.Cells[j])
			}
		}
		return expr.Value{}
	}, nil
}
