package plan

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"scoville/core/scenario"
	"scoville/sweep/study"
)

const base = `schema = 1
[model]
name = "llama-2-7b"
weight_dtype = "int8"
kv_dtype = "int8"
[hardware]
name = "jalapeno"
[engine]
max_num_seqs = 6
[workload]
requests = 10
rate_rps = 1.0
[[workload.class]]
name = "a"
prompt_tokens = 128
output_tokens = 64
`

func load(t *testing.T, design string, sets ...string) *study.Study {
	t.Helper()
	return loadText(t, base+design, sets...)
}

func loadText(t *testing.T, text string, sets ...string) *study.Study {
	t.Helper()
	file := filepath.Join(t.TempDir(), "demo.toml")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	st, err := study.Load(file, sets)
	if err != nil {
		t.Fatal(err)
	}
	return st
}

// rows prints the points of a plan, one a line.
func rows(t *testing.T, p *Plan) []string {
	t.Helper()
	var out []string
	for i := range p.Len() {
		pt, err := p.Point(i)
		if err != nil {
			t.Fatal(err)
		}
		row := fmt.Sprint(pt.Cells)
		if pt.Baseline {
			row += " baseline"
		}
		if pt.OATPath != "" {
			row += fmt.Sprintf(" %s %s %.4g", pt.OATPath, pt.OATLevel, pt.OATChange)
		}
		out = append(out, row)
	}
	return out
}

var designs = []struct {
	name, design string
	want         []string
	merged       int
}{
	{"no design", "", []string{"[]"}, 0},
	{
		"axes: file order, last fastest", `
[axes]
"hardware.weight_bandwidth_gb_s" = [3000, 4000]
"engine.max_num_seqs" = [1, 2]
"model.kv_dtype" = ["int8", "fp16"]`,
		[]string{"[3000 1 int8]", "[3000 1 fp16]", "[3000 2 int8]", "[3000 2 fp16]", "[4000 1 int8]", "[4000 1 fp16]", "[4000 2 int8]", "[4000 2 fp16]"},
		0,
	},
	{
		"cases, zip and axes multiply in file order", `
[[cases.context]]
name = "short"
[[cases.context]]
name = "long"
"workload.class.a.prompt_tokens" = 9000
[zip.size]
"engine.max_num_seqs" = [1, 2]
"engine.max_num_batched_tokens" = [100, 200]
[axes]
"workload.rate_rps" = [3]`,
		[]string{"[short 1 100 3]", "[short 2 200 3]", "[long 1 100 3]", "[long 2 200 3]"},
		0,
	},
	{
		"one at a time around each combination", `
[axes]
"hardware.overlap" = [0, 1]
[oat]
"hardware.weight_bandwidth_gb_s" = ["-20%", 7500]
"model.kv_dtype" = ["fp16"]`,
		[]string{
			"[0 6000 int8] baseline", "[0 4800 int8] hardware.weight_bandwidth_gb_s -20% -0.2", "[0 7500 int8] hardware.weight_bandwidth_gb_s 7500 0.25", "[0 6000 fp16] model.kv_dtype fp16 NaN",
			"[1 6000 int8] baseline", "[1 4800 int8] hardware.weight_bandwidth_gb_s -20% -0.2", "[1 7500 int8] hardware.weight_bandwidth_gb_s 7500 0.25", "[1 6000 fp16] model.kv_dtype fp16 NaN",
		},
		0,
	},
	{
		"relative to the combination's own base", `
[[cases.chip]]
name = "slow"
"hardware.onchip_kv_mib" = 10
[[cases.chip]]
name = "fast"
"hardware.onchip_kv_mib" = "x2"
[oat]
"hardware.state_bandwidth_gb_s" = ["x0.5"]
group.both = { paths = ["hardware.overlap", "hardware.adapter_latency_us"], by = ["-50%"] }`,
		[]string{
			"[slow 2000 1 20] baseline", "[slow 1000 1 20] hardware.state_bandwidth_gb_s x0.5 -0.5", "[slow 2000 0.5 10] group.both -50% -0.5",
			"[fast 2000 1 20] baseline", "[fast 1000 1 20] hardware.state_bandwidth_gb_s x0.5 -0.5", "[fast 2000 0.5 10] group.both -50% -0.5",
		},
		0,
	},
	{
		"integers are rounded", "[oat]\n\"engine.max_num_seqs\" = [\"-20%\"]\n",
		[]string{"[6] baseline", "[5] engine.max_num_seqs -20% -0.1667"},
		0,
	},
	{"equal scenarios are one point", "[axes]\n\"hardware.weight_bandwidth_gb_s\" = [6000, 6000.0, \"+0%\", 5000]\n", []string{"[6000]", "[5000]"}, 2},
	{
		"a change that is none is the baseline", "[oat]\n\"hardware.weight_bandwidth_gb_s\" = [6000, 5000]\n",
		[]string{"[6000] baseline", "[5000] hardware.weight_bandwidth_gb_s 5000 -0.1667"},
		1,
	},
	{
		"length distributions are text", "[axes]\n\"workload.class.a.output_tokens\" = [64, { dist = \"gamma\", mean = 64, cv = 1 }]\n",
		[]string{"[64]", "[{ cv = 1, dist = gamma, mean = 64 }]"},
		0,
	},
}

