package study

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"scoville/core/scenario"
)

// wrong is a study text and part of the error it must give.
type wrong struct{ text, want string }

var wrongSettings = []wrong{
	{"name = 'x'", "dir/demo.toml: schema: is missing; add schema = 1 as the first line"},
	{"schema = 2", "dir/demo.toml:1:1: schema: this version reads schema 1 only"},
	{"schema = 1.0", "schema 1 only"},
	{"schema = 1\nsede = 1", `dir/demo.toml:2:1: study: unknown key "sede"`},
	{"schema = 1\n[axis]\nx = 1", `unknown key "axis"`},
	{"schema = 1\n[replicate]\nn = 1", `did you mean "replicates"?`},
	{"schema = 1\n[replicates]\nnn = 1", `did you mean "replicates.n"?`},
	{"schema = 1\n[output]\nrequests = 'some'", `output.requests: "some" does not say which requests to keep`},
	{"schema = 1\n[output]\nrequests = 'sample:0'", `write "none", "sample:1000" or "all"`},
	{"schema = 1\n[output]\nrequests = 'sample:1.5'", "does not say which"},
	{"schema = 1\n[output]\nrequests = '100'", "does not say which"},
	{"schema = 1\n[output]\nrequests = 100", "100 does not say which"},
	{"schema = 1\nname = 'Big Study'", `"Big Study" is not a name of a study`},
	{"schema = 1\nname = 3", "needs a string"},
	{"schema = 1\n[replicates]\nn = 0", "needs a whole number from 1 to 1000000"},
	{"schema = 1\n[replicates]\nseed = -1", "needs a whole number from 0"},
	{"schema = 1\n[replicates]\nseed = 1.0", "needs a whole number from 0"},
	{"schema = 1\n[run]\nmax_runs = 'many'", "needs a whole number"},
	{"schema = 1\n[output]\ndir = '../../x'", "leads out of the working directory"},
	{"schema = 1\n[output]\ndir = 's3://a/b'", "is a URL"},
	{"schema = 1\n[output]\nmetrics = ['tpott_mean_ms']", `did you mean "tpot_mean_ms"?`},
	{"schema = 1\n[output]\nmetrics = ['[']", "is not a pattern"},
	{"schema = 1\n[output]\nmetrics = 3", "needs a list of strings"},
	{"schema = 1\n[slo]\nttft_p98_ms = { max = 3 }", `slo.ttft_p98_ms.max: no metric "ttft_p98_ms"`},
	{"schema = 1\nbase = ['gone.toml']", `dir/demo.toml:2:1: base: cannot read overlay "dir/gone.toml": no such file`},
	{"schema = 1\nbase = 'gone.toml'", "needs a list of strings"},
}

const bw = "\"hardware.weight_bandwidth_gb_s\""

