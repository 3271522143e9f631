package report

import (
	"fmt"
	"slices"
	"strings"

	"scoville/report/number"
	"scoville/report/section"
	"scoville/report/verdict"
)

const publishedTitle = "published against simulated"

// published holds what others published against the points.
func (r *Report) published() []section.Section {
	list := r.data.Manifest.Report.Published
	if len(list) == 0 {
		return nil
	}
	s := section.Section{Title: publishedTitle, Head: []string{"figure", "published", "simulated", "ratio", "verdict", "source"}}
	brief := section.Section{Title: s.Title, Head: s.Head}
	count := map[string]int{}
	var reasons reasons
	for _, p := range list {
		j := verdict.Judge(r.data, p)
		count[j.Word]++
		unit := ""
		if c, ok := r.data.Column(p.Metric); ok && p.RatioTo == "" && c.Unit != "" {
			unit = " " + c.Unit
		}
		row := []string{p.Name, number.Significant(p.Value) + unit, j.Value, j.Ratio, j.String(), p.Source}
		s.Rows = append(s.Rows, row)
		if j.Reason != "" {
			row = slices.Clone(row)
			row[4] = j.Word
			reasons.add(p.Name, j.String())
		}
		brief.Rows = append(brief.Rows, row)
	}
	last := fmt.Sprintf("%s: %d reproduced, %d cannot follow from the stated inputs, %d %s", number.Plural(len(list), "published figure"), count[verdict.Reproduced], count[verdict.Cannot], count[verdict.Differs], plainVerb(count[verdict.Differs], "differs", "differ"))
	if n := count[verdict.Unanswered]; n > 0 {
		last += fmt.Sprintf(", %d not answered", n)
	}
	s.Notes = []string{last}
	brief.Notes = append([]string{last}, reasons.lines()...)
	s.Brief = &brief
	return []section.Section{s}
}

// reasons are why figures have their verdicts, each with the figures it holds
// for: a column of sentences would break the table on a terminal.
type reasons struct {
	texts []string
	names map[string][]string
}

func (r *reasons) add(figure, text string) {
	if r.names == nil {
		r.names = map[string][]string{}
	}
	if r.names[text] == nil {
		r.texts = append(r.texts, text)
	}
	r.names[text] = append(r.names[text], figure)
}

func (r *reasons) lines() []string {
	var out []string
	for _, text := range r.texts {
		names := r.names[text]
		if n := len(names); n > 2 {
			names = []string{fmt.Sprintf("%s and %d more", names[0], n-1)}
		}
		out = append(out, "  "+strings.Join(names, ", ")+": "+text)
	}
	return out
}

func plainVerb(n int, one, more string) string {
	if n == 1 {
		return one
	}
	return more
}
