package table

import (
	"bufio"
	"errors"
	"fmt"
)

// Writer writes one table. It is for one goroutine. Nothing exists under the
// final name before Close returns nil.
type Writer struct {
	path  string
	enc   *encoder
	buf   *bufio.Writer
	out   *pending // nil once closed or aborted
	whole bool     // the footer is written, and out finished
}

// Create opens a table to be written to path, which by custom ends in
// .parquet. The bytes go to ".NAME.tmp-PID-RANDOM" in the same folder until Close.
// The footer holds meta under "sweep." + key, and the columns as JSON under
// "sweep.columns". Keys are snake_case.
func Create(path string, cols []Column, meta map[string]string) (*Writer, error) {
	out, err := openPending(path)
	if err != nil {
		return nil, fmt.Errorf("write %s: %w", path, err)
	}
	buf := bufio.NewWriterSize(out, 1<<18)
	enc, err := newEncoder(buf, cols, meta)
	if err != nil {
		out.discard()
		return nil, fmt.Errorf("write %s: %w", path, err)
	}
	return &Writer{path: path, enc: enc, buf: buf, out: out}, nil
}

// Path is the final name of the table.
func (w *Writer) Path() string { return w.path }

var errClosed = errors.New("table is closed")

// Append adds a row; its cells are copied. After an error the table cannot be
// completed: Append and Close keep returning it.
func (w *Writer) Append(r Row) error {
	if w.out == nil || w.whole {
		return w.wrap(errClosed)
	}
	return w.wrap(w.enc.append(r))
}

// SetMeta adds footer metadata that is known only after the rows, such as
// counts. A key set before is replaced.
func (w *Writer) SetMeta(key, value string) error {
	return w.wrap(w.enc.setMeta(key, value))
}

// Finish writes the footer and makes the file durable under its temporary name;
// then only Close and Abort are of use. Several tables that belong together are
// all finished before the first is closed: whatever could still fail has not
// failed, and closing is a matter of names. After an error the temporary file is
// gone.
func (w *Writer) Finish() error {
	if w.out == nil || w.whole {
		return w.wrap(errClosed)
	}
	err := w.enc.close()
	if err == nil {
		err = w.buf.Flush()
	}
	if err != nil {
		w.Abort()
		return w.wrap(err)
	}
	w.whole = true
	if err := w.out.finish(); err != nil {
		w.out = nil
		return w.wrap(err)
	}
	return nil
}

// Close finishes the table, unless that is done, and gives the file its final
// name: flush, fsync, rename, fsync of the folder. After an error no file of that
// name has been made or changed, and the temporary one is gone.
func (w *Writer) Close() error {
	if w.out == nil {
		return w.wrap(errClosed)
	}
	if !w.whole {
		if err := w.Finish(); err != nil {
			return err
		}
	}
	out := w.out
	w.out = nil
	return w.wrap(out.publish())
}

// Abort gives the table up and removes the temporary file. After Close it does
// nothing, so it can be deferred.
func (w *Writer) Abort() {
	if w.out != nil {
		w.out.discard()
		w.out = nil
	}
}

func (w *Writer) wrap(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("write %s: %w", w.path, err)
}
