package record

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"scoville/cmd/program"
	"scoville/cmd/sweep/codes"
	"scoville/report"
	"scoville/sweep"
	"scoville/sweep/store"
)

// Report is sweep report.
func Report(d Doors) *cobra.Command {
	file := ""
	var form program.Form
	c := &cobra.Command{
		Use:   "report DIR",
		Short: "Make the report of results again, from their tables",
		Long: strings.TrimSpace(`
Report makes report.html, report.md and plots/*.svg of the results in DIR again, and
prints the report. It reads the tables and simulates nothing; sweep run and sweep
merge have made all of them already.

report.html is one file that loads nothing: it opens from a disk, a mail or a web
server. It has the answer in one sentence, the tables of report.md, and pictures
that answer when they are pointed at: the effects of changes with their intervals,
latencies against the load with the service levels, Pareto fronts, heat maps, every
point across its axes. A click on a point shows its values. With the keyboard: Tab
to a picture, arrows from point to point, Enter to open one.

With -o FILE only the page is written, to FILE, and nothing in DIR: for results that
cannot be written to, and for those at a URL (bin/sweep-cloud). With --csv nothing is
written: the main table of the report goes to standard output, whole, values and
halves of their intervals in cells of their own.
`) + "\n" + codes.Of("report"),
		Example: `  sweep report results/sensitivity
  sweep report results/tradeoff -o tradeoff.html
  sweep report results/sensitivity --csv > effects.csv
  sweep-cloud report s3://bucket/grid -o grid.html`,
		Args: cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			if form.CSV && file != "" {
				return d.Usage(errors.New("-o and --csv: one of them"))
			}
			if store.Is(args[0]) && file == "" && !form.CSV {
				return d.Usage(fmt.Errorf("%s: give -o FILE: the page of results at a URL goes to a file here", args[0]))
			}
			if err := page(file); err != nil {
				return d.Usage(err)
			}
			dir, done, err := d.Read(c.Context(), args[0], false)
			if err != nil {
				return err
			}
			defer done()
			r, err := load(dir)
			if err != nil {
				return err
			}
			if form.CSV {
				return program.CSV(d.Out, r.Rows())
			}
			if file != "" {
				if err := r.WritePage(file); err != nil {
					return &sweep.InputError{Err: err}
				}
				_, err := fmt.Fprintln(d.Out, file)
				return err
			}
			if err := r.Write(); err != nil {
				return &sweep.InputError{Err: fmt.Errorf("%w; with -o FILE the page alone is written, elsewhere", err)}
			}
			return program.Compare(d.Out, func(w io.Writer) error { return r.Text(w, program.Width(d.Out)) }, d.Better())
		},
	}
	c.Flags().StringVarP(&file, "output", "o", "", "write the page alone, to this file")
	form.Table(c, "the main table of the report, whole,")
	return c
}

// page says why a page cannot be written to a file; "" is none.
func page(file string) error {
	if file == "" {
		return nil
	}
	if file == "-" {
		return errors.New("-o - is no file: a page is for a browser, so give the name of a file, such as page.html")
	}
	if isDir(file) {
		return fmt.Errorf("-o %s is a folder: give the name of a file", file)
	}
	if dir := filepath.Dir(file); !isDir(dir) {
		return fmt.Errorf("-o %s: there is no folder %s", file, dir)
	}
	return nil
}

// isDir says whether a path is that of a folder.
func isDir(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// load reads results for a report. A folder that holds none is an
// *sweep.InputError.
func load(dir string) (*report.Report, error) {
	if _, err := os.Stat(dir); errors.Is(err, os.ErrNotExist) {
		return nil, &sweep.InputError{Err: fmt.Errorf("%s holds no results: there is no such folder", dir)}
	}
	program.Frugal()
	r, err := report.Load(dir)
	if err != nil && !errors.Is(err, sweep.ErrForeign) {
		err = &sweep.InputError{Err: err}
	}
	return r, err
}
