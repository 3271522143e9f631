package example

import (
	"flag"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"
)

var manual = flag.String("man", "", "write the manual pages into this folder")

// Man writes the manual pages of a program, one a verb, into the folder of the flag
// -man, without it into one that goes with the test. They carry the date of SOURCE_DATE_EPOCH, the first day of Unix without it, so that equal
// programs have equal pages; and they are read again to see that each has its parts.
func Man(t *testing.T, root *cobra.Command) {
	t.Helper()
	dir := *manual
	if dir == "" {
		dir = t.TempDir()
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	seconds, _ := strconv.ParseInt(os.Getenv("SOURCE_DATE_EPOCH"), 10, 64)
	date := time.Unix(seconds, 0).UTC()
	for _, c := range append(Verbs(root), root) {
		c.DisableAutoGenTag = true
		if jobs := c.Flags().Lookup("jobs"); jobs != nil {
			jobs.DefValue = "CORES" // of the reader's machine, not of this one
		}
		c.Long = strings.ReplaceAll(fenced(c.Long), "\nExit codes:\n", "\n# EXIT CODES\n")
	}
	head := &doc.GenManHeader{Section: "1", Date: &date, Source: "Scoville", Manual: "Scoville"}
	if err := doc.GenManTree(root, head, dir); err != nil {
		t.Fatal(err)
	}
	for _, c := range Verbs(root) {
		page := strings.ReplaceAll(c.CommandPath(), " ", "-") + ".1"
		text, err := os.ReadFile(filepath.Join(dir, page))
		if err != nil {
			t.Error(err)
			continue
		}
		for _, part := range []string{".SH NAME", ".SH SYNOPSIS", ".SH EXAMPLE", `"` + date.Format("Jan 2006") + `"`} {
			if !strings.Contains(string(text), part) {
				t.Errorf("%s has no %s", page, part)
			}
		}
	}
}

// fenced marks the lines that begin with a blank, so that they stay lines.
func fenced(text string) string {
	const fence = "```"
	var out []string
	inside := false
	for line := range strings.SplitSeq(text, "\n") {
		if set := strings.HasPrefix(line, " "); set != inside && line != "" {
			inside = set
			out = append(out, fence)
		}
		out = append(out, line)
	}
	if inside {
		out = append(out, fence)
	}
	return strings.Join(out, "\n")
}
