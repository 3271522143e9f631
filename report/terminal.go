package report

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"scoville/report/number"
	"scoville/report/plots"
	"scoville/report/section"
	"scoville/report/sketch"
	"scoville/report/web"
	"scoville/sweep/results"
)

// maxLines is how many lines a terminal gets before tables are left to
// report.md.
const maxLines = 60

// Text writes the report for a terminal of so many columns, 0 = none: some
// maxLines lines, with what is left out named at the end. The first picture is
// drawn in any case, others where there is room. The explanation of a study of
// one point is whole.
func (r *Report) Text(w io.Writer, width int) error {
	var head, tail bytes.Buffer
	for _, line := range r.summary {
		fmt.Fprintln(&head, line)
	}
	for _, line := range plots.Lines(r.plots, PlotsDir) {
		fmt.Fprintln(&tail, line)
	}
	for i, note := range r.data.Manifest.Notes {
		if i == 0 {
			fmt.Fprintln(&tail)
		}
		fmt.Fprintf(&tail, "note  %s\n", note)
	}
	r.explanationText(&tail)
	fmt.Fprintf(&tail, "\nfiles  %s in %s\n", strings.Join(append(r.tables(), web.File, File), ", "), r.data.Dir)
	lines := func(b *bytes.Buffer) int { return bytes.Count(b.Bytes(), []byte("\n")) }
	room := maxLines - lines(&head) - min(lines(&tail), maxLines/3)
	pictures := sketch.Pictures(r.data, r.plots, width)
	if len(pictures) > 0 {
		room -= len(pictures[0]) + 1
	}
	left := section.Fill(&head, r.sections, section.Room{Lines: room, File: File, Explained: r.explanation != ""})
	for i, p := range pictures {
		if i == 0 || lines(&head)+lines(&tail)+len(p) < maxLines {
			fmt.Fprintf(&head, "\n%s\n", strings.Join(p, "\n"))
		}
	}
	if len(left) > 0 {
		fmt.Fprintf(&head, "\n%s has besides: %s\n", File, several(left))
	}
	_, err := w.Write(append(head.Bytes(), tail.Bytes()...))
	return err
}

// Rows is the main table of the report, whole: the heading, then its rows. Values
// and halves of their intervals are cells of their own. nil where no point ran.
func (r *Report) Rows() [][]string {
	if rows := section.Rows(r.sections, publishedTitle); rows != nil {
		return rows
	}
	return section.Rows(r.sections)
}

// tables are the Parquet files of the results.
func (r *Report) tables() []string {
	t := slices.Clone(r.data.Manifest.Tables)
	if len(t) == 0 {
		t = []string{results.RunsFile, results.PointsFile, results.EffectsFile}
	}
	if kept, err := os.ReadDir(filepath.Join(r.data.Dir, "requests")); err == nil && len(kept) > 0 {
		t = append(t, fmt.Sprintf("requests/ (%s)", number.Plural(len(kept), "table")))
	}
	return t
}

// several lists names, a few of many.
func several(names []string) string {
	const few = 6
	if more := len(names) - few; more > 1 {
		names = append(names[:few:few], number.Plural(more, "more table"))
	}
	return strings.Join(names, "; ")
}
