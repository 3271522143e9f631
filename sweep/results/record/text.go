package record

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"scoville/sweep/results/filter"
)

// number prints a number to four digits.
func number(x float64) string { return strconv.FormatFloat(x, 'g', 4, 64) }

// String says what changes: ttft_mean_ms +31.4% (29.3 .. 33.5) by
// weight_bandwidth_gb_s -20%.
func (e *Effect) String() string {
	if e == nil {
		return ""
	}
	parameter := e.Parameter[strings.LastIndexByte(e.Parameter, '.')+1:]
	between, of := "", "" // of what the ends are, other than a 95 % interval
	ends := func(f func(float64) string) {
		if e.Lo != nil && e.Hi != nil {
			between = " (" + f(*e.Lo) + " .. " + f(*e.Hi) + of + ")"
		}
	}
	unresolved := ""
	if e.Unresolved {
		unresolved = ", unresolved: no interval"
	}
	switch e.Method {
	case "oat":
		percent := func(x float64) string { return fmt.Sprintf("%+.3g%%", 100*x) }
		ends(percent)
		return e.Metric + " " + percent(e.Value) + between + " by " + parameter + " " + e.Level + unresolved
	case Span:
		if e.N > 1 {
			of = fmt.Sprintf(" in %d groups", e.N)
			ends(func(x float64) string { return "x" + number(x) })
		}
		return e.Metric + " x" + number(e.Value) + between + " along " + parameter + unresolved
	}
	ends(number)
	return e.Metric + ": " + strings.ReplaceAll(e.Method, "_", " ") + " of " + parameter + " " + number(e.Value) + between
}

// String says what binds how many points: PCIe bound, 12 points, 83 % of busy time.
func (b Bound) String() string {
	s := fmt.Sprintf("%s bound, %s", filter.Word(b.Resource), plural(b.Points, "point"))
	if b.Share != nil {
		s += fmt.Sprintf(", %.0f%% of busy time", 100**b.Share)
	}
	return s
}

// String says what is high where: TTFT high, PCIe bound: 12 points, ttft_mean_ms up
// to 812 at point 3 (limit 200).
func (s Symptom) String() string {
	return fmt.Sprintf("%s high, %s bound: %s, %s up to %s at point %d (limit %s)", s.Latency, filter.Word(s.Bound), plural(s.Points, "point"), s.Metric, number(s.Worst), s.Point, number(s.Limit))
}

// String says why how many points have no result.
func (c Cause) String() string {
	return fmt.Sprintf("%s, %s: %s", c.Status, plural(c.Points, "point"), c.Reason)
}

// String says what varies: rate_rps 0.25 .. 8 (9).
func (v Varied) String() string {
	switch v.Levels {
	case 1:
		return v.Column + " " + v.First
	case 2:
		return v.Column + " " + v.First + ", " + v.Last
	case MaxLevels:
		return fmt.Sprintf("%s %s .. (%d or more)", v.Column, v.First, v.Levels)
	}
	return fmt.Sprintf("%s %s .. %s (%d)", v.Column, v.First, v.Last, v.Levels)
}

// String says what searches found: largest rate_rps: found 3, budget 1; 1.2 .. 6.7,
// bound by ttft_p99_ms.
func (f *Found) String() string {
	if f == nil {
		return ""
	}
	goal := "largest "
	if f.Goal == "min" {
		goal = "smallest "
	}
	var outcomes []string
	for _, o := range slices.Sorted(maps.Keys(f.Outcomes)) {
		outcomes = append(outcomes, fmt.Sprintf("%s %d", o, f.Outcomes[o]))
	}
	s := goal + f.Over[strings.LastIndexByte(f.Over, '.')+1:] + ": " + strings.Join(outcomes, ", ")
	if f.Min != nil {
		s += "; " + number(*f.Min)
		if *f.Max != *f.Min {
			s += " .. " + number(*f.Max)
		}
	}
	if f.Binding != "" {
		s += ", bound by " + f.Binding
	}
	return s
}

func plural(n int, thing string) string {
	if n != 1 {
		thing += "s"
	}
	return fmt.Sprintf("%d %s", n, thing)
}
