package calibrate

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"scoville/calibrate/measured"
	"scoville/calibrate/reading"
	"scoville/calibrate/results"
)

const header = "gpu,model,precision,tp,isl,osl,concurrency,ttft_mean_ms,tpot_mean_ms\n"

// demo is a table of runs as a chip of half its compute would give them; the
// values are close to what the simulator says at compute_util 0.5,
// weight_bandwidth_util 0.8 and layer_overhead_us 50.
func demo() string {
	var b strings.Builder
	b.WriteString(header)
	for _, c := range []int{4, 8, 16} {
		for _, prompt := range []int{256, 1024, 4096} {
			ttft := 12 + float64(prompt)*0.05*math.Sqrt(float64(c))
			tpot := 11.6 + 0.05*float64(c)
			fmt.Fprintf(&b, "h100-sxm,llama-3.1-8b,,1,%d,64,%d,%.1f,%.2f\n", prompt, c, ttft, tpot)
		}
	}
	return b.String()
}

const threeParams = `schema = 1
[params.compute_util]
path = "hardware.compute_util"
init = 0.6
min = 0.05
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
`

// put writes files into a folder and returns their paths.
func put(t testing.TB, dir string, files ...string) []string {
	t.Helper()
	var paths []string
	for i := 0; i < len(files); i += 2 {
		path := filepath.Join(dir, files[i])
		if err := os.WriteFile(path, []byte(files[i+1]), 0o600); err != nil {
			t.Fatal(err)
		}
		paths = append(paths, path)
	}
	return paths
}

// The same input gives the same files, with one or two jobs.
func TestRun(t *testing.T) {
	dir := t.TempDir()
	in := put(t, dir, "m.csv", demo(), "fit.toml", threeParams)
	var texts [2][3][]byte
	for n := range 2 {
		out := filepath.Join(dir, "out.toml")
		f, err := Run(context.Background(), Options{Files: in[:1], Spec: in[1], Output: out, Jobs: n + 1, Where: "isl > 0"})
		if err != nil {
			t.Fatal(err)
		}
		if f.Status != "converged" || f.Rows != 9 || f.Conditions != 9 || len(f.Gates) != 0 || len(f.Free) != 3 || len(f.Covariance) != 3 {
			t.Errorf("%s, %d rows, gates %v, free %v", f.Status, f.Rows, f.Gates, f.Free)
		}
		if len(f.Errors) != 4 || f.HeldOut != "each of concurrency = 8 in turn" {
			t.Errorf("errors %+v, held out %q", f.Errors, f.HeldOut)
		}
		for i, path := range Outputs(out) {
			if texts[n][i], err = os.ReadFile(path); err != nil {
				t.Fatal(err)
			}
		}
		text := Text(f)
		for _, want := range []string{
			"fit     9 rows -> 9 conditions x 2 targets\n", "held    each of concurrency = 8 in turn\n", "result  converged after",
			"held-out errors are of conditions, not of devices", "  compute_util ", "errors            fitted: median, p90, bias", "  ttft_mean_ms ", "identifiability  weakest: ",
		} {
			if !strings.Contains(text, want) {
				t.Errorf("no %q in\n%s", want, text)
			}
		}
	}
	if chip := "[calibration.hardware.\"h100-sxm\"]"; !strings.Contains(string(texts[0][0]), chip) || !strings.Contains(string(texts[0][0]), "\nmemory_bandwidth_gb_s = 3350.0\n") {
		t.Errorf("the overlay does not say what chip it was fitted on:\n%s", texts[0][0])
	}
	if _, err := Run(context.Background(), Options{Files: in[:1], Spec: in[1], Output: filepath.Join(dir, "new", "out.toml"), Where: "isl <= 1024"}); err != nil {
		t.Errorf("a folder for the overlay is made: %v", err)
	}
	for i := range texts[0] {
		if !bytes.Equal(texts[0][i], texts[1][i]) {
			t.Errorf("file %d depends on the number of jobs", i)
		}
	}
}

