package sample

import (
	"encoding/json"
	"math"
	"reflect"
	"slices"
	"testing"
)

func num(x float64) *float64 { return &x }

// Quantiles against tables and closed forms.
func TestNumber(t *testing.T) {
	for _, c := range []struct {
		d    Dim
		u, x float64
	}{
		{Dim{Kind: Range, Min: num(2), Max: num(4)}, 0, 2},
		{Dim{Kind: Range, Min: num(2), Max: num(4)}, 0.25, 2.5},
		{Dim{Kind: Range, Min: num(2), Max: num(4)}, 1, 4},
		{Dim{Kind: Range, Min: num(1), Max: num(100), Log: true}, 0.5, 10},
		{Dim{Kind: Range, Min: num(1), Max: num(100), Log: true}, 1, 100},
		{Dim{Kind: Range, Min: num(0.1), Max: num(0.3), Step: 0.1}, 0.99, 0.3},
		{Dim{Kind: Range, Min: num(0.1), Max: num(0.3), Step: 0.1}, 0.5, 0.2},
		{Dim{Kind: Range, Min: num(1), Max: num(4), Whole: true}, 0.2499, 1},
		{Dim{Kind: Range, Min: num(1), Max: num(4), Whole: true}, 0.25, 2},
		{Dim{Kind: Range, Min: num(1), Max: num(4), Whole: true}, 1, 4},
		{Dim{Kind: Range, Min: num(1), Max: num(3), Whole: true, Log: true}, 0.4999, 1}, // 1, 2, 3 of ln 4: 1/2, 0.29, 0.21
		{Dim{Kind: Range, Min: num(1), Max: num(3), Whole: true, Log: true}, 0.5001, 2},
		{Dim{Kind: Range, Min: num(1), Max: num(3), Whole: true, Log: true}, 1, 3},
		{Dim{Kind: Range, Min: num(1), Max: num(8), Whole: true, Log: true}, 0, 1},
		{Dim{Kind: Normal, Mean: 10, SD: 2}, 0.5, 10},
		{Dim{Kind: Normal, Mean: 0, SD: 1}, 0.975, 1.95996398454},
		{Dim{Kind: Normal, Mean: 0, SD: 1, Min: num(0)}, 0.5, 0.674489750196}, // the median of half a normal
		{Dim{Kind: Normal, Mean: 0, SD: 1, Min: num(8), Max: num(9)}, 0, 8},
		{Dim{Kind: Normal, Mean: 0, SD: 1, Min: num(8), Max: num(9)}, 1, 9},
		{Dim{Kind: LogNormal, Mean: 3, SD: 4}, 0.5, 1.8}, // mean / sqrt(1 + cv^2)
		{Dim{Kind: LogNormal, Mean: 3, SD: 4, Max: num(1.8)}, 1, 1.8},
		{Dim{Kind: Triangular, Min: num(0), Mode: 1, Max: num(4)}, 0.25, 1}, // a quarter lies below the mode
		{Dim{Kind: Triangular, Min: num(0), Mode: 1, Max: num(4)}, 0, 0},
		{Dim{Kind: Triangular, Min: num(0), Mode: 0, Max: num(4)}, 0.75, 2},
		{Dim{Kind: Triangular, Min: num(0), Mode: 4, Max: num(4)}, 0.25, 2},
		{Dim{Kind: Normal, Mean: 10, SD: 2, Whole: true}, 0.5, 10},
		{Dim{Kind: Normal, Mean: 0, SD: 100, Whole: true, Min: num(1), Max: num(3)}, 0.32, 1},
		{Dim{Kind: Normal, Mean: 0, SD: 100, Whole: true, Min: num(1), Max: num(3)}, 0.35, 2},
	} {
		if got := c.d.Number(c.u); math.Abs(got-c.x) > 1e-11*max(1, math.Abs(c.x)) {
			t.Errorf("%+v at %g is %.12g, want %.12g", c.d, c.u, got, c.x)
		}
	}
}

// Whole numbers of a range, its steps and levels have equal shares; rounding
// would give the ends half of one.
func TestBins(t *testing.T) {
	for _, d := range []Dim{
		{Kind: Range, Min: num(-1), Max: num(3), Whole: true},
		{Kind: Range, Min: num(0.1), Max: num(0.5), Step: 0.1},
		{Kind: Levels, Values: []string{"a", "b", "c", "d", "e"}},
	} {
		count := make([]int, 5)
		for i := range 1000 {
			count[d.Bin((float64(i)+0.5)/1000)]++
		}
		if !slices.Equal(count, []int{200, 200, 200, 200, 200}) {
			t.Errorf("%+v: %v", d, count)
		}
		if d.Bin(0) != 0 || d.Bin(1) != 4 || d.Position(1) != 1 || d.Position(0.5) != 0.5 {
			t.Errorf("%+v: ends %d and %d", d, d.Bin(0), d.Bin(1))
		}
	}
	if d := (Dim{Kind: Levels, Values: []string{"a"}}); d.Position(0.9) != 0 {
		t.Error("one level has more than one position")
	}
	log := Dim{Kind: Range, Min: num(1), Max: num(4), Whole: true, Log: true}
	if log.Position(0) != 0 || log.Position(1) != 1 || log.Position(0.5) != 0.5 || log.Bins() != 0 {
		t.Errorf("position of a log range of whole numbers: %g", log.Position(0.5))
	}
}

// What a cut leaves of a distribution.
func TestShare(t *testing.T) {
	for _, c := range []struct {
		d Dim
		x float64
	}{
		{Dim{Kind: Normal, Mean: 1, SD: 1, Min: num(1)}, 0.5},
		{Dim{Kind: Normal, Mean: 0, SD: 1, Max: num(-60)}, 0},
		{Dim{Kind: LogNormal, Mean: 3, SD: 4, Max: num(1.8)}, 0.5},
		{Dim{Kind: Range, Min: num(1), Max: num(2)}, 1},
	} {
		if got := c.d.Share(); math.Abs(got-c.x) > 1e-12 {
			t.Errorf("%+v: %g, want %g", c.d, got, c.x)
		}
	}
}

// A record survives its file, and says which point each row became.
func TestRecord(t *testing.T) {
	r := Record{Design: *wide(Morris, 2, 1, 1<<63), Combinations: 2, Rows: [][]int32{{0, 1, 2, 3}, {4, 5, NoPoint, 6}}}
	r.Dims = append(r.Dims, Dim{Path: "y", Kind: Levels, Values: []string{"a", "b"}})
	r.Compact()
	if r.Rows == nil {
		t.Fatal("a list that says something is left out")
	}
	text, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	var back Record
	if err := json.Unmarshal(text, &back); err != nil || !reflect.DeepEqual(r, back) {
		t.Errorf("%v: %s", err, text)
	}
	if i, ok := r.Point(1, 3); i != 6 || !ok {
		t.Errorf("point %d %t", i, ok)
	}
	if _, ok := r.Point(1, 2); ok {
		t.Error("a row without a point has one")
	}
	r = Record{Design: *wide(LHS, 3, 1, 0), Combinations: 2, Rows: [][]int32{{0, 1, 2}, {3, 4, 5}}}
	if r.Compact(); r.Rows != nil {
		t.Errorf("rows in order are listed: %v", r.Rows)
	}
	if i, ok := r.Point(1, 2); i != 5 || !ok {
		t.Errorf("point %d %t", i, ok)
	}
}