func TestPoints(t *testing.T) {
	for _, c := range designs {
		p, err := New(load(t, c.design))
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if got := rows(t, p); !slices.Equal(got, c.want) || p.Merged != c.merged {
			t.Errorf("%s:\n%s\nwant\n%s\nmerged %d, want %d", c.name, strings.Join(got, "\n"), strings.Join(c.want, "\n"), p.Merged, c.merged)
		}
	}
}

func TestNotes(t *testing.T) {
	p, err := New(load(t, "[oat]\n\"engine.max_num_seqs\" = [\"-20%\"]\n"))
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"engine.max_num_seqs: 4.8 of 6 rounded to 5", "2 of 2 points draw at random and run once: no interval says how far chance moves them; [replicates] n = 5 gives one"}
	if n := len(p.Notes) - 1; !slices.Equal(p.Notes[:n], want) || !strings.HasPrefix(p.Notes[n], "statistics are over 10 requests a run") {
		t.Errorf("notes %q, want %q", p.Notes, want)
	}
}

// Small grids are as many as brute force counts, and each point is resolved
// alike however often it is asked for.
func TestCountsAndStability(t *testing.T) {
	p, err := New(load(t, `
[axes]
"hardware.weight_bandwidth_gb_s" = { from = 1000, to = 3000, step = 1000 }
"engine.max_num_seqs" = { from = 1, to = 8, factor = 2 }
"workload.rate_rps" = { from = 0.1, to = 0.3, step = 0.1 }
[replicates]
n = 2
seed = 0
`))
	if err != nil {
		t.Fatal(err)
	}
	if p.Len() != 3*4*3 || p.Runs() != 72 {
		t.Errorf("%d points, %d runs", p.Len(), p.Runs())
	}
	order := p.Order()
	if !slices.Equal(order, p.Order()) || slices.IsSorted(order) {
		t.Error("the running order is not one fixed shuffle")
	}
	slices.Sort(order)
	for i, n := range order {
		if i != n {
			t.Fatalf("run %d is missing", i)
		}
	}
	ids := map[string]int{}
	for i := range p.Len() {
		a, _ := p.Point(i)
		b, _ := p.Point(i)
		if a.ID != b.ID || len(a.ID) != 16 {
			t.Errorf("point %d has the ids %s and %s", i, a.ID, b.ID)
		}
		if j, ok := ids[a.ID]; ok {
			t.Errorf("points %d and %d share an id", i, j)
		}
		ids[a.ID] = i
	}
}

