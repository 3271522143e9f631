package hardware

import (
	"errors"
	"maps"
	"math"
	"strings"
	"testing"

	"scoville/core/unit"
)

func TestRead(t *testing.T) {
	e, err := Read("chip.toml", []byte(`
memory_bandwidth_gb_s = 400
"peak_tflops.int8" = 50.5
adapter_latency_us = 0
kv_path = "shared"
[peak_tflops]
bf16 = 25
[sources]
memory_bandwidth_gb_s = "published: data sheet: page 3"
kv_path = "assumed: as every chip"
adapter_latency_us = "derived: none"
peak_tflops = "derived: 2 x clock"
"peak_tflops.bf16" = "calibrated: run 7"
`))
	if err != nil {
		t.Fatal(err)
	}
	want := Hardware{MemoryBandwidthGBs: 400, KVPath: Shared, Peak: Peaks{INT8: 50.5, BF16: 25}}
	if e.Hardware != want {
		t.Errorf("got %+v", e.Hardware)
	}
	sources := map[string]Source{
		"memory_bandwidth_gb_s": {Published, "data sheet: page 3"},
		"kv_path":               {Assumed, "as every chip"},
		"adapter_latency_us":    {Derived, "none"},
		"peak_tflops.int8":      {Derived, "2 x clock"},
		"peak_tflops.bf16":      {Calibrated, "run 7"},
	}
	if !maps.Equal(e.Sources, sources) {
		t.Errorf("sources = %v", e.Sources)
	}
}

func TestReadErrors(t *testing.T) {
	const src = "\n[sources]\nmemory_gib = 'published: x'"
	for _, c := range []struct{ text, key, msg, hint string }{
		{"memory_gib = 80", "memory_gib", "has no source", "[sources]"},
		{"memory_gib = 80\n[sources]\nmemory_gib = 'data sheet'", "memory_gib", `"grade: where"`, ""},
		{"memory_gib = 80\n[sources]\nmemory_gib = 'guessed: x'", "memory_gib", `"grade: where"`, ""},
		{"memory_gib = 80\n[sources]\nmemory_gib = 'published: '", "memory_gib", `"grade: where"`, ""},
		{"memory_gib = 80\n[sources]\nmemory_gib = 3", "memory_gib", `"grade: where"`, ""},
		{"name = 'x'" + src, "sources.memory_gib", "source of nothing", ""},
		{"memry_gib = 80", "memry_gib", "no such key", "memory_gib"},
		{"memory_gib.x = 80", "memory_gib.x", "no such key", "memory_gib"},
		{"[hardware]\nmemory_gib = 80", "hardware.memory_gib", "no such key", "without [hardware]: memory_gib = ..."},
		{"peak_tflops = 3", "peak_tflops", "no such key", "peak_tflops.bf16"},
		{"memory_gib = '80'" + src, "memory_gib", "is a string where a number belongs", "without quotes"},
		{"memory_gib = true" + src, "memory_gib", "not a number", ""},
		{"memory_gib = [80]" + src, "memory_gib", "not a number", ""},
		{"memory_gib = 2020-01-01" + src, "memory_gib", "not a number", ""},
		{"memory_gib = nan" + src, "memory_gib", "not a finite number", ""},
		{"memory_gib = inf" + src, "memory_gib", "not a finite number", ""},
		{"memory_gib = -1" + src, "memory_gib", "-1 is not in [0,1e9] (GiB)", ""},
		{"compute_util = 0", "compute_util", "0 is not in (0,1] (ratio)", ""},
		{"kv_path = 'both'", "kv_path", "not one of shared, separate", ""},
		{"kv_path = 3", "kv_path", "not a string", ""},
		{"aliases = 'x'", "aliases", "array of names", ""},
		{"aliases = ['x', 3]", "aliases", "array of names", ""},
		{"'peak_tflops.fp8' = 1\n[peak_tflops]\nfp8 = 2", "peak_tflops.fp8", "set twice", ""},
		{"memory_gib = \n", "memory_gib", "line 1: ", ""},
		{"memory_gib = 1\nmemory_gib = 2", "memory_gib", "line 2: ", ""},
		{"a = \"\xff\"", "", "", ""},
		{strings.Repeat("#", maxFile+1), "", "more than a hardware file can have", ""},
		{"a = " + strings.Repeat("[", maxFile-8), "", "", ""},
	} {
		_, err := Read("chip.toml", []byte(c.text))
		fe, ok := errors.AsType[*FileError](err)
		if !ok {
			t.Errorf("%.60q: %v is not a *FileError", c.text, err)
			continue
		}
		if fe.File != "chip.toml" || (c.key != "" && fe.Key != c.key) || !strings.Contains(fe.Msg, c.msg) || !strings.Contains(fe.Hint, c.hint) {
			t.Errorf("%.60q: %#v", c.text, fe)
		}
		if len(err.Error()) > 500 {
			t.Errorf("%.60q: %d bytes of error", c.text, len(err.Error()))
		}
	}
}

func FuzzRead(f *testing.F) {
	for _, name := range Names() {
		data, err := files.ReadFile("catalog/" + name + ".toml")
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(data))
	}
	f.Add("memory_gib = 1e309\n[sources]\nmemory_gib = \"published: x\"")
	f.Add("sources = 3\naliases = [[]]\npeak_tflops = []")
	f.Fuzz(func(t *testing.T, text string) {
		e, err := Read("fuzz.toml", []byte(text))
		if err != nil {
			if _, ok := errors.AsType[*FileError](err); !ok || strings.TrimSpace(err.Error()) == "" {
				t.Fatalf("%T %v", err, err)
			}
			return
		}
		for _, d := range unit.DTypes {
			if p := e.Hardware.Peak.Of(d); p < 0 || math.IsNaN(p) || math.IsInf(p, 0) {
				t.Fatalf("peak %v", p)
			}
		}
	})
}

func TestPeaksOf(t *testing.T) {
	p := Peaks{INT4: 1, FP4: 2, INT8: 3, FP8: 4, FP16: 5, BF16: 6, FP32: 7}
	for i, d := range []unit.DType{unit.INT4, unit.FP4, unit.INT8, unit.FP8, unit.FP16, unit.BF16, unit.FP32} {
		if got := p.Of(d); got != float64(i+1) {
			t.Errorf("%s: %v", d, got)
		}
	}
	half := Peaks{FP16: 9, INT8: 18}
	if half.Of(unit.BF16) != 9 || (Peaks{BF16: 8}).Of(unit.FP16) != 8 {
		t.Error("fp16 and bf16 do not stand in for each other")
	}
	for _, d := range []unit.DType{unit.FP8, unit.FP4, unit.FP32, "", "fp7"} {
		if got := half.Of(d); got != 0 {
			t.Errorf("%q: %v, want 0", d, got)
		}
	}
}
