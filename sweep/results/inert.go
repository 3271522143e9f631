package results

import (
	"fmt"
	"hash/fnv"
	"math"
	"slices"
)

// inert finds axes and one-at-a-time parameters that change no metric of any
// run, to the last bit: knobs that do nothing.
type inert struct {
	axes   []Axis
	outer  []int    // the outer ones of axes
	keys   []uint64 // of the ok points: of each outer cell, then of the one-at-a-time change
	prints []uint64 // of the ok points: of their metrics
	paths  []string // one-at-a-time parameters
	moved  map[string]bool
}

func newInert(axes []Axis) inert {
	x := inert{axes: axes, moved: map[string]bool{}}
	for i, a := range axes {
		if a.Outer {
			x.outer = append(x.outer, i)
		}
	}
	return x
}

// add takes a point and its baseline, if it has one.
func (x *inert) add(p, base *point) {
	if p.first.Status != OK {
		return
	}
	for _, i := range x.outer {
		x.keys = append(x.keys, word(fmt.Sprint(p.first.Axes[i])))
	}
	x.keys = append(x.keys, word(p.first.OATPath+"\x00"+p.first.OATLevel))
	x.prints = append(x.prints, p.print)
	if base == nil || base.first.Status != OK {
		return
	}
	path := p.first.OATPath
	if !slices.Contains(x.paths, path) {
		x.paths = append(x.paths, path)
	}
	x.moved[path] = x.moved[path] || p.print != base.print
}

// names lists what changed nothing, as far as at least two points differ in it
// alone.
func (x *inert) names() []string {
	out := []string{}
	for j, i := range x.outer {
		if x.still(j) {
			out = append(out, x.axes[i].Path)
		}
	}
	for _, path := range x.paths {
		if !x.moved[path] {
			out = append(out, path)
		}
	}
	return out
}

// still reports whether points that differ in outer axis j alone are equal.
func (x *inert) still(j int) bool {
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

// fingerprint extends the hash of a point's metrics by those of a run.
func fingerprint(h uint64, metrics []float64) uint64 {
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
