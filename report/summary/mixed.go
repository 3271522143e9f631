package summary

import (
	"fmt"
	"slices"
	"strings"

	"scoville/report/number"
	"scoville/report/view"
	"scoville/sweep/results"
)

// mixed warns where points that a calibration applies to are compared with points
// that none applies to, and names these; "" where nothing is compared or all
// are alike.
func mixed(v *view.View) string {
	bare, what := v.Bare(), compared(v)
	if len(bare) == 0 || what == "" {
		return ""
	}
	return fmt.Sprintf("warning: %s compares calibrated points with %s not calibrated, at %s: their times are no predictions and may be far too good", what, number.Plural(len(bare), "point"), named(v, bare))
}

// compared is what of the study sets points against each other.
func compared(v *view.View) string {
	m := v.Manifest
	switch {
	case slices.Contains(m.Tables, results.SearchesFile):
		return "the search"
	case len(m.Objectives) > 1:
		return "the Pareto front"
	case len(m.Objectives) == 1:
		return "the ranking"
	case m.Report.Keep != "":
		return "the choice of points to keep"
	}
	for i := range v.Points.Len() {
		if _, changed := v.Points.String(v.Points.Index("oat_path"), i); changed {
			return "the effect of a change"
		}
	}
	return ""
}

// named is an axis whose values tell the points from the others, else their
// numbers.
func named(v *view.View, points []int) string {
	for _, c := range v.Axes() {
		var values, others []string
		for i := range v.Points.Len() {
			is, ran := v.Calibrated(i)
			list := &values
			if is {
				list = &others
			}
			if text := number.Plain(v.Value(c.Name, i)); ran && !slices.Contains(*list, text) {
				*list = append(*list, text)
			}
		}
		if !slices.ContainsFunc(values, func(text string) bool { return slices.Contains(others, text) }) {
			return c.Heading() + " = " + few(values)
		}
	}
	var numbers []string
	for _, i := range points {
		numbers = append(numbers, fmt.Sprint(v.Index(i)))
	}
	return "point " + few(numbers)
}

// few joins at most four words in their order.
func few(words []string) string {
	if n := len(words) - 4; n > 0 {
		words = append(slices.Clone(words[:4]), fmt.Sprintf("%d more", n))
	}
	return strings.Join(words, ", ")
}
