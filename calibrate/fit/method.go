package fit

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/optimize"
)

// levenberg is the Levenberg-Marquardt method with Marquardt's scaling (Moré
// 1978) and Nielsen's damping (IMM-REP-1999-05) as a gonum Method. gonum sees
// the cost of each trial point; residuals and Jacobian come from the shared
// space. Weights of a robust loss are renewed at every linearisation.
type levenberg struct {
	s     *space
	tol   float64 // relative decrease of the cost that no longer matters
	limit int     // evaluations of the Jacobian

	lambda, grow float64 // damping, and its growth after the next failure
	iterations   int
	stuck        bool // no parameter changes the residuals where the search ended
	status       optimize.Status
	err          error

	ops     chan<- optimize.Task
	results <-chan optimize.Task
	task    optimize.Task
}

// Damping: start relative to the scaled normal equations, and the value beyond
// which a step is shorter than anything the difference stencil resolves.
const (
	damping0   = 1e-3
	dampingMax = 1e8
)

// Uses implements optimize.Method.
func (m *levenberg) Uses(optimize.Available) (optimize.Available, error) {
	return optimize.Available{}, nil
}

// Init implements optimize.Method. One trial at a time: a point's residuals
// are parallel inside.
func (m *levenberg) Init(int, int) int { return 1 }

// Status implements optimize.Statuser.
func (m *levenberg) Status() (optimize.Status, error) { return m.status, m.err }

// Run implements optimize.Method.
func (m *levenberg) Run(ops chan<- optimize.Task, results <-chan optimize.Task, tasks []optimize.Task) {
	m.ops, m.results, m.task = ops, results, tasks[0]
	m.status = optimize.Failure
	z := slices.Clone(m.task.X)
	if f, ok := m.evaluate(z); ok {
		m.search(point{z, f, m.s.lastData})
	}
	if m.s.err != nil {
		m.status, m.err = optimize.Failure, m.s.err
	}
	m.task.Op = optimize.MethodDone
	select {
	case ops <- m.task:
	default: // gonum has ended the run and reads no more
	}
	for range results {
	}
	close(ops)
}

// send hands gonum an operation; false when gonum has ended the run.
func (m *levenberg) send(op optimize.Operation, z []float64, f float64) (float64, bool) {
	copy(m.task.X, z)
	m.task.Op, m.task.F = op, f
	m.ops <- m.task
	t, ok := <-m.results
	if !ok || t.Op == optimize.PostIteration {
		return 0, false
	}
	m.task = t
	return t.F, m.s.err == nil
}

func (m *levenberg) evaluate(z []float64) (float64, bool) {
	return m.send(optimize.FuncEvaluation, z, 0)
}

// point is where the search stands: free coordinates, cost, data residuals.
type point struct {
	z    []float64
	f    float64
	data []float64
}

// search walks from a point until no step lowers the cost by more than the
// tolerance.
func (m *levenberg) search(at point) {
	m.lambda, m.grow = damping0, 2
	small := 0 // iterations in a row with hardly any decrease
	evaluated := 0
	var l *linear
	for m.iterations = 0; ; m.iterations++ {
		if _, ok := m.send(optimize.MajorIteration, at.z, at.f); !ok {
			return
		}
		if l == nil || l.age == maxAge {
			if evaluated++; evaluated > m.limit {
				m.status = optimize.IterationLimit
				return
			}
			var ok bool
			if l, ok = m.s.linearise(at.z, at.data); !ok {
				return
			}
			m.stuck = mat.Norm(l.jac, 2) == 0
		}
		before := at
		var ok bool
		if at, ok = m.iterate(l, at); !ok {
			return
		}
		switch {
		case before.f-at.f > m.tol*before.f:
			small = 0
		case l.age > 0: // perhaps the old Jacobian is to blame
			l = nil
			continue
		default:
			small++
		}
		if at.f == before.f || small == 2 || at.f == 0 {
			m.status = optimize.MethodConverge
			return
		}
		if l = m.s.renew(l, before, at); small > 0 {
			l = nil
		}
	}
}

// maxAge is how often a Jacobian is renewed from the steps taken (Broyden 1965)
// before it is evaluated again. With few parameters evaluation is cheap.
const maxAge = 2

