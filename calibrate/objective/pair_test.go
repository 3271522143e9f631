package objective

import (
	"context"
	"errors"
	"strings"
	"testing"

	"scoville/calibrate/measured"
	"scoville/core/scenario"
)

func openRows(t *testing.T, rates ...string) []*measured.Observation {
	t.Helper()
	text := "gpu,model,isl,osl,request_rate,num_prompts,ttft_ms,tpot_mean_ms\n"
	for _, r := range rates {
		text += "h100-sxm,llama-3.1-8b,2048,128," + r + ",400,60,12\n"
	}
	f, err := measured.Read("x.csv", []byte(text), measured.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var out []*measured.Observation
	for i := range f.Rows {
		out = append(out, &f.Rows[i])
	}
	return out
}

// Open-loop rows beyond the capacity are saturated, whatever was measured.
func TestPairOpenLoop(t *testing.T) {
	obs := openRows(t, "1", "200", "200")
	conds, err := Pair(context.Background(), obs, nil, scenario.NewCatalog("."))
	if err != nil {
		t.Fatal(err)
	}
	if len(conds) != 1 || obs[0].Dropped != "" {
		t.Errorf("%d conditions, the slow one dropped: %q", len(conds), obs[0].Dropped)
	}
	for _, o := range obs[1:] {
		if !strings.HasPrefix(o.Dropped, "saturated: ") || !strings.Contains(o.Dropped, "of the capacity") {
			t.Errorf("dropped: %q", o.Dropped)
		}
	}
	slow := []scenario.Assignment{{Path: "engine.layer_overhead_us", Value: 100_000.0}} // a step takes 3 s
	obs = openRows(t, "1")
	if conds, err := Pair(context.Background(), obs, slow, scenario.NewCatalog(".")); err != nil || len(conds) != 0 {
		t.Errorf("what is fixed stands before the priors: %v, %q", err, obs[0].Dropped)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Pair(ctx, openRows(t, "1"), nil, scenario.NewCatalog(".")); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

// A column that names no statistic is what measurement.statistic says.
func TestPairStatistic(t *testing.T) {
	for stat, want := range map[string]string{"": "ttft_mean_ms", "mean": "ttft_mean_ms", "p50": "ttft_p50_ms"} {
		var extra []scenario.Assignment
		if stat != "" {
			extra = append(extra, scenario.Assignment{Path: "measurement.statistic", Value: stat})
		}
		obs := openRows(t, "1")
		if _, err := Pair(context.Background(), obs, extra, scenario.NewCatalog(".")); err != nil {
			t.Fatal(err)
		}
		if got := obs[0].Targets; got[0].Metric != want || got[1].Metric != "tpot_mean_ms" {
			t.Errorf("%q: targets %v", stat, got)
		}
	}
}

// Engines of 2026 schedule ahead, unless rows, what is fixed or an overlay say
// how theirs does.
func TestPairScheduling(t *testing.T) {
	version := func(v string) scenario.Assignment { return scenario.Assignment{Path: "engine.version", Value: v} }
	for _, c := range []struct {
		extra   []scenario.Assignment
		overlay *scenario.Layer
		want    bool
	}{
		{nil, nil, false},
		{[]scenario.Assignment{version("vllm 0.12.0")}, nil, false},
		{[]scenario.Assignment{version("vllm 0.18.0")}, nil, true},
		{[]scenario.Assignment{version("vllm 0.18.0"), {Path: Async, Value: false}}, nil, false},
		{[]scenario.Assignment{version("vllm 0.18.0"), {Path: "engine.dp", Value: 2}}, nil, false},
		{[]scenario.Assignment{version("vllm 0.18.0")}, &scenario.Layer{Name: "overlay"}, false},
	} {
		conds, err := pairOver(context.Background(), openRows(t, "1"), c.extra, scenario.NewCatalog("."), c.overlay)
		if err != nil || len(conds) != 1 {
			t.Fatalf("%v: %d conditions, %v", c.extra, len(conds), err)
		}
		if got := conds[0].Scenario.Engine.Async; got != c.want {
			t.Errorf("%v, overlay %v: schedules ahead %v", c.extra, c.overlay != nil, got)
		}
	}
}
