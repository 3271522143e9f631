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
	limit int     // iterations

	iterations int
	stuck      bool // no parameter changes the residuals where the search ended
	status     optimize.Status
	err        error

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
		m.search(z, f)
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
	for t := range m.results {
		if t.Op == optimize.PostIteration {
			return 0, false
		}
		m.task = t
		break
	}
	return m.task.F, m.s.err == nil
}

func (m *levenberg) evaluate(z []float64) (float64, bool) {
	return m.send(optimize.FuncEvaluation, z, 0)
}

// search walks from z with cost f until no step lowers the cost by more than
// the tolerance.
func (m *levenberg) search(z []float64, f float64) {
	data := m.s.lastData
	lambda, grow := damping0, 2.0
	small := 0 // iterations in a row with hardly any decrease
	for m.iterations = 0; ; m.iterations++ {
		if _, ok := m.send(optimize.MajorIteration, z, f); !ok {
			return
		}
		if m.iterations == m.limit {
			m.status = optimize.IterationLimit
			return
		}
		l, ok := m.s.linearise(z, data)
		if !ok {
			return
		}
		m.stuck = mat.Norm(l.jac, 2) == 0
		before := f
		z, f, data, ok = m.iterate(l, z, f, data, &lambda, &grow)
		if !ok {
			return
		}
		if before-f <= m.tol*before {
			small++
		} else {
			small = 0
		}
		if f == before || small == 2 || f == 0 {
			m.status = optimize.MethodConverge
			return
		}
	}
}

// iterate tries steps of growing damping until one lowers the cost, and
// returns where the search stands then. When none does, the best point of the
// stencil is taken if it is better.
func (m *levenberg) iterate(l *linear, z []float64, f float64, data []float64, lambda, grow *float64) ([]float64, float64, []float64, bool) {
	a, b := l.stacked(m.s.Loss)
	scale, limit := columnScale(a), m.s.limits()
	for ; *lambda < dampingMax; *lambda, *grow = *lambda**grow, *grow*2 {
		delta, predicted := dampedStep(a, b, scale, limit, *lambda)
		if delta == nil {
			continue
		}
		if predicted <= 1e-14*f {
			break
		}
		trial := slices.Clone(z)
		for j := range trial {
			trial[j] += delta[j]
		}
		ft, ok := m.evaluate(trial)
		if !ok {
			return z, f, data, false
		}
		if ft < f {
			rho := (f - ft) / predicted
			*lambda = max(*lambda*max(1.0/3, 1-math.Pow(2*rho-1, 3)), 1e-12)
			*grow = 2
			return trial, ft, m.s.lastData, true
		}
	}
	*lambda, *grow = damping0, 2
	if l.bestCost < f {
		fb, ok := m.evaluate(l.bestZ)
		return slices.Clone(l.bestZ), fb, m.s.lastData, ok
	}
	return z, f, data, true
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
