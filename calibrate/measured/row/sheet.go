package row

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"scoville/calibrate/measured/plain"
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

	parted map[int]bool // columns whose commas part thousands, as far as asked
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

// ReadSheet reads a table of cells: RFC 4180 with or without CRLF, separated by
// commas, semicolons or tabs, with a byte order mark, blank lines, lines that
// start with #, title lines above the header and blanks around cells; or the
// tables of a Markdown text that hold latencies. Rows that are shorter or longer
// than the header, and headers with repeated names of columns that differ, are
// errors.
func ReadSheet(file string, data []byte) (*Sheet, error) {
	data = bytes.TrimPrefix(data, []byte("\ufeff"))
	if i := bytes.IndexByte(data, 0); i >= 0 || !utf8.Valid(data) {
		return nil, &scenario.Error{File: file, Msg: "not text in UTF-8", Hint: "save it as CSV, UTF-8"}
	}
	s := &Sheet{File: file, Lines: strings.Split(strings.ReplaceAll(string(data), "\r\n", "\n"), "\n")}
	if s.markdown(string(data)); s.Header != nil {
		return s, nil
	}
	r := csv.NewReader(bytes.NewReader(data))
	r.FieldsPerRecord = -1
	r.Comma = plain.Comma(string(data))
	if !s.headComment(r.Comma) {
		r.Comment = '#'
	}
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
		if len(cells) > plain.MaxColumns {
			line, _ := r.FieldPos(0)
			return nil, s.ErrorAt(Place{Line: line}, "", "%d cells in one row, the limit is %d", len(cells), plain.MaxColumns)
		}
		rec := Record{Cells: make([]string, len(cells)), At: make([]Place, len(cells))}
		last := -1 // filled cell
		for i, c := range cells {
			rec.Cells[i] = strings.TrimSpace(c)
			rec.At[i].Line, rec.At[i].Col = r.FieldPos(i)
			if rec.Cells[i] != "" {
				last = i
			}
		}
		if n := len(s.Header); n > 0 && len(cells) > n && last < n {
			rec.Cells, rec.At = rec.Cells[:n], rec.At[:n] // separators at the end of the line
		}
		switch {
		case last < 0:
		case s.Header == nil, filled(s.Header) == 1 && len(s.Records) == 0 && last > 0: // what stood above was a title
			rec.Cells[0] = strings.TrimSpace(strings.TrimPrefix(rec.Cells[0], "#"))
			s.Header, s.HeadAt = rec.Cells, rec.At
		case len(rec.Cells) != len(s.Header):
			return nil, s.ErrorAt(rec.At[0], "", "%d cells in this row, %d columns in the header", len(cells), len(s.Header))
		case (len(s.Records)+1)*len(s.Header) > plain.MaxCells:
			return nil, s.ErrorAt(rec.At[0], "split the file", "more than %d cells", plain.MaxCells)
		default:
			s.Records = append(s.Records, rec)
		}
	}
	if s.Header == nil {
		return nil, &scenario.Error{File: file, Msg: "empty file", Hint: "the first row names the columns"}
	}
	return s, s.checkHeader()
}

// headComment reports whether the header is a line that starts with #: it has
// as many cells as the line after it.
func (s *Sheet) headComment(comma rune) bool {
	last := ""
	for _, l := range s.Lines {
		switch l = strings.TrimSpace(l); {
		case strings.HasPrefix(l, "#"):
			last = l
		case l != "":
			n := strings.Count(last, string(comma))
			return n > 1 && n == strings.Count(l, string(comma))
		}
	}
	return false
}

func filled(cells []string) int {
	n := 0
	for _, c := range cells {
		if c != "" {
			n++
		}
	}
	return n
}

// markdown reads the pipe tables of a text that have a latency among their
// columns, as one table.
func (s *Sheet) markdown(text string) {
	for _, table := range plain.Tables(text) {
		head := table[0]
		if !slices.ContainsFunc(head.Cells, latency) {
			continue
		}
		for _, line := range table[1:] {
			var cells []Cell
			for i, c := range line.Cells[:min(len(line.Cells), len(head.Cells))] {
				cells = append(cells, Cell{head.Cells[i], c})
			}
			r := s.Add(Place{line.Number, 1}, cells)
			r.Dropped = plain.Misfit(head.Cells, line.Cells)
			for i := range cells {
				if k := s.Index(cells[i].Name); k >= 0 {
					r.At[k].Col, s.HeadAt[k] = line.At[i], Place{head.Number, head.At[i]}
				}
			}
		}
	}
}

// latency reports whether a column is named as a latency, with or without unit.
func latency(name string) bool {
	_, ok, problem := MetricOf(name)
	return ok || problem != ""
}

