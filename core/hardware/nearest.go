package hardware

import "strings"

// didYouMean names the candidates that begin with name, or else the one with
// the smallest edit distance to it.
func didYouMean(name string, candidates []string) string {
	var begin []string
	best, least := "", len(name)+100
	for _, c := range candidates {
		if strings.HasPrefix(c, name) {
			begin = append(begin, c)
		}
		if d := editDistance(name, c); d < least {
			best, least = c, d
		}
	}
	if begin == nil {
		begin = []string{best}
	}
	return "did you mean " + strings.Join(begin, " or ") + "?"
}

// editDistance counts the bytes to insert, delete or replace (Levenshtein).
func editDistance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost = 1 + min(diagonal, row[j], row[j+1])
			}
			diagonal, row[j+1] = row[j+1], cost
		}
	}
	return row[len(b)]
}
