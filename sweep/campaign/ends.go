package campaign

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"syscall"
)

// StoppedError says that a campaign ended early, and that the same command goes
// on where it was.
type StoppedError struct {
	Err  error // why: the context's, an error of the disk, or a *budget.StoppedError
	Kept int   // runs that are known in the folder; -1 = not counted
}

func (e *StoppedError) Error() string { return e.Err.Error() }

// Unwrap returns why.
func (e *StoppedError) Unwrap() error { return e.Err }

// ErrDisk says that what runs give can not be kept.
var ErrDisk = errors.New("the results cannot be kept")

// IsDisk reports whether an error is one of a file that could not be written.
func IsDisk(err error) bool {
	var path *fs.PathError
	var link *os.LinkError
	var call *os.SyscallError
	return errors.As(err, &path) || errors.As(err, &link) || errors.As(err, &call)
}

// IsFull reports whether an error is one of a disk, or a share of one, without
// room.
func IsFull(err error) bool {
	return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT)
}

// Unable is a campaign that could not begin for an error of the disk.
func Unable(err error) error { return &StoppedError{fmt.Errorf("%w: %w", ErrDisk, err), -1} }

// BesideError says that the tables of a sweep are whole, but what stands beside
// them, such as the report, could not be written. The same command writes it.
type BesideError struct {
	Dir string
	Err error
}

func (e *BesideError) Error() string {
	return fmt.Sprintf("the tables in %s are whole, but not what goes with them: %v", e.Dir, e.Err)
}

// Unwrap returns why.
func (e *BesideError) Unwrap() error { return e.Err }

// Beside is an error after the tables were written: of the disk, a *BesideError.
func Beside(dir string, err error) error {
	if IsDisk(err) {
		return &BesideError{dir, err}
	}
	return err
}
