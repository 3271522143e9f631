package calibrate

import (
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"scoville/calibrate/fold"
	"scoville/calibrate/objective"
	"scoville/calibrate/results"
	"scoville/core/scenario"
)

// twoModels are runs of two models on one chip; one is twice as slow per layer.
func twoModels() string {
	return demo() + strings.ReplaceAll(strings.TrimPrefix(demo(), header), "llama-3.1-8b", "qwen3-8b")
}

const pooledSpec = `schema = 1
[params.compute_util]
path = "hardware.compute_util"
init = 0.6
min = 0.05
prior = 0.5
prior_sd = 0.3
per = "model"
[params.weight_bandwidth_util]
path = "hardware.weight_bandwidth_util"
init = 0.7
min = 0.1
[params.layer_overhead_us]
path = "engine.layer_overhead_us"
init = 40
min = 1
max = 500
scale = "log"
[params.step_overhead_us]
path = "engine.step_overhead_us"
expr = "5 * layer_overhead_us"
[holdout]
by = "model"
`

// Two models of one chip share some parameters: the general overlay has the
// mean of what is per model, each model's overlay its own, tied parameters
// follow, and both are overlays that a study can build on.
func TestModels(t *testing.T) {
	dir := t.TempDir()
	in := put(t, dir, "m.csv", twoModels(), "fit.toml", pooledSpec)
	out := filepath.Join(dir, "out.toml")
	f, err := Run(context.Background(), Options{Files: in[:1], Spec: in[1], Output: out, Jobs: 2})
	if err != nil {
		t.Fatal(err)
	}
	if f.HeldOut != "each of model = llama-3.1-8b, qwen3-8b in turn" || len(f.Models) != 2 || len(f.Free) != 4 {
		t.Fatalf("%s, models %v, free %v", f.HeldOut, f.Models, f.Free)
	}
	value := map[string]float64{}
	for _, p := range f.Parameters {
		value[p.Name] = p.Value
	}
	if got, want := value["step_overhead_us"], 5*value["layer_overhead_us"]; math.Abs(got/want-1) > 1e-9 {
		t.Errorf("the tied parameter is %g, not %g", got, want)
	}
	for file, want := range map[string]float64{
		out:                                math.Sqrt(value["compute_util@llama-3.1-8b"] * value["compute_util@qwen3-8b"]),
		results.ModelPath(out, "qwen3-8b"): value["compute_util@qwen3-8b"],
	} {
		written, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		doc, err := scenario.ParseTOML(file, written)
		if err != nil {
			t.Fatal(err)
		}
		got, _ := doc.Value("hardware.compute_util").(float64)
		if math.Abs(got/want-1) > 1e-4 {
			t.Errorf("%s: compute_util %g, want %g", file, got, want)
		}
		matrix, _ := doc.Value("calibration.covariance.matrix").([]any)
		paths, _ := doc.Value("calibration.covariance.paths").([]any)
		if len(matrix) != 3 || len(paths) != 3 || !doc.Has("calibration.model_error") {
			t.Errorf("%s: covariance of %v has %d rows", file, paths, len(matrix))
		}
	}
	text := Text(f)
	for _, want := range []string{"held out by nearest neighbour", "held out by log-linear", "90 % intervals hold", "qwen3-8b, fitted", "= 5 * layer_overhead_us"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	general, err := os.ReadFile(out)
	if err != nil || !strings.Contains(string(general), "mean over 2 models") || strings.Contains(string(general), "\nmodel = ") {
		t.Errorf("%v\n%s", err, general)
	}
}

// Without a specification the quantities of a model are fitted for each, those
// of the chip once.
func TestHierarchyDefaults(t *testing.T) {
	dir := t.TempDir()
	in := put(t, dir, "m.csv", twoModels())
	_, j, err := prepare(context.Background(), Options{Files: in})
	if err != nil {
		t.Fatal(err)
	}
	count := map[string]int{}
	for _, p := range j.obj.Params {
		name := p.Base
		if name == "" {
			name = p.Name
		}
		count[name]++
	}
	for name, want := range map[string]int{"compute_util": 2, "client_overhead_us": 2, "weight_bandwidth_util": 1, "step_overhead_us": 1, "expert_compute_util": 0} {
		if count[name] != want {
			t.Errorf("%s occurs %d times, want %d", name, count[name], want)
		}
	}
}

// A parameter of one model moves the predictions of that model alone.
func TestScope(t *testing.T) {
	dir := t.TempDir()
	in := put(t, dir, "m.csv", twoModels(), "fit.toml", pooledSpec)
	_, j, err := prepare(context.Background(), Options{Files: in[:1], Spec: in[1]})
	if err != nil {
		t.Fatal(err)
	}
	base := make([]float64, len(j.obj.Params))
	for i, p := range j.obj.Params {
		base[i] = p.Init
	}
	i := slices.IndexFunc(j.obj.Params, func(p objective.Param) bool { return p.Scope == "qwen3-8b" })
	moved := slices.Clone(base)
	moved[i] /= 2
	out, err := j.obj.Predict(context.Background(), [][]float64{base, moved}, j.fitted)
	if err != nil {
		t.Fatal(err)
	}
	for n, c := range j.fitted {
		if changed := out[0][n][0] != out[1][n][0]; changed != (j.obj.Conditions[c].Variant == "qwen3-8b") {
			t.Errorf("%s moves: %v", j.obj.Conditions[c].Variant, changed)
		}
	}
}

// Every way to hold out gives folds that part the conditions.
func TestFolds(t *testing.T) {
	dir := t.TempDir()
	in := put(t, dir, "m.csv", twoModels())
	for holdout, want := range map[string]string{
		"by = \"model\"": "2 9 each of model", "by = \"concurrency\"": "1 6 each of concurrency = 8 in turn", "by = \"prompt\"": "3 6 each of prompt_tokens",
		"fraction = 0.2": "5 4 20 % of the conditions at random, with 5 seeds from 1", "fraction = 0.2\nseeds = 3\nseed = 7": "3 4 20 % of the conditions at random, with 3 seeds from 7",
		"folds = 6": "6 3 each of 6 parts in turn",
	} {
		spec := put(t, dir, "fit.toml", "schema = 1\n[holdout]\n"+holdout+"\n")
		_, j, err := prepare(context.Background(), Options{Files: in, Spec: spec[0]})
		if err != nil {
			t.Fatal(err)
		}
		folds, how := fold.Of(j.obj.Conditions, j.fitted, j.spec)
		if got := fmt.Sprintf("%d %d %s", len(folds), len(folds[0].Out), how); !strings.HasPrefix(got, want) {
			t.Errorf("%s: %s, want %s", holdout, got, want)
		}
		groups := fold.Groups(j.obj.Conditions, j.fitted, j.spec)
		if want := map[string]int{"by = \"model\"": 2, "by = \"concurrency\"": 3, "by = \"prompt\"": 3}[holdout]; want > 0 && groups != want || want == 0 && groups != len(j.fitted) {
			t.Errorf("%s: %d groups", holdout, groups)
		}
		seen := map[int]int{}
		for _, f := range folds {
			for _, i := range slices.Concat(f.In, f.Out) {
				seen[i]++
			}
			if len(f.In)+len(f.Out) != len(j.fitted) {
				t.Errorf("%s: %d in, %d out", holdout, len(f.In), len(f.Out))
			}
		}
		if len(seen) != len(j.fitted) {
			t.Errorf("%s: %d conditions are in no fold", holdout, len(j.fitted)-len(seen))
		}
	}
}
