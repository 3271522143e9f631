package export

import (
	"encoding/csv"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"scoville/core/table"
	"scoville/sweep/results"
)

// made writes results of one axis and one metric, whose values are awkward to
// print.
func made(t *testing.T, values []float64) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "out")
	s, err := results.Create(dir, results.Meta{
		Study: "s", StudyTOML: []byte("schema = 1\n"), SimVersion: 1, Planned: len(values),
		Axes:    []results.Axis{{Path: "workload.rate_rps", Kind: table.Float64}},
		Metrics: []table.Column{{Name: "ttft_mean_ms", Kind: table.Float64, Unit: "ms"}},
	})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	var runs []results.Run
	for i, v := range values {
		runs = append(runs, results.Run{
			PointID: strings.Repeat("0", 15) + strconv.Itoa(i), PointIndex: i, Status: results.OK, Axes: []any{float64(i)},
			Metrics: []float64{v}, OfferedRPS: math.NaN(), CapacityRPS: math.NaN(), LoadRatio: math.NaN(), SeedHex: "ff", Bound: "kv_memory",
		})
	}
	if err := s.Write(results.Each(runs)); err != nil {
		t.Fatal(err)
	}
	return dir
}

func records(t *testing.T, o Options) [][]string {
	t.Helper()
	var b strings.Builder
	if err := CSV(o, &b); err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(strings.NewReader(b.String())).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	return rows
}

// Every number reads back as the same float64.
func TestNumbersRoundTrip(t *testing.T) {
	values := []float64{0.1, 1.0 / 3, math.Pi * 1e-300, math.MaxFloat64, math.SmallestNonzeroFloat64, -0.1, 1e21, 123456789.125}
	rows := records(t, Options{Dir: made(t, values), Table: "runs", Columns: []string{"ttft_mean_ms"}})
	if len(rows) != len(values)+1 {
		t.Fatalf("%d rows", len(rows))
	}
	for i, want := range values {
		got, err := strconv.ParseFloat(rows[i+1][0], 64)
		if err != nil || got != want {
			t.Errorf("%q is %v, want %v", rows[i+1][0], got, want)
		}
	}
}

// A condition reads columns that are not written, in any order of the columns.
func TestWhereAndColumns(t *testing.T) {
	dir := made(t, []float64{5, 6, 7})
	got := records(t, Options{Dir: dir, Columns: []string{"ttft_mean_ms", "rate_rps", "ttft_mean_ms_mean"}, Where: "point_index >= 1 && binding ~ 'kv'"})
	want := [][]string{{"ttft_mean_ms_mean", "rate_rps"}, {"6", "1"}, {"7", "2"}}
	if !slices.EqualFunc(got, want, slices.Equal) {
		t.Errorf("%q, want %q", got, want)
	}
	if got := records(t, Options{Dir: dir, Columns: []string{"steady", "error"}, Where: "false"}); len(got) != 1 {
		t.Errorf("%q, want a header alone", got)
	}
}

// A table of another making than the manifest is not written.
func TestTornResults(t *testing.T) {
	a, b := made(t, []float64{1}), made(t, []float64{1, 2})
	text, err := os.ReadFile(filepath.Join(a, results.RunsFile))
	if err == nil {
		err = os.WriteFile(filepath.Join(b, results.RunsFile), text, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	if err := CSV(Options{Dir: b, Table: "runs"}, &out); err == nil || !strings.Contains(err.Error(), "of different makings") {
		t.Errorf("%v", err)
	}
}

// What list columns says is what the tables have.
func TestColumnsAreThoseOfTables(t *testing.T) {
	dir := made(t, []float64{1})
	for _, name := range []string{"points", "runs", "effects"} {
		described := map[string]bool{}
		for _, c := range Columns() {
			if c.Table == name {
				described[strings.Replace(strings.Replace(c.Name, "AXIS", "rate_rps", 1), Metric, "ttft_mean_ms", 1)] = true
			}
			if c.Definition == "" {
				t.Errorf("%s.%s has no meaning", c.Table, c.Name)
			}
		}
		for _, c := range records(t, Options{Dir: dir, Table: name})[0] {
			if !described[c] {
				t.Errorf("%s.%s is not described", name, c)
			}
		}
	}
}

// A column that is not there is answered by the nearest, not by all.
func TestUnknownColumn(t *testing.T) {
	dir := made(t, []float64{1})
	for name, want := range map[string]string{
		"ttft_mean_mss":             `--columns: no column "ttft_mean_mss": did you mean "ttft_mean_ms"?`,
		"first_token_ttft_of_users": "nearest are ttft_mean_ms, ttft_mean_ms_mean, ",
		"qqq":                       `--columns: no column "qqq": sweep list columns says which there are`,
	} {
		err := CSV(Options{Dir: dir, Columns: []string{name}}, &strings.Builder{})
		if err == nil || !strings.Contains(err.Error(), want) || len(err.Error()) > 300 {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestToFile(t *testing.T) {
	dir := t.TempDir()
	if err := ToFile(filepath.Join(dir, "no", "x"), nil); err == nil || !strings.Contains(err.Error(), "there is no folder") {
		t.Errorf("%v", err)
	}
	if err := ToFile(dir, nil); err == nil || !strings.Contains(err.Error(), "is not a file") {
		t.Errorf("%v", err)
	}
}
