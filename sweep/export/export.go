// Package export writes the tables of finished results as CSV, a row group at a
// time. It computes nothing.
package export

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"scoville/core/scenario"
	"scoville/core/sheet"
	"scoville/core/table"
	"scoville/sweep/again"
	"scoville/sweep/results"
	"scoville/sweep/results/filter"
	"scoville/sweep/results/said"
)

// Tables are the names of what CSV writes.
var Tables = []string{"points", "runs", "effects", "searches", "classes", "requests"}

// files are the tables that are one file.
var files = map[string]string{
	"points": results.PointsFile, "runs": results.RunsFile, "effects": results.EffectsFile,
	"searches": results.SearchesFile, "classes": results.ClassesFile,
}

// absent says why a folder may not have a table.
var absent = map[string]string{
	"searches": "the study has no [search]",
	"classes":  "no point has more than one class of requests",
}

// Options is what is written.
type Options struct {
	Dir     string   // folder of the results
	Table   string   // of Tables; "" = points
	Where   string   // condition on the rows; "" = all
	Columns []string // columns to write, in this order: names, or patterns such as "ttft_*"; nil = all
}

// CSV writes a table of results: a header of column names, a line per row in the
// order of the table. Numbers are the shortest that read back as the same float64,
// NULL is an empty cell, truth values are true and false, and no text is a formula
// to a spreadsheet (core/sheet). Equal results give equal bytes. Errors are
// *again.InputError, results.ErrForeign, or of w.
func CSV(o Options, w io.Writer) error {
	s := &sink{out: sheet.NewWriter(w)}
	rows, err := filter.Parse(o.Where)
	if err != nil {
		return again.Input(fmt.Errorf("--where: %w", err))
	}
	s.rows, s.names = rows, o.Columns
	if o.Table == "" {
		o.Table = Tables[0]
	}
	if !slices.Contains(Tables, o.Table) {
		return again.Input(unknown("table", o.Table, Tables))
	}
	d, err := again.Open(o.Dir, func([]string) []string { return nil })
	if err != nil {
		return err
	}
	s.rows = s.rows.With(said.Values(d.Study, d.Manifest.Set))
	if o.Table == "requests" {
		err = s.requests(d)
	} else {
		err = s.file(d, o.Table)
	}
	if err != nil {
		return err
	}
	s.out.Flush()
	return s.out.Error()
}

// maxHints bounds the names that an error lists.
const maxHints = 8

func unknown(what, name string, known []string) error {
	hint := "there are " + strings.Join(known, ", ")
	if near := scenario.Closest(name, known); near != "" {
		hint = fmt.Sprintf("did you mean %q?", near)
	} else if len(known) > maxHints {
		hint = "sweep list columns says which there are"
		if near := alike(name, known); near != nil {
			hint = "nearest are " + strings.Join(near, ", ") + "; " + hint
		}
	}
	return fmt.Errorf("no %s %q: %s", what, name, hint)
}

// alike are some of the names that share a word with one.
func alike(name string, known []string) (out []string) {
	words := strings.FieldsFunc(strings.ToLower(name), func(r rune) bool { return strings.ContainsRune("_. -", r) })
	for _, k := range known {
		shares := func(w string) bool { return len(w) > 2 && strings.Contains(k, w) }
		if slices.ContainsFunc(words, shares) && len(out) < maxHints {
			out = append(out, k)
		}
	}
	return out
}

// sink is where rows go.
type sink struct {
	out   *sheet.Writer
	rows  filter.Rows
	names []string // as asked
	line  []string
}

// file writes a table that is one file.
func (s *sink) file(d *results.Dataset, name string) error {
	path := filepath.Join(d.Dir, files[name])
	if why := absent[name]; why != "" && !slices.Contains(d.Manifest.Tables, files[name]) {
		return again.Input(fmt.Errorf("%s has no table of %s: %s", d.Dir, name, why))
	}
	head, err := table.Scan(path, nil)
	if err != nil {
		return again.Input(err)
	}
	cols := head.Head().Columns
	head.Close()
	chosen, err := s.begin(cols)
	if err != nil {
		return err
	}
	return s.scan(path, chosen, func(h *table.Frame) error {
		if h.Meta["digest"] != d.Manifest.Digest {
			return again.Input(fmt.Errorf("%s and %s are of different makings: a write was cut short; run the sweep again", path, results.ManifestFile))
		}
		return nil
	})
}

