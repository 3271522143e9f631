// Package sample makes designs that fill a space: Latin hypercubes, scrambled
// Sobol' points, random points, Morris trajectories and Saltelli blocks, in
// the unit cube and as values of parameters. Every row is computed from its
// number alone, so that a design is never held in memory. It knows no scenario
// and no metric; parameters are names.
package sample

import (
	"fmt"
	"math"
	"math/bits"

	"scoville/core/workload"
)

// Methods of a design.
const (
	LHS      = "lhs"      // n rows; each of n equal slices of every dimension has one
	Sobol    = "sobol"    // the first n points of an Owen-scrambled Sobol' sequence
	Random   = "random"   // n independent rows
	Morris   = "morris"   // n trajectories of one row more than there are dimensions
	Saltelli = "saltelli" // n blocks of two rows more than there are dimensions
)

// Methods lists the methods.
func Methods() []string { return []string{LHS, Sobol, Random, Morris, Saltelli} }

// Design is a sample of a space. It is a plain value, and what the manifest
// keeps of it: the same design always has the same rows, on every machine. The
// rows of a smaller n are the first rows of a larger one, but for lhs.
type Design struct {
	Method string `json:"method"`
	N      int    `json:"n"`           // rows, trajectories or blocks
	Seed   uint64 `json:"seed,string"` // of scrambling and every draw; text, since JSON numbers end at 2^53
	Dummy  bool   `json:"dummy"`       // a last dimension that sets no parameter: what it seems to do is noise
	Dims   []Dim  `json:"dims"`
}

// DummyName is the name of the dimension that sets no parameter.
const DummyName = "dummy"

// Width is the number of dimensions, with the dummy.
func (d *Design) Width() int {
	if d.Dummy {
		return len(d.Dims) + 1
	}
	return len(d.Dims)
}

// Names are the paths of the dimensions, then DummyName if there is a dummy.
func (d *Design) Names() []string {
	names := make([]string, 0, d.Width())
	for i := range d.Dims {
		names = append(names, d.Dims[i].Path)
	}
	if d.Dummy {
		names = append(names, DummyName)
	}
	return names
}

// Block is the number of rows that belong together: a trajectory of morris, a
// block of saltelli; 1 for the others, whose rows stand alone.
func (d *Design) Block() int {
	switch d.Method {
	case Morris:
		return d.Width() + 1
	case Saltelli:
		return d.Width() + 2
	}
	return 1
}

// Rows is the number of rows.
func (d *Design) Rows() int { return d.N * d.Block() }

// Check returns an error if the design cannot be made. key is what is wrong
// with it: "method", "n" or "space".
func (d *Design) Check() (key string, err error) {
	width := d.Width()
	switch d.Method {
	case LHS, Random, Morris:
	case Sobol, Saltelli:
		most := MaxDims
		if d.Method == Saltelli {
			most /= 2
		}
		if width > most {
			return "space", fmt.Errorf("%d dimensions are more than the %d of method %q", width, most, d.Method)
		}
	default:
		return "method", fmt.Errorf("no method %q", d.Method)
	}
	switch {
	case len(d.Dims) == 0:
		return "space", fmt.Errorf("no parameter is varied")
	case d.N < 1 || d.N > MaxN:
		return "n", fmt.Errorf("%d is not from 1 to %d", d.N, MaxN)
	case (d.Method == Sobol || d.Method == Saltelli) && bits.OnesCount(uint(d.N)) != 1:
		return "n", fmt.Errorf("%d is not a power of two: only then are Sobol' points balanced; the nearest are %d and %d", d.N, 1<<(bits.Len(uint(d.N))-1), 1<<bits.Len(uint(d.N)))
	}
	return "", nil
}

// MaxN is the largest n of a design.
const MaxN = 1 << 24

// Unit returns the coordinates of row i in the unit cube, one a dimension, the
// dummy last; they are in (0, 1) but for morris, whose grid has both ends, or the
// middles of its quarters for a distribution, which has no ends. The design
// must pass Check.
//
// Row t*Block()+j of morris is step j of trajectory t: row 0 is its start, and
// each further row differs from the one before in one dimension (see Move), up
// or down. Row b*Block()+j of saltelli is row A of block b for j = 0,
// row B for j = Width()+1, and else A with dimension j-1 from B.
func (d *Design) Unit(i int) []float64 {
	x := make([]float64, d.Width())
	switch d.Method {
	case LHS:
		for j := range x {
			s := d.stream("lhs", j)
			x[j] = (float64(shuffled(s, i, d.N)) + coarse(s.Uniform(i), 26)) / float64(d.N)
		}
	case Random:
		for j := range x {
			x[j] = d.stream("random", j).Uniform(i)
		}
	case Sobol:
		for j := range x {
			x[j] = d.scrambled(j, i)
		}
	case Saltelli:
		d.saltelli(x, i)
	case Morris:
		d.morris(x, i)
	}
	return x
}

// saltelli fills in row i (A. Saltelli et al., Comput. Phys. Commun. 181,
// 259-270, 2010): A and B are the two halves of the coordinates of one Sobol'
// point.
func (d *Design) saltelli(x []float64, i int) {
	block, row := i/d.Block(), i%d.Block()
	for j := range x {
		from := j
		if row == j+1 || row == len(x)+1 {
			from += len(x)
		}
		x[j] = d.scrambled(from, block)
	}
}

// stream is the source of draws of a dimension.
func (d *Design) stream(use string, dimension int) workload.Stream {
	return workload.NewStream(d.Seed, dimension, "sample/"+use)
}

// coarse is a draw with so many binary digits that a sum with whole numbers
// before it is exact, and stays below the next one.
func coarse(u float64, digits int) float64 {
	return math.Ldexp(math.Floor(math.Ldexp(u, digits))+0.5, -digits)
}

// shuffled is where a random permutation of 0 .. n-1 takes i, without making
// the permutation: a Feistel network on the next even number of bits, walked
// until it falls below n.
func shuffled(s workload.Stream, i, n int) int {
	half := (bits.Len(uint(n-1)) + 1) / 2
	if half == 0 {
		return 0
	}
	mask := 1<<half - 1
	for {
		left, right := i>>half, i&mask
		for round := range 8 {
			key := -1 - (round<<half | right) // below zero: not a draw of a row
			left, right = right, left^int(s.Uniform(key)*float64(mask+1))
		}
		if i = left<<half | right; i < n {
			return i
		}
	}
}
