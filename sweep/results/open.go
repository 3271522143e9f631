package results

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"scoville/core/table"
	"scoville/sweep/results/layout"
	"scoville/sweep/results/place"
)

// Dataset is a sweep's results read back. Its tables are as Write left them;
// rows are in the order of the plan. The points are in memory, the larger
// tables are read when asked for.
type Dataset struct {
	Dir      string
	Manifest Manifest
	Study    string // text of the study
	Points   *table.Frame
}

// Open reads the dataset in dir. Results of another schema are ErrForeign; a
// folder without results, or with tables of different makings, says so.
func Open(dir string) (*Dataset, error) { return OpenFor(dir, nil) }

// OpenFor is Open with the points of a few metrics only: choose gets the names of
// all and returns those to read, with _n where a count is wanted; nil reads all.
func OpenFor(dir string, choose func(metrics []string) []string) (*Dataset, error) {
	d, err := open(dir, choose)
	if err != nil {
		return nil, fmt.Errorf("results: %w", err)
	}
	return d, nil
}

func open(dir string, choose func([]string) []string) (*Dataset, error) {
	if _, err := os.Lstat(filepath.Join(dir, ManifestFile)); errors.Is(err, os.ErrNotExist) {
		return nil, fmt.Errorf("%s holds no results: %s: %w", dir, ManifestFile, os.ErrNotExist)
	}
	if err := place.Check(dir); err != nil {
		return nil, err
	}
	m, err := ReadManifest(dir)
	switch {
	case err != nil:
		return nil, err
	case m.Schema != Schema:
		return nil, fmt.Errorf("%w: %s has result schema %d, this program reads %d", ErrForeign, dir, m.Schema, Schema)
	case m.Digest == "":
		return nil, fmt.Errorf("%s holds no results yet: the sweep begun at %s did not write any", dir, m.Started.Format("2006-01-02 15:04:05"))
	}
	d := &Dataset{Dir: dir, Manifest: *m}
	var keep func(table.Column) bool
	if choose != nil {
		left := pointNames(m.Metrics, choose(m.Metrics))
		keep = func(c table.Column) bool { return !left[c.Name] }
	}
	if d.Points, err = d.read(PointsFile, keep); err != nil {
		return nil, err
	}
	if !fixedBlocks(d.Points.Columns, layout.Pick(runHead, pointShared), pointEnd) {
		return nil, fmt.Errorf("%s has not the columns of a points table", filepath.Join(dir, PointsFile))
	}
	d.Study = d.Points.Meta["study_toml"]
	return d, nil
}

// Runs reads the runs table.
func (d *Dataset) Runs() (*table.Frame, error) { return d.RunsFor(nil) }

// RunsFor is Runs with few of the columns between the fixed ones, axes and
// metrics; nil keeps all.
func (d *Dataset) RunsFor(keep func(table.Column) bool) (*table.Frame, error) {
	fixed := map[string]bool{}
	for _, c := range slices.Concat(runHead, runTail) {
		fixed[c.Name] = true
	}
	some := func(c table.Column) bool { return fixed[c.Name] || keep(c) }
	if keep == nil {
		some = nil
	}
	f, err := d.read(RunsFile, some)
	if err == nil && !fixedBlocks(f.Columns, runHead, runTail) {
		err = fmt.Errorf("%s has not the columns of a runs table", filepath.Join(d.Dir, RunsFile))
	}
	return f, err
}

// Effects reads the effects table.
func (d *Dataset) Effects() (*table.Frame, error) { return d.read(EffectsFile, nil) }

// Classes reads the table of request classes; nil if no point has several.
func (d *Dataset) Classes() (*table.Frame, error) {
	if _, err := os.Stat(filepath.Join(d.Dir, ClassesFile)); errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	return d.read(ClassesFile, nil)
}

// pointNames are the columns that metrics have in points, but for some, and _n.
func pointNames(metrics, but []string) map[string]bool {
	names := map[string]bool{}
	for _, m := range metrics {
		for _, suffix := range statistics {
			names[m+suffix] = (suffix == "_n" || !slices.Contains(but, m)) && !slices.Contains(but, m+suffix)
		}
	}
	return names
}

// read reads a table of this making, or those of its columns that are kept.
func (d *Dataset) read(name string, keep func(table.Column) bool) (*table.Frame, error) {
	path := filepath.Join(d.Dir, name)
	f, err := table.ReadSome(path, keep)
	if err != nil {
		return nil, err
	}
	if f.Meta["digest"] != d.Manifest.Digest {
		return nil, fmt.Errorf("%s and %s are of different makings: a write was cut short; run the sweep again", path, ManifestFile)
	}
	return f, nil
}

// fixedBlocks says whether the columns begin and end as they must.
func fixedBlocks(cols, head, tail []table.Column) bool {
	same := func(a, b table.Column) bool { return a.Name == b.Name && a.Kind == b.Kind }
	end := len(cols) - len(tail)
	return end >= len(head) && slices.EqualFunc(cols[:len(head)], head, same) && slices.EqualFunc(cols[end:], tail, same)
}

// Axes returns the axis columns of the points table: those with a path.
func (d *Dataset) Axes() []table.Column {
	return slices.DeleteFunc(slices.Clone(d.Points.Columns), func(c table.Column) bool { return c.Path == "" })
}

// Metrics returns the metrics that were read, by their names in the runs table.
// In points each has the suffixes _mean, _ci_lo, _ci_hi, _n, _delta_ratio,
// _delta_ci_lo, _delta_ci_hi, _gain_ratio, _pred_lo and _pred_hi.
func (d *Dataset) Metrics() []table.Column {
	var out []table.Column
	for _, m := range d.Manifest.Metrics {
		if i := d.Points.Index(m + "_mean"); i >= 0 {
			c := d.Points.Columns[i]
			c.Name = m
			out = append(out, c)
		}
	}
	return out
}
