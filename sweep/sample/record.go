package sample

import (
	"bytes"
	"regexp"
)

// Record is a design as it was run: what a manifest keeps of it.
type Record struct {
	Design
	Combinations int       `json:"combinations"` // of the axes around the design, each with all its rows
	Rows         [][]int32 `json:"rows,omitempty"`
}

// NoPoint stands for a row that has no point: a rule of the study took it out.
const NoPoint = -1

// Point is the index of the point that row i of an outer combination became;
// rows that resolve to equal scenarios share one. It is false for a row that
// has none.
func (r *Record) Point(combination, i int) (index int, ok bool) {
	if r.Rows == nil {
		return combination*r.Design.Rows() + i, true
	}
	index = int(r.Rows[combination][i])
	return index, index != NoPoint
}

// Add takes the point of the next row, NoPoint for none: all rows of an outer
// combination, then those of the next. A nil record takes nothing.
func (r *Record) Add(point int) {
	if r == nil {
		return
	}
	if r.Combinations == 0 || len(r.Rows[r.Combinations-1]) == r.Design.Rows() {
		r.Combinations++
		r.Rows = append(r.Rows, make([]int32, 0, r.Design.Rows()))
	}
	last := &r.Rows[r.Combinations-1]
	*last = append(*last, int32(point))
}

// Compact leaves the list of rows out where every row is a point of its own, in
// order.
func (r *Record) Compact() {
	for c, rows := range r.Rows {
		for i, index := range rows {
			if int(index) != c*r.Design.Rows()+i {
				return
			}
		}
	}
	r.Rows = nil
}

// numbers is a list of whole numbers in indented JSON, whose texts hold no line
// ends.
var numbers = regexp.MustCompile(`\[\n\s*-?\d+(,\n\s*-?\d+)*\n\s*\]`)

// Flat puts the lists of whole numbers of an indented JSON text in a line each, as
// the rows of a record are.
func Flat(text []byte) []byte {
	return numbers.ReplaceAllFunc(text, func(list []byte) []byte {
		return []byte("[" + string(bytes.Join(bytes.Fields(list[1:len(list)-1]), []byte(" "))) + "]")
	})
}
