package report

import (
	"bytes"
	"fmt"
	"strings"

	"scoville/core/unit"
	"scoville/sweep/results"
)

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

// inert makes text of others mean nothing in Markdown and HTML, links included.
var inert = strings.NewReplacer(`\`, `\\`, "|", `\|`, "<", "&lt;", ">", "&gt;", "`", "'", "\n", " ", "[", `\[`, "~", `\~`, "*", `\*`, "://", `:\//`, "www.", `www\.`)

func escape(s string) string { return inert.Replace(unit.Visible(s)) }
