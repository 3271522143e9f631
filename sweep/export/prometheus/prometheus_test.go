package prometheus

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"scoville/core/table"
	"scoville/sweep/results"
)

const study = `schema = 1
name = "s"
model.name = "llama"
hardware.name = "chip"
[slo]
ttft_p99_ms = { max = 400 }
tpot_mean_ms = { max = 20, min = 1 }
`

// made writes results: point 0 is steady, 1 saturated, 2 infeasible, 3 a closed
// loop; more are steady as 0.
func made(t *testing.T, more int) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "out")
	s, err := results.Create(dir, results.Meta{
		Study: "s", StudyTOML: []byte(study), SimVersion: 1, Planned: 4 + more,
		Axes:       []results.Axis{{Path: "hardware.name", Kind: table.String}, {Path: "x.state", Kind: table.String}, {Path: "workload.rate_rps", Kind: table.Float64}},
		Metrics:    []table.Column{{Name: "ttft_mean_ms", Unit: "ms", Better: "lower"}, {Name: "ttft_p99_ms", Unit: "ms"}, {Name: "tpot_mean_ms", Unit: "ms"}, {Name: "output_tok_s"}, {Name: "itl_p50_ms"}},
		Objectives: []results.Objective{{Metric: "ttft_mean_ms", Goal: "min"}},
	})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	yes, no := true, false
	var runs []results.Run
	for i := range 4 + more {
		r := results.Run{
			PointID: fmt.Sprintf("%016x", i+0xabc0000), PointIndex: i, Status: results.OK, Axes: []any{"other-chip", "a\"b\\c\nd\x1b", 2.5 + float64(i)},
			Metrics: []float64{100 + float64(i), 250, 12.5, 900, math.NaN()}, OfferedRPS: 2.5 + float64(i), CapacityRPS: 5, LoadRatio: 0.5, SeedHex: "ff", Steady: &yes,
		}
		switch i {
		case 1:
			r.Steady = &no
		case 2:
			r.Status, r.Error = results.Infeasible, "does not fit"
		case 3:
			r.Steady, r.OfferedRPS, r.LoadRatio = nil, math.NaN(), math.NaN()
		}
		runs = append(runs, r)
	}
	if err := s.Write(results.Each(runs)); err != nil {
		t.Fatal(err)
	}
	return dir
}

func write(t *testing.T, o Options) (w *Written, metrics, rules string) {
	t.Helper()
	o.Out = t.TempDir()
	w, err := Write(o)
	if err != nil {
		t.Fatal(err)
	}
	for file, text := range map[string]*string{w.Metrics: &metrics, w.Rules: &rules} {
		b, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		*text = string(b)
	}
	return w, metrics, rules
}

func TestMetrics(t *testing.T) {
	o := Default()
	o.Dir = made(t, 0)
	w, text, _ := write(t, o)
	const all = `study="s",point="%d",model="llama",hardware="other-chip",version="1",axis_state="a\"b\\c\nd\\u001b",rate_rps="%s"`
	of := func(point int, rate string) string { return fmt.Sprintf(all, point, rate) }
	for _, line := range []string{
		`scoville_predicted_time_to_first_token_seconds{` + of(0, "2.5") + `,stat="mean"} 0.1`,
		`scoville_predicted_time_to_first_token_seconds{` + of(3, "5.5") + `,stat="p99"} 0.25`,
		`scoville_predicted_time_per_output_token_seconds{` + of(0, "2.5") + `,stat="mean"} 0.0125`,
		`scoville_predicted_output_tokens_per_second{` + of(0, "2.5") + `} 900`,
		`scoville_predicted_offered_requests_per_second{` + of(1, "3.5") + `} 3.5`,
		`scoville_predicted_capacity_requests_per_second{` + of(1, "3.5") + `} 5`,
		`scoville_predicted_state{` + of(0, "2.5") + `,state="steady"} 1`,
		`scoville_predicted_state{` + of(1, "3.5") + `,state="saturated"} 1`,
		`scoville_predicted_state{` + of(2, "4.5") + `,state="infeasible"} 1`,
		`scoville_predicted_state{` + of(3, "5.5") + `,state="unjudged"} 1`,
	} {
		if !strings.Contains(text, "\n"+line+"\n") {
			t.Errorf("no line %s", line)
		}
	}
	for _, never := range []string{`seconds{` + of(1, "3.5"), `seconds{` + of(2, "4.5"), `per_second{` + of(2, "4.5"), "inter_token", "NaN", "ci_lower", `offered_requests_per_second{` + of(3, "5.5"), "e2e"} {
		if strings.Contains(text, never) {
			t.Errorf("there is %s", never)
		}
	}
	series, seen := 0, map[string]bool{}
	shape := regexp.MustCompile(`^[a-z0-9_]+\{([a-z_]+="([^"\\]|\\.)*",?)+\} [-+0-9.e]+$`)
	for _, line := range strings.Split(strings.TrimRight(text, "\n"), "\n") {
		if strings.HasPrefix(line, "#") {
			continue
		}
		if series++; !shape.MatchString(line) || seen[line] {
			t.Errorf("line %s", line)
		}
		seen[line] = true
	}
	if series != w.Series || w.Points != 4 {
		t.Errorf("%d series of %d points, said %d", series, w.Points, w.Series)
	}
	if _, again, _ := write(t, o); again != text {
		t.Error("the same results give other bytes")
	}
}

