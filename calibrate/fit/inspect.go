package fit

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat/distuv"
)

// Estimate is what the fit says about one parameter.
type Estimate struct {
	Param
	Value    float64
	Lo, Hi   float64 // 95 % interval: normal in ln(value) where there are bounds, and cut at them; both Value when fixed
	Bound    string  // "min" or "max" when the value has run into it
	NoEffect bool    // changes no residual: the value is the start's, or the prior's
}

// Span is the ratio of the ends of the interval; +Inf when it includes 0.
func (e *Estimate) Span() float64 {
	if e.Lo <= 0 {
		return math.Inf(1)
	}
	return e.Hi / e.Lo
}

// AsPrior reports whether the data hardly narrowed the prior: the interval is
// at least 0.8 times as wide as that of the prior alone, both cut at the bounds.
func (e *Estimate) AsPrior() bool {
	if e.Prior.SD == 0 || e.Fixed {
		return false
	}
	prior := *e
	prior.Lo, prior.Hi = e.Prior.Center*math.Exp(-1.96*e.Prior.SD), e.Prior.Center*math.Exp(1.96*e.Prior.SD)
	if e.Relative() && e.Max > 0 {
		prior.Lo, prior.Hi = max(prior.Lo, e.Min), min(prior.Hi, e.Max)
	}
	return math.Log(e.Span()) > 0.8*math.Log(prior.Span())
}

// Relative reports whether the interval and the covariance are of ln value.
func (p *Param) Relative() bool {
	_, _, bounded := p.span()
	return bounded || p.Log
}

// priorSD is the standard deviation that the prior alone leaves, of ln value or
// of the value as the interval is; 0 without a prior. Data never widen it.
func (p *Param) priorSD(value float64) float64 {
	if p.Relative() {
		return p.Prior.SD
	}
	return p.Prior.SD * math.Abs(value)
}

// Weak is the combination of free parameters that the data (priors aside)
// determine least: the right singular vector of the smallest singular value of
// d residual / d ln value.
type Weak struct {
	Condition  float64   // largest over smallest singular value; +Inf when some combination has no effect
	SD         float64   // standard deviation of the combination in ln value
	Names      []string  // of the free parameters
	Components []float64 // unit vector
}

// String words the parameters that make up the combination, "a up with b
// down", largest share first; a single one by its name.
func (w Weak) String() string {
	idx := make([]int, len(w.Components))
	for i := range idx {
		idx[i] = i
	}
	slices.SortStableFunc(idx, func(a, b int) int {
		switch x, y := math.Abs(w.Components[a]), math.Abs(w.Components[b]); {
		case x > y:
			return -1
		case x < y:
			return 1
		}
		return 0
	})
	var parts []string
	for k, i := range idx {
		if k > 0 && (math.Abs(w.Components[i]) < 0.3 || k == 3) {
			break
		}
		direction := "up"
		if w.Components[i]*w.Components[idx[0]] < 0 {
			direction = "down"
		}
		parts = append(parts, w.Names[i]+" "+direction)
	}
	if len(parts) == 1 {
		return w.Names[idx[0]]
	}
	return strings.Join(parts, " with ")
}

// inspect fills the estimates, covariance and weak direction at r.Values.
func (r *Result) inspect(s *space) error {
	z := s.coordinates(r.Values)
	r.Cost = s.cost(z)
	if s.err != nil {
		return s.err
	}
	r.Data = s.lastData
	l, ok := s.linearise(z, r.Data)
	if !ok {
		return s.err
	}
	if n := total(s.Sizes); s.Sizes != nil && n != len(r.Data) {
		return fmt.Errorf("%d residuals in all units, the sizes say %d", len(r.Data), n)
	}
	r.Evals += s.evals
	r.units = float64(s.Units)
	cov, dof := l.covariance(s.Problem)
	r.dof = dof
	_, p := l.jac.Dims()
	t := distuv.StudentsT{Mu: 0, Sigma: 1, Nu: dof}.Quantile(0.975)

	toLn := make([]float64, p) // d ln value / d z
	shrink := make([]float64, p)
	for j, i := range s.free {
		prm := &s.Params[i]
		toLn[j] = prm.slope(r.Values[i])
		if prm.Relative() {
			toLn[j] /= r.Values[i]
		}
		shrink[j] = 1
		if limit := prm.priorSD(r.Values[i]); limit > 0 {
			shrink[j] = min(1, limit/(math.Sqrt(cov.At(j, j))*toLn[j]))
		}
	}
	r.Covariance = mat.NewSymDense(p, nil)
	for j := range p {
		for k := j; k < p; k++ {
			r.Covariance.SetSym(j, k, cov.At(j, k)*toLn[j]*toLn[k]*shrink[j]*shrink[k])
		}
	}
	r.Estimates = make([]Estimate, len(s.Params))
	for i := range s.Params {
		r.Estimates[i] = Estimate{Param: s.Params[i], Value: r.Values[i], Lo: r.Values[i], Hi: r.Values[i], Bound: s.Params[i].bound(r.Values[i])}
	}
	for j, i := range s.free {
		e, half := &r.Estimates[i], t*math.Sqrt(r.Covariance.At(j, j))
		if limit := e.priorSD(e.Value); limit > 0 {
			half = min(half, 1.96*limit)
		}
		if e.Relative() {
			e.Lo, e.Hi = max(e.Value*math.Exp(-half), e.Min), min(e.Value*math.Exp(half), e.Max)
		} else {
			e.Lo, e.Hi = e.Value-half, e.Value+half
		}
		e.NoEffect = mat.Norm(l.jac.ColView(j), 2) == 0
	}
	r.Weak = l.weak(s, toLn)
	return nil
}

