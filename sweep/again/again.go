// Package again opens finished results to do something with their study once
// more: it expands the study after checking that everything it was made of is
// unchanged. It simulates nothing.
package again

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"scoville/core"
	"scoville/core/scenario/file"
	"scoville/sweep/plan"
	"scoville/sweep/results"
	"scoville/sweep/study"
)

// ErrChanged says that a file that results were made of is not what it was.
var ErrChanged = errors.New("an input has changed since the results were written")

// InputError is an error of the study, another input or the folder of the
// results, for the user to mend.
type InputError struct{ Err error }

func (e *InputError) Error() string { return e.Err.Error() }

// Unwrap returns the error that points into the input.
func (e *InputError) Unwrap() error { return e.Err }

// Input makes an *InputError of err.
func Input(err error) error { return &InputError{err} }

// Open reads results with the points of some metrics, see results.OpenFor. A
// folder that holds none is an *InputError, of another schema ErrForeign.
func Open(dir string, choose func([]string) []string) (*results.Dataset, error) {
	d, err := results.OpenFor(dir, choose)
	switch {
	case errors.Is(err, results.ErrForeign), err == nil:
		return d, err
	case errors.Is(err, os.ErrNotExist):
		if _, gone := os.Stat(dir); gone != nil {
			return nil, &InputError{fmt.Errorf("%s holds no results: there is no such folder", dir)}
		}
	}
	return nil, &InputError{err}
}

// Load expands the study of a dataset again, after checking that everything
// it was made of is unchanged.
func Load(d *results.Dataset) (*plan.Plan, error) {
	m := &d.Manifest
	if m.SimVersion != core.Version {
		return nil, fmt.Errorf("%w: %s holds results of simulator version %d, this is %d; run the study again", results.ErrForeign, d.Dir, m.SimVersion, core.Version)
	}
	copied := filepath.Join(d.Dir, results.StudyFile)
	text, err := file.Read(copied, file.MaxText)
	if err != nil {
		return nil, &InputError{fmt.Errorf("%s: %w", copied, err)}
	}
	if sum := sha256.Sum256(text); hex.EncodeToString(sum[:]) != m.StudySHA256 {
		return nil, fmt.Errorf("%w: %s, the copy of the study", ErrChanged, copied)
	}
	home := Home(d)
	for _, name := range slices.Sorted(maps.Keys(m.Inputs)) {
		if name == filepath.Base(home) { // the study itself
			continue
		}
		if err := Unchanged(filepath.Dir(home), name, m.Inputs[name]); err != nil {
			return nil, err
		}
	}
	st, err := study.Decode(home, text, m.Set)
	if err != nil {
		return nil, &InputError{err}
	}
	if st.Name != m.Study { // named after its file, which is elsewhere now
		st.Name = m.Study
	}
	p, err := plan.New(st)
	if err != nil {
		return nil, &InputError{err}
	}
	return p, nil
}

// Home is where the study stood; the copy in the folder where nothing says so.
func Home(d *results.Dataset) string {
	if d.Manifest.StudyFile != "" {
		return d.Manifest.StudyFile
	}
	return filepath.Join(d.Dir, results.StudyFile)
}

// Unchanged checks an input that the study in dir names by its SHA-256, in hex;
// the error is ErrChanged.
func Unchanged(dir, name, want string) error {
	path := filepath.FromSlash(name)
	if !filepath.IsAbs(path) {
		path = filepath.Join(dir, path)
	}
	f, err := file.Open(path)
	if errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("%w: %s is gone", ErrChanged, path)
	}
	if err != nil {
		return fmt.Errorf("%w: %s cannot be read: %w", ErrChanged, path, err)
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return fmt.Errorf("%w: %s: %w", ErrChanged, path, err)
	}
	if got := hex.EncodeToString(h.Sum(nil)); got != want {
		return fmt.Errorf("%w: %s had SHA-256 %.12s, has %.12s; restore it, or run the study again", ErrChanged, path, want, got)
	}
	return nil
}
