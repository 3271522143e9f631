package layout

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"scoville/core/table"
	"scoville/sweep/results/searches"
)

var notSnake = regexp.MustCompile(`[^a-z0-9]+`)

// AxisNames returns the column names of axes by their paths: the last segment
// where it is unique among the axes and no fixed or metric column has it, else
// the whole path joined by "_". Other characters than a-z and 0-9 become "_".
func AxisNames(paths []string, metrics []table.Column) []string {
	taken := map[string]bool{}
	for _, cols := range [][]table.Column{RunHead, RunTail, PointHead, PointEnd, EffectHead, searches.Columns(nil), metrics} {
		for _, c := range cols {
			taken[c.Name] = true
		}
	}
	short := make([]string, len(paths))
	for i, p := range paths {
		short[i] = snake(p[strings.LastIndexByte(p, '.')+1:])
	}
	names := make([]string, len(paths))
	for i, p := range paths {
		name := short[i]
		twice := slices.Contains(short[:i], name) || slices.Contains(short[i+1:], name)
		if twice || taken[name] {
			name = snake(p)
		}
		base := name
		for n := 2; taken[name]; n++ {
			name = fmt.Sprintf("%s_%d", base, n)
		}
		taken[name] = true
		names[i] = name
	}
	return names
}

func snake(s string) string {
	s = strings.Trim(notSnake.ReplaceAllString(strings.ToLower(s), "_"), "_")
	if s == "" || s[0] < 'a' {
		s = "axis_" + s
	}
	return s
}
