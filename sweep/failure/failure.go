// Package failure writes down the stacks of panics in runs, for those who look for
// the fault. It knows no plan.
package failure

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"scoville/sweep/pool"
)

// File is where the stacks go, in the folder of the results.
const File = "failures.log"

// most bounds the stacks that one process writes down.
const most = 100

// Log takes the errors of runs. It is for one goroutine; a nil Log takes nothing.
type Log struct {
	path string
	many int
	err  error
}

// In is the log of a folder.
func In(dir string) *Log { return &Log{path: filepath.Join(dir, File)} }

// Add writes down the stack of an error that is a panic; others have none.
func (l *Log) Add(point string, replicate int, err error) {
	var panicked *pool.Panic
	if l == nil || l.err != nil || l.many == most || !errors.As(err, &panicked) {
		return
	}
	l.many++
	file, err := os.OpenFile(l.path, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o644)
	if err == nil {
		_, err = fmt.Fprintf(file, "point %s replicate %d: %v\n%s\n", point, replicate, panicked, panicked.Stack)
		err = errors.Join(err, file.Close())
	}
	l.err = err
}

// Err is the first error of the file.
func (l *Log) Err() error {
	if l == nil {
		return nil
	}
	return l.err
}
