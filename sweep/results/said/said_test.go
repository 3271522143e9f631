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
