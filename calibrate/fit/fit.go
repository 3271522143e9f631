package fit

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/optimize"
	"gonum.org/v1/gonum/stat/distmv"
	"gonum.org/v1/gonum/stat/samplemv"
)

// Settings of a fit. The zero value of each means its default.
type Settings struct {
	Starts        int     // starting points, the given one included; default 1
	Polish        int     // best starts that are continued on all units; default 3
	Screen        []int   // units on which starts are compared; default all
	Step          float64 // relative difference of the stencil; default 0.03
	Tolerance     float64 // relative decrease of the cost that no longer matters; default 1e-4
	MaxIterations int     // evaluations of the Jacobian in one search; default 60
}

func (s Settings) withDefaults(p *Problem) Settings {
	def := func(x *int, d int) {
		if *x == 0 {
			*x = d
		}
	}
	def(&s.Starts, 1)
	def(&s.Polish, 3)
	def(&s.MaxIterations, 60)
	if s.Step == 0 {
		s.Step = 0.03
	}
	if s.Tolerance == 0 {
		s.Tolerance = 1e-4
	}
	if s.Screen == nil {
		s.Screen = allUnits(p)
	}
	return s
}

func allUnits(p *Problem) []int {
	units := make([]int, p.Units)
	for i := range units {
		units[i] = i
	}
	return units
}

// Status is how a search ended.
type Status string

// The ends of a search. Only Converged is a success.
const (
	Converged    Status = "converged"
	NotConverged Status = "not converged" // iteration limit
	NeverMoved   Status = "never moved"   // no parameter changes the residuals, or no step was found away from a point that is no minimum
)

// Start is one starting point and where it led.
type Start struct {
	From, To   []float64 // values of all parameters
	Status     Status
	Cost       float64 // on the units it was searched on
	Iterations int
	Polished   bool // on all units; else on Settings.Screen only
}

// Result is a finished fit.
type Result struct {
	Values     []float64 // all parameters, in order
	Status     Status
	Cost       float64 // robust cost, priors included
	Data       []float64
	Estimates  []Estimate
	Covariance *mat.SymDense // of the free parameters in ln(value) (linear parameters without bounds: in the value), in order
	Starts     []Start
	Weak       Weak
	Iterations int
	Evals      int // points evaluated, all searches

	units, dof float64 // units of data, and degrees of freedom that are left
}

// Run solves a problem. An error is one of the problem or of its Eval; a
// search that fails is a status.
func Run(p *Problem, set Settings) (*Result, error) {
	if err := p.check(); err != nil {
		return nil, err
	}
	set = set.withDefaults(p)
	all := newSpace(p, allUnits(p), set.Step)
	if len(all.free) == 0 {
		return nil, fmt.Errorf("every parameter is fixed: nothing to fit")
	}
	r := &Result{}
	starts, err := r.screen(p, all, set)
	if err != nil {
		return nil, err
	}
	best := -1
	for k, i := range order(starts) {
		if k >= set.Polish {
			break
		}
		s := newSpace(p, all.units, set.Step)
		if starts[i], err = s.search(starts[i], set); err != nil {
			return nil, err
		}
		starts[i].Polished = true
		r.Evals += s.evals
		if best < 0 || starts[i].Cost < starts[best].Cost {
			best = i
		}
	}
	r.Starts = starts
	r.Values, r.Status, r.Cost, r.Iterations = starts[best].To, starts[best].Status, starts[best].Cost, starts[best].Iterations
	return r, r.inspect(all)
}

// screen searches from every start on the screening units. A single start is
// not screened.
func (r *Result) screen(p *Problem, all *space, set Settings) ([]Start, error) {
	rough := set
	rough.MaxIterations, rough.Tolerance = min(set.MaxIterations, 8), 10*set.Tolerance
	starts := make([]Start, set.Starts)
	for i, x := range scatter(all, set.Starts) {
		starts[i] = Start{From: x, To: x, Cost: math.Inf(1)}
		if set.Starts == 1 {
			break
		}
		s := newSpace(p, set.Screen, set.Step)
		var err error
		if starts[i], err = s.search(starts[i], rough); err != nil {
			return nil, err
		}
		r.Evals += s.evals
	}
	return starts, nil
}

// order returns the starts by cost, the earlier first among equals.
func order(starts []Start) []int {
	idx := make([]int, len(starts))
	for i := range idx {
		idx[i] = i
	}
	slices.SortStableFunc(idx, func(a, b int) int {
		switch ca, cb := starts[a].Cost, starts[b].Cost; {
		case ca < cb:
			return -1
		case ca > cb:
			return 1
		}
		return 0
	})
	return idx
}

// search continues a start on the units of s.
func (s *space) search(st Start, set Settings) (Start, error) {
	m := &levenberg{s: s, tol: set.Tolerance, limit: set.MaxIterations}
	z := s.coordinates(st.To)
	res, err := optimize.Minimize(optimize.Problem{Func: s.cost}, z, &optimize.Settings{Converger: optimize.NeverTerminate{}}, m)
	if s.err != nil {
		return st, s.err
	}
	if err != nil {
		return st, err
	}
	st.Cost, st.Iterations = res.F, st.Iterations+m.iterations
	st.To = s.values(res.X)
	switch {
	case m.status == optimize.IterationLimit:
		st.Status = NotConverged
	case m.stuck || math.IsInf(res.F, 1):
		st.Status = NeverMoved
	default:
		st.Status = Converged
	}
	return st, nil
}

// scatter returns n starting points: the parameters' own, then a scrambled
// Halton set within two standard deviations of the priors, and within the
// middle 80 % of the range of parameters without one.
func scatter(s *space, n int) [][]float64 {
	first := s.inits()
	points := [][]float64{first}
	if n == 1 {
		return points
	}
	dim := len(s.free)
	batch := mat.NewDense(n-1, dim, nil)
	samplemv.Halton{Kind: samplemv.Owen, Q: distmv.NewUnitUniform(dim, nil), Src: rand.NewPCG(1, 2)}.Sample(batch)
	for k := range n - 1 {
		x := slices.Clone(first)
		for j, i := range s.free {
			x[i] = s.Params[i].scattered(batch.At(k, j))
		}
		points = append(points, x)
	}
	return points
}

// scattered maps h in (0,1) to a starting value.
func (p *Param) scattered(h float64) float64 {
	lo, hi, bounded := p.span()
	switch {
	case p.Prior.SD > 0:
		x := p.Prior.Center * math.Exp(p.Prior.SD*(4*h-2))
		if !bounded {
			return x
		}
		margin := 0.02 * (hi - lo)
		return p.unscale(min(max(p.scale(x), lo+margin), hi-margin))
	case bounded:
		return p.unscale(lo + (hi-lo)*(0.1+0.8*h))
	case p.Log:
		return p.Init * math.Exp(2*h-1)
	}
	return p.Init + max(math.Abs(p.Init), 1e-3)*(2*h-1)
}
