package section

import (
	"regexp"
	"slices"
)

// interval is a value with half its 95 % interval, and with the ends of a
// prediction interval.
var interval = regexp.MustCompile(`^(\S+) ± (\S+)(?: \[(\S+) \.\. (\S+)\])?$`)

// parts are what the columns of an interval are called after the name of the value.
var parts = []string{"", "_ci_half", "_pred_lo", "_pred_hi"}

// Rows is the main table of a report, whole, as cells of numbers and words: the
// heading, then the rows of the first section that is no aside and not one of
// those without, and of all that have its columns, told apart by a first column
// "table". A value and half its interval are two cells.
func Rows(sections []Section, without ...string) [][]string {
	var main []Section
	for _, s := range sections {
		if s.Aside || slices.Contains(without, s.Title) || len(main) > 0 && !slices.Equal(s.Head, main[0].Head) {
			continue
		}
		main = append(main, s)
	}
	if main == nil {
		return nil
	}
	rows := [][]string{main[0].Head}
	for _, s := range main {
		for _, row := range s.Rows {
			rows = append(rows, append(slices.Clone(row), make([]string, len(s.Head)-len(row))...))
		}
	}
	out := split(rows)
	if len(main) == 1 {
		return out
	}
	k := 0
	out[0] = append([]string{"table"}, out[0]...)
	for _, s := range main {
		for range s.Rows {
			k++
			out[k] = append([]string{s.Title}, out[k]...)
		}
	}
	return out
}

// split gives the columns with intervals a column for each of their numbers.
func split(rows [][]string) [][]string {
	out := make([][]string, len(rows))
	for c, name := range rows[0] {
		used := 1
		for _, row := range rows[1:] {
			if m := interval.FindStringSubmatch(row[c]); m != nil {
				used = max(used, 2)
				if m[3] != "" {
					used = len(parts)
				}
			}
		}
		if name == "" {
			name = "name"
		}
		for _, p := range parts[:used] {
			out[0] = append(out[0], name+p)
		}
		for i, row := range rows[1:] {
			values := []string{row[c], "", "", ""}
			if m := interval.FindStringSubmatch(row[c]); m != nil {
				values = m[1:]
			}
			out[i+1] = append(out[i+1], values[:used]...)
		}
	}
	return out
}
