package results

import (
	"fmt"
	"strings"
)

// Throughput is how well the throughput of runs beyond saturation is predicted,
// apart from all errors of latencies. The metrics of Errors are throughput_rps
// (req/s) and output_tok_s (tok/s) as benchmarks report them, and
// implied_output_tok_s: concurrency x output / (TTFT + TPOT x (output - 1)) of a
// closed loop whose benchmark reports no rate.
type Throughput struct {
	Rows     int      `json:"rows"`
	Errors   []Error  `json:"errors"`
	Unscored []string `json:"unscored,omitempty"` // FILE:LINE: why a run is not compared
}

// text prints the table.
func (t *Throughput) text(b *strings.Builder) {
	if t == nil {
		return
	}
	width := len("saturated")
	for _, e := range t.Errors {
		width = max(width, len(e.Metric)+2)
	}
	last := ""
	for _, e := range t.Errors {
		if e.Split != last {
			last = e.Split
			fmt.Fprintf(b, "%-*s  throughput of runs beyond saturation%s: rows, median, p90, bias\n", width, "saturated", strings.TrimPrefix(e.Split, Saturated))
		}
		fmt.Fprintf(b, "%-*s  %6d  %s\n", width, "  "+e.Metric, e.Rows, errorText(e))
	}
	if n := len(t.Unscored); n > 0 {
		fmt.Fprintf(b, "%-*s  %s beyond saturation not compared (%s%s)\n", width, "saturated", Count(n, "run"), t.Unscored[0], map[bool]string{true: "; ...", false: ""}[n > 1])
	}
}
