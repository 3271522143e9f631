// Package results knows the dataset that one sweep leaves in a folder: a row
// per run, per point and per effect, the study as it was written, and a
// manifest that says where it all came from. It writes, locks, checks and
// reopens such folders. It knows no metric and no simulator: metric columns
// and run results are handed in.
//
// The tables depend only on what was simulated: equal runs give equal bytes,
// whatever the number of workers. Times, hosts and workers are in the manifest
// alone.
package results

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"
	"unicode/utf8"

	"scoville/core/table"
	"scoville/sweep/results/compare"
	"scoville/sweep/results/lock"
	"scoville/sweep/results/place"
	"scoville/sweep/sample"
)

// Schema is the version of the layout of the tables and the manifest: raised
// when a column or a key changes its meaning.
const Schema = 5

// The files of a dataset.
const (
	RunsFile     = "runs.parquet"    // a row per point and replicate
	PointsFile   = "points.parquet"  // a row per point
	EffectsFile  = "effects.parquet" // a row per metric and one-at-a-time change
	ClassesFile  = "classes.parquet" // a row per point and class of requests, where a point has several
	ReportFile   = "report.md"
	PageFile     = "report.html"
	StudyFile    = "study.toml"    // the study, byte for byte
	ManifestFile = "manifest.json" // provenance and wall times
)

// ErrForeign says that a folder's results belong to another study name, result
// schema or simulator version, or are not known to belong to any.
var ErrForeign = errors.New("existing results are not of this study")

// ErrLocked says that another process is writing to the folder.
var ErrLocked = lock.ErrLocked

// Meta is what a dataset is made of beside its runs.
type Meta struct {
	Study      string            // name of the study
	StudyTOML  []byte            // its text, verbatim; UTF-8
	SimVersion int               // version of the simulator
	Seed       uint64            // seed of the study
	Inputs     map[string]string // SHA-256 of every input file by name as the study gives it
	Overlays   []string          // overlay files, later wins
	Set        []string          // "path=value" given on the command line, later wins
	Notes      []string          // what may surprise, for people
	Point      string            // of the study that alone is run; "" = all; not in the tables
	StudyFile  string            // where the study stands, in full; not in the tables
	Numbers    []Number          // of the hardware that the points rest on
	Sample     *sample.Record    // what [sample] made of the points; nil = none
	Workers    int               // simulations at a time
	Planned    int               // runs of the whole study
	Most       int               // runs it could have had: more where a stopping rule or a race decided
	Until      string            // that stopping rule, in words; "" = none
	Race       bool              // a race dropped designs

	// Independent says that every point draws requests of its own: effects are
	// differences of means, not means of differences.
	Independent bool

	Axes         []Axis         // axis columns, in the study's order
	Metrics      []table.Column // metric columns, Float64, in the order of Run.Metrics
	ClassMetrics []table.Column // likewise of a class, in the order of class.Values

	Report     ReportSpec  // what the study asks of its report
	Objectives []Objective // metrics that the points are compared by

	// Selected names the metrics that points and effects are computed for;
	// nil is all. Runs always have every metric column.
	Selected []string
}

// Axis is a varied parameter, or a named axis of parameters that vary
// together.
type Axis struct {
	Path  string     // scenario path, or the name of a zip or cases axis
	Kind  table.Kind // kind of its values
	Unit  string     // unit of its values; empty if none
	Group string     // name of the axis it belongs to: columns of one axis vary together
	Outer bool       // each of its values has a one-at-a-time baseline of its own
}

// Set is a dataset being written. One process writes to a folder at a time.
type Set struct {
	dir      string
	meta     Meta
	axes     []table.Column
	selected []int // into meta.Metrics
	compare  *compare.Comparison
	host     string
	started  time.Time
	lock     *lock.Lock
}

// Create makes or opens the folder dir for the study of meta and locks it until
// Close. Results of the same study, schema and simulator version stay readable
// until Write replaces them; others are refused with ErrForeign, a folder that
// a live process writes to with ErrLocked. What killed writers left is removed.
func Create(dir string, meta Meta) (*Set, error) {
	s := &Set{dir: dir, meta: meta, started: time.Now()}
	if err := s.check(); err != nil {
		return nil, fmt.Errorf("results: %w", err)
	}
	if err := place.Check(dir); err != nil {
		return nil, fmt.Errorf("results: %w", err)
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, fmt.Errorf("results: %w", err)
	}
	var err error
	if s.host, err = os.Hostname(); err != nil {
		return nil, fmt.Errorf("results: %w", err)
	}
	if s.lock, err = lock.Acquire(dir, lock.Holder{PID: os.Getpid(), Host: s.host, Start: s.started.UTC().Truncate(time.Second)}); err != nil {
		return nil, fmt.Errorf("results: %w", err)
	}
	if err := s.prepare(); err != nil {
		s.Close()
		return nil, fmt.Errorf("results: %w", err)
	}
	return s, nil
}

