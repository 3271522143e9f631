package row

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
	"scoville/core/workload"
)

// Sheet is a table as text: trimmed header and cells with their places.
type Sheet struct {
	File    string
	Lines   []string // of the file, for errors; nil where they would not help
	Header  []string
	HeadAt  []Place
	Records []Record
}

// Place is a line and a column in a file, from 1; columns in bytes. Col 0
// stands for the whole line.
type Place struct{ Line, Col int }

// Record is one row: cells aligned with the header, and what a form knows of
// the row beside them.
type Record struct {
	Cells []string
	At    []Place

	Line           int // of the row where it is not that of the first cell; 0 = it is
	Kind           Kind
	Prompt, Output []float64         // lengths of the requests one by one, tokens; nil = not known
	Requests       []workload.Record // the requests of the run with their arrivals: what a Replay is
	Notes          []string
	Suspects       []string
	Dropped        string
}

// Cell is a named value of a row that is built.
type Cell struct{ Name, Text string }

// Add appends a row of named values at a place; columns that the table does not
// have yet are added at its end. A name that comes twice keeps its first value.
func (s *Sheet) Add(at Place, cells []Cell) *Record {
	r := Record{Cells: make([]string, len(s.Header)), At: make([]Place, len(s.Header)), Line: at.Line}
	for _, c := range cells {
		i := s.Index(c.Name)
		if i < 0 {
			i = len(s.Header)
			s.Header, s.HeadAt = append(s.Header, c.Name), append(s.HeadAt, at)
			for k := range s.Records {
				s.Records[k].Cells, s.Records[k].At = append(s.Records[k].Cells, ""), append(s.Records[k].At, Place{Line: s.Records[k].Line})
			}
			r.Cells, r.At = append(r.Cells, ""), append(r.At, at)
		}
		if r.Cells[i] == "" {
			r.Cells[i] = strings.TrimSpace(c.Text)
		}
	}
	for i := range r.At {
		r.At[i] = at
	}
	s.Records = append(s.Records, r)
	return &s.Records[len(s.Records)-1]
}

// ReadSheet reads comma-separated values: RFC 4180 with or without CRLF, a
// byte order mark, blank lines and blanks around cells. Rows that are shorter
// or longer than the header, and headers with empty or repeated names of
// filled columns, are errors.
func ReadSheet(file string, data []byte) (*Sheet, error) {
	data = bytes.TrimPrefix(data, []byte("\ufeff"))
	s := &Sheet{File: file, Lines: strings.Split(strings.ReplaceAll(string(data), "\r\n", "\n"), "\n")}
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
			return nil, s.ErrorAt(Place{pe.Line, pe.Column}, "", "%v", pe.Err)
		} else if err != nil {
			return nil, err
		}
		rec := Record{Cells: make([]string, len(cells)), At: make([]Place, len(cells))}
		blank := true
		for i, c := range cells {
			rec.Cells[i] = strings.TrimSpace(c)
			rec.At[i].Line, rec.At[i].Col = r.FieldPos(i)
			blank = blank && rec.Cells[i] == ""
		}
		switch {
		case blank:
		case s.Header == nil:
			s.Header, s.HeadAt = rec.Cells, rec.At
			if err := s.checkHeader(); err != nil {
				return nil, err
			}
		case len(cells) != len(s.Header):
			return nil, s.ErrorAt(rec.At[0], "", "%d cells in this row, %d columns in the header", len(cells), len(s.Header))
		default:
			s.Records = append(s.Records, rec)
		}
	}
	if s.Header == nil {
		return nil, &scenario.Error{File: file, Msg: "empty file", Hint: "the first row names the columns"}
	}
	return s, nil
}

func (s *Sheet) checkHeader() error {
	if len(s.Header) == 1 && strings.ContainsAny(s.Header[0], ";\t") {
		return s.HeadError(0, "separate cells by commas", "the header is one cell")
	}
	seen := map[string]bool{}
	for i, h := range s.Header {
		if h != "" && seen[h] {
			return s.HeadError(i, "", "column %q occurs twice", h)
		}
		seen[h] = true
	}
	return nil
}

// Index returns the column of that name, -1 for none.
func (s *Sheet) Index(name string) int {
	for i, h := range s.Header {
		if h == name {
			return i
		}
	}
	return -1
}

// ErrorAt returns an error at a place, with the line it points at.
func (s *Sheet) ErrorAt(p Place, hint, format string, args ...any) *scenario.Error {
	e := &scenario.Error{File: s.File, Line: p.Line, Col: p.Col, Msg: fmt.Sprintf(format, args...), Hint: hint}
	if p.Line >= 1 && p.Line <= len(s.Lines) && p.Col > 0 {
		e.Text = s.Lines[p.Line-1]
	}
	return e
}

// HeadError points at a column's name in the header.
func (s *Sheet) HeadError(col int, hint, format string, args ...any) *scenario.Error {
	if col >= len(s.HeadAt) { // a table without columns
		return &scenario.Error{File: s.File, Msg: fmt.Sprintf(format, args...), Hint: hint}
	}
	return s.ErrorAt(s.HeadAt[col], hint, format, args...)
}

// CellError points at a cell and names its column.
func (s *Sheet) CellError(rec, col int, hint, format string, args ...any) *scenario.Error {
	e := s.ErrorAt(s.Records[rec].At[col], hint, format, args...)
	e.Where = s.Header[col]
	return e
}

// Number reads a cell as a finite number.
func (s *Sheet) Number(rec, col int) (float64, error) {
	text := s.Records[rec].Cells[col]
	x, err := parseNumber(text)
	if err != nil {
		return 0, s.CellError(rec, col, "", "%q is not a number", Shorten(text))
	}
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return 0, s.CellError(rec, col, "leave the cell empty where nothing was measured", "%s is not a value", text)
	}
	return x, nil
}

// parseNumber reads a decimal number.
func parseNumber(text string) (float64, error) {
	if strings.ContainsAny(text, "xXpP_") {
		return 0, strconv.ErrSyntax
	}
	return strconv.ParseFloat(strings.TrimSpace(text), 64)
}

// Latency reads a measured time, in ms after the factor.
func (s *Sheet) Latency(rec, col int, factor float64) (float64, error) {
	x, err := s.Number(rec, col)
	if err != nil {
		return 0, err
	}
	ms := x * factor
	switch {
	case x <= 0:
		return 0, s.CellError(rec, col, "", "a latency of %g is not above 0", x)
	case ms < 1e-3 || ms > 1e8:
		return 0, s.CellError(rec, col, "check the unit in the column's name", "a latency of %g ms is not between 0.001 and 1e8", ms)
	}
	return ms, nil
}

// Shorten cuts a text for an error to 40 characters.
func Shorten(text string) string {
	if utf8.RuneCountInString(text) > 40 {
		return string([]rune(text)[:40]) + "..."
	}
	return text
}
