package diff

import (
	"bytes"
	"fmt"
	"io"
	"strconv"
	"strings"
	"text/tabwriter"

	"scoville/core/metrics"
	"scoville/core/sheet"
)

// Bounds on what is printed; CSV and JSON have everything.
const (
	maxRows, maxMoved, maxAlone, maxDiff, maxPlace = 40, 10, 6, 20, 100
)

// Text writes the report for people.
func (r *Report) Text(w io.Writer) error {
	var b bytes.Buffer
	fmt.Fprintf(&b, "A  %s\nB  %s\n\n", r.A, r.B)
	r.inputs(&b)
	if len(r.Found) > 0 {
		r.answersText(&b)
	} else {
		r.table(&b)
	}
	r.ranks(&b)
	alone := func(name string, rows []Row, axes []string) {
		if len(axes) > 0 {
			fmt.Fprintf(&b, "axes only in %s: %s\n", name, strings.Join(axes, ", "))
		}
		if len(rows) > 0 {
			fmt.Fprintf(&b, "only in %s: %s%s\n", name, count(len(rows), "design"), several(rows, maxAlone))
		}
	}
	alone("A", r.OnlyA, r.AxesA)
	alone("B", r.OnlyB, r.AxesB)
	for _, n := range r.Notes {
		fmt.Fprintf(&b, "note  %s\n", n)
	}
	_, err := w.Write(b.Bytes())
	return err
}

func (r *Report) inputs(b *bytes.Buffer) {
	if len(r.Inputs) == 0 {
		b.WriteString("inputs  all the same\n")
	}
	for _, in := range r.Inputs {
		fmt.Fprintf(b, "%s  %s -> %s\n", in.What, orNone(in.A), orNone(in.B))
		for i, line := range in.More {
			if i == maxDiff {
				fmt.Fprintf(b, "   %d more lines\n", len(in.More)-maxDiff)
				break
			}
			fmt.Fprintf(b, "   %.*s\n", maxPlace, line)
		}
	}
	b.WriteByte('\n')
}

func orNone(s string) string {
	if s == "" {
		return "none"
	}
	return s
}

// table prints the designs of both.
func (r *Report) table(b *bytes.Buffer) {
	if len(r.Rows) == 0 {
		b.WriteString("no design is in both\n")
		return
	}
	t := tabwriter.NewWriter(b, 0, 0, 2, ' ', 0)
	fmt.Fprintf(t, "design\t%s\n", strings.Join(r.Metrics, "\t"))
	shown := r.Rows
	if len(shown) > maxRows {
		shown = r.changed()
	}
	for i := range shown[:min(len(shown), maxRows)] {
		row := &shown[i]
		fmt.Fprint(t, row.name())
		for k := range row.Changes {
			fmt.Fprintf(t, "\t%s", row.Changes[k].text())
		}
		fmt.Fprintln(t)
	}
	fmt.Fprint(t, "geomean")
	for _, g := range r.Geomean {
		if g.Ratio == nil {
			fmt.Fprint(t, "\t")
		} else {
			fmt.Fprintf(t, "\t%s", percent(*g.Ratio))
		}
	}
	fmt.Fprintln(t)
	t.Flush()
	if n := len(r.Rows) - min(len(shown), maxRows); n > 0 {
		fmt.Fprintf(b, "%s more; --csv has them all\n", count(n, "design"))
	}
	r.legend(b)
}

// changed are the designs with a change in some metric.
func (r *Report) changed() (out []Row) {
	for _, row := range r.Rows {
		for _, c := range row.Changes {
			if c.Word == "" && !c.Same && c.differs() {
				out = append(out, row)
				break
			}
		}
	}
	return out
}

func (r *Report) legend(b *bytes.Buffer) {
	paired, unpaired, alone := 0, 0, 0
	for _, row := range r.Rows {
		if len(row.Changes) == 0 || row.Changes[0].Word != "" {
			continue
		}
		switch c := row.Changes[0]; {
		case c.Lo == nil:
			alone++
		case c.Paired:
			paired++
		default:
			unpaired++
		}
	}
	fmt.Fprintf(b, "A -> B (change ± 95%% interval); ~ = the interval includes 0, = means equal to the bit; %d designs paired by replicate", paired)
	if unpaired > 0 {
		fmt.Fprintf(b, ", %d not (other seeds: Welch's interval)", unpaired)
	}
	if alone > 0 {
		fmt.Fprintf(b, ", %d with one run and no interval", alone)
	}
	b.WriteString("; geomean over designs that are ok and not saturated in both\n\n")
}

