package explain

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"

	"scoville/core/schema"
	"scoville/core/unit"
	"scoville/sweep/study"
)

// Text writes the explanation for people.
func (x *Explanation) Text(w io.Writer) error {
	var b bytes.Buffer
	x.head(&b)
	x.resolved(&b)
	if x.Memory.Capacity > 0 {
		fmt.Fprintln(&b, "\nmemory of a chip")
		for _, line := range x.Memory.lines() {
			fmt.Fprintf(&b, "  %s\n", line)
		}
	}
	for _, s := range []*Step{x.Decode, x.Prefill} {
		if s != nil {
			s.text(&b)
		}
	}
	if x.Request != nil {
		x.requestText(&b)
	}
	if x.Run != nil {
		x.Run.text(&b, x.Verdict, x.Runs)
		x.largestText(&b)
	}
	x.leversText(&b)
	if len(x.Rerun) > 0 {
		fmt.Fprintln(&b, "\nto run this point alone")
		for _, line := range x.Rerun {
			fmt.Fprintf(&b, "  %s\n", line)
		}
	}
	_, err := w.Write(b.Bytes())
	return err
}

// head names the point and says whether its numbers are the ones in the tables.
func (x *Explanation) head(b *bytes.Buffer) {
	fmt.Fprintf(b, "%s, point %d (%s)", x.Study, x.Index, x.ID)
	for i, p := range x.Place {
		fmt.Fprintf(b, "%s%s = %s", map[bool]string{true: ": ", false: ", "}[i == 0], p.Name, study.Show(p.Value))
	}
	if x.Baseline {
		b.WriteString(" (baseline)")
	}
	b.WriteString("\n")
	switch {
	case x.Reason != "":
		fmt.Fprintf(b, "%s: %s\n", x.Status, x.Reason)
	case x.Verdict == Saturated:
		fmt.Fprintf(b, "SATURATED: requests arrive at %s/s, the machine serves %s/s (load %s): no latency of this run is a steady value\n",
			significant(x.Run.Offered), significant(x.Run.Capacity), significant(x.Run.Load))
	case x.Verdict == Unjudged:
		fmt.Fprintln(b, "not judged: the runs are too short to tell whether the queue is stable")
	}
	switch {
	case x.Differs != "":
		fmt.Fprintf(b, "NOT REPRODUCED: %s. What follows explains another run than the one in the tables\n", x.Differs)
	case x.Reproduced != "":
		fmt.Fprintf(b, "reproduced: %s\n", x.Reproduced)
	}
	for _, n := range x.Notes {
		fmt.Fprintf(b, "extrapolated: %s\n", n)
	}
}

// maxSource is how much of a source the text shows.
const maxSource = 90

func (x *Explanation) resolved(b *bytes.Buffer) {
	fmt.Fprintf(b, "\nscenario: what is not a default, and every number of the hardware; weakest grade %s\n", x.Weakest)
	t := newGrid(b)
	for _, v := range x.Values {
		value := study.Show(v.Value)
		switch v := v.Value.(type) {
		case string:
			value = schema.Show(v)
		case float64:
			if v == math.Trunc(v) && math.Abs(v) < 1e15 {
				value = strconv.FormatFloat(v, 'f', -1, 64)
			}
		}
		source := v.Source
		if len([]rune(source)) > maxSource {
			source = string([]rune(source)[:maxSource-3]) + "..."
		}
		if v.Grade != "" {
			source = v.Grade + ": " + source
		}
		t.row("  "+v.Path, strings.TrimSpace(value+" "+v.Unit), v.Layer, source)
	}
	t.end()
}

