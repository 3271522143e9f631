package validation

import (
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"scoville/calibrate/fit"
	"scoville/calibrate/objective"
	"scoville/core"
	"scoville/core/metrics"
	"scoville/core/scenario"
)

// shared returns the folder of the measurements.
func shared(t *testing.T) string {
	t.Helper()
	dir := filepath.Join("..", "..", "..", "shared", "data")
	if _, err := os.Stat(dir); err != nil {
		t.Skipf("skipped: no measurements in %s", dir)
	}
	return dir
}

// load resolves testdata/name.toml; trace files are found in dir.
func load(t *testing.T, dir, name string) scenario.Scenario {
	t.Helper()
	file := filepath.Join("testdata", name+".toml")
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	doc, err := scenario.ParseTOML(file, text)
	if err != nil {
		t.Fatal(err)
	}
	layer, err := scenario.OverlayLayer(doc)
	if err != nil {
		t.Fatal(err)
	}
	r, err := scenario.NewCatalog(dir).Resolve(layer)
	if err != nil {
		t.Fatal(err)
	}
	return r.Scenario
}

// replay simulates scenarios with parameters set.
type replay struct {
	params []objective.Param
	sim    *core.Simulator
}

// newReplay makes the parameters of a scenario on at most tp chips: those named
// in free are fitted, the others are held at the centre of their priors.
func newReplay(sc *scenario.Scenario, tp int, free ...string) *replay {
	r := &replay{params: objective.Parameters(sc, tp), sim: core.NewSimulator(core.NewCapacities())}
	for i := range r.params {
		r.params[i].Fixed = true
		if k := slices.Index(free, r.params[i].Name); k >= 0 {
			r.params[i].Fixed = false
			free = slices.Delete(slices.Clone(free), k, k+1)
		}
	}
	for _, name := range free {
		panic("no parameter " + name)
	}
	return r
}

// drop removes a parameter; the scenario's own value holds.
func (r *replay) drop(name string) {
	r.params = slices.DeleteFunc(r.params, func(p objective.Param) bool { return p.Name == name })
}

// set returns the scenario with parameters set.
func (r *replay) set(t *testing.T, sc scenario.Scenario, x []float64) scenario.Scenario {
	t.Helper()
	for i, p := range r.params {
		if err := sc.Set(p.Path, x[i]); err != nil {
			t.Fatal(err)
		}
	}
	return sc
}

// run simulates a scenario with parameters set.
func (r *replay) run(t *testing.T, sc scenario.Scenario, x []float64) (core.Result, []metrics.Request) {
	t.Helper()
	sc = r.set(t, sc, x)
	var requests []metrics.Request
	res, err := r.sim.Run(context.Background(), &sc, core.Options{Requests: func(q []metrics.Request) { requests = slices.Clone(q) }})
	if err != nil {
		t.Fatal(err)
	}
	if res.Status != core.OK {
		t.Fatal(res.Reason)
	}
	return res, requests
}

// fit estimates the free parameters from residuals in units of their sigma.
func (r *replay) fit(t *testing.T, residuals func(x []float64) []float64) *fit.Result {
	t.Helper()
	p := &fit.Problem{Units: 1, Loss: fit.Loss{Kind: fit.Huber, Scale: 1.5}}
	for _, q := range r.params {
		p.Params = append(p.Params, q.Param)
	}
	p.Eval = func(points [][]float64, _ []int) ([][]float64, error) {
		out := make([][]float64, len(points))
		for i, x := range points {
			out[i] = residuals(x)
		}
		return out, nil
	}
	res, err := fit.Run(p, fit.Settings{Starts: 4})
	if err != nil {
		t.Fatal(err)
	}
	if res.Status != fit.Converged {
		t.Errorf("fit %s", res.Status)
	}
	return res
}

// estimates prints the free parameters of one or two fits as table rows, and
// the held ones as a sentence.
func (r *replay) estimates(fits ...*fit.Result) string {
	var rows, held strings.Builder
	for i := range r.params {
		if p := &r.params[i]; p.Fixed {
			fmt.Fprintf(&held, ", `%s` %s", p.Path, digits(p.Init))
			continue
		}
		fmt.Fprintf(&rows, "| `%s` |", r.params[i].Path)
		for _, f := range fits {
			e := &f.Estimates[i]
			fmt.Fprintf(&rows, " %s (%s to %s) |", digits(e.Value), digits(e.Lo), digits(e.Hi))
		}
		rows.WriteString("\n")
	}
	return rows.String() + "\nHeld at their priors: " + strings.TrimPrefix(held.String(), ", ") + ".\n"
}

// digits prints three significant digits.
func digits(x float64) string {
	switch a := math.Abs(x); {
	case a >= 1000:
		return fmt.Sprintf("%.0f", math.Round(x/10)*10)
	case a >= 100:
		return fmt.Sprintf("%.0f", x)
	case a >= 10:
		return fmt.Sprintf("%.1f", x)
	case a >= 1:
		return fmt.Sprintf("%.2f", x)
	}
	return fmt.Sprintf("%.3f", x)
}

// figures are what is compared of a distribution: mean, p50, p90 and p99.
type figures [4]float64

var figureNames = [4]string{"mean", "p50", "p90", "p99"}

func summarise(x []float64) (f figures) {
	x = slices.Clone(x)
	slices.Sort(x)
	for _, v := range x {
		f[0] += v / float64(len(x))
	}
	for i, p := range []float64{0.5, 0.9, 0.99} {
		h := p * float64(len(x)-1)
		k := min(int(h), len(x)-2)
		f[i+1] = x[k] + (h-float64(k))*(x[k+1]-x[k])
	}
	return f
}

// column returns four columns of a summary in seconds: name_mean_ms and so on.
func column(s metrics.Summary, name string) (f figures) {
	for i, stat := range figureNames {
		k, ok := metrics.Index(name + "_" + stat + "_ms")
		if !ok {
			panic(name)
		}
		f[i] = s[k] / 1e3
	}
	return f
}

// percent prints how far a is from b.
func percent(a, b float64) string {
	s := fmt.Sprintf("%+.1f %%", 100*(a/b-1))
	if s == "-0.0 %" {
		return "+0.0 %"
	}
	return s
}
