package fit

import (
	"errors"
	"math"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
)

// model makes a problem of y(x) = f(b, x) with log residuals of the given
// sigma.
func model(params []Param, x, y []float64, sigma float64, f func(b []float64, x float64) float64) *Problem {
	return &Problem{
		Params: params, Units: len(x),
		Eval: func(points [][]float64, units []int) ([][]float64, error) {
			out := make([][]float64, len(points))
			for k, b := range points {
				for _, u := range units {
					out[k] = append(out[k], math.Log(f(b, x[u])/y[u])/sigma)
				}
			}
			return out, nil
		},
	}
}

// step is a step time in ms: the longer of compute and memory, and a host
// time, as the performance model has them.
func step(b []float64, x float64) float64 {
	return max(x*0.02/b[0], 4/b[1]) + b[2]/1000
}

var stepParams = []Param{
	{Name: "compute_util", Init: 0.5, Min: 0.02, Max: 1},
	{Name: "memory_util", Init: 0.5, Min: 0.1, Max: 1},
	{Name: "overhead_us", Init: 300, Min: 10, Max: 20_000, Log: true},
}

// steps makes noisy step times at the parameters b.
func steps(b []float64, noise float64, seed uint64) (x, y []float64) {
	rng := rand.New(rand.NewPCG(seed, 1))
	for i := 1; i <= 40; i++ {
		x = append(x, float64(16*i))
		y = append(y, step(b, x[i-1])*math.Exp(noise*rng.NormFloat64()))
	}
	return x, y
}

func TestRecovery(t *testing.T) {
	truth := []float64{0.62, 0.81, 950}
	x, y := steps(truth, 0, 1)
	p := model(stepParams, x, y, 0.05, step)
	p.Loss = Loss{Huber, 1.5}
	r, err := Run(p, Settings{Starts: 16, Screen: []int{0, 5, 10, 15, 20, 25, 30, 35}, Tolerance: 1e-8})
	if err != nil {
		t.Fatal(err)
	}
	if r.Status != Converged {
		t.Error(r.Status)
	}
	for i, e := range r.Estimates {
		if math.Abs(e.Value/truth[i]-1) > 1e-4 || e.Bound != "" || e.NoEffect {
			t.Errorf("%s = %g, truth %g, bound %q", e.Name, e.Value, truth[i], e.Bound)
		}
	}
	if len(r.Starts) != 16 || !strings.HasPrefix(r.Agreement(), "1") {
		t.Errorf("%d starts: %s", len(r.Starts), r.Agreement())
	}
}

