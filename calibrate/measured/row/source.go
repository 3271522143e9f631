package row

import (
	"bytes"

	"scoville/calibrate/measured/plain"
	"scoville/core/scenario"
)

// Options of reading. The zero value is right for files that speak for
// themselves.
type Options struct {
	Format  string                // name of a form; "" or "auto" = the one that knows the file
	Columns map[string]string     // scenario key or metric -> column, where the header does not say it
	Fixed   []scenario.Assignment // values for all rows, which stand before those of the file
	Names   bool                  // chip, parallelism and engine version are taken from names and texts where rows do not say them
	Unit    string                // "ms" or "s": unit of latencies whose column names none; "" = such a column is an error that asks
}

// Source is a file to read.
type Source struct {
	Name string
	Data []byte
	Options

	read  bool
	sheet *Sheet
	err   error
}

// Sheet returns the file as comma-separated values; it is read once.
func (s *Source) Sheet() (*Sheet, error) {
	if !s.read {
		s.sheet, s.err = ReadSheet(s.Name, s.Data)
		s.read = true
	}
	return s.sheet, s.err
}

// Has reports whether the file is a table of comma-separated values with all
// these columns, folded.
func (s *Source) Has(columns ...string) bool {
	if s.JSON() {
		return false
	}
	sheet, err := s.Sheet()
	if err != nil {
		return false
	}
	folded := map[string]bool{}
	for _, h := range sheet.Header {
		folded[Fold(h)] = true
	}
	for _, c := range columns {
		if !folded[Fold(c)] {
			return false
		}
	}
	return true
}

// JSON reports whether the file starts like JSON: with an object or an array.
func (s *Source) JSON() bool {
	text := bytes.TrimLeft(bytes.TrimPrefix(s.Data, []byte("\ufeff")), " \t\r\n")
	return len(text) > 0 && (text[0] == '{' || text[0] == '[')
}

// Errorf returns an error about the file as a whole.
func (s *Source) Errorf(hint, msg string) error {
	return &scenario.Error{File: s.Name, Msg: msg, Hint: hint}
}

// Object is one JSON object of a file.
type Object = plain.Object

// AsNumber returns a JSON value as a finite number, CellText as the text of a
// cell.
var (
	AsNumber = plain.AsNumber
	CellText = plain.CellText
)

// Objects reads a file of JSON objects, as plain.Objects does.
func (s *Source) Objects() ([]Object, error) {
	list, fault := plain.Objects(bytes.TrimPrefix(s.Data, []byte("\ufeff")))
	if fault != nil {
		return nil, &scenario.Error{File: s.Name, Line: fault.Line, Msg: fault.Msg, Hint: fault.Hint}
	}
	return list, nil
}
