package sweep

import (
	"bytes"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"scoville/core"
	"scoville/core/metrics"
	"scoville/core/scenario"
	"scoville/core/table"
	"scoville/sweep/results"
)

// space is three parameters over ranges that a test maps to 0 .. 1.
const space = `
[sample.space]
"hardware.weight_bandwidth_gb_s" = { min = 1000, max = 2000 }
"hardware.state_bandwidth_gb_s" = { min = 1000, max = 2000 }
"workload.rate_rps" = { min = 1, max = 2 }
[output]
metrics = ["ttft_mean_ms", "tpot_mean_ms"]
`

// inCube are the three parameters between 0 and 1.
func inCube(sc *scenario.Scenario) (x [3]float64) {
	return [3]float64{sc.Hardware.WeightBandwidthGBs/1000 - 1, sc.Hardware.StateBandwidthGBs/1000 - 1, sc.Workload.RateRPS - 1}
}

// sweptSample runs a sampled study on a function of the coordinates, and returns
// its effects on the mean TTFT by method and parameter.
func sweptSample(t *testing.T, text string, f func(x [3]float64) float64) (map[[2]string][3]float64, *results.Dataset) {
	t.Helper()
	i, _ := metrics.Index("ttft_mean_ms")
	dir := t.TempDir()
	if _, err := Run(t.Context(), Options{File: write(t, reference+text+space), Dir: dir, Jobs: 2, newSimulate: fake(func(sc *scenario.Scenario, _ core.Options) core.Result {
		r := fine(1)
		if r.Summary[i] = f(inCube(sc)); math.IsInf(r.Summary[i], 1) {
			r.Steady, r.LoadRatio = metrics.No, 2
		}
		return r
	})}); err != nil {
		t.Fatal(err)
	}
	d, err := results.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	e, err := d.Effects()
	if err != nil {
		t.Fatal(err)
	}
	out := map[[2]string][3]float64{}
	for row := range e.Len() {
		cell := func(name string) string { s, _ := e.String(e.Index(name), row); return s }
		number := func(name string) float64 {
			if x, ok := e.Float(e.Index(name), row); ok {
				return x
			}
			return math.NaN()
		}
		if cell("metric") == "ttft_mean_ms" {
			out[[2]string{cell("method"), cell("parameter")}] = [3]float64{number("effect"), number("ci_lo"), number("ci_hi")}
		}
	}
	return out, d
}

// A study over Ishigami's function finds its indices, within intervals; the other
// metric, which never changes, has none and says so.
func TestSampledIshigami(t *testing.T) {
	got, d := sweptSample(t, "[sample]\nmethod = \"saltelli\"\nn = 512\nseed = 5\ndummy = true\n", func(x [3]float64) float64 {
		z := func(i int) float64 { return math.Pi * (2*x[i] - 1) }
		return 20 + math.Sin(z(0)) + 7*math.Pow(math.Sin(z(1)), 2) + 0.1*math.Pow(z(2), 4)*math.Sin(z(0))
	})
	names := []string{"hardware.weight_bandwidth_gb_s", "hardware.state_bandwidth_gb_s", "workload.rate_rps", "dummy"}
	for method, want := range map[string][]float64{"sobol_first": {0.31391, 0.44241, 0, 0}, "sobol_total": {0.55759, 0.44241, 0.24368, 0}} {
		for i, w := range want {
			if e := got[[2]string{method, names[i]}]; !(e[1] <= w && w <= e[2]) || e[2]-e[1] > 0.3 {
				t.Errorf("%s of %s is %.4f, %.4f to %.4f, want %.4f", method, names[i], e[0], e[1], e[2], w)
			}
		}
	}
	if j := d.Manifest.Sensitivity; len(j) != 2 || !strings.Contains(j[0].Lines[0], "not converged") || !strings.Contains(j[1].Lines[0], "no factor matters") {
		t.Errorf("judgements %+v", j)
	}
}

// Trajectories over a plane give its slopes exactly; those with a saturated
// point are left out, and their values never enter.
func TestSampledPlane(t *testing.T) {
	plane := func(x [3]float64) float64 { return 100 + 3*x[0] - 2*x[1] }
	for _, saturated := range []bool{false, true} {
		got, d := sweptSample(t, "[sample]\nmethod = \"morris\"\nn = 10\nseed = 2\ndummy = true\n", func(x [3]float64) float64 {
			if saturated && x[2] > 0.9 && x[1] > 0.6 {
				return math.Inf(1)
			}
			return plane(x)
		})
		for name, want := range map[string]float64{"hardware.weight_bandwidth_gb_s": 3, "hardware.state_bandwidth_gb_s": -2, "workload.rate_rps": 0, "dummy": 0} {
			for _, x := range got[[2]string{"morris_mu", name}] {
				if math.Abs(x-want) > 1e-9 {
					t.Errorf("mu of %s is %v, want %g", name, got[[2]string{"morris_mu", name}], want)
				}
			}
		}
		if lines := strings.Join(d.Manifest.Sensitivity[0].Lines, "\n"); saturated != strings.Contains(lines, "trajectories left out") {
			t.Errorf("saturated %v: %s", saturated, lines)
		}
	}
}

// Effects, judgements and intervals do not depend on how many simulations run at
// a time.
func TestSampledWorkers(t *testing.T) {
	file := write(t, reference+"[sample]\nmethod = \"saltelli\"\nn = 16\n"+space+"[replicates]\nn = 2\n")
	var tables [2][]byte
	var judged [2]string
	for k, jobs := range []int{1, 3} {
		dir := t.TempDir()
		if _, err := Run(t.Context(), Options{File: file, Dir: dir, Jobs: jobs}); err != nil {
			t.Fatal(err)
		}
		var err error
		if tables[k], err = os.ReadFile(filepath.Join(dir, results.EffectsFile)); err != nil {
			t.Fatal(err)
		}
		d, err := results.Open(dir)
		if err != nil {
			t.Fatal(err)
		}
		for _, j := range d.Manifest.Sensitivity {
			judged[k] += strings.Join(j.Lines, "\n")
		}
		if f, err := table.Read(filepath.Join(dir, results.EffectsFile)); err != nil || f.Len() != 2*2*3 {
			t.Errorf("%d effects, %v", f.Len(), err)
		}
	}
	if !bytes.Equal(tables[0], tables[1]) || judged[0] != judged[1] || judged[0] == "" {
		t.Errorf("results differ by workers:\n%s\n%s", judged[0], judged[1])
	}
}

// The points that searches try are no rows of the sample: they show no effects.
func TestSampledSearch(t *testing.T) {
	text := reference + "[sample]\nmethod = \"morris\"\nn = 4\n[sample.space]\n\"hardware.weight_bandwidth_gb_s\" = { min = 1000, max = 2000 }\n" +
		"[slo]\nttft_p99_ms = { max = 500 }\n[search]\nover = \"workload.rate_rps\"\ngoal = \"max\"\nfrom = 0.5\nto = 8\ntol = \"50%\"\n"
	dir := t.TempDir()
	if _, err := Run(t.Context(), Options{File: write(t, strings.Replace(text, "rate_rps = 2.0\n", "", 1)), Dir: dir, Jobs: 2}); err != nil {
		t.Fatal(err)
	}
	d, err := results.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	if e, err := d.Effects(); err != nil || e.Len() != 0 || len(d.Manifest.Sensitivity) != 0 {
		t.Errorf("%d effects, %d judgements, %v", e.Len(), len(d.Manifest.Sensitivity), err)
	}
}