// Close unlocks the folder. It is safe to call again.
func (s *Set) Close() error { return s.lock.Release() }

// check derives the columns from the metadata, and refuses what would fail
// only after the runs.
func (s *Set) check() error {
	m := &s.meta
	m.Overlays, m.Set = append([]string{}, m.Overlays...), append([]string{}, m.Set...) // JSON [] rather than null
	if m.Inputs == nil {
		m.Inputs = map[string]string{}
	}
	if m.Study == "" {
		return errors.New("the study has no name")
	}
	if !utf8.Valid(m.StudyTOML) {
		return errors.New("the study's text is not UTF-8")
	}
	paths := make([]string, len(m.Axes))
	for i, a := range m.Axes {
		if a.Path == "" {
			return fmt.Errorf("axis %d has no path", i)
		}
		paths[i] = a.Path
	}
	for i, name := range AxisNames(paths, m.Metrics) {
		a := m.Axes[i]
		s.axes = append(s.axes, table.Column{Name: name, Kind: a.Kind, Path: a.Path, Unit: a.Unit, Definition: "value of the axis"})
	}
	for _, c := range m.Metrics {
		if c.Kind != table.Float64 || c.Path != "" {
			return fmt.Errorf("metric %q: want a float64 column without a path", c.Name)
		}
	}
	var err error
	if s.compare, err = s.comparison(); err != nil {
		return err
	}
	for i, c := range m.Metrics {
		if m.Selected == nil || slices.Contains(m.Selected, c.Name) {
			s.selected = append(s.selected, i)
		}
	}
	for _, name := range m.Selected {
		if !slices.ContainsFunc(m.Metrics, func(c table.Column) bool { return c.Name == name }) {
			return fmt.Errorf("no metric %q", name)
		}
	}
	return nil
}

// prepare looks at what the locked folder holds. A first manifest says whose
// the folder is even if the process is killed before it writes results.
func (s *Set) prepare() error {
	if err := errors.Join(table.RemoveStale(s.dir), s.tryTables()); err != nil {
		return err
	}
	old, err := ReadManifest(s.dir)
	switch {
	case err == nil && (old.Digest != "" || old.Schema != Schema || old.Study != s.meta.Study):
		return s.sameStudy(old)
	case err == nil: // stopped before it wrote tables; its journal says of which version its runs are
		return s.manifest(nil).write(s.dir)
	case !errors.Is(err, os.ErrNotExist):
		return fmt.Errorf("%w: %w", ErrForeign, err)
	}
	for _, name := range []string{RunsFile, PointsFile, EffectsFile, ClassesFile, StudyFile, ReportFile} { // not ours to replace
		if _, err := os.Lstat(filepath.Join(s.dir, name)); err == nil {
			return fmt.Errorf("%w: %s has %s but no %s; give another folder with -o", ErrForeign, s.dir, name, ManifestFile)
		}
	}
	return s.manifest(nil).write(s.dir)
}

// tryTables makes sure, before hours of runs, that tables of these columns and
// metadata can be written here.
func (s *Set) tryTables() error {
	meta := s.provenance(s.manifest(nil))
	for _, cols := range [][]table.Column{s.runColumns(), s.pointColumns(), s.effectColumns()} {
		w, err := table.Create(filepath.Join(s.dir, RunsFile), cols, meta)
		if err != nil {
			return err
		}
		w.Abort()
	}
	return nil
}

func (s *Set) sameStudy(old *Manifest) error {
	foreign := func(what string, has, want any) error {
		return fmt.Errorf("%w: %s holds %s %v, this is %v; give another folder with -o, or remove that one", ErrForeign, s.dir, what, has, want)
	}
	switch {
	case old.Study != s.meta.Study:
		return foreign("a sweep of study", old.Study, s.meta.Study)
	case old.Schema != Schema:
		return foreign("results of schema", old.Schema, Schema)
	case old.SimVersion != s.meta.SimVersion:
		return foreign("results of simulator version", old.SimVersion, s.meta.SimVersion)
	}
	return nil
}

// WriteFile writes a further file of a dataset, such as a report: a reader
// finds the old one or the whole new one.
func WriteFile(path string, data []byte) error { return table.WriteFile(path, data) }