// checkHeader refuses columns of one name, unless they hold the same.
func (s *Sheet) checkHeader() error {
	for i, h := range s.Header {
		first := s.Index(h)
		if h == "" || first == i {
			continue
		}
		for _, r := range s.Records {
			if r.Cells[first] != r.Cells[i] {
				return s.HeadError(i, "", "column %q occurs twice", h)
			}
		}
		s.Header[i] = ""
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
	return s.number(rec, col, s.Records[rec].Cells[col])
}

func (s *Sheet) number(rec, col int, text string) (float64, error) {
	x, err := plain.Number(text)
	if err != nil && strings.Contains(text, ",") {
		if x, err = plain.Number(s.ungrouped(text, col)); err != nil {
			return 0, s.CellError(rec, col, "is its comma the decimal point, or does it part thousands? write numbers as 1234.5", "%q is not a number", Shorten(text))
		}
	}
	if err != nil {
		return 0, s.CellError(rec, col, "", "%q is not a number", Shorten(text))
	}
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return 0, s.CellError(rec, col, "leave the cell empty where nothing was measured", "%s is not a value", text)
	}
	return x, nil
}

// grouped is a number with its thousands parted by commas.
var grouped = regexp.MustCompile(`^[+-]?[1-9]\d{0,2}(,\d{3})+(\.\d*)?$`)

// ungrouped takes the commas out of a number whose thousands they part.
func (s *Sheet) ungrouped(text string, col int) string {
	if s.parted == nil {
		s.parted = map[int]bool{}
	}
	parts, known := s.parted[col]
	if !known {
		parts = s.partThousands(col)
		s.parted[col] = parts
	}
	if !parts || !grouped.MatchString(text) {
		return text
	}
	return strings.ReplaceAll(text, ",", "")
}

// partThousands reports whether the commas of a column part thousands. One comma
// with three digits behind it, 1,024, may be a decimal one: it is not where all
// commas of the column have three digits behind them and one number has two
// commas or a point, or, in a column of no latencies, is whole and short without.
func (s *Sheet) partThousands(col int) bool {
	sure := false
	for i := range s.Records {
		c := s.Records[i].Cells[col]
		switch {
		case strings.Contains(c, ",") && !grouped.MatchString(c):
			return false
		case strings.Count(c, ",") > 1, strings.Contains(c, "."):
			sure = true
		case len(c) <= 3 && !strings.Contains(c, ",") && !latency(s.Header[col]):
			_, err := strconv.Atoi(c)
			sure = sure || err == nil
		}
	}
	return sure
}

// unitInCell finds a unit of time behind a number.
var unitInCell = regexp.MustCompile(`^(.*[\d.])\s*(ms|msec|milliseconds?|s|secs?|seconds?|us|µs|μs)$`)

// cellUnit cuts the unit off a cell and returns the factor that makes it ms; 0
// for a cell without one.
func cellUnit(cell string) (number string, factor float64) {
	m := unitInCell.FindStringSubmatch(cell)
	switch {
	case m == nil:
		return cell, 0
	case m[2][0] == 'm':
		return m[1], 1
	case m[2][0] == 's':
		return m[1], 1e3
	}
	return m[1], 1e-3
}

// cellUnits reports whether every filled cell of a column has a unit.
func (s *Sheet) cellUnits(col int) bool {
	any := false
	for i := range s.Records {
		c := s.Records[i].Cells[col]
		if Nothing(c) || Lost(c) {
			continue
		}
		if _, f := cellUnit(c); f == 0 {
			return false
		}
		any = true
	}
	return any
}

// Latency reads a measured time, in ms after the factor of its column or after
// the unit that stands in the cell.
func (s *Sheet) Latency(rec, col int, factor float64) (float64, error) {
	text, own := cellUnit(s.Records[rec].Cells[col])
	if own != 0 {
		if named, ok, problem := MetricOf(s.Header[col]); ok && problem == "" && named.Factor != own {
			return 0, s.CellError(rec, col, "which one is it?", "%q has another unit than the name of its column", Shorten(s.Records[rec].Cells[col]))
		}
		factor = own
	}
	x, err := s.number(rec, col, text)
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

// Nothing reports whether a cell says nothing: it is empty, or a word for it.
func Nothing(text string) bool {
	switch strings.ToLower(text) {
	case "", "none", "null", "nan", "n/a", "na", "#n/a", "nil", "-", "--", "—", "–", "auto", "default":
		return true
	}
	return false
}

// Lost reports whether a cell says that the run gave no value.
func Lost(text string) bool {
	switch strings.ToLower(text) {
	case "oom", "out of memory", "fail", "failed", "failure", "error", "err", "timeout", "timed out", "x", "crash", "crashed", "dnf":
		return true
	}
	return false
}
