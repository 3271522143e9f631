package sweep

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"scoville/core/metrics"
	"scoville/core/scenario"
	"scoville/core/table"
	"scoville/core/unit"
	"scoville/sweep/plan"
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
		err := checkReference(columns, r)
		at, _ := r.At.Doc.Value("at").(string)
		switch {
		case r.Role == "class":
			err = checkClass(p, r)
		case err == nil && r.Role == "metric" && at == "" && p.Len() > 1:
			err = r.At.Doc.Errorf("at", `add at = "..." that selects one`, "which of %s is the figure about?", plural(p.Len(), "point"))
		}
		if err != nil {
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

// checkClass checks that the class of a published figure is one of the workload,
// and its metric one that classes have. Designs vary classes, and add none.
func checkClass(p *Plan, r study.Reference) error {
	if p.Len() == 0 {
		return nil
	}
	pt, err := p.Point(0)
	if err != nil {
		return err
	}
	var names, known []string
	for _, c := range pt.Resolved.Scenario.Workload.Class {
		names = append(names, c.Name)
	}
	if !slices.Contains(names, r.Column) {
		return r.At.Doc.Errorf("class", "the classes are "+strings.Join(names, ", "), "no class is named %q", r.Column)
	}
	for _, c := range metrics.ClassColumns() {
		known = append(known, c.Name)
	}
	if metric, _ := r.At.Doc.Value("metric").(string); !slices.Contains(known, metric) {
		return r.At.Doc.Errorf("metric", "classes have "+strings.Join(known, ", "), "a class has no %q of its own", metric)
	}
	return nil
}

// otherNumbers are the numbers of a point that are no metric.
var otherNumbers = []string{"offered_rps", "capacity_rps", "load_ratio", "accuracy_loss_ratio"}

func isMetric(columns *scope.Columns, name string) bool {
	return slices.Contains(otherNumbers, name) || slices.ContainsFunc(columns.Metrics, func(m table.Column) bool { return m.Name == name })
}

// checkSelects checks that each published figure is about one point, and each
// point has at most one baseline.
func checkSelects(p *Plan, columns *scope.Columns) error {
	var conditions []study.Condition
	for _, c := range p.Study.Conditions {
		switch c.Role {
		case "baseline":
			if len(p.Study.OAT) > 0 {
				return c.At.Doc.Errorf(c.At.Key, "remove it", "gains are against the baseline of [oat] already")
			}
			conditions = append(conditions, c)
		case "at", "ratio_to":
			conditions = append(conditions, c)
		}
	}
	if len(conditions) == 0 {
		return nil
	}
	found := make([]map[string][]int, len(conditions)) // by what else must agree
	for j := range found {
		found[j] = map[string][]int{}
	}
	for i := range p.Len() {
		pt, err := p.Point(i)
		if err != nil {
			return err
		}
		get := columns.PlaceOf(pt.Cells, scope.Position{ID: pt.ID, Index: pt.Index, Baseline: pt.Baseline, Path: pt.OATPath, Level: pt.OATLevel, Change: pt.OATChange})
		for j, c := range conditions {
			if c.Match(get) {
				key := groupOf(p, pt, columns, c)
				found[j][key] = append(found[j][key], i)
			}
		}
	}
	for j, c := range conditions {
		if err := checkFound(p, c, found[j]); err != nil {
			return err
		}
	}
	return nil
}

// groupOf identifies the points that one selected point stands for: all, or
// those that a baseline is shared by.
func groupOf(p *Plan, pt *plan.Point, columns *scope.Columns, c study.Condition) string {
	if c.Role != "baseline" {
		return ""
	}
	var groups []string
	for _, col := range p.Columns {
		groups = append(groups, col.Group)
	}
	key := ""
	for _, i := range columns.Together(c.Expr, groups) {
		key += fmt.Sprintf("%q;", fmt.Sprint(pt.Cells[i]))
	}
	return key
}

// checkFound refuses a condition that selects no point, or two that stand for
// the same.
func checkFound(p *Plan, c study.Condition, found map[string][]int) error {
	if len(found) == 0 {
		return c.At.Doc.Errorf(c.At.Key, "it must select exactly one; sweep plan STUDY --points FILE lists them", "selects none of %s", plural(p.Len(), "point"))
	}
	for _, key := range slices.Sorted(maps.Keys(found)) {
		points := found[key]
		switch {
		case len(points) == 1:
		case c.Role == "baseline":
			return c.At.Doc.Errorf(c.At.Key, "name every axis that the baseline is one level of", "selects %s as the baseline of the same points: %s", unit.Grouped(len(points)), numbers(points))
		default:
			return c.At.Doc.Errorf(c.At.Key, "it must select exactly one; sweep plan STUDY --points FILE lists them", "selects %s of %s: %s", unit.Grouped(len(points)), plural(p.Len(), "point"), numbers(points))
		}
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
