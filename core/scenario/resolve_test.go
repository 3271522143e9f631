package scenario

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"scoville/core/hardware"
	"scoville/core/model"
)

// plain is a complete study; tests add to it.
const plain = `[model]
name = "llama-2-7b"
[hardware]
name = "h100-sxm"
[workload]
rate_rps = 1
[[workload.class]]
name = "short"
prompt_tokens = 128
output_tokens = { dist = "lognormal", mean = 256, cv = 0.8, max = 2048 }
`

func doc(t testing.TB, file, text string) *Document {
	t.Helper()
	d, err := ParseTOML(file, []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func overlay(t testing.TB, text string) Layer {
	t.Helper()
	l, err := OverlayLayer(doc(t, "overlay.toml", text))
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func resolve(t testing.TB, layers ...Layer) *Resolved {
	t.Helper()
	r, err := NewCatalog(t.TempDir()).Resolve(layers...)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func values(pairs ...any) Layer {
	l := Layer{Name: "axes"}
	for i := 0; i < len(pairs); i += 2 {
		l.Values = append(l.Values, Assignment{pairs[i].(string), pairs[i+1]})
	}
	return l
}

func TestPrecedence(t *testing.T) {
	study := Layer{Name: "study", Doc: doc(t, "s.toml", "engine.tp = 4\nhardware.memory_gib = 90\n"+plain)}
	base := overlay(t, "[engine]\ntp = 2\nblock_size = 32\nmax_num_seqs = 8\n")
	point := values("engine.tp", 8, "workload.class.short.share", 2.5, "workload.class.short.output_tokens.cv", 1)
	r := resolve(t, base, study, point)
	s := &r.Scenario
	if s.Engine.TP != 8 || s.Engine.BlockSize != 32 || s.Engine.MemoryFrac != 0.9 || s.Hardware.MemoryGiB != 90 || s.Model.Layers != 32 || s.Hardware.WorkspaceGiB != 3 {
		t.Errorf("values: %+v", s)
	}
	if c := s.Workload.Class[0]; c.Share != 2.5 || c.Output.CV != 1 || c.Output.Mean != 256 || c.Prompt.Mean != 128 {
		t.Errorf("class: %+v", c)
	}
	for path, want := range map[string]string{
		"engine.tp": "axes", "engine.block_size": "overlay.toml", "engine.memory_fraction": "", "hardware.memory_gib": "study", "hardware.memory_bandwidth_gb_s": "catalogue h100-sxm",
		"model.layers": "catalogue llama-2-7b", "model.name": "study", "workload.class.short.prompt_tokens": "study", "workload.class.short.share": "axes",
	} {
		if r.Origin[path] != want {
			t.Errorf("origin of %s: %q, want %q", path, r.Origin[path], want)
		}
	}
	if r.Grades["hardware.memory_gib"] != hardware.Assumed || r.Grades["hardware.memory_bandwidth_gb_s"] != hardware.Published || r.WeakestSource != hardware.Assumed || r.Calibrated {
		t.Errorf("grades: %v %v %v", r.Grades, r.WeakestSource, r.Calibrated)
	}
	if len(r.Inputs) != 2 || r.Inputs["s.toml"] != study.Doc.SHA256 {
		t.Errorf("inputs: %v", r.Inputs)
	}
	if again := resolve(t, base, study, point); string(again.Canonical()) != string(r.Canonical()) || string(r.Canonical()) != string(s.Canonical()) {
		t.Error("canonical texts differ")
	}
}

func TestResolveForms(t *testing.T) {
	want := ""
	for _, text := range []string{
		plain,
		strings.Replace(plain, "name = \"llama-2-7b\"", "name = \"meta-llama/Llama-2-7b-hf\"", 1),
		"\"model.name\" = \"llama-2-7b\"\nhardware = { name = \"H100_SXM\" }\nworkload.rate_rps = 1.0\n\"workload.class.short.share\" = 1\n[[workload.class]]\nname = \"short\"\nprompt_tokens.mean = 128.0\n[workload.class.output_tokens]\ndist = \"lognormal\"\nmean = 256\ncv = 0.8\nmax = 2048\n",
	} {
		got := string(resolve(t, Layer{Doc: doc(t, "s.toml", text)}).Canonical())
		if want == "" {
			want = got
		} else if got != want {
			t.Errorf("%s\ngives another scenario:\n%s", text, got)
		}
	}
	r := resolve(t, Layer{Doc: doc(t, "s.toml", plain)}, Layer{Name: "later", Doc: doc(t, "t.toml", "[[workload.class]]\nname = \"long\"\nprompt_tokens = 8192\n[[workload.class]]\nname = \"a\"\n[slo]\nttft_p99_ms = { max = 200 }\n[slo.tpot_p50_ms]\nmin = 1\nmax = 2\n")})
	if c := r.Scenario.Workload.Class; len(c) != 2 || c[0].Name != "long" || c[1].Name != "a" || r.Origin["workload.class.short.share"] != "" || r.Origin["workload.class.long.prompt_tokens"] != "later" {
		t.Errorf("classes are not replaced: %+v %v", c, r.Origin)
	}
	if l := fmt.Sprint(r.Scenario.SLO); l != "[{ttft_p99_ms 200 NaN} {tpot_p50_ms 2 1}]" {
		t.Errorf("service levels: %s", l)
	}
}

func TestOwnModelAndChip(t *testing.T) {
	r := resolve(t, Layer{Name: "study", Doc: doc(t, "s.toml", `
[model]
name = "mine"
layers = 2
hidden = 64
heads = 4
kv_heads = 2
head_dim = 16
ffn = 128
vocab = 1000
[hardware]
name = "my chip"
peak_tflops.bf16 = 100
memory_bandwidth_gb_s = 1000
memory_gib = 10
[workload]
arrival = "burst"
[[workload.class]]
name = "a"
prompt_tokens = 1
output_tokens = 1
`)})
	if err := r.Scenario.Validate(); err != nil {
		t.Error(err)
	}
	if r.Scenario.Model.Name != "mine" || r.Scenario.Hardware.Name != "my chip" || r.Scenario.Hardware.WorkspaceGiB != 3 {
		t.Errorf("%+v", r.Scenario)
	}
}

func TestFiles(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("config.json", `{"model_type":"llama","architectures":["LlamaForCausalLM"],"num_hidden_layers":2,"hidden_size":64,"num_attention_heads":4,"num_key_value_heads":2,"intermediate_size":128,"vocab_size":1000,"hidden_act":"silu","torch_dtype":"bfloat16"}`)
	write("chip.toml", "name = \"chip\"\noverlap = 0\nmemory_gib = 8\nmemory_bandwidth_gb_s = 500\npeak_tflops.bf16 = 10\n[sources]\nmemory_gib = \"derived: x\"\nmemory_bandwidth_gb_s = \"published: y\"\npeak_tflops = \"published: z\"\noverlap = \"assumed: none\"\n")
	write("broken.toml", "name = \"chip\"\n\nmemory_gib = -1\n[sources]\nmemory_gib = \"derived: x\"\n")
	write("trace.csv", "TIMESTAMP,ContextTokens,GeneratedTokens\n0,10,20\n1.5,30,40\n")
	c := NewCatalog(dir)
	study := func(text string) Layer { return Layer{Name: "study", Doc: doc(t, "s.toml", text)} }
	l := study("model.config = \"config.json\"\nhardware.name = \"chip.toml\"\nworkload.arrival = \"trace\"\nworkload.trace = \"trace.csv\"\n")
	r, err := c.Resolve(l)
	if err != nil {
		t.Fatal(err)
	}
	s := &r.Scenario
	if err := s.Validate(); err != nil {
		t.Error(err)
	}
	if s.Model.Layers != 2 || s.Hardware.Name != "chip" || s.Hardware.Overlap != 0 || len(s.Workload.Records) != 2 || r.Grades["hardware.memory_gib"] != hardware.Derived || r.WeakestSource != hardware.Assumed {
		t.Errorf("%+v\n%v", s, r.Grades)
	}
	if len(r.Inputs) != 4 || r.Inputs["trace.csv"] == "" || r.Inputs["chip.toml"] == "" || r.Inputs["config.json"] == "" {
		t.Errorf("inputs: %v", r.Inputs)
	}
	if r.Origin["model.layers"] != "config.json" || r.Origin["hardware.memory_gib"] != "chip.toml" {
		t.Errorf("origin: %v", r.Origin)
	}
	if string(r.Canonical()) != string(s.Canonical()) || !strings.Contains(string(r.Canonical()), "trace=") {
		t.Error("canonical text of a trace")
	}
	if again, err := c.Resolve(l); err != nil || &again.Scenario.Workload.Records[0] != &s.Workload.Records[0] {
		t.Errorf("the trace is not shared: %v", err)
	}
	for text, want := range map[string]string{
		"hardware.name = \"chp.toml\"\n":                                   "s.toml:1:1: hardware.name: \"chp.toml\" cannot be read: no such file\n    1 | hardware.name = \"chp.toml\"\n      | ^ looked in " + dir,
		"model.config = \".\"\n":                                           "s.toml:1:1: model.config: \".\" cannot be read: not a file\n    1 | model.config = \".\"\n      | ^ looked in " + dir,
		"hardware.name = \"broken.toml\"\n":                                "broken.toml:3:1: memory_gib: -1 is not in [0,1e9] (GiB)\n    3 | memory_gib = -1\n      | ^ memory of one chip (kv_path = shared), in GiB",
		"hardware.name = \"trace.csv.toml\"\n":                             "s.toml:1:1: hardware.name: \"trace.csv.toml\" cannot be read: no such file\n    1 |",
		"model.config = \"trace.csv\"\n":                                   "trace.csv: ",
		"workload.arrival = \"trace\"\nworkload.trace = \"config.json\"\n": "config.json:1: ",
		"workload.arrival = \"trace\"\nworkload.trace = \"no.csv\"\n":      "s.toml:2:1: workload.trace: \"no.csv\" cannot be read: no such file\n",
	} {
		if _, err := c.Resolve(study(text)); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("got\n%v\nwant\n%s", err, want)
		}
	}
}

func TestOverlays(t *testing.T) {
	fit := "[engine]\nstep_overhead_us = 400\n[hardware]\ncompute_util = 0.5\n[calibration]\ndata = \"sha\"\napplies_to = %s\n[sources]\n\"hardware.compute_util\" = \"calibrated: x\"\n[sources.engine.step_overhead_us]\ngrade = \"calibrated\"\n"
	for _, c := range []struct {
		appliesTo string
		want      bool
	}{
		{"{}", true},
		{`{ hardware = ["a100-80", "H100_SXM"] }`, true},
		{`{ hardware = ["a100-80"] }`, false},
		{`{ hardware = "h100-sxm", model = ["llama-2-7b"], weight_dtype = ["fp8"], kv_dtype = ["fp16", "bf16"], engine_version = ["0.12"] }`, true},
		{`{ model = ["meta-llama/Llama-2-7b-chat-hf"] }`, true},
		{`{ model = ["llama-2-13b"] }`, false},
		{`{ weight_dtype = ["bf16"] }`, false},
		{`{ kv_dtype = ["fp8"] }`, false},
		{`{ engine_version = ["0.11"] }`, false},
		{`{ engine_version = ["0"] }`, true},
		{`{ engine_version = ["0.1"] }`, false},
	} {
		l := overlay(t, fmt.Sprintf(fit, c.appliesTo))
		r := resolve(t, l, Layer{Name: "study", Doc: doc(t, "s.toml", "engine.version = \"0.12\"\n"+plain)}, values("model.weight_dtype", "fp8"))
		s := &r.Scenario
		if r.Calibrated != c.want || (s.Engine.StepUs == 400) != c.want || (s.Hardware.ComputeUtil == 0.5) != c.want {
			t.Errorf("%s: applied = %v, scenario %v %v", c.appliesTo, r.Calibrated, s.Engine.StepUs, s.Hardware.ComputeUtil)
		}
		if g := r.Grades["hardware.compute_util"]; (g == hardware.Calibrated) != c.want {
			t.Errorf("%s: grade %q", c.appliesTo, g)
		}
	}
	l := overlay(t, fmt.Sprintf(fit, `{ engine_version = ["0.11"] }`))
	if r := resolve(t, l, Layer{Name: "study", Doc: doc(t, "s.toml", plain)}); !r.Calibrated {
		t.Error("a study that says no engine version takes that of the overlay")
	}
	for text, want := range map[string]string{
		"[axes]\nx = 1\n":                      "o.toml:2:1: an overlay has no \"axes\"\n    2 | x = 1\n      | ^ an overlay gives values of the scenario; what belongs to a study stays there",
		"[enginee]\n":                          "o.toml:1:1: an overlay has no \"enginee\"\n    1 | [enginee]\n      | ^ did you mean \"engine\"?",
		"[sources]\nhardware.overlp = \"x\"\n": "o.toml:2:1: sources: no parameter \"hardware.overlp\"\n    2 | hardware.overlp = \"x\"\n      | ^ did you mean \"hardware.overlap\"?",
		"[calibration]\napplies_to = { gpu = [\"h100\"] }\n": "o.toml:2:16: calibration.applies_to.gpu: no condition \"gpu\"\n",
		"[calibration.applies_to]\nmodel = [1]\n":            "o.toml:2:1: calibration.applies_to.model: 1 is not a string\n    2 | model = [1]\n      | ^ write [\"...\"]",
	} {
		if _, err := OverlayLayer(doc(t, "o.toml", text)); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("got\n%v\nwant\n%s", err, want)
		}
	}
	_, err := NewCatalog(".").Resolve(overlay(t, "[calibration]\nx = 1\n[engine]\nversion = \"1\"\n"))
	if want := "overlay.toml:4:1: engine.version: an overlay with applies_to cannot set what decides whether it applies\n    4 | version = \"1\"\n      | ^ move it to the study"; err == nil || err.Error() != want {
		t.Errorf("got\n%v\nwant\n%s", err, want)
	}
}

func TestDocumentErrors(t *testing.T) {
	for text, want := range map[string]string{
		"[hardware]\nwieght_bandwidth_gb_s = 3\n": `s.toml:2:1: hardware: no parameter "hardware.wieght_bandwidth_gb_s"
    2 | wieght_bandwidth_gb_s = 3
      | ^ did you mean "hardware.weight_bandwidth_gb_s"?`,
		"hardware = { peak_tflops = { fp88 = 3 } }\n": `s.toml:1:30: hardware.peak_tflops: no parameter "hardware.peak_tflops.fp88"
    1 | hardware = { peak_tflops = { fp88 = 3 } }
      |                              ^ did you mean "hardware.peak_tflops.fp8"?`,
		"[hardware]\noverlap = 1.5\n": `s.toml:2:1: hardware.overlap: 1.5 is not in [0,1] (ratio)
    2 | overlap = 1.5
      | ^ share of the shorter of backbone and state phase hidden behind the longer (kv_path = separate)`,
		"[engine]\ntp = \"4\"\n": `s.toml:2:1: engine.tp: "4" is a string where a number belongs
    2 | tp = "4"
      | ^ write 4 without quotes`,
		"engine = 4\n": `s.toml:1:1: "engine" is a table of parameters, not one parameter
    1 | engine = 4
      | ^`,
		"engine.tp = 2000-01-01\n": `s.toml:1:1: engine.tp: a date is not a number
    1 | engine.tp = 2000-01-01
      | ^ tensor-parallel chips, in chips`,
		"workload.class = 3\n":            "s.toml:1:1: workload.class: 3 is not an array of tables\n    1 | workload.class = 3\n      | ^ write each class as a table [[workload.class]] with a name",
		"[[workload.class]]\nshare = 1\n": "s.toml:1:1: workload.class.name: a class needs a name\n    1 | [[workload.class]]\n      | ^ add name = \"...\"; keys such as workload.class.short.share use it",
		"[[workload.class]]\nname = \"A b\"\n": `s.toml:2:1: workload.class.name: "A b" is not a name of a class
    2 | name = "A b"
      | ^ use a-z, 0-9, _ and -`,
		"[[workload.class]]\nname = \"a\"\n[[workload.class]]\nname = \"a\"\n": `s.toml:4:1: workload.class.name: a class named "a" is already there
    4 | name = "a"
      | ^ give each class its own name`,
		"[[workload.class]]\nname = \"a\"\nprompt_tokens = { mean = 3, max = 1e3, dst = \"gamma\" }\n": `s.toml:3:40: workload.class.a.prompt_tokens: no parameter "workload.class.a.prompt_tokens.dst"
    3 | prompt_tokens = { mean = 3, max = 1e3, dst = "gamma" }
      |                                        ^ did you mean "workload.class.a.prompt_tokens.dist"?`,
		"\"workload.class.b.share\" = 1\n[[workload.class]]\nname = \"a\"\n": "s.toml:1:1: workload.class.b.share: no class is named \"b\"\n    1 | \"workload.class.b.share\" = 1\n      | ^ the classes are a",
		"hardware = { memory_gib = 1 }\n\"hardware.memory_gib\" = 2\n":       "s.toml:1:14: hardware.memory_gib: given twice\n*",
		"model.name = \"llama-2-7bb\"\n":                                     "s.toml:1:1: model.name: \"llama-2-7bb\" is not in the catalogue\n    1 | model.name = \"llama-2-7bb\"\n      | ^ did you mean llama-2-7b*",
		"hardware.name = \"h100-smx\"\n":                                     "s.toml:1:1: hardware.name: no hardware \"h100-smx\" in the catalogue\n    1 | hardware.name = \"h100-smx\"\n      | ^ did you mean h100-sxm*",
		"slo.x = 3\n":                                                        "s.toml:1:1: slo: no parameter \"slo.x\"\n    1 | slo.x = 3\n      | ^ write METRIC = { max = X } or METRIC = { min = X }",
	} {
		d, err := ParseTOML("s.toml", []byte(text))
		if err == nil {
			_, err = NewCatalog(".").Resolve(Layer{Doc: d})
		}
		start, open := strings.CutSuffix(want, "*")
		if err == nil || err.Error() != want && !(open && strings.HasPrefix(err.Error(), start)) {
			t.Errorf("%s\ngot\n%v\nwant\n%s", text, err, want)
		}
	}
	// An assignment has no line: its error stays a *FieldError.
	for _, path := range []string{"engine.tpp", "engine.tp", "model.name"} {
		_, err := NewCatalog(".").Resolve(Layer{Doc: doc(t, "s.toml", plain)}, values(path, "none"))
		if _, ok := errors.AsType[*FieldError](err); !ok {
			t.Errorf("%s: %v", path, err)
		}
	}
}

// TestCatalogue checks that every shipped model can be simulated on a chip that
// has the units, and every shipped chip with a small model.
func TestCatalogue(t *testing.T) {
	var wg sync.WaitGroup
	c := NewCatalog(".")
	try := func(modelName, chip string) {
		wg.Go(func() {
			r, err := c.Resolve(Layer{Doc: doc(t, "s.toml", plain)}, values("model.name", modelName, "hardware.name", chip))
			if err != nil {
				t.Errorf("%s on %s: %v", modelName, chip, err)
				return
			}
			var fe *FieldError
			if err := r.Scenario.Validate(); errors.As(err, &fe) {
				t.Errorf("%s on %s: %v", modelName, chip, err)
			}
		})
	}
	for _, m := range model.Names() {
		try(m, "b200")
	}
	for _, h := range hardware.Names() {
		try("llama-2-7b", h)
	}
	wg.Wait()
}
