package study

import (
	"math"
	"reflect"
	"strings"
	"testing"

	"scoville/sweep/study/effort"
)

func TestReplicates(t *testing.T) {
	free := effort.Budget{Failures: -1, Share: math.NaN()}
	budget := func(change func(*effort.Budget)) effort.Budget { b := free; change(&b); return b }
	const objective = "[[objective]]\nmetric = 'ttft_p99_ms'\n"
	for _, c := range []struct {
		text        string
		n           int
		until       *effort.Until
		budget      effort.Budget
		crn, race   bool
		first, most int
	}{
		{"", 1, nil, free, true, false, 0, 1},
		{"[replicates]\nn = 4\ncrn = true\n[run]\nrace = false\n", 4, nil, free, true, false, 0, 4},
		{"[replicates]\ncrn = false\n", 1, nil, free, false, false, 0, 1},
		{"[replicates]\nuntil = { metric = 'ttft_p99_ms', rel_ci = '5%' }\n", 5, &effort.Until{Metrics: []string{"ttft_p99_ms"}, RelCI: 0.05, Max: 100}, free, true, false, 5, 100},
		{"[replicates]\nn = 3\n[replicates.until]\nmetric = ['ttft_p99_ms', 'tpot_mean_ms']\nrel_ci = 0.05\nmax = 3\n", 3, &effort.Until{Metrics: []string{"ttft_p99_ms", "tpot_mean_ms"}, RelCI: 0.05, Max: 3}, free, true, false, 3, 3},
		{"[run]\nmax_events = 1_000_000\nmax_sim_s = 3600\n", 1, nil, budget(func(b *effort.Budget) { b.Events, b.SimS = 1e6, 3600 }), true, false, 0, 1},
		{"[run]\nmax_sim_s = 0.5\nmax_failures = 20\n", 1, nil, budget(func(b *effort.Budget) { b.SimS, b.Failures = 0.5, 20 }), true, false, 0, 1},
		{"[run]\nmax_failures = '5%'\n", 1, nil, budget(func(b *effort.Budget) { b.Share = 0.05 }), true, false, 0, 1},
		{"[run]\nmax_failures = 0\n", 1, nil, budget(func(b *effort.Budget) { b.Failures = 0 }), true, false, 0, 1},
		{"[replicates]\nn = 20\n[run]\nrace = true\n" + objective, 20, nil, free, true, true, 5, 20},
	} {
		s, err := parse(t, "schema = 1\n"+c.text)
		if err != nil {
			t.Errorf("%q: %v", c.text, err)
			continue
		}
		same := math.IsNaN(s.Budget.Share) == math.IsNaN(c.budget.Share)
		if math.IsNaN(s.Budget.Share) {
			s.Budget.Share, c.budget.Share = 0, 0
		}
		if s.Replicates != c.n || !reflect.DeepEqual(s.Until, c.until) || !same || s.Budget != c.budget || s.Independent == c.crn || s.Race != c.race || s.First() != c.first || s.Most() != c.most {
			t.Errorf("%q: n %d, until %+v, budget %+v, independent %t, race %t, first %d, most %d", c.text, s.Replicates, s.Until, s.Budget, s.Independent, s.Race, s.First(), s.Most())
		}
	}
}

