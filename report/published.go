package report

import (
	"fmt"

	"scoville/report/number"
	"scoville/report/verdict"
)

// published holds what others published against the points.
func (r *Report) published() []section {
	list := r.data.Manifest.Report.Published
	if len(list) == 0 {
		return nil
	}
	s := section{title: "published against simulated", head: []string{"figure", "published", "simulated", "ratio", "verdict", "source"}}
	count := map[string]int{}
	for _, p := range list {
		j := verdict.Judge(r.data, p)
		count[j.Word]++
		unit := ""
		if c, ok := r.data.Column(p.Metric); ok && p.RatioTo == "" && c.Unit != "" {
			unit = " " + c.Unit
		}
		s.rows = append(s.rows, []string{p.Name, number.Significant(p.Value) + unit, j.Value, j.Ratio, j.String(), p.Source})
	}
	last := fmt.Sprintf("%s: %d reproduced, %d cannot follow from the stated inputs, %d %s", number.Plural(len(list), "published figure"), count[verdict.Reproduced], count[verdict.Cannot], count[verdict.Differs], plainVerb(count[verdict.Differs], "differs", "differ"))
	if n := count[verdict.Unanswered]; n > 0 {
		last += fmt.Sprintf(", %d not answered", n)
	}
	s.notes = []string{last}
	return []section{s}
}

func plainVerb(n int, one, more string) string {
	if n == 1 {
		return one
	}
	return more
}
