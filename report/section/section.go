// Package section is a table of a report with what must be said about it, and
// how it reads on a terminal, in Markdown and as CSV. It knows no metric and
// reads no file.
package section

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"

	"scoville/core/unit"
	"scoville/report/number"
)

// Section is a table.
type Section struct {
	Title string
	Head  []string
	Rows  [][]string
	Notes []string
	Long  bool     // in report.md only
	Aside bool     // on a terminal only where it fits whole
	Brief *Section // for a terminal in its place; nil = itself
}

// MinRows is how many rows the first of the main tables has on a terminal in any
// case.
const MinRows = 12

// Room is what a terminal has for sections.
type Room struct {
	Lines     int
	File      string // has the sections whole
	Explained bool   // the explanation of the only point says what the asides do
}

// Fill writes the sections that have room, and returns the names of those that
// have none. The first two of the main ones are shown in any case, shortened
// where they must be, and with one of them the next of the same rows and
// columns: TTFT is not shown without TPOT, nor its P50 and P99 before.
func Fill(b *bytes.Buffer, sections []Section, room Room) (left []string) {
	shown, second := 0, false
	sections = spread(sections, room.Lines)
	for i, s := range sections {
		if s.Brief != nil {
			s = *s.Brief
		}
		space := room.Lines
		switch {
		case second:
			second, shown = false, 1
		case shown < 2 && i+1 < len(sections) && s.twin(sections[i+1]) && s.lines()+sections[i+1].lines() > room.Lines:
			second, space = true, room.Lines/2
		}
		switch {
		case s.Aside && room.Explained:
			continue
		case s.Long, s.Aside && s.lines() > room.Lines, !s.Aside && shown > 1 && s.lines() > room.Lines:
			left = append(left, s.name())
			continue
		case s.lines() > space:
			s = s.cut(max(MinRows, space-(s.lines()-len(s.Rows))), room.File)
		}
		shown++
		room.Lines -= s.lines()
		s.Text(b)
	}
	return left
}

// spread puts of tables of the same rows and columns that have no room together
// the first of each kind of metric, ttft or tpot, before the others.
func spread(sections []Section, room int) []Section {
	out := slices.Clone(sections)
	for i := 0; i < len(out); {
		j, lines := i+1, out[i].lines()
		for ; j < len(out) && out[i].twin(out[j]); j++ {
			lines += out[j].lines()
		}
		if lines > room {
			seen := map[string]bool{}
			var others []Section
			k := i
			for _, s := range slices.Clone(out[i:j]) {
				kind, _, _ := strings.Cut(s.Title, "_")
				if seen[kind] {
					others = append(others, s)
					continue
				}
				seen[kind] = true
				out[k] = s
				k++
			}
			copy(out[k:j], others)
		}
		i = j
	}
	return out
}

// twin reports whether another section has the same rows and columns, of another
// metric.
func (s Section) twin(o Section) bool {
	same := func(a, b []string) bool { return a[0] == b[0] }
	return !s.Long && !s.Aside && !o.Long && !o.Aside && s.Title != o.Title && slices.Equal(s.Head, o.Head) && slices.EqualFunc(s.Rows, o.Rows, same)
}

// name is how a list of sections calls it.
func (s Section) name() string {
	name, _, _ := strings.Cut(s.Title, ": closed form")
	if name != s.Title {
		name = "parts of " + name
	}
	if name == "" {
		name = "effects"
	}
	return fmt.Sprintf("%s (%s)", name, number.Plural(len(s.Rows), "row"))
}

// lines is how many lines a section takes on a terminal.
func (s Section) lines() int {
	n := 2 + len(s.Rows) + len(s.Notes)
	if s.Title != "" {
		n++
	}
	return n
}

// cut returns a section of n rows at most, which says how many it leaves out
// and which file has them.
func (s Section) cut(n int, file string) Section {
	more := len(s.Rows) - n
	if more <= 1 {
		return s
	}
	s.Rows = s.Rows[:n:n]
	s.Notes = append([]string{number.Plural(more, "more row") + " in " + file}, s.Notes...)
	return s
}

// Text writes a section for a terminal.
func (s Section) Text(b *bytes.Buffer) {
	fmt.Fprintln(b)
	if s.Title != "" {
		fmt.Fprintln(b, s.Title)
	}
	t := tabwriter.NewWriter(b, 0, 0, 2, ' ', 0)
	for _, row := range append([][]string{s.Head}, s.Rows...) {
		fmt.Fprintln(t, strings.Join(row, "\t"))
	}
	t.Flush()
	for _, n := range s.Notes {
		fmt.Fprintln(b, n)
	}
}

// Markdown writes a section for report.md.
func (s Section) Markdown(b *bytes.Buffer) {
	title := s.Title
	if title == "" {
		title = "effects"
	}
	fmt.Fprintf(b, "\n## %s\n\n", Inert(title))
	markdownRow(b, s.Head)
	b.WriteString("|" + strings.Repeat(" --- |", len(s.Head)) + "\n")
	for _, row := range s.Rows {
		markdownRow(b, row)
	}
	for _, n := range s.Notes {
		fmt.Fprintf(b, "\n%s\n", Inert(n))
	}
}

func markdownRow(b *bytes.Buffer, cells []string) {
	b.WriteString("|")
	for _, c := range cells {
		b.WriteString(" " + Inert(c) + " |")
	}
	b.WriteString("\n")
}

var inert = strings.NewReplacer(`\`, `\\`, "|", `\|`, "<", "&lt;", ">", "&gt;", "`", "'", "\n", " ", "[", `\[`, "~", `\~`, "*", `\*`, "://", `:\//`, "www.", `www\.`)

// Inert makes text of others mean nothing in Markdown and HTML, links included.
func Inert(s string) string { return inert.Replace(unit.Visible(s)) }
