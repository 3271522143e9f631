package report

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"text/tabwriter"

	"scoville/sweep/results"
)

// Text writes the report for a terminal.
func (r *Report) Text(w io.Writer) error {
	var b bytes.Buffer
	for _, line := range r.summary {
		fmt.Fprintln(&b, line)
	}
	for _, s := range r.sections {
		fmt.Fprintln(&b)
		if s.title != "" {
			fmt.Fprintln(&b, s.title)
		}
		t := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
		for _, row := range append([][]string{s.head}, s.rows...) {
			fmt.Fprintln(t, strings.Join(row, "\t"))
		}
		t.Flush()
		for _, n := range s.notes {
			fmt.Fprintln(&b, n)
		}
	}
	for i, note := range r.data.Manifest.Notes {
		if i == 0 {
			fmt.Fprintln(&b)
		}
		fmt.Fprintf(&b, "note  %s\n", note)
	}
	fmt.Fprintf(&b, "\nfiles  %s, %s, %s, %s in %s\n", results.RunsFile, results.PointsFile, results.EffectsFile, File, r.data.Dir)
	_, err := w.Write(b.Bytes())
	return err
}

// markdown is the report as report.md.
func (r *Report) markdown() []byte {
	var b bytes.Buffer
	m := r.data.Manifest
	fmt.Fprintf(&b, "# %s\n\n", escape(m.Study))
	for _, line := range r.summary {
		fmt.Fprintf(&b, "- %s\n", escape(line))
	}
	for _, s := range r.sections {
		title := s.title
		if title == "" {
			title = "effects"
		}
		fmt.Fprintf(&b, "\n## %s\n\n", escape(title))
		writeRow(&b, s.head)
		b.WriteString("|" + strings.Repeat(" --- |", len(s.head)) + "\n")
		for _, row := range s.rows {
			writeRow(&b, row)
		}
		for _, n := range s.notes {
			fmt.Fprintf(&b, "\n%s\n", escape(n))
		}
	}
	for i, note := range m.Notes {
		if i == 0 {
			b.WriteString("\n## notes\n\n")
		}
		fmt.Fprintf(&b, "- %s\n", escape(note))
	}
	fmt.Fprintf(&b, "\n## provenance\n\n- study %s, SHA-256 %s\n- seed %d, simulator version %d, result schema %d\n", results.StudyFile, m.StudySHA256, m.Seed, m.SimVersion, m.Schema)
	for _, set := range m.Set {
		fmt.Fprintf(&b, "- set on the command line: %s\n", escape(set))
	}
	for _, o := range m.Overlays {
		fmt.Fprintf(&b, "- overlay %s, SHA-256 %s\n", escape(o), m.Inputs[o])
	}
	return b.Bytes()
}

func writeRow(b *bytes.Buffer, cells []string) {
	b.WriteString("|")
	for _, c := range cells {
		b.WriteString(" " + escape(c) + " |")
	}
	b.WriteString("\n")
}

// escape makes text inert in Markdown and HTML.
func escape(s string) string {
	return strings.NewReplacer("|", `\|`, "<", "&lt;", ">", "&gt;", "`", "'", "\n", " ", "[", `\[`, "~", `\~`, "*", `\*`).Replace(s)
}

// plain prints a cell of a table.
func plain(v any) string {
	switch v := v.(type) {
	case nil:
		return "-"
	case float64:
		return strconv.FormatFloat(v, 'g', -1, 64)
	}
	return fmt.Sprint(v)
}

// decimals is how many digits after the point show the first digit of x.
func decimals(x float64) int {
	if x = math.Abs(x); x == 0 || math.IsInf(x, 0) || math.IsNaN(x) {
		return 0
	}
	return max(0, -int(math.Floor(math.Log10(x))))
}

// significant prints four significant digits without exponent.
func significant(x float64) string {
	if x == 0 {
		return "0"
	}
	return strconv.FormatFloat(x, 'f', max(0, 3-int(math.Floor(math.Log10(math.Abs(x))))), 64)
}

// withHalf prints a mean and half its interval, as many digits as the interval
// leaves meaning to.
func withHalf(mean, half float64) string {
	most := max(0, 4-int(math.Floor(math.Log10(max(math.Abs(mean), 1e-300))))) // five significant digits
	d := decimals(half)
	if half == 0 || d > most {
		return significant(mean) + " ± 0"
	}
	return fmt.Sprintf("%.*f ± %.*f", d, mean, d, half)
}

// percent prints a signed ratio as percent with d decimals; what they cannot
// show has no sign.
func percent(ratio float64, d int) string {
	s := fmt.Sprintf("%+.*f%%", d, 100*ratio)
	if strings.Trim(s, "+-0.%") == "" {
		return s[1:]
	}
	return s
}

func plainPercent(ratio float64) string { return fmt.Sprintf("%.1f%%", 100*ratio) }

// plural prints a count of something.
func plural(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return grouped(n) + " " + thing + "s"
}

// grouped prints a count with commas.
func grouped(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}
