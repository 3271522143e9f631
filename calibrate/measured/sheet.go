package measured

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"scoville/core/scenario"
)

// sheet is a CSV file as text: trimmed header and cells with their places.
type sheet struct {
	file    string
	lines   []string
	header  []string
	headAt  []place
	records []record
}

type place struct{ line, col int } // from 1; columns in bytes

type record struct {
	cells []string
	at    []place
}

// readSheet reads comma-separated values: RFC 4180 with or without CRLF, a
// byte order mark, blank lines and blanks around cells. Rows that are shorter
// or longer than the header, and headers with empty or repeated names of
// filled columns, are errors.
func readSheet(file string, data []byte) (*sheet, error) {
	data = bytes.TrimPrefix(data, []byte("\ufeff"))
	s := &sheet{file: file, lines: strings.Split(strings.ReplaceAll(string(data), "\r\n", "\n"), "\n")}
	if i := bytes.IndexByte(data, 0); i >= 0 || !utf8.Valid(data) {
		return nil, &scenario.Error{File: file, Msg: "not text in UTF-8", Hint: "save it as CSV, UTF-8"}
	}
	r := csv.NewReader(bytes.NewReader(data))
	r.FieldsPerRecord = -1
	for {
		cells, err := r.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		var pe *csv.ParseError
		if errors.As(err, &pe) {
			return nil, s.errorAt(place{pe.Line, pe.Column}, "", "%v", pe.Err)
		} else if err != nil {
			return nil, err
		}
		rec := record{cells: make([]string, len(cells)), at: make([]place, len(cells))}
		blank := true
		for i, c := range cells {
			rec.cells[i] = strings.TrimSpace(c)
			rec.at[i].line, rec.at[i].col = r.FieldPos(i)
			blank = blank && rec.cells[i] == ""
		}
		switch {
		case blank:
		case s.header == nil:
			s.header, s.headAt = rec.cells, rec.at
			if err := s.checkHeader(); err != nil {
				return nil, err
			}
		case len(cells) != len(s.header):
			return nil, s.errorAt(rec.at[0], "", "%d cells in this row, %d columns in the header", len(cells), len(s.header))
		default:
			s.records = append(s.records, rec)
		}
	}
	if s.header == nil {
		return nil, &scenario.Error{File: file, Msg: "empty file", Hint: "the first row names the columns"}
	}
	return s, nil
}

func (s *sheet) checkHeader() error {
	if len(s.header) == 1 && strings.ContainsAny(s.header[0], ";\t") {
		return s.headError(0, "separate cells by commas", "the header is one cell")
	}
	seen := map[string]bool{}
	for i, h := range s.header {
		if h != "" && seen[h] {
			return s.headError(i, "", "column %q occurs twice", h)
		}
		seen[h] = true
	}
	return nil
}

// index returns the column of that name, -1 for none.
func (s *sheet) index(name string) int {
	for i, h := range s.header {
		if h == name {
			return i
		}
	}
	return -1
}

func (s *sheet) errorAt(p place, hint, format string, args ...any) *scenario.Error {
	e := &scenario.Error{File: s.file, Line: p.line, Col: p.col, Msg: fmt.Sprintf(format, args...), Hint: hint}
	if p.line >= 1 && p.line <= len(s.lines) {
		e.Text = s.lines[p.line-1]
	}
	return e
}

func (s *sheet) headError(col int, hint, format string, args ...any) *scenario.Error {
	return s.errorAt(s.headAt[col], hint, format, args...)
}

// cellError points at a cell and names its column.
func (s *sheet) cellError(rec, col int, hint, format string, args ...any) *scenario.Error {
	e := s.errorAt(s.records[rec].at[col], hint, format, args...)
	e.Where = s.header[col]
	return e
}

// number reads a cell as a finite number.
func (s *sheet) number(rec, col int) (float64, error) {
	text := s.records[rec].cells[col]
	x, err := strconv.ParseFloat(text, 64)
	if err != nil || strings.ContainsAny(text, "xXpP_") {
		return 0, s.cellError(rec, col, "", "%q is not a number", shorten(text))
	}
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return 0, s.cellError(rec, col, "leave the cell empty where nothing was measured", "%s is not a value", text)
	}
	return x, nil
}

// latency reads a measured time, in ms after the factor.
func (s *sheet) latency(rec, col int, factor float64) (float64, error) {
	x, err := s.number(rec, col)
	if err != nil {
		return 0, err
	}
	ms := x * factor
	switch {
	case x <= 0:
		return 0, s.cellError(rec, col, "", "a latency of %g is not above 0", x)
	case ms < 1e-3 || ms > 1e8:
		return 0, s.cellError(rec, col, "check the unit in the column's name", "a latency of %g ms is not between 0.001 and 1e8", ms)
	}
	return ms, nil
}

func shorten(text string) string {
	if utf8.RuneCountInString(text) > 40 {
		return string([]rune(text)[:40]) + "..."
	}
	return text
}
