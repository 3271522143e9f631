// Package inert finds axes and one-at-a-time parameters that change no metric
// of any run, to the last bit: knobs that do nothing. It compares fingerprints
// and knows no metric.
package inert

import (
	"fmt"
	"hash/fnv"
	"math"
	"slices"
)

// Axes finds the parameters that do nothing.
type Axes struct {
	paths  []string // of the axes, and "" for those that vary one at a time
	outer  []int    // the others
	keys   []uint64 // of the points: of each outer cell, then of the one-at-a-time change
	prints []uint64 // of the points: of their metrics
	oat    []string // one-at-a-time parameters
	moved  map[string]bool
}

// Point is one whose runs are all ok.
type Point struct {
	Cells       []any  // values of the axes
	Path, Level string // what is changed one at a time; "" = nothing
	Print       uint64 // Fingerprint of its runs
}

// New takes the paths of the axes; an empty one is left out.
func New(paths []string) Axes {
	x := Axes{paths: paths, moved: map[string]bool{}}
	for i, path := range paths {
		if path != "" {
			x.outer = append(x.outer, i)
		}
	}
	return x
}

// Add takes a point and the fingerprint of its baseline; nil if it has none.
func (x *Axes) Add(p Point, base *uint64) {
	for _, i := range x.outer {
		x.keys = append(x.keys, word(fmt.Sprint(p.Cells[i])))
	}
	x.keys = append(x.keys, word(p.Path+"\x00"+p.Level))
	x.prints = append(x.prints, p.Print)
	if base == nil {
		return
	}
	if !slices.Contains(x.oat, p.Path) {
		x.oat = append(x.oat, p.Path)
	}
	x.moved[p.Path] = x.moved[p.Path] || p.Print != *base
}

// Names lists what changed nothing, as far as at least two points differ in it
// alone.
func (x *Axes) Names() []string {
	out := []string{}
	for j, i := range x.outer {
		if x.still(j) {
			out = append(out, x.paths[i])
		}
	}
	for _, path := range x.oat {
		if !x.moved[path] {
			out = append(out, path)
		}
	}
	return out
}

// still reports whether points that differ in outer axis j alone are equal.
func (x *Axes) still(j int) bool {
	n, compared := len(x.outer)+1, false
	seen := map[uint64]uint64{}
	for i, print := range x.prints {
		key := uint64(0)
		for k, cell := range x.keys[i*n : (i+1)*n] {
			if k != j {
				key = mix(key, cell)
			}
		}
		other, ok := seen[key]
		if ok && other != print {
			return false
		}
		compared = compared || ok
		seen[key] = print
	}
	return compared
}

// Fingerprint extends the hash of a point's metrics by those of a run.
func Fingerprint(h uint64, metrics []float64) uint64 {
	for _, v := range metrics {
		bits := uint64(0x7ff8_0000_0000_0001) // every NaN is NULL
		if !math.IsNaN(v) {
			bits = math.Float64bits(v)
		}
		h = mix(h, bits)
	}
	return mix(h, uint64(len(metrics)))
}

// mix extends hash h by a value (the finaliser of SplitMix64).
func mix(h, v uint64) uint64 {
	h = (h ^ v) + 0x9e3779b97f4a7c15
	h = (h ^ h>>30) * 0xbf58476d1ce4e5b9
	h = (h ^ h>>27) * 0x94d049bb133111eb
	return h ^ h>>31
}

func word(s string) uint64 {
	h := fnv.New64a()
	h.Write([]byte(s)) // never fails
	return h.Sum64()
}
