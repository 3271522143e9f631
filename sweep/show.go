package sweep

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"scoville/core"
	"scoville/sweep/explain"
	"scoville/sweep/plan"
	"scoville/sweep/results"
	"scoville/sweep/study"
)

// ErrChanged says that a file that results were made of is not what it was.
var ErrChanged = errors.New("an input has changed since the results were written")

// ErrNotReproduced says that a point does not give the numbers of its tables.
var ErrNotReproduced = errors.New("the point is not reproduced")

// ShowOptions is what Show explains, and how.
type ShowOptions struct {
	Dir   string // folder of the results
	Point string // index, id, or unique beginning of an id; "" = the only point or the only baseline
	Jobs  int    // simulations at a time, at least 1
	Quick bool   // leave out the paired runs
}

// Explanation is a point, explained.
type Explanation = explain.Explanation

// Show explains one point of finished results. It simulates the point again,
// from the study in the folder and the inputs that stand where they stood, and
// compares. Errors that are the user's to mend are of type *InputError; others
// are ErrForeign, ErrChanged, or the context's. A point that is not reproduced
// is explained, and the error is ErrNotReproduced.
func Show(ctx context.Context, o ShowOptions) (*Explanation, error) {
	d, err := results.OpenFor(o.Dir, func(all []string) []string { return all[:min(1, len(all))] })
	if errors.Is(err, results.ErrForeign) {
		return nil, err
	}
	if err != nil {
		return nil, &InputError{err}
	}
	p, err := reload(d)
	if err != nil {
		return nil, err
	}
	point, err := choose(d, p, o.Point)
	if err != nil {
		return nil, err
	}
	runs, err := d.Runs()
	if err != nil {
		return nil, &InputError{err}
	}
	x, err := explain.Point(ctx, explain.Input{Plan: p, Point: point, Runs: runs, Jobs: o.Jobs, Quick: o.Quick})
	if err != nil {
		return nil, err
	}
	x.Rerun = rerun(d, x, p.Len() == 1)
	if x.Differs != "" {
		return x, fmt.Errorf("%w: %s", ErrNotReproduced, x.Differs)
	}
	return x, nil
}

// reload expands the study of a dataset again, after checking that everything
// it was made of is unchanged.
func reload(d *results.Dataset) (*Plan, error) {
	m := &d.Manifest
	if m.SimVersion != core.Version {
		return nil, fmt.Errorf("%w: %s holds results of simulator version %d, this is %d; run the study again", ErrForeign, d.Dir, m.SimVersion, core.Version)
	}
	file := filepath.Join(d.Dir, results.StudyFile)
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, &InputError{err}
	}
	if sum := sha256.Sum256(text); hex.EncodeToString(sum[:]) != m.StudySHA256 {
		return nil, fmt.Errorf("%w: %s, the copy of the study", ErrChanged, file)
	}
	home := home(d)
	for _, name := range slices.Sorted(maps.Keys(m.Inputs)) {
		if name == filepath.Base(home) { // the study itself
			continue
		}
		if err := unchanged(filepath.Dir(home), name, m.Inputs[name]); err != nil {
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

// home is where the study stood; the copy in the folder where nothing says so.
func home(d *results.Dataset) string {
	if d.Manifest.StudyFile != "" {
		return d.Manifest.StudyFile
	}
	return filepath.Join(d.Dir, results.StudyFile)
}

// unchanged checks an input that the study names.
func unchanged(dir, name, want string) error {
	path := filepath.FromSlash(name)
	if !filepath.IsAbs(path) {
		path = filepath.Join(dir, path)
	}
	f, err := os.Open(path)
	if err != nil {
		return fmt.Errorf("%w: %s is gone: %w", ErrChanged, path, err)
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

// rerun returns commands that run the explained point alone.
func rerun(d *results.Dataset, x *Explanation, only bool) []string {
	m, file := &d.Manifest, home(d)
	var lines []string
	if unchanged(filepath.Dir(file), filepath.Base(file), m.StudySHA256) != nil { // edited, moved or removed since
		kept := filepath.Join(d.Dir, results.StudyFile)
		if len(m.Inputs) <= 1 {
			file = kept
		} else {
			file = filepath.Join(filepath.Dir(file), m.Study+"-"+x.ID[:8]+".toml")
			lines = append(lines, "cp "+quote(short(kept))+" "+quote(short(file))+"   # the study as it was, beside its inputs")
		}
	}
	command := "sweep run " + quote(short(file))
	if !only {
		command += " --point " + x.ID
	}
	for _, set := range m.Set {
		command += " --set " + quote(set)
	}
	return append(lines, command)
}

// short is a file's name from the working directory, where that is shorter.
func short(file string) string {
	cwd, err := os.Getwd()
	if err != nil {
		return file
	}
	full, err := filepath.Abs(file)
	if err != nil {
		return file
	}
	if rel, err := filepath.Rel(cwd, full); err == nil && len(rel) < len(full) {
		return rel
	}
	return full
}

// quote makes a word safe for a shell.
func quote(s string) string {
	safe := func(c rune) bool {
		return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || strings.ContainsRune("-_./=:,+@%", c)
	}
	if s != "" && strings.IndexFunc(s, func(c rune) bool { return !safe(c) }) < 0 {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}
