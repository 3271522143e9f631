package schema

import (
	"fmt"
	"reflect"
	"strconv"
	"time"
	"unicode/utf8"

	"scoville/core/internal/spell"
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
// "" when none is near.
func Closest(name string, candidates []string) string { return spell.Closest(name, candidates) }

// DidYouMean words a suggestion as a hint.
func DidYouMean(name string) string {
	if name == "" {
		return ""
	}
	return fmt.Sprintf("did you mean %q?", name)
}
