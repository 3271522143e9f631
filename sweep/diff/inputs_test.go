package diff

import (
	"slices"
	"strings"
	"testing"

	"scoville/sweep/results"
)

// The lines that differ between two texts, in order; what is in both is left
// out, and a moved line is taken out and put in.
func TestLines(t *testing.T) {
	for _, c := range []struct{ a, b, want string }{
		{"1\n2\n3\n", "1\n2\n3\n", ""},
		{"1\n2\n3", "1\n3", "- 2"},
		{"1\n3", "1\n2\n3", "+ 2"},
		{"1\n2\n3\n4", "1\nx\n3\ny\n4", "- 2|+ x|+ y"},
		{"a\nb\nc", "c\na\nb", "+ c|- c"},
		{"", "x", "- |+ x"},
	} {
		if got := strings.Join(lines(c.a, c.b), "|"); got != c.want {
			t.Errorf("%q to %q: %s, want %s", c.a, c.b, got, c.want)
		}
	}
}

// Numbers that an axis varies, or that one side does not have, do not count.
func TestFigures(t *testing.T) {
	number := func(path, layer string, lo, hi float64) results.Number {
		return results.Number{Hardware: "chip", Path: path, Layer: layer, Unit: "GB/s", Grade: "published", Min: lo, Max: hi}
	}
	a := []results.Number{number("x", "catalogue chip", 1, 1), number("y", "axes", 1, 2), number("z", "catalogue chip", 1, 1), number("w", "study", 3, 3)}
	b := []results.Number{number("x", "catalogue chip", 2, 2), number("y", "axes", 1, 3), number("w", "study", 3, 3)}
	got := figures(a, b)
	want := Input{What: "number x of chip", A: "1 GB/s (published, catalogue chip)", B: "2 GB/s (published, catalogue chip)"}
	if len(got) != 1 || got[0].What != want.What || got[0].A != want.A || got[0].B != want.B {
		t.Errorf("%+v", got)
	}
}

func TestSortMoved(t *testing.T) {
	moved := []Moved{{From: 1, To: 2}, {From: 5, To: 1}, {From: 2, To: 1}, {From: 3, To: 7}}
	sortMoved(moved)
	var got []int
	for _, m := range moved {
		got = append(got, m.From)
	}
	if !slices.Equal(got, []int{5, 3, 1, 2}) {
		t.Errorf("%v", got)
	}
}
