package study

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

const sampled = "schema = 1\n[sample]\nmethod = 'lhs'\nn = 8\n[sample.space]\n"

var wrongSamples = []wrong{
	{"schema = 1\n[sample]\nmethod = 'lsh'", "dir/demo.toml:3:1: sample.method: no method \"lsh\""},
	{"schema = 1\n[sample]\nmethod = 'lsh'", "write one of lhs, sobol, random, morris, saltelli"},
	{"schema = 1\n[sample]\nmethod = 3", "needs a string"},
	{"schema = 1\n[sample]\nn = 0", "needs a whole number from 1 to 16777216"},
	{"schema = 1\n[sample]\nn = 3.0", "needs a whole number"},
	{"schema = 1\n[sample]\nseed = -1", "needs a whole number from 0"},
	{"schema = 1\n[sample]\ndummy = 1", "needs true or false"},
	{"schema = 1\n[sample]\nmethods = 'lhs'", `did you mean "sample.method"?`},
	{"schema = 1\n[sample.spaces]\nengine.tp = [1, 2]", "unknown key \"sample.spaces\""},
	{"schema = 1\n[sample.spaces]\nengine.tp = [1, 2]", `did you mean "sample.space"?`},
	{"schema = 1\nsample = 3", "sample: needs method, n and a space"},
	{"schema = 1\n[sample]", "dir/demo.toml:2:1: sample: needs method, n and a space"},
	{"schema = 1\n[sample]\nn = 8\n[sample.space]\nengine.tp = [1, 2]", "sample.method is missing"},
	{"schema = 1\n[sample]\nmethod = 'lhs'\n[sample.space]\nengine.tp = [1, 2]", "sample.n is missing"},
	{"schema = 1\n[sample]\nmethod = 'lhs'\nn = 8", "sample.space is missing"},
	{sampled, "dir/demo.toml:5:1: sample.space: has no parameters"},
	{"schema = 1\n[sample]\nmethod = 'sobol'\nn = 100\n[sample.space]\nengine.tp = [1, 2]", "dir/demo.toml:4:1: sample.n: 100 is not a power of two"},
	{"schema = 1\n[sample]\nmethod = 'saltelli'\nn = 100\n[sample.space]\nengine.tp = [1, 2]", "the nearest are 64 and 128"},
	{sampled + "engine.tpp = [1, 2]", `dir/demo.toml:6:1: sample.space: no parameter "engine.tpp"`},
	{sampled + "\"slo.nope.max\" = [1, 2]", `no metric "nope"`},
	{sampled + "engine.tp = 2", "2 is one value, which does not vary"},
	{sampled + "engine.tp = [2]", "one level does not vary"},
	{sampled + "engine.tp = []", "has no levels"},
	{sampled + "engine.tp = [1, 2.5]", "2.5 is not a whole number"},
	{sampled + "engine.scheduler = ['lifo', 'sjf']", "is not one of"},
	{sampled + "engine.scheduler = { min = 1, max = 2 }", "takes a string: only numbers have ranges and distributions"},
	{sampled + bw + " = { min = 1 }", "a range needs max"},
	{sampled + bw + " = { min = 1, max = 2, n = 3 }", `a range has no key "n"; it takes min, max, scale, step`},
	{sampled + bw + " = { min = 2, max = 2 }", "min = 2 is not below max = 2"},
	{sampled + bw + " = { min = 3, max = 2 }", "^ swap them"},
	{sampled + bw + " = { min = 1, max = 2, scale = 'ln' }", `"ln" is not a scale`},
	{sampled + bw + " = { min = 0, max = 2, scale = 'log' }", "min and max of a log range are above 0"},
	{sampled + bw + " = { min = -1, max = 2 }", "-1 is not in [0,1e9]"},
	{sampled + bw + " = { min = true, max = 2 }", "min = true is not a number"},
	{sampled + bw + " = { min = '-20%', max = 2 }", `min = "-20%" is not a number`},
	{sampled + bw + " = { min = '-20', max = '20%' }", `min = "-20" is no value`},
	{sampled + bw + " = { min = '-100%', max = '+20%' }", `min = "-100%" is no value`},
	{sampled + bw + " = { min = '+20%', max = '-20%' }", `min = "+20%" is not below max = "-20%"`},
	{sampled + bw + " = { min = '-20%', max = '+20%', step = 0.1 }", "a relative range has no step"},
	{sampled + "engine.max_num_seqs = { min = '-20%', max = '+20%' }", "a relative range would round them"},
	{sampled + bw + " = { min = 1, max = 2, step = 0.3 }", "steps of 0.3 from 1 miss max = 2: the nearest ends are 1.9 and 2.2"},
	{sampled + bw + " = { min = 1, max = 2, step = 0 }", "step = 0 is not a number above 0"},
	{sampled + bw + " = { min = 1, max = 2, step = 1e-12 }", "at most 1e9 values"},
	{sampled + bw + " = { min = 1, max = 2, scale = 'log', step = 1 }", "a log range has no step"},
	{sampled + "engine.tp = { min = 1, max = 3, step = 0.5 }", "leads beside them"},
	{sampled + "engine.tp = { min = 1.5, max = 3 }", "1.5 is not a whole number"},
	{sampled + bw + " = { dist = 'gauss', mean = 1 }", `^ write one of lognormal, loguniform, normal, triangular, uniform`},
	{sampled + bw + " = { dist = 'normal', mean = 1 }", "a distribution has one of sd and cv"},
	{sampled + bw + " = { dist = 'normal', mean = 1, sd = 1, cv = 1 }", "a distribution has one of sd and cv"},
	{sampled + bw + " = { dist = 'normal', mean = 1, sd = 0 }", "sd = 0 is no spread"},
	{sampled + bw + " = { dist = 'lognormal', mean = 1, sd = 1e-300 }", "sd = 1e-300 is no spread"},
	{sampled + bw + " = { dist = 'lognormal', mean = 1e-300, sd = 1 }", "sd = 1 is no spread"},
	{sampled + bw + " = { dist = 'normal', sd = 1 }", `dist = "normal" needs mean`},
	{sampled + bw + " = { dist = 'normal', mean = 100, sd = 1, max = 50 }", "min and max leave 0 of the distribution"},
	{sampled + bw + " = { dist = 'lognormal', mean = 0, sd = 1 }", "mean = 0 is not above 0"},
	{sampled + bw + " = { dist = 'lognormal', mean = 1, sigma = 1 }", `has no key "sigma"`},
	{sampled + bw + " = { dist = 'triangular', min = 1, max = 2, mode = 3 }", "mode = 3 is not between min and max"},
	{sampled + bw + " = { dist = 'loguniform', min = 0, max = 2 }", "are above 0"},
	{sampled + bw + " = [1, 2]\n[oat]\nengine.tp = [1, 2]", "dir/demo.toml:7:1: oat: cannot stand beside [sample]"},
	{sampled + bw + " = [1, 2]\n[axes]\n" + bw + " = [1, 2]", `dir/demo.toml:6:1: sample.space: "hardware.weight_bandwidth_gb_s" is an axis already`},
	{
		sampled + "\"workload.class.a.prompt_tokens\" = [1, 2]\n\"workload.class.a.prompt_tokens.mean\" = [1, 2]",
		`sample.space: "workload.class.a.prompt_tokens" and "workload.class.a.prompt_tokens.mean" are not independent`,
	},
	{sampled + bw + " = [1, 2]\n[search]\nover = " + bw + "\ngoal = 'max'\nfrom = 1\nto = 2", "is varied by hardware.weight_bandwidth_gb_s too"},
}

