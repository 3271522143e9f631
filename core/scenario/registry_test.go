package scenario

import (
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"scoville/core/hardware"
	"scoville/core/workload"
)

// TestTags fails when a tag of any scenario struct is malformed, a number has
// no unit or range, or a key has no help.
func TestTags(t *testing.T) {
	if _, err := build(); err != nil {
		t.Fatal(err)
	}
	for _, f := range Fields() {
		if f.Help == "" {
			t.Errorf("%s has no help", f.Path)
		}
		if got, ok := Lookup(f.Path); !ok || got.Path != f.Path {
			t.Errorf("Lookup(%s) = %v, %v", f.Path, got, ok)
		}
	}
}

func TestFields(t *testing.T) {
	var paths []string
	for _, f := range Fields() {
		paths = append(paths, f.Path)
	}
	for _, p := range []string{
		"model.name", "hardware.peak_tflops.fp8", "hardware.memory_gib", "engine.tp", "workload.rate_rps", "workload.class.NAME.share",
		"workload.class.NAME.prompt_tokens", "workload.class.NAME.prompt_tokens.cv", "workload.class.NAME.output_tokens.values", "measurement.clock",
	} {
		i := slices.Index(paths, p)
		if i < 0 {
			t.Fatalf("%s is missing or out of order in %v", p, paths)
		}
		paths = paths[i:]
	}
	for _, p := range []string{"workload.class.NAME.name", "workload.class", "hardware", "slo", "", "slo.x", "slo..max", "slo.x.mean", "workload.class.short", "workload.class..share"} {
		if f, ok := Lookup(p); ok {
			t.Errorf("%q must not be a key: %+v", p, f)
		}
	}
	f, ok := Lookup("workload.class.short.prompt_tokens")
	if !ok || f.Path != "workload.class.short.prompt_tokens" || f.Kind != Float || f.Unit != "tokens" || f.Lo != 1 {
		t.Errorf("class key: %+v, %v", f, ok)
	}
	if f, ok := Lookup("slo.ttft_p99_ms.max"); !ok || f.Kind != Float {
		t.Errorf("service level: %+v, %v", f, ok)
	}
	d := Default()
	if d.Hardware.WorkspaceGiB != 3 || d.Engine.TP != 1 || !d.Engine.ChunkedPre || d.Workload.Requests != 1000 || d.Measurement.LengthRange != 1 {
		t.Errorf("defaults: %+v", d)
	}
}

func TestNearest(t *testing.T) {
	for in, want := range map[string]string{
		"hardware.wieght_bandwidth_gb_s":     "hardware.weight_bandwidth_gb_s",
		"hardware.tp":                        "engine.tp",
		"tp":                                 "engine.tp",
		"max_num_sequences":                  "engine.max_num_seqs",
		"hardwre.memory_gib":                 "hardware.memory_gib",
		"hardware.peak_tflops.fp9":           "hardware.peak_tflops.fp8",
		"workload.class.short.shrae":         "workload.class.short.share",
		"workload.class.s.prompt_tokns":      "workload.class.s.prompt_tokens",
		"workload.class.s.prompt_tokens.men": "workload.class.s.prompt_tokens.mean",
		"hardware.foo":                       "",
		"unlike_anything_here":               "",
		"":                                   "",
	} {
		if got := Nearest(in); got != want && !(in == "hardware.peak_tflops.fp9" && strings.HasPrefix(got, "hardware.peak_tflops.fp")) {
			t.Errorf("%s: got %q, want %q", in, got, want)
		}
	}
}

