package report

import (
	"bytes"
	"fmt"

	"scoville/report/section"
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
		s.Markdown(&b)
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

func escape(s string) string { return section.Inert(s) }