func TestWrongReplicates(t *testing.T) {
	const race, objective = "[run]\nrace = true\n", "[[objective]]\nmetric = 'ttft_p99_ms'\n"
	const search = "[search]\nover = 'workload.rate_rps'\ngoal = 'max'\nfrom = 1\nto = 2\n"
	until := func(s string) string { return "[replicates]\nuntil = { " + s + " }\n" }
	for _, c := range []wrong{
		{"[replicates]\nuntil = 5\n", "| ^ write until = { metric"},
		{"[replicates]\nuntil = true\n", "needs a table"},
		{until("rel_ci = '5%'"), "dir/demo.toml:3:1: replicates.until: metric is missing"},
		{until("metric = 'ttft_p99_ms'"), "rel_ci is missing"},
		{until("metric = 'ttft_p98_ms', rel_ci = '5%'"), `no metric "ttft_p98_ms"`},
		{until("metric = [], rel_ci = '5%'"), "needs the name of a metric, or a list of names"},
		{until("metric = [3], rel_ci = '5%'"), "needs the name of a metric, or a list of names"},
		{until("metric = ['ttft_p99_ms', 'ttft_p99_ms'], rel_ci = '5%'"), "ttft_p99_ms is there twice"},
		{until("metric = 'ttft_p99_ms', rel_ci = 5"), "5 is not between 0.01% and 50%"}, // a percent read as a fraction
		{until("metric = 'ttft_p99_ms', rel_ci = '0.05'"), "is not a share"},
		{until("metric = 'ttft_p99_ms', rel_ci = '500%'"), "is not between"},
		{until("metric = 'ttft_p99_ms', rel_ci = 0"), "is not between"},
		{until("metric = 'ttft_p99_ms', rel_ci = -0.05"), "is not between"},
		{until("metric = 'ttft_p99_ms', rel_ci = nan"), "nan"},
		{until("metric = 'ttft_p99_ms', rel_ci = true"), "true is not a share"},
		{until("metric = 'ttft_p99_ms', rel_ci = '5%', maxx = 5"), `did you mean "replicates.until.max"?`},
		{until("metric = 'ttft_p99_ms', rel_ci = '5%', max = 2"), "needs a whole number from 3"},
		{until("metric = 'ttft_p99_ms', rel_ci = '5%', max = 4"), "max = 4 is less than n = 5"},
		{"[replicates]\nn = 2\nuntil = { metric = 'ttft_p99_ms', rel_ci = '5%' }\n", "begins with 3 replicates or more"},
		{until("metric = 'ttft_p99_ms', rel_ci = '5%'") + search, "a search decides for itself"},
		{"[replicates]\ncrn = 0\n", "replicates.crn: needs true or false"},
		{"[replicates]\ncrn = false\n" + search, "a search compares values on the same requests"},
		{"[run]\nmax_events = 0\n", "needs a whole number from 1"},
		{"[run]\nmax_events = 1e6\n", "needs a whole number from 1"},
		{"[run]\nmax_sim_s = 0\n", "needs a number above 0"},
		{"[run]\nmax_sim_s = '1h'\n", "needs a number above 0"},
		{"[run]\nmax_failures = 0.05\n", "0.05 is neither a count nor a share"},
		{"[run]\nmax_failures = '5'\n", `"5" is not a share`},
		{"[run]\nmax_failures = '5 %'\n", "is not a share"},
		{"[run]\nmax_failures = '500%'\n", "is not between 0% and 100%"},
		{"[run]\nmax_failures = -1\n", "needs a whole number from 0"},
		{"[run]\nmax_failure = 3\n", `did you mean "run.max_failures"?`},
		{"[run]\nrace = 'yes'\n", "needs true or false"},
		{"[replicates]\nn = 20\n" + race, "a race needs an objective"},
		{race + objective, "a race looks at its designs after 5 replicates: n = 1 leaves nothing to save"},
		{"[replicates]\nn = 20\n" + race + objective + "[oat]\nengine.tp = [2]\n", "a race drops those that lose"},
		{"[replicates]\nn = 20\ncrn = false\n" + race + objective, "which crn = false takes away"},
		{"[replicates]\nn = 20\nuntil = { metric = 'ttft_p99_ms', rel_ci = '5%' }\n" + race + objective, "both decide how many replicates"},
		{"[replicates]\nn = 20\n[uncertainty]\ndraws = 50\n" + race + objective, "a race drops points"},
	} {
		_, err := parse(t, "schema = 1\n"+c.text)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q\n got %v\nwant %s", c.text, err, c.want)
		}
	}
}
