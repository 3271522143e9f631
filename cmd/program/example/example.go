// Package example holds the examples in the help of a program to what the program
// takes: tests read them, and run them on the shipped studies.
package example

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/spf13/cobra"
)

// Verbs lists the verbs of a program that do something, the program itself last.
func Verbs(root *cobra.Command) (out []*cobra.Command) {
	for _, c := range root.Commands() {
		if c.Name() != "help" && !c.Hidden {
			out = append(out, Verbs(c)...)
		}
	}
	return append(out, root)
}

// Lines are the commands of an example, without what a comment says.
func Lines(c *cobra.Command) (out []string) {
	for line := range strings.Lines(c.Example) {
		line, _, _ = strings.Cut(line, "  # ")
		if line = strings.TrimSpace(line); line != "" {
			out = append(out, line)
		}
	}
	return out
}

// word is an argument as a shell reads it, as far as examples need it.
var word = regexp.MustCompile(`(?:'[^']*'|[^\s'])+`)

// Parse checks that every verb has examples, that each is of this program, and
// that it takes their flags and arguments. program makes it anew.
func Parse(t *testing.T, program func() *cobra.Command) {
	t.Helper()
	for _, c := range Verbs(program()) {
		lines := Lines(c)
		if len(lines) == 0 {
			t.Errorf("%s has no examples", c.CommandPath())
		}
		for line := range strings.Lines(c.Long) {
			if n := utf8.RuneCountInString(strings.TrimSpace(line)); n > 92 {
				t.Errorf("%s: a line of %d characters in its help: %s", c.CommandPath(), n, line)
			}
		}
		mentioned := false
		for _, line := range lines {
			line, _, _ = strings.Cut(line, " > ")
			line, _, _ = strings.Cut(line, " | ")
			var args []string
			for _, w := range word.FindAllString(line, -1) {
				args = append(args, strings.ReplaceAll(w, "'", ""))
			}
			root := program()
			if args[0] != root.Name() {
				continue // what goes on with a file
			}
			verb, rest, err := root.Find(args[1:])
			if err == nil {
				mentioned = mentioned || strings.HasPrefix(verb.CommandPath(), c.CommandPath())
				if err = verb.ParseFlags(rest); err == nil {
					err = verb.ValidateArgs(verb.Flags().Args())
				}
			}
			if err != nil {
				t.Errorf("%s: example %q: %v", c.CommandPath(), line, err)
			}
		}
		if len(lines) > 0 && !mentioned {
			t.Errorf("%s: no example of its own", c.CommandPath())
		}
	}
}

var folder = regexp.MustCompile(`results/([a-z0-9-]+)`)

// Options are what Run needs to know.
type Options struct {
	Studies string            // folder of the shipped studies
	Skip    map[string]string // examples that are not run, with the reason
	Codes   []int             // exit codes that an example may have besides 0
}

// Run runs the examples of all verbs, in their order, with a shell in an empty
// folder beside the shipped studies; a folder of results that does not exist yet is
// made of the study of its name. The test's own binary is the program, as
// testscript.Main has it.
func Run(t *testing.T, root *cobra.Command, o Options) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	bin, dir := t.TempDir(), t.TempDir()
	if err := os.Symlink(self, filepath.Join(bin, root.Name())); err != nil {
		t.Skip(err)
	}
	if err := os.CopyFS(filepath.Join(dir, "studies"), os.DirFS(o.Studies)); err != nil {
		t.Fatal(err)
	}
	shell := func(line string) (string, int) {
		c := exec.Command("sh", "-c", line)
		c.Dir, c.Env = dir, append(os.Environ(), "PATH="+bin+string(os.PathListSeparator)+os.Getenv("PATH"))
		out, err := c.CombinedOutput()
		exit, ended := errors.AsType[*exec.ExitError](err)
		switch {
		case ended:
			return string(out), exit.ExitCode()
		case err != nil:
			return err.Error(), -1
		}
		return string(out), 0
	}
	for _, c := range Verbs(root) {
		for _, line := range Lines(c) {
			if why, skip := o.Skip[line]; skip || !strings.HasPrefix(line, root.Name()+" ") {
				t.Logf("not run: %s: %s", line, why)
				continue
			}
			for _, m := range folder.FindAllStringSubmatch(line, -1) {
				study := "studies/" + m[1] + ".toml"
				if _, err := os.Stat(filepath.Join(dir, study)); err != nil || exists(filepath.Join(dir, m[0], "manifest.json")) {
					continue
				}
				shell("sweep run " + study + " --progress none")
			}
			out, code := shell(line)
			allowed := code == 0
			for _, also := range o.Codes {
				allowed = allowed || code == also
			}
			if !allowed {
				t.Errorf("%s: exit code %d\n%s", line, code, out)
			}
		}
	}
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}