// tiny is the share of the largest singular value below which a combination
// counts as undetermined.
const tiny = 1e-8

// covariance is H^-1 M H^-1 in free coordinates, with the degrees of freedom
// that are left. H = sum rho”/2 g g' + priors. M is the sandwich estimate over
// clusters, sum s s' + priors, s = sum of w r g in a unit (Huber 1967;
// Liang and Zeger 1986): residuals of one run share its errors. p counts
// effective parameters, the trace of H^-1 (H - priors): what priors determine
// costs the data nothing. With squares and one residual a unit M is the
// textbook's, s^2 sum g g'.
func (l *linear) covariance(p *Problem) (cov *mat.SymDense, dof float64) {
	n, free := l.jac.Dims()
	a := mat.NewDense(n+free, free, nil) // a'a = H
	for j := range free {
		for i := range n {
			a.Set(i, j, math.Sqrt(p.Loss.curvature(l.data[i]))*l.jac.At(i, j))
		}
	}
	a.Slice(n, n+free, 0, free).(*mat.Dense).Copy(l.dprior)
	scale := columnScale(a)
	a.Apply(func(_, j int, v float64) float64 { return v / scale[j] }, a)
	bread, undetermined := pseudoInverse(a)

	scores := l.scores(p, leverages(a.Slice(0, n, 0, free), bread))
	clusters, _ := scores.Dims()
	clusters -= free
	dof = max(float64(clusters)-trace(bread, a.Slice(0, n, 0, free)), 1)
	small := 1.0
	if l.textbook(p) {
		small = math.Sqrt(floats.Dot(l.data, l.data) / dof)
	}
	scores.Apply(func(i, j int, v float64) float64 {
		if i < clusters {
			v *= small
		}
		return v / scale[j]
	}, scores)
	var half, full mat.Dense
	half.Mul(scores, bread)
	full.Mul(half.T(), &half)
	cov = mat.NewSymDense(free, nil)
	for j := range free {
		for k := j; k < free; k++ {
			cov.SetSym(j, k, (full.At(j, k)+undetermined.At(j, k))/(scale[j]*scale[k]))
		}
	}
	return cov, dof
}

// textbook reports whether the errors are taken to be of one size and
// independent.
func (l *linear) textbook(p *Problem) bool {
	return (p.Loss.Kind == "" || p.Loss.Kind == Linear) && len(l.data) == p.Units
}

// leverages returns for each residual how much of it the fit took away by
// following it: a' inverse a.
func leverages(a mat.Matrix, inverse *mat.Dense) []float64 {
	n, _ := a.Dims()
	var half mat.Dense
	half.Mul(a, inverse)
	out := make([]float64, n)
	for i := range out {
		out[i] = mat.Dot(half.RowView(i), mat.NewVecDense(half.RawMatrix().Cols, mat.Row(nil, i, a)))
	}
	return out
}

// scores returns the gradient of each unit, and the priors' below. Residuals
// are what they would be had the fit not followed them, r / (1 - leverage)
// (HC3, MacKinnon and White 1985).
func (l *linear) scores(p *Problem, leverage []float64) *mat.Dense {
	n, free := l.jac.Dims()
	sizes := p.Sizes
	if sizes == nil {
		sizes = slices.Repeat([]int{1}, n)
	}
	out := mat.NewDense(len(sizes)+free, free, nil)
	at := 0
	for u, size := range sizes {
		for i := at; i < at+size; i++ {
			_, w := p.Loss.of(l.data[i])
			f := w * l.data[i] / (1 - min(leverage[i], 0.75))
			if l.textbook(p) {
				f = 1
			}
			for j := range free {
				out.Set(u, j, out.At(u, j)+f*l.jac.At(i, j))
			}
		}
		at += size
	}
	out.Slice(len(sizes), len(sizes)+free, 0, free).(*mat.Dense).Copy(l.dprior)
	return out
}

