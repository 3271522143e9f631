package results

import (
	"fmt"
	"strconv"
	"strings"
)

// Each is one of several fits, or why there is none.
type Each struct {
	Name    string // chip, model and engine version
	Overlay string // file; "" = none was asked for
	Fit     *Fit
	Why     error
}

// EachText prints one line a metric of each fit: rows used, how the fit ended,
// median and 90th percentile of the errors on rows held out and on fitted ones,
// and how many held-out rows lie inside their 90 % intervals. Requirements that do
// not hold, and groups without a fit, follow.
func EachText(list []Each) string {
	width, ends := len("fits"), len("not converged")
	for _, e := range list {
		width = max(width, len(e.Name)+2)
		if e.Fit != nil {
			ends = max(ends, len(e.Fit.Status))
		}
	}
	var b, after strings.Builder
	fmt.Fprintf(&b, "%-*s  %5s  %-*s  %-14s  %-16s  %-16s  %s\n", width, "fits", "rows", ends, "result", "metric", "fitted", "held out", "90 % holds")
	for _, e := range list {
		if e.Why != nil {
			fmt.Fprintf(&after, "not fitted  %s: %v\n", e.Name, e.Why)
			continue
		}
		name, rows, result := "  "+e.Name, fmt.Sprint(e.Fit.Rows), e.Fit.Status
		for _, f := range e.Fit.Errors {
			if f.Split != Fitted {
				continue
			}
			held, holds := "", ""
			for _, h := range e.Fit.Errors {
				if h.Split == HeldOut && h.Metric == f.Metric {
					held = pair(h)
				}
			}
			for _, c := range e.Fit.Coverage {
				if c.Metric == f.Metric {
					holds = fmt.Sprintf("%d of %d", c.Inside, c.Rows)
				}
			}
			line := fmt.Sprintf("%-*s  %5s  %-*s  %-14s  %-16s  %-16s  %s", width, name, rows, ends, result, f.Metric, pair(f), held, holds)
			b.WriteString(strings.TrimRight(line, " ") + "\n")
			name, rows, result = "", "", ""
		}
		for _, g := range e.Fit.Gates {
			fmt.Fprintf(&after, "gate    FAIL %s: %s\n", e.Name, g)
		}
	}
	b.WriteString(after.String())
	return b.String()
}

// pair is median and 90th percentile.
func pair(e Error) string { return fmt.Sprintf("%5.1f / %5.1f %%", 100*e.Median, 100*e.P90) }

// String words a requirement that does not hold.
func (g Gate) String() string {
	if g.Limit > 0 {
		return fmt.Sprintf("%s %s > %s", g.What, short(g.Value), short(g.Limit))
	}
	return g.What
}

// EachRows is a row for each fit, metric and split, with the errors as ratios; a
// group without a fit is one row with the reason.
func EachRows(list []Each) [][]string {
	out := [][]string{{"fit", "overlay", "rows", "result", "metric", "split", "split_rows", "median_ratio", "p90_ratio", "bias_ratio"}}
	number := func(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }
	for _, e := range list {
		if e.Why != nil {
			out = append(out, []string{e.Name, "", "", "not fitted: " + e.Why.Error(), "", "", "", "", "", ""})
			continue
		}
		for _, r := range e.Fit.Errors {
			out = append(out, []string{e.Name, e.Overlay, strconv.Itoa(e.Fit.Rows), e.Fit.Status, r.Metric, r.Split, strconv.Itoa(r.Rows), number(r.Median), number(r.P90), number(r.Bias)})
		}
	}
	return out
}
