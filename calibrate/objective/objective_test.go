package objective

import (
	"context"
	"errors"
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"

	"scoville/calibrate/fit"
	"scoville/calibrate/measured"
	"scoville/core/hardware"
	"scoville/core/scenario"
)

const head = "hardware,model,weight_dtype,tp,isl,osl,concurrency,length_range,ttft_mean_ms,tpot_mean_ms\n"

func rows(t *testing.T, text string) []*measured.Observation {
	t.Helper()
	f, err := measured.Read("x.csv", []byte(head+text), measured.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var out []*measured.Observation
	for i := range f.Rows {
		out = append(out, &f.Rows[i])
	}
	return out
}

func pair(t *testing.T, text string) ([]Condition, []*measured.Observation) {
	t.Helper()
	obs := rows(t, text)
	conds, err := Pair(context.Background(), obs, nil, scenario.NewCatalog("."))
	if err != nil {
		t.Fatal(err)
	}
	return conds, obs
}

// Repeats share a condition; what cannot be fitted to is dropped with a reason.
func TestPair(t *testing.T) {
	conds, obs := pair(t, ""+
		"h100-sxm,llama-3.1-70b,fp8,4,1024,1024,8,0.8,96,12\n"+
		"h100-sxm,llama-3.1-70b,fp8,4,1024,1024,8,0.8,99,12.2\n"+
		"h100-sxm,llama-3.1-70b,fp8,2,8192,1024,64,0.8,59000,52\n"+
		"h100-sxm,llama-3.1-70b,,1,1024,1024,8,0.8,96,12\n"+
		"a100-80,llama-3.1-70b,fp8,4,1024,1024,8,0.8,96,12\n"+
		"h100-sxm,llama-3.1-70b,fp8,4,1024,1024,16,0.8,96,12\n")
	if len(conds) != 2 || len(conds[0].Rows) != 2 || len(conds[1].Rows) != 1 {
		t.Fatalf("%d conditions", len(conds))
	}
	for i, want := range []string{"", "", "saturated: 64 requests hold about", "does not fit memory", "fp8", ""} {
		if !strings.Contains(obs[i].Dropped, want) || want == "" && obs[i].Dropped != "" {
			t.Errorf("row %d dropped: %q, want %q", i, obs[i].Dropped, want)
		}
	}
	if sc := conds[0].Scenario; sc.Engine.TP != 4 || sc.Workload.Class[0].Prompt.Mean != 1024 || sc.Measurement.PerConc != 10 {
		t.Errorf("%+v", sc.Workload)
	}
}

func TestPairErrors(t *testing.T) {
	for _, c := range []struct{ row, want string }{
		{"h100,llama-3.1-70b,fp8,4,1024,1024,8,0.8,96,12\n", "x.csv:2"},
		{"h100-sxm,llama-9,fp8,4,1024,1024,8,0.8,96,12\n", `"llama-9"`},
	} {
		_, err := Pair(context.Background(), rows(t, c.row), nil, scenario.NewCatalog("."))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: want an error with %q, got %v", c.row, c.want, err)
		}
	}
}

// truth are parameters within the bounds of every prior.
var truth = map[string]float64{
	"compute_util": 0.5, "weight_bandwidth_util": 0.9, "layer_overhead_us": 60, "client_overhead_us": 15_000,
}

// synthetic makes conditions whose measured values are predictions at truth.
func synthetic(t *testing.T) (*Objective, []float64) {
	t.Helper()
	var text strings.Builder
	for _, tp := range []int{2, 8} {
		for _, c := range []int{2, 16} {
			for _, prompt := range []int{512, 4096} {
				fmt.Fprintf(&text, "h100-sxm,llama-3.1-70b,fp8,%d,%d,64,%d,0.8,1,1\n", tp, prompt, c)
			}
		}
	}
	conds, _ := pair(t, text.String())
	var params []Param
	for _, p := range Parameters(&conds[0].Scenario, 8) {
		if _, ok := truth[p.Name]; !ok {
			continue
		}
		p.Prior = fit.Prior{}
		params = append(params, p)
	}
	o, err := New(conds, params, DefaultTargets(), 1, 2)
	if err != nil {
		t.Fatal(err)
	}
	x := make([]float64, len(params))
	for i, p := range params {
		x[i] = truth[p.Name]
	}
	predicted, err := o.Predict(context.Background(), [][]float64{x}, units(len(conds)))
	if err != nil {
		t.Fatal(err)
	}
	for i := range conds {
		for k := range o.Targets {
			conds[i].Rows[0].Targets[k].Value = predicted[0][i][k]
		}
	}
	return o, x
}

