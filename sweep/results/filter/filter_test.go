package filter

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"scoville/core/table"
)

var columns = []table.Column{
	{Name: "status", Kind: table.String},
	{Name: "rate_rps", Kind: table.Float64, Path: "workload.rate_rps"},
	{Name: "name", Kind: table.String, Path: "hardware.name"},
	{Name: "ttft_p99_ms_mean", Kind: table.Float64},
	{Name: "tpot_mean_ms_gain_ratio", Kind: table.Float64},
	{Name: "steady", Kind: table.Bool},
	{Name: "bound", Kind: table.String},
	{Name: "decode_bound", Kind: table.String},
	{Name: "runs", Kind: table.Int64},
}

func frame(t *testing.T, rows ...table.Row) *table.Frame {
	t.Helper()
	path := filepath.Join(t.TempDir(), "t.parquet")
	w, err := table.Create(path, columns, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range rows {
		if err := w.Append(r); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	f, err := table.Read(path)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func TestRows(t *testing.T) {
	f := frame(t,
		table.Row{"ok", 2.0, "h100", 480.0, 0.2, true, "compute", "host_link", int64(3)},
		table.Row{"ok", 8.0, "h100", 900.0, nil, false, "compute", "compute", int64(3)},
		table.Row{"infeasible", 16.0, "a100", nil, nil, nil, nil, nil, int64(1)},
	)
	for text, want := range map[string][]int{
		"":                                   {0, 1, 2},
		"ttft_p99_ms > 400":                  {0, 1}, // NULL is in no comparison
		"ttft_p99_ms_mean > 400 && steady":   {0},
		"workload.rate_rps >= 8":             {1, 2},
		"hardware == 'a100' || rate_rps < 3": {0, 2},
		"tpot_gain_ratio > 0.1":              {0},
		"binding ~ 'host_link'":              {0},
		"binding ~ 'compute'":                {0, 1},
		"binding ~ 'pcie'":                   {0},
		"binding == 'compute'":               {1},
		"decode_bound == 'compute'":          {1},
		"runs == 1":                          {2},
		"!steady":                            {1, 2},
	} {
		r, err := Parse(text)
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		if err := r.Check(f.Columns); err != nil {
			t.Errorf("%s: %v", text, err)
		}
		var got []int
		for i, holds := 0, r.Of(f); i < f.Len(); i++ {
			if holds(i) {
				got = append(got, i)
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s holds for %v, want %v", text, got, want)
		}
	}
}

func TestCheck(t *testing.T) {
	for text, want := range map[string]string{
		"ttft_p9_ms > 1":   `did you mean "ttft_p99_ms"?`,
		"nothing_like > 1": "sweep list columns",
		"steady > 1":       "> needs numbers",
		"status == 3":      "is a text",
	} {
		r, err := Parse(text)
		if err == nil {
			err = r.Check(columns)
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
	r, _ := Parse("binding ~ 'x'")
	if r.Check(columns[:2]) == nil {
		t.Error("binding is known where nothing says what bounds")
	}
	if u := r.Uses(columns); len(u) != 2 || !u["bound"] || !u["decode_bound"] {
		t.Errorf("uses %v", u)
	}
}

// What all rows share stands behind the columns.
func TestWith(t *testing.T) {
	f := frame(t, table.Row{"ok", 2.0, "h100", nil, nil, nil, nil, nil, int64(3)})
	r, err := Parse("model ~ 'llama' && engine.tp == 4 && hardware == 'h100'")
	if err != nil {
		t.Fatal(err)
	}
	if r.Check(f.Columns) == nil {
		t.Error("names that nothing has are taken")
	}
	r = r.With(map[string]any{"model": "llama-70b", "engine.tp": int64(4), "hardware": "other"})
	if err := r.Check(f.Columns); err != nil || !r.Of(f)(0) {
		t.Errorf("%v", err)
	}
	if got := r.Values(f)(0); !slices.Equal(got, []string{"llama-70b", "4", "h100"}) {
		t.Errorf("%q", got)
	}
}

// A mistyped name of what the study sets, or of what bounds a point, is answered by
// the name.
func TestNearestOfWhatTheStudySets(t *testing.T) {
	cols := []table.Column{{Name: "rate_rps"}, {Name: "bound", Kind: table.String}}
	for where, want := range map[string]string{"hardwar == 'x'": `did you mean "hardware"?`, "bindng ~ 'x'": `did you mean "binding"?`} {
		r, err := Parse(where)
		if err != nil {
			t.Fatal(err)
		}
		if err := r.With(map[string]any{"hardware": "x"}).Check(cols); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", where, err)
		}
	}
}
