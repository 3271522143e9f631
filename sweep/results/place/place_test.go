package place

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

func TestName(t *testing.T) {
	for dir, want := range map[string]string{
		"results/x": "", "x": "", ".": "", "a/./b": "", "größe": "", "%s%n": "", "a b": "", "a/b/../c": "",
		"..": "leads out", "../x": "leads out", "a/../../x": "leads out", "/etc": "leads out", "": "leads out",
		".git/hooks": "hidden", "a/.ssh": "hidden",
		"s3://a/b": "a URL", "-rf": "option", "a/-o": "option",
		"a\x00b": "does not print", "a\nb": "does not print", "\x1b[31mred": "does not print", "a\u202eb": "does not print",
	} {
		err := Name(dir)
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%q: %v, want %q", dir, err, want)
		}
	}
}

func TestStays(t *testing.T) {
	t.Chdir(t.TempDir())
	other := t.TempDir()
	if err := errors.Join(
		os.MkdirAll("a/b", 0o755), os.Symlink("a", "inside"), os.Symlink(other, "outside"), os.Symlink("/tmp/none/none", "nowhere"),
		os.Symlink("loop", "loop"), os.Symlink("..", "a/up"),
	); err != nil {
		t.Fatal(err)
	}
	for dir, stays := range map[string]bool{
		".": true, "a": true, "a/b": true, "a/new/one": true, "new": true, "inside/new": true, "a/up/b": true,
		"outside": false, "outside/x": false, "inside/../outside/new": false, "nowhere": false, "nowhere/x": false, "a/up/outside": false,
	} {
		if err := Stays(dir); stays && err != nil || !stays && !errors.Is(err, ErrLeaves) {
			t.Errorf("%s: %v", dir, err)
		}
	}
	if Stays("loop") == nil {
		t.Error("a link to itself stays")
	}
}

func TestCheck(t *testing.T) {
	dir := t.TempDir()
	if err := errors.Join(os.WriteFile(filepath.Join(dir, "file"), nil, 0o644), os.Mkdir(filepath.Join(dir, "plots"), 0o755), Check(dir), Check(filepath.Join(dir, "none"))); err != nil {
		t.Fatal(err)
	}
	for name, make := range map[string]func(string) error{
		"runs.journal is a link": func(name string) error { return os.Symlink("/tmp/none", name) },
		"runs.parquet is a pipe": func(name string) error { return syscall.Mkfifo(name, 0o644) },
	} {
		name, _, _ := strings.Cut(name, " ")
		path := filepath.Join(dir, name)
		if err := make(path); err != nil {
			t.Fatal(err)
		}
		if err := Check(dir); !errors.Is(err, ErrLeaves) || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
		os.Remove(path)
	}
}
