package reading

import (
	"fmt"
	"slices"
	"strings"

	"scoville/calibrate/measured"
)

// Few keeps the first lines of a list and counts the others.
func Few(lines []string) []string {
	const most = 8
	if len(lines) <= most {
		return lines
	}
	return append(slices.Clone(lines[:most]), fmt.Sprintf("and %d more", len(lines)-most))
}

// Counted lists metrics, each with the number of usable rows that have it where
// not all do: "ttft_mean_ms of 23, tpot_mean_ms of 24".
func Counted(rows []*measured.Observation, metrics []string) string {
	used, have := 0, map[string]int{}
	for _, o := range rows {
		if o.Dropped != "" {
			continue
		}
		used++
		for _, t := range o.Targets {
			have[t.Metric]++
		}
	}
	out := slices.Clone(metrics)
	if slices.ContainsFunc(metrics, func(m string) bool { return have[m] != used }) {
		for i, m := range out {
			out[i] = fmt.Sprintf("%s of %d", m, have[m])
		}
	}
	return strings.Join(out, ", ")
}

// Missing names usable rows without a metric that other rows of their file have:
// an empty cell, or a word such as NaN. A fit uses such a row for its other metrics.
func Missing(rows []*measured.Observation) []string {
	type column struct{ file, metric string }
	has := map[column]bool{}
	var order []column
	var used []*measured.Observation
	for _, o := range rows {
		if o.Dropped != "" {
			continue
		}
		used = append(used, o)
		for _, t := range o.Targets {
			if c := (column{o.File, t.Metric}); !has[c] {
				has[c] = true
				order = append(order, c)
			}
		}
	}
	var out []string
	for _, c := range order {
		var lines []string
		for _, o := range used {
			if _, ok := o.Target(c.metric); !ok && o.File == c.file {
				lines = append(lines, measured.Place(o))
			}
		}
		if lines != nil {
			out = append(out, fmt.Sprintf("%s in %s: no number there (%s)", c.metric, count(len(lines), "row"), some(lines)))
		}
	}
	return Few(out)
}

// far is the ratio of repeats of one condition from which they are named: runs of
// one configuration on different days lie within a tenth of each other.
const far = 1.5

// Repeats names conditions whose rows differ in a mean or median by more than far.
func Repeats(runs []Run) []string {
	var lines []string
	worst, conditions := 1.0, 0
	for _, r := range runs {
		line, ratio := apart(r.Rows)
		if line == "" {
			continue
		}
		conditions++
		worst = max(worst, ratio)
		lines = append(lines, line)
	}
	if lines == nil {
		return nil
	}
	text := strings.Join(lines[:min(3, len(lines))], "; ")
	if len(lines) > 3 {
		text += fmt.Sprintf("; and %d more", len(lines)-3)
	}
	return []string{fmt.Sprintf("repeats of %s differ by up to %.1fx, which is more than chance: %s", count(conditions, "condition"), worst, text)}
}

// apart says how far repeats of a condition lie apart in the metric in which they
// do so most; "" for not far.
func apart(rows []*measured.Observation) (line string, ratio float64) {
	ratio = far
	if len(rows) < 2 {
		return "", 1
	}
	for _, t := range rows[0].Targets {
		if !strings.Contains(t.Metric, "_mean_") && !strings.Contains(t.Metric, "_p50_") {
			continue
		}
		lo, hi := rows[0], rows[0]
		a, b := t.Value, t.Value
		for _, o := range rows[1:] {
			x, ok := o.Target(t.Metric)
			if ok && x < a {
				lo, a = o, x
			} else if ok && x > b {
				hi, b = o, x
			}
		}
		if b > ratio*a {
			ratio = b / a
			line = fmt.Sprintf("%s %s (%s) and %s (%s)", t.Metric, short(a), measured.Place(lo), short(b), measured.Place(hi))
		}
	}
	return line, ratio
}

// some lists the first of many.
func some(lines []string) string {
	if len(lines) > 3 {
		return strings.Join(lines[:3], " ") + " …"
	}
	return strings.Join(lines, " ")
}