// ranks says what moved.
func (r *Report) ranks(b *bytes.Buffer) {
	if r.By != "" && r.Ranked > 1 {
		first := ""
		if i, _ := metrics.Index(r.By); r.Goal == "max" && metrics.Columns()[i].Better != "higher" || r.Goal == "min" && metrics.Columns()[i].Better != "lower" {
			first = ", the " + map[string]string{"min": "smallest", "max": "largest"}[r.Goal] + " first" // not as usual
		}
		fmt.Fprintf(b, "rank by %s%s: %d of %d designs moved\n", r.By, first, len(r.Moved), r.Ranked)
		for i, m := range r.Moved {
			if i == maxMoved {
				fmt.Fprintf(b, "   %d more\n", len(r.Moved)-maxMoved)
				break
			}
			fmt.Fprintf(b, "   %d -> %d  %s\n", m.From, m.To, m.Row.name())
		}
	}
	if n := len(r.Left); n > 0 {
		fmt.Fprintf(b, "left the front: %s%s\n", count(n, "design"), several(r.Left, maxMoved))
	}
	if n := len(r.Joined); n > 0 {
		fmt.Fprintf(b, "joined the front: %s%s\n", count(n, "design"), several(r.Joined, maxMoved))
	}
}

func several(rows []Row, most int) string {
	text := ""
	for i := range rows[:min(len(rows), most)] {
		text += "\n   " + rows[i].name()
	}
	if n := len(rows) - most; n > 0 {
		text += fmt.Sprintf("\n   %d more", n)
	}
	return text
}

func count(n int, thing string) string {
	if n != 1 {
		thing += "s"
	}
	return fmt.Sprintf("%d %s", n, thing)
}

// name says which design a row is.
func (row *Row) name() string {
	text := strings.Join(row.Place, ", ")
	if len(row.PointsA) > 1 || len(row.PointsB) > 1 {
		text += fmt.Sprintf(" (mean of %d and %d points)", len(row.PointsA), len(row.PointsB))
	}
	if text == "" {
		return "the only design"
	}
	if runes := []rune(text); len(runes) > maxPlace {
		text = string(runes[:maxPlace]) + "..."
	}
	return text
}

// differs reports whether a change is one, as far as its interval tells.
func (c *Change) differs() bool {
	return c.Ratio != nil && (c.Lo == nil && *c.Ratio != 0 || c.Lo != nil && (*c.Lo > 0 || *c.Hi < 0))
}

// text prints a change.
func (c *Change) text() string {
	switch {
	case c.Word != "":
		return c.Word
	case c.Same:
		return number(c.A) + " ="
	case c.Ratio == nil:
		return number(c.A) + " -> " + number(c.B)
	case !c.differs():
		return number(c.A) + " -> " + number(c.B) + " ~"
	}
	text := number(c.A) + " -> " + number(c.B) + " " + percent(*c.Ratio)
	if c.Lo != nil {
		text += fmt.Sprintf(" ± %.2g", 50*(*c.Hi-*c.Lo))
	}
	return text
}

func number(x *float64) string {
	if x == nil {
		return "-"
	}
	return fmt.Sprintf("%.4g", *x)
}

func percent(x float64) string {
	text := fmt.Sprintf("%+.2f%%", 100*x)
	if text == "-0.00%" {
		return "+0.00%"
	}
	return text
}

// CSV writes a row per design and metric.
func (r *Report) CSV(w io.Writer) error {
	out := sheet.NewWriter(w)
	if len(r.Found) > 0 {
		return out.WriteAll(r.answersCSV())
	}
	rows := [][]string{{"design", "point_a", "point_b", "metric", "unit", "a", "b", "change_ratio", "ci_lo", "ci_hi", "n", "paired", "same", "word"}}
	list := func(points []int) string { return strings.Trim(fmt.Sprint(points), "[]") }
	cell := func(x *float64) string {
		if x == nil {
			return ""
		}
		return strconv.FormatFloat(*x, 'g', -1, 64)
	}
	for i := range r.Rows {
		row := &r.Rows[i]
		for k, c := range row.Changes {
			rows = append(rows, []string{
				strings.Join(row.Place, ", "), list(row.PointsA), list(row.PointsB), r.Metrics[k], r.Units[k],
				cell(c.A), cell(c.B), cell(c.Ratio), cell(c.Lo), cell(c.Hi), strconv.Itoa(c.N), strconv.FormatBool(c.Paired), strconv.FormatBool(c.Same), c.Word,
			})
		}
	}
	return out.WriteAll(rows)
}
