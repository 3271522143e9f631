// Package file reads files that somebody else may have made or named. It knows
// nothing of what is in them.
package file

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"scoville/core/unit"
)

// MaxText bounds studies, overlays, configurations and other text of one
// subject, in bytes.
const MaxText = 4 << 20

// ErrKind says that a name is not that of a regular file: a folder, a pipe that
// nobody may ever write to, or a device without an end.
var ErrKind = errors.New("not a file")

// Read reads a regular file of at most limit bytes, links followed. It never
// waits for a writer and never reads on to find out how long the file is. Its
// errors do not repeat the name; that of a name without a file is
// fs.ErrNotExist.
func Read(name string, limit int64) ([]byte, error) {
	f, err := Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return All(f, limit)
}

// Open opens a regular file to read from it, see Read.
func Open(name string) (*os.File, error) {
	info, err := os.Stat(name) // before opening: that of a pipe waits for its writer
	if err != nil {
		return nil, plain(err)
	}
	if !info.Mode().IsRegular() {
		return nil, ErrKind
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, plain(err)
	}
	return f, nil
}

// All reads what is left in r, at most limit bytes; more are an error.
func All(r io.Reader, limit int64) ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(r, limit+1))
	if err == nil && int64(len(data)) > limit {
		return nil, fmt.Errorf("larger than %s", unit.Bytes(float64(limit)))
	}
	return data, plain(err)
}

// missing words fs.ErrNotExist.
type missing struct{}

func (missing) Error() string        { return "no such file" }
func (missing) Is(target error) bool { return target == fs.ErrNotExist }

// plain takes the name of the file out of an error.
func plain(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return missing{}
	}
	if pe, ok := errors.AsType[*fs.PathError](err); ok {
		return pe.Err
	}
	return err
}
