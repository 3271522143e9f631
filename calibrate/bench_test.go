package calibrate

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"scoville/calibrate/fit"
	"scoville/calibrate/measured"
	"scoville/calibrate/objective"
	"scoville/core/workload"
)

// grid300 are 300 conditions of one model on four numbers of chips.
func grid300() string {
	var b strings.Builder
	b.WriteString(header)
	for _, tp := range []int{1, 2, 4, 8} {
		for _, prompt := range []int{128, 512, 1024, 2048, 4096} {
			for _, output := range []int{128, 512, 1024} {
				for _, c := range []int{1, 4, 8, 16, 32} {
					fmt.Fprintf(&b, "h100-sxm,llama-3.1-8b,,%d,%d,%d,%d,1,1\n", tp, prompt, output, c)
				}
			}
		}
	}
	return b.String()
}

// nine holds all free parameters but the first nine.
func nine(params []objective.Param) {
	free := 0
	for i := range params {
		if !params[i].Fixed {
			free++
		}
		params[i].Fixed = params[i].Fixed || free > 9
	}
}

// BenchmarkFit is a fit of nine parameters to 300 simulated rows, errors of 3 % of
// TTFT and 2 % of TPOT added, from 16 starts on two processors. points/op are the
// parameter values at which all or some rows were simulated.
func BenchmarkFit(b *testing.B) {
	file := put(b, b.TempDir(), "m.csv", grid300())[0]
	for b.Loop() {
		_, j, err := prepare(b.Context(), Options{Files: []string{file}, Jobs: 2})
		if err != nil {
			b.Fatal(err)
		}
		nine(j.obj.Params)
		if len(j.fitted) != 300 {
			b.Fatalf("%d conditions", len(j.fitted))
		}
		least := j.truth(b)
		if err := j.fit(b.Context()); err != nil {
			b.Fatal(err)
		}
		if r := j.result; r.Status != fit.Converged || r.Cost > 1.05*least {
			b.Errorf("%s at cost %g, which is %g at the truth", r.Status, r.Cost, least)
		}
		b.ReportMetric(float64(j.result.Evals), "points/op")
	}
}

// truth replaces what was measured by what is simulated at values off the priors'
// centres, with errors, and returns the cost there.
func (j *job) truth(b *testing.B) (cost float64) {
	b.Helper()
	s := workload.NewStream(1, 0, "benchmark")
	x := make([]float64, len(j.obj.Params))
	for i := range j.obj.Params {
		p := &j.obj.Params[i]
		x[i] = p.Init
		if !p.Fixed {
			x[i] = min(max(p.Init*math.Exp(0.2*s.Normal(i)), p.Min*1.05), p.Max*0.97)
		}
	}
	out, err := j.obj.Predict(b.Context(), [][]float64{x}, j.fitted)
	if err != nil {
		b.Fatal(err)
	}
	for n, i := range j.fitted {
		for _, o := range j.obj.Conditions[i].Rows {
			o.Targets = nil
			for t, sd := range []float64{0.03, 0.02} {
				o.Targets = append(o.Targets, measured.Target{Metric: j.obj.Targets[t].Metric, Value: out[0][n][t] * math.Exp(sd*s.Normal(100+2*i+t))})
			}
		}
	}
	data, err := j.obj.Problem(b.Context(), j.fitted, j.loss).Eval([][]float64{x}, j.fitted)
	if err != nil {
		b.Fatal(err)
	}
	for _, r := range data[0] {
		cost += r * r
	}
	for i, p := range j.obj.Params {
		if p.Prior.SD > 0 && !p.Fixed {
			cost += math.Pow(math.Log(x[i]/p.Prior.Center)/p.Prior.SD, 2)
		}
	}
	return cost
}
