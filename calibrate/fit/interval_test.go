package fit

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"
)

// paired makes a problem of two residuals a unit, whose errors are common to
// the unit up to a small part.
func paired(truth []float64, seed uint64, sized bool) *Problem {
	rng := rand.New(rand.NewPCG(seed, 2))
	var x, y []float64
	for i := 1; i <= 30; i++ {
		common := 0.03 * rng.NormFloat64()
		for range 2 {
			x = append(x, float64(20*i))
			y = append(y, step(truth, float64(20*i))*math.Exp(common+0.005*rng.NormFloat64()))
		}
	}
	one := model(stepParams, x, y, 0.03, step)
	p := &Problem{Params: one.Params, Units: 30, Loss: Loss{Huber, 1.5}}
	p.Eval = func(points [][]float64, units []int) ([][]float64, error) {
		var rows []int
		for _, u := range units {
			rows = append(rows, 2*u, 2*u+1)
		}
		return one.Eval(points, rows)
	}
	if sized {
		for range 30 {
			p.Sizes = append(p.Sizes, 2)
		}
	}
	return p
}

// Residuals that share the errors of their run count once: intervals hold the
// truth in 90 to 99 % of fits, where independent residuals would be too sure.
func TestClusteredCoverage(t *testing.T) {
	truth := []float64{0.62, 0.81, 950}
	const fits = 200
	share := func(sized bool) (least, most float64) {
		inside := make([]int, len(truth))
		for k := range fits {
			r, err := Run(paired(truth, uint64(k), sized), Settings{})
			if err != nil {
				t.Fatal(err)
			}
			for i, e := range r.Estimates {
				if e.Lo <= truth[i] && truth[i] <= e.Hi {
					inside[i]++
				}
			}
		}
		least, most = 1, 0
		for _, n := range inside {
			least, most = min(least, float64(n)/fits), max(most, float64(n)/fits)
		}
		return least, most
	}
	if least, most := share(true); least < 0.90 || most > 0.99 {
		t.Errorf("intervals hold the truth in %.3f to %.3f of fits", least, most)
	}
	if _, most := share(false); most > 0.90 {
		t.Errorf("without clusters still %.3f: the test tests nothing", most)
	}
}

// However few and contradictory the rows, an interval is never wider than that
// of the prior alone, and a parameter with rows enough is narrower.
func TestNeverWiderThanPrior(t *testing.T) {
	x, y := steps([]float64{0.62, 0.81, 950}, 0.05, 5)
	for _, n := range []int{1, 2, 3, 5, 40} {
		for _, noise := range []float64{1, 3} { // the second far outside of sigma
			var params []Param
			for i, p := range stepParams {
				p.Prior = Prior{[]float64{0.6, 0.8, 900}[i], 0.3}
				params = append(params, p)
			}
			z := make([]float64, n)
			for i := range z {
				z[i] = y[i] * math.Pow(noise, float64(i%2))
			}
			p := model(params, x[:n], z, 0.05, step)
			p.Loss = Loss{Huber, 1.5}
			r, err := Run(p, Settings{})
			if err != nil {
				t.Fatal(err)
			}
			for i, e := range r.Estimates {
				if w, prior := math.Log(e.Span()), 2*1.96*0.3; w > prior*(1+1e-9) || math.Sqrt(r.Covariance.At(i, i)) > 0.3*(1+1e-9) {
					t.Errorf("%d rows, noise %g: ln interval of %s is %.3f wide, the prior's %.3f", n, noise, e.Name, w, prior)
				}
			}
			if e := r.Estimates[2]; n == 40 && noise == 1 && e.AsPrior() {
				t.Errorf("40 rows say nothing of %s: %g to %g", e.Name, e.Lo, e.Hi)
			}
		}
	}
}

// Parameters that priors determine cost the data no degree of freedom.
func TestEffectiveParameters(t *testing.T) {
	x, y := steps([]float64{0.62, 0.81, 950}, 0.03, 5)
	params := append([]Param(nil), stepParams...)
	for _, name := range []string{"a", "b", "c"} {
		params = append(params, Param{Name: name, Init: 2, Min: 0.1, Max: 10, Log: true, Prior: Prior{2, 0.2}})
	}
	for _, c := range []struct {
		params []Param
		want   float64
	}{{stepParams, 37}, {params, 37}} {
		p := model(c.params, x, y, 0.03, step)
		s := newSpace(p, allUnits(p), 0.03)
		z := s.coordinates([]float64{0.62, 0.81, 950, 2, 2, 2}[:len(c.params)])
		s.cost(z)
		l, _ := s.linearise(z, s.lastData)
		if _, dof := l.covariance(p); math.Abs(dof-c.want) > 0.01 {
			t.Errorf("%d parameters: %g degrees of freedom, want %g", len(c.params), dof, c.want)
		}
	}
}

func TestCurvature(t *testing.T) {
	for _, kind := range Losses {
		l := Loss{kind, 1.5}
		for _, r := range []float64{-9, -1.4, 0, 0.3, 1.6, 40} {
			const h = 1e-5
			psi := func(r float64) float64 { _, w := l.of(r); return r * w }
			want := max(0, (psi(r+h)-psi(r-h))/(2*h))
			if got := l.curvature(r); math.Abs(got-want) > 1e-6 {
				t.Errorf("%s at %g: %g, difference %g", kind, r, got, want)
			}
		}
	}
}

func TestBadSizes(t *testing.T) {
	for _, c := range []struct {
		sizes []int
		want  string
	}{{[]int{2}, "1 sizes of 30 units"}, {make([]int, 30), "60 residuals in all units, the sizes say 0"}} {
		p := paired([]float64{0.62, 0.81, 950}, 1, false)
		p.Sizes = c.sizes
		if _, err := Run(p, Settings{}); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("want an error with %q, got %v", c.want, err)
		}
	}
}
