package spec

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"scoville/calibrate/fit"
	"scoville/calibrate/measured"
	"scoville/core/scenario"
)

const fullSpec = `schema = 1
name = "h100"
[data]
format = "tidy"
[data.columns]
"workload.prompt_tokens" = "in"
"ttft_p50_ms" = "first"
[data.fixed]
"hardware.name" = "h100-sxm"
engine.tp = 4
[data.filter]
keep = "in >= 100"

[params.compute_util]
path = "hardware.compute_util"
init = 0.5
min = 0.05
[params]
step = { path = "engine.step_overhead_us", init = 400, min = 1, max = 20_000, scale = "log", prior = 450, prior_sd = 0.5 }
held = { path = "hardware.link_util", value = 0.4 }

[[target]]
metric = "ttft_p50_ms"
residual = "relative"
weight = 2
[[target]]
metric = "tpot_mean_ms"

[loss]
kind = "soft_l1"
scale = 2.0
[holdout]
where = "workload.prompt_tokens >= 8192"
max_error_ratio = 0.15
`

// Files are named from the folder of the specification on.
func TestSpecFiles(t *testing.T) {
	s, err := parse(filepath.Join("a", "fit.toml"), []byte("schema = 1\n[data]\nfiles = [\"../m.csv\", \"/x/*.json\"]\n"))
	if err != nil || !slices.Equal(s.Files, []string{"m.csv", "/x/*.json"}) {
		t.Errorf("%v %v", s, err)
	}
	if s, err := parse("fit.toml", []byte("schema = 1\napplies_to = { engine_version = [\"vllm 0.12\"] }\n")); err != nil || !slices.Equal(s.Versions, []string{"vllm 0.12"}) {
		t.Errorf("%v %v", s, err)
	}
	if _, err := parse("fit.toml", []byte("schema = 1\n[applies_to]\nmodel = [\"x\"]\n")); err == nil || !strings.Contains(err.Error(), "applies_to.model") {
		t.Errorf("a key of applies_to: %v", err)
	}
	for _, bad := range []string{`"m.csv"`, `[]`, `[1]`, `[""]`} {
		if _, err := parse("fit.toml", []byte("schema = 1\n[data]\nfiles = "+bad+"\n")); err == nil || !strings.Contains(err.Error(), "fit.toml:3:1: data.files") {
			t.Errorf("files = %s: %v", bad, err)
		}
	}
}

func TestSpec(t *testing.T) {
	s, err := parse("fit.toml", []byte(fullSpec))
	if err != nil {
		t.Fatal(err)
	}
	if s.Format != "tidy" || s.Columns[measured.PromptPath] != "in" || s.Columns["ttft_p50_ms"] != "first" || s.Keep == nil {
		t.Errorf("data: %+v", s)
	}
	if len(s.Fixed) != 2 || s.Fixed[1] != (scenario.Assignment{Path: "engine.tp", Value: 4}) {
		t.Errorf("fixed: %v", s.Fixed)
	}
	if len(s.Params) != 3 {
		t.Fatalf("params: %+v", s.Params)
	}
	if p := s.Params[0]; p.Path != "hardware.compute_util" || p.Init != 0.5 || p.Min != 0.05 || p.Max != 1 || p.Log || p.Unit != "ratio" {
		t.Errorf("%+v", p)
	}
	if p := s.Params[1]; p.Name != "step" || !p.Log || p.Max != 20_000 || p.Prior != (fit.Prior{Center: 450, SD: 0.5}) {
		t.Errorf("%+v", p)
	}
	if p := s.Params[2]; !p.Fixed || p.Init != 0.4 {
		t.Errorf("%+v", p)
	}
	if len(s.Targets) != 2 || s.Targets[0].Weight != 2 || s.Targets[0].Sigma != 0.1 || s.Targets[0].Residual != "relative" || s.Targets[1].Sigma != 0.05 {
		t.Errorf("targets: %+v", s.Targets)
	}
	if s.Loss != (fit.Loss{Kind: "soft_l1", Scale: 2}) || s.Holdout == nil || s.MaxError != 0.15 {
		t.Errorf("%+v", s)
	}
	if s, err := parse("fit.toml", []byte("schema = 1\n[loss]\nscale = 3\n")); err != nil || s.Loss != (fit.Loss{Kind: "huber", Scale: 3}) || s.Params != nil {
		t.Errorf("%+v, %v", s, err)
	}
}