// Held-out conditions of a specification have no part in the fit, and a gate
// on their errors shows.
func TestHoldout(t *testing.T) {
	dir := t.TempDir()
	spec := threeParams + "[holdout]\nwhere = \"workload.prompt_tokens >= 4096\"\nmax_error_ratio = 1e-6\n[[target]]\nmetric = \"tpot_mean_ms\"\n"
	in := put(t, dir, "m.csv", demo(), "fit.toml", spec)
	f, err := Run(context.Background(), Options{Files: in[:1], Spec: in[1], Jobs: 2})
	if err != nil {
		t.Fatal(err)
	}
	if f.Rows != 6 || f.HeldOut != "3 conditions of [holdout]" || f.Validity[0] != (results.Range{Path: "workload.prompt_tokens", Lo: 256, Hi: 1024}) {
		t.Errorf("%d rows, %s, %v", f.Rows, f.HeldOut, f.Validity)
	}
	if len(f.Gates) != 1 || f.Gates[0].What != "held-out tpot_mean_ms" || !strings.Contains(Text(f), "gate    FAIL held-out tpot_mean_ms") {
		t.Errorf("gates %v", f.Gates)
	}
}

// A condition is held out when any of its rows is.
func TestHoldoutRepeats(t *testing.T) {
	dir := t.TempDir()
	again := demo() + "h100-sxm,llama-3.1-8b,,1,256,64,4,25,11.7\n"
	in := put(t, dir, "m.csv", again, "fit.toml", threeParams+"[holdout]\nwhere = \"ttft_mean_ms == 25\"\n")
	_, j, err := prepare(context.Background(), Options{Files: in[:1], Spec: in[1]})
	if err != nil {
		t.Fatal(err)
	}
	if len(j.outside) != 1 || len(j.obj.Conditions[j.outside[0]].Rows) != 2 {
		t.Errorf("held out: %v", j.outside)
	}
}

// Refits of held-out folds know nothing of the whole fit.
func TestRefitIsBlind(t *testing.T) {
	dir := t.TempDir()
	in := put(t, dir, "m.csv", demo(), "fit.toml", threeParams)
	var got [2][]float64
	for i := range got {
		_, j, err := prepare(context.Background(), Options{Files: in[:1], Spec: in[1], Jobs: 2})
		if err != nil {
			t.Fatal(err)
		}
		if i == 1 {
			if err := j.fit(context.Background()); err != nil {
				t.Fatal(err)
			}
		}
		r, err := j.refit(context.Background(), j.fitted[:6])
		if err != nil {
			t.Fatal(err)
		}
		got[i] = r.Values
	}
	if !slices.Equal(got[0], got[1]) {
		t.Errorf("a refit gives %v before the whole fit, %v after it", got[0], got[1])
	}
}

// Of two copies of a row the one that the filter keeps is used.
func TestDuplicatesAmongSelected(t *testing.T) {
	dir := t.TempDir()
	in := put(t, dir, "m.csv", "source,"+header+"a,h100-sxm,llama-3.1-8b,,1,256,64,4,25,11.7\nb,h100-sxm,llama-3.1-8b,,1,256,64,4,25,11.7\n")
	for where, dropped := range map[string]int{"": 1, "source == 'b'": 0, "source == 'a'": 0} {
		r, err := read(Options{Files: in, Where: where})
		if err != nil {
			t.Fatal(err)
		}
		if err := r.pair(context.Background()); err != nil || len(r.conds) != 1 || len(r.dropped) != dropped {
			t.Errorf("%q: %v, %d conditions, dropped %v", where, err, len(r.conds), r.dropped)
		}
	}
}

// A specification says that columns without a statistic are medians.
func TestStatisticOfSpec(t *testing.T) {
	dir := t.TempDir()
	in := put(t, dir, "m.csv", strings.Replace(demo(), "ttft_mean_ms", "ttft_ms", 1), "fit.toml", threeParams+"[data.fixed]\n\"measurement.statistic\" = \"p50\"\n[[target]]\nmetric = \"ttft_p50_ms\"\n")
	_, j, err := prepare(context.Background(), Options{Files: in[:1], Spec: in[1]})
	if err != nil {
		t.Fatal(err)
	}
	if o := j.obj.Conditions[0].Rows[0]; o.Targets[0].Metric != "ttft_p50_ms" {
		t.Errorf("targets %v", o.Targets)
	}
	plain := put(t, dir, "plain.toml", threeParams+"[data.fixed]\n\"measurement.statistic\" = \"p50\"\n")
	if _, j, err := prepare(context.Background(), Options{Files: in[:1], Spec: plain[0]}); err != nil || len(j.obj.Targets) != 2 || j.obj.Targets[0].Metric != "ttft_p50_ms" || j.obj.Targets[1].Metric != "tpot_mean_ms" {
		t.Errorf("targets by default: %v", err)
	}
	if _, _, err := prepare(context.Background(), Options{Files: in[:1], Spec: put(t, dir, "mean.toml", threeParams+"[[target]]\nmetric = \"ttft_p50_ms\"\n")[0]}); err == nil {
		t.Error("without it the column is a mean")
	}
}

