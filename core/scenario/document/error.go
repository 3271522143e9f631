package document

import (
	"fmt"
	"strings"

	"scoville/core/internal/caret"
)

// Error points at the place in a file that is wrong: the line itself, a caret
// under the column and a hint. Line and Col count from 1, Col in bytes; Col 0
// stands for the whole line, which is then not shown; Line 0
// means the place is not known, and then only the file is named.
type Error struct {
	File      string
	Line, Col int
	Text      string // the source line
	Where     string // table or key the message is about; may be empty
	Msg       string // what is wrong
	Hint      string // how to put it right; may be empty
}

// Error prints
//
//	studies/grid.toml:12:1: axes: no parameter "hardware.wieght_bandwidth_gb_s"
//	   12 | "hardware.wieght_bandwidth_gb_s" = [3000, 4000]
//	      | ^ did you mean "hardware.weight_bandwidth_gb_s"?
func (e *Error) Error() string {
	var b strings.Builder
	b.WriteString(e.File)
	switch {
	case e.Line > 0 && e.Col > 0:
		fmt.Fprintf(&b, ":%d:%d", e.Line, e.Col)
	case e.Line > 0:
		fmt.Fprintf(&b, ":%d", e.Line)
	}
	if e.Where != "" {
		b.WriteString(": " + e.Where)
	}
	b.WriteString(": " + e.Msg)
	switch {
	case e.Line > 0 && e.Col > 0:
		text, pad := caret.Excerpt(e.Text, e.Col-1)
		number := fmt.Sprintf("%5d", e.Line)
		fmt.Fprintf(&b, "\n%s | %s\n%*s | %s^", number, text, len(number), "", strings.Repeat(" ", pad))
		if e.Hint != "" {
			b.WriteString(" " + e.Hint)
		}
	case e.Hint != "":
		b.WriteString("; " + e.Hint)
	}
	return b.String()
}
