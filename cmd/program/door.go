package program

import (
	"io"
	"unicode/utf8"

	"scoville/core/unit"
)

// Door is what a program writes to its user through. Names, titles and reasons
// come from files of others, and none of their characters may act on a terminal:
// all that do not print, line ends and tabs aside, come out as \uXXXX, which JSON
// reads as the same character, and bytes that are no UTF-8 as U+FFFD.
type Door struct {
	to   io.Writer
	rest []byte // beginning of a character that the next Write goes on with
}

// NewDoor returns the door to a writer.
func NewDoor(to io.Writer) *Door { return &Door{to: to} }

// Raw returns what stands behind a door; for text without a word of others.
func Raw(w io.Writer) io.Writer {
	if d, ok := w.(*Door); ok {
		return d.to
	}
	return w
}

// Write writes text. Its error is that of the writer behind the door.
func (d *Door) Write(text []byte) (int, error) {
	in := append(d.rest, text...)
	out := make([]byte, 0, len(in))
	for len(in) > 0 && utf8.FullRune(in) {
		r, n := utf8.DecodeRune(in)
		in = in[n:]
		out = unit.AppendVisible(out, r)
	}
	d.rest = append([]byte(nil), in...)
	if _, err := d.to.Write(out); err != nil {
		return 0, err
	}
	return len(text), nil
}
