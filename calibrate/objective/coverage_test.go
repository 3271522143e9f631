package objective

import (
	"context"
	"fmt"
	"math"
	"strings"
	"testing"

	"scoville/calibrate/fit"
	"scoville/core/workload"
)

// small is a problem that takes milliseconds: three quantities of a small model
// that short runs determine, and their true values.
func small(t *testing.T) (*Objective, []float64) {
	t.Helper()
	var text strings.Builder
	for _, c := range []int{1, 2, 3} {
		for _, prompt := range []int{64, 512, 2048, 4096} {
			for _, output := range []int{3, 6} {
				fmt.Fprintf(&text, "h100-sxm,llama-3.1-8b,,1,%d,%d,%d,1,1,1\n", prompt, output, c)
			}
		}
	}
	conds, _ := pair(t, text.String())
	truth := map[string]float64{"compute_util": 0.5, "weight_bandwidth_util": 0.7, "layer_overhead_us": 60}
	var params []Param
	var x []float64
	for _, p := range Parameters(&conds[0].Scenario, 1) {
		if v, ok := truth[p.Name]; ok {
			p.Prior, p.Init = fit.Prior{}, v
			params, x = append(params, p), append(x, v)
		}
	}
	for i := range conds {
		conds[i].Scenario.Measurement.PerConc = 2
	}
	o, err := New(conds, params, DefaultTargets(), 1, 2)
	if err != nil {
		t.Fatal(err)
	}
	return o, x
}

// normal draws from the standard normal distribution.
func normal(s workload.Stream, k int) float64 {
	return math.Sqrt(-2*math.Log(1-s.Uniform(2*k))) * math.Cos(2*math.Pi*s.Uniform(2*k+1))
}

// Of 200 fits to noisy runs of a known truth, between 90 and 99 % of the 95 %
// intervals hold it, for every parameter.
func TestCoverage(t *testing.T) {
	o, truth := small(t)
	all := units(len(o.Conditions))
	exact, err := o.Predict(context.Background(), [][]float64{truth}, all)
	if err != nil {
		t.Fatal(err)
	}
	const fits = 200
	held := make([]int, len(truth))
	for n := range fits {
		s := workload.NewStream(7, n, "noise")
		for i := range all {
			for k, target := range o.Targets {
				o.Conditions[i].Rows[0].Targets[k].Value = exact[0][i][k] * math.Exp(target.Sigma*normal(s, 2*i+k))
			}
		}
		r, err := fit.Run(o.Problem(context.Background(), all, fit.Loss{}), fit.Settings{})
		if err != nil {
			t.Fatal(err)
		}
		if r.Status != fit.Converged {
			t.Errorf("fit %d: %s", n, r.Status)
		}
		for i, e := range r.Estimates {
			if e.Lo <= truth[i] && truth[i] <= e.Hi {
				held[i]++
			}
		}
	}
	for i, p := range o.Params {
		if share := float64(held[i]) / fits; share < 0.90 || share > 0.99 {
			t.Errorf("%s: %d of %d intervals hold the truth", p.Name, held[i], fits)
		}
	}
}

// Twice every latency is half of every rate and twice every host time.
func TestFitScales(t *testing.T) {
	o, truth := small(t)
	all := units(len(o.Conditions))
	exact, err := o.Predict(context.Background(), [][]float64{truth}, all)
	if err != nil {
		t.Fatal(err)
	}
	for i := range all {
		for k := range o.Targets {
			o.Conditions[i].Rows[0].Targets[k].Value = 2 * exact[0][i][k]
		}
	}
	for i := range o.Conditions { // what is not fitted must scale too; the host times are 0
		h := &o.Conditions[i].Scenario.Hardware
		h.KVBandwidthUtil /= 2
		h.AttentionComputeUtil /= 2
	}
	for i := range o.Params {
		if o.Params[i].Path == "hardware.weight_bandwidth_util" {
			o.Params[i].Min = 0.1
		}
	}
	r, err := fit.Run(o.Problem(context.Background(), all, fit.Loss{}), fit.Settings{Tolerance: 1e-9})
	if err != nil {
		t.Fatal(err)
	}
	for i, e := range r.Estimates {
		want := truth[i] / 2
		if e.Name == "layer_overhead_us" {
			want = truth[i] * 2
		}
		if math.Abs(e.Value/want-1) > 1e-2 {
			t.Errorf("%s = %g, want %g", e.Name, e.Value, want)
		}
	}
}
