package main

import (
	"regexp"
	"strings"
	"testing"
)

var duration = regexp.MustCompile(`(runs? in) [0-9.e+-]+ s`)

// quoted checks each line of the fenced blocks of the readme: in a section that
// is named for studies it must be a line that one of them printed or wrote to
// its report, up to the run time and the width of columns. A row of a table may
// lack the last cells (the readme leaves out reasons and sources of verdicts).
// A block whose fence names a language, text for tables put together by hand, is
// no output and is left alone.
func quoted(t *testing.T, readme string, printed map[string][]string) {
	t.Helper()
	var known map[string]bool
	section, inside, output := "", false, false
	for i, line := range strings.Split(readme, "\n") {
		switch name, heading := strings.CutPrefix(line, "## "); {
		case strings.HasPrefix(line, "```"):
			inside = !inside
			output = inside && line == "```"
		case heading && !inside:
			section, known = name, lines(strings.Split(name, ", "), printed)
		case output && line != "" && known != nil && !known[cells(line)]:
			t.Errorf("studies/README.md:%d: the study of section %q does not say %q", i+1, section, line)
		}
	}
}

// lines are the lines that the studies said, and the beginnings of the rows of
// tables; nil if none of them ran.
func lines(names []string, printed map[string][]string) map[string]bool {
	var known map[string]bool
	for _, name := range names {
		for _, text := range printed[name] {
			for line := range strings.Lines(text) {
				if known == nil {
					known = map[string]bool{}
				}
				line = cells(line)
				known[line] = true
				if cut := verdict.FindString(line); cut != "" {
					known[cut] = true
				}
			}
		}
	}
	return known
}

// verdict is the beginning of a row of published figures up to the verdict's
// first words, and of the head of their table.
var verdict = regexp.MustCompile(`^.* \| (verdict|reproduced|cannot follow|differs)`)

// escapes are those of report.md.
var escapes = strings.NewReplacer(`\`, "", "&gt;", ">", "&lt;", "<")

// cells writes a line of a table on the terminal, a row or a heading of a report,
// and plain text alike.
func cells(line string) string {
	line = escapes.Replace(line)
	line = duration.ReplaceAllString(strings.TrimLeft(strings.TrimSpace(line), "# "), "$1")
	if row, ok := strings.CutPrefix(line, "|"); ok {
		line = strings.ReplaceAll(strings.TrimSuffix(row, "|"), "|", "  ")
	}
	var kept []string
	for _, cell := range columns.Split(line, -1) {
		if cell = strings.TrimSpace(cell); cell != "" {
			kept = append(kept, cell)
		}
	}
	return strings.Join(kept, " | ")
}
