package results

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"scoville/core/unit"
)

// Text prints a fit for people.
func Text(f *Fit) string {
	var b strings.Builder
	fmt.Fprintf(&b, "fit     %s -> %s x %s", Count(f.Rows, "row"), Count(f.Conditions, "condition"), Count(countMetrics(f), "target"))
	if len(f.Dropped) > 0 {
		n := 0
		for _, d := range f.Dropped {
			n += len(d.Rows)
		}
		fmt.Fprintf(&b, "    (%s dropped: %s)", Count(n, "row"), Reasons(f.Dropped))
	}
	fmt.Fprintf(&b, "\nheld    %s\n", f.HeldOut)
	for _, a := range f.Assumed {
		fmt.Fprintf(&b, "assumed %s\n", a)
	}
	for _, s := range f.Suspects {
		fmt.Fprintf(&b, "suspect %s\n", s)
	}
	fmt.Fprintf(&b, "result  %s after %d iterations, cost %s, %s evaluations; %s\n",
		f.ended(), f.Iterations, short(f.Cost), unit.Commas(fmt.Sprint(f.Evals)), f.Agreement)
	if f.Status == Undescribed {
		b.WriteString(advice)
	}
	parameterTable(&b, f)
	errorTable(&b, f)
	if slices.ContainsFunc(f.Errors, func(e Error) bool { return e.Split == HeldOut }) {
		b.WriteString(heldOutNote)
	}
	judgement(&b, f)
	f.Saturated.text(&b)
	fmt.Fprintf(&b, "identifiability  weakest: %s; condition number %s\n", f.Weak, short(f.Condition))
	for _, c := range f.Correlated {
		fmt.Fprintf(&b, "  %s and %s are hardly told apart: correlation %+.3f\n", c.A, c.B, c.R)
	}
	for _, g := range f.Gates {
		fmt.Fprintf(&b, "gate    FAIL %s\n", g)
	}
	return b.String()
}

// heldOutNote says what held-out errors do not show.
const heldOutNote = "  held-out errors are of conditions, not of devices: load-model conventions and prior centres\n" +
	"  were chosen on published data that may include these rows\n"

// Count prints a number of things.
func Count(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}

func countMetrics(f *Fit) int {
	seen := map[string]bool{}
	for _, e := range f.Errors {
		seen[e.Metric] = true
	}
	return len(seen)
}

func parameterTable(b *strings.Builder, f *Fit) {
	width := len("parameters")
	for _, p := range f.Parameters {
		width = max(width, len(p.Name)+2)
	}
	fmt.Fprintf(b, "%-*s  %9s   %-21s  note\n", width, "parameters", "value", "95% interval")
	for _, p := range f.Parameters {
		interval := short(p.Lo) + " .. " + short(p.Hi)
		if p.Held {
			interval = ""
		}
		line := fmt.Sprintf("%-*s  %9s   %-21s  %s", width, "  "+p.Name, short(p.Value), interval, strings.Join(p.Notes, "; "))
		b.WriteString(strings.TrimRight(line, " ") + "\n")
	}
}

// judgement prints baselines, intervals, patterns and the noise floor.
func judgement(b *strings.Builder, f *Fit) {
	for _, e := range f.Baselines {
		verdict := ""
		for _, h := range f.Errors {
			if h.Metric == e.Metric && h.Split == HeldOut && (h.Median > e.Median || h.P90 > e.P90) {
				verdict = "   <- not beaten"
			}
		}
		fmt.Fprintf(b, "  %-14s  held out by %-24s  %s%s\n", e.Metric, e.Split, errorText(e), verdict)
	}
	for _, c := range f.Coverage {
		fmt.Fprintf(b, "  %-14s  %.0f %% intervals hold %d of %d held-out rows (%.0f %%); high / low end %s in the median\n",
			c.Metric, 100*c.Share, c.Inside, c.Rows, 100*float64(c.Inside)/float64(c.Rows), width(c.Width))
	}
	for _, m := range f.Models {
		for _, e := range m.Errors {
			fmt.Fprintf(b, "  %-14s  %s, %s: %s\n", e.Metric, m.Name, e.Split, strings.TrimSpace(errorText(e)))
		}
	}
	for _, n := range f.Noise {
		fmt.Fprintf(b, "noise floor      %s: %.1f%% between repeats (%s, %s)\n", n.Metric, 100*n.SD, Count(n.Rows, "row"), Count(n.Conditions, "condition"))
	}
	for _, p := range f.Patterns {
		direction := "high"
		if p.Rho < 0 {
			direction = "low"
		}
		fmt.Fprintf(b, "pattern left     %s runs %s at large %s (rank correlation %+.2f, p %.1g)\n", p.Metric, direction, p.Condition, p.Rho, p.P)
	}
}

// width is how far apart the ends of an interval are.
func width(ratio float64) string {
	if !(ratio < 1e4) {
		return "without limit"
	}
	return fmt.Sprintf("%.2f", ratio)
}

// errorTable prints median, 90th percentile and bias of |predicted / measured
// - 1|, and says where held-out errors are much worse.
func errorTable(b *strings.Builder, f *Fit) {
	fmt.Fprintf(b, "%-16s  %-32s  %s\n", "errors", "fitted: median, p90, bias", "held out")
	for _, e := range f.Errors {
		if e.Split != Fitted {
			continue
		}
		line := fmt.Sprintf("  %-14s  %-32s", e.Metric, errorText(e))
		for _, h := range f.Errors {
			if h.Metric != e.Metric || h.Split != HeldOut {
				continue
			}
			line += "  " + errorText(h)
			if h.Median > 2*e.Median && h.Median > 0.05 {
				line += "   <- held out much worse"
				if math.Abs(h.Bias) > 0.8*h.Median {
					line += ", one-sided"
				}
			}
		}
		b.WriteString(strings.TrimRight(line, " ") + "\n")
	}
}

func errorText(e Error) string {
	return fmt.Sprintf("%5.1f%%  %5.1f%%  %+5.1f%%", 100*e.Median, 100*e.P90, 100*e.Bias)
}

// short prints three significant digits without an exponent, with thousands
// separated.
func short(x float64) string {
	a := math.Abs(x)
	switch {
	case a > 1e12:
		return "none"
	case a >= 1000:
		return unit.Commas(fmt.Sprintf("%.0f", x))
	case a >= 100:
		return fmt.Sprintf("%.0f", x)
	case a >= 10:
		return fmt.Sprintf("%.1f", x)
	case a >= 1:
		return fmt.Sprintf("%.2f", x)
	}
	return fmt.Sprintf("%.3f", x)
}

// Reasons words dropped rows: "3 saturated, 1 repeats x.csv:3 exactly".
func Reasons(dropped []Dropped) string {
	parts := make([]string, len(dropped))
	for i, d := range dropped {
		parts[i] = fmt.Sprintf("%d %s", len(d.Rows), d.Reason)
	}
	return strings.Join(parts, ", ")
}
