package scenario

import (
	"strings"
	"testing"

	"scoville/core/hardware"
)

const derated = `[model]
name = "llama-2-7b"
[hardware]
name = "h100-sxm"
[[hardware.derate]]
path = "hardware.memory_bandwidth_gb_s"
factor = 0.5
from_s = 10
to_s = 20
[[hardware.derate]]
path = "hardware.peak_tflops"
factor = 0.25
[workload]
rate_rps = 1
[[workload.class]]
name = "a"
prompt_tokens = 100
output_tokens = 10
`

// TestDerate: the tables are read with their defaults, one by one settable, and
// shared lists are copied before they change.
func TestDerate(t *testing.T) {
	read := func(text string) (*Resolved, error) {
		d, err := ParseTOML("s.toml", []byte(text))
		if err != nil {
			return nil, err
		}
		r, err := NewCatalog(".").Resolve(Layer{Name: "study", Doc: d})
		if err == nil {
			err = Locate(r.Scenario.Validate(), Layer{Name: "study", Doc: d})
		}
		return r, err
	}
	r, err := read(derated)
	if err != nil {
		t.Fatal(err)
	}
	want := []hardware.Derate{{Path: "hardware.memory_bandwidth_gb_s", Factor: 0.5, FromS: 10, ToS: 20}, {Path: "hardware.peak_tflops", Factor: 0.25, ToS: 1e9}}
	s := r.Scenario
	if len(s.Derate) != 2 || s.Derate[0] != want[0] || s.Derate[1] != want[1] {
		t.Fatalf("derates %+v", s.Derate)
	}
	changed := s
	if err := changed.Set("hardware.derate.1.factor", 0.75); err != nil || s.Derate[1].Factor != 0.25 || changed.Derate[1].Factor != 0.75 {
		t.Errorf("set: %v, %+v, %+v", err, s.Derate, changed.Derate)
	}
	if string(s.Canonical()) == string(changed.Canonical()) {
		t.Error("the identity of a scenario does not depend on a factor")
	}
	for _, c := range []struct{ old, text, want string }{
		{"hardware.memory_bandwidth_gb_s", "hardware.memory_bandwith_gb_s", `s.toml:6:1: hardware.derate.0.path: "hardware.memory_bandwith_gb_s" is not a rate of the hardware`},
		{"hardware.memory_bandwidth_gb_s", "hardware.memory_gib", "is not a rate of the hardware"},
		{"hardware.memory_bandwidth_gb_s", "hardware.state_bandwidth_gb_s", "is not a rate of this machine: it is 0"},
		{"factor = 0.5", "factor = 2", "s.toml:7:1: hardware.derate.0.factor: 2 is not in (0,1] (ratio)"},
		{"to_s = 20", "to_s = 10", "s.toml:9:1: hardware.derate.0.to_s: 10 is not after from_s = 10"},
		{"factor = 0.25", "facter = 0.25", `no parameter "hardware.derate.1.facter"`},
		{`path = "hardware.peak_tflops"`, "", "hardware.derate.1.path: a derate needs a path"},
		{"[[workload.class]]", "[measurement]\nwarmup_requests = 0\n[hardware.derate.2]\nfactor = 1\n[[workload.class]]", "s.toml"},
	} {
		if _, err := read(strings.Replace(derated, c.old, c.text, 1)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %s", c.text, err, c.want)
		}
	}
	if err := s.Set("hardware.derate.2.factor", 0.5); err == nil || !strings.Contains(err.Error(), "there are 2, counted from 0") {
		t.Errorf("number 2 of 2: %v", err)
	}
}
