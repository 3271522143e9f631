package report

import (
	"fmt"
	"io"
	"strings"

	"scoville/core/unit"
)

// explanationText writes the explanation of a study of one point for a
// terminal.
func (r *Report) explanationText(w io.Writer) {
	if r.explanation != "" {
		fmt.Fprintf(w, "\n%s", r.explanation)
	}
}

// explanationMarkdown writes it as preformatted text.
func (r *Report) explanationMarkdown(w io.Writer) {
	if r.explanation != "" {
		fmt.Fprintf(w, "\n## explanation\n\n```text\n%s```\n", unit.Visible(strings.ReplaceAll(r.explanation, "`", "'")))
	}
}
