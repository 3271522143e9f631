package report

import (
	"fmt"
	"strconv"

	"scoville/report/number"
	"scoville/report/section"
	"scoville/sweep/results"
)

// maxGrades is how many numbers the table of grades has, fewGrades how many a
// terminal shows.
const maxGrades, fewGrades = 120, 10

// grades says how well each number of the hardware is known.
func (r *Report) grades() []section.Section {
	list := r.data.Manifest.Numbers
	if len(list) == 0 {
		return nil
	}
	several := false
	count := map[string]int{}
	for _, n := range list {
		several = several || n.Hardware != list[0].Hardware
		count[n.Grade]++
	}
	s := section.Section{Title: "where the numbers of the hardware come from", Aside: true, Head: []string{"grade", "number", "value", "unit", "source", "set by"}, Long: len(list) > fewGrades}
	if several {
		s.Head = append([]string{"hardware"}, s.Head...)
	}
	for _, n := range list[:min(len(list), maxGrades)] {
		row := []string{n.Grade, n.Path, span(n), n.Unit, n.Source, n.Layer}
		if several {
			row = append([]string{n.Hardware}, row...)
		}
		s.Rows = append(s.Rows, row)
	}
	if more := len(list) - maxGrades; more > 0 {
		s.Notes = append(s.Notes, fmt.Sprintf("%s more in %s", number.Plural(more, "number"), results.ManifestFile))
	}
	line := number.Plural(len(list), "number") + ":"
	for i, grade := range []string{"published", "calibrated", "derived", "assumed"} {
		if i > 0 {
			line += ","
		}
		line += fmt.Sprintf(" %d %s", count[grade], grade)
	}
	s.Notes = append(s.Notes, line)
	return []section.Section{s}
}

// span is a value, or the smallest and largest of those it has.
func span(n results.Number) string {
	lo := strconv.FormatFloat(n.Min, 'g', 6, 64)
	if n.Min == n.Max {
		return lo
	}
	return lo + " to " + strconv.FormatFloat(n.Max, 'g', 6, 64)
}
