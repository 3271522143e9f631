package found

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"scoville/core/table"
)

// frame writes rows of the columns that Make reads and reads them back.
func frame(t *testing.T, rows ...table.Row) *table.Frame {
	t.Helper()
	cols := []table.Column{
		{Name: "prompt_tokens", Kind: table.Int64, Path: "workload.class.a.prompt_tokens", Definition: "axis"},
		{Name: "oat_path", Kind: table.String, Definition: "x"},
		{Name: "oat_level", Kind: table.String, Definition: "x"},
		{Name: "over", Kind: table.String, Definition: "x"},
		{Name: "goal", Kind: table.String, Definition: "x"},
		{Name: "search_from", Kind: table.Float64, Definition: "x"},
		{Name: "search_to", Kind: table.Float64, Definition: "x"},
		{Name: "outcome", Kind: table.String, Definition: "x"},
		{Name: "value", Kind: table.Float64, Definition: "x"},
		{Name: "first_fail", Kind: table.Float64, Definition: "x"},
		{Name: "confirmed", Kind: table.Bool, Definition: "x"},
		{Name: "resolved", Kind: table.Bool, Definition: "x"},
		{Name: "binding_slo", Kind: table.String, Definition: "x"},
		{Name: "reason", Kind: table.String, Definition: "x"},
		{Name: "delta_ratio", Kind: table.Float64, Definition: "x"},
		{Name: "delta_lo", Kind: table.Float64, Definition: "x"},
		{Name: "delta_hi", Kind: table.Float64, Definition: "x"},
		{Name: "search_id", Kind: table.String, Definition: "x"},
	}
	file := filepath.Join(t.TempDir(), "x.parquet")
	w, err := table.Create(file, cols, nil)
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
	f, err := table.Read(file)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// search is a row of the table: oat path and level, outcome, value, first fail,
// binding, reason, and the effect with its ends.
func search(cells ...any) table.Row {
	row := table.Row{int64(128), cells[0], cells[1], "workload.rate_rps", "max", 0.5, 64.0, cells[2], cells[3], cells[4], cells[2] == "found", cells[4] != nil, cells[5], cells[6], nil, nil, nil, nil}
	copy(row[14:17], cells[7:])
	return row
}

func TestMake(t *testing.T) {
	m := Make(frame(t,
		search(nil, nil, "found", 10.5, 10.7, "ttft_p99_ms", nil),
		search("hardware.x_gb_s", "-20%", "found", 8.4, nil, "steady", "stepped back", -0.2, -0.22, -0.18),
		search("hardware.x_gb_s", "x2", "found", 10.6, 10.9, "steady", nil, 0.01, -0.01, 0.03),
		search("hardware.y", "3", "none_feasible", nil, nil, "feasible", "no memory"),
		search("hardware.y", "4", "all_feasible", nil, nil, nil, "no memory"),
		search("hardware.y", "5", "budget", nil, nil, nil, nil),
		search("hardware.y", "6", "non_monotone", nil, nil, nil, nil),
	), nil)
	want := [][]string{
		{"prompt_tokens", "change", "largest rate_rps", "first fail above", "outcome", "bound by", "effect on it"},
		{"128", "baseline", "10.5", "10.7", "found", "ttft_p99_ms", ""},
		{"128", "x_gb_s -20%", "8.4", "none in the range", "found, not resolved", "steady", "-20.0% (-22.0% to -18.0%)"},
		{"128", "x_gb_s x2", "10.6", "10.9", "found", "steady", "~ (-1.0% to +3.0%)"},
		{"128", "y = 3", "-", "-", "none: even 0.5 fails", "feasible", "-"},
		{"128", "y = 4", "-", "-", "all: even 64 passes", "-", "-"},
		{"128", "y = 5", "-", "-", "not found within max_probes", "-", "-"},
		{"128", "y = 6", "-", "-", "no single boundary", "-", "-"},
	}
	if got := append([][]string{m.Head}, m.Rows...); !slices.EqualFunc(got, want, slices.Equal) {
		t.Errorf("got %q", got)
	}
	if notes := strings.Join(m.Notes, "\n"); !strings.Contains(notes, "y = 3: no memory (the same for 1 other)") || !strings.Contains(notes, "prompt_tokens = 128, x_gb_s -20%: stepped back") {
		t.Errorf("notes %q", notes)
	}
}

// A search that no calibration applies to is marked among others.
func TestMakeMarks(t *testing.T) {
	a, b := search(nil, nil, "found", 10.5, 10.7, "ttft_p99_ms", nil), search(nil, nil, "found", 9.5, 9.7, "ttft_p99_ms", nil)
	a[17], b[17] = "a", "b"
	if m := Make(frame(t, a, b), map[string]bool{"b": true}); m.Rows[0][0] != "128" || m.Rows[1][0] != "128 (not calibrated)" {
		t.Errorf("%q", m.Rows)
	}
}

// A smallest value fails below, at the other end of the range.
func TestMakeMin(t *testing.T) {
	row := search(nil, nil, "none_feasible", nil, nil, "ttft_p99_ms", nil)
	row[4] = "min"
	m := Make(frame(t, row), nil)
	if !slices.Equal(m.Head, []string{"prompt_tokens", "smallest rate_rps", "first fail below", "outcome", "bound by"}) || m.Rows[0][3] != "none: even 64 fails" {
		t.Errorf("%q %q", m.Head, m.Rows)
	}
}
