package lock

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// deadPID returns the id of a process that has ended.
func deadPID(t *testing.T) int {
	t.Helper()
	cmd := exec.Command("true")
	if err := cmd.Run(); err != nil {
		t.Skip("cannot run true: ", err)
	}
	return cmd.Process.Pid
}

func TestMayLive(t *testing.T) {
	for _, c := range []struct {
		h    Holder
		want bool
	}{
		{Holder{PID: os.Getpid(), Host: "a"}, true},
		{Holder{PID: deadPID(t), Host: "a"}, false},
		{Holder{PID: deadPID(t), Host: "b"}, true},
	} {
		if got := mayLive(c.h, "a"); got != c.want {
			t.Errorf("%+v on a: %v", c.h, got)
		}
	}
}

// A lock file of others says who writes, or nobody, and holds nobody up.
func FuzzPeek(f *testing.F) {
	f.Add([]byte(`{"pid":1,"host":"a","start":"2026-01-02T03:04:05Z"}`))
	f.Add([]byte(`{"pid":-1}`))
	f.Add([]byte("[[[[["))
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, text []byte) {
		if err := os.WriteFile(filepath.Join(dir, File), text, 0o600); err != nil {
			t.Fatal(err)
		}
		if h, ok := Peek(dir); ok && h.PID < 1 {
			t.Errorf("%+v writes", h)
		}
	})
}

// Nobody waits for a pipe in place of a lock file.
func TestPeekPipe(t *testing.T) {
	dir := t.TempDir()
	if err := exec.Command("mkfifo", filepath.Join(dir, File)).Run(); err != nil {
		t.Skip("cannot make a pipe: ", err)
	}
	if h, ok := Peek(dir); ok {
		t.Errorf("%+v writes", h)
	}
}
