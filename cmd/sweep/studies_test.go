package main

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
)

// TestShippedStudies runs every shipped study: it ends well, no run fails,
// studies/README.md has its counts and the verdict on each published figure as
// the tool says them, and every line of a block of output there is one that the
// study prints or writes to its report.
func TestShippedStudies(t *testing.T) {
	files, err := filepath.Glob("../../studies/*.toml")
	if err != nil || len(files) < 25 {
		t.Fatalf("%d studies, %v", len(files), err)
	}
	readme, err := os.ReadFile("../../studies/README.md")
	if err != nil {
		t.Fatal(err)
	}
	printed := map[string][]string{}
	var mu sync.Mutex
	t.Run("run", func(t *testing.T) {
		shipped(t, files, string(readme), func(name, text string) {
			mu.Lock()
			defer mu.Unlock()
			printed[name] = append(printed[name], text)
		})
	})
	if t.Failed() {
		return // lines of a study that did not run are no other fault
	}
	quoted(t, string(readme), printed)
}

// shipped runs the studies and hands on what they print and report.
func shipped(t *testing.T, files []string, readme string, saw func(name, text string)) {
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".toml")
		switch name {
		case "calibrated": // an overlay
			continue
		case "grid": // 6,480 runs; the sweep plans it in a test and runs it in a benchmark
			continue
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var stdout, stderr bytes.Buffer
			dir := t.TempDir()
			if err := run(t.Context(), []string{"run", file, "-o", dir, "--progress", "none", "-j", "1"}, &stdout, &stderr); err != nil {
				t.Fatalf("exit code %d: %v\n%s", exitCode(err), err, stderr.String())
			}
			said(t, name, stdout.String(), readme)
			report, err := os.ReadFile(filepath.Join(dir, "report.md"))
			if err != nil {
				t.Fatal(err)
			}
			saw(name, stdout.String())
			saw(name, string(report))
		})
	}
}

var (
	counted = regexp.MustCompile(`^\d+ published figures?: .*`)
	bad     = regexp.MustCompile(`failed|not answered|no reason given`)
	columns = regexp.MustCompile(` {2,}`)
)

// said checks that the readme has what a run printed: the counts of its points,
// the saturated ones, the verdicts, and what a search found.
func said(t *testing.T, name, out, readme string) {
	t.Helper()
	want := func(line string) {
		if !strings.Contains(readme, line) {
			t.Errorf("studies/README.md does not have %q", line)
		}
	}
	judging, searched := false, false
	for line := range strings.Lines(out) {
		line = strings.TrimSuffix(line, "\n")
		switch {
		case strings.HasPrefix(line, name+": "):
			counts, _, _ := strings.Cut(line, ";")
			want(counts + ";")
			if bad.MatchString(counts) {
				t.Errorf("%s", counts)
			}
		case strings.HasPrefix(line, "SATURATED"):
			counts, _, _ := strings.Cut(line, ":")
			want(counts)
		case line == "published against simulated":
			judging = true
		case counted.MatchString(line):
			judging = false
			want(line)
			if bad.MatchString(line) {
				t.Errorf("%s: %s", name, line)
			}
		case judging:
			judged(t, columns.Split(line, -1), readme)
		case strings.HasPrefix(line, "search: "):
			searched = true
		case line == "":
			searched = false
		case searched && columns.MatchString(line):
			want(strings.TrimRight(line, " "))
		}
	}
}

// judged checks one row of the table: figure, published, simulated, ratio,
// verdict, source.
func judged(t *testing.T, cells []string, readme string) {
	t.Helper()
	if cells[0] == "figure" || len(cells) < 5 {
		return
	}
	verdict := cells[4]
	for _, word := range []string{"reproduced", "cannot follow", "differs"} {
		if !strings.HasPrefix(verdict, word) {
			continue
		}
		row := regexp.MustCompile(`(?m)^` + regexp.QuoteMeta(cells[0]) + ` .* ` + word + `$`)
		if !row.MatchString(readme) {
			t.Errorf("studies/README.md does not say of %q: %s", cells[0], word)
		}
		if bad.MatchString(verdict) {
			t.Errorf("%s: %s", cells[0], verdict)
		}
		return
	}
	t.Errorf("%s: no verdict: %q", cells[0], verdict)
}
