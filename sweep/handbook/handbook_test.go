package handbook

import (
	"errors"
	"strings"
	"testing"

	"scoville/core/metrics"
	"scoville/core/scenario"
	"scoville/sweep/study"
)

// TestWrite: each key of the scenario and of the design, and each metric, has a
// row, and no row has more cells than its head.
func TestWrite(t *testing.T) {
	var b strings.Builder
	if err := Write(&b); err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, f := range scenario.Fields() {
		names = append(names, f.Path)
	}
	for _, k := range study.Keys() {
		names = append(names, k.Path)
	}
	for _, c := range metrics.Columns() {
		names = append(names, c.Name)
	}
	for _, name := range names {
		if n := strings.Count(b.String(), "\n| `"+name+"` |"); n != 1 {
			t.Errorf("%s has %d rows", name, n)
		}
	}
	cells := 0
	for i, line := range strings.Split(b.String(), "\n") {
		n := strings.Count(strings.ReplaceAll(line, `\|`, ""), "|")
		if cells > 0 && n > 0 && n != cells {
			t.Errorf("line %d has %d bars, the head of its table %d: %s", i+1, n, cells, line)
		}
		cells = n
	}
}

type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("no space") }

func TestWriteFails(t *testing.T) {
	if Write(full{}) == nil {
		t.Error("a page that nobody could write is no error")
	}
}

func TestAllowed(t *testing.T) {
	for _, c := range []struct {
		field scenario.Field
		want  string
	}{
		{scenario.Field{}, ""},
		{scenario.Field{Enum: []string{"a", "b"}}, "a | b"},
		{scenario.Field{HasRange: true, Hi: 0.5}, "[0, 0.5]"},
		{scenario.Field{HasRange: true, Hi: 1e9, LoOpen: true, HiOpen: true}, "(0, 1e+09)"},
	} {
		if got := Allowed(c.field); got != c.want {
			t.Errorf("%+v: %q, want %q", c.field, got, c.want)
		}
	}
}
