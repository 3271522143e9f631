package sweep

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"scoville/core/unit"
	"scoville/sweep/again"
	"scoville/sweep/hunt"
	"scoville/sweep/pilot"
	"scoville/sweep/request"
	"scoville/sweep/schedule"
	"scoville/sweep/study"
)

// Describe writes what a plan would run, and after a pilot of a few runs how
// long that takes with jobs simulations at a time.
func Describe(ctx context.Context, w io.Writer, p *Plan, jobs int) error {
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
	b.WriteString(p.Sampled())
	points := product(p)
	if n, point, why := p.Infeasible(); n > 0 {
		points += fmt.Sprintf(", %s infeasible before running; point %d: %s", unit.Grouped(n), point, why)
	}
	fmt.Fprintf(&b, "points  %s\nruns    %s, limit %s\n", points, size(p), unit.Grouped(int(st.MaxRuns)))
	b.WriteString(schedule.Describe(p) + draws(p))
	if st.Search != nil {
		fmt.Fprint(&b, hunt.Describe(p))
	}
	var counted request.Counter
	o := Options{watch: counted.Watch}
	trials, err := pilot.Try(ctx, p, o.simulators(nil))
	if err != nil {
		return err
	}
	fmt.Fprintf(&b, "cost    %s\n", pilot.Cost(p, trials, p.Capacities(), jobs))
	b.WriteString(requests(p, counted.Mean()))
	for _, n := range p.Notes {
		if strings.HasPrefix(n, "where #") {
			continue // in the line of the points
		}
		fmt.Fprintf(&b, "note    %s\n", n)
	}
	_, err = w.Write(b.Bytes())
	return err
}

// product is the number of points, with what the rules of [[where]] took out of
// the product of the axes.
func product(p *Plan) string {
	all, text := p.Len()+p.Merged, ""
	for i, n := range p.Removed {
		if n > 0 {
			all += n
			text += fmt.Sprintf(" - %s %s", unit.Grouped(n), p.Study.Where[i].Label(i+1))
		}
	}
	if all == p.Len() {
		return unit.Grouped(p.Len())
	}
	if p.Merged > 0 {
		text += fmt.Sprintf(" - %s merged", unit.Grouped(p.Merged))
	}
	return unit.Grouped(all) + text + " = " + unit.Grouped(p.Len())
}

// size says how many runs a plan has.
func size(p *Plan) string {
	switch st := p.Study; {
	case st.Search != nil:
		return hunt.Size(p)
	case st.First() > 0:
		return fmt.Sprintf("%s x %d to %d replicates = %s to %s", unit.Grouped(p.Len()), st.First(), st.Most(), unit.Grouped(p.LeastRuns()), unit.Grouped(p.Runs()))
	case p.Runs() != p.Len()*st.Replicates:
		return fmt.Sprintf("%s, up to %d replicates a point", unit.Grouped(p.Runs()), st.Replicates)
	}
	return fmt.Sprintf("%s x %d replicates = %s", unit.Grouped(p.Len()), p.Study.Replicates, unit.Grouped(p.Runs()))
}

// draws says how many runs [uncertainty] adds; "" = none.
func draws(p *Plan) string {
	if p.DrawRuns() == 0 {
		return ""
	}
	return fmt.Sprintf("draws   %d of the calibrated parameters x %s = %s further runs\n", p.Study.Draws, plural(len(p.Drawn()), "point"), unit.Grouped(p.DrawRuns()))
}

// requests says how large the files of requests get; "" = there are none. mean
// is the number of requests of a run, NaN if not known.
func requests(p *Plan, mean float64) string {
	most, runs := p.Study.Requests, hunt.Expected(p)
	if most == 0 {
		return ""
	}
	which := "all requests"
	if most != request.All {
		which = plural(most, "request")
	}
	line := fmt.Sprintf("files   %s of each run in %s/, %s", which, request.Dir, plural(runs, "file"))
	if mean == mean {
		line += ", " + pilot.About(request.Bytes(runs, mean, most)/1e6, "MB")
	}
	return line + "\n"
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

// plural prints a count of something.
func plural(n int, thing string) string {
	if n != 1 {
		thing += "s"
	}
	return unit.Grouped(n) + " " + thing
}

// Explain writes what a study key is at the first point of a plan, which layer
// set it, and how the design varies it.
func Explain(w io.Writer, p *Plan, path string) error {
	v, err := p.Explain(0, path)
	if err != nil {
		return again.Input(err)
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
	if s := p.Study.Sample; s != nil {
		for i := range s.Dims {
			if d := &s.Dims[i]; d.Path == path {
				line += fmt.Sprintf("\nvaried by sample, here its first row: %s", d.Text())
			}
		}
	}
	_, err = fmt.Fprintln(w, line)
	return err
}
