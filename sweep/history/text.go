package history

import (
	"bytes"
	"fmt"
	"io"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"scoville/sweep/results/filter"
	"scoville/sweep/results/record"
)

// Text writes what was found for people: a line per study, or with long what is
// known of each.
func (r *Report) Text(w io.Writer, long bool) error {
	var b bytes.Buffer
	if long {
		for i := range r.Entries {
			r.Entries[i].long(&b, r.Names)
		}
	} else if len(r.Entries) > 0 {
		r.table(&b)
	}
	if len(r.Entries) == 0 && r.Seen > 0 {
		fmt.Fprintf(&b, "none of %s\n", plural(r.Seen, "folder of results", "folders of results"))
	} else if len(r.Entries) < r.Seen {
		fmt.Fprintf(&b, "%d of %s\n", len(r.Entries), plural(r.Seen, "folder of results", "folders of results"))
	}
	if r.Without > 0 {
		fmt.Fprintf(&b, "%s a name of the condition\n", plural(r.Without, "study lacks", "studies lack"))
	}
	for _, n := range r.Notes {
		fmt.Fprintf(&b, "note  %s\n", flat(n))
	}
	_, err := w.Write(b.Bytes())
	return err
}

func plural(n int, one, more string) string {
	if n == 1 {
		return "1 " + one
	}
	return strconv.Itoa(n) + " " + more
}

func stamp(t time.Time) string {
	if t.IsZero() {
		return "-"
	}
	return t.UTC().Format("2006-01-02 15:04")
}

func (r *Report) table(b *bytes.Buffer) {
	t := tabwriter.NewWriter(b, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "folder\twritten\tstate\tpoints\tmain effect\tbottleneck\tcalibration")
	for i := range r.Entries {
		e := &r.Entries[i]
		if e.State == Unread {
			fmt.Fprintf(t, "%s\t%s\t%s\t%s\n", flat(e.Dir), stamp(e.when()), e.State, flat(e.Problem))
			continue
		}
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\t%s\t%s\n", flat(e.Dir), stamp(e.when()), e.state(), e.points(), or(e.effect()), or(e.bottleneck()), or(e.calibration()))
	}
	t.Flush()
}

// flat is a text in one line: names come from files of others.
func flat(s string) string { return strings.Join(strings.Fields(s), " ") }

func or(s string) string {
	if s == "" {
		return "-"
	}
	return flat(s)
}

// state says how far a study is, and how much of it is saturated.
func (e *Entry) state() string {
	if e.Record == nil || e.Record.States[record.Saturated] == 0 {
		return e.State
	}
	return fmt.Sprintf("%s, %.0f%% saturated", e.State, e.saturated()*100)
}

func (e *Entry) saturated() float64 {
	if e.Record == nil || e.Record.Points == 0 {
		return 0
	}
	return float64(e.Record.States[record.Saturated]) / float64(e.Record.Points)
}

func (e *Entry) points() string {
	switch {
	case e.Record == nil:
		return "-"
	case e.Runs == e.Record.Points:
		return strconv.Itoa(e.Record.Points)
	}
	return fmt.Sprintf("%d (%s)", e.Record.Points, plural(e.Runs, "run", "runs"))
}

func (e *Entry) effect() string {
	if e.Record == nil {
		return ""
	}
	if e.Record.Found != nil {
		return e.Record.Found.String()
	}
	return e.Record.Effect.String()
}

// bottleneck is what binds most points, and how many.
func (e *Entry) bottleneck() string {
	if e.Record == nil || len(e.Record.Bounds) == 0 {
		return ""
	}
	top, all := e.Record.Bounds[0], 0
	for _, b := range e.Record.Bounds {
		all += b.Points
	}
	s := filter.Word(top.Resource)
	if top.Points < all {
		s += fmt.Sprintf(", %d of %d points", top.Points, all)
	}
	if top.Share != nil {
		s += fmt.Sprintf(" (%.0f%%)", 100**top.Share)
	}
	return s
}

// calibration is what the numbers rest on.
func (e *Entry) calibration() string {
	r := e.Record
	if r == nil {
		return ""
	}
	s := "none"
	switch {
	case r.Calibrated > 0:
		s = strings.Join(e.Base, " ")
		if r.Calibrated < r.Points {
			s += fmt.Sprintf(", %d of %d points", r.Calibrated, r.Points)
		}
		if r.Extrapolated > 0 {
			s += fmt.Sprintf(", %d outside of it", r.Extrapolated)
		}
	case len(e.Base) > 0:
		s = "none by " + strings.Join(e.Base, " ")
	}
	if r.Weakest != "" {
		s += ", weakest number " + r.Weakest
	}
	return s
}

