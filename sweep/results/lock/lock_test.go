package lock

import (
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"
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
	me, parent := os.Getpid(), os.Getppid()
	if began(me) == 0 {
		t.Skip("the system does not say when a process began")
	}
	for _, c := range []struct {
		h    Holder
		want bool
	}{
		{Holder{PID: me, Host: "a"}, false}, // had this number before
		{Holder{PID: me, Host: "a", Began: began(me)}, true},
		{Holder{PID: me, Host: "a", Began: began(me) - 1}, false},
		{Holder{PID: me, Host: "b"}, true},
		{Holder{PID: parent, Host: "a"}, true},
		{Holder{PID: parent, Host: "a", Began: began(parent)}, true},
		{Holder{PID: parent, Host: "a", Began: began(parent) + 1}, false}, // another of its number
		{Holder{PID: deadPID(t), Host: "a"}, false},
		{Holder{PID: deadPID(t), Host: "b"}, true},
	} {
		if got := mayLive(c.h, "a"); got != c.want {
			t.Errorf("%+v on a: %v", c.h, got)
		}
	}
}

// Where the file system has no locks, a lock that a killed process left ends, also
// if a later one has its number, as the first process of every container has; one
// whose process lives holds.
func TestNoLocks(t *testing.T) {
	flock = func(int, int) error { return syscall.ENOLCK }
	defer func() { flock = syscall.Flock }()
	dir := t.TempDir()
	me := Holder{PID: os.Getpid(), Host: "a", Start: time.Unix(1e9, 0).UTC()}
	for _, left := range []Holder{me, {PID: me.PID, Host: "a", Began: 1}, {PID: os.Getppid(), Host: "a", Began: 1}} {
		text, err := json.Marshal(left)
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, File), text, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
		l, err := Acquire(dir, me)
		if err != nil {
			t.Fatalf("left by %+v: %v", left, err)
		}
		if _, err := Acquire(dir, me); began(me.PID) > 0 && !errors.Is(err, ErrLocked) {
			t.Errorf("taken twice: %v", err)
		}
		if err := l.Release(); err != nil {
			t.Fatal(err)
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
