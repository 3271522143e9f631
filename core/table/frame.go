package table

import "math"

// Frame is a table in memory, by column: 8 bytes per number, 4 per string (a
// code into the column's distinct strings), 1 per bool.
type Frame struct {
	Columns []Column
	Meta    map[string]string // footer metadata, keys without the "sweep." prefix and without "columns"
	rows    int
	data    []series
}

// series is one column: the slice of its kind has an element per row.
type series struct {
	floats []float64 // NaN = NULL
	ints   []int64   // NULL where null is set
	null   []bool    // of ints
	bools  []int8    // 0, 1; -1 = NULL
	codes  []int32   // into words; -1 = NULL
	words  []string
}

// Len returns the number of rows.
func (f *Frame) Len() int { return f.rows }

// Index returns the position of a column, -1 if there is none.
func (f *Frame) Index(name string) int {
	for i, c := range f.Columns {
		if c.Name == name {
			return i
		}
	}
	return -1
}

// Row returns the cells of row i. It panics where a slice would.
func (f *Frame) Row(i int) Row {
	r := make(Row, len(f.Columns))
	for c := range f.Columns {
		r[c] = f.cell(c, i)
	}
	return r
}

func (f *Frame) cell(col, row int) any {
	switch s := &f.data[col]; f.Columns[col].Kind {
	case Float64:
		if v := s.floats[row]; !math.IsNaN(v) {
			return v
		}
	case Int64:
		if !s.null[row] {
			return s.ints[row]
		}
	case Bool:
		if v := s.bools[row]; v >= 0 {
			return v == 1
		}
	case String:
		if c := s.codes[row]; c >= 0 {
			return s.words[c]
		}
	}
	return nil
}

// Cell returns a cell as Row has it: nil for NULL and for column -1.
func (f *Frame) Cell(col, row int) any {
	if col < 0 {
		return nil
	}
	return f.cell(col, row)
}

// Float returns a number of a Float64 or Int64 column; false for NULL, for a
// column of another kind, and for column -1 (one that Index did not find).
func (f *Frame) Float(col, row int) (float64, bool) {
	switch f.kind(col) {
	case Float64:
		v := f.data[col].floats[row]
		return v, !math.IsNaN(v)
	case Int64:
		return float64(f.data[col].ints[row]), !f.data[col].null[row]
	}
	return math.NaN(), false
}

// Int returns a cell of an Int64 column; false as for Float.
func (f *Frame) Int(col, row int) (int64, bool) {
	if f.kind(col) != Int64 || f.data[col].null[row] {
		return 0, false
	}
	return f.data[col].ints[row], true
}

// Bool returns a cell of a Bool column; ok is false as for Float.
func (f *Frame) Bool(col, row int) (value, ok bool) {
	if f.kind(col) != Bool {
		return false, false
	}
	v := f.data[col].bools[row]
	return v == 1, v >= 0
}

// String returns a cell of a String column; false as for Float.
func (f *Frame) String(col, row int) (string, bool) {
	if f.kind(col) != String || f.data[col].codes[row] < 0 {
		return "", false
	}
	return f.data[col].words[f.data[col].codes[row]], true
}

func (f *Frame) kind(col int) Kind {
	if col < 0 {
		return -1
	}
	return f.Columns[col].Kind
}
