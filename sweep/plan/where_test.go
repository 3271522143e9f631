package plan

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"scoville/sweep/study"
)

const whereGrid = `
[axes]
"hardware.weight_bandwidth_gb_s" = [3000, 6000, 8000]
"hardware.state_bandwidth_gb_s" = [2000, 6000]
[[cases.context]]
name = "short"
"workload.class.a.prompt_tokens" = 128
[[cases.context]]
name = "long"
"workload.class.a.prompt_tokens" = 8192
[zip.batch]
"engine.max_num_seqs" = [4, 8]
"workload.rate_rps" = [1, 2]
`

// A plan with rules is the grid without those combinations that a loop over it
// leaves out, and each rule counts what it took from what was left.
func TestWhereIsAFilterOfTheGrid(t *testing.T) {
	type point struct {
		weight, state float64
		context       string
		prompt        float64
		seqs          int64
		rate          float64
	}
	for _, c := range []struct {
		rules string
		keeps []func(p point) bool
	}{
		{"keep = 'weight_bandwidth_gb_s >= state_bandwidth_gb_s'", []func(point) bool{func(p point) bool { return p.weight >= p.state }}},
		{"drop = 'hardware.weight_bandwidth_gb_s + state_bandwidth_gb_s > 9_000'", []func(point) bool{func(p point) bool { return p.weight+p.state <= 9000 }}},
		{"keep = 'context == \"short\" || max_num_seqs in [4]'", []func(point) bool{func(p point) bool { return p.context == "short" || p.seqs == 4 }}},
		{"drop = 'workload.class.a.prompt_tokens * max_num_seqs > 40000'", []func(point) bool{func(p point) bool { return p.prompt*float64(p.seqs) <= 40000 }}},
		{
			"keep = 'weight_bandwidth_gb_s > 3000'\n[[where]]\ndrop = 'context ~ \"LO\" && rate_rps == 2'\nwhy = 'too slow'\n[[where]]\nkeep = 'weight_bandwidth_gb_s < 8000 || state_bandwidth_gb_s < 6000'",
			[]func(point) bool{
				func(p point) bool { return p.weight > 3000 },
				func(p point) bool { return !(p.context == "long" && p.rate == 2) },
				func(p point) bool { return p.weight < 8000 || p.state < 6000 },
			},
		},
		{"keep = 'model == \"llama-2-7b\" && !prefix_caching && slo.ttft_p99_ms.max < 1 || engine.tp == 1'", []func(point) bool{func(point) bool { return true }}},
		{"drop = 'workload.class.b.share >= 0'", []func(point) bool{func(point) bool { return true }}},
	} {
		rules := strings.ReplaceAll(c.rules, "prefix_caching", "engine.prefix_caching")
		p, err := New(load(t, whereGrid+"[[where]]\n"+rules))
		if err != nil {
			t.Fatalf("%s: %v", rules, err)
		}
		var want []string
		removed := make([]int, len(c.keeps))
		for _, weight := range []float64{3000, 6000, 8000} {
			for _, state := range []float64{2000, 6000} {
				for i, context := range []string{"short", "long"} {
					for j := range 2 {
						pt := point{weight, state, context, []float64{128, 8192}[i], []int64{4, 8}[j], float64(j + 1)}
						rule := slices.IndexFunc(c.keeps, func(keep func(point) bool) bool { return !keep(pt) })
						if rule >= 0 {
							removed[rule]++
							continue
						}
						want = append(want, fmt.Sprint([]any{pt.weight, pt.state, pt.context, pt.seqs, pt.rate}))
					}
				}
			}
		}
		if got := rows(t, p); !slices.Equal(got, want) || !slices.Equal(p.Removed, removed) || p.Runs() != len(want) {
			t.Errorf("%s\n got %s\nwant %s\nremoved %v, want %v", rules, got, want, p.Removed, removed)
		}
	}
}

func TestWhereNotes(t *testing.T) {
	for rules, want := range map[string]string{
		"keep = 'weight_bandwidth_gb_s > 3000'\nwhy = 'too slow'":                       `where #1 "too slow" removes 8 of 24 designs`,
		"drop = 'weight_bandwidth_gb_s < 0'":                                            "warning: where #1 drop weight_bandwidth_gb_s < 0 removes none of 24 designs",
		"keep = 'context == \"short\"'\n[[where]]\nkeep = 'workload.prompt_tokens > 1'": `no parameter or axis "workload.prompt_tokens"`,
		"keep = 'context == \"short\"'\n[[where]]\nkeep = 'rate_rps == 1'":              "where #2 keep rate_rps == 1 removes 6 of 12 designs",
		"keep = 'context == \"middle\"'":                                                "warning: where #1 keep context == \"middle\" removes all 24 designs that are left",
		"drop = 'context == \"short\"'\n[[where]]\ndrop = 'context == \"long\"'":        "warning: where #2 drop context == \"long\" removes all 12 designs that are left",
		"keep = 'weight_bandwith_gb_s > 3000'":                                          `did you mean "weight_bandwidth_gb_s"?`,
		"keep = 'context > 3000'":                                                       "> needs numbers, \"context\" is text",
		"keep = 'hardware.kv_path == \"seperate\"'":                                     "did you mean separate?",
		"keep = 'engine.prefix_cachin'":                                                 "did you mean \"engine.prefix_caching\"?",
		"keep = 'rate_rps > 1 and context == \"short\"'":                                "join tests by && or ||",
		"keep = 'ttft_mean_ms > 1'":                                                     `no parameter or axis "ttft_mean_ms"`,
		"keep = 'rate_rps > 1'\ndrop = 'rate_rps > 2'":                                  "a rule has one of keep and drop",
		"why = 'x'": "a rule needs a condition",
		"kep = 'x'": `did you mean "keep"?`,
	} {
		p := &Plan{}
		st, err := loadErr(t, whereGrid+"[[where]]\n"+rules)
		if err == nil {
			p, err = New(st)
		}
		got := fmt.Sprint(err)
		if err == nil {
			got = strings.Join(p.Notes, "\n")
		}
		if !strings.Contains(got, want) {
			t.Errorf("%s\n got %s\nwant %s", rules, got, want)
		}
	}
	_, err := study.Decode("demo.toml", []byte("schema = 1\nwhere = 3\n"), nil)
	if err == nil || !strings.Contains(err.Error(), "write [[where]]") {
		t.Errorf("where = 3: %v", err)
	}
}

