package table

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"syscall"
)

// pending is a file under its temporary name: ".NAME.tmp-PID" in the folder of
// the final one, so that rename is atomic and no reader's *.parquet glob
// matches it.
type pending struct {
	*os.File
	path string
}

func openPending(path string) (*pending, error) {
	dir, base := filepath.Split(path)
	tmp := filepath.Join(dir, fmt.Sprintf(".%s.tmp-%d", base, os.Getpid()))
	_ = os.Remove(tmp) // what a killed writer of the same number left; never written through, it may be a link
	f, err := os.OpenFile(tmp, os.O_CREATE|os.O_WRONLY|os.O_EXCL, 0o644)
	if err != nil {
		return nil, err
	}
	return &pending{f, path}, nil
}

// finish makes the file durable under its temporary name.
func (p *pending) finish() error {
	err := p.Sync()
	if cerr := p.Close(); err == nil {
		err = cerr
	}
	if err != nil {
		os.Remove(p.Name())
	}
	return err
}

// publish gives a finished file its final name.
func (p *pending) publish() error {
	if err := os.Rename(p.Name(), p.path); err != nil {
		os.Remove(p.Name())
		return err
	}
	return syncDir(filepath.Dir(p.path))
}

func (p *pending) discard() {
	p.Close()
	os.Remove(p.Name())
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

// RemoveStale deletes the temporary files that killed writers left in dir. The
// caller makes sure that nobody writes there.
func RemoveStale(dir string) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if stale, _ := filepath.Match(".*.tmp-[0-9]*", e.Name()); !stale || !e.Type().IsRegular() {
			continue
		}
		if err := os.Remove(filepath.Join(dir, e.Name())); err != nil {
			return err
		}
	}
	return nil
}
