package sweep

import (
	"context"
	"io"
	"strings"

	"scoville/sweep/export"
	"scoville/sweep/export/prometheus"
	"scoville/sweep/handbook"
	"scoville/sweep/history"
	"scoville/sweep/words"
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

// Words is a list of what a study may use: "keys" of its scenario and "design",
// "models", "chips", "metrics" and "columns" of tables, of those whose name contains
// part; a heading, then rows, which names begin. nil for another kind of list.
func Words(kind, part string) [][]string { return words.Rows(kind, strings.ToLower(part)) }

// NoWords says that no word of a list has part in its name, and what is near.
func NoWords(kind, part string) string { return words.None(kind, part) }

// Reference writes the page of all keys and columns in Markdown.
func Reference(w io.Writer) error { return handbook.Write(w) }

// Metrics returns what metrics are better "lower" or "higher", by name.
func Metrics() map[string]string {
	out := map[string]string{}
	for _, row := range Words("metrics", "")[1:] {
		out[row[0]] = row[2]
	}
	return out
}

// PrometheusOptions is what Prometheus writes.
type PrometheusOptions = prometheus.Options

// DefaultPrometheus is the options but for the folder.
func DefaultPrometheus() PrometheusOptions { return prometheus.Default() }

// Prometheus writes what finished results predict as metrics and alert rules.
// Errors are *InputError, ErrForeign, or of the files.
func Prometheus(o PrometheusOptions) (*prometheus.Written, error) { return prometheus.Write(o) }

// HistoryOptions is what History looks for.
type HistoryOptions = history.Options

// History lists and searches results. Errors are *InputError, or the context's.
func History(ctx context.Context, o HistoryOptions) (*history.Report, error) {
	return history.Find(ctx, o)
}