func TestWrongSamples(t *testing.T) {
	for _, c := range wrongSamples {
		if _, err := parse(t, c.text); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q\n got %v\nwant %s", c.text, err, c.want)
		}
	}
}

// What the space is decides the values of the rows.
func TestSampleRows(t *testing.T) {
	for _, c := range []struct {
		space, path string
		want        []string // values in order, each once
	}{
		{"engine.tp = { min = 1, max = 4 }", "engine.tp", []string{"1", "2", "3", "4"}},
		{"engine.tp = { min = 2, max = 8, step = 2 }", "engine.tp", []string{"2", "4", "6", "8"}},
		{"engine.tp = { from = 1, to = 8, factor = 2 }", "engine.tp", []string{"1", "2", "4", "8"}},
		{"engine.tp = [1, { from = 4, to = 8, step = 2 }]", "engine.tp", []string{"1", "4", "6", "8"}},
		{"hardware.overlap = { min = 0.1, max = 0.3, step = 0.1 }", "hardware.overlap", []string{"0.1", "0.2", "0.3"}},
		{"engine.scheduler = ['continuous', 'sjf']", "engine.scheduler", []string{"continuous", "sjf"}},
		{bw + " = ['-20%', '+20%']", "hardware.weight_bandwidth_gb_s", []string{"4/5", "6/5"}},
		{"\"workload.class.a.prompt_tokens\" = { min = 7, max = 8 }", "workload.class.a.prompt_tokens", []string{"7", "8"}}, // whole tokens
	} {
		s, err := parse(t, sampled+c.space)
		if err != nil {
			t.Errorf("%s: %v", c.space, err)
			continue
		}
		var got []string
		for i := range s.Sample.Rows() {
			row, err := s.Sample.Row(i)
			if err != nil || len(row.Values) != 1 || row.Values[0].Path != c.path {
				t.Fatalf("%s: row %d is %+v, %v", c.space, i, row, err)
			}
			v := row.Values[0]
			text := fmt.Sprint(v.Value)
			if v.Factor != nil {
				text = v.Factor.String()
			}
			if strings.HasPrefix(text, "{") {
				text = strings.Fields(text)[1] // of a length: kind, mean, ...
			}
			if !slices.Contains(got, text) {
				got = append(got, text)
			}
		}
		slices.Sort(got)
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", c.space, got, c.want)
		}
	}
}

// A distribution that leaves the range of its parameter says which row does and
// what to write.
func TestSampleOutside(t *testing.T) {
	s, err := parse(t, sampled+bw+" = { dist = 'normal', mean = 0, sd = 10 }")
	if err != nil {
		t.Fatal(err)
	}
	for i := range s.Sample.Rows() {
		if _, err = s.Sample.Row(i); err != nil {
			break
		}
	}
	if err == nil || !strings.Contains(err.Error(), "dir/demo.toml:6:1") || !strings.Contains(err.Error(), "of the sample: cut the distribution off with min and max") {
		t.Errorf("%v", err)
	}
}

// --set cannot give what the sample varies.
func TestSampleSet(t *testing.T) {
	text := sampled + bw + " = [1, 2]"
	if _, err := decode("dir/demo.toml", []byte(text), []string{"hardware.weight_bandwidth_gb_s=3"}, nil); err == nil || !strings.Contains(err.Error(), "is varied by the design") {
		t.Errorf("%v", err)
	}
}