func TestBadSpecs(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"", "fit.toml: schema: the schema of a specification is 1"},
		{"schema = 2\n", "fit.toml:1:1: schema"},
		{"schema = 1\n[parms.a]\nx = 1\n", `fit.toml:3:1: parms.a.x: no key "parms"`},
		{"schema = 1\n[data]\nformt = \"tidy\"\n", `fit.toml:3:1: data.formt: no key "formt"`},
		{"schema = 1\n[data]\nformt = \"tidy\"\n", `did you mean "format"?`},
		{"schema = 1\n[data]\nformat = \"house\"\n", `"house" is not known here`},
		{"schema = 1\n[data.columns]\n\"engine.tpp\" = \"x\"\n", `fit.toml:3:1: data.columns.engine.tpp: no parameter "engine.tpp"`},
		{"schema = 1\n[data.columns]\n\"engine.tp\" = 4\n", "4 is not a text"},
		{"schema = 1\n[data.fixed]\n\"engine.tpp\" = 4\n", `did you mean "engine.tp"?`},
		{"schema = 1\n[data.fixed]\n\"engine.tp\" = 0\n", "fit.toml:3:1: engine.tp: 0 is not in"},
		{"schema = 1\n[data.filter]\nkeep = \"tp ==\"\n", "fit.toml: data.filter.keep:1:5: the expression ends here"},
		{"schema = 1\nparams = 3\n", "fit.toml:2:1: params: params is a table"},
		{"schema = 1\n[params.a]\ninit = 1\n", `parameter a has no path`},
		{"schema = 1\n[params.a]\npath = \"hardware.compute_utl\"\n", `did you mean "hardware.compute_util"?`},
		{"schema = 1\n[params.a]\npath = \"engine.tp\"\ninit = 2\n", "engine.tp is a int"},
		{"schema = 1\n[params.a]\npath = \"hardware.compute_util\"\n", "parameter a has no init"},
		{"schema = 1\n[params.a]\npath = \"hardware.compute_util\"\ninit = 2\n", "init 2 is not strictly between min 0 and max 1"},
		{"schema = 1\n[params.a]\npath = \"hardware.compute_util\"\nvalue = 2\n", "2 is not in (0,1]"},
		{"schema = 1\n[params.a]\npath = \"hardware.compute_util\"\ninit = 0.5\nscale = \"log\"\n", "a log scale needs min above 0"},
		{"schema = 1\n[params.a]\npath = \"hardware.compute_util\"\ninit = 0.5\nprior = 0.4\n", "a prior needs both"},
		{"schema = 1\n[params.a]\npath = \"hardware.compute_util\"\nexpr = \"2 * b\"\n", `no parameter "b"`},
		{"schema = 1\n[params.a]\npath = \"hardware.compute_util\"\nexpr = \"2 *\"\n", "params.a.expr: "},
		{"schema = 1\n[params.a]\npath = \"hardware.compute_util\"\nexpr = \"b\"\n[params.b]\npath = \"hardware.kv_bandwidth_util\"\nexpr = \"a\"\n", "b is tied itself"},
		{"schema = 1\n[params.a]\npath = \"hardware.compute_util\"\nexpr = \"2 * b\"\n[params.b]\npath = \"hardware.kv_bandwidth_util\"\nvalue = 0.8\n", "at the starting values it is 1.6, which hardware.compute_util does not allow"},
		{"schema = 1\n[params.a]\npath = \"hardware.compute_util\"\ninit = 0.5\nper = \"row\"\n", "one of model, chip"},
		{"schema = 1\n[params.a]\npath = \"hardware.compute_util\"\ninit = 0.5\npool = 1\n", "1 is not in [0,1)"},
		{"schema = 1\n[holdout]\nfolds = 1\n", "1 is not a whole number from 2"},
		{"schema = 1\n[holdout]\nby = \"modle\"\n", "no key \"modle\" to hold out by"},
		{"schema = 1\n[params.a]\npath = \"hardware.compute_util\"\ninit = nan\n", "fit.toml:4:1"},
		{"schema = 1\n[params.a]\npath = \"hardware.compute_util\"\ninit = \"x\"\n", "x is not a number"},
		{"schema = 1\n[params.a]\npath = \"hardware.compute_util\"\nstart = 1\n", `no key "start"`},
		{"schema = 1\n[target]\nmetric = \"x\"\n", "write each as a table [[target]]"},
		{"schema = 1\n[[target]]\nmetric = \"ttft_mean\"\n", `fit.toml:3:1: target.metric: no measured metric "ttft_mean"`},
		{"schema = 1\n[[target]]\nmetric = \"output_tok_s\"\n", "a latency such as"},
		{"schema = 1\n[[target]]\nweight = 1\n", "a target needs a metric"},
		{"schema = 1\n[[target]]\nmetric = \"ttft_mean_ms\"\nresidual = \"absolute\"\n", "needs a sigma"},
		{"schema = 1\n[[target]]\nmetric = \"ttft_mean_ms\"\nweight = -1\n", "-1 is not above 0"},
		{"schema = 1\n[[target]]\nmetrik = \"ttft_mean_ms\"\n", `no key "metrik"`},
		{"schema = 1\n[loss]\nkind = \"tukey\"\n", "one of linear, soft_l1, huber, cauchy"},
		{"schema = 1\n[loss]\nwidth = 1\n", `no key "width"`},
		{"schema = 1\n[holdout]\nparts = 5\n", `no key "parts"`},
		{"schema = 1\n[holdout]\nwhere = 5\n", "5 is not a text"},
		{"schema = 1\n[", "fit.toml:2"},
	} {
		_, err := parse("fit.toml", []byte(c.text))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: want an error with %q, got\n%v", c.text, c.want, err)
		}
	}
	if _, err := Read(filepath.Join(t.TempDir(), "none.toml")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a file that is not there: %v", err)
	}
}

