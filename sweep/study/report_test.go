package study

import (
	"reflect"
	"slices"
	"testing"

	"scoville/sweep/results/spec"
)

func TestReport(t *testing.T) {
	s, err := parse(t, `schema = 1
[output]
metrics = ["ttft_p99_ms"]
[report]
keep = "tpot_gain_ratio > 0.1 && e2e_p50_ms < 9"
baseline = 'weight_dtype == "fp16"'
[[report.published]]
name = "short TTFT"
at = 'context == "short"'
class = "short"
metric = "ttft_mean_ms"
value = 38
ratio_to = "concurrency == 1"
tolerance = 0.2
source = "a table"
because = "why"
cannot = "never"
[[report.published]]
at = ""
metric = "output_tok_s"
value = 1.5
[[report.plot]]
name = "headline"
title = "t"
x = "context"
y = "tpot_mean_ms"
series = ["a", "b"]
scale = "log-log"
mark = "bound"
crossings = true
hline = [{ y = 1.14, label = "flat" }, { y = 2 }]
where = "tpot_p50_ms_n > 3"
[[report.plot]]
name = "two"
x = "a"
y = "b"
series = "c"
[[report.plot.hline]]
y = 3
`)
	if err != nil {
		t.Fatal(err)
	}
	want := spec.Report{
		Keep: "tpot_gain_ratio > 0.1 && e2e_p50_ms < 9", Baseline: `weight_dtype == "fp16"`,
		Published: []spec.Published{
			{Name: "short TTFT", At: `context == "short"`, Class: "short", Metric: "ttft_mean_ms", Value: 38, RatioTo: "concurrency == 1", Tolerance: 0.2, Source: "a table", Because: "why", Cannot: "never"},
			{Name: "output_tok_s", Metric: "output_tok_s", Value: 1.5, Tolerance: 0.1},
		},
		Plots: []spec.Plot{
			{
				Name: "headline", Title: "t", X: "context", Y: "tpot_mean_ms", Series: []string{"a", "b"}, Scale: "log-log", Mark: "bound", Crossings: true,
				HLine: []spec.Level{{Y: 1.14, Label: "flat"}, {Y: 2}}, Where: "tpot_p50_ms_n > 3",
			},
			{Name: "two", X: "a", Y: "b", Series: []string{"c"}, Scale: "linear", HLine: []spec.Level{{Y: 3}}},
		},
	}
	if !reflect.DeepEqual(s.Report, want) {
		t.Errorf("got  %+v\nwant %+v", s.Report, want)
	}
	if want := []string{"ttft_mean_ms", "ttft_p99_ms", "tpot_mean_ms", "tpot_p50_ms", "e2e_p50_ms", "output_tok_s"}; !slices.Equal(s.Metrics, want) {
		t.Errorf("metrics %q, want those the report names too: %q", s.Metrics, want)
	}
	if len(s.Conditions) != 5 || s.Conditions[2].Role != "at" || len(s.References) != 11 || s.References[10].Role != "series" {
		t.Errorf("%d conditions, references %+v", len(s.Conditions), s.References)
	}
}

var wrongReports = []wrong{
	{"schema = 1\n[report]\nkep = 'x'", `did you mean "report.keep"?`},
	{"schema = 1\n[report]\nkeep = 3", "dir/demo.toml:3:1: report.keep: needs a string"},
	{"schema = 1\n[report]\nkeep = ''", "is empty"},
	{"schema = 1\n[report]\nkeep = ' '", "is empty"},
	{"schema = 1\n[report]\nkeep = 'ttft_mean_ms + 1'", "dir/demo.toml:3:25: report.keep: no comparison after"},
	{"schema = 1\n[report]\nkeep = 'a > 1 and b'", "dir/demo.toml:3:15: report.keep: unexpected \"and\"\n    3 | keep = 'a > 1 and b'\n      |               ^ join tests by && or ||"},
	{"schema = 1\n[report]\nkeep = \"a == \\\"b\\\" and b\"", "dir/demo.toml:3:1: report.keep: unexpected \"and\" at column 10 of the expression"},
	{"schema = 1\n[report]\npublished = 3", "write [[report.published]]"},
	{"schema = 1\n[[report.published]]\nvalue = 3", "dir/demo.toml:2:1: report.published.metric: is missing"},
	{"schema = 1\n[[report.published]]\nmetric = 'x'", "report.published.value: is missing"},
	{"schema = 1\n[[report.published]]\nmetrics = 'x'", `did you mean "metric"?`},
	{"schema = 1\n[[report.published]]\nvalue = '38 ms'", "needs a number"},
	{"schema = 1\n[[report.published]]\ntolerance = 10", "dir/demo.toml:3:1: report.published.tolerance: 10 is not in [0,1)"},
	{"schema = 1\n[[report.published]]\ntolerance = -0.1", "-0.1 is not in [0,1)"},
	{"schema = 1\n[[report.published]]\nmetric = 'x'\nvalue = 0.92\nratio_to = 'y == 1'", "report.published.tolerance: a ratio of 0.92 within 0.1 may show less than half of the change from 1 and still count as reproduced\n    2 | [[report.published]]\n      | ^ write one of at most 0.043"},
	{"schema = 1\n[[report.published]]\nmetric = 'x'\nvalue = 1.2\ntolerance = 0.09\nratio_to = 'y == 1'", "dir/demo.toml:5:1: report.published.tolerance: a ratio of 1.2 within 0.09"},
	{"schema = 1\n[[report.published]]\nat = 'context = 3'", "dir/demo.toml:3:15: report.published.at: no comparison after"},
	{"schema = 1\n[[report.plot]]\nname = 'a'\nx = 'b'", "report.plot.y: is missing"},
	{"schema = 1\n[[report.plot]]\nname = 'a/b'", "is not a name of a plot"},
	{"schema = 1\n[[report.plot]]\nname = 'a'\nx = 'b'\ny = 'c'\n[[report.plot]]\nname = 'a'", "dir/demo.toml:7:1: report.plot.name: a plot named \"a\" is already there"},
	{"schema = 1\n[[report.plot]]\nscale = 'log'", "write one of linear, log-x, log-y, log-log"},
	{"schema = 1\n[[report.plot]]\nseries = [3]", "needs a string"},
	{"schema = 1\n[[report.plot]]\ncrossings = 'yes'", "needs a truth value"},
	{"schema = 1\n[[report.plot]]\nhline = 3", "write [{ y = 1.14"},
	{"schema = 1\n[[report.plot]]\nhline = [3]", "a line needs y"},
	{"schema = 1\n[[report.plot]]\nhline = [{ y = 1, lable = 'x' }]", "no other key"},
	{"schema = 1\n[[report.plot]]\nwere = 'x'", `did you mean "where"?`},
}