// trace is that of inverse x a'a.
func trace(inverse *mat.Dense, a mat.Matrix) float64 {
	var half mat.Dense
	half.Mul(a, inverse)
	sum := 0.0
	rows, cols := a.Dims()
	for i := range rows {
		for j := range cols {
			sum += half.At(i, j) * a.At(i, j)
		}
	}
	return sum
}

func total(sizes []int) int {
	sum := 0
	for _, n := range sizes {
		sum += n
	}
	return sum
}

// pseudoInverse returns (a'a)^-1 over the combinations that a determines, and
// a huge covariance of the others: what the data do not say is unknown, however
// well they fit.
func pseudoInverse(a *mat.Dense) (inverse, undetermined *mat.Dense) {
	_, p := a.Dims()
	var svd mat.SVD
	svd.Factorize(a, mat.SVDThin)
	s := svd.Values(nil)
	var v mat.Dense
	svd.VTo(&v)
	inverse, undetermined = mat.NewDense(p, p, nil), mat.NewDense(p, p, nil)
	for m, sv := range s {
		into, f := inverse, 1/(sv*sv)
		if sv <= tiny*s[0] {
			into, f = undetermined, 1/(tiny*tiny)
		}
		for j := range p {
			for k := range p {
				into.Set(j, k, into.At(j, k)+v.At(j, m)*v.At(k, m)*f)
			}
		}
	}
	return inverse, undetermined
}

// weak finds the combination the data determine least.
func (l *linear) weak(s *space, toLn []float64) Weak {
	n, p := l.jac.Dims()
	a := mat.NewDense(max(n, p), p, nil)
	sum := 0.0
	for r := range n {
		_, w := s.Loss.of(l.data[r])
		sum += w * l.data[r] * l.data[r]
		for j := range p {
			a.Set(r, j, math.Sqrt(w)*l.jac.At(r, j)/toLn[j])
		}
	}
	var svd mat.SVD
	out := Weak{Condition: math.Inf(1), SD: math.Inf(1)}
	for _, i := range s.free {
		out.Names = append(out.Names, s.Params[i].Name)
	}
	if !svd.Factorize(a, mat.SVDThin) {
		return out
	}
	values := svd.Values(nil)
	var v mat.Dense
	svd.VTo(&v)
	out.Components = mat.Col(nil, p-1, &v)
	if least := values[p-1]; least > tiny*values[0] {
		out.Condition = values[0] / least
		out.SD = math.Sqrt(sum/float64(max(n-p, 1))) / least
	}
	return out
}

// Agreement words how the starts ended: "14 of 16 starts agree; 2 stopped at
// cost up to 3.1x". Starts agree when their cost is within 5 % (or 0.01) of the
// least among those searched on the same units.
func (r *Result) Agreement() string {
	if len(r.Starts) == 1 {
		return "1 start"
	}
	least := map[bool]float64{true: math.Inf(1), false: math.Inf(1)}
	for _, s := range r.Starts {
		least[s.Polished] = min(least[s.Polished], s.Cost)
	}
	agree, worst := 0, 1.0
	for _, s := range r.Starts {
		if l := least[s.Polished]; s.Cost <= 1.05*l+0.01 {
			agree++
		} else {
			worst = max(worst, s.Cost/(l+0.01))
		}
	}
	text := fmt.Sprintf("%d of %d starts agree", agree, len(r.Starts))
	if n := len(r.Starts) - agree; n > 0 {
		text += fmt.Sprintf("; %d stopped at cost up to %.2gx", n, worst)
	}
	return text
}

// Variance is that of a quantity whose derivatives by the free parameters (by
// ln value where the covariance is of it) are g.
func (r *Result) Variance(g []float64) float64 {
	sum := 0.0
	for i := range g {
		for k := range g {
			sum += g[i] * r.Covariance.At(i, k) * g[k]
		}
	}
	return max(sum, 0)
}

// Effective is the number of parameters that the data determined, in units of
// data: what priors determine costs nothing.
func (r *Result) Effective() float64 { return max(r.units-r.dof, 0) }
