// Package sheet writes tables as CSV that a spreadsheet may open: no cell is a
// formula, whoever named it. It knows nothing of what is in them.
package sheet

import (
	"encoding/csv"
	"io"
	"regexp"
	"strings"

	"scoville/core/unit"
)

// Writer writes rows as RFC 4180 has them.
type Writer struct{ csv *csv.Writer }

// NewWriter returns a writer of rows to w.
func NewWriter(w io.Writer) *Writer { return &Writer{csv.NewWriter(w)} }

// Write writes a row, each cell as Cell has it.
func (w *Writer) Write(row []string) error {
	out := make([]string, len(row))
	for i, c := range row {
		out[i] = Cell(c)
	}
	return w.csv.Write(out)
}

// WriteAll writes rows and flushes them.
func (w *Writer) WriteAll(rows [][]string) error {
	for _, row := range rows {
		if err := w.Write(row); err != nil {
			return err
		}
	}
	w.Flush()
	return w.Error()
}

// Flush hands over what is buffered; Error tells how that and Write went.
func (w *Writer) Flush() { w.csv.Flush() }

// Error is the first error of Write or Flush.
func (w *Writer) Error() error { return w.csv.Error() }

// quantity is a number, a percentage or a factor, which a sign may precede.
var quantity = regexp.MustCompile(`^[+-]?[0-9.]+([eE][+-]?[0-9]+)?%?$`)

// Cell is a text as a cell: one that a spreadsheet would compute gets an
// apostrophe before it, and characters that do not print are spelled out.
// Numbers stay as they are.
func Cell(s string) string {
	if s != "" && strings.ContainsRune("=+-@\t\r", rune(s[0])) && !quantity.MatchString(s) {
		s = "'" + s
	}
	return unit.Visible(s)
}
