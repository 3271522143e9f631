package sample

import (
	"math"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// wide is a design of so many dimensions.
func wide(method string, n, dims int, seed uint64) *Design {
	lo, hi := 0.0, 1.0
	d := &Design{Method: method, N: n, Seed: seed}
	for i := range dims {
		d.Dims = append(d.Dims, Dim{Path: "x" + strconv.Itoa(i), Kind: Range, Min: &lo, Max: &hi})
	}
	return d
}

// The first points in three dimensions, as Joe and Kuo publish them beside
// their direction numbers.
func TestPublishedPoints(t *testing.T) {
	want := [][3]float64{
		{0, 0, 0},
		{0.5, 0.5, 0.5},
		{0.75, 0.25, 0.25},
		{0.25, 0.75, 0.75},
		{0.375, 0.375, 0.625},
		{0.875, 0.875, 0.125},
		{0.625, 0.125, 0.875},
		{0.125, 0.625, 0.375},
		{0.1875, 0.3125, 0.9375},
		{0.6875, 0.8125, 0.4375},
	}
	for i, p := range want {
		for j, x := range p {
			if got := float64(point(j, i)) * 0x1p-32; got != x {
				t.Errorf("point %d coordinate %d is %g, want %g", i, j, got, x)
			}
		}
	}
}

// Joe and Kuo: property A holds in every dimension up to 1,111. That is, the
// first digits of the first d direction numbers of d dimensions are linearly
// independent. One wrong number among ours breaks it or leaves it by chance.
func TestPropertyA(t *testing.T) {
	lines := strings.Split(strings.TrimSpace(joeKuo), "\n")
	if len(lines) != MaxDims-1 {
		t.Fatalf("%d lines", len(lines))
	}
	rows := []*big.Int{big.NewInt(1)} // of the first dimension: v_1 = 1/2, the others begin with 0
	for n, line := range lines {
		var m []*big.Int
		fields := strings.Fields(line)
		for i, f := range fields[1:] {
			x, ok := new(big.Int).SetString(f, 10)
			if !ok || x.Bit(0) != 1 || x.BitLen() > i+1 {
				t.Fatalf("dimension %d: m_%d = %s is even or not below 2^%d", n+2, i+1, f, i+1)
			}
			m = append(m, x)
		}
		a, _ := strconv.Atoi(fields[0])
		for degree := len(m); len(m) < MaxDims; {
			x := new(big.Int).Lsh(m[len(m)-degree], uint(degree))
			x.Xor(x, m[len(m)-degree])
			for k := 1; k < degree; k++ {
				if a>>(degree-1-k)&1 == 1 {
					x.Xor(x, new(big.Int).Lsh(m[len(m)-k], uint(k)))
				}
			}
			m = append(m, x)
		}
		row := new(big.Int)
		for k, x := range m {
			row.SetBit(row, k, x.Bit(k)) // the first digit of m_{k+1} / 2^{k+1}
		}
		rows = append(rows, row)
	}
	for d := 1; d <= MaxDims; d++ {
		if rank(rows[:d], d) != d {
			t.Errorf("property A does not hold in %d dimensions", d)
		}
	}
}

// rank is that of the first columns of a binary matrix.
func rank(rows []*big.Int, columns int) (n int) {
	var left []*big.Int
	for _, r := range rows {
		left = append(left, new(big.Int).Set(r))
	}
	for c := range columns {
		i := slices.IndexFunc(left, func(r *big.Int) bool { return r.Bit(c) == 1 })
		if i < 0 {
			continue
		}
		pivot := left[i]
		left = slices.Delete(left, i, i+1)
		for _, r := range left {
			if r.Bit(c) == 1 {
				r.Xor(r, pivot)
			}
		}
		n++
	}
	return n
}

// Scrambling keeps the balance: every dimension has one of n points in each of
// n slices, and the first two have one in each of the n boxes of any shape.
func TestScrambledBalance(t *testing.T) {
	for _, seed := range []uint64{0, 1, 1 << 63} {
		const n = 64
		d := wide(Sobol, n, 20, seed)
		for j := range 20 {
			seen := map[int]bool{}
			for i := range n {
				u := d.Unit(i)[j]
				if !(u > 0 && u < 1) {
					t.Fatalf("coordinate %g", u)
				}
				seen[int(u*n)] = true
			}
			if len(seen) != n {
				t.Errorf("seed %d: dimension %d has points in %d of %d slices", seed, j, len(seen), n)
			}
		}
		for a := 1; a <= n; a *= 2 {
			seen := map[[2]int]bool{}
			for i := range n {
				u := d.Unit(i)
				seen[[2]int{int(u[0] * float64(a)), int(u[1] * float64(n/a))}] = true
			}
			if len(seen) != n {
				t.Errorf("seed %d: %d of %d boxes of 1/%d have a point", seed, len(seen), n, a)
			}
		}
	}
}

// A scrambled point is uniform over the seeds, and two points of one sequence
// are not independent: the digit in which they first differ is kept.
func TestScrambledUniform(t *testing.T) {
	const seeds = 4000
	var mean, square float64
	for seed := range uint64(seeds) {
		u := wide(Sobol, 8, 1, seed).Unit(0)[0]
		mean += u / seeds
		square += u * u / seeds
	}
	if math.Abs(mean-0.5) > 0.02 || math.Abs(square-1.0/3) > 0.02 {
		t.Errorf("point 0 has mean %.3f and mean square %.3f, want 1/2 and 1/3", mean, square)
	}
}

// A Latin hypercube has one row in each slice of each dimension, exactly.
func TestLatin(t *testing.T) {
	for _, n := range []int{1, 2, 3, 7, 10, 64, 100, 1000} {
		d := wide(LHS, n, 5, uint64(n))
		for j := range 5 {
			seen := make([]bool, n)
			for i := range n {
				u := d.Unit(i)[j]
				if !(u > 0 && u < 1) {
					t.Fatalf("coordinate %g", u)
				}
				seen[int(u*float64(n))] = true
			}
			if slices.Contains(seen, false) {
				t.Errorf("n = %d: dimension %d leaves a slice empty", n, j)
			}
		}
	}
}

// Every permutation of a small n comes up about equally often.
func TestShuffled(t *testing.T) {
	const seeds = 24_000
	count := map[[4]int]int{}
	for seed := range uint64(seeds) {
		d := wide(LHS, 4, 1, seed)
		var p [4]int
		for i := range p {
			p[i] = shuffled(d.stream("lhs", 0), i, 4)
		}
		count[p]++
	}
	chi := 0.0
	for _, n := range count {
		chi += float64(n-seeds/24) * float64(n-seeds/24) / (seeds / 24)
	}
	if len(count) != 24 || chi > 60 { // 23 degrees of freedom: 1 in 20,000 lies beyond 60
		t.Errorf("%d of 24 permutations, chi square %.0f", len(count), chi)
	}
}

// Rows of a smaller design are rows of a larger one, so that runs are used
// again; seeds differ, and zero is one like the others.
func TestExtends(t *testing.T) {
	for _, method := range []string{Sobol, Random, Morris, Saltelli} {
		small, large, other := wide(method, 4, 3, 0), wide(method, 16, 3, 0), wide(method, 4, 3, 1)
		differ := false
		for i := range small.Rows() {
			if !slices.Equal(small.Unit(i), large.Unit(i)) {
				t.Errorf("%s: row %d changes with n", method, i)
			}
			differ = differ || !slices.Equal(small.Unit(i), other.Unit(i))
		}
		if !differ {
			t.Errorf("%s: seeds 0 and 1 give the same rows", method)
		}
	}
}

// A trajectory moves every dimension once, by 2/3, and stays on the grid; over
// many, levels, directions and orders are balanced.
func TestMorris(t *testing.T) {
	const n, dims = 600, 4
	d := wide(Morris, n, dims, 3)
	d.Dims[3].Kind = Normal
	up, first, level := 0, make([]int, dims), map[float64]int{}
	for trajectory := range n {
		moved := map[int]bool{}
		for step := range d.Block() {
			row := trajectory*d.Block() + step
			x := d.Unit(row)
			level[x[0]]++
			j, ok := d.Move(row)
			if ok != (step > 0) {
				t.Fatalf("row %d: moves %t", row, ok)
			}
			if !ok {
				continue
			}
			before := d.Unit(row - 1)
			for k := range x {
				delta, want := math.Abs(x[k]-before[k]), 0.0
				if k == j {
					want = 2.0 / 3
					if k == 3 {
						want = 0.5
					}
				}
				if math.Abs(delta-want) > 1e-15 {
					t.Fatalf("row %d: dimension %d moves by %g, want %g", row, k, delta, want)
				}
			}
			moved[j] = true
			if step == 1 {
				first[j]++
			}
			if x[j] > before[j] {
				up++
			}
		}
		if len(moved) != dims {
			t.Errorf("trajectory %d moves %d of %d dimensions", trajectory, len(moved), dims)
		}
	}
	if math.Abs(float64(up)/(n*dims)-0.5) > 0.05 || slices.Min(first) < n/dims*8/10 || len(level) != 4 {
		t.Errorf("%d of %d moves go up, first moves %v, levels %v", up, n*dims, first, level)
	}
	for u := range level {
		if u != 0 && u != 1.0/3 && u != 2.0/3 && u != 1 {
			t.Errorf("level %g is not on the grid", u)
		}
	}
}

// Row A, then A with one dimension of B after the other, then B.
func TestSaltelli(t *testing.T) {
	d := wide(Saltelli, 8, 3, 5)
	d.Dummy = true
	if d.Width() != 4 || d.Block() != 6 || d.Rows() != 48 || !slices.Equal(d.Names(), []string{"x0", "x1", "x2", "dummy"}) {
		t.Fatalf("width %d, block %d, rows %d", d.Width(), d.Block(), d.Rows())
	}
	base := wide(Sobol, 8, 8, 5)
	for b := range 8 {
		points := base.Unit(b)
		for row := range 6 {
			want := slices.Clone(points[:4])
			switch {
			case row == 5:
				want = points[4:]
			case row > 0:
				want[row-1] = points[4+row-1]
			}
			if got := d.Unit(b*6 + row); !slices.Equal(got, want) {
				t.Errorf("row %d of block %d is %v, want %v", row, b, got, want)
			}
		}
	}
}

func TestCheck(t *testing.T) {
	for _, c := range []struct {
		d         *Design
		key, want string
	}{
		{wide(LHS, 10, 3, 0), "", ""},
		{wide(Sobol, 1, 3, 0), "", ""},
		{wide("halton", 10, 3, 0), "method", `no method "halton"`},
		{wide(LHS, 10, 0, 0), "space", "no parameter is varied"},
		{wide(LHS, 0, 3, 0), "n", "0 is not from 1"},
		{wide(LHS, MaxN+1, 3, 0), "n", "is not from 1"},
		{wide(Sobol, 100, 3, 0), "n", "100 is not a power of two: only then are Sobol' points balanced; the nearest are 64 and 128"},
		{wide(Saltelli, 3, 3, 0), "n", "the nearest are 2 and 4"},
		{wide(Sobol, 4, 129, 0), "space", "129 dimensions are more than the 128"},
		{wide(Saltelli, 4, 65, 0), "space", "65 dimensions are more than the 64"},
		{wide(Morris, 4, 200, 0), "", ""},
	} {
		key, err := c.d.Check()
		if key != c.key || (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s n = %d: %q %v, want %q %q", c.d.Method, c.d.N, key, err, c.key, c.want)
		}
	}
}
