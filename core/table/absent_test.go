package table

import (
	"bytes"
	"reflect"
	"testing"
)

// Columns without a value, with values from some row on, and up to some row, over
// several batches and row groups: cells are what was written, and a column
// without any takes no memory.
func TestAbsent(t *testing.T) {
	cols := []Column{{Name: "f", Kind: Float64}, {Name: "i", Kind: Int64}, {Name: "b", Kind: Bool}, {Name: "s", Kind: String}}
	const rows = rowGroupRows + 2*batchRows + 5
	cuts := map[string]func(i int) bool{
		"never":             func(int) bool { return false },
		"always":            func(int) bool { return true },
		"from inside":       func(i int) bool { return i >= batchRows+3 },
		"from a batch":      func(i int) bool { return i >= batchRows },
		"to a batch":        func(i int) bool { return i < batchRows },
		"in the last group": func(i int) bool { return i == rows-1 },
		"a gap":             func(i int) bool { return i < 10 || i > 3*batchRows },
	}
	for name, there := range cuts {
		t.Run(name, func(t *testing.T) {
			row := func(i int) Row {
				if !there(i) {
					return Row{nil, nil, nil, nil}
				}
				return Row{float64(i) + 0.5, int64(i), i%2 == 0, string(rune('a' + i%7))}
			}
			var b bytes.Buffer
			e, err := newEncoder(&b, cols, nil)
			if err != nil {
				t.Fatal(err)
			}
			for i := range rows {
				if err := e.append(row(i)); err != nil {
					t.Fatal(err)
				}
			}
			if err := e.close(); err != nil {
				t.Fatal(err)
			}
			f, err := decode(bytes.NewReader(b.Bytes()))
			if err != nil {
				t.Fatal(err)
			}
			for i := range rows {
				if got, want := f.Row(i), row(i); !reflect.DeepEqual(got, want) {
					t.Fatalf("row %d: %v, want %v", i, got, want)
				}
			}
			s := f.data
			if kept := len(s[0].floats) + len(s[1].ints) + len(s[1].null) + len(s[2].bools) + len(s[3].codes); name == "never" && kept > 0 {
				t.Errorf("%d elements of columns without a value", kept)
			}
			if name == "always" && len(s[1].null) > 0 {
				t.Error("flags of whole numbers that are all there")
			}
		})
	}
}

// The limit on cells is of the columns that are read, not of those in the file: a
// report of a million points reads a few of a thousand columns.
func TestCellsOfChosenColumns(t *testing.T) {
	f := &Frame{Columns: make([]Column, 1017), data: make([]series, 1017)}
	if err := f.bounded(1_001_600); err == nil {
		t.Error("a thousand million cells fit")
	}
	if f.choose(func(c Column) bool { return false }); f.bounded(1_001_600) != nil || f.bounded(-1) == nil {
		t.Error("no column: any count of rows fits, a negative one does not")
	}
	f = &Frame{Columns: make([]Column, 250), data: make([]series, 250)}
	if err := f.bounded(1_001_600); err != nil {
		t.Error(err)
	}
}

// Taken rows are those of the frame they come from, NULLs and words too.
func TestTake(t *testing.T) {
	f, err := decode(bytes.NewReader(encode(t, 40)))
	if err != nil {
		t.Fatal(err)
	}
	var got Frame
	rows := []int{3, 7, 14, 39, 0}
	got.Take(f, rows[:2])
	got.Take(f, nil)
	got.Take(f, rows[2:])
	if got.Len() != len(rows) || got.Index("steady") != f.Index("steady") {
		t.Fatalf("%d rows", got.Len())
	}
	for i, row := range rows {
		if !reflect.DeepEqual(got.Row(i), f.Row(row)) {
			t.Errorf("row %d: %v, want %v", row, got.Row(i), f.Row(row))
		}
	}
}
