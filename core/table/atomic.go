package table

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"syscall"
)

// pending is a file under its temporary name: ".NAME.tmp-PID-RANDOM" in the
// folder of the final one, so that rename is atomic and no reader's *.parquet glob
// matches it. It stays open and locked until it has its final name: RemoveStale
// knows by that whether its writer lives, whatever machine or container that is in.
type pending struct {
	*os.File
	path string
}

func openPending(path string) (*pending, error) {
	dir, base := filepath.Split(path)
	for {
		tmp := filepath.Join(dir, fmt.Sprintf(".%s.tmp-%d-%s", base, os.Getpid(), rand.Text()[:13]))
		f, err := os.OpenFile(tmp, os.O_CREATE|os.O_RDWR|os.O_EXCL, 0o644)
		if errors.Is(err, os.ErrExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); errors.Is(err, syscall.EWOULDBLOCK) {
			f.Close() // about to be removed as stale
			continue
		}
		if _, err := os.Lstat(tmp); errors.Is(err, os.ErrNotExist) {
			f.Close() // removed as stale before it was locked
			continue
		}
		return &pending{f, path}, nil
	}
}

// finish makes the file durable under its temporary name.
func (p *pending) finish() error {
	err := p.Sync()
	if err != nil {
		p.discard()
	}
	return err
}

// publish gives a finished file its final name.
func (p *pending) publish() error {
	if err := os.Rename(p.Name(), p.path); err != nil {
		p.discard()
		return err
	}
	return errors.Join(p.Close(), syncDir(filepath.Dir(p.path)))
}

func (p *pending) discard() {
	os.Remove(p.Name())
	p.Close()
}

// syncDir makes a rename durable. File systems that cannot sync a folder make
// it so themselves.
func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer d.Close()
	if err := d.Sync(); err != nil && !errors.Is(err, syscall.EINVAL) && !errors.Is(err, errors.ErrUnsupported) {
		return err
	}
	return nil
}

// WriteFile writes data to path so that a reader, also after a crash, finds
// either the old file or the whole new one: temporary file, fsync, rename,
// fsync of the folder.
func WriteFile(path string, data []byte) error {
	s, err := Stage(path, data)
	if err != nil {
		return err
	}
	return s.Publish()
}

// Staged is a file that is whole and durable, but for its name: until Publish no
// reader finds it.
type Staged struct{ out *pending } // nil once published or discarded

// Stage writes data to a temporary file beside path.
func Stage(path string, data []byte) (*Staged, error) {
	return StageFrom(path, func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	})
}

// StageFrom is Stage of what write writes; an error of it leaves nothing.
func StageFrom(path string, write func(io.Writer) error) (*Staged, error) {
	out, err := openPending(path)
	if err != nil {
		return nil, fmt.Errorf("write %s: %w", path, err)
	}
	if err = write(out); err != nil {
		out.discard()
	} else {
		err = out.finish()
	}
	if err != nil {
		return nil, fmt.Errorf("write %s: %w", path, err)
	}
	return &Staged{out}, nil
}

// Publish gives the file its name.
func (s *Staged) Publish() error {
	out := s.out
	s.out = nil
	if err := out.publish(); err != nil {
		return fmt.Errorf("write %s: %w", out.path, err)
	}
	return nil
}

// Discard removes the temporary file. After Publish it does nothing, so it can be
// deferred.
func (s *Staged) Discard() {
	if s.out != nil {
		s.out.discard()
		s.out = nil
	}
}

// RemoveStale deletes the temporary files that killed writers left in dir; those
// of writers that live stay. On a file system without locks no writer is known to
// live: the caller makes sure that nobody writes there.
func RemoveStale(dir string) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if stale, _ := filepath.Match(".*.tmp-[0-9]*", e.Name()); !stale || !e.Type().IsRegular() {
			continue
		}
		if err := removeStale(filepath.Join(dir, e.Name())); err != nil && !errors.Is(err, os.ErrNotExist) {
			return err
		}
	}
	return nil
}

// removeStale deletes a temporary file unless its writer holds it.
func removeStale(path string) error {
	f, err := os.OpenFile(path, os.O_RDWR|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0)
	if err == nil {
		defer f.Close()
		if errors.Is(syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB), syscall.EWOULDBLOCK) {
			return nil
		}
	}
	return os.Remove(path)
}
