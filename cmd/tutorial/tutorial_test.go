// Package tutorial holds pages to the programs: what they show to be written is
// written, their commands run, and their outputs are those of the commands.
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
	for _, top := range []string{"cmd", "sweep", "calibrate", "core", "report"} {
		err := filepath.WalkDir(filepath.Join(root, top), func(name string, d fs.DirEntry, err error) error {
			if err == nil && d.Type().IsRegular() && !strings.HasSuffix(name, "_test.go") {
				_, err = os.ReadFile(name)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

// pages whose commands are run, from the root.
var pages = []string{"studies/TUTORIAL.md", "studies/RUNNING.md", "calibrate/README.md"}

// TestTutorial follows each page in a folder that has bin and studies as the
// repository does.
func TestTutorial(t *testing.T) {
	if testing.Short() {
		t.Skip("builds and runs both programs")
	}
	sources(t)
	bin := t.TempDir()
	build := exec.Command("go", "build", "-o", bin+"/", "./cmd/sweep", "./cmd/calibrate")
	build.Dir = root
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	studies, err := filepath.Abs(filepath.Join(root, "studies"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range pages {
		t.Run(filepath.Base(name), func(t *testing.T) {
			text, err := os.ReadFile(filepath.Join(root, name))
			if err != nil {
				t.Fatal(err)
			}
			work := t.TempDir()
			for link, to := range map[string]string{"bin": bin, "studies": studies} {
				if err := os.Symlink(to, filepath.Join(work, link)); err != nil {
					t.Fatal(err)
				}
			}
			if err := os.Mkdir(filepath.Join(work, "my"), 0o755); err != nil {
				t.Fatal(err)
			}
			p := page{name: name, work: work, said: map[string]bool{}}
			p.follow(t, string(text))
		})
	}
}

// page is one that is followed.
type page struct {
	name, work string
	said       map[string]bool // lines of the commands before, as plain writes them
	ran        int
}

// follow does what the page says, in order.
func (p *page) follow(t *testing.T, text string) {
	t.Helper()
	var b block
	for i, line := range strings.Split(text, "\n") {
		after, fence := strings.CutPrefix(line, "```")
		switch {
		case fence && b.line == 0:
			b = block{line: i + 1, lang: after}
		case fence:
			p.do(t, b)
			b = block{}
		default:
			b.text += line + "\n"
		}
	}
	if p.ran == 0 {
		t.Errorf("%s has no commands", p.name)
	}
}

// block is a fenced part of the page.
type block struct {
	line       int // of the fence
	lang, text string
}

// named is a file's name in its first line.
var named = regexp.MustCompile(`^# (my/[a-z0-9-]+\.toml)\n`)

// do writes a file, runs commands, or compares their output. A piece of TOML
// without a name is not for this folder.
func (p *page) do(t *testing.T, b block) {
	t.Helper()
	switch b.lang {
	case "toml":
		name := named.FindStringSubmatch(b.text)
		if name == nil {
			return
		}
		if err := os.WriteFile(filepath.Join(p.work, name[1]), []byte(b.text), 0o644); err != nil {
			t.Fatal(err)
		}
	case "sh":
		p.ran++
		clear(p.said)
		var stderr strings.Builder
		c := exec.CommandContext(t.Context(), "bash", "-euo", "pipefail", "-c", b.text)
		c.Dir, c.Stderr = p.work, &stderr
		out, err := c.Output()
		if err != nil {
			t.Fatalf("%s:%d: %v\n%s%s", p.name, b.line, err, out, stderr.String())
		}
		for line := range strings.Lines(string(out)) {
			p.said[plain(line)] = true
		}
	case "":
		for i, line := range strings.Split(strings.TrimSuffix(b.text, "\n"), "\n") {
			if line != "…" && line != "" && !p.said[plain(line)] {
				t.Errorf("%s:%d: the commands before do not say %q", p.name, b.line+1+i, line)
			}
		}
	}
}

var duration = regexp.MustCompile(`(runs? in) [0-9.e+-]+ s`)

// plain is a line without run times and the widths of columns.
func plain(line string) string {
	return strings.Join(strings.Fields(duration.ReplaceAllString(line, "$1")), " ")
}
