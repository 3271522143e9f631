package schema

import (
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// FieldError says which rule the value of a study key breaks. Value nil means
// the rule is about a value that is absent. Related are the other keys the
// rule speaks of.
type FieldError struct {
	Path    string
	Value   any
	Rule    string // reads after the value: "is not in (0,1] (ratio)"
	Hint    string
	Related []string
}

// Error prints path, value, rule and hint on one line.
func (e *FieldError) Error() string {
	s := e.Path + ": " + e.Message()
	if e.Hint != "" {
		s += "; " + e.Hint
	}
	return s
}

// Message is the error without the path and the hint.
func (e *FieldError) Message() string {
	if e.Value == nil {
		return e.Rule
	}
	return Show(e.Value) + " " + e.Rule
}

// Show prints a value the way a study file writes it, shortened.
func Show(v any) string {
	switch v := v.(type) {
	case string:
		if utf8.RuneCountInString(v) > 80 {
			v = string([]rune(v)[:80]) + "..."
		}
		return strconv.Quote(v)
	case float64:
		return strconv.FormatFloat(v, 'g', -1, 64)
	case time.Time:
		return "a date"
	}
	switch reflect.ValueOf(v).Kind() {
	case reflect.Slice:
		return "a list"
	case reflect.Map, reflect.Struct:
		return "a table"
	}
	return fmt.Sprint(v)
}

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

// DidYouMean words a suggestion as a hint.
func DidYouMean(name string) string {
	if name == "" {
		return ""
	}
	return fmt.Sprintf("did you mean %q?", name)
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
