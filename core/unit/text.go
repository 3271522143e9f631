package unit

import (
	"fmt"
	"math"
	"strconv"
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

// Commas groups the digits before the point of a number by thousands.
func Commas(s string) string {
	whole, rest, point := strings.Cut(s, ".")
	sign := len(whole) - len(strings.TrimLeft(whole, "+-"))
	for i := len(whole) - 3; i > sign; i -= 3 {
		whole = whole[:i] + "," + whole[i:]
	}
	if point {
		whole += "." + rest
	}
	return whole
}

// Grouped prints a count with commas.
func Grouped(n int) string { return Commas(strconv.Itoa(n)) }

// Rounded prints a number with commas, a fraction only below 100 and of three
// digits.
func Rounded(x float64) string {
	if math.Abs(x) < 100 {
		return strconv.FormatFloat(x, 'g', 3, 64)
	}
	return Commas(strconv.FormatFloat(x, 'f', 0, 64))
}
