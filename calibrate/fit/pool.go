package fit

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"
)

// Pool says that parameters are alike without being equal: the same quantity of
// several models on one chip. The deviations of ln(value) from ln(centre) of
// its members are jointly normal, each with the standard deviation of its own
// prior, any two correlated by Correlation. What the data say of one member so
// moves the others, by as much as their own data leave open (partial pooling);
// a member without data lands where the others are, with the spread between
// them in its interval. Members need a prior; fixed ones are left out.
type Pool struct {
	Members     []int   // indexes of Problem.Params
	Correlation float64 // from 0 (apart) to below 1 (equal)
}

func (p *Problem) checkPools() error {
	seen := map[int]bool{}
	for _, pool := range p.Pools {
		if !(pool.Correlation >= 0 && pool.Correlation < 1) {
			return fmt.Errorf("correlation %g of a pool is not in [0,1)", pool.Correlation)
		}
		for _, i := range pool.Members {
			if i < 0 || i >= len(p.Params) || seen[i] {
				return fmt.Errorf("parameter %d cannot be a member of a pool: no such parameter, or in another pool", i)
			}
			seen[i] = true
			if q := &p.Params[i]; !q.Fixed && q.Prior.SD <= 0 {
				return fmt.Errorf("parameter %s is a member of a pool and has no prior", q.Name)
			}
		}
	}
	return nil
}

// ties returns the matrix that makes independent residuals of unit variance of
// the priors' deviations: 1/SD on the diagonal, and for the members of a pool
// the inverse of the Cholesky factor of their covariance.
func (s *space) ties() *mat.Dense {
	n := len(s.free)
	tie := mat.NewDense(max(n, 1), max(n, 1), nil)
	place := map[int]int{}
	for j, i := range s.free {
		place[i] = j
		if sd := s.Params[i].Prior.SD; sd > 0 {
			tie.Set(j, j, 1/sd)
		}
	}
	for _, pool := range s.Pools {
		var at []int
		for _, i := range pool.Members {
			if j, ok := place[i]; ok {
				at = append(at, j)
			}
		}
		s.pool(tie, at, pool.Correlation)
	}
	return tie
}

// pool fills in the block of one pool: L^-1 / SD with L L' = correlations.
func (s *space) pool(tie *mat.Dense, at []int, correlation float64) {
	n := len(at)
	if n < 2 {
		return
	}
	c := mat.NewSymDense(n, nil)
	for j := range n {
		for k := range j {
			c.SetSym(j, k, correlation)
		}
		c.SetSym(j, j, 1)
	}
	var chol mat.Cholesky
	chol.Factorize(c) // always definite below 1
	var lower, inverse mat.TriDense
	chol.LTo(&lower)
	_ = inverse.InverseTri(&lower)
	for j := range n {
		for k := range j + 1 {
			tie.Set(at[j], at[k], inverse.At(j, k)/s.Params[s.free[at[k]]].Prior.SD)
		}
	}
}

// priors returns the residuals of the priors at z, 0 where there is none.
func (s *space) priors(z []float64) []float64 {
	dev := make([]float64, len(z))
	for j, i := range s.free {
		if p := &s.Params[i]; p.Prior.SD > 0 {
			dev[j] = math.Log(p.fromFree(z[j]) / p.Prior.Center)
		}
	}
	out := make([]float64, len(z))
	for j := range out {
		for k, t := range s.tie.RawRowView(j) {
			if t != 0 {
				out[j] += t * dev[k]
			}
		}
	}
	return out
}

// dpriors is the derivative of priors.
func (s *space) dpriors(z []float64) *mat.Dense {
	n := len(z)
	out := mat.NewDense(n, n, nil)
	for k, i := range s.free {
		p := &s.Params[i]
		if p.Prior.SD <= 0 {
			continue
		}
		x := p.fromFree(z[k])
		for j := range n {
			out.Set(j, k, s.tie.At(j, k)*p.slope(x)/x)
		}
	}
	return out
}
