package caret

import (
	"strings"
	"testing"
)

func TestExcerpt(t *testing.T) {
	long := strings.Repeat("a", 300) + "b" + strings.Repeat("c", 300)
	for _, c := range []struct {
		line string
		at   int
		text string
		pad  int
	}{
		{"tp == 4", 3, "tp == 4", 3},
		{"größe = 3", len("größe"), "größe = 3", 5},
		{"a\tb\x1b[2Jc\u202ed  ", 2, "a b [2Jc d", 2},
		{"a\xffb", 2, "a?b", 2},
		{"ab", 9, "ab", 2},
		{"ab", -1, "ab", 0},
		{"", 0, "", 0},
		{long, 300, strings.Repeat("a", 80) + "b" + strings.Repeat("c", 79), 80},
		{long, 10, long[:160], 10},
	} {
		if text, pad := Excerpt(c.line, c.at); text != c.text || pad != c.pad {
			t.Errorf("%.20q at %d: %q, %d, want %q, %d", c.line, c.at, text, pad, c.text, c.pad)
		}
	}
}
