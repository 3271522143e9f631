package impact

import (
	"math"
	"strings"
	"testing"

	"scoville/core/table"
	"scoville/sweep/sample"
)

func end(v float64) *float64 { return &v }

// design is of three parameters and the dummy.
func design(method string, n int) sample.Design {
	return sample.Design{Method: method, N: n, Seed: 3, Dummy: true, Dims: []sample.Dim{
		{Path: "a", Kind: sample.Range, Min: end(0), Max: end(10)},
		{Path: "b", Kind: sample.Range, Min: end(1), Max: end(100), Log: true},
		{Path: "c", Kind: sample.Levels, Values: []string{"x", "y", "z"}},
	}}
}

// run computes y = 3 a - 10 log10 b at every row of the design, 100 higher at
// the second combination, twice with a shift that all points share.
func run(t *testing.T, r *sample.Record, saturated func(row int) bool) ([]Row, []Judgement) {
	t.Helper()
	e := New(r, []table.Column{{Name: "y_ms", Unit: "ms"}})
	for c := range r.Combinations {
		for i := range r.Design.Rows() {
			index, ok := r.Point(c, i)
			if !ok {
				continue
			}
			u := r.Unit(i)
			y := 30*u[0] - 20*u[1] + 100*float64(c)
			e.Add(Point{Index: index, Outer: []any{[]string{"left", "right"}[c]}, Compared: !saturated(i), Runs: func(int) []float64 { return []float64{y, y + 7} }})
		}
	}
	var rows []Row
	judged, err := e.Rows(func(r Row) error { rows = append(rows, r); return nil })
	if err != nil {
		t.Fatal(err)
	}
	return rows, judged
}

func find(t *testing.T, rows []Row, method, parameter, outer string) Row {
	t.Helper()
	for _, r := range rows {
		if r.Method == method && r.Parameter == parameter && r.Outer[0] == outer {
			return r
		}
	}
	t.Fatalf("no %s of %s at %s", method, parameter, outer)
	return Row{}
}

func never(int) bool { return false }

// Each method finds the plane, at each combination alike; the dummy does
// nothing, and replicates that shift all points alike are no noise.
func TestMethods(t *testing.T) {
	for _, c := range []struct {
		method string
		n      int
		want   map[string]map[string]float64 // by row method and parameter
		tol    float64
	}{
		{sample.Saltelli, 1024, map[string]map[string]float64{First: {"a": 9. / 13, "b": 4. / 13, "c": 0, "dummy": 0}, Total: {"a": 9. / 13, "b": 4. / 13, "c": 0, "dummy": 0}}, 0.02},
		{sample.Morris, 8, map[string]map[string]float64{MuStar: {"a": 30, "b": 20, "c": 0, "dummy": 0}, Mu: {"a": 30, "b": -20}, Sigma: {"a": 0, "b": 0}}, 1e-9},
		{sample.LHS, 400, map[string]map[string]float64{SRC: {"a": 3 / math.Sqrt(13), "b": -2 / math.Sqrt(13)}, RSquared: {"": 1}, Rank: {"a": 0.83, "b": -0.53}}, 0.06},
	} {
		r := &sample.Record{Design: design(c.method, c.n), Combinations: 2}
		rows, judged := run(t, r, never)
		for method, wants := range c.want {
			for parameter, want := range wants {
				for _, outer := range []string{"left", "right"} {
					got := find(t, rows, method, parameter, outer)
					if math.Abs(got.Estimate.Value-want) > c.tol || got.N != c.n {
						t.Errorf("%s %s at %s: %+v, want %g", method, parameter, outer, got, want)
					}
				}
			}
		}
		if len(judged) != 2 || judged[0].Noise != 0 || len(judged[0].Floors) != 0 || judged[1].Outer[0] != "right" || len(judged[0].Lines) == 0 {
			t.Errorf("%s: %+v", c.method, judged)
		}
		if text := strings.Join(judged[0].Lines, "\n"); c.method == sample.LHS != strings.Contains(text, "no order") {
			t.Errorf("%s: %s", c.method, text)
		}
	}
}

// Saturated points take their block with them; rows that share a point, or have
// none, are found by the record.
func TestBlocksThatMiss(t *testing.T) {
	d := design(sample.Saltelli, 64)
	rows, judged := run(t, &sample.Record{Design: d, Combinations: 1}, func(row int) bool { return row%(5*d.Block()) == 1 })
	if got := find(t, rows, Total, "a", "left"); got.N != 51 || math.IsNaN(got.Estimate.Value) {
		t.Errorf("%+v", got)
	}
	if !strings.Contains(judged[0].Lines[0], "13 of 64 blocks left out") {
		t.Error(judged[0].Lines)
	}
	merged := &sample.Record{Design: d, Combinations: 1, Rows: [][]int32{make([]int32, d.Rows())}}
	next := int32(0)
	for i := range merged.Rows[0] {
		switch {
		case i == 3: // a rule took it out
			merged.Rows[0][i] = sample.NoPoint
			continue
		case i%d.Block() == d.Width(): // the dummy's row is row A
			merged.Rows[0][i] = merged.Rows[0][i-d.Width()]
			continue
		}
		merged.Rows[0][i] = next
		next++
	}
	rows, _ = run(t, merged, never)
	if got := find(t, rows, Total, "dummy", "left"); got.N != 63 || got.Estimate.Value != 0 {
		t.Errorf("%+v", got)
	}
	var none *Effects
	none.Add(Point{})
	if j, err := none.Rows(nil); j != nil || err != nil {
		t.Error(j, err)
	}
}
