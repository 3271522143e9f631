package study

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// parse decodes a study text that has no overlays.
func parse(t *testing.T, text string, sets ...string) (*Study, error) {
	t.Helper()
	return decode("dir/demo.toml", []byte(text), sets, func(string) ([]byte, error) { return nil, errors.New("no such file") })
}

func TestDecode(t *testing.T) {
	s, err := parse(t, `schema = 1
description = "what for"
[model]
name = "llama-2-7b"
[axes]
"hardware.weight_bandwidth_gb_s" = [3000, { from = 4000, to = 6000, step = 1000 }]
engine.max_num_seqs = { from = 1, to = 64, factor = 4 }
[zip.pair]
"workload.class.a.share" = [0.25, 0.75]
"workload.class.b.share" = [0.75, 0.25]
[[cases.context]]
name = "short"
"workload.class.a.prompt_tokens" = 128
[[cases.context]]
name = "long"
"workload.class.a.prompt_tokens" = { dist = "lognormal", mean = 9000, cv = 0.5 }
workload.rate_rps = 0.5
[oat]
"hardware.state_bandwidth_gb_s" = ["-20%", "x1.5"]
group.memory = { paths = ["hardware.overlap", "hardware.onchip_kv_mib"], by = ["-10%"] }
[oat.group.host]
by = ["x2"]
paths = ["engine.step_overhead_us", "engine.layer_overhead_us"]
[replicates]
n = 10
seed = 42
[output]
dir = "out/demo"
metrics = ["tpot_p5?_ms", "ttft_m*"]
[run]
max_runs = 5_000
[slo]
ttft_p99_ms = { max = 200 }
`)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, axes := range [][]Axis{s.Axes, s.OAT} {
		for _, a := range axes {
			var levels []string
			for _, l := range a.Levels {
				levels = append(levels, l.Name)
			}
			got = append(got, fmt.Sprintf("%s %q: %s", a.Name, a.Paths, strings.Join(levels, " | ")))
		}
	}
	want := []string{
		`hardware.weight_bandwidth_gb_s ["hardware.weight_bandwidth_gb_s"]: 3000 | 4000 | 5000 | 6000`,
		`engine.max_num_seqs ["engine.max_num_seqs"]: 1 | 4 | 16 | 64`,
		`pair ["workload.class.a.share" "workload.class.b.share"]: 0.25, 0.75 | 0.75, 0.25`,
		`context ["workload.class.a.prompt_tokens" "workload.rate_rps"]: short | long`,
		`hardware.state_bandwidth_gb_s ["hardware.state_bandwidth_gb_s"]: -20% | x1.5`,
		`group.memory ["hardware.overlap" "hardware.onchip_kv_mib"]: -10%`,
		`group.host ["engine.step_overhead_us" "engine.layer_overhead_us"]: x2`,
	}
	if !slices.Equal(got, want) {
		t.Errorf("axes\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if s.Name != "demo" || s.Description != "what for" || s.Replicates != 10 || s.Seed != 42 || s.MaxRuns != 5000 || s.OutputDir != "out/demo" {
		t.Errorf("settings: %+v", s)
	}
	if want := []string{"ttft_mean_ms", "ttft_max_ms", "tpot_p50_ms"}; !slices.Equal(s.Metrics, want) {
		t.Errorf("metrics %q, want %q", s.Metrics, want)
	}
	if v := s.Axes[0].Levels[0].Values[0].Value; v != 3000.0 {
		t.Errorf("3000 of a float path is %v (%T)", v, v)
	}
	if f := s.OAT[0].Levels[0].Values[0].Factor.String(); f != "4/5" {
		t.Errorf("-20%% is the factor %s", f)
	}
	if got := s.Axes[3].Levels[1].Values[0].At; got.Key != "workload.class.a.prompt_tokens" || got.Table != "cases.context" {
		t.Errorf("place of a case's value: %+v", got)
	}
}

func TestDefaults(t *testing.T) {
	s, err := parse(t, "schema = 1\n")
	if err != nil {
		t.Fatal(err)
	}
	if s.Name != "demo" || s.Replicates != 1 || s.Seed != 0 || s.MaxRuns != 100_000 || s.OutputDir != "results/demo" || s.Set != nil || len(s.Layers) != 1 {
		t.Errorf("%+v", s)
	}
}

func TestRanges(t *testing.T) {
	const head, path = "schema = 1\naxes.", "hardware.weight_bandwidth_gb_s"
	const whole = "engine.max_num_seqs"
	for _, c := range []struct{ path, levels, want string }{
		{path, "[0.1, 0.2]", "0.1 0.2"},
		{path, "{ from = 0.1, to = 0.3, step = 0.1 }", "0.1 0.2 0.3"},
		{path, "{ from = 3, to = 1, step = -1 }", "3 2 1"},
		{path, "{ from = 2, to = 2, step = 1 }", "2"},
		{path, "{ from = 1, to = 2, n = 3 }", "1 1.5 2"},
		{path, "{ from = 1, to = 64, n = 7, scale = \"log\" }", "1 2 4 8 16 32 64"},
		{path, "{ from = 1000, to = 1, n = 4, scale = \"log\" }", "1000 100 10 1"},
		{path, "[0, { from = 1, to = 100, factor = 10 }]", "0 1 10 100"},
		{path, "{ from = 0.3, to = 0.6, factor = 2 }", "0.3 0.6"},
		{path, "{ from = 100, to = 25, factor = 0.5 }", "100 50 25"},
		{path, "7", "7"},
		{whole, "{ from = 1, to = 10, n = 4, scale = \"log\" }", "1 2 5 10"},
		{whole, "{ from = 1, to = 3, n = 5 }", "1 2 3"},
		{whole, "{ from = 1, to = 9, step = 4 }", "1 5 9"},
	} {
		s, err := parse(t, head+c.path+" = "+c.levels)
		if err != nil {
			t.Errorf("%s: %v", c.levels, err)
			continue
		}
		var got []string
		for _, l := range s.Axes[0].Levels {
			got = append(got, l.Name)
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("%s = %s, want %s", c.levels, got, c.want)
		}
	}
}

func TestSet(t *testing.T) {
	s, err := parse(t, "schema = 1\n", "hardware.name=h200", " model.kv_dtype = 'fp8'", "workload.rate_rps=4", "workload.class.a.output_tokens={dist='gamma', mean=3, cv=1}", "hardware.memory_gib=-20%", "engine.prefix_caching=yes")
	if err != nil {
		t.Fatal(err)
	}
	if got := s.Set.Doc.Value("hardware.name"); got != "h200" {
		t.Errorf("hardware.name is %v", got)
	}
	if got := s.Set.Doc.Value("workload.rate_rps"); got != int64(4) {
		t.Errorf("workload.rate_rps is %v", got)
	}
	if a, b := s.Set.Doc.Value("hardware.memory_gib"), s.Set.Doc.Value("engine.prefix_caching"); a != "-20%" || b != "yes" {
		t.Errorf("words without quotes are %v and %v, no strings", a, b)
	}
	for set, want := range map[string]string{
		"x":                   "is not of the form PATH=VALUE",
		"=3":                  "is not of the form PATH=VALUE",
		"engine.tpp=3":        `did you mean "engine.tp"?`,
		"engine.tp=[":         "--set:1",
		"engine.tp=4":         "is varied by the design",
		"engine.tp=4\n[axes]": "is not of the form",
		"slo.nope.max=4":      "no metric",
		"search.tol=5%":       "--set gives keys of the scenario only",
	} {
		if _, err := parse(t, "schema = 1\naxes.engine.tp = [1]\n", set); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("--set %q: %v, want %s", set, err, want)
		}
	}
}