// long prints all that is known of a study.
func (e *Entry) long(b *bytes.Buffer, names []string) {
	b.WriteString(flat(e.Dir))
	if e.Study != "" {
		fmt.Fprintf(b, "  %s, %s, %s", flat(e.Study), stamp(e.when()), e.state())
	} else {
		fmt.Fprintf(b, "  %s", e.State)
	}
	if e.Record != nil {
		fmt.Fprintf(b, ", %s, %s in %s", plural(e.Record.Points, "point", "points"), plural(e.Runs, "run", "runs"), time.Duration(e.Seconds*float64(time.Second)).Round(10*time.Millisecond))
	} else if e.Planned > 0 {
		fmt.Fprintf(b, ", %s planned", plural(e.Planned, "run", "runs"))
	}
	b.WriteByte('\n')
	line := func(word string, texts ...string) {
		for _, t := range texts {
			if t != "" {
				fmt.Fprintf(b, "  %-10s %s\n", word, flat(t))
				word = ""
			}
		}
	}
	line("problem", e.Problem)
	what := "varies"
	if e.Since != "" {
		what = "changed"
		line("since", e.Since)
		if len(e.Changed) == 0 {
			line(what, "nothing")
		}
	}
	line(what, e.Changed...)
	if r := e.Record; r != nil {
		line("effect", r.Effect.String())
		line("found", r.Found.String())
		var texts []string
		for _, x := range r.Bounds {
			texts = append(texts, x.String())
		}
		line("bound", texts...)
		texts = nil
		for _, x := range r.Symptoms {
			texts = append(texts, x.String())
		}
		line("symptoms", texts...)
		texts = nil
		for _, x := range r.Causes {
			texts = append(texts, x.String())
		}
		line("causes", texts...)
		line("calibrated", e.calibration())
	}
	line("because", e.Because...)
	for _, m := range e.Matches {
		line("match", m.text(names))
	}
	if n := e.Matched - len(e.Matches); n > 0 && len(e.Matches) > 0 {
		line("", fmt.Sprintf("and %s", plural(n, "more point", "more points")))
	}
	b.WriteByte('\n')
}

func (m *Match) text(names []string) string {
	s := fmt.Sprintf("point %d", m.Point)
	if m.State != record.Steady && m.State != record.Unjudged {
		s += " (" + m.State + ")"
	}
	if len(m.Place) > 0 {
		s += ", " + strings.Join(m.Place, ", ")
	}
	var values []string
	for i, n := range names {
		v := m.Values[i]
		if x, err := strconv.ParseFloat(v, 64); err == nil {
			v = strconv.FormatFloat(x, 'g', 5, 64)
		}
		values = append(values, n+" = "+or(v))
	}
	if len(values) > 0 {
		s += ": " + strings.Join(values, ", ")
	}
	return s
}

// Rows are a heading and a row per study; with a condition a row per point that
// meets it, with the values of its names last.
func (r *Report) Rows() [][]string {
	head := []string{"folder", "study", "state", "written", "points", "runs", "saturated_ratio", "changed_since", "changed", "effect_metric", "effect_parameter", "effect_level", "effect_method", "effect", "effect_lo", "effect_hi", "bound", "bound_points", "bound_share_ratio", "overlays", "calibrated_points", "weakest_source", "problem", "effect_resolved"}
	if r.Names != nil {
		head = append(append(head, "point_index", "point_state", "place"), r.Names...)
	}
	out := [][]string{head}
	for i := range r.Entries {
		e := &r.Entries[i]
		row := e.row()
		if r.Names == nil {
			out = append(out, row)
			continue
		}
		for _, m := range e.Matches {
			out = append(out, append(append(row[:len(row):len(row)], strconv.Itoa(m.Point), m.State, strings.Join(m.Place, ", ")), m.Values...))
		}
	}
	return out
}

func (e *Entry) row() []string {
	written := ""
	if !e.Written.IsZero() {
		written = e.Written.UTC().Format(time.RFC3339)
	}
	exact := func(x *float64) string {
		if x == nil {
			return ""
		}
		return strconv.FormatFloat(*x, 'g', -1, 64)
	}
	row := []string{e.Dir, e.Study, e.State, written, "", strconv.Itoa(e.Runs), "", e.Since, strings.Join(e.Changed, "; "), "", "", "", "", "", "", "", "", "", "", strings.Join(e.Base, " "), "", "", e.Problem, ""}
	r := e.Record
	if r == nil {
		return row
	}
	saturated := e.saturated()
	row[4], row[6], row[20], row[21] = strconv.Itoa(r.Points), exact(&saturated), strconv.Itoa(r.Calibrated), r.Weakest
	if x := r.Effect; x != nil {
		copy(row[9:], []string{x.Metric, x.Parameter, x.Level, x.Method, exact(&x.Value), exact(x.Lo), exact(x.Hi)})
		row[len(row)-1] = strconv.FormatBool(!x.Unresolved)
	}
	if len(r.Bounds) > 0 {
		x := r.Bounds[0]
		copy(row[16:], []string{x.Resource, strconv.Itoa(x.Points), exact(x.Share)})
	}
	return row
}
