package study

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"scoville/sweep/results/spec"
)

const losses = "weight_dtype,kv_dtype,context_max,loss_ratio\nint4,int4,4096,0.01\n"

func withLosses(text string) (*Study, error) {
	return decode("dir/demo.toml", []byte(text), nil, func(file string) ([]byte, error) {
		switch file {
		case "dir/loss.csv":
			return []byte(losses), nil
		case "dir/percent.csv":
			return []byte(strings.Replace(losses, "0.01", "3.2", 1)), nil
		}
		return nil, errors.New("no such file")
	})
}

func TestObjectives(t *testing.T) {
	s, err := withLosses("schema = 1\n[accuracy]\ntable = 'loss.csv'\n[output]\nmetrics = ['e2e_p99_ms']\n[[objective]]\nmetric = 'tpot_mean_ms'\n[[objective]]\nmetric = 'accuracy_loss_ratio'\n[[objective]]\nmetric = 'output_tok_s'\n[[objective]]\nmetric = 'time_gemm_ratio'\ngoal = 'max'\n")
	if err != nil {
		t.Fatal(err)
	}
	want := []spec.Objective{{Metric: "tpot_mean_ms", Goal: "min"}, {Metric: "accuracy_loss_ratio", Goal: "min"}, {Metric: "output_tok_s", Goal: "max"}, {Metric: "time_gemm_ratio", Goal: "max"}}
	if !slices.Equal(s.Objectives, want) {
		t.Errorf("objectives %v, want %v", s.Objectives, want)
	}
	if loss, ok := s.Accuracy.Loss("int4", "int4", 100); loss != 0.01 || !ok || len(s.Accuracy.SHA256) != 64 {
		t.Errorf("loss %g %v, %s", loss, ok, s.Accuracy.SHA256)
	}
	if !slices.Contains(s.Metrics, "tpot_mean_ms") || !slices.Contains(s.Metrics, "output_tok_s") {
		t.Errorf("the objectives are not among the metrics %q", s.Metrics)
	}
}

// An objective adds itself to the chosen metrics, and no metric that its name
// begins with.
func TestObjectiveIsAddedAlone(t *testing.T) {
	s, err := withLosses("schema = 1\n[output]\nmetrics = ['ttft_mean_ms']\n[[objective]]\nmetric = 'output_tok_s_per_chip'\n")
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{"ttft_mean_ms", "output_tok_s_per_chip"}; !slices.Equal(s.Metrics, want) {
		t.Errorf("metrics %q, want %q", s.Metrics, want)
	}
}

func TestObjectiveErrors(t *testing.T) {
	for text, want := range map[string]string{
		"[[objective]]\ngoal = 'min'":                                                    "dir/demo.toml:2:1: objective.metric: is missing",
		"[[objective]]\nmetric = 'tpott_mean_ms'":                                        `dir/demo.toml:3:1: objective.metric: no metric "tpott_mean_ms"`,
		"[[objective]]\nmetric = 'accuracy_los_ratio'":                                   `did you mean "accuracy_loss_ratio"?`,
		"[[objective]]\nmetric = 'accuracy_loss_ratio'":                                  "accuracy_loss_ratio needs a table of losses",
		"[[objective]]\nmetric = 'tpot_mean_ms'\ngoal = 'low'":                           `write "min" or "max"`,
		"[[objective]]\nmetric = 'tpot_mean_ms'\n[[objective]]\nmetric = 'tpot_mean_ms'": "dir/demo.toml:5:1: objective.metric: tpot_mean_ms is an objective already",
		"[[objective]]\nmetric = 'time_gemm_ratio'":                                      `add goal = "min" or "max"`,
		"[[objective]]\nmetrics = 'x'":                                                   `did you mean "metric"?`,
		"objective = 'x'":                                                                "is not a list of tables",
		"[accuracy]\ntables = 'x'":                                                       `did you mean "accuracy.table"?`,
		"[accuracy]\ntable = 3":                                                          "needs a string",
		"[accuracy]\ntable = 'gone.csv'":                                                 `dir/demo.toml:3:1: accuracy.table: cannot read "dir/gone.csv": no such file`,
		"[accuracy]\ntable = 'percent.csv'":                                              "dir/percent.csv:2:16: is 3.2 a percentage?",
		"[report]\nkeep = 'accuracy_loss_ratio < 0.1'":                                   "dir/demo.toml:3:1: report.keep: accuracy_loss_ratio needs a table of losses",
	} {
		if _, err := withLosses("schema = 1\n" + text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s\n got %v\nwant %s", text, err, want)
		}
	}
}