// No specification crashes the reader, and its errors point.
func FuzzSpec(f *testing.F) {
	f.Add(fullSpec)
	f.Add("schema = 1\ndata = 3\nparams.a = 1\ntarget = [1, 2]\nloss = []\nholdout = \"x\"\n")
	f.Add("schema = 1\n[data]\nfilter = 1\ncolumns = { a = { b = 1 } }\nfixed = []\n")
	f.Add("schema = 1\n[[params]]\npath = 1\n[[data]]\n[[loss]]\n[[holdout]]\n")
	f.Fuzz(func(t *testing.T, text string) {
		s, err := parse("fit.toml", []byte(text))
		if err != nil {
			if _, ok := errors.AsType[*scenario.Error](err); !ok {
				t.Errorf("the error does not point: %v", err)
			}
			_ = err.Error()
			return
		}
		for _, p := range s.Params {
			if err := p.Check(); err != nil {
				t.Error(err)
			}
		}
	})
}

// The short form of [holdout] means what the table means, and replaces it.
func TestSetHoldout(t *testing.T) {
	for _, c := range []struct{ short, table string }{
		{"fraction=0.2", "fraction = 0.2"},
		{" fraction = 0.3 , seed=7,seeds=2 ", "fraction = 0.3\nseed = 7\nseeds = 2"},
		{"folds=4,seed=3", "folds = 4\nseed = 3"},
		{"by=concurrency", `by = "workload.concurrency"`},
		{`by="model"`, `by = "model"`},
		{"by=engine.tp,max_error_ratio=0.1", "by = \"tp\"\nmax_error_ratio = 0.1"},
	} {
		want, err := parse("fit.toml", []byte("schema = 1\n[holdout]\n"+c.table+"\n"))
		if err != nil {
			t.Fatal(err)
		}
		got, err := parse("fit.toml", []byte("schema = 1\n[holdout]\nwhere = \"tp > 1\"\n"))
		if err != nil {
			t.Fatal(err)
		}
		if err := got.SetHoldout(c.short); err != nil || got.Holdout != nil || got.Random != want.Random || got.Folds != want.Folds || got.By != want.By || got.MaxError != want.MaxError {
			t.Errorf("%s: %v\n%+v\n%+v", c.short, err, got, want)
		}
	}
	s := &Spec{Folds: 3, MaxError: 0.2}
	if err := s.SetHoldout("workload.prompt_tokens >= 8192"); err != nil || s.Holdout == nil || s.Folds != 0 || s.MaxError != 0.2 {
		t.Errorf("a filter: %v %+v", err, s)
	}
	if err := s.SetHoldout(""); err != nil || s.Holdout == nil {
		t.Errorf("nothing said changes nothing: %v", err)
	}
	for text, want := range map[string]string{
		"by=modle":                "no key \"modle\" to hold out by",
		"fraction=2":              "--holdout: fraction: 2 is not between 0 and 1",
		"fraction=x":              "a value is a number",
		"fraction=0.2,by=model":   "ways to hold out",
		"fraction=0.2,concurreny": `"concurreny" is none of`,
		"frac=0.2":                `no key "frac" to set`,
		"seed=3":                  "a seed needs a fraction",
		"isl >=":                  "--holdout:1:",
	} {
		if err := (&Spec{}).SetHoldout(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: want %q, got %v", text, want, err)
		}
	}
}
