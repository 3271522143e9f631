package said

import (
	"reflect"
	"testing"
)

func TestRead(t *testing.T) {
	const text = `description = "what"
model = { name = "llama" }
hardware.name = "chips/mine.toml"
[slo]
ttft_p99_ms = { max = 400, min = 1 }
tpot_mean_ms.max = 20.5
`
	for _, c := range []struct {
		text      string
		set, axes []string
		want      Study
	}{
		{text, nil, nil, Study{"llama", "mine", "what", map[string]float64{"ttft_p99_ms": 400, "tpot_mean_ms": 20.5}, false}},
		{text, []string{"slo.ttft_p99_ms.max=300", `model.name="qwen"`, "slo.e2e_mean_ms.max = 9e3"}, nil, Study{"qwen", "mine", "what", map[string]float64{"ttft_p99_ms": 300, "tpot_mean_ms": 20.5, "e2e_mean_ms": 9000}, false}},
		{text, nil, []string{"workload.rate_rps", "slo.ttft_p99_ms.max"}, Study{"llama", "mine", "what", map[string]float64{"tpot_mean_ms": 20.5}, true}},
		{"model.config = \"a/config.json\"", nil, nil, Study{Model: "config.json", Max: map[string]float64{}}},
		{"= no study", nil, nil, Study{Max: map[string]float64{}}},
	} {
		if got := Read(c.text, c.set, c.axes); !reflect.DeepEqual(got, c.want) {
			t.Errorf("%q %q %q: %+v, want %+v", c.text, c.set, c.axes, got, c.want)
		}
	}
}

// What a design varies somewhere is no value of the study.
func TestValues(t *testing.T) {
	const text = `model.name = "llama"
hardware.name = "chip"
hardware.memory_gib = 24
engine = { tp = 2, max_num_seqs = 16, scheduler = "continuous" }
engine.dp = 1
workload.rate_rps = 4
workload.requests = 100
slo.ttft_p99_ms.max = 300
axes."engine.dp" = [1, 2]
[oat]
group.memory = { paths = ["hardware.memory_gib"], by = ["-20%"] }
[search]
over = "workload.rate_rps"
[[cases.size]]
name = "a"
[[cases.size]]
name = "b"
engine.tp = 4
"hardware.name" = "other"
slo.ttft_p99_ms.max = 500
`
	got := Values(text, []string{"workload.requests=5e3", "engine.max_num_seqs=-20%", "x.y=true"})
	for _, key := range []string{"search.over"} {
		delete(got, key)
	}
	want := map[string]any{"model.name": "llama", "model": "llama", "engine.scheduler": "continuous", "workload.requests": 5e3, "x.y": true}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	if s := Read(text, nil, nil); s.Hardware != "" || !s.Varied || len(s.Max) > 0 {
		t.Errorf("%+v", s)
	}
}