// A short name stands for one axis only.
func TestWhereShortNames(t *testing.T) {
	const two = "[axes]\n\"workload.class.a.share\" = [1, 2]\n\"workload.class.a.prompt_tokens.mean\" = [100]\n\"workload.class.a.output_tokens.mean\" = [100, 200]\n[[where]]\nkeep = '"
	if _, err := New(load(t, two+"mean > 100'")); err == nil || !strings.Contains(err.Error(), "write the path: workload.class.a.prompt_tokens.mean or workload.class.a.output_tokens.mean") {
		t.Errorf("an ambiguous name: %v", err)
	}
	p, err := New(load(t, two+"share == 2 && workload.class.a.output_tokens.mean > 100'"))
	if err != nil || p.Len() != 1 {
		t.Errorf("%d points, %v", p.Len(), err)
	}
}

// A baseline that a rule takes out takes its changes with it; a change that is
// taken out goes alone.
func TestWhereAndOneAtATime(t *testing.T) {
	const design = "[axes]\n\"engine.max_num_seqs\" = [4, 8]\n[oat]\n\"hardware.weight_bandwidth_gb_s\" = [\"-20%\", \"+20%\"]\n[[where]]\n"
	for rule, want := range map[string][]string{
		"drop = 'max_num_seqs == 4'":                                         {"[8 6000] baseline", "[8 4800] hardware.weight_bandwidth_gb_s -20% -0.2", "[8 7200] hardware.weight_bandwidth_gb_s +20% 0.2"},
		"drop = 'max_num_seqs == 4 && weight_bandwidth_gb_s == 6000'":        {"[8 6000] baseline", "[8 4800] hardware.weight_bandwidth_gb_s -20% -0.2", "[8 7200] hardware.weight_bandwidth_gb_s +20% 0.2"},
		"drop = 'max_num_seqs == 4 || hardware.weight_bandwidth_gb_s > 6e3'": {"[8 6000] baseline", "[8 4800] hardware.weight_bandwidth_gb_s -20% -0.2"},
	} {
		p, err := New(load(t, design+rule))
		if err != nil {
			t.Fatal(err)
		}
		if got := rows(t, p); !slices.Equal(got, want) {
			t.Errorf("%s\n got %q\nwant %q", rule, got, want)
		}
	}
}

// What a rule takes out need not be valid, and does not count as runs.
func TestWhereBeforeTheRules(t *testing.T) {
	const sized = "[axes]\n\"engine.max_num_seqs\" = { from = 1, to = 100, step = 1 }\n[run]\nmax_runs = 10\n"
	if _, err := New(load(t, sized)); err == nil {
		t.Error("100 runs are within 10")
	}
	if p, err := New(load(t, sized+"[[where]]\nkeep = 'max_num_seqs <= 10'")); err != nil || p.Len() != 10 {
		t.Errorf("10 of 100 runs: %v", err)
	}
	if _, err := New(load(t, sized+"[[where]]\nkeep = 'max_num_seqs <= 11'")); err == nil || !strings.Contains(err.Error(), "11 runs of 11 points are more than max_runs = 10") {
		t.Errorf("11 of 100 runs: %v", err)
	}
	invalid := strings.Replace(base, "output_tokens = 64", "output_tokens = { dist = 'uniform', min = 10, max = 50 }", 1) + "[axes]\n\"workload.class.a.output_tokens.min\" = [20, 80]\n"
	if _, err := New(loadText(t, invalid)); err == nil {
		t.Error("lengths from 80 to 50 are valid")
	}
	if p, err := New(loadText(t, invalid+"[[where]]\ndrop = 'workload.class.a.output_tokens.min > workload.class.a.output_tokens.max'")); err != nil || p.Len() != 1 {
		t.Errorf("lengths from 20 to 50 alone: %v", err)
	}
}

func loadErr(t *testing.T, design string) (*study.Study, error) {
	t.Helper()
	return study.Decode("demo.toml", []byte(base+design), nil)
}
