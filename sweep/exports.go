package sweep

import (
	"fmt"
	"io"

	"scoville/sweep/export"
	"scoville/sweep/export/prometheus"
)

// CSVOptions is which table CSV writes, and which of its rows and columns.
type CSVOptions = export.Options

// CSVTables are the tables that CSV writes.
func CSVTables() []string { return export.Tables }

// CSV writes a table of finished results. Errors are *InputError, ErrForeign, or of
// w.
func CSV(o CSVOptions, w io.Writer) error { return export.CSV(o, w) }

// ToFile lets write write a file that appears whole or not at all.
func ToFile(path string, write func(io.Writer) error) error { return export.ToFile(path, write) }

func listColumns(w io.Writer, part string) {
	fmt.Fprintln(w, "table\tcolumn\ttype\tunit\tbetter\tmeaning")
	for _, c := range export.Columns() {
		if c.Matches(part) {
			fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\n", c.Table, c.Name, c.Kind, c.Unit, c.Better, c.Definition)
		}
	}
}

// PrometheusOptions is what Prometheus writes.
type PrometheusOptions = prometheus.Options

// DefaultPrometheus is the options but for the folder.
func DefaultPrometheus() PrometheusOptions { return prometheus.Default() }

// Prometheus writes what finished results predict as metrics and alert rules.
// Errors are *InputError, ErrForeign, or of the files.
func Prometheus(o PrometheusOptions) (*prometheus.Written, error) { return prometheus.Write(o) }
