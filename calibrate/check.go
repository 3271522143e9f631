package calibrate

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"scoville/calibrate/doubt"
	"scoville/calibrate/group"
	"scoville/calibrate/objective"
	"scoville/calibrate/reading"
	"scoville/calibrate/results"
)

// Check reads files as a fit would and says what it understood: columns and
// units, load model, conditions, what is assumed and what looks wrong, and rows
// that a fit would leave out and why. It simulates every condition once, to see
// which open loops are saturated and which columns are in another unit. Several chips or models are no error here, nor
// is a chip or model that is not said: the text asks for it. Of several files,
// those that cannot be read are named and the others read; the error then comes
// with the text, as it does where a fit could use no row or would refuse them.
func Check(ctx context.Context, opt Options) (Checked, error) {
	out, err := check(ctx, opt)
	if ctx.Err() != nil {
		return Checked{}, ctx.Err()
	}
	if err != nil {
		return out, &InputError{err}
	}
	return out, nil
}

// Checked is what Check understood: a text for people, and a row with a heading for
// each row that was read.
type Checked struct {
	Text string
	Rows [][]string
}

func check(ctx context.Context, opt Options) (out Checked, err error) {
	opt.tolerant = true
	in, err := read(opt)
	if err != nil {
		return out, err
	}
	var b strings.Builder
	reading.Files(&b, in.files)
	asks := reading.Unsaid(in.rows, in.spec.Fixed)
	several := group.One(in.rows, in.spec.Fixed)
	if _, ok := several.(*group.Several); several != nil && !ok {
		several = nil // every row is dropped for what is not said
	}
	if err := in.resolve(ctx); err != nil {
		return out, err
	}
	out.Rows = reading.Rows(in.rows)
	in.summary(&b)
	for _, a := range asks {
		fmt.Fprintf(&b, "needed  %s\n", a)
	}
	if several != nil {
		fmt.Fprintf(&b, "%v\n", several)
	}
	if (len(in.conds) > 0 || len(asks) > 0) && doubt.Refusal(in.doubts) == nil {
		o := &in.opt
		files := o.Files
		if len(in.unread) > 0 { // only what was read can be fitted
			files = nil
			for _, f := range in.files {
				files = append(files, f.Name)
			}
		}
		reading.Next(&b, reading.Command{Files: files, Sets: o.Set, Names: o.Names, Flags: [][2]string{
			{"--spec", o.Spec}, {"--hardware", o.Hardware}, {"--model", o.Model}, {"--unit", o.Unit}, {"--where", o.Where},
		}}, len(asks) > 0 || several != nil)
	}
	for _, err := range in.skipped {
		line, _, _ := strings.Cut(err.Error(), "\n")
		fmt.Fprintf(&b, "skipped %s\n", line)
	}
	for _, err := range in.unread {
		fmt.Fprintf(&b, "not read: %v\n", err)
	}
	out.Text = b.String()
	if len(in.unread) > 0 {
		return out, fmt.Errorf("%s could not be read", results.Count(len(in.unread), "file"))
	}
	if doubt.Refusal(in.doubts) != nil {
		return out, errors.New("a fit refuses these measurements, for what is REFUSED above")
	}
	return out, in.none()
}

// summary prints counts, load model, ranges, notes and dropped rows.
func (in *input) summary(b *strings.Builder) {
	used := 0
	for i := range in.conds {
		used += len(in.conds[i].Rows)
	}
	line := fmt.Sprintf("rows    %d selected, %d usable -> %s with %s", len(in.rows), used, results.Count(len(in.conds), "condition"), reading.Counted(in.rows, in.metrics()))
	fmt.Fprintln(b, strings.TrimSuffix(line, " with "))
	for _, d := range in.doubts {
		if d.Sure {
			fmt.Fprintf(b, "REFUSED %s\n", d.Text)
		}
	}
	var loads []string
	rows := map[string]int{}
	for i := range in.conds {
		load := in.conds[i].Load()
		if rows[load] == 0 {
			loads = append(loads, load)
		}
		rows[load] += len(in.conds[i].Rows)
	}
	for i, load := range loads {
		loads[i] = fmt.Sprintf("%s %s", results.Count(rows[load], "row"), load)
	}
	if len(loads) > 0 {
		fmt.Fprintf(b, "load    %s\n", strings.Join(loads, ", "))
	}
	reading.Ranges(b, in.runs(), in.metrics())
	for _, n := range in.notes() {
		fmt.Fprintf(b, "assumed %s\n", n)
	}
	for _, s := range reading.Missing(in.rows) {
		fmt.Fprintf(b, "missing %s\n", s)
	}
	for _, s := range in.suspects() {
		fmt.Fprintf(b, "suspect %s\n", s)
	}
	example := map[string]string{}
	for _, o := range in.rows {
		if r := reading.ReasonOf(o.Dropped); o.Dropped != "" && example[r] == "" {
			_, example[r], _ = strings.Cut(o.Dropped, ": ")
		}
	}
	for _, d := range in.dropped {
		reason := d.Reason
		if e := example[d.Reason]; e != "" {
			reason += ": " + e
		}
		fmt.Fprintf(b, "dropped %s: %s (%s)\n", results.Count(len(d.Rows), "row"), reason, strings.Join(d.Rows[:min(3, len(d.Rows))], " "))
	}
}

// runs are the conditions with their rows.
func (in *input) runs() []reading.Run {
	out := make([]reading.Run, len(in.conds))
	for i := range in.conds {
		out[i] = reading.Run{Scenario: &in.conds[i].Scenario, Rows: in.conds[i].Rows}
	}
	return out
}

// suspects lists what looks wrong and is used all the same, a few lines.
func (in *input) suspects() (out []string) {
	for _, d := range in.doubts {
		if !d.Sure {
			out = append(out, d.Text)
		}
	}
	return reading.Few(slices.Concat(out, reading.Suspects(in.rows), reading.Repeats(in.runs())))
}

// notes lists the assumptions made for rows in use, each once.
func (in *input) notes() []string {
	var out []string
	add := func(notes ...string) {
		for _, n := range notes {
			if !slices.Contains(out, n) {
				out = append(out, n)
			}
		}
	}
	for i := range in.conds {
		for _, o := range in.conds[i].Rows {
			add(o.Notes...)
		}
	}
	for i := range in.conds {
		if in.spec.Params == nil {
			add(objective.HostTimes(in.conds[i].Scenario.Engine.Version))
		}
	}
	return out
}