func units(n int) []int {
	list := make([]int, n)
	for i := range list {
		list[i] = i
	}
	return list
}

// A fit through the simulator finds the parameters that made the data, up to
// what the scheduler's whole decisions leave open.
func TestRecovery(t *testing.T) {
	o, x := synthetic(t)
	p := o.Problem(context.Background(), units(len(o.Conditions)), fit.Loss{Kind: fit.Huber, Scale: 1.5})
	r, err := fit.Run(p, fit.Settings{Starts: 4, Screen: []int{0, 3, 5, 6}, Tolerance: 1e-6})
	if err != nil {
		t.Fatal(err)
	}
	if r.Status != fit.Converged {
		t.Error(r.Status)
	}
	for i, e := range r.Estimates {
		if math.Abs(e.Value/x[i]-1) > 0.03 {
			t.Errorf("%s = %g, truth %g", e.Name, e.Value, x[i])
		}
	}
}

// Predictions do not depend on the number of jobs or on what is evaluated
// beside them.
func TestJobs(t *testing.T) {
	o, x := synthetic(t)
	all := units(len(o.Conditions))
	one, err := New(o.Conditions, o.Params, o.Targets, 1, 1)
	if err != nil {
		t.Fatal(err)
	}
	y := append([]float64(nil), x...)
	y[0] *= 0.9
	a, err := o.Predict(context.Background(), [][]float64{x, y}, all)
	if err != nil {
		t.Fatal(err)
	}
	b, err := one.Predict(context.Background(), [][]float64{y}, all[3:5])
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(a[1][3:5], b[0]) || reflect.DeepEqual(a[0], a[1]) {
		t.Errorf("%v, alone %v", a[1][3:5], b[0])
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := o.Predict(ctx, [][]float64{x}, all); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

// Slower chips by a factor of two in everything double every latency: with all
// efficiencies halved and all host times doubled.
func TestScale(t *testing.T) {
	conds, _ := pair(t, "h100-sxm,llama-3.1-70b,fp8,4,1024,256,16,1,1,1\n")
	params := Parameters(&conds[0].Scenario, 4)
	o, err := New(conds, params, DefaultTargets(), 1, 1)
	if err != nil {
		t.Fatal(err)
	}
	x, y := make([]float64, len(params)), make([]float64, len(params))
	for i, p := range params {
		x[i], y[i] = p.Init, 2*p.Init
		if p.Unit == "ratio" {
			y[i] = p.Init / 2
		}
	}
	got, err := o.Predict(context.Background(), [][]float64{x, y}, []int{0})
	if err != nil {
		t.Fatal(err)
	}
	for k := range o.Targets {
		if ratio := got[1][0][k] / got[0][0][k]; math.Abs(ratio-2) > 1e-9 {
			t.Errorf("%s grows by %g", o.Targets[k].Metric, ratio)
		}
	}
}

func TestResiduals(t *testing.T) {
	conds, _ := pair(t, ""+
		"h100-sxm,llama-3.1-70b,fp8,4,1024,256,16,1,100,10\n"+
		"h100-sxm,llama-3.1-70b,fp8,4,1024,256,16,1,200,\n")
	o := &Objective{Conditions: conds, Targets: []Target{
		{"ttft_mean_ms", Log, 0.1, 1}, {"tpot_mean_ms", Relative, 0.05, 4}, {"itl_p99_ms", Log, 1, 1},
	}}
	got := o.residuals(nil, 0, []float64{100 * math.E, 11, 5})
	w := math.Sqrt(0.5)
	want := []float64{10 * w, 10 * (1 - math.Log(2)) * w, 2 * math.Sqrt(2)}
	for i := range want {
		if len(got) != len(want) || math.Abs(got[i]-want[i]) > 1e-12 {
			t.Fatalf("residuals %v, want %v", got, want)
		}
	}
	for _, r := range o.residuals(nil, 0, []float64{math.NaN(), math.NaN(), 1}) {
		if math.IsNaN(r) || r > infeasible*2 {
			t.Errorf("a run without a number has the residual %g", r)
		}
	}
	abs := Target{"ttft_mean_ms", Absolute, 2, 1}
	if r := abs.of(13, 10); r != 1.5 {
		t.Errorf("absolute residual %g", r)
	}
	if Sigma("ttft_p99_ms") != 0.1 || Sigma("tpot_mean_ms") != 0.05 {
		t.Error("usual sigmas")
	}
}

// Every catalogue chip has a sound set of parameters for dense and MoE models,
// of keys that exist.
func TestParameters(t *testing.T) {
	versions := []string{"", "vllm 0.2.7", "vllm 0.6.1", "vllm 0.12.0", "v0.17", "0.19.1", "vllm 1.0", "custom"}
	for _, chip := range hardware.Names() {
		for _, name := range []string{"llama-3.1-8b", "gpt-oss-20b"} {
			for _, version := range versions {
				e, err := hardware.Catalog(chip)
				if err != nil {
					t.Fatal(err)
				}
				sc := scenario.Default()
				sc.Hardware, sc.Engine.Version = e.Hardware, version
				if name == "gpt-oss-20b" {
					sc.Model.Experts = 32
				}
				for _, p := range Parameters(&sc, 2) {
					if err := p.Check(); err != nil {
						t.Errorf("%s %s %q: %v", chip, name, version, err)
					}
					if !(p.Prior.Center > 0 && p.Prior.SD > 0) {
						t.Errorf("%s: %s has no prior", chip, p.Name)
					}
					if err := sc.Set(p.Path, p.Init); err != nil {
						t.Errorf("%s: %v", chip, err)
					}
				}
			}
		}
	}
	sc := scenario.Default()
	sc.Hardware.Name = "h200"
	sc.Model.WeightDType = "fp8"
	byName := map[string]Param{}
	for _, p := range Parameters(&sc, 1) {
		byName[p.Name] = p
	}
	if p := byName["compute_util"]; p.Prior.Center != 0.52 {
		t.Errorf("fp8 on Hopper: %+v", p)
	}
	for _, absent := range []string{"link_util", "expert_compute_util"} {
		if _, ok := byName[absent]; ok {
			t.Errorf("%s on one chip with a dense model", absent)
		}
	}
	for _, c := range []struct {
		version string
		step    float64
		known   bool
		says    string
	}{
		{"vllm 0.2.7", 4000, true, "those of vLLM before 0.3"},
		{"0.6", 2300, true, "0.3 to 0.7"},
		{"vLLM v0.12.0", 450, true, "0.8 to 0.15"},
		{"vllm 0.16.0", 600, true, "0.16 to 0.18"},
		{"0.19", 300, true, "0.19 and later"},
		{"", 450, false, "0.8 to 0.15, twice as wide: engine.version is not said"},
		{"nightly", 450, false, `0.8 to 0.15, twice as wide: no era is known for engine.version "nightly"`},
		{"sglang 0.5.2", 450, false, "no era is known"},
		{"vllm 1.0", 300, false, `0.19 and later, twice as wide: no era is known for engine.version "vllm 1.0"`},
	} {
		if e, known := eraOf(c.version); e.step != c.step || known != c.known {
			t.Errorf("version %q: %g us per step, known %t", c.version, e.step, known)
		}
		if text := HostTimes(c.version); !strings.Contains(text, c.says) || c.known == strings.Contains(text, "wide") {
			t.Errorf("version %q: %q", c.version, text)
		}
		sc.Engine.Version = c.version
		for _, p := range Parameters(&sc, 1) {
			want := 0.5
			if !c.known {
				want = 1
			}
			if p.Name == "step_overhead_us" && p.Prior.SD != want {
				t.Errorf("version %q: prior sd %g, want %g", c.version, p.Prior.SD, want)
			}
		}
	}
}
