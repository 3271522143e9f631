package main

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// block is a fenced part of a Markdown page.
type block struct {
	lang string // after the fence
	line int    // of the fence, from 1
	text string
}

// blocks are the fenced parts of a page.
func blocks(t *testing.T, name string) []block {
	t.Helper()
	page, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	var out []block
	inside := false
	for i, line := range strings.Split(string(page), "\n") {
		lang, fence := strings.CutPrefix(line, "```")
		switch {
		case fence && !inside:
			out = append(out, block{lang: lang, line: i + 1})
			inside = true
		case fence:
			inside = false
		case inside:
			out[len(out)-1].text += line + "\n"
		}
	}
	if inside {
		t.Fatalf("%s: a fence without an end", name)
	}
	return out
}

var link = regexp.MustCompile(`\]\(([^)#:]+)(#[^)]*)?\)`)

// TestLinks: what a page of the repository links to within it is there.
func TestLinks(t *testing.T) {
	pages := 0
	err := filepath.WalkDir("../..", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (d.Name() == "results" && filepath.Dir(name) == "../.." || d.Name() == "node_modules" || d.Name() == "testdata" || d.Name() == ".git") {
			return filepath.SkipDir
		}
		if filepath.Ext(name) != ".md" {
			return nil
		}
		pages++
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		for _, m := range link.FindAllStringSubmatch(string(text), -1) {
			if _, err := os.Stat(filepath.Join(filepath.Dir(name), m[1])); err != nil {
				t.Errorf("%s links to %s: %v", name, m[1], err)
			}
		}
		return nil
	})
	if err != nil || pages < 8 {
		t.Errorf("%d pages, %v", pages, err)
	}
}

// TestTrust: every row of a table of studies/TRUST.md that says whose rows it has is
// a row of that page.
func TestTrust(t *testing.T) {
	page, err := os.ReadFile("../../studies/TRUST.md")
	if err != nil {
		t.Fatal(err)
	}
	var source map[string]bool
	rows := 0
	for i, line := range strings.Split(string(page), "\n") {
		name, begins := strings.CutPrefix(line, "<!-- rows of ")
		switch {
		case begins:
			text, err := os.ReadFile(filepath.Join("../../studies", strings.TrimSuffix(name, " -->")))
			if err != nil {
				t.Fatal(err)
			}
			source = map[string]bool{}
			for _, l := range strings.Split(string(text), "\n") {
				source[l] = true
			}
		case line == "<!-- end -->":
			source = nil
		case source != nil && strings.HasPrefix(line, "| "):
			rows++
			if !source[line] {
				t.Errorf("studies/TRUST.md:%d: no such row in its source: %s", i+1, line)
			}
		}
	}
	if rows < 50 {
		t.Errorf("%d rows", rows)
	}
}

// TestGrammar: each example of studies/GRAMMAR.md is a study with the page's first
// block before it, and can be planned.
func TestGrammar(t *testing.T) {
	base := ""
	for _, b := range blocks(t, "../../studies/GRAMMAR.md") {
		if b.lang != "toml" {
			continue
		}
		if base == "" {
			base = b.text
			continue
		}
		file := filepath.Join(t.TempDir(), "example.toml")
		if err := os.WriteFile(file, []byte(base+b.text), 0o644); err != nil {
			t.Fatal(err)
		}
		var stdout, stderr bytes.Buffer
		if err := run(t.Context(), []string{"plan", file}, &stdout, &stderr); err != nil {
			t.Errorf("studies/GRAMMAR.md:%d: %v", b.line, err)
		}
	}
	if base == "" {
		t.Fatal("no examples")
	}
}