// full is a scenario in which every key has a value other than zero.
func full(t testing.TB) *Scenario {
	t.Helper()
	s := Default()
	for _, name := range []string{"NAME", "b"} {
		c := study().class
		c.Name = name
		s.Workload.Class = append(s.Workload.Class, c)
	}
	s.Derate = []hardware.Derate{study().derate}
	for _, f := range Fields() {
		var v any
		switch f.Kind {
		case Float, Int:
			v = min(f.Hi, max(f.Lo, 1))
			if f.HiOpen {
				v = (f.Lo + f.Hi) / 2
			}
			if f.Kind == Int {
				v = int(v.(float64))
			}
		case Bool:
			v = true
		case Floats:
			v = []float64{1, 2}
		case DType:
			v = "fp8"
		default:
			if v = "text"; f.Enum != nil {
				v = f.Enum[0]
			}
		}
		for _, path := range []string{f.Path, strings.Replace(f.Path, ".NAME.", ".b.", 1)} {
			if err := s.Set(path, v); err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, p := range []string{"slo.a.max", "slo.b.min"} {
		if err := s.Set(p, 1); err != nil {
			t.Fatal(err)
		}
	}
	return &s
}

func TestSetGetIdentity(t *testing.T) {
	zero := Default()
	zero.Workload.Class = []workload.Class{study().class}
	zero.Workload.Class[0].Name = "NAME"
	zero.Derate = []hardware.Derate{study().derate}
	for _, s := range []*Scenario{full(t), &zero} {
		for _, f := range Fields() {
			v, err := s.Get(f.Path)
			if err != nil {
				t.Fatal(err)
			}
			if !f.HasDefault && (v == 0 || v == 0.0) {
				continue // not given
			}
			other := *s
			if err := other.Set(f.Path, v); err != nil {
				t.Errorf("%s = %v: %v", f.Path, v, err)
			} else if got, _ := other.Get(f.Path); !reflect.DeepEqual(got, v) {
				t.Errorf("%s: set %v, got %v", f.Path, v, got)
			}
		}
	}
	s := full(t)
	for _, p := range []string{"slo.a.max", "slo.b.min"} {
		if v, err := s.Get(p); err != nil || v != 1.0 {
			t.Errorf("%s: %v, %v", p, v, err)
		}
	}
	if _, err := s.Get("slo.a.min"); err == nil {
		t.Error("a service level that is not set has a value")
	}
}

func TestSetCopies(t *testing.T) {
	a := full(t)
	b := *a
	for path, v := range map[string]any{"workload.class.b.share": 7, "workload.class.b.prompt_tokens": 9, "workload.class.b.output_tokens.values": []any{5}, "slo.a.max": 3, "slo.c.max": 4} {
		if err := b.Set(path, v); err != nil {
			t.Fatal(err)
		}
	}
	if c := a.Workload.Class[1]; c.Share != 1 || c.Prompt.Mean != 1 || c.Output.Values[0] != 1 || len(a.SLO) != 2 || a.SLO[0].Max != 1 {
		t.Errorf("the other scenario changed: %+v %+v", c, a.SLO)
	}
	if c := b.Workload.Class[1]; c.Share != 7 || c.Prompt.Mean != 9 || c.Output.Values[0] != 5 || len(b.SLO) != 3 || b.SLO[0].Max != 3 || !math.IsNaN(b.SLO[2].Min) {
		t.Errorf("not set: %+v %+v", c, b.SLO)
	}
}

func TestDist(t *testing.T) {
	s := full(t)
	const path = "workload.class.b.prompt_tokens"
	for _, c := range []struct{ v, want any }{
		{128, 128.0},
		{map[string]any{"mean": int64(7)}, 7.0},
		{map[string]any{"dist": "lognormal", "mean": 256.0, "cv": 0.8, "max": int64(2048)}, map[string]any{"dist": "lognormal", "mean": 256.0, "cv": 0.8, "max": 2048.0}},
		{map[string]any{"dist": "empirical", "values": []any{int64(1), int64(2)}}, map[string]any{"dist": "empirical", "values": []float64{1, 2}}},
		{workload.Dist{Kind: "uniform", Min: 3, Max: 4}, map[string]any{"dist": "uniform", "min": 3.0, "max": 4.0}},
		{0.5, path + `: 0.5 is not in [1,100000000] (tokens); value of fixed; mean of lognormal and gamma before clamping, in tokens`},
		{"128", path + `: "128" is a string where a number belongs; write 128 without quotes`},
		{map[string]any{"mean": 1, "cv": 0.8}, path + `: cv needs dist; add dist, one of fixed, uniform, lognormal, gamma, empirical`},
		{map[string]any{"dist": "normal"}, path + `.dist: "normal" is not one of fixed, uniform, lognormal, gamma, empirical; distribution of lengths`},
		{map[string]any{"dist": "gamma", "men": 3}, path + `.men: no parameter "` + path + `.men"; did you mean "` + path + `.mean"?`},
		{map[string]any{"dist": "gamma", "mean": "3"}, path + `.mean: "3" is a string where a number belongs; write 3 without quotes`},
	} {
		if err := s.Set(path, c.v); err != nil {
			if err.Error() != c.want {
				t.Errorf("%v:\ngot  %v\nwant %v", c.v, err, c.want)
			}
		} else if got, _ := s.Get(path); !reflect.DeepEqual(got, c.want) {
			t.Errorf("%v: got %v, want %v", c.v, got, c.want)
		}
	}
}

func TestSetErrors(t *testing.T) {
	s := full(t)
	for _, c := range []struct {
		path string
		v    any
		want string
	}{
		{"hardware.wieght_bandwidth_gb_s", 1, `hardware.wieght_bandwidth_gb_s: no parameter "hardware.wieght_bandwidth_gb_s"; did you mean "hardware.weight_bandwidth_gb_s"?`},
		{"hardware", 1, `hardware: "hardware" is a table of parameters, not one parameter`},
		{"slo.ttft", 1, `slo.ttft: no parameter "slo.ttft"; write METRIC = { max = X } or METRIC = { min = X }`},
		{"slo.ttft.max", "1", `slo.ttft.max: "1" is a string where a number belongs; write 1 without quotes`},
		{"slo.ttft.max", math.Inf(1), "slo.ttft.max: +Inf is not a finite number; service level: limit of ttft, in unit of ttft"},
		{"workload.class.bb.share", 1, `workload.class.bb.share: no class is named "bb"; did you mean "b"?`},
		{"workload.class.other.share", 1, `workload.class.other.share: no class is named "other"; the classes are NAME, b`},
		{"engine.tp", 0, "engine.tp: 0 is not in [1,1024] (chips); tensor-parallel chips, in chips"},
	} {
		before := s.Canonical()
		err := s.Set(c.path, c.v)
		if err == nil || err.Error() != c.want {
			t.Errorf("got  %v\nwant %s", err, c.want)
		}
		if string(s.Canonical()) != string(before) {
			t.Errorf("%s: an error changed the scenario", c.path)
		}
	}
	if _, err := s.Get("engine.tpp"); err == nil || !strings.Contains(err.Error(), `"engine.tp"`) {
		t.Errorf("Get: %v", err)
	}
	if v, err := Convert("engine.step_overhead_us", 400); v != 400.0 || err != nil {
		t.Errorf("Convert: %v, %v", v, err)
	}
	if _, err := Convert("engine.tp", 1.0); err == nil {
		t.Error("Convert takes a float for an integer")
	}
}

func TestCanonical(t *testing.T) {
	s := full(t)
	base := string(s.Canonical())
	copied := *s
	if string(copied.Canonical()) != base {
		t.Error("equal scenarios differ")
	}
	for _, f := range Fields() {
		if f.Path == "workload.class.NAME.prompt_tokens" || f.Path == "workload.class.NAME.output_tokens" {
			continue // seen through their keys
		}
		var v any
		switch f.Kind {
		case Float:
			v = 0.875*f.Lo + 0.125*f.Hi
		case Int:
			v = int(f.Lo) + 2
		case Bool:
			v = false
		case Floats:
			v = []float64{12}
		case DType:
			v = "int4"
		default:
			if v = "other"; f.Enum != nil {
				v = f.Enum[len(f.Enum)-1]
			}
		}
		other := *s
		if err := other.Set(f.Path, v); err != nil {
			t.Fatal(err)
		}
		same := slices.Contains(notIdentity, f.Path) || len(f.Enum) == 1
		if (string(other.Canonical()) == base) != same {
			t.Errorf("%s = %v: canonical text equal = %v", f.Path, v, !same)
		}
	}
	s.SLO[0], s.SLO[1] = s.SLO[1], s.SLO[0]
	if string(s.Canonical()) != base {
		t.Error("the order of service levels matters")
	}
	s.Workload.Records = []workload.Record{{Arrival: 1, Prompt: 2, Output: 3}}
	one := string(s.Canonical())
	s.Workload.Records = []workload.Record{{Arrival: 1, Prompt: 2, Output: 4}}
	if two := string(s.Canonical()); one == base || one == two {
		t.Error("trace records do not count")
	}
	s.Workload.Records[0].Prefix = []int32{7, 8}
	one = string(s.Canonical())
	s.Workload.Records[0].Prefix = []int32{7, 9}
	if string(s.Canonical()) == one {
		t.Error("the prefix blocks of trace records do not count")
	}
}
