package results

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"scoville/core/table"
)

// Dataset is a sweep's results read back. Its tables are as Write left them;
// rows are in the order of the plan.
type Dataset struct {
	Dir                   string
	Manifest              Manifest
	Study                 string // text of the study
	Runs, Points, Effects *table.Frame
}

// Open reads the dataset in dir. Results of another schema are ErrForeign; a
// folder without results, or with tables of different makings, says so.
func Open(dir string) (*Dataset, error) {
	d, err := open(dir)
	if err != nil {
		return nil, fmt.Errorf("results: %w", err)
	}
	return d, nil
}

func open(dir string) (*Dataset, error) {
	m, err := ReadManifest(dir)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return nil, fmt.Errorf("%s holds no results: %w", dir, err)
	case err != nil:
		return nil, err
	case m.Schema != Schema:
		return nil, fmt.Errorf("%w: %s has result schema %d, this program reads %d", ErrForeign, dir, m.Schema, Schema)
	case m.Digest == "":
		return nil, fmt.Errorf("%s holds no results yet: the sweep begun at %s did not write any", dir, m.Started.Format("2006-01-02 15:04:05"))
	}
	d := &Dataset{Dir: dir, Manifest: *m}
	for _, t := range []struct {
		name  string
		frame **table.Frame
	}{{RunsFile, &d.Runs}, {PointsFile, &d.Points}, {EffectsFile, &d.Effects}} {
		path := filepath.Join(dir, t.name)
		if *t.frame, err = table.Read(path); err != nil {
			return nil, err
		}
		if (*t.frame).Meta["digest"] != m.Digest {
			return nil, fmt.Errorf("%s and %s are of different makings: a write was cut short; run the sweep again", path, ManifestFile)
		}
	}
	if !fixedBlocks(d.Runs.Columns) {
		return nil, fmt.Errorf("%s has not the columns of a runs table", filepath.Join(dir, RunsFile))
	}
	d.Study = d.Runs.Meta["study_toml"]
	return d, nil
}

// fixedBlocks says whether the columns begin and end as those of every runs
// table.
func fixedBlocks(cols []table.Column) bool {
	same := func(a, b table.Column) bool { return a.Name == b.Name && a.Kind == b.Kind }
	end := len(cols) - len(runTail)
	return end >= len(runHead) && slices.EqualFunc(cols[:len(runHead)], runHead, same) && slices.EqualFunc(cols[end:], runTail, same)
}

// Axes returns the axis columns of the runs and points tables.
func (d *Dataset) Axes() []table.Column { return d.between(true) }

// Metrics returns the metric columns of the runs table. In points a metric has
// its name with the suffixes _mean, _ci_lo, _ci_hi, _n, _delta_ratio,
// _delta_ci_lo and _delta_ci_hi, if it was selected.
func (d *Dataset) Metrics() []table.Column { return d.between(false) }

// between returns the columns that lie between the fixed ones: axes have a
// path, metrics none.
func (d *Dataset) between(axes bool) []table.Column {
	var cols []table.Column
	all := d.Runs.Columns
	for _, c := range all[len(runHead) : len(all)-len(runTail)] {
		if (c.Path != "") == axes {
			cols = append(cols, c)
		}
	}
	return cols
}
