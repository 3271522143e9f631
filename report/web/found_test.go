package web

import (
	"math"
	"slices"
	"strings"
	"testing"

	"scoville/core/table"
	"scoville/report/page"
	"scoville/report/sample"
	"scoville/report/view"
	"scoville/sweep/results"
)

// several are empty searches of the kind that a table is made of.
func several[T any](_ func([]T) results.Table, n int) []T { return make([]T, n) }

// searched is the page of searches for the least bandwidth at two machines and
// some lengths: each found its value, or none where that is NaN.
func searched(t *testing.T, machine string, values ...float64) page.Page {
	t.Helper()
	meta := results.Meta{Study: "demo", StudyTOML: []byte("schema = 1\n"), SimVersion: 1, Metrics: sample.Metrics, Selected: []string{"tpot_mean_ms"}, Planned: 1, Axes: []results.Axis{
		{Path: "hardware.name", Kind: table.String, Outer: true},
		{Path: "workload.class.a.prompt_tokens", Kind: table.Int64, Outer: true},
		{Path: "hardware.bandwidth_gb_s", Kind: table.Float64, Unit: "GB/s", Outer: true},
	}}
	dir := t.TempDir()
	set, err := results.Create(dir, meta)
	if err != nil {
		t.Fatal(err)
	}
	list := several(set.Searches, len(values))
	for i, x := range values {
		s := &list[i]
		s.ID, s.Axes, s.OATChange = string(rune('a'+i)), []any{machine, int64(1024 * (i + 1))}, math.NaN()
		s.Over, s.Unit, s.Goal, s.From, s.To = "hardware.bandwidth_gb_s", "GB/s", "min", 1, 1e6
		s.Value, s.FirstFail, s.LastPass, s.NextFail = x, 0.99*x, x, 0.99*x
		s.Outcome, s.Confirmed, s.Resolved = "found", true, true
		if math.IsNaN(x) {
			s.Outcome = "none_feasible"
		}
	}
	run := results.Run{PointID: "p", Status: results.OK, Axes: []any{machine, int64(1024), 5000.0}, OATChange: math.NaN(), Metrics: []float64{1, 2, 3, 4}, OfferedRPS: math.NaN(), CapacityRPS: 4, LoadRatio: math.NaN()}
	if err := set.Write(results.Each([]results.Run{run}), set.Searches(list)); err != nil {
		t.Fatal(err)
	}
	if err := set.Close(); err != nil {
		t.Fatal(err)
	}
	v, err := view.Open(dir, func(selected []string) []string { return selected }, nil)
	if err != nil {
		t.Fatal(err)
	}
	return Page(Input{View: v, Metrics: v.Metrics()})
}

// What searches found has its unit, and reads as what several found, not as the
// uncertainty of one.
func TestSearched(t *testing.T) {
	nan := math.NaN()
	const head = "The smallest bandwidth_gb_s that meets every service level"
	for _, c := range []struct {
		values []float64
		want   string
	}{
		{[]float64{4245, nan, 274200, 6987}, head + ": 4,245 to 274,200 GB/s over the 3 of 4 searches that found one."},
		{[]float64{4245, 5000, 274200, 6987}, head + ": 4,245 to 274,200 GB/s over 4 searches."},
		{[]float64{4245, 4245, 4245, 4245}, head + ": 4,245 GB/s in 4 searches."},
		{[]float64{nan, nan, nan, nan}, head + " was found by none of 4 searches."},
		{[]float64{4245, nan}, head + ": 4245 GB/s at name = m, prompt_tokens = 1024; none at name = m, prompt_tokens = 2048."},
	} {
		if got := searched(t, "m", c.values...).Answer; strings.ReplaceAll(got, "hardware = m", "name = m") != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}

// Bars are named by what differs between them, and the numbers say which end is
// which; searches that are not drawn are counted.
func TestFound(t *testing.T) {
	values := slices.Repeat([]float64{5000}, maxSearches+3)
	values[1] = math.NaN()
	c := find(t, searched(t, "m", values...), "searches").Charts[0]
	if c.X.Unit != "GB/s" || c.Interval != "first fail and last pass" || len(c.Rows) != maxSearches || c.Rows[2].Name != "prompt_tokens = 3072" {
		t.Errorf("%+v %q %d %q", c.X, c.Interval, len(c.Rows), c.Rows[2].Name)
	}
	if got := strings.Join(c.Table.Head, "|"); got != "prompt_tokens|bandwidth_gb_s (GB/s)|first fail below|outcome" {
		t.Error(got)
	}
	if got := strings.Join(c.Table.Rows[0], "|") + "\n" + strings.Join(c.Table.Rows[1], "|"); got != "1024|5000|4950|found\n2048|-|-|none feasible" {
		t.Error(got)
	}
	if got := strings.Join(c.Notes, "|"); got != "3 of 43 searches are not drawn: see searches.parquet" {
		t.Error(got)
	}
}

// Names too long for the space beside a bar are its values alone.
func TestLongNames(t *testing.T) {
	n := &names{heads: []string{"prompt_tokens", "adapter_peak_tflops"}, cells: [][]string{{"1024", "64"}}}
	if got := n.name(0); got != "prompt_tokens = 1024, adapter_peak_tflops = 64" {
		t.Error(got)
	}
	if n.short = true; n.name(0) != "1024, 64" {
		t.Error(n.name(0))
	}
}
