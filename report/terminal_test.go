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
	if err := r.Text(&b, 0); err != nil {
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
