package row

import (
	"bytes"

	"scoville/calibrate/measured/plain"
	"scoville/core/scenario"
)

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
