package fit

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"
)

// Problem is a fit to be solved.
type Problem struct {
	Params []Param

	// Units is the number of units of data, such as measured conditions. Each
	// gives one or more residuals, the same number at every point.
	Units int

	// Sizes is the number of residuals of each unit; nil = one each. Residuals of
	// one unit share errors: they are one cluster of the covariance.
	Sizes []int

	// Eval returns the residuals, in units of their sigma, of the listed units
	// in that order, at several points: values of all Params, fixed ones
	// included. Points are independent and may be evaluated in parallel. Equal
	// points give equal residuals. An error ends the fit.
	Eval func(points [][]float64, units []int) ([][]float64, error)

	Loss Loss

	// Pools tie the priors of parameters that are alike.
	Pools []Pool
}

func (p *Problem) check() error {
	names := map[string]bool{}
	for i := range p.Params {
		if names[p.Params[i].Name] {
			return fmt.Errorf("parameter %s occurs twice", p.Params[i].Name)
		}
		names[p.Params[i].Name] = true
		if err := p.Params[i].Check(); err != nil {
			return err
		}
	}
	if p.Units < 1 {
		return fmt.Errorf("no data to fit")
	}
	if p.Sizes != nil && len(p.Sizes) != p.Units {
		return fmt.Errorf("%d sizes of %d units", len(p.Sizes), p.Units)
	}
	if err := p.checkPools(); err != nil {
		return err
	}
	return p.Loss.check()
}

// space is a problem on some of its units, seen from the free coordinates of
// its free parameters. It is what the method shares with gonum's Problem: cost
// for the one, residuals and Jacobian for the other.
type space struct {
	*Problem
	free  []int // indexes of the free parameters
	units []int
	rel   float64    // relative difference
	tie   *mat.Dense // residuals of the priors = tie x (ln value - ln centre)

	evals    int // points evaluated
	err      error
	lastZ    []float64
	lastData []float64
}

func newSpace(p *Problem, units []int, rel float64) *space {
	s := &space{Problem: p, units: units, rel: rel}
	for i := range p.Params {
		if !p.Params[i].Fixed {
			s.free = append(s.free, i)
		}
	}
	s.tie = s.ties()
	return s
}

// inits returns the values the parameters start from.
func (p *Problem) inits() []float64 {
	x := make([]float64, len(p.Params))
	for i := range p.Params {
		x[i] = p.Params[i].Init
	}
	return x
}

// values returns all parameters at the free coordinates z.
func (s *space) values(z []float64) []float64 {
	x := s.inits()
	for j, i := range s.free {
		x[i] = s.Params[i].fromFree(z[j])
	}
	return x
}

// coordinates returns the free coordinates of the values x.
func (s *space) coordinates(x []float64) []float64 {
	z := make([]float64, len(s.free))
	for j, i := range s.free {
		z[j] = s.Params[i].toFree(x[i])
	}
	return z
}

// maxStep bounds one step of the search in a free coordinate: on a logit scale
// 3 leads from the middle of the range to 95 % of it. Unbounded coordinates are
// limited by damping alone.
const maxStep = 3

func (s *space) limits() []float64 {
	limit := make([]float64, len(s.free))
	for j, i := range s.free {
		limit[j] = math.Inf(1)
		if _, _, bounded := s.Params[i].span(); bounded {
			limit[j] = maxStep
		}
	}
	return limit
}

// data returns the residuals at several free coordinates, nil after an error.
func (s *space) data(zs [][]float64) [][]float64 {
	if s.err != nil {
		return nil
	}
	points := make([][]float64, len(zs))
	for i, z := range zs {
		points[i] = s.values(z)
	}
	s.evals += len(zs)
	var out [][]float64
	if out, s.err = s.Eval(points, s.units); s.err != nil {
		return nil
	}
	if len(out) != len(points) {
		s.err = fmt.Errorf("%d points gave %d lists of residuals", len(points), len(out))
		return nil
	}
	return out
}

// total is the cost of data residuals and priors at z.
func (s *space) total(z, data []float64) float64 {
	cost := s.Loss.cost(data)
	for _, r := range s.priors(z) {
		cost += r * r
	}
	return cost
}

// cost evaluates one point and keeps its residuals for the method.
func (s *space) cost(z []float64) float64 {
	out := s.data([][]float64{z})
	if out == nil {
		return math.Inf(1)
	}
	s.lastZ, s.lastData = slices.Clone(z), out[0]
	return s.total(z, out[0])
}

// linear is the problem linearised at z.
type linear struct {
	data   []float64  // residuals
	jac    *mat.Dense // d data / d z
	prior  []float64  // prior residuals, one per free parameter, 0 without
	dprior *mat.Dense // d prior / d z

	// bestZ is the point of the stencil with the least cost.
	bestZ    []float64
	bestCost float64

	age int // steps since the Jacobian was evaluated
}

// linearise evaluates the difference stencil around z, whose residuals are
// data, in one batch. ok is false after an error.
func (s *space) linearise(z, data []float64) (l *linear, ok bool) {
	p := len(s.free)
	l = &linear{data: data, jac: mat.NewDense(len(data), p, nil), prior: s.priors(z), bestCost: math.Inf(1)}
	h := make([]float64, p)
	stencil := make([][]float64, 2*p)
	for j, i := range s.free {
		prm := &s.Params[i]
		x := prm.fromFree(z[j])
		down, up := slices.Clone(z), slices.Clone(z)
		a, b := prm.stencil(x, s.rel)
		down[j], up[j] = prm.toFree(prm.unscale(a)), prm.toFree(prm.unscale(b))
		h[j] = (b - a) / prm.stretch(x) // the same difference in the free coordinate
		stencil[2*j], stencil[2*j+1] = up, down
	}
	l.dprior = s.dpriors(z)
	out := s.data(stencil)
	if out == nil {
		return nil, false
	}
	for k, r := range out {
		if c := s.total(stencil[k], r); c < l.bestCost {
			l.bestCost, l.bestZ = c, stencil[k]
		}
	}
	for j := range p {
		up, down := out[2*j], out[2*j+1]
		for r := range data {
			if d := (up[r] - down[r]) / h[j]; !math.IsNaN(d) && !math.IsInf(d, 0) {
				l.jac.Set(r, j, d)
			}
		}
	}
	return l, true
}

// stacked returns the weighted Jacobian with the priors below it, and the
// weighted residuals likewise.
func (l *linear) stacked(loss Loss) (*mat.Dense, []float64) {
	n, p := l.jac.Dims()
	a := mat.NewDense(n+p, p, nil)
	b := make([]float64, n+p)
	for r := range n {
		_, w := loss.of(l.data[r])
		w = math.Sqrt(w)
		b[r] = w * l.data[r]
		for j := range p {
			a.Set(r, j, w*l.jac.At(r, j))
		}
	}
	a.Slice(n, n+p, 0, p).(*mat.Dense).Copy(l.dprior)
	copy(b[n:], l.prior)
	return a, b
}
