// Package place says whether a folder of results is fit to be read and written:
// it may come from somebody else, and nothing in it may lead to another place.
// It knows nothing of what is in the files.
package place

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"unicode"
)

// ErrLeaves says that a folder leads out of where it must stay.
var ErrLeaves = errors.New("leads out of its place")

// leaving is an error that is ErrLeaves and says how.
type leaving string

func (e leaving) Error() string        { return string(e) }
func (e leaving) Is(target error) bool { return target == ErrLeaves }

func leaves(format string, args ...any) error { return leaving(fmt.Sprintf(format, args...)) }

// Name says why a folder that a study names may not be one of results; nil if it
// may. It is relative, stays where the command is called, and has no part that
// is hidden, looks like an option, or has characters that do not print.
func Name(dir string) error {
	if !filepath.IsLocal(dir) {
		return fmt.Errorf("%q leads out of the working directory", dir)
	}
	if strings.Contains(dir, "://") {
		return fmt.Errorf("%q is a URL", dir)
	}
	for _, part := range strings.Split(filepath.ToSlash(dir), "/") {
		switch {
		case strings.HasPrefix(part, ".") && part != "." && part != "..":
			return fmt.Errorf("%q is in a hidden folder", dir)
		case strings.HasPrefix(part, "-"):
			return fmt.Errorf("%q looks like an option of a command", dir)
		case strings.ContainsFunc(part, func(r rune) bool { return !unicode.IsPrint(r) }):
			return fmt.Errorf("%q has a character that does not print", dir)
		}
	}
	return nil
}

// Stays says whether a relative folder is below the working directory with all
// links followed; what is not there yet leads nowhere. The error is ErrLeaves.
func Stays(dir string) error {
	home, err := filepath.EvalSymlinks(".")
	if err == nil {
		home, err = filepath.Abs(home)
	}
	if err != nil {
		return err
	}
	real, err := existing(dir)
	if err != nil {
		return err
	}
	if below, err := filepath.Rel(home, real); err != nil || !filepath.IsLocal(below) {
		return leaves("a link in %s leads to %s; name the folder with -o if that is meant", dir, real)
	}
	return nil
}

// existing follows the links of as much of a folder as there is.
func existing(dir string) (string, error) {
	for {
		real, err := filepath.EvalSymlinks(dir)
		if err == nil {
			return filepath.Abs(real)
		}
		if !errors.Is(err, fs.ErrNotExist) {
			return "", err
		}
		if info, err := os.Lstat(dir); err == nil && info.Mode()&fs.ModeSymlink != 0 {
			return "", leaves("the link %s leads to nothing", dir)
		}
		up := filepath.Dir(dir)
		if up == dir {
			return "", err
		}
		dir = up
	}
}

// Check refuses a folder with anything but files and folders at its top: a link
// would let what is written into the folder land elsewhere, and who opens a pipe
// waits for ever. A folder that is not there is fine.
func Check(dir string) error {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	for _, e := range entries {
		if t := e.Type(); !t.IsRegular() && !t.IsDir() {
			return leaves("%s is %s; a folder of results holds files and folders only, so remove it", filepath.Join(dir, e.Name()), kind(t))
		}
	}
	return nil
}

func kind(t fs.FileMode) string {
	switch {
	case t&fs.ModeSymlink != 0:
		return "a link"
	case t&fs.ModeNamedPipe != 0:
		return "a pipe"
	}
	return "no file"
}
