package sweep

import (
	"bytes"
	"fmt"
	"io"
	"strconv"
	"strings"
	"text/tabwriter"

	"scoville/sweep/study"
)

// Describe writes what a plan would run.
func Describe(w io.Writer, p *Plan) error {
	st := p.Study
	var b bytes.Buffer
	t := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	fmt.Fprintf(t, "study\t%s (%s)\n", st.Name, st.Doc.File)
	axes := func(word string, axes []study.Axis) {
		for _, a := range axes {
			fmt.Fprintf(t, "%s\t%s\t%d\t%s\n", word, a.Name, len(a.Levels), levels(a))
			word = ""
		}
	}
	axes("axes", st.Axes)
	axes("oat", st.OAT)
	t.Flush()
	count, example, err := Infeasible(p)
	if err != nil {
		return err
	}
	points := grouped(p.Len())
	if count > 0 {
		points += fmt.Sprintf(", %s infeasible; %s", grouped(count), example)
	}
	fmt.Fprintf(&b, "points  %s\nruns    %s x %d replicates = %s, limit %s\n", points, grouped(p.Len()), st.Replicates, grouped(p.Runs()), grouped(int(st.MaxRuns)))
	for _, n := range p.Notes {
		fmt.Fprintf(&b, "note    %s\n", n)
	}
	_, err = w.Write(b.Bytes())
	return err
}

// levels lists an axis' levels, shortened.
func levels(a study.Axis) string {
	const most = 8
	var names []string
	for i, l := range a.Levels {
		if i == most-1 && len(a.Levels) > most {
			names = append(names, "...", a.Levels[len(a.Levels)-1].Name)
			break
		}
		names = append(names, l.Name)
	}
	return strings.Join(names, "  ")
}

// grouped prints a count with commas.
func grouped(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// Explain writes what a study key is at the first point of a plan, which layer
// set it, and how the design varies it.
func Explain(w io.Writer, p *Plan, path string) error {
	v, err := p.Explain(0, path)
	if err != nil {
		return &InputError{err}
	}
	line := fmt.Sprintf("%s = %s   from %s", path, study.Show(v.Value), v.Origin)
	if v.Grade != "" {
		line += " (" + v.Grade + ")"
	}
	for _, a := range append(append([]study.Axis{}, p.Study.Axes...), p.Study.OAT...) {
		for _, q := range a.Paths {
			if q == path {
				line += fmt.Sprintf("\nvaried by %s: %s", a.Name, levels(a))
			}
		}
	}
	_, err = fmt.Fprintln(w, line)
	return err
}
