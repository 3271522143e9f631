package report

import (
	"bytes"
	"fmt"
	"math"
	"strings"
	"testing"

	"scoville/core/table"
	"scoville/sweep/results"
)

// A terminal gets some 60 lines, the first tables first; what is left out is
// named, and report.md has it.
func TestTerminal(t *testing.T) {
	meta := results.Meta{Axes: []results.Axis{
		{Path: "context", Kind: table.String, Outer: true},
		{Path: "hardware.weight_bandwidth_gb_s", Kind: table.Float64, Unit: "GB/s"},
	}}
	var runs []results.Run
	for k := range 10 {
		for i := range 8 {
			r := run(len(runs), 0, 1.3+float64(i), 30)
			r.Axes = []any{fmt.Sprintf("c%d", k), 6000.0 + float64(i)}
			if r.Baseline = i == 0; !r.Baseline {
				r.OATPath, r.OATLevel, r.OATChange = "hardware.weight_bandwidth_gb_s", fmt.Sprintf("+%d%%", i), math.NaN()
			}
			runs = append(runs, r)
		}
	}
	r := dataset(t, meta, runs)
	var b bytes.Buffer
	if err := r.Text(&b); err != nil {
		t.Fatal(err)
	}
	text, md := b.String(), string(r.markdown())
	if n := strings.Count(text, "\n"); n > maxLines {
		t.Errorf("%d lines:\n%s", n, text)
	}
	if !strings.Contains(text, "context = c0\n") || strings.Contains(text, "context = c9\n") || !strings.Contains(text, "report.md has besides: context = c3 (8 rows); ") {
		t.Errorf("%s", text)
	}
	if !strings.Contains(md, "## context = c9\n") {
		t.Errorf("%s", md)
	}
}

// A main table is shortened where it must be, one aside is left out, and what
// is not for a terminal is named.
func TestFill(t *testing.T) {
	rows := func(n int) (out [][]string) {
		for i := range n {
			out = append(out, []string{fmt.Sprint("row ", i)})
		}
		return out
	}
	main := section{title: "points", head: []string{"point"}, rows: rows(30), notes: []string{"the end"}}
	r := &Report{sections: []section{
		main,
		{title: "by class", head: []string{"point"}, rows: rows(40), aside: true},
		{title: "TTFT: closed form, simulated", head: []string{"point"}, rows: rows(2), long: true},
		{title: "kept", head: []string{"point"}, rows: rows(2)},
	}}
	var b bytes.Buffer
	left := r.fill(&b, 20)
	text := b.String()
	for _, want := range []string{"row 15\n14 more rows in report.md\nthe end\n", "\nkept\n"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	if strings.Contains(text, "row 16") || strings.Join(left, "; ") != "by class (40 rows); parts of TTFT (2 rows)" {
		t.Errorf("left %q\n%s", left, text)
	}
	if got := main.cut(29); len(got.rows) != 30 {
		t.Errorf("a line that says that one row is missing takes its place: %d rows", len(got.rows))
	}
}

// Two metrics of the same points share the room, so that neither stands alone.
func TestFillTwins(t *testing.T) {
	var rows [][]string
	for i := range 22 {
		rows = append(rows, []string{fmt.Sprint("row ", i), "1"})
	}
	head := []string{"option", "use = 2k"}
	r := &Report{sections: []section{
		{title: "published against simulated", head: []string{"figure"}, rows: rows[:10]},
		{title: "ttft_mean_ms", head: head, rows: rows},
		{title: "tpot_mean_ms", head: head, rows: rows},
		{title: "bound", head: head, rows: rows},
	}}
	var b bytes.Buffer
	left := r.fill(&b, 53)
	text := b.String()
	if strings.Count(text, " more rows in report.md") != 2 || !strings.Contains(text, "row 15") || !strings.Contains(text, "\ntpot_mean_ms\n") || strings.Join(left, "; ") != "bound (22 rows)" {
		t.Errorf("left %q\n%s", left, text)
	}
	b.Reset()
	if r.fill(&b, 90); strings.Contains(b.String(), "more rows") {
		t.Errorf("cut for no reason:\n%s", b.String())
	}
}