// renew moves a linearisation along a step: the Jacobian gets the rank-one
// change that explains the residuals found. nil asks for an evaluation.
func (s *space) renew(l *linear, from, to point) *linear {
	p := len(from.z)
	if p < 4 || len(to.data) != len(from.data) {
		return nil
	}
	d, dd := make([]float64, p), 0.0
	for j := range d {
		d[j] = to.z[j] - from.z[j]
		dd += d[j] * d[j]
	}
	if dd == 0 {
		return nil
	}
	next := &linear{data: to.data, jac: mat.DenseCopyOf(l.jac), prior: s.priors(to.z), dprior: s.dpriors(to.z), bestCost: math.Inf(1), age: l.age + 1}
	for r := range to.data {
		miss := to.data[r] - from.data[r]
		for j := range d {
			miss -= l.jac.At(r, j) * d[j]
		}
		for j := range d {
			next.jac.Set(r, j, next.jac.At(r, j)+miss*d[j]/dd)
		}
	}
	return next
}

// iterate tries steps of growing damping until one lowers the cost, and
// returns where the search stands then. When none does, the best point of the
// stencil is taken if it is better. ok is false when gonum has ended the run.
func (m *levenberg) iterate(l *linear, at point) (next point, ok bool) {
	a, b := l.stacked(m.s.Loss)
	scale, limit := columnScale(a), m.s.limits()
	for ; m.lambda < dampingMax; m.lambda, m.grow = m.lambda*m.grow, m.grow*2 {
		delta, predicted := dampedStep(a, b, scale, limit, m.lambda)
		if delta == nil {
			continue
		}
		if predicted <= 1e-14*at.f {
			break
		}
		trial := slices.Clone(at.z)
		for j := range trial {
			trial[j] += delta[j]
		}
		f, ok := m.evaluate(trial)
		if !ok {
			return at, false
		}
		if f < at.f {
			rho := (at.f - f) / predicted
			m.lambda = max(m.lambda*max(1.0/3, 1-math.Pow(2*rho-1, 3)), 1e-12)
			m.grow = 2
			return point{trial, f, m.s.lastData}, true
		}
	}
	m.lambda, m.grow = damping0, 2
	if l.bestCost < at.f {
		f, ok := m.evaluate(l.bestZ)
		return point{slices.Clone(l.bestZ), f, m.s.lastData}, ok
	}
	return at, true
}

// columnScale returns the norm of each column, 1 for an empty one.
func columnScale(a *mat.Dense) []float64 {
	_, p := a.Dims()
	scale := make([]float64, p)
	for j := range scale {
		if scale[j] = mat.Norm(a.ColView(j), 2); scale[j] == 0 {
			scale[j] = 1
		}
	}
	return scale
}

// dampedStep solves min |a d + b|^2 + lambda |scale d|^2 by QR, shortens the
// step to the limits, and returns it with the decrease of the cost that the
// linear model predicts.
func dampedStep(a *mat.Dense, b, scale, limit []float64, lambda float64) (delta []float64, predicted float64) {
	n, p := a.Dims()
	big := mat.NewDense(n+p, p, nil)
	rhs := mat.NewVecDense(n+p, nil)
	for r := range n {
		for j := range p {
			big.Set(r, j, a.At(r, j)/scale[j])
		}
		rhs.SetVec(r, -b[r])
	}
	for j := range p {
		big.Set(n+j, j, math.Sqrt(lambda))
	}
	var qr mat.QR
	qr.Factorize(big)
	var d mat.VecDense
	if err := qr.SolveVecTo(&d, false, rhs); err != nil && math.IsNaN(d.AtVec(0)) {
		return nil, 0
	}
	delta = make([]float64, p)
	shorten := 1.0
	for j := range p {
		delta[j] = d.AtVec(j) / scale[j]
		shorten = min(shorten, limit[j]/math.Abs(delta[j]))
	}
	for j := range p {
		delta[j] *= shorten
	}
	var lin mat.VecDense
	lin.MulVec(a, mat.NewVecDense(p, delta))
	before, after := 0.0, 0.0
	for r := range n {
		before += b[r] * b[r]
		after += (b[r] + lin.AtVec(r)) * (b[r] + lin.AtVec(r))
	}
	return delta, before - after
}
