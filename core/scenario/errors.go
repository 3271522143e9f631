package scenario

import (
	"errors"
	"slices"
	"strings"

	"scoville/core/scenario/document"
)

// A Document is a TOML file flattened to entries; an Error points into it.
type (
	Document = document.Document
	Entry    = document.Entry
	Error    = document.Error
)

// ParseTOML reads a TOML file. Errors are of type *Error.
func ParseTOML(file string, text []byte) (*Document, error) { return document.Parse(file, text) }

// InfeasibleError says why a valid scenario cannot run on its hardware: the
// point is a row with status "infeasible", not an error of the study.
type InfeasibleError struct{ Reason string }

func (e *InfeasibleError) Error() string { return e.Reason }

// Point turns a *FieldError into an *Error at the line that a document has for
// path, which may be another key than the error's own: an axis, for example.
// Other errors are returned as they are.
func Point(d *Document, path string, err error) error {
	fe, ok := errors.AsType[*FieldError](err)
	if !ok {
		return err
	}
	e := d.Errorf(path, fe.Hint, "%s", fe.Message())
	e.Where = fe.Path
	return e
}

// Locate is Locate of the layers over the hardware file that the scenario has
// its chip from, if it has.
func (r *Resolved) Locate(err error, layers ...Layer) error {
	if r.origin == nil || r.origin.chip == nil {
		return Locate(err, layers...)
	}
	return Locate(err, append([]Layer{{Doc: r.origin.chip, chip: true}}, layers...)...)
}

// Locate makes an error about a study key point at the line of the last layer
// that sets it, or else of a related key or of its table. An error that is
// about an assignment, or about no document, is returned as it is.
func Locate(err error, layers ...Layer) error {
	fe, ok := errors.AsType[*FieldError](err)
	if !ok {
		return err
	}
	for _, path := range append([]string{fe.Path}, fe.Related...) {
		for _, l := range slices.Backward(layers) {
			if slices.ContainsFunc(l.Values, func(a Assignment) bool { return a.Path == path }) {
				return err
			}
			key := path
			if l.chip {
				key = strings.TrimPrefix(path, "hardware.")
			}
			if l.Doc != nil && l.Doc.Has(key) {
				return Point(l.Doc, key, err)
			}
		}
	}
	for _, l := range slices.Backward(layers) {
		if l.Doc != nil && !l.chip {
			return Point(l.Doc, fe.Path, err)
		}
	}
	return err
}
