package factors

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"scoville/core/table"
	"scoville/report/number"
	"scoville/report/view"
	"scoville/sweep/results"
)

// maxChanges is how many one-at-a-time changes the table of elasticities lists.
const maxChanges = 60

// Elasticities is the table of the effects of one-at-a-time changes relative to
// the relative change of the parameter, which makes levels of different sizes
// comparable; none without changes that have one.
func Elasticities(v *view.View, metrics []table.Column) ([]Table, error) {
	if !changes(v) {
		return nil, nil
	}
	f, err := v.Effects()
	if err != nil {
		return nil, err
	}
	t := Table{Title: "elasticities: percent of the metric per percent of the parameter", Head: []string{"change"}, Long: true}
	for _, m := range metrics {
		t.Head = append(t.Head, m.Name)
	}
	rows, left := map[string]int{}, map[string]bool{}
	for i := range f.Len() {
		metric, _ := f.String(f.Index("metric"), i)
		column := slices.Index(t.Head, metric)
		method, _ := f.String(f.Index("method"), i)
		if _, ok := f.Float(f.Index("change_ratio"), i); !ok || method != "oat" || column < 1 {
			continue
		}
		name := changed(f, i)
		at, known := rows[name]
		if !known {
			if len(t.Rows) == maxChanges {
				left[name] = true
				continue
			}
			at = len(t.Rows)
			rows[name] = at
			t.Rows = append(t.Rows, append([]string{name}, slices.Repeat([]string{"-"}, len(metrics))...))
		}
		t.Rows[at][column] = elasticity(f, i)
	}
	if len(t.Rows) == 0 {
		return nil, nil
	}
	if n := len(left); n > 0 {
		t.Notes = append(t.Notes, number.Plural(n, "more change")+" in "+results.EffectsFile)
	}
	t.Notes = append(t.Notes, "effect over the relative change of the parameter: -1 is in inverse proportion, 0 (~) no effect. Of a large change it is the mean along the way")
	return []Table{t}, nil
}

// changes reports whether a point is a one-at-a-time change.
func changes(v *view.View) bool {
	for i := range v.Points.Len() {
		if v.Value("oat_path", i) != nil {
			return true
		}
	}
	return false
}

// changed names the change of a row, with the combination of axes around it.
func changed(f *table.Frame, i int) string {
	path, _ := f.String(f.Index("parameter"), i)
	level, _ := f.String(f.Index("level"), i)
	name := path[strings.LastIndexByte(path, '.')+1:] + " " + number.Level(level)
	if at := place(f, i); at != "" {
		name += " at " + at
	}
	return name
}

// elasticity is one cell.
func elasticity(f *table.Frame, i int) string {
	get := func(column string) float64 {
		x, ok := f.Float(f.Index(column), i)
		if !ok {
			return math.NaN()
		}
		return x
	}
	if steady, known := f.Bool(f.Index("steady"), i); known && !steady {
		return "saturated"
	}
	e, lo, hi := get("elasticity"), get("ci_lo"), get("ci_hi")
	switch {
	case math.IsNaN(e):
		return "-"
	case lo <= 0 && hi >= 0:
		return "~"
	case math.IsNaN(lo):
		return fmt.Sprintf("%.2f", e)
	}
	half := math.Abs((hi - lo) / 2 / get("change_ratio"))
	d := min(max(number.Decimals(half), 2), 4)
	if d == 4 && math.Abs(e) < 0.5e-4 {
		return "<0.0001"
	}
	return fmt.Sprintf("%.*f ± %.*f", d, e, d, half)
}