func TestRules(t *testing.T) {
	o := Default()
	o.Dir = made(t, 0)
	_, _, text := write(t, o)
	for _, want := range []string{
		"histogram_quantile(0.99, sum by (le) (rate(vllm:time_to_first_token_seconds_bucket[5m])))\n          > 0.4\n",
		"> 0.02\n", "the [slo] of the study", "No --match was given",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q", want)
		}
	}
	if strings.Contains(text, "ScovilleTTFTOverTPOTLow") {
		t.Error("a rule that nobody asked for")
	}
	o.Ratio = 5
	if w, _, text := write(t, o); w.Alerts != 7 || !strings.Contains(text, "< 5\n") {
		t.Error("no rule of TTFT over TPOT")
	}
	o.TTFT, o.Match, o.Metrics.TPOT = 1, []string{`model_name=a"b\c`, "job!~x.*"}, "kserve_vllm:time_per_output_token_seconds"
	_, _, text = write(t, o)
	for _, want := range []string{"> 1\n", `{model_name="a\"b\\c",job!~"x.*"}[5m]`, "kserve_vllm:time_per_output_token_seconds_sum{"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q", want)
		}
	}
	if strings.Contains(text, "predicted_time_per_output_token") || strings.Contains(text, "ScovilleTPOTOffPrediction") {
		t.Error("gaps between tokens are held against TPOT, which is not the same")
	}
}

func TestChoice(t *testing.T) {
	dir := made(t, 0)
	for _, c := range []struct {
		set  func(*Options)
		want int
	}{
		{func(o *Options) { o.Points = []string{"1"} }, 1},
		{func(o *Options) { o.Points = []string{"000000000abc0002", "3"} }, 2},
		{func(o *Options) { o.Where = "rate_rps > 3 && hardware == 'other-chip'" }, 3},
		{func(o *Options) { o.Front = true }, 1},
	} {
		o := Default()
		o.Dir = dir
		c.set(&o)
		if w, _, _ := write(t, o); w.Points != c.want {
			t.Errorf("%d points, want %d", w.Points, c.want)
		}
	}
}

// Of points that searches tried alone there is no rule, and of points that are not
// judged a note.
func TestNoPointNoRule(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "out")
	s, err := results.Create(dir, results.Meta{Study: "s", StudyTOML: []byte(study), SimVersion: 1, Planned: 1, Metrics: []table.Column{{Name: "ttft_mean_ms", Unit: "ms"}}})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if err := s.Write(results.Each([]results.Run{{PointID: fmt.Sprintf("%016x", 1), Status: results.OK, SearchID: "0123456789abcdef", Metrics: []float64{100}, SeedHex: "ff"}})); err != nil {
		t.Fatal(err)
	}
	o := Default()
	o.Dir = dir
	if w, _, rules := write(t, o); w.Alerts != 0 || strings.Contains(rules, "alert:") || !strings.Contains(rules, "groups: []") || !strings.Contains(strings.Join(w.Notes, "\n"), "there are no alert rules") {
		t.Errorf("%d alerts, %q\n%s", w.Alerts, w.Notes, rules)
	}
	o.Dir = made(t, 0)
	if w, _, _ := write(t, o); w.Alerts == 0 || !strings.Contains(strings.Join(w.Notes, "\n"), "1 of 2 points with latencies are judged neither") {
		t.Errorf("%d alerts, %q", w.Alerts, w.Notes)
	}
}

func TestRefused(t *testing.T) {
	dir, many := made(t, 0), made(t, Limit)
	for want, set := range map[string]func(*Options){
		"204 points would be":         func(o *Options) { o.Dir = many },
		"give --limit 204":            func(o *Options) { o.Dir = many },
		"at most 3 unless":            func(o *Options) { o.Limit = 3 },
		"no such point":               func(o *Options) { o.Points = []string{"9"} },
		"4 points have ids":           func(o *Options) { o.Points = []string{"000000000abc"} },
		"no point of":                 func(o *Options) { o.Where = "rate_rps > 100" },
		"no column \"rate\"":          func(o *Options) { o.Where = "rate > 100" },
		"--for \"soon\"":              func(o *Options) { o.For = "soon" },
		"--window \"0s\"":             func(o *Options) { o.Window = "0s" },
		"--window \"5m1h\"":           func(o *Options) { o.Window = "5m1h" },
		"--deviation 0":               func(o *Options) { o.Deviation = 0 },
		"--load NaN":                  func(o *Options) { o.Load = math.NaN() },
		"write label=value":           func(o *Options) { o.Match = []string{"llama"} },
		"missing closing":             func(o *Options) { o.Match = []string{"model_name=~(a"} },
		"\"a b\" is no name":          func(o *Options) { o.Metrics.TTFT = "a b" },
		"--ttft-over-tpot -1":         func(o *Options) { o.Ratio = -1 },
		"--where 'name ==":            func(o *Options) { o.Dir = many },
		"holds no results":            func(o *Options) { o.Dir = "nowhere" },
		"--ttft and --tpot: a time a": func(o *Options) { o.TTFT = -1 },
	} {
		o := Default()
		o.Dir, o.Out = dir, t.TempDir()
		set(&o)
		if _, err := Write(o); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}
