package section

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
)

// A main table is shortened where it must be, one aside is left out, and what
// is not for a terminal is named.
func TestFill(t *testing.T) {
	rows := func(n int) (out [][]string) {
		for i := range n {
			out = append(out, []string{fmt.Sprint("row ", i)})
		}
		return out
	}
	main := Section{Title: "points", Head: []string{"point"}, Rows: rows(30), Notes: []string{"the end"}}
	sections := []Section{
		main,
		{Title: "by class", Head: []string{"point"}, Rows: rows(40), Aside: true},
		{Title: "TTFT: closed form, simulated", Head: []string{"point"}, Rows: rows(2), Long: true},
		{Title: "kept", Head: []string{"point"}, Rows: rows(2)},
	}
	var b bytes.Buffer
	left := Fill(&b, sections, Room{Lines: 20, File: "report.md"})
	text := b.String()
	for _, want := range []string{"row 15\n14 more rows in report.md\nthe end\n", "\nkept\n"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	if strings.Contains(text, "row 16") || strings.Join(left, "; ") != "by class (40 rows); parts of TTFT (2 rows)" {
		t.Errorf("left %q\n%s", left, text)
	}
	if got := main.cut(29, ""); len(got.Rows) != 30 {
		t.Errorf("a line that says that one row is missing takes its place: %d rows", len(got.Rows))
	}
}

// Two metrics of the same points share the room, so that neither stands alone.
func TestFillTwins(t *testing.T) {
	var rows [][]string
	for i := range 22 {
		rows = append(rows, []string{fmt.Sprint("row ", i), "1"})
	}
	head := []string{"option", "use = 2k"}
	sections := []Section{
		{Title: "published against simulated", Head: []string{"figure"}, Rows: rows[:10]},
		{Title: "ttft_mean_ms", Head: head, Rows: rows},
		{Title: "tpot_mean_ms", Head: head, Rows: rows},
		{Title: "bound", Head: head, Rows: rows},
	}
	var b bytes.Buffer
	left := Fill(&b, sections, Room{Lines: 53, File: "report.md"})
	text := b.String()
	if strings.Count(text, " more rows in report.md") != 2 || !strings.Contains(text, "row 15") || !strings.Contains(text, "\ntpot_mean_ms\n") || strings.Join(left, "; ") != "bound (22 rows)" {
		t.Errorf("left %q\n%s", left, text)
	}
	b.Reset()
	if Fill(&b, sections, Room{Lines: 90}); strings.Contains(b.String(), "more rows") {
		t.Errorf("cut for no reason:\n%s", b.String())
	}
}

// Where tables of several metrics have no room together, the first of each kind
// comes first.
func TestFillKinds(t *testing.T) {
	rows := [][]string{{"1", "2"}, {"2", "3"}}
	var sections []Section
	for _, title := range []string{"ttft_mean_ms", "ttft_p50_ms", "ttft_p99_ms", "tpot_mean_ms"} {
		sections = append(sections, Section{Title: title, Head: []string{"n", "load"}, Rows: rows})
	}
	var b bytes.Buffer
	if left := Fill(&b, sections, Room{Lines: 16}); !strings.Contains(b.String(), "tpot_mean_ms") || strings.Join(left, "; ") != "ttft_p99_ms (2 rows)" {
		t.Errorf("left %q\n%s", left, b.String())
	}
	b.Reset()
	if Fill(&b, sections, Room{Lines: 30}); strings.Index(b.String(), "ttft_p99_ms") > strings.Index(b.String(), "tpot_mean_ms") {
		t.Errorf("moved for no reason:\n%s", b.String())
	}
}
