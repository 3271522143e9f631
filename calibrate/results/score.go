package results

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"

	"scoville/core/table"
)

// The splits of a score.
const (
	Inside       = "scored"            // the overlay applies, within the range of its fit
	OutsideRange = "outside its range" // it applies, and is an extrapolation
	Elsewhere    = "not applicable"    // its applies_to does not hold: another chip, model, format or engine
)

// Score is how well an overlay predicts measurements without being fitted to
// them.
type Score struct {
	Schema        int       `json:"schema"`
	SimVersion    int       `json:"simulator_version"`
	Overlay       string    `json:"overlay"`
	OverlaySHA256 string    `json:"overlay_sha256"`
	Files         []File    `json:"files"`
	DataSHA256    string    `json:"data_sha256"`
	Where         string    `json:"where,omitempty"`
	Rows          int       `json:"rows"`
	Conditions    int       `json:"conditions"`
	Dropped       []Dropped `json:"dropped,omitempty"`
	Apart         []Dropped `json:"apart,omitempty"` // rows outside of where the overlay holds, by how
	Assumed       []string  `json:"assumed,omitempty"`
	Errors        []Error   `json:"errors"`
	Within        []Within  `json:"within,omitempty"` // of an overlay with a covariance
	Gates         []Gate    `json:"gates,omitempty"`

	Saturated *Throughput `json:"saturated,omitempty"` // runs beyond saturation
}

// Within counts the rows of a split whose measured value lies inside the 90 %
// interval that the overlay's covariance and model error give its prediction.
type Within struct {
	Metric string  `json:"metric"`
	Split  string  `json:"split"`
	Rows   int     `json:"rows"`
	Inside int     `json:"inside"`
	SD     float64 `json:"sd_ln"` // mean of the standard deviations of ln measured
}

// ScorePaths returns the files that WriteScore leaves for an output of that
// name, given with or without .toml: OUT.score.json, OUT.residuals.parquet.
func ScorePaths(out string) []string {
	stem := strings.TrimSuffix(strings.TrimSuffix(out, ".toml"), ".score.json")
	return []string{stem + ".score.json", stem + ".residuals.parquet"}
}

// WriteScore writes the record of a score, and its residuals.
func WriteScore(out string, s *Score, residuals []Residual) error {
	paths := ScorePaths(out)
	if err := writeResiduals(paths[1], &Fit{DataSHA256: s.DataSHA256}, residuals); err != nil {
		return err
	}
	f := Fit{Errors: s.Errors, Gates: s.Gates, Saturated: s.Saturated}
	f.finite()
	text, err := json.MarshalIndent(s, "", "  ")
	if err != nil {
		return err
	}
	return table.WriteFile(paths[0], append(text, '\n'))
}

// mostApart is how many reasons to score rows apart are printed.
const mostApart = 8

// ScoreText prints a score for people.
func ScoreText(s *Score) string {
	var b strings.Builder
	fmt.Fprintf(&b, "score   %s on %d rows -> %d conditions", s.Overlay, s.Rows, s.Conditions)
	for i, d := range s.Dropped {
		lead, n := ", ", 0
		if i == 0 {
			for _, d := range s.Dropped {
				n += len(d.Rows)
			}
			lead = fmt.Sprintf("    (%d rows dropped: ", n)
		}
		fmt.Fprintf(&b, "%s%d %s", lead, len(d.Rows), d.Reason)
	}
	if len(s.Dropped) > 0 {
		b.WriteString(")")
	}
	b.WriteString("\n")
	for _, a := range s.Assumed {
		fmt.Fprintf(&b, "assumed %s\n", a)
	}
	for i, d := range s.Apart {
		if i == mostApart {
			fmt.Fprintf(&b, "apart   %d more reasons: in the record\n", len(s.Apart)-i)
			break
		}
		n := len(d.Rows)
		fmt.Fprintf(&b, "apart   %d rows: %s (%s)\n", n, d.Reason, strings.Join(d.Rows[:min(3, n)], " "))
	}
	width := len("errors")
	for _, e := range s.Errors {
		width = max(width, len(e.Metric)+2)
	}
	last := ""
	for _, e := range s.Errors {
		if e.Split != last {
			last = e.Split
			fmt.Fprintf(&b, "%-*s  %s: rows, median, p90, bias\n", width, "errors", e.Split)
		}
		fmt.Fprintf(&b, "%-*s  %6d  %5.1f%%  %5.1f%%  %+5.1f%%%s\n", width, "  "+e.Metric, e.Rows, 100*e.Median, 100*e.P90, 100*e.Bias, s.within(e))
	}
	s.Saturated.text(&b)
	for _, g := range s.Gates {
		fmt.Fprintf(&b, "gate    FAIL %s\n", g)
	}
	return b.String()
}

// within words how many rows lie inside their 90 % intervals; "" if there are none.
func (s *Score) within(e Error) string {
	for _, w := range s.Within {
		if w.Metric == e.Metric && w.Split == e.Split && w.Rows > 0 {
			return fmt.Sprintf("   %.0f%% of rows inside their 90%% interval, %.1f%% to each side", 100*float64(w.Inside)/float64(w.Rows), 100*(math.Exp(1.645*w.SD)-1))
		}
	}
	return ""
}

// SortErrors puts the errors of a score in the order of its splits; within one
// the order stays.
func SortErrors(errors []Error) {
	rank := func(split string) int { return slices.Index([]string{Inside, OutsideRange, Elsewhere}, split) }
	slices.SortStableFunc(errors, func(a, b Error) int { return rank(a.Split) - rank(b.Split) })
}
