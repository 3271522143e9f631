package pace

import (
	"math"

	"gonum.org/v1/gonum/mat"

	"scoville/sweep/work"
)

// cost learns what runs take from those that are over: the logarithm of the time is
// linear in the features of the size, by ridge regression around time in
// proportion to prior. Estimates are scaled so that they add up to what those that
// are over took in all: they need not be right, only to tell large runs from small
// ones, and where they cannot, the mean is as good as without.
type cost struct {
	prior [work.Features]float64 // slopes before anything is known
	slope [work.Features]float64

	xx [work.Features][work.Features]float64 // of the runs that are over: sums of products of features
	xy [work.Features]float64                // and with what the prior leaves of the logarithm

	done  map[work.Size]int // runs that are over
	n     int
	spent float64 // s that they took
	like  float64 // s that they take by the slopes
	next  int     // runs at which the slopes are looked for again
	fits  int     // how often they were
}

// A fit needs some runs, and weighs its prior as much as a few.
const (
	leastFit = 30
	ridge    = 3
)

func newCost(requests float64) cost {
	c := cost{done: map[work.Size]int{}, next: leastFit}
	c.prior[1] = requests
	c.slope = c.prior
	return c
}

// add takes a run that is over, and says how often the slopes were fitted.
func (c *cost) add(s work.Size, seconds float64) (fits int) {
	x := s.Features()
	rest := math.Log(max(seconds, 1e-7))
	for i := range x {
		rest -= c.prior[i] * x[i]
	}
	for i := range x {
		for j := range x {
			c.xx[i][j] += x[i] * x[j]
		}
		c.xy[i] += x[i] * rest
	}
	c.done[s]++
	c.n++
	c.spent += seconds
	c.like += c.estimate(s)
	if c.n >= c.next {
		c.fit()
	}
	return c.fits
}

// estimate is what a run takes by the slopes, but for a factor.
func (c *cost) estimate(s work.Size) float64 {
	x, y := s.Features(), 0.0
	for i := range x {
		y += c.slope[i] * x[i]
	}
	return math.Exp(y)
}

// fit looks for the slopes anew. The intercept is left free.
func (c *cost) fit() {
	c.next, c.fits = c.n+max(c.n/8, 1), c.fits+1
	a, b := c.xx, c.xy
	a[0][0] += 1e-9
	for i := 1; i < len(a); i++ {
		a[i][i] += ridge
	}
	if solved, ok := solve(a, b); ok {
		for i := range c.slope {
			c.slope[i] = c.prior[i] + solved[i]
		}
	}
	c.like = 0
	for s, n := range c.done {
		c.like += float64(n) * c.estimate(s)
	}
}

// factor turns estimates to seconds.
func (c *cost) factor() float64 {
	if !(c.like > 0) {
		return 0
	}
	return c.spent / c.like
}

// mean is the mean time of the runs that are over, s.
func (c *cost) mean() float64 { return c.spent / float64(max(c.n, 1)) }

// solve solves a x = b for a symmetric positive definite a; false if it is none.
func solve(a [work.Features][work.Features]float64, b [work.Features]float64) (x [work.Features]float64, ok bool) {
	sym := mat.NewSymDense(len(a), nil)
	for i := range a {
		for j := range i + 1 {
			sym.SetSym(i, j, a[i][j])
		}
	}
	var root mat.Cholesky
	if !root.Factorize(sym) || root.SolveVecTo(mat.NewVecDense(len(x), x[:]), mat.NewVecDense(len(b), b[:])) != nil {
		return x, false
	}
	return x, true
}
