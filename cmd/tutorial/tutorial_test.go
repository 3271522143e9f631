// Package tutorial holds the tutorials to the programs: what studies/TUTORIAL.md
// shows to be written is written, its commands run, and its outputs are theirs.
package tutorial

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

const root = "../.."

// sources reads every file that the programs are made of, so that a cached pass
// does not outlive a change of them.
func sources(t *testing.T) {
	t.Helper()
	err := filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && strings.HasPrefix(d.Name(), ".") && name != root:
			return filepath.SkipDir
		case filepath.Ext(name) == ".go" && !strings.HasSuffix(name, "_test.go"), strings.HasSuffix(filepath.Dir(name), "catalog"):
			_, err = os.ReadFile(name)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestTutorial writes the files, runs the commands and compares the outputs of the
// page, in order, in a folder that has bin and studies as the repository does.
func TestTutorial(t *testing.T) {
	if testing.Short() {
		t.Skip("builds and runs both programs")
	}
	sources(t)
	work := t.TempDir()
	build := exec.Command("go", "build", "-o", filepath.Join(work, "bin")+"/", "./cmd/sweep", "./cmd/calibrate")
	build.Dir = root
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	studies, err := filepath.Abs(filepath.Join(root, "studies"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(studies, filepath.Join(work, "studies")); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(work, "my"), 0o755); err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile(filepath.Join(studies, "TUTORIAL.md"))
	if err != nil {
		t.Fatal(err)
	}
	follow(t, work, string(page))
}

// follow does what the page says.
func follow(t *testing.T, work, page string) {
	t.Helper()
	said := map[string]bool{}
	begin, lang, text := 0, "", ""
	for i, line := range strings.Split(page, "\n") {
		after, fence := strings.CutPrefix(line, "```")
		switch {
		case fence && begin == 0:
			begin, lang, text = i+1, after, ""
		case fence:
			do(t, work, block{begin, lang, text}, said)
			begin = 0
		default:
			text += line + "\n"
		}
	}
}

// block is a fenced part of the page.
type block struct {
	line       int // of the fence
	lang, text string
}

// do writes a file, runs commands, or compares their output.
func do(t *testing.T, work string, b block, said map[string]bool) {
	t.Helper()
	switch b.lang {
	case "toml":
		head, _, _ := strings.Cut(b.text, "\n")
		name, ok := strings.CutPrefix(head, "# ")
		if !ok {
			t.Fatalf("studies/TUTORIAL.md:%d: a file without its name", b.line)
		}
		if err := os.WriteFile(filepath.Join(work, name), []byte(b.text), 0o644); err != nil {
			t.Fatal(err)
		}
	case "sh":
		clear(said)
		var stderr strings.Builder
		c := exec.CommandContext(t.Context(), "bash", "-euo", "pipefail", "-c", b.text)
		c.Dir, c.Stderr = work, &stderr
		out, err := c.Output()
		if err != nil {
			t.Fatalf("studies/TUTORIAL.md:%d: %v\n%s%s", b.line, err, out, stderr.String())
		}
		for line := range strings.Lines(string(out)) {
			said[plain(line)] = true
		}
	default:
		for i, line := range strings.Split(strings.TrimSuffix(b.text, "\n"), "\n") {
			if line != "…" && line != "" && !said[plain(line)] {
				t.Errorf("studies/TUTORIAL.md:%d: the commands before do not say %q", b.line+1+i, line)
			}
		}
	}
}

var duration = regexp.MustCompile(`(runs? in) [0-9.e+-]+ s`)

// plain is a line without run times and the widths of columns.
func plain(line string) string {
	return strings.Join(strings.Fields(duration.ReplaceAllString(line, "$1")), " ")
}