// The same fit twice gives the same bits.
func TestDeterministic(t *testing.T) {
	x, y := steps([]float64{0.62, 0.81, 950}, 0.05, 3)
	run := func() *Result {
		r, err := Run(model(stepParams, x, y, 0.05, step), Settings{Starts: 8})
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	if a, b := run(), run(); !reflect.DeepEqual(a, b) {
		t.Error("two runs differ")
	}
}

// 95 % intervals hold the truth in 90 to 99 % of fits to data with noise, also
// when the sigma of the residuals is wrong by a factor of two.
func TestCoverage(t *testing.T) {
	truth := []float64{0.62, 0.81, 950}
	for _, sigma := range []float64{0.03, 0.06} {
		const fits = 200
		inside := make([]int, len(truth))
		for k := range fits {
			x, y := steps(truth, 0.03, uint64(100+k))
			p := model(stepParams, x, y, sigma, step)
			p.Loss = Loss{Huber, 1.5}
			r, err := Run(p, Settings{})
			if err != nil {
				t.Fatal(err)
			}
			for i, e := range r.Estimates {
				if e.Lo <= truth[i] && truth[i] <= e.Hi {
					inside[i]++
				}
			}
		}
		for i, n := range inside {
			if share := float64(n) / fits; share < 0.90 || share > 0.99 {
				t.Errorf("sigma %g: interval of %s holds the truth in %.1f %% of fits", sigma, stepParams[i].Name, 100*share)
			}
		}
	}
}

// Starts far away need the global part: the three certified sets whose first
// start leads a local search astray.
func TestGlobal(t *testing.T) {
	bounds := map[string][2][]float64{
		"BoxBOD":   {{1, 0.01}, {1000, 5}},
		"MGH10":    {{1e-4, 1000, 100}, {1, 20_000, 1000}},
		"Eckerle4": {{0.1, 1, 400}, {10, 50, 500}},
	}
	for _, c := range nist {
		b, ok := bounds[c.name]
		if !ok {
			continue
		}
		start := make([]float64, len(c.want))
		for i := range start {
			start[i] = b[0][i] + 0.9*(b[1][i]-b[0][i])
		}
		p := c.problem(start)
		for i := range p.Params {
			p.Params[i].Min, p.Params[i].Max = b[0][i], b[1][i]
			p.Params[i].Log = c.name == "MGH10"
		}
		r, err := Run(p, Settings{Starts: 16, Step: 1e-5, Tolerance: 1e-13, MaxIterations: 500})
		if err != nil {
			t.Fatal(err)
		}
		for i, x := range r.Values {
			if digits(x, c.want[i]) < 5 {
				t.Errorf("%s: %s = %.8g, want %.8g", c.name, p.Params[i].Name, x, c.want[i])
			}
		}
	}
}

// Converged, not converged, at a bound, without effect and never moved are
// different, visible outcomes.
func TestOutcomes(t *testing.T) {
	x, y := steps([]float64{0.62, 0.81, 950}, 0.02, 7)
	run := func(params []Param, set Settings, f func([]float64, float64) float64) *Result {
		t.Helper()
		r, err := Run(model(params, x, y, 0.05, f), set)
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	with := func(i int, change func(*Param)) []Param {
		params := append([]Param(nil), stepParams...)
		change(&params[i])
		return params
	}
	if r := run(stepParams, Settings{MaxIterations: 1, Tolerance: 1e-9}, step); r.Status != NotConverged {
		t.Errorf("stopped after one iteration: %s", r.Status)
	}
	r := run(with(1, func(p *Param) { p.Max, p.Init = 0.6, 0.4 }), Settings{}, step)
	if e := r.Estimates[1]; r.Status != Converged || e.Bound != "max" || e.Hi > 0.6 {
		t.Errorf("optimum beyond the bound: %s, %+v", r.Status, e)
	}
	r = run(stepParams, Settings{}, func([]float64, float64) float64 { return 5 })
	if r.Status != NeverMoved {
		t.Errorf("constant model: %s", r.Status)
	}
	quantised := func(b []float64, x float64) float64 { return math.Round(step(b, x)*50) / 50 }
	if r := run(stepParams, Settings{Step: 1e-8}, quantised); r.Status != NeverMoved {
		t.Errorf("a difference far below the model's own steps: %s", r.Status)
	}
	if r := run(stepParams, Settings{Starts: 8}, quantised); r.Status != Converged || math.Abs(r.Values[0]/0.62-1) > 0.05 {
		t.Errorf("model in steps of 20 us: %s, %v", r.Status, r.Values)
	}
	idle := append(with(0, func(*Param) {}), Param{Name: "idle", Init: 2, Min: 0.1, Max: 10, Log: true, Prior: Prior{3, 0.2}})
	r = run(idle, Settings{}, step)
	if e := r.Estimates[3]; !e.NoEffect || math.Abs(e.Value/3-1) > 0.01 || math.Abs(e.Lo/2.03-1) > 0.05 || !e.AsPrior() {
		t.Errorf("a parameter without effect takes its prior, not %+v", e)
	}
	held := run(with(2, func(p *Param) { p.Fixed, p.Init = true, 950 }), Settings{}, step)
	if e := held.Estimates[2]; e.Value != 950 || e.Lo != 950 || held.Covariance.SymmetricDim() != 2 {
		t.Errorf("fixed parameter: %+v", e)
	}
}

// Two parameters that act only as a product are the weak combination, in words.
func TestWeak(t *testing.T) {
	x := []float64{1, 2, 3, 4}
	y := []float64{6, 12, 18, 24}
	params := []Param{
		{Name: "a", Init: 1, Min: 0.1, Max: 100, Log: true},
		{Name: "b", Init: 1, Min: 0.1, Max: 100, Log: true},
	}
	r, err := Run(model(params, x, y, 0.05, func(b []float64, x float64) float64 { return b[0] * b[1] * x }), Settings{})
	if err != nil {
		t.Fatal(err)
	}
	if s := r.Weak.String(); s != "a up with b down" || !math.IsInf(r.Weak.Condition, 1) {
		t.Errorf("weak direction %q, condition %g", s, r.Weak.Condition)
	}
	if e := r.Estimates[0]; e.Lo > 0.11 || e.Hi < 90 {
		t.Errorf("an undetermined parameter has the interval %g to %g", e.Lo, e.Hi)
	}
}

func TestLosses(t *testing.T) {
	for _, kind := range Losses {
		l := Loss{kind, 1.5}
		for _, r := range []float64{-9, -1.4, 0, 0.3, 1.6, 40} {
			rho, w := l.of(r)
			const h = 1e-6
			up, _ := l.of(math.Sqrt(r*r + h))
			if slope := (up - rho) / h; math.Abs(slope-w) > 1e-4 {
				t.Errorf("%s at %g: weight %g, slope %g", kind, r, w, slope)
			}
			if rho > r*r+1e-12 {
				t.Errorf("%s at %g: %g exceeds the square", kind, r, rho)
			}
		}
	}
}

func TestParam(t *testing.T) {
	inf := math.Inf(1)
	for _, p := range []Param{
		{Min: 0.02, Max: 1}, {Min: 50, Max: 1200, Log: true}, {Min: -inf, Max: inf}, {Max: inf, Log: true},
	} {
		for _, x := range []float64{0.03, 0.5, 0.99, 60, 1190} {
			if x <= p.Min || x >= p.Max {
				continue
			}
			z := p.toFree(x)
			if back := p.fromFree(z); math.Abs(back/x-1) > 1e-9 {
				t.Errorf("%+v: %g comes back as %g", p, x, back)
			}
			const h = 1e-5
			if slope := (p.fromFree(z+h) - p.fromFree(z-h)) / (2 * h); math.Abs(slope/p.slope(x)-1) > 1e-4 {
				t.Errorf("%+v at %g: slope %g, want %g", p, x, p.slope(x), slope)
			}
			if down, up := p.stencil(x, 0.03); !(p.unscale(down) < x && x < p.unscale(up)) || p.unscale(down) < p.Min || p.unscale(up) > p.Max {
				t.Errorf("%+v at %g: stencil %g to %g", p, x, p.unscale(down), p.unscale(up))
			}
		}
	}
}

func TestBadProblems(t *testing.T) {
	ok := Param{Name: "a", Init: 0.5, Min: 0, Max: 1}
	for _, c := range []struct {
		change func(*Problem)
		want   string
	}{
		{func(p *Problem) { p.Params[0].Init = 1 }, "init 1 is not strictly between min 0 and max 1"},
		{func(p *Problem) { p.Params[0].Init = math.NaN() }, "not a number"},
		{func(p *Problem) { p.Params[0].Min = 2 }, "min 2 is not below max 1"},
		{func(p *Problem) { p.Params[0].Max = math.Inf(1) }, "both bounds or neither"},
		{func(p *Problem) { p.Params[0].Log = true }, "both bounds or neither"},
		{func(p *Problem) { p.Params[0].Prior = Prior{-1, 1} }, "positive centre"},
		{func(p *Problem) { p.Params[0].Fixed = true }, "every parameter is fixed"},
		{func(p *Problem) { p.Params = append(p.Params, ok) }, "parameter a occurs twice"},
		{func(p *Problem) { p.Units = 0 }, "no data"},
		{func(p *Problem) { p.Loss = Loss{"tukey", 1} }, `no loss "tukey"`},
		{func(p *Problem) { p.Loss = Loss{Huber, 0} }, "positive scale"},
		{func(p *Problem) {
			p.Eval = func([][]float64, []int) ([][]float64, error) { return nil, errors.New("the simulator stopped") }
		}, "the simulator stopped"},
		{func(p *Problem) {
			p.Eval = func([][]float64, []int) ([][]float64, error) { return nil, nil }
		}, "gave 0 lists"},
	} {
		p := model([]Param{ok}, []float64{1}, []float64{1}, 1, func(b []float64, x float64) float64 { return b[0] + x })
		c.change(p)
		if _, err := Run(p, Settings{}); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("want an error with %q, got %v", c.want, err)
		}
	}
}

// An evaluation that gives no number costs infinitely much and is left.
func TestNotANumber(t *testing.T) {
	x, y := []float64{1, 2, 3}, []float64{2, 4, 6}
	f := func(b []float64, x float64) float64 {
		if b[0] > 3 {
			return math.NaN()
		}
		return b[0] * x
	}
	r, err := Run(model([]Param{{Name: "a", Init: 2.9, Min: 0.1, Max: 10}}, x, y, 0.05, f), Settings{})
	if err != nil || r.Status != Converged || math.Abs(r.Values[0]-2) > 1e-3 {
		t.Errorf("%v %+v", err, r)
	}
}