func (s *Step) text(b *bytes.Buffer) {
	fmt.Fprintf(b, "\n%s: %s ms, bound by %s\n", s.What, significant(s.MS), s.Bound)
	t := newGrid(b)
	t.row("  stage", "ms", "share", "if compute-bound", "if memory-bound", "bound by")
	for _, g := range s.Stages {
		t.row("  "+g.Name, significant(g.MS), percent(g.Share), significant(g.Compute), significant(g.Memory), g.Bound)
	}
	t.end()
	fmt.Fprintf(b, "  waits for %s\n", list(s.Resources))
	if slices.ContainsFunc(s.Stages, func(g Stage) bool {
		return float64(g.MS) < 0.999*math.Max(float64(g.Compute), float64(g.Memory))
	}) {
		fmt.Fprintln(b, "  a stage with less time than its roofline is hidden behind the other path")
	}
}

func (x *Explanation) requestText(b *bytes.Buffer) {
	q := x.Request
	fmt.Fprintf(b, "\nrequest: the mean of %s prompt and %s output tokens\n", unit.Grouped(q.Prompt), unit.Grouped(q.Output))
	if x.Verdict == Saturated {
		fmt.Fprintln(b, "  in the run: no steady latency (saturated)")
	} else {
		sum(b, "TTFT", q.TTFT, q.TTFTParts)
		sum(b, "TPOT", q.TPOT, q.TPOTParts)
		fmt.Fprintf(b, "  E2E   %s ms\n", significant(q.E2E))
	}
	if x.Room != nil {
		fmt.Fprintf(b, "  %s\n", x.Room.text(x.Verdict))
	}
	if q.EachTTFT.known() {
		fmt.Fprintf(b, "  each request alone on the machine, means: TTFT %s ms, TPOT %s ms\n", significant(q.EachTTFT), significant(q.EachTPOT))
	}
	if a := q.Alone; a != nil {
		fmt.Fprintf(b, "  the mean request alone: TTFT %s ms, TPOT %s ms, E2E %s ms, bound by %s; %s\n",
			significant(a.TTFT), significant(a.TPOT), significant(a.E2E), a.Bound, list(a.Stages))
	}
}

// sum writes a time as the sum of its parts.
func sum(b *bytes.Buffer, name string, whole Num, terms []Term) {
	if !whole.known() {
		return
	}
	fmt.Fprintf(b, "  %s  %s ms", name, significant(whole))
	for i, t := range terms {
		word := " + "
		if i == 0 {
			word = " = "
		}
		fmt.Fprintf(b, "%s%s %s", word, t.Name, significant(t.MS))
	}
	b.WriteString("\n")
}

func (r *Run) text(b *bytes.Buffer, verdict string, runs int) {
	fmt.Fprintf(b, "\nrun: %s s busy in the mean of %s, bound by %s\n", significant(r.BusySeconds), plural(runs, "run"), r.Bound)
	t := newGrid(b)
	for i := range max(len(r.Stages), len(r.Resources)) {
		row := []string{"  ", "", "", "", "", ""}
		if i < len(r.Stages) {
			row[0], row[1], row[2] = "  "+r.Stages[i].Name, significant(r.Stages[i].Seconds)+" s", percent(r.Stages[i].Share)
		}
		if i < len(r.Resources) {
			row[3], row[4], row[5] = "  waits for "+r.Resources[i].Name, significant(r.Resources[i].Seconds)+" s", percent(r.Resources[i].Share)
		}
		t.row(row...)
	}
	t.end()
	var use []string
	for _, u := range r.Use {
		s := fmt.Sprintf("%s %s", u.Name, percent(u.Mean))
		if u.Peak.known() {
			s += fmt.Sprintf(" (peak %s)", percent(u.Peak))
		}
		use = append(use, s)
	}
	fmt.Fprintf(b, "  used, mean and busiest 100 ms: %s\n", strings.Join(use, ", "))
	if r.Offered.known() {
		fmt.Fprintf(b, "  load: %s/s offered, capacity %s/s, ratio %s, %s\n", significant(r.Offered), significant(r.Capacity), significant(r.Load), verdict)
	}
	fmt.Fprintf(b, "  while busy %s sequences run, of %s tokens each\n", significant(r.Batch), significant(r.Context))
	if r.Energy.known() {
		fmt.Fprintf(b, "  energy %s J per output token\n", significant(r.Energy))
	}
	if r.Cost.known() {
		fmt.Fprintf(b, "  cost %s USD per million output tokens\n", significant(r.Cost))
	}
}

