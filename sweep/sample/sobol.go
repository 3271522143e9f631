package sample

import (
	"math/bits"
	"strconv"
	"strings"
	"sync"
)

// digits of a Sobol' coordinate.
const digits = 32

// MaxDims is the number of dimensions of the Sobol' sequence.
const MaxDims = 128

// directions are the direction numbers of each dimension, the coordinates of
// points 1, 2, 4, ... in the order of the binary digits.
var directions = sync.OnceValue(func() *[MaxDims][digits]uint32 {
	var out [MaxDims][digits]uint32
	for k := range digits {
		out[0][k] = 1 << (digits - 1 - k)
	}
	for j, line := range strings.Split(strings.TrimSpace(joeKuo), "\n") {
		numbers := strings.Fields(line)
		a, _ := strconv.Atoi(numbers[0])
		v := &out[j+1]
		degree := len(numbers) - 1
		for k := range digits {
			if k < degree {
				m, _ := strconv.Atoi(numbers[k+1])
				v[k] = uint32(m) << (digits - 1 - k)
				continue
			}
			v[k] = v[k-degree] ^ v[k-degree]>>degree
			for t := 1; t < degree; t++ {
				if a>>(degree-1-t)&1 == 1 {
					v[k] ^= v[k-t]
				}
			}
		}
	}
	return &out
})

// point is coordinate j of point i of the Sobol' sequence in Gray code order,
// times 2^32; point 0 is the origin.
func point(j, i int) (x uint32) {
	v := &directions()[j]
	for gray := uint32(i) ^ uint32(i)>>1; gray != 0; gray &= gray - 1 {
		x ^= v[bits.TrailingZeros32(gray)]
	}
	return x
}

// scrambled is coordinate j of point i after the nested uniform scrambling of
// Owen (Monte Carlo and Quasi-Monte Carlo Methods in Scientific Computing,
// 299-317, 1995): each binary digit is flipped or not by a draw that belongs to
// the digits before it. Digits beyond the last are a draw of their own. A
// coordinate is uniform in (0, 1), and the points are as balanced as before.
func (d *Design) scrambled(j, i int) float64 {
	s := d.stream("sobol", j)
	x := point(j, i)
	y := x
	for k := range digits {
		before := 1<<k | int(uint64(x)>>(digits-k))
		if s.Uniform(before) < 0.5 {
			y ^= 1 << (digits - 1 - k)
		}
	}
	return (float64(y) + coarse(s.Uniform(1<<digits|int(x)), 20)) * 0x1p-32
}
