package study

import (
	"slices"
	"strings"
	"testing"
)

const rateSearch = "schema = 1\n[search]\nover = 'workload.rate_rps'\ngoal = 'max'\nfrom = 0.5\nto = 64\n"

func TestSearch(t *testing.T) {
	st, err := parse(t, rateSearch)
	if err != nil {
		t.Fatal(err)
	}
	s := st.Search
	if s.Over != "workload.rate_rps" || !s.Max || s.From != 0.5 || s.To != 64 || s.Whole || s.Tol != 0.02 || !s.RequireSteady || s.MaxProbes != 100 {
		t.Errorf("%+v", s)
	}
	if st.Replicates != defaultSearchRuns || s.Confirm != defaultSearchRuns {
		t.Errorf("%d replicates, confirmed by %d", st.Replicates, s.Confirm)
	}
	st, err = parse(t, `schema = 1
search = { over = "engine.max_num_seqs", goal = "min", from = 1, to = 64, tol = "0.5%", confirm = 0, require_steady = false, max_probes = 9 }
replicates.n = 1
`)
	if err != nil {
		t.Fatal(err)
	}
	if s = st.Search; s.Max || !s.Whole || s.To != 64 || s.Tol != 0.005 || s.Confirm != 0 || s.RequireSteady || s.MaxProbes != 9 || st.Replicates != 1 {
		t.Errorf("%+v", s)
	}
	if st, err = parse(t, "schema = 1"); err != nil || st.Search != nil || st.Replicates != 1 {
		t.Errorf("%+v, %v", st, err)
	}
}

// replaced is the search with one line written otherwise.
func replaced(key, line string) string {
	lines := strings.Split(rateSearch, "\n")
	i := slices.IndexFunc(lines, func(l string) bool { return strings.HasPrefix(l, key) })
	lines[i] = line
	return strings.Join(lines, "\n")
}

func TestWrongSearches(t *testing.T) {
	for _, c := range []wrong{
		{"schema = 1\n[search]", "dir/demo.toml:2:1: search.over: is missing"},
		{replaced("goal", ""), "search.goal: is missing"},
		{replaced("from", ""), "dir/demo.toml:2:1: search.from: is missing"},
		{replaced("to", ""), "search.to: is missing"},
		{replaced("goal", "goal = 'most'"), `dir/demo.toml:4:1: search.goal: "most" is not a goal`},
		{replaced("goal", "goal = 1"), "needs a string"},
		{replaced("over", "over = 'workload.rate_rsp'"), `did you mean "workload.rate_rps"?`},
		{replaced("over", "over = 'engine.scheduler'"), `dir/demo.toml:3:1: search.over: "engine.scheduler" takes a string`},
		{replaced("over", "over = 'model.weight_dtype'"), "search over a number"},
		{replaced("over", "over = 'slo.nope.max'"), `no metric "nope"`},
		{replaced("over", "over = 'engine.max_num_seqs'"), "0.5 is not a whole number"},
		{replaced("from", "from = 'low'"), "search.from: needs a number"},
		{replaced("from", "from = 64"), "dir/demo.toml:5:1: search.from: from = 64 is not below to = 64"},
		{replaced("from", "from = -1"), "-1 is not in"},
		{rateSearch + "tol = 0.02", "search.tol: 0.02 is not a tolerance"},
		{rateSearch + "tol = '2'", "is not a tolerance"},
		{rateSearch + "tol = '10 %'", "without a space: \"10%\""},
		{rateSearch + "tol = '0%'", "is not between 0.01% and 50%"},
		{rateSearch + "tol = '90%'", "is not between 0.01% and 50%"},
		{rateSearch + "confirm = 1", "one fresh run has no interval"},
		{rateSearch + "confirm = -1", "needs a whole number from 0"},
		{rateSearch + "max_probes = 1", "needs a whole number from 3"},
		{rateSearch + "require_steady = 'no'", "needs true or false"},
		{rateSearch + "toll = '2%'", `did you mean "search.tol"?`},
		{rateSearch + "[axes]\nworkload.rate_rps = [1, 2]", `dir/demo.toml:3:1: search.over: "workload.rate_rps" is varied by workload.rate_rps too`},
		{rateSearch + "[[cases.c]]\nname = 'x'\nworkload.rate_rps = 3", "is varied by c too"},
		{rateSearch + "[oat]\nworkload.rate_rps = ['-20%']", "is varied by workload.rate_rps too"},
		{rateSearch + "[[objective]]\nmetric = 'tpot_mean_ms'\ngoal = 'min'", "objective: cannot stand beside [search]"},
		{rateSearch + "[[report.published]]\nname = 'x'\nmetric = 'tpot_mean_ms'\nvalue = 3\nsource = 's'", "report.published: cannot stand beside [search]"},
		{rateSearch + "[sample]\nn = 4", "sample"},
	} {
		if _, err := parse(t, c.text); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q\n got %v\nwant %s", c.text, err, c.want)
		}
	}
	if _, err := parse(t, rateSearch, "workload.rate_rps=3"); err == nil || !strings.Contains(err.Error(), "is what the study searches over") {
		t.Errorf("--set of the searched path: %v", err)
	}
}
