package report

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"scoville/sweep/results"
)

// Text writes the report for a terminal.
func (r *Report) Text(w io.Writer) error {
	var b bytes.Buffer
	for _, line := range r.summary {
		fmt.Fprintln(&b, line)
	}
	for _, s := range r.sections {
		if s.long {
			continue
		}
		fmt.Fprintln(&b)
		if s.title != "" {
			fmt.Fprintln(&b, s.title)
		}
		t := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
		for _, row := range append([][]string{s.head}, s.rows...) {
			fmt.Fprintln(t, strings.Join(row, "\t"))
		}
		t.Flush()
		for _, n := range s.notes {
			fmt.Fprintln(&b, n)
		}
	}
	for _, line := range r.plotLines() {
		fmt.Fprintln(&b, line)
	}
	for i, note := range r.data.Manifest.Notes {
		if i == 0 {
			fmt.Fprintln(&b)
		}
		fmt.Fprintf(&b, "note  %s\n", note)
	}
	r.explanationText(&b)
	files := []string{results.RunsFile, results.PointsFile, results.EffectsFile}
	if slices.Contains(r.data.Manifest.Tables, results.SearchesFile) {
		files = append(files, results.SearchesFile)
	}
	fmt.Fprintf(&b, "\nfiles  %s, %s in %s\n", strings.Join(files, ", "), File, r.data.Dir)
	_, err := w.Write(b.Bytes())
	return err
}

// markdown is the report as report.md.
func (r *Report) markdown() []byte {
	var b bytes.Buffer
	m := r.data.Manifest
	fmt.Fprintf(&b, "# %s\n\n", escape(m.Study))
	for _, line := range r.summary {
		fmt.Fprintf(&b, "- %s\n", escape(line))
	}
	for _, s := range r.sections {
		title := s.title
		if title == "" {
			title = "effects"
		}
		fmt.Fprintf(&b, "\n## %s\n\n", escape(title))
		writeRow(&b, s.head)
		b.WriteString("|" + strings.Repeat(" --- |", len(s.head)) + "\n")
		for _, row := range s.rows {
			writeRow(&b, row)
		}
		for _, n := range s.notes {
			fmt.Fprintf(&b, "\n%s\n", escape(n))
		}
	}
	r.markdownPlots(&b)
	for i, note := range m.Notes {
		if i == 0 {
			b.WriteString("\n## notes\n\n")
		}
		fmt.Fprintf(&b, "- %s\n", escape(note))
	}
	r.explanationMarkdown(&b)
	fmt.Fprintf(&b, "\n## provenance\n\n- study %s, SHA-256 %s\n- seed %d, simulator version %d, result schema %d\n", results.StudyFile, m.StudySHA256, m.Seed, m.SimVersion, m.Schema)
	for _, set := range m.Set {
		fmt.Fprintf(&b, "- set on the command line: %s\n", escape(set))
	}
	for _, o := range m.Overlays {
		fmt.Fprintf(&b, "- overlay %s, SHA-256 %s\n", escape(o), m.Inputs[o])
	}
	return b.Bytes()
}

func writeRow(b *bytes.Buffer, cells []string) {
	b.WriteString("|")
	for _, c := range cells {
		b.WriteString(" " + escape(c) + " |")
	}
	b.WriteString("\n")
}

// escape makes text inert in Markdown and HTML.
func escape(s string) string {
	return strings.NewReplacer("|", `\|`, "<", "&lt;", ">", "&gt;", "`", "'", "\n", " ", "[", `\[`, "~", `\~`, "*", `\*`).Replace(s)
}