func (x *Explanation) largestText(b *bytes.Buffer) {
	fmt.Fprintln(b, "\nlargest contributors to busy time")
	for i, p := range x.Largest {
		fmt.Fprintf(b, "  %d. %s %s", i+1, p.Name, percent(p.Share))
		if p.Bound != "" {
			fmt.Fprintf(b, ", bound by %s", p.Bound)
		}
		b.WriteString("\n")
	}
}

func (x *Explanation) leversText(b *bytes.Buffer) {
	for _, why := range x.Untried {
		fmt.Fprintf(b, "\nnot tried: %s\n", why)
	}
	if len(x.Levers) == 0 {
		return
	}
	fmt.Fprintln(b, "\nwhat 10 % more of each resource would buy, at the same requests and rate (in brackets the elasticity)")
	t := newGrid(b)
	t.row(append([]string{"  "}, x.Metrics...)...)
	for _, l := range x.Levers {
		row := []string{"  " + l.Name}
		for _, e := range l.Effects {
			row = append(row, e.text())
		}
		t.row(row...)
	}
	t.end()
	if x.Paired > 1 {
		fmt.Fprintf(b, "  95%% interval of the paired difference, %d replicates. ~ = includes 0", x.Paired)
	} else {
		b.WriteString("  one paired run each, without intervals. ~ = no change")
	}
	if slices.Contains(x.Metrics, capacityRPS) {
		b.WriteString("; capacity: one pair")
	}
	b.WriteString("\n")
	for _, why := range x.Idle {
		fmt.Fprintf(b, "  no effect: %s\n", why)
	}
}

func (e *Effect) text() string {
	switch {
	case !e.Change.known():
		return "-"
	case e.Zero:
		return "~"
	}
	if math.Abs(float64(e.Change)) < 0.00005 {
		return "< 0.01%"
	}
	half := Num(math.NaN())
	if e.Lo.known() {
		half = (e.Hi - e.Lo) / 2
	}
	d := 1
	if math.Abs(float64(e.Change)) < 0.01 {
		d = 2
	}
	s := fmt.Sprintf("%+.*f%%", d, 100*float64(e.Change))
	if half.known() {
		s += fmt.Sprintf(" ± %.*f", d, 100*float64(half))
	}
	if e.Elasticity.known() {
		s += fmt.Sprintf(" (%s)", strings.Replace(fmt.Sprintf("%.2f", float64(e.Elasticity)), "-0.00", "0.00", 1))
	}
	return s
}

// grid is a table of text.
type grid struct{ *tabwriter.Writer }

func newGrid(w io.Writer) grid { return grid{tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)} }

func (g grid) row(cells ...string) {
	fmt.Fprintln(g, strings.TrimRight(strings.Join(cells, "\t"), "\t"))
}
func (g grid) end() { g.Flush() }

// list names parts with their shares, the largest first.
func list(all []Part) string {
	all = slices.Clone(all)
	slices.SortStableFunc(all, func(a, b Part) int { return -compareNum(a.Share, b.Share) })
	var out []string
	for _, p := range all {
		out = append(out, p.Name+" "+percent(p.Share))
	}
	return strings.Join(out, ", ")
}

// significant prints four significant digits without exponent, and as 0 what
// only rounding left.
func significant(n Num) string {
	switch x := float64(n); {
	case !n.known():
		return "-"
	case math.Abs(x) < 1e-9:
		return "0"
	default:
		return strconv.FormatFloat(x, 'f', max(0, 3-int(math.Floor(math.Log10(math.Abs(x))))), 64)
	}
}

func percent(n Num) string {
	if !n.known() {
		return "-"
	}
	return fmt.Sprintf("%.1f%%", 100*float64(n))
}

// plural prints a count of something.
func plural(n int, thing string) string {
	if n != 1 {
		thing += "s"
	}
	return unit.Grouped(n) + " " + thing
}
