package table

import (
	"errors"
	"fmt"
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
	f, err := os.OpenFile(tmp, os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o644)
	if err != nil {
		return nil, err
	}
	return &pending{f, path}, nil
}

// commit makes the file durable under its final name.
func (p *pending) commit() error {
	err := p.Sync()
	if cerr := p.Close(); err == nil {
		err = cerr
	}
	if err == nil {
		err = os.Rename(p.Name(), p.path)
	}
	if err != nil {
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
	p, err := openPending(path)
	if err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	if _, err := p.Write(data); err != nil {
		p.discard()
		return fmt.Errorf("write %s: %w", path, err)
	}
	if err := p.commit(); err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	return nil
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
