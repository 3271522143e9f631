package suggest

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"scoville/calibrate/design"
	"scoville/calibrate/fit"
	"scoville/calibrate/measured"
	"scoville/calibrate/objective"
	"scoville/core/scenario"
)

const known = `schema = 1
[hardware]
compute_util = 0.5
kv_bandwidth_util = 0.7
[engine]
layer_overhead_us = 50.0
sequence_overhead_us = 30.0
[calibration.applies_to]
hardware = ["h100-sxm"]
model = ["llama-3.1-8b"]
[calibration.covariance]
paths = ["hardware.compute_util", "hardware.kv_bandwidth_util", "engine.layer_overhead_us", "engine.sequence_overhead_us"]
scale = ["log", "log", "log", "log"]
mean = [-0.693147, -0.356675, 3.912023, 3.401197]
matrix = [[0.09, 0, 0, 0], [0, 0.09, 0, 0], [0, 0, 0.16, 0], [0, 0, 0, 0.25]]
[calibration.model_error]
ttft_sd = 0.05
tpot_sd = 0.03
`

func layer(t *testing.T, text string) scenario.Layer {
	t.Helper()
	d, err := scenario.ParseTOML("fit.toml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	l, err := scenario.OverlayLayer(d)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func input(t *testing.T, runs int, predict ...string) Input {
	return Input{
		Overlay: layer(t, known), Predict: predict, Runs: runs, Jobs: 2,
		Candidates: []string{"isl=128,1024,8192", "osl=8,32", "concurrency=1,4,16"},
	}
}

// Measurements at the suggested conditions, made with another truth and noise,
// and fitted, leave a smaller interval of the prediction than those at as many
// random ones: the median over 20 sets.
func TestSuggestedBeatRandom(t *testing.T) {
	const predict = "tpot_mean_ms@isl=4096,osl=64,concurrency=16"
	p, err := newPlan(input(t, 6, predict))
	if err != nil {
		t.Fatal(err)
	}
	conds, _, err := p.grid(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	one, err := p.prediction(t.Context(), predict)
	if err != nil {
		t.Fatal(err)
	}
	s, err := For(t.Context(), input(t, 6, predict))
	if err != nil || len(s.Runs) != 6 {
		t.Fatalf("%d runs, %v", len(s.Runs), err)
	}
	var chosen []int
	for _, r := range s.Runs {
		chosen = append(chosen, slices.IndexFunc(conds, func(c objective.Condition) bool { return p.command(&c).Text == r.Text }))
	}
	random := rand.New(rand.NewPCG(1, 2))
	got := fittedSD(t, p, conds, chosen, one.gradient)
	var widths []float64
	for range 20 {
		widths = append(widths, fittedSD(t, p, conds, random.Perm(len(conds))[:6], one.gradient))
	}
	slices.Sort(widths)
	median := (widths[9] + widths[10]) / 2
	t.Logf("standard deviation of ln: %.4f before, %.4f expected and %.4f fitted with the suggested runs, %.4f with random ones (%.4f to %.4f)", one.SD, s.Runs[5].SD[0], got, median, widths[0], widths[19])
	if !(got < median) || !(got < one.SD) {
		t.Errorf("suggested runs leave %.4f, random ones %.4f, before %.4f", got, median, one.SD)
	}
	if want := s.Runs[5].SD[0]; !(got > want/2 && got < want*2) {
		t.Errorf("a fit leaves %.4f, the suggestion expects %.4f", got, want)
	}
}

// fittedSD measures conditions on a machine with parameters of its own, fits
// what the overlay knows to them, and returns what is left of ln prediction.
func fittedSD(t *testing.T, p *plan, conds []objective.Condition, set []int, gradient []float64) float64 {
	t.Helper()
	var list []objective.Condition
	var params []objective.Param
	truth := make([]float64, len(p.cov.Paths))
	for i, path := range p.cov.Paths {
		sd, x := math.Sqrt(p.cov.Matrix[i][i]), p.cov.Value(i, p.cov.Mean[i])
		truth[i] = x * math.Exp(sd*[]float64{0.7, -0.5, 0.4, -0.6}[i])
		params = append(params, objective.Param{Path: path, Param: fit.Param{
			Name: path, Init: x, Min: x / 20, Max: x * 20, Log: true, Prior: fit.Prior{Center: x, SD: sd},
		}})
		if strings.HasSuffix(path, "_util") {
			params[i].Max = 1
		}
	}
	for _, i := range set {
		list = append(list, conds[i])
	}
	obj, err := objective.New(list, params, p.noise, 1, 2)
	if err != nil {
		t.Fatal(err)
	}
	all := []int{0, 1, 2, 3, 4, 5}
	made, err := obj.Predict(t.Context(), [][]float64{truth}, all)
	if err != nil {
		t.Fatal(err)
	}
	for c := range list {
		random := rand.New(rand.NewPCG(9, uint64(set[c])))
		o := &measured.Observation{}
		for k, target := range p.noise {
			o.Targets = append(o.Targets, measured.Target{Metric: target.Metric, Value: made[0][c][k] * math.Exp(target.Sigma*random.NormFloat64())})
		}
		list[c].Rows = []*measured.Observation{o}
	}
	if obj, err = objective.New(list, params, p.noise, 1, 2); err != nil {
		t.Fatal(err)
	}
	problem := obj.Problem(context.Background(), all, fit.Loss{})
	// The noise is known, so the covariance is (J'J + prior)^-1 at the end of the
	// fit: sigmas are not scaled by so few residuals.
	r, err := fit.Run(problem, fit.Settings{Starts: 1})
	if err != nil {
		t.Fatal(err)
	}
	return posterior(t, p, list, r.Values, gradient)
}

// posterior is the standard deviation of a prediction after conditions were
// measured, linear around the fitted values.
func posterior(t *testing.T, p *plan, list []objective.Condition, values, gradient []float64) float64 {
	t.Helper()
	there := *p
	there.cov.Mean = slices.Clone(p.cov.Mean)
	for i, x := range values {
		there.cov.Mean[i] = math.Log(x)
	}
	candidates, err := there.responses(t.Context(), list)
	if err != nil {
		t.Fatal(err)
	}
	return sdAfter(p.cov.Matrix, candidates, gradient)
}

// Prompts are compute-bound and decodes wait for memory: the run that narrows a
// long prompt's TTFT most is a long prompt.
func TestSuggestsWhatLooksLikeThePrediction(t *testing.T) {
	s, err := For(t.Context(), input(t, 2, "ttft_mean_ms@isl=16384,osl=8,concurrency=1"))
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(s.Runs[0].Text, "isl 8192 ") {
		t.Errorf("first run: %s", s.Runs[0].Text)
	}
	p := s.Predictions[0]
	if !(s.Runs[1].SD[0] < s.Runs[0].SD[0] && s.Runs[0].SD[0] < 0.5*p.SD) {
		t.Errorf("%.3f before, then %.3f, %.3f", p.SD, s.Runs[0].SD[0], s.Runs[1].SD[0])
	}
	text := Text(s)
	for _, want := range []string{
		"suggest fit.toml: 4 parameters, 18 candidates", "predict ttft_mean_ms@isl=16384,osl=8,concurrency=1 = ", "run 1   isl 8192  osl ",
		"vllm bench serve --model meta-llama/Llama-3.1-8B --dataset-name random --random-input-len 8192 --random-output-len ", " --ignore-eos --percentile-metrics ttft,tpot,itl,e2el --save-result",
		"# on vllm serve meta-llama/Llama-3.1-8B --tensor-parallel-size 1 ", "a measured value also lies 5.0% off",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
}

// Candidates are on as many chips as the prediction; commands name repositories,
// quote what a shell would take apart, and say formats to the server and to who
// reads the result.
func TestCommands(t *testing.T) {
	in := input(t, 1, "ttft_mean_ms@isl=16384,osl=8,concurrency=1,tp=4,engine.max_num_seqs=64")
	in.Overlay = layer(t, strings.Replace(known, "model = [", "weight_dtype = [\"fp8\"]\nkv_dtype = [\"fp8\"]\nmodel = [", 1))
	s, err := For(t.Context(), in)
	if err != nil {
		t.Fatal(err)
	}
	r := s.Runs[0]
	if want := "vllm serve meta-llama/Llama-3.1-8B --tensor-parallel-size 4 --max-num-seqs 64 --no-enable-prefix-caching --quantization fp8 --kv-cache-dtype fp8"; r.Server != want || !strings.HasSuffix(r.Text, "  tp 4") {
		t.Errorf("%s\n%s, want\n%s", r.Text, r.Server, want)
	}
	if !strings.HasSuffix(r.Command, " --metadata gpu_name=h100-sxm tensor_parallel_size=4 precision=fp8 kv_cache_dtype=fp8") {
		t.Error(r.Command)
	}
	for text, want := range map[string]string{"a b": "'a b'", "it's": `'it'\''s'`, "": "''", "x;y": "'x;y'", "a/b-1.0": "a/b-1.0"} {
		if got := word(text); got != want {
			t.Errorf("%q is quoted %s, want %s", text, got, want)
		}
	}
	for name, want := range map[string]string{"llama-3.1-8b": "meta-llama/Llama-3.1-8B", "acme/Llama-3.1-8B": "acme/Llama-3.1-8B", "mine": "mine"} {
		if got := hub(name); got != want {
			t.Errorf("%s is served as %s, want %s", name, got, want)
		}
	}
	in.Model, in.Predict = "no-such-model", nil
	if _, err := For(t.Context(), in); err == nil || !strings.HasPrefix(err.Error(), "--model: ") {
		t.Errorf("an unknown model: %v", err)
	}
}

// Without a prediction every parameter counts: each run shrinks the volume.
func TestSuggestForAllParameters(t *testing.T) {
	s, err := For(t.Context(), input(t, 4))
	if err != nil {
		t.Fatal(err)
	}
	last := 1.0
	for _, r := range s.Runs {
		if !(r.Shrink < last) {
			t.Errorf("%s: %.3f after %.3f", r.Text, r.Shrink, last)
		}
		last = r.Shrink
	}
	again, err := For(t.Context(), input(t, 4))
	if err != nil || fmt.Sprint(again) != fmt.Sprint(s) {
		t.Errorf("the same question has two answers: %v, %v, %v", s, again, err)
	}
}

func TestSuggestErrors(t *testing.T) {
	for _, c := range []struct {
		change func(*Input)
		want   string
	}{
		{func(in *Input) { in.Predict = []string{"tpot_mean_ms"} }, "write METRIC@KEY=VALUE"},
		{func(in *Input) { in.Predict = []string{"tpot_men_ms@isl=3"} }, `no metric "tpot_men_ms"`},
		{func(in *Input) { in.Predict = []string{"tpot_mean_ms@isl"} }, `"isl" is not of the form KEY=VALUE`},
		{func(in *Input) { in.Predict = []string{"tpot_mean_ms@isl=128,osl=8,concurrency=4,colour=3"} }, "colour is no condition"},
		{func(in *Input) { in.Predict = []string{"tpot_mean_ms@isl=900000,osl=8,concurrency=4"} }, "cannot be predicted"},
		{func(in *Input) { in.Candidates = []string{"isl"} }, "--candidates isl: write KEY=VALUE,VALUE"},
		{func(in *Input) { in.Candidates = []string{"isl=9000000"} }, "none can be measured"},
		{func(in *Input) { in.Candidates = []string{"isl=" + strings.Repeat("1,", 400) + "1"} }, "4812 candidates are more than 1000"},
		{func(in *Input) { in.Overlay = layer(t, strings.Split(known, "[calibration.covariance]")[0]) }, "has no [calibration.covariance]"},
		{func(in *Input) { in.Overlay = layer(t, strings.Replace(known, "hardware = [\"h100-sxm\"]\n", "", 1)) }, "holds for any: which one? Give --hardware NAME"},
	} {
		in := input(t, 2)
		c.change(&in)
		if _, err := For(t.Context(), in); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("got %v, want %s", err, c.want)
		}
	}
}

func sdAfter(s [][]float64, candidates []design.Candidate, gradient []float64) float64 {
	for _, c := range candidates {
		s = design.Update(s, c)
	}
	return math.Sqrt(design.Variance(s, gradient))
}
