package layout

import (
	"fmt"
	"testing"

	"scoville/core/table"
)

func TestAxisNames(t *testing.T) {
	metrics := []table.Column{{Name: "ttft_p99_ms"}}
	for _, c := range []struct{ paths, want []string }{
		{[]string{"hardware.weight_bandwidth_gb_s", "workload.rate_rps"}, []string{"weight_bandwidth_gb_s", "rate_rps"}},
		{[]string{"model.name", "hardware.name"}, []string{"model_name", "hardware_name"}},
		{[]string{"model.name", "workload.rate_rps"}, []string{"name", "rate_rps"}},
		{[]string{"engine.status", "x.runs", "x.level", "x.ttft_p99_ms"}, []string{"engine_status", "x_runs", "x_level", "x_ttft_p99_ms"}},
		{[]string{"workload.class.long-ctx.share", "workload.class.Short.share"}, []string{"workload_class_long_ctx_share", "workload_class_short_share"}},
		{[]string{"platform"}, []string{"platform"}},
		{[]string{"a.b.c", "b.c", "x.a_b_c"}, []string{"a_b_c", "b_c", "x_a_b_c"}},
		{[]string{"a.b.c", "x.c", "a.b_c", "y.b_c"}, []string{"a_b_c", "x_c", "a_b_c_2", "y_b_c"}},
		{[]string{"model.70b", "--"}, []string{"axis_70b", "axis_"}},
		{nil, nil},
	} {
		got := AxisNames(c.paths, metrics)
		if fmt.Sprint(got) != fmt.Sprint(c.want) {
			t.Errorf("%q: %q, want %q", c.paths, got, c.want)
		}
	}
}