var wrongDesigns = []wrong{
	{"schema = 1\n[axes]", "dir/demo.toml:2:1: axes: the table is empty"},
	{"schema = 1\n[axes]\n" + bw + " = []", "has no levels: the grid is empty"},
	{
		"schema = 1\n[axes]\n\"hardware.wieght_bandwidth_gb_s\" = [3000, 4000]",
		"dir/demo.toml:3:1: axes: no parameter \"hardware.wieght_bandwidth_gb_s\"\n    3 | \"hardware.wieght_bandwidth_gb_s\" = [3000, 4000]\n      | ^ did you mean \"hardware.weight_bandwidth_gb_s\"?",
	},
	{"schema = 1\n[axes]\nhardware = [1]", "is a table of parameters"},
	{"schema = 1\n[axes]\n" + bw + " = [1]\nhardware.weight_bandwidth_gb_s = [2]", "already given on line 3"},
	{"schema = 1\n[axes]\n" + bw + " = [nan]", "nan and inf are not values"},
	{"schema = 1\n[axes]\n" + bw + " = [-1]", "-1 is not in [0,1e9]"},
	{"schema = 1\n[axes]\n" + bw + " = ['fast']", `"fast" is not a number`},
	{"schema = 1\n[axes]\n" + bw + " = ['20%']", `"20%" is not a number`},
	{"schema = 1\n[axes]\n" + bw + " = ['-100%']", "leaves nothing of the base value"},
	{"schema = 1\n[axes]\n" + bw + " = [true]", "true is not a number"},
	{"schema = 1\n[axes]\nengine.tp = [2.0]", "write 2"},
	{"schema = 1\n[axes]\nengine.scheduler = ['lifo']", "is not one of"},
	{"schema = 1\n[axes]\nengine.scheduler = [{ from = 1, to = 2, n = 2 }]", "only numbers have ranges"},
	{"schema = 1\n[axes]\n" + bw + " = { from = 1, to = 2 }", "a range has one of step, n and factor"},
	{"schema = 1\n[axes]\n" + bw + " = { from = 1, to = 2, stepz = 2 }", `a range has no key "stepz"`},
	{"schema = 1\n[axes]\n" + bw + " = { from = 1, to = 2, step = 0.3 }", "steps of 0.3 from 1 miss to = 2: the nearest ends are 1.9 and 2.2"},
	{"schema = 1\n[axes]\n" + bw + " = { from = 1, to = 2, step = -1 }", "leads away from to"},
	{"schema = 1\n[axes]\n" + bw + " = { from = 1, to = 2, step = 0 }", "step of a range is a number other than 0"},
	{"schema = 1\n[axes]\n" + bw + " = { from = 1, to = 1e9, step = 1 }", "1000000 levels"},
	{"schema = 1\n[axes]\n" + bw + " = { from = 1, to = 2, n = 1 }", "at least 2"},
	{"schema = 1\n[axes]\n" + bw + " = { from = 1, to = 2, n = 1000000000000 }", "1000000 levels"},
	{"schema = 1\n[axes]\n" + bw + " = { from = 0, to = 2, n = 3, scale = 'log' }", "above 0"},
	{"schema = 1\n[axes]\n" + bw + " = { from = 1, to = 9, factor = 2 }", "factors of 2 from 1 miss to = 9: the nearest ends are 8 and 16"},
	{"schema = 1\n[axes]\n" + bw + " = { from = 9, to = 1, factor = 2 }", "leads away from to"},
	{"schema = 1\n[axes]\n" + bw + " = { from = 1, to = 9, factor = 1 }", "other than 1"},
	{"schema = 1\n[axes]\n" + bw + " = { from = 1, to = 2, factor = 1.000000001 }", "1000000 levels"},
	{"schema = 1\n[axes]\nengine.tp = { from = 1, to = 2, step = 0.5 }", "1.5 is not a whole number"},
	{"schema = 1\n[axes]\n\"slo.nope.max\" = [3]", `no metric "nope"`},

	{"schema = 1\n[zip]\n" + bw + " = [1]", "a zip needs a name of its own"},
	{"schema = 1\n[zip]", "needs a name and paths"},
	{"schema = 1\n[zip.z]\nengine.tp = [1, 2]\nengine.ep = [1]", "dir/demo.toml:4:1: zip.z.engine.ep: 1 levels, but engine.tp has 2"},
	{"schema = 1\n[cases.c]\nname = 'x'", "is not a list of cases"},
	{"schema = 1\n[[cases.c]]\nengine.tp = 1", "a case needs a name"},
	{"schema = 1\n[[cases.c]]\nname = 'x'\n[[cases.c]]\nname = 'x'", `a case named "x" is already there`},
	{"schema = 1\n[[cases.c]]\nname = 'x'\nengine.tpp = 1", "dir/demo.toml:4:1: cases.c: no parameter \"engine.tpp\""},
	{"schema = 1\n[axes]\nengine.tp = [1]\n[zip.z]\nengine.tp = [2]", `dir/demo.toml:5:1: zip.z: "engine.tp" is set by two axes`},
	{"schema = 1\n[axes]\nengine.tp = [1]\n[oat]\nengine.tp = [2]", "dir/demo.toml:5:1: oat: \"engine.tp\" is an axis already"},
	{"schema = 1\n[axes]\n\"workload.class.a.prompt_tokens\" = [1]\n\"workload.class.a.prompt_tokens.mean\" = [2]", "is set by two axes"},
	{"schema = 1\n[axes]\n\"workload.class.a.prompt_tokens\" = [1]\n[oat]\n\"workload.class.a.prompt_tokens.mean\" = ['+1%']", "is an axis already"},
	{"schema = 1\n[oat]\ngroup.g = { paths = ['engine.tp'] }", "is not a group"},
	{"schema = 1\n[oat]\ngroup.g = { paths = [], by = ['x2'] }", "is not a group"},
	{"schema = 1\n[oat]\ngroup.g = { paths = ['engine.tp', 'engine.tp'], by = ['x2'] }", `"engine.tp" is set twice`},
	{"schema = 1\n[oat]\ngroup.g = { paths = ['engine.tpp'], by = ['x2'] }", "oat.group.g: no parameter \"engine.tpp\""},
	{"schema = 1\nx = [", "dir/demo.toml:2"},
}

// Each error names the line, the rule and the fix.
func TestErrors(t *testing.T) {
	for _, c := range slices.Concat(wrongSettings, wrongDesigns, wrongReports) {
		_, err := parse(t, c.text)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q\n got %v\nwant %s", c.text, err, c.want)
		}
		if _, ok := errors.AsType[*scenario.Error](err); err != nil && !ok {
			t.Errorf("%q: the error is a %T, not one that points", c.text, err)
		}
	}
}
