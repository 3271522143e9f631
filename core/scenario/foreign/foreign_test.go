package foreign_test

import (
	"strings"
	"testing"

	"scoville/core/scenario"
	"scoville/core/scenario/foreign"
)

// TestKeys: names of other programs lead to keys that exist, however they are
// written; names that are keys here lead nowhere.
func TestKeys(t *testing.T) {
	for path, want := range map[string]string{
		"engine.gpu_memory_utilization": "engine.memory_fraction",
		"--gpu-memory-utilization":      "engine.memory_fraction",
		"workload.QPS":                  "workload.rate_rps",
		"isl":                           "workload.class.NAME.prompt_tokens",
		"engine.max_num_seqs":           "",
		"":                              "",
	} {
		if got := foreign.Key(path, ""); got != want {
			t.Errorf("%s is %q, want %q", path, got, want)
		}
		if near := scenario.Nearest(path); want != "" && near != want {
			t.Errorf("%s: nearest %q, want %q", path, near, want)
		}
	}
	if got := foreign.Key("workload.class.chat.osl", "chat"); got != "workload.class.chat.output_tokens" {
		t.Errorf("%q", got)
	}
	for _, name := range foreign.Names() {
		if key := foreign.Key(name, ""); key != "" {
			if _, ok := scenario.Lookup(key); !ok {
				t.Errorf("%s leads to %s, which is no key", name, key)
			}
		} else if foreign.Hint(name) == "" {
			t.Errorf("%s leads nowhere", name)
		}
		for _, f := range scenario.Fields() {
			if strings.HasSuffix(f.Path, "."+name) {
				t.Errorf("%s is a key here: %s", name, f.Path)
			}
		}
	}
}
