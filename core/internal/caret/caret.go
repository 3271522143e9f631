// Package caret shows the place in a line of text that is wrong: the line as a
// terminal may have it, and how far in a caret stands below it. It knows nothing
// of what the text means.
package caret

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// width is how many characters of a line are shown, before how many of them
// stand at most before the place when the line is longer.
const width, before = 160, 80

// Excerpt returns the part of a line to print and how many characters stand in
// it before its byte at. Tabs and characters that do not print become blanks,
// so that the caret stands where it should and a terminal stays unharmed.
func Excerpt(line string, at int) (text string, pad int) {
	place := utf8.RuneCountInString(line[:min(max(at, 0), len(line))])
	runes := []rune(strings.ToValidUTF8(line, "?"))
	for i, r := range runes {
		if !unicode.IsPrint(r) {
			runes[i] = ' '
		}
	}
	place = min(place, len(runes))
	from := 0
	if len(runes) > width {
		from = max(0, place-before)
	}
	to := min(len(runes), from+width)
	return strings.TrimRight(string(runes[from:to]), " "), place - from
}