// One changed number anywhere in the input changes the identity.
func TestIdentityFollowsInput(t *testing.T) {
	id := func(sets ...string) string {
		p, err := New(load(t, "", sets...))
		if err != nil {
			t.Fatal(err)
		}
		pt, err := p.Point(0)
		if err != nil {
			t.Fatal(err)
		}
		return pt.ID
	}
	plain := id()
	if plain != id() {
		t.Error("equal studies have different ids")
	}
	for _, set := range []string{"hardware.weight_bandwidth_gb_s=6000.0000001", "workload.requests=11", "workload.class.a.prompt_tokens=129", "slo.ttft_p99_ms.max=3"} {
		if id(set) == plain {
			t.Errorf("%s does not change the id", set)
		}
	}
	if id("hardware.weight_bandwidth_gb_s=6000") != plain {
		t.Error("setting the value it has changes the id")
	}
}

func TestErrors(t *testing.T) {
	for _, c := range []struct{ design, want string }{
		{
			"[axes]\n\"hardware.weight_bandwidth_gb_s\" = { from = 1, to = 1000, step = 1 }\n\"hardware.overlap\" = { from = 0.001, to = 1, step = 0.001 }\n\"workload.rate_rps\" = { from = 1, to = 1000, step = 1 }\n\"workload.requests\" = { from = 1, to = 1000, step = 1 }\n",
			":17:1: run.max_runs: 1,000,000,000,000 runs are more than max_runs = 100000: hardware.weight_bandwidth_gb_s 1000 x hardware.overlap 1000 x workload.rate_rps 1000 x workload.requests 1000 x replicates 1",
		},
		{"[oat]\n\"hardware.link_latency_us\" = [\"-20%\"]\n", ":18:1: hardware.link_latency_us: the base value is 0"},
		{"[oat]\n\"workload.class.a.prompt_tokens\" = [\"-20%\"]\n\"workload.class.b.share\" = [\"-20%\"]\n", ":19:1: workload.class.b.share: no class is named \"b\""},
		{"[oat]\n\"engine.max_num_seqs\" = [\"-1%\"]\n", ":18:1: engine.max_num_seqs: 5.94 rounds back to the base value 6"},
		{"[oat]\n\"hardware.overlap\" = [\"x2\"]\n", ":18:1: hardware.overlap: 2 is not in [0,1]"},
		{"[[cases.c]]\nname = \"d\"\n\"workload.class.a.output_tokens\" = { dist = \"gamma\", mean = 3, cv = 1 }\n[oat]\n\"workload.class.a.prompt_tokens\" = [\"x2\"]\n\"workload.class.a.share\" = [\"x2\"]\n\"model.name\" = [\"llama-9\"]\n", "llama-9"},
		{"[[cases.c]]\nname = \"d\"\n\"hardware.memory_bandwidth_gb_s\" = 1000\n", ":19:1: hardware.memory_bandwidth_gb_s:"},
		{"[axes]\n\"workload.arrival\" = [\"trace\"]\n", ":18:1"},
	} {
		_, err := New(load(t, c.design))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q\n got %v\nwant %s", c.design, err, c.want)
		}
		if _, ok := errors.AsType[*scenario.Error](err); err != nil && !ok {
			t.Errorf("%q: the error is a %T, not one that points", c.design, err)
		}
	}
}

func TestMaxRunsPoints(t *testing.T) {
	_, err := New(load(t, "[axes]\n\"workload.rate_rps\" = { from = 1, to = 10, step = 1 }\n[run]\nmax_runs = 9\n"))
	if err == nil || !strings.Contains(err.Error(), ":20:1: run.max_runs: 10 runs are more than max_runs = 9") {
		t.Error(err)
	}
}

func TestExplain(t *testing.T) {
	p, err := New(load(t, "[axes]\n\"hardware.overlap\" = [0.5]\n", "engine.block_size=32"))
	if err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]Value{
		"hardware.overlap":               {0.5, "axes", "assumed"},
		"hardware.weight_bandwidth_gb_s": {6000.0, "catalogue jalapeno", "published"},
		"engine.block_size":              {32, "--set", ""},
		"engine.max_num_seqs":            {6, "study", ""},
		"engine.tp":                      {1, "default", ""},
	} {
		if got, err := p.Explain(0, path); err != nil || got != want {
			t.Errorf("%s: %v %v, want %v", path, got, err, want)
		}
	}
	if _, err := p.Explain(0, "engine.tpp"); err == nil {
		t.Error("an unknown path is explained")
	}
}
