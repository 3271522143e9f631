// Package spell finds what a misspelled word was most likely meant to be. It
// knows nothing of what the words are about.
package spell

import (
	"strings"
	"unicode/utf8"
)

// Closest returns the candidate that name is most likely a misspelling of, or
// "" when none is near: edit distance (insert, delete, replace, swap of
// neighbours) of at most a third of its length, but 1 for the shortest. The
// first of equals wins.
func Closest(name string, candidates []string) string {
	n := utf8.RuneCountInString(name)
	best, limit := "", min(max(1, n/3), n-1)
	for _, c := range candidates {
		if d := distance(name, c, limit); d <= limit {
			best, limit = c, d-1
		}
	}
	return best
}

// shortest is the length in bytes of a word that may stand for all that begin
// with it.
const shortest = 3

// Suggest words a hint for a name that no candidate has: the candidates that
// begin with it, or else the closest. It is "" when there is neither.
func Suggest(name string, candidates []string) string {
	var near []string
	for _, c := range candidates {
		if len(name) >= shortest && strings.HasPrefix(c, name) {
			near = append(near, c)
		}
	}
	if c := Closest(name, candidates); near == nil && c != "" {
		near = []string{c}
	}
	if near == nil {
		return ""
	}
	return "did you mean " + strings.Join(near, " or ") + "?"
}

// distance is the optimal string alignment distance of a and b, letter case
// ignored; any value above limit means only "more than limit".
func distance(a, b string, limit int) int {
	x, y := []rune(strings.ToLower(a)), []rune(strings.ToLower(b))
	if d := len(x) - len(y); d > limit || -d > limit {
		return limit + 1
	}
	two, one, row := make([]int, len(y)+1), make([]int, len(y)+1), make([]int, len(y)+1)
	for j := range one {
		one[j] = j
	}
	for i := 1; i <= len(x); i++ {
		row[0] = i
		for j := 1; j <= len(y); j++ {
			cost := 1
			if x[i-1] == y[j-1] {
				cost = 0
			}
			row[j] = min(one[j]+1, row[j-1]+1, one[j-1]+cost)
			if i > 1 && j > 1 && x[i-1] == y[j-2] && x[i-2] == y[j-1] {
				row[j] = min(row[j], two[j-2]+1)
			}
		}
		two, one, row = one, row, two
	}
	return one[len(y)]
}
