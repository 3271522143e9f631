package sweep

import (
	"context"
	"strings"
	"testing"

	"scoville/core"
	"scoville/core/scenario"
	"scoville/sweep/results"
)

const grid = reference + `
[axes]
"engine.max_num_seqs" = [4, 8]
[[cases.context]]
name = "short"
"workload.class.chat.prompt_tokens" = 128
[[cases.context]]
name = "long"
"workload.class.chat.prompt_tokens" = 2048
`

// What a study asks of its report is checked before anything runs, with an
// error at the place.
func TestAskedErrors(t *testing.T) {
	const oat = reference + "[oat]\n\"hardware.weight_bandwidth_gb_s\" = [\"-20%\", \"+20%\"]\n"
	const figure = "[[report.published]]\nmetric = 'ttft_mean_ms'\nvalue = 3\n"
	for _, c := range []struct{ study, text, want string }{
		{grid, "[report]\nkeep = 'tpot_gain_ratio > 0.1 && max_num_seqs == 4 && steady && ttft_p99_ms_n > 1 && tpot_p99_ms_gain_ratio > 0'", ""},
		{grid, "[report]\nkeep = 'tpot_gain > 0.1'", `28 | keep = 'tpot_gain > 0.1'`},
		{grid, "[report]\nkeep = 'ttft_p98_ms < 3'", `report.keep: no column "ttft_p98_ms"`},
		{grid, "[report]\nkeep = 'ttft_p98_ms < 3'", `did you mean "ttft_p90_ms"?`},
		{grid, "[report]\nkeep = 'prefill_share_gain_ratio < 3'", `no metric "prefill_share" to gain in`},
		{grid, "[report]\nkeep = 'context == 3'", `"context" is a text, "3" is a number`},
		{grid, "[report]\nkeep = 'status'", `no comparison after "status"`},
		{grid, figure + "at = 'context == \"short\" && engine.max_num_seqs == 8'", ""},
		{grid, figure + "at = 'context == \"short\"'", "selects 2 of 4 points: 0, 2"},
		{grid, figure + "at = 'context == \"middle\"'", "selects none of 4 points"},
		{grid, figure + "at = 'contxt == \"short\"'", `did you mean "context"?`},
		{grid, figure + "at = 'ttft_mean_ms < 4'", `no axis "ttft_mean_ms"`},
		{grid, figure + "at = 'point_index == 2'\nratio_to = 'point_index < 2'", "report.published.ratio_to: selects 2 of 4 points"},
		{grid, "[[report.published]]\nvalue = 1\nmetric = 'tfft_mean_ms'", "did you mean \"ttft_mean_ms\"?"},
		{grid, "[[report.published]]\nvalue = 1\nmetric = 'capacity_rps'\nat = 'point_index == 3'", ""},
		{grid, "[[report.published]]\nvalue = 1\nmetric = 'context'", `no metric "context"`},
		{grid, figure + "at = 'point_index == 0'\nclass = 'chat'", ""},
		{grid, figure + "at = 'point_index == 0'\nclass = 'talk'", "report.published.class: no class is named \"talk\"\n   31 | class = 'talk'\n      | ^ the classes are chat"},
		{grid, "[[report.published]]\nvalue = 1\nmetric = 'output_tok_s'\nclass = 'chat'\nat = 'point_index == 0'", "a class has no \"output_tok_s\" of its own"},
		{grid, figure, "which of 4 points is the figure about?"},
		{reference, figure, ""},
		{oat, figure + "at = 'oat_level == \"-20%\"'", ""},
		{oat, figure + "at = 'baseline'", ""},
		{oat, figure + "at = '!baseline'", "selects 2 of 3 points: 1, 2"},
		{grid, "[[report.plot]]\nname = 'p'\nx = 'max_num_seqs'\ny = 'ttft_p99_ms'\nseries = 'context'\nmark = 'bound'\nwhere = 'steady && ttft_p99_ms < 100'", ""},
		{grid, "[[report.plot]]\nname = 'p'\nx = 'engine.max_num_seqs'\ny = 'ttft_p99_ms_delta_ratio'", ""},
		{grid, "[[report.plot]]\nname = 'p'\nx = 'num_seqs'\ny = 'ttft_p99_ms'", `report.plot.x: no metric, axis or other column "num_seqs"`},
		{grid, "[[report.plot]]\nname = 'p'\nx = 'context'\ny = 'ttft_p99_ms'\nseries = 'bound'", "the axes are max_num_seqs, context"},
		{grid, "[[report.plot]]\nname = 'p'\nx = 'context'\ny = 'ttft_p99_ms'\nwhere = 'tpot_gain_ratio > 0'", `no column "tpot_gain_ratio"`},
	} {
		_, err := Load(write(t, c.study+c.text), nil)
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s\n got %v\nwant %s", c.text, err, c.want)
		}
	}
}

// The manifest keeps what the report needs.
func TestAskedInManifest(t *testing.T) {
	text := grid + "[report]\nkeep = 'tpot_p50_ms > 3'\n[[report.published]]\nmetric = 'ttft_mean_ms'\nvalue = 3\nat = 'point_index == 1'\n"
	dir := t.TempDir()
	sim := fake(func(sc *scenario.Scenario, _ core.Options) core.Result { return fine(float64(sc.Engine.MaxNumSeqs)) })
	if _, err := Run(context.Background(), Options{File: write(t, text), Dir: dir, Jobs: 1, newSimulate: sim}); err != nil {
		t.Fatal(err)
	}
	d, err := results.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	r := d.Manifest.Report
	if r.Keep != "tpot_p50_ms > 3" || len(r.Published) != 1 || r.Published[0].Tolerance != 0.1 {
		t.Errorf("the manifest's report is %+v", r)
	}
}
