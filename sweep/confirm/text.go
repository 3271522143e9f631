package confirm

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"strings"
	"text/tabwriter"
)

// Text writes the report for people.
func (r *Report) Text(w io.Writer) error {
	var b bytes.Buffer
	better := "lower is better"
	if r.Goal == "max" {
		better = "higher is better"
	}
	fmt.Fprintf(&b, "%s: %d of %d points by %s (%s)\n", r.Dir, len(r.Points), r.Of, r.By, better)
	if r.Verdict != Fixed {
		fmt.Fprintf(&b, "the study had up to %d runs of a point; %d fresh ones of each, replicates %d to %d\n", r.Used, r.Runs, r.From, r.From+r.Runs-1)
	}
	b.WriteByte('\n')
	var table bytes.Buffer
	t := tabwriter.NewWriter(&table, 0, 0, 2, ' ', 0)
	head := "rank\tfresh\tpoint\tfirst\tfresh\tchange\tagainst the winner"
	fronts := len(r.Points) > 0 && r.Points[0].Stays != nil
	if fronts {
		head += "\tfront"
	}
	fmt.Fprintln(t, head)
	for i := range r.Points {
		p := &r.Points[i]
		fmt.Fprintf(t, "%d\t%s\t%d\t%s\t%s\t%s\t%s", p.Rank, p.newRank(), p.Index, p.First.value(), p.fresh(), p.Change.change(), p.Lead.change())
		if fronts {
			fmt.Fprintf(t, "\t%s", p.front())
		}
		fmt.Fprintln(t)
	}
	t.Flush()
	for line := range strings.Lines(table.String()) {
		b.WriteString(strings.TrimRight(line, " \n") + "\n") // the winner has no lead over itself
	}
	r.places(&b)
	r.words(&b)
	fmt.Fprintf(&b, "\nfiles  %s in %s\n", File, r.Dir)
	_, err := w.Write(b.Bytes())
	return err
}

// maxPlaces bounds the points whose place in the design is printed.
const maxPlaces = 20

func (r *Report) places(b *bytes.Buffer) {
	b.WriteByte('\n')
	for i := range r.Points[:min(len(r.Points), maxPlaces)] {
		p := &r.Points[i]
		if len(p.Place) > 0 {
			fmt.Fprintf(b, "point %d: %s\n", p.Index, strings.Join(p.Place, ", "))
		}
	}
	if n := len(r.Points) - maxPlaces; n > 0 {
		fmt.Fprintf(b, "%d more in %s\n", n, File)
	}
}

// words says what the table means.
func (r *Report) words(b *bytes.Buffer) {
	b.WriteByte('\n')
	if c := r.Curse; c != nil {
		line := "winner's curse  the winner is " + side(*c.Mean) + " than it looked by " + c.magnitude()
		if c.Lo != nil && *c.Lo <= 0 && *c.Hi >= 0 {
			line += ", within chance"
		}
		if r.Mean != nil && len(r.Points) > 1 {
			line += fmt.Sprintf("; mean over the points %s", percent(*r.Mean, math.NaN(), true))
		}
		fmt.Fprintln(b, line+" (+ = worse)")
	}
	if r.Pairs > 0 && r.Verdict != Fixed {
		fmt.Fprintf(b, "rank order      of %d pairs %d hold, %d are the other way round, %d cannot be told apart\n", r.Pairs, r.Kept, r.Swapped, r.Undecided)
	}
	if lost := r.lost(); lost != "" {
		fmt.Fprintf(b, "front           %s\n", lost)
	}
	fmt.Fprintf(b, "verdict         %s: %s\n", r.Verdict, r.Reason)
	if !r.Holds() {
		fmt.Fprintf(b, "                take more [replicates] before choosing by %s\n", r.By)
	}
}

// lost says which members of the front leave it on the fresh replicates.
func (r *Report) lost() string {
	members, stay := 0, 0
	var gone []string
	for i := range r.Points {
		p := &r.Points[i]
		if !p.Member || p.Stays == nil {
			continue
		}
		if members++; *p.Stays {
			stay++
		} else {
			gone = append(gone, fmt.Sprint(p.Index))
		}
	}
	if members == 0 {
		return ""
	}
	text := fmt.Sprintf("%d of %d members stay, among the points run again", stay, members)
	if n := len(gone) - 10; n > 0 {
		gone = append(gone[:10], fmt.Sprintf("and %d more", n))
	}
	if len(gone) > 0 {
		text += "; gone: " + strings.Join(gone, ", ")
	}
	return text
}

func side(x float64) string {
	if x < 0 {
		return "better"
	}
	return "worse"
}

func (p *Point) newRank() string {
	if p.NewRank == nil {
		return "-"
	}
	return fmt.Sprint(*p.NewRank)
}

func (p *Point) fresh() string {
	switch {
	case !p.Random:
		return "not random"
	case p.Failed > 0:
		return fmt.Sprintf("%d runs not ok", p.Failed)
	case p.Grows:
		return "saturated"
	}
	return p.Fresh.value()
}

func (p *Point) front() string {
	text := map[bool]string{true: "on", false: "off"}[*p.Stays]
	if p.Member {
		text = "was on, " + text
	}
	if p.InShare != nil {
		text += fmt.Sprintf(" (%.0f%% of replicates)", 100**p.InShare)
	}
	return text
}

// value prints a mean and half its interval.
func (e *Estimate) value() string {
	if e == nil || e.Mean == nil {
		return "-"
	}
	if e.Lo == nil {
		return fmt.Sprintf("%.4g", *e.Mean)
	}
	return fmt.Sprintf("%.4g ± %.2g", *e.Mean, (*e.Hi-*e.Lo)/2)
}

// change prints a relative change; ~ where its interval includes 0.
func (e *Estimate) change() string {
	switch {
	case e == nil || e.Mean == nil:
		return ""
	case e.Lo == nil:
		return percent(*e.Mean, math.NaN(), true)
	case *e.Lo <= 0 && *e.Hi >= 0:
		return "~"
	}
	return percent(*e.Mean, (*e.Hi-*e.Lo)/2, true)
}

// magnitude prints the size of a relative change.
func (e *Estimate) magnitude() string {
	half := math.NaN()
	if e.Lo != nil {
		half = (*e.Hi - *e.Lo) / 2
	}
	return percent(math.Abs(*e.Mean), half, false)
}

// percent prints a ratio and half its interval, if that is known.
func percent(x, half float64, sign bool) string {
	text := fmt.Sprintf("%.2f%%", 100*x)
	if sign && x >= 0 {
		text = "+" + text
	}
	if !math.IsNaN(half) {
		text += fmt.Sprintf(" ± %.2f", 100*half)
	}
	return text
}
