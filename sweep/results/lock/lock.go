// Package lock lets one process at a time write to a folder. It knows nothing
// of what is written.
package lock

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	input "scoville/core/scenario/file"
)

// File is the file in a folder that names the process that writes to it.
const File = ".lock"

// ErrLocked says that another process is writing to the folder.
var ErrLocked = errors.New("folder is in use")

// Holder is the content of a lock file.
type Holder struct {
	PID   int       `json:"pid"`
	Host  string    `json:"host"`
	Start time.Time `json:"start"`

	// Began is when the process began, in clock ticks since its machine did; 0 = not
	// known. Numbers of processes are given again, to the first of every container too.
	Began uint64 `json:"began,omitempty"`
}

// Lock is a held lock file. The kernel drops its lock when the process ends,
// however it ends, so a file left by a dead process is just taken over.
type Lock struct{ file *os.File }

// Acquire locks a folder until Release; one that a live process holds is
// ErrLocked.
func Acquire(dir string, me Holder) (*Lock, error) {
	path := filepath.Join(dir, File)
	for {
		f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o644)
		if err != nil {
			return nil, err
		}
		err = hold(f, dir, me)
		if err == nil && !current(f, path) {
			f.Close() // its holder removed it just now
			continue
		}
		if err != nil {
			f.Close()
			return nil, err
		}
		return &Lock{f}, nil
	}
}

// hold locks the open file and writes me into it.
func hold(f *os.File, dir string, me Holder) error {
	err := flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	text, rerr := io.ReadAll(io.LimitReader(f, 4096))
	if rerr != nil {
		return rerr
	}
	var other Holder
	known := json.Unmarshal(text, &other) == nil && other.PID > 0
	busy := fmt.Errorf("%w: another process writes to %s", ErrLocked, dir)
	if known {
		busy = fmt.Errorf("%w: process %d on %s writes to %s since %s", ErrLocked, other.PID, other.Host, dir, other.Start.Format(time.RFC3339))
	}
	switch {
	case errors.Is(err, syscall.EWOULDBLOCK):
		return busy
	case errors.Is(err, errors.ErrUnsupported), errors.Is(err, syscall.ENOLCK):
		// A network file system without locks: the file's content must do.
		if known && mayLive(other, me.Host) {
			return fmt.Errorf("%w; if it is gone, remove %s", busy, f.Name())
		}
	case err != nil:
		return fmt.Errorf("lock %s: %w", f.Name(), err)
	}
	me.Began = began(me.PID)
	text, err = json.Marshal(me)
	if err != nil {
		return err
	}
	if err := f.Truncate(0); err != nil {
		return err
	}
	_, err = f.WriteAt(append(text, '\n'), 0)
	return err
}

// flock is that of the system; tests give one of a file system without locks.
var flock = syscall.Flock

// mayLive says whether the process exists, or runs on a machine that cannot be
// asked.
func mayLive(h Holder, host string) bool {
	if h.Host != host {
		return true
	}
	now := began(h.PID)
	switch {
	case h.Began > 0 && now > 0:
		return h.Began == now
	case h.PID == os.Getpid():
		return false // of one that had this number before
	}
	err := syscall.Kill(h.PID, 0)
	return err == nil || errors.Is(err, syscall.EPERM)
}

// began is when a process began, in clock ticks since its machine did; 0 where the
// system does not say, or there is no such process.
func began(pid int) uint64 {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0
	}
	_, rest, _ := strings.Cut(string(text[max(0, bytes.LastIndexByte(text, ')')):]), " ") // a name may have blanks
	const field = 22 - 3                                                                  // see proc(5); the first behind the name is number 3
	fields := strings.Fields(rest)
	if len(fields) <= field {
		return 0
	}
	ticks, err := strconv.ParseUint(fields[field], 10, 64)
	if err != nil {
		return 0
	}
	return ticks
}

// Peek reads who writes to a folder, without disturbing anybody; false if nobody
// does. A process of another machine counts until its lock file is removed.
func Peek(dir string) (h Holder, ok bool) {
	text, err := input.Read(filepath.Join(dir, File), input.MaxText)
	if err != nil || json.Unmarshal(text, &h) != nil || h.PID < 1 {
		return h, false
	}
	host, err := os.Hostname()
	ok = err != nil || mayLive(h, host)
	h.Began = 0
	return h, ok
}

// current says whether path is still the open file.
func current(f *os.File, path string) bool {
	a, aerr := f.Stat()
	b, berr := os.Stat(path)
	return aerr == nil && berr == nil && os.SameFile(a, b)
}

// Release unlocks the folder. It is safe to call again.
func (l *Lock) Release() error {
	if l == nil || l.file == nil {
		return nil
	}
	f := l.file
	l.file = nil
	return errors.Join(os.Remove(f.Name()), f.Close())
}
