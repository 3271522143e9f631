package file

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

func TestRead(t *testing.T) {
	dir := t.TempDir()
	name := func(s string) string { return filepath.Join(dir, s) }
	if err := errors.Join(
		os.WriteFile(name("ten"), []byte("0123456789"), 0o644), os.Symlink("ten", name("link")), os.Symlink("loop", name("loop")),
		os.Mkdir(name("dir"), 0o755), syscall.Mkfifo(name("pipe"), 0o644),
	); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name  string
		limit int64
		want  string // error; "" = the ten bytes
	}{
		{"ten", 10, ""},
		{"ten", 11, ""},
		{"ten", 9, "larger than 9 B"},
		{"link", 10, ""},
		{"dir", 10, "not a file"},
		{"pipe", 10, "not a file"}, // and does not wait
		{"none", 10, "no such file"},
		{"ten/x", 10, "not a directory"},
		{"loop", 10, "too many levels of symbolic links"},
		{"../../../../../../../../../../dev/zero", 10, "not a file"},
	} {
		text, err := Read(name(c.name), c.limit)
		switch {
		case c.want == "" && (err != nil || string(text) != "0123456789"):
			t.Errorf("%s: %q, %v", c.name, text, err)
		case c.want != "" && (err == nil || err.Error() != c.want):
			t.Errorf("%s: %v, want %s", c.name, err, c.want)
		}
		if errors.Is(err, fs.ErrNotExist) != (c.name == "none") {
			t.Errorf("%s: %v is fs.ErrNotExist", c.name, err)
		}
	}
}

// endless is a reader without an end that counts what is read.
type endless struct{ n int64 }

func (e *endless) Read(p []byte) (int, error) {
	e.n += int64(len(p))
	return len(p), nil
}

func TestAllStopsAtItsLimit(t *testing.T) {
	r := &endless{}
	if _, err := All(r, 1<<20); err == nil || !strings.HasPrefix(err.Error(), "larger than") || r.n > 1<<20+1 {
		t.Errorf("%v after %d bytes", err, r.n)
	}
}
