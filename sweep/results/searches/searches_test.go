package searches

import (
	"math"
	"testing"

	"scoville/core/table"
)

// cell is the value of a named column.
func cell(t *testing.T, row table.Row, name string) any {
	t.Helper()
	for i, c := range Columns(nil) {
		if c.Name == name {
			return row[i]
		}
	}
	t.Fatalf("no column %s", name)
	return nil
}

// Values stand in a row only if found, in the order of numbers, and the effect
// of a change is on the boundary that the shared replicates show.
func TestRows(t *testing.T) {
	rows := Rows([]Search{
		{Goal: "max", Baseline: true, Outcome: Found, Value: 9, FirstFail: 12, LastPass: 10, NextFail: 10.2, Resolved: true},
		{Goal: "max", OATPath: "x", Outcome: Found, Value: 7, FirstFail: math.NaN(), LastPass: 8, NextFail: 8.16},
		{Goal: "max", OATPath: "y", Outcome: "none_feasible", Value: math.NaN(), FirstFail: math.NaN()},
		{Goal: "min", Baseline: true, Outcome: Found, Value: 12, FirstFail: 9, LastPass: 10.2, NextFail: 10},
	})
	near := func(row int, name string, want float64) {
		t.Helper()
		if got, ok := cell(t, rows[row], name).(float64); !ok || math.Abs(got-want) > 1e-12 {
			t.Errorf("row %d %s = %v, want %g", row, name, cell(t, rows[row], name), want)
		}
	}
	null := func(row int, names ...string) {
		t.Helper()
		for _, name := range names {
			if v := cell(t, rows[row], name); v != nil {
				t.Errorf("row %d %s = %v, want NULL", row, name, v)
			}
		}
	}
	near(0, "value_lo", 9)
	near(0, "value_hi", 12)
	null(0, "delta_ratio", "delta_lo", "delta_hi", "oat_path", "reason")
	near(1, "delta_ratio", -0.2)
	near(1, "delta_lo", 8/10.2-1)
	near(1, "delta_hi", 8.16/10-1)
	null(2, "value", "value_lo", "value_hi", "first_fail", "confirmed", "resolved", "delta_ratio")
	if cell(t, rows[0], "resolved") != true || cell(t, rows[1], "resolved") != false {
		t.Errorf("resolved: %v, %v", cell(t, rows[0], "resolved"), cell(t, rows[1], "resolved"))
	}
	near(3, "value_lo", 9)
	near(3, "value_hi", 12)
	for i, row := range rows {
		if len(row) != len(Columns(nil)) {
			t.Errorf("row %d has %d cells for %d columns", i, len(row), len(Columns(nil)))
		}
	}
}