func TestInputErrors(t *testing.T) {
	dir := t.TempDir()
	two := demo() + "h200,llama-3.1-8b,,1,256,64,4,20,9\nh200,llama-3.1-8b,fp8,1,256,64,4,20,9\n"
	in := put(t, dir, "m.csv", demo(), "two.csv", two, "copy.csv", demo(),
		"bare.csv", "isl,osl,concurrency,ttft_mean_ms\n256,64,4,20\n", "fit.toml", threeParams,
		"all.toml", "schema = 1\n[holdout]\nwhere = \"tp == 1\"\n", "no.toml", "schema = 1\n[holdout]\nwhere = \"tp == 7\"\n",
		"p99.toml", "schema = 1\n[[target]]\nmetric = \"ttft_p99_ms\"\n", "filter.toml", "schema = 1\n[data.filter]\nkeep = \"tpp == 1\"\n",
		"big.csv", header+"h100-sxm,llama-3.1-70b,,1,256,64,4,20,9\n")
	m, bare := in[0], in[3]
	for _, c := range []struct {
		opt  Options
		want string
	}{
		{Options{}, "no file of measurements"},
		{Options{Files: in[:1], Output: filepath.Join(m, "x.toml")}, "x.toml: mkdir"},
		{Options{Files: []string{filepath.Join(dir, "none.csv")}}, "none.csv: cannot read: no such file"},
		{Options{Files: []string{m, in[2]}}, "are the same file"},
		{Options{Files: in[:1], Spec: filepath.Join(dir, "none.toml")}, "none.toml: cannot read: no such file"},
		{Options{Files: in[:1], Where: "tp == 9"}, "the filter keeps none of 9 rows"},
		{Options{Files: in[:1], Where: "tp = 9"}, "--where:1:4"},
		{Options{Files: in[:1], Where: "tpp == 9"}, `did you mean "tp"?`},
		{Options{Files: in[:1], Spec: in[8]}, "filter.toml: data.filter.keep:1:1"},
		{Options{Files: in[1:2]}, "the rows are of 2 chips or engine eras"},
		{Options{Files: in[1:2]}, `--where 'hardware.name == "h200" && engine.version == ""'   # 2 rows, vLLM 0.8 to 0.15: llama-3.1-8b`},
		{Options{Files: []string{bare}}, "the chip is not said"},
		{Options{Files: []string{bare}, Hardware: "h100-sxm"}, "the model is not said"},
		{Options{Files: []string{bare}, Hardware: "h100-smx", Model: "llama-3.1-8b"}, `hardware.name: no hardware "h100-smx" in the catalogue`},
		{Options{Files: []string{bare}, Hardware: "h100-sxm", Model: "llama-3.2-8b"}, "is not in the catalogue"},
		{Options{Files: in[:1], Hardware: "h200"}, "m.csv:2:1: gpu: the file says h100-sxm, --hardware says h200"},
		{Options{Files: in[:1], Spec: in[5]}, "[holdout] where matches every row"},
		{Options{Files: in[:1], Spec: in[6]}, "[holdout] where matches no row"},
		{Options{Files: in[:1], Spec: in[7]}, "no row has a value of ttft_p99_ms"},
		{Options{Files: in[9:10]}, "none of 1 rows can be used: 1 does not fit memory"},
	} {
		_, err := Run(context.Background(), c.opt)
		if _, ok := errors.AsType[*InputError](err); !ok || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: want an input error with %q, got\n%v", c.opt, c.want, err)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	out := filepath.Join(dir, "out.toml")
	if _, err := Run(ctx, Options{Files: in[:1], Output: out}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	if _, err := os.Stat(out); err == nil {
		t.Error("a cancelled fit wrote an overlay")
	}
}

func TestHash(t *testing.T) {
	a, b := &measured.File{SHA256: "a"}, &measured.File{SHA256: "b"}
	if measured.Hash([]*measured.File{a, b}) != measured.Hash([]*measured.File{b, a}) || measured.Hash([]*measured.File{a}) != "a" || measured.Hash([]*measured.File{a, b}) == "a" {
		t.Error("the hash of several files depends on their order, or on one of them only")
	}
}

func TestReasons(t *testing.T) {
	for dropped, want := range map[string]string{"repeats x.csv:3 exactly": "repeat another row", "saturated: 3 of 4": "saturated", "mode disagg, not agg": "mode disagg, not agg"} {
		if got := reading.ReasonOf(dropped); got != want {
			t.Errorf("%q is counted as %q", dropped, got)
		}
	}
}

func TestCheck(t *testing.T) {
	dir := t.TempDir()
	in := put(t, dir, "m.csv", strings.Replace(demo(), "ttft_mean_ms", "ttft_ms", 1)+"h100-sxm,llama-3.1-70b,,1,256,64,4,20,9\n", "bare.csv", "isl,osl,concurrency,ttft_mean_ms\n256,64,4,20\n")
	seen, err := Check(context.Background(), Options{Files: in[:1]})
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"m.csv  tidy form, 10 rows, sha256 ", "  gpu          -> hardware.name\n", "  ttft_ms      -> ttft_mean_ms (no statistic in the name: measurement.statistic, the mean unless set)\n",
		"rows    10 selected, 9 usable -> 9 conditions with ttft_mean_ms, tpot_mean_ms\n", "load    9 rows closed loop\n",
		"assumed number of requests not said: 10 per unit of concurrency\n", "dropped 1 row: does not fit memory",
	} {
		if !strings.Contains(seen.Text, want) {
			t.Errorf("no %q in\n%s", want, seen.Text)
		}
	}
	if last := seen.Rows[len(seen.Rows)-1]; len(seen.Rows) != 11 || last[2] != "false" || !strings.Contains(last[3], "does not fit memory") || seen.Rows[1][2] != "true" {
		t.Errorf("%q", seen.Rows)
	}
	if seen, err := Check(context.Background(), Options{Files: in[1:]}); err == nil || err.Error() != "none of 1 rows can be used: 1 the chip is not said" || !strings.Contains(seen.Text, "needed  --hardware NAME (a10, a100-40,") {
		t.Errorf("what is missing is asked for: %v\n%s", err, seen.Text)
	}
	if seen, err := Check(context.Background(), Options{Files: in[1:], Hardware: "h100-sxm", Model: "llama-3.1-8b"}); err != nil || !strings.Contains(seen.Text, "1 usable") {
		t.Errorf("%s, %v", seen.Text, err)
	}
}

// The published H100 rows: the accuracy that the README and the studies rely
// on. Limits are about a third above what is reached.
func TestH100(t *testing.T) {
	if testing.Short() {
		t.Skip("a full fit takes ten seconds")
	}
	f, err := Run(context.Background(), Options{Files: []string{"../studies/measured/h100.csv"}, Jobs: 2})
	if err != nil {
		t.Fatal(err)
	}
	if f.Status != "converged" || f.Rows != 33 || len(f.Dropped) != 1 || len(f.Dropped[0].Rows) != 3 {
		t.Errorf("%s, %d rows, dropped %v", f.Status, f.Rows, f.Dropped)
	}
	limits := map[string][2]float64{
		"ttft_mean_ms fitted": {0.042, 0.077}, "tpot_mean_ms fitted": {0.016, 0.045},
		"ttft_mean_ms held out": {0.048, 0.096}, "tpot_mean_ms held out": {0.032, 0.073},
	}
	for _, e := range f.Errors {
		if l := limits[e.Metric+" "+e.Split]; !(e.Median <= l[0] && e.P90 <= l[1]) {
			t.Errorf("%s %s: median %.4f, p90 %.4f, limits %v", e.Metric, e.Split, e.Median, e.P90, l)
		}
	}
	for _, p := range f.Parameters {
		if p.Value < p.Min || p.Value > p.Max {
			t.Errorf("%s = %g is outside its bounds", p.Name, p.Value)
		}
	}
	i := slices.IndexFunc(f.Parameters, func(p results.Parameter) bool { return p.Name == "step_overhead_us" })
	if notes := strings.Join(f.Parameters[i].Notes, " "); !strings.Contains(notes, "as its prior") {
		t.Errorf("step_overhead_us is not identifiable from one model, but its notes are %q", notes)
	}
}
