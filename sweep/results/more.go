package results

import (
	"errors"
	"os"
	"path/filepath"
	"slices"

	"scoville/core/table"
	"scoville/sweep/results/searches"
)

// SearchesFile has a row per search, of a study with [search].
const SearchesFile = "searches.parquet"

// ConfirmFile is what a confirmation says of the results; it goes when they
// are written anew.
const ConfirmFile = "confirm.json"

// optional are the files that only some results have.
var optional = []string{SearchesFile, ClassesFile, ConfirmFile}

// Table is a further table of a dataset, written with the others.
type Table = searches.Table

// Searches makes the table of searches. The axes of a search are the outer
// ones but for the last, which is the path that is searched over.
func (s *Set) Searches(list []searches.Search) Table {
	var axes []table.Column
	for i, a := range s.meta.Axes {
		if a.Outer {
			axes = append(axes, s.axes[i])
		}
	}
	return Table{File: SearchesFile, Columns: searches.Columns(axes[:len(axes)-1]), Rows: searches.Rows(list)}
}

// Plan says how many runs there are in all, where that is known only after them.
func (s *Set) Plan(runs int) { s.meta.Planned = runs }

// clean removes optional files of an earlier making that this one has not.
func (s *Set) clean(m *Manifest) error {
	for _, name := range optional {
		if slices.Contains(m.Tables, name) {
			continue
		}
		if err := os.Remove(filepath.Join(s.dir, name)); err != nil && !errors.Is(err, os.ErrNotExist) {
			return err
		}
	}
	return nil
}

// Searches reads the table of searches; nil for a study without [search].
func (d *Dataset) Searches() (*table.Frame, error) {
	if !slices.Contains(d.Manifest.Tables, SearchesFile) {
		return nil, nil
	}
	return d.read(SearchesFile, nil)
}
