package report

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"

	"scoville/report/number"
	"scoville/report/plots"
	"scoville/sweep/results"
)

// maxLines is how many lines a terminal gets before tables are left to
// report.md, minRows how many rows the first of the main tables has in any case.
const maxLines, minRows = 60, 12

// Text writes the report for a terminal: some maxLines lines, with what is
// left out named at the end. The explanation of a study of one point is whole.
func (r *Report) Text(w io.Writer) error {
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
	fmt.Fprintf(&tail, "\nfiles  %s in %s\n", strings.Join(append(r.tables(), File), ", "), r.data.Dir)
	lines := func(b *bytes.Buffer) int { return bytes.Count(b.Bytes(), []byte("\n")) }
	room := maxLines - lines(&head) - min(lines(&tail), maxLines/3)
	left := r.fill(&head, room)
	if len(left) > 0 {
		fmt.Fprintf(&head, "\n%s has besides: %s\n", File, several(left))
	}
	_, err := w.Write(append(head.Bytes(), tail.Bytes()...))
	return err
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

// fill writes the sections that have room, and returns the names of those that
// have none. The first two of the main ones are shown in any case, shortened
// where they must be, and with one of them the next of the same rows and
// columns: TTFT is not shown without TPOT.
func (r *Report) fill(b *bytes.Buffer, room int) (left []string) {
	shown, second := 0, false
	for i, s := range r.sections {
		if s.brief != nil {
			s = *s.brief
		}
		space := room
		switch {
		case second:
			second, shown = false, 1
		case shown < 2 && i+1 < len(r.sections) && s.twin(r.sections[i+1]) && s.lines()+r.sections[i+1].lines() > room:
			second, space = true, room/2
		}
		switch {
		case s.aside && r.explanation != "": // says the same of its one point
			continue
		case s.long, s.aside && s.lines() > room, !s.aside && shown > 1 && s.lines() > room:
			left = append(left, s.name())
			continue
		case s.lines() > space:
			s = s.cut(max(minRows, space-(s.lines()-len(s.rows))))
		}
		shown++
		room -= s.lines()
		s.text(b)
	}
	return left
}

// twin reports whether another section has the same rows and columns, of another
// metric.
func (s section) twin(o section) bool {
	same := func(a, b []string) bool { return a[0] == b[0] }
	return !s.long && !s.aside && !o.long && !o.aside && s.title != o.title && slices.Equal(s.head, o.head) && slices.EqualFunc(s.rows, o.rows, same)
}

// name is how a list of sections calls it.
func (s section) name() string {
	name, _, _ := strings.Cut(s.title, ": closed form")
	if name != s.title {
		name = "parts of " + name
	}
	if name == "" {
		name = "effects"
	}
	return fmt.Sprintf("%s (%s)", name, number.Plural(len(s.rows), "row"))
}

// several lists names, a few of many.
func several(names []string) string {
	const few = 6
	if more := len(names) - few; more > 1 {
		names = append(names[:few:few], number.Plural(more, "more table"))
	}
	return strings.Join(names, "; ")
}

// lines is how many lines a section takes on a terminal.
func (s section) lines() int {
	n := 2 + len(s.rows) + len(s.notes)
	if s.title != "" {
		n++
	}
	return n
}

// cut returns a section of n rows at most, which says how many it leaves out.
func (s section) cut(n int) section {
	more := len(s.rows) - n
	if more <= 1 {
		return s
	}
	s.rows = s.rows[:n:n]
	s.notes = append([]string{number.Plural(more, "more row") + " in " + File}, s.notes...)
	return s
}

// text writes a section for a terminal.
func (s section) text(b *bytes.Buffer) {
	fmt.Fprintln(b)
	if s.title != "" {
		fmt.Fprintln(b, s.title)
	}
	t := tabwriter.NewWriter(b, 0, 0, 2, ' ', 0)
	for _, row := range append([][]string{s.head}, s.rows...) {
		fmt.Fprintln(t, strings.Join(row, "\t"))
	}
	t.Flush()
	for _, n := range s.notes {
		fmt.Fprintln(b, n)
	}
}
