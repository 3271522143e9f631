package table

import (
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"slices"

	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/file"
)

// Scanner reads a table a row group at a time: of a table of any length it holds
// at most the rows of one group (50,000, less where there are many columns).
type Scanner struct {
	name string
	in   *os.File
	pr   *file.Reader
	head *Frame
	from []int
	next int
	rows int64
}

// Scan opens a table to be read by row groups, with the columns for which keep is
// true; nil is all. Errors are those of Read.
func Scan(path string, keep func(Column) bool) (*Scanner, error) {
	in, err := open(path)
	if err != nil {
		return nil, err
	}
	s := &Scanner{name: path, in: in}
	if err := s.begin(keep); err != nil {
		in.Close()
		return nil, fmt.Errorf("read table %s: %w", path, err)
	}
	return s, nil
}

func (s *Scanner) begin(keep func(Column) bool) (err error) {
	defer damaged(&err)
	if s.pr, err = newReader(s.in); err != nil {
		return err
	}
	if s.head, err = newFrame(s.pr); err != nil {
		return err
	}
	s.from = s.head.choose(keep)
	return nil
}

// Head is the table without its rows: columns that are kept, and metadata.
func (s *Scanner) Head() *Frame { return s.head }

// Len is how many rows the footer says there are.
func (s *Scanner) Len() int64 { return s.pr.NumRows() }

// Keep leaves those columns for which keep is true, of a scanner that was opened
// with all and has not given rows.
func (s *Scanner) Keep(keep func(Column) bool) { s.from = s.head.choose(keep) }

// Next returns the rows of the next group; io.EOF after the last.
func (s *Scanner) Next() (*Frame, error) {
	f, err := s.group()
	if err != nil && err != io.EOF {
		err = fmt.Errorf("read table %s: %w", s.name, err)
	}
	return f, err
}

func (s *Scanner) group() (frame *Frame, err error) {
	defer damaged(&err)
	if s.next == s.pr.NumRowGroups() {
		if s.rows != s.pr.NumRows() {
			return nil, fmt.Errorf("damaged file: %d rows, the footer says %d", s.rows, s.pr.NumRows())
		}
		return nil, io.EOF
	}
	g := s.pr.RowGroup(s.next)
	if n := g.NumRows(); n < 0 || n > s.pr.NumRows()-s.rows {
		return nil, fmt.Errorf("damaged file: row group %d has %d rows, the file %d", s.next, n, s.pr.NumRows())
	}
	frame = &Frame{Columns: s.head.Columns, Meta: s.head.Meta, data: make([]series, len(s.head.Columns))}
	if err := frame.bounded(g.NumRows()); err != nil {
		return nil, fmt.Errorf("row group %d: %w", s.next, err)
	}
	d := decoder{frame: frame, from: s.from, codes: map[*series]map[string]int32{}}
	if err := d.group(g); err != nil {
		return nil, fmt.Errorf("row group %d: %w", s.next, err)
	}
	s.rows, s.next = s.rows+g.NumRows(), s.next+1
	return frame, nil
}

// Close closes the file.
func (s *Scanner) Close() error { return s.in.Close() }

// open opens a regular file: opening a pipe would wait for its writer.
func open(path string) (*os.File, error) {
	info, err := os.Stat(path)
	if err == nil && !info.Mode().IsRegular() {
		err = fmt.Errorf("%s is not a file", path)
	}
	if gone := new(os.PathError); errors.As(err, &gone) && errors.Is(err, os.ErrNotExist) {
		err = fmt.Errorf("%s: %w", path, gone.Err) // without the name of the system call
	}
	if err != nil {
		return nil, fmt.Errorf("read table: %w", err)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("read table: %w", err)
	}
	return f, nil
}

// newReader reads the footer of a file.
func newReader(r parquet.ReaderAtSeeker) (*file.Reader, error) {
	props := parquet.NewReaderProperties(memory.NewGoAllocator())
	props.BufferedStreamEnabled = true // a declared chunk length allocates nothing
	pr, err := file.NewParquetReader(r, file.WithReadProps(props))
	if err != nil {
		return nil, fmt.Errorf("not a whole Parquet file: %w", err)
	}
	return pr, nil
}

// damaged turns a panic on damaged bytes into an error.
func damaged(err *error) {
	if p := recover(); p != nil {
		*err = fmt.Errorf("damaged file: %v", p)
	}
}

// Beside returns a frame with further columns before those of f, the cells of row
// in each of its rows. Cells of another type than their column, and a column that
// f has, are errors.
func Beside(f *Frame, cols []Column, row Row) (*Frame, error) {
	all := slices.Concat(cols, f.Columns)
	if err := checkColumns(all); err != nil {
		return nil, err
	}
	if len(row) != len(cols) {
		return nil, fmt.Errorf("%d cells for %d columns", len(row), len(cols))
	}
	out := &Frame{Columns: all, Meta: f.Meta, rows: f.rows, data: make([]series, 0, len(all))}
	for i, c := range cols {
		s, ok := constant(c.Kind, row[i], f.rows)
		if !ok {
			return nil, fmt.Errorf("column %q: cell is %T, want %s or nil", c.Name, row[i], c.Kind)
		}
		out.data = append(out.data, s)
	}
	out.data = append(out.data, f.data...)
	return out, nil
}

// constant is a column of n equal cells; false if the cell does not fit its kind.
func constant(k Kind, v any, n int) (s series, ok bool) {
	ok = v == nil
	switch k {
	case Float64:
		x := math.NaN()
		if f, is := v.(float64); is {
			x, ok = f, true
		}
		s.floats = slices.Repeat([]float64{x}, n)
	case Int64:
		x, is := v.(int64)
		ok = ok || is
		s.ints, s.null = slices.Repeat([]int64{x}, n), slices.Repeat([]bool{!is}, n)
	case Bool:
		x := int8(-1)
		if b, is := v.(bool); is {
			if x, ok = 0, true; b {
				x = 1
			}
		}
		s.bools = slices.Repeat([]int8{x}, n)
	case String:
		x := int32(-1)
		if word, is := v.(string); is {
			x, ok, s.words = 0, true, []string{word}
		}
		s.codes = slices.Repeat([]int32{x}, n)
	}
	return s, ok
}