func TestLoad(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		file := filepath.Join(dir, name)
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return file
	}
	write("over.toml", "[hardware]\ncompute_util = 0.5\n[calibration]\napplies_to = { hardware = [\"h100-sxm\"] }\n")
	s, err := Load(write("s.toml", "schema = 1\nbase = [\"over.toml\"]\n"), nil)
	if err != nil {
		t.Fatal(err)
	}
	if len(s.Layers) != 2 || s.Layers[0].AppliesTo == nil || s.Layers[1].Doc != s.Doc {
		t.Errorf("layers: %+v", s.Layers)
	}
	write("bad.toml", "[axes]\nx = 1\n")
	for file, want := range map[string]string{
		filepath.Join(dir, "none.toml"): "cannot read the study: no such file",
		dir:                             "not a file",
		write("b.toml", "schema = 1\nbase = [\"bad.toml\"]\n"):        "an overlay has no",
		write("c.toml", "schema = 1\nbase = [\"missing.toml\"]\n"):    "no such file",
		write("Bad Name.toml", "schema = 1\n"):                        `add name = "..."`,
		write("long.toml", "schema = 1\n"+strings.Repeat("#", 5<<20)): "larger than 4 MiB",
	} {
		if _, err := Load(file, nil); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", file, err, want)
		}
	}
}

