package calibrate

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"scoville/calibrate/objective"
)

// Check reads files as a fit would and says what it understood: columns and
// units, load model, conditions, and rows that a fit would leave out and why.
// It simulates only open-loop rows, once, to see which are saturated. Several chips or models are no error here.
func Check(ctx context.Context, opt Options) (string, error) {
	text, err := check(ctx, opt)
	if ctx.Err() != nil {
		return "", ctx.Err()
	}
	if err != nil {
		return "", &InputError{err}
	}
	return text, nil
}

func check(ctx context.Context, opt Options) (string, error) {
	in, err := read(opt)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	for _, f := range in.files {
		fmt.Fprintf(&b, "%s  %s form, %s, sha256 %s\n", f.Name, f.Form, count(len(f.Rows), "row"), f.SHA256[:16])
		width := 0
		for _, m := range f.Mapping {
			width = max(width, len(m.Column))
		}
		for _, m := range f.Mapping {
			fmt.Fprintf(&b, "  %-*s -> %s\n", width, m.Column, m.Meaning)
		}
		if len(f.Ignored) > 0 {
			fmt.Fprintf(&b, "  not used: %s\n", strings.Join(f.Ignored, ", "))
		}
		if f.Load != "" {
			fmt.Fprintf(&b, "  load: %s\n", f.Load)
		}
		for _, n := range f.Notes {
			fmt.Fprintf(&b, "  note: %s\n", n)
		}
	}
	several := in.oneGroup()
	if _, ok := several.(*severalError); several != nil && !ok {
		return "", several
	}
	if err := in.resolve(ctx); err != nil {
		return "", err
	}
	in.summary(&b)
	if several != nil {
		fmt.Fprintf(&b, "%v\n", several)
	}
	return b.String(), nil
}

// summary prints counts, load model, notes and dropped rows.
func (in *input) summary(b *strings.Builder) {
	used := 0
	for i := range in.conds {
		used += len(in.conds[i].Rows)
	}
	fmt.Fprintf(b, "rows    %d selected, %d usable -> %s with %s\n", len(in.rows), used, count(len(in.conds), "condition"), strings.Join(in.metrics(), ", "))
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
		loads[i] = fmt.Sprintf("%s %s", count(rows[load], "row"), load)
	}
	fmt.Fprintf(b, "load    %s\n", strings.Join(loads, ", "))
	for _, n := range in.notes() {
		fmt.Fprintf(b, "assumed %s\n", n)
	}
	for _, d := range in.dropped {
		fmt.Fprintf(b, "dropped %s: %s (%s)\n", count(len(d.Rows), "row"), d.Reason, strings.Join(d.Rows[:min(3, len(d.Rows))], " "))
	}
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