// begin checks what is asked against the columns there are, writes the header and
// returns the columns to write.
func (s *sink) begin(cols []table.Column) ([]string, error) {
	if err := s.rows.Check(cols); err != nil {
		return nil, again.Input(fmt.Errorf("--where: %w", err))
	}
	chosen, err := choose(cols, s.names)
	if err != nil {
		return nil, again.Input(fmt.Errorf("--columns: %w", err))
	}
	return chosen, s.out.Write(chosen)
}

// choose returns the names of the columns that are asked for, each once.
func choose(cols []table.Column, names []string) (out []string, err error) {
	var known []string
	for _, c := range cols {
		known = append(known, c.Name)
	}
	if names == nil {
		return known, nil
	}
	if len(names) == 0 {
		return nil, errors.New("names no column")
	}
	add := func(name string) {
		if !slices.Contains(out, name) {
			out = append(out, name)
		}
	}
	for _, name := range names {
		name = strings.TrimSpace(name)
		if strings.ContainsAny(name, "*?") {
			n := len(out)
			for _, k := range known {
				if ok, err := filepath.Match(name, k); err != nil {
					return nil, fmt.Errorf("%q is no pattern", name)
				} else if ok {
					add(k)
				}
			}
			if len(out) == n {
				return nil, fmt.Errorf("no column matches %q; sweep list columns says which there are", name)
			}
			continue
		}
		c, ok := filter.Resolve(cols, name)
		if !ok {
			for _, k := range known { // a metric is its mean
				if metric, is := strings.CutSuffix(k, "_mean"); is {
					known = append([]string{metric}, known...)
				}
			}
			return nil, unknown("column", name, known)
		}
		add(c.Name)
	}
	return out, nil
}

// scan writes the chosen columns of the rows of a file that the condition holds
// for. check looks at its head.
func (s *sink) scan(path string, chosen []string, check func(*table.Frame) error) error {
	wanted := map[string]bool{}
	for _, name := range chosen {
		wanted[name] = true
	}
	in, err := table.Scan(path, nil)
	if err != nil {
		return again.Input(err)
	}
	defer in.Close()
	used := s.rows.Uses(in.Head().Columns)
	in.Keep(func(c table.Column) bool { return wanted[c.Name] || used[c.Name] })
	if err := check(in.Head()); err != nil {
		return err
	}
	for {
		f, err := in.Next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return again.Input(err)
		}
		if err := s.write(f, chosen); err != nil {
			return err
		}
	}
}

// write writes the rows of a frame that the condition holds for.
func (s *sink) write(f *table.Frame, chosen []string) error {
	at := make([]int, len(chosen))
	for i, name := range chosen {
		at[i] = f.Index(name)
	}
	holds := s.rows.Of(f)
	for row := range f.Len() {
		if !holds(row) {
			continue
		}
		s.line = s.line[:0]
		for _, col := range at {
			s.line = append(s.line, table.Text(f.Cell(col, row)))
		}
		if err := s.out.Write(s.line); err != nil {
			return err
		}
	}
	return nil
}

// ToFile lets write write a file that appears whole or not at all.
func ToFile(path string, write func(io.Writer) error) error {
	if info, err := os.Lstat(path); err == nil && !info.Mode().IsRegular() {
		return again.Input(fmt.Errorf("%s is not a file", path))
	}
	if dir := filepath.Dir(path); dir != "." {
		if info, err := os.Stat(dir); err != nil || !info.IsDir() {
			return again.Input(fmt.Errorf("%s: there is no folder %s", path, dir))
		}
	}
	s, err := table.StageFrom(path, write)
	if err != nil {
		return err
	}
	return s.Publish()
}