// FuzzStudy holds that no text crashes the decoder or makes it list more
// levels than allowed, and that errors print.
func FuzzStudy(f *testing.F) {
	for _, s := range []string{
		"schema = 1\n[axes]\nengine.tp = [1, 2]\n",
		"schema = 1\naxes.hardware.overlap = { from = 0.1, to = 0.3, step = 0.1 }\n",
		"schema = 1\naxes.engine.tp = { from = 1, to = 64, n = 7, scale = \"log\" }\n",
		"schema = 1\naxes.engine.tp = { from = 1, to = 64, factor = 2 }\n",
		"schema = 1\n[zip.a]\nengine.tp = [1, 2]\nengine.ep = [1, 2]\n",
		"schema = 1\n[[cases.a]]\nname = \"x\"\nworkload.class.c.prompt_tokens = { dist = \"gamma\", mean = 3, cv = 1 }\n",
		"schema = 1\n[oat]\nengine.tp = [\"x2\", \"-50%\"]\ngroup.g = { paths = [\"engine.tp\"], by = [\"+1%\"] }\n",
		"schema = 1\nbase = [\"a\"]\n[output]\nmetrics = [\"*\"]\n[slo]\ntpot_mean_ms = { max = 3 }\n",
		"schema = 1\n[[where]]\nkeep = \"tp > 1\"\n[[objective]]\nmetric = \"tpot_mean_ms\"\n[accuracy]\ntable = \"x\"\n",
		"schema = 1\n[report]\nkeep = \"a > 1\"\n[[report.published]]\nmetric = \"m\"\nvalue = 1\n[[report.plot]]\nname = \"p\"\nx = \"a\"\ny = \"b\"\nhline = [{ y = 1 }]\n",
		"schema = 1\n[sample]\nmethod = \"lhs\"\nn = 4\nseed = 1\ndummy = true\n[sample.space]\nengine.tp = { min = 1, max = 8, scale = \"log\" }\nhardware.overlap = { min = 0.1, max = 0.3, step = 0.1 }\nengine.scheduler = [\"sjf\", \"static\"]\n",
		"schema = 1\n[sample]\nmethod = \"morris\"\nn = 2\n[sample.space]\nhardware.overlap = { dist = \"normal\", mean = 0.5, cv = 0.1, min = 0 }\nengine.tp = { dist = \"triangular\", min = 1, mode = 2, max = 8 }\nhardware.link_bandwidth_gb_s = { min = \"-20%\", max = \"x2\" }\n",
		"schema = 1\n[sample]\nmethod = \"saltelli\"\nn = 2\n[sample.space]\nhardware.overlap = { dist = \"lognormal\", mean = 0.1, sd = 1e-300 }\n", "sample.space = 1", "sample = { method = 1 }",
		"schema = 1\n[axes]\n\"\\\"", "oat.group = 1", "cases.a = [1]", "axes = [{}]", "axes.engine.tp = { from = 1, to = 1e300, step = 1e-300 }",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		s, err := decode("f.toml", []byte(text), nil, func(string) ([]byte, error) { return []byte("[engine]\ntp = 2\n"), nil })
		if err != nil {
			_ = err.Error()
			return
		}
		if s.Sample != nil {
			for _, i := range []int{0, s.Sample.Rows() - 1} {
				row, err := s.Sample.Row(i)
				if err == nil && len(row.Values) != len(s.Sample.Dims) {
					t.Errorf("row %d gives %d of %d parameters", i, len(row.Values), len(s.Sample.Dims))
				}
			}
			_ = s.Sample.Text()
		}
		n := 0
		for _, a := range append(s.Axes, s.OAT...) {
			for _, l := range a.Levels {
				n += len(l.Values)
			}
		}
		if n > 2*maxLevels {
			t.Errorf("%d values", n)
		}
	})
}
