package unit

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// Visible returns text of others for people to read: none of its characters acts
// on a terminal or turns the order of reading around. All that do not print, line
// ends and tabs aside, come out as \uXXXX, which JSON reads as the same
// character, and bytes that are no UTF-8 as U+FFFD.
func Visible(s string) string {
	if !strings.ContainsFunc(s, hidden) && utf8.ValidString(s) {
		return s
	}
	out := make([]byte, 0, len(s))
	for _, r := range s {
		out = AppendVisible(out, r)
	}
	return string(out)
}

// AppendVisible appends a character as Visible shows it.
func AppendVisible(out []byte, r rune) []byte {
	if !hidden(r) {
		return utf8.AppendRune(out, r)
	}
	for _, unit := range utf16.AppendRune(nil, r) {
		out = fmt.Appendf(out, `\u%04x`, unit)
	}
	return out
}

func hidden(r rune) bool {
	return r != '\n' && r != '\t' && !unicode.IsPrint(r) && !unicode.Is(unicode.Zs, r)
}
