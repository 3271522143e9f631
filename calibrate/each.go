package calibrate

import (
	"context"
	"errors"
	"fmt"

	"scoville/calibrate/group"
	"scoville/calibrate/reading"
	"scoville/calibrate/results"
)

// Each fits every chip, model and engine version of the files apart: one overlay
// each, OUT.CHIP-MODEL-VERSION.toml, with its record and residuals. A group that
// cannot be fitted is listed with the reason; all of them is an error.
func Each(ctx context.Context, opt Options) ([]results.Each, error) {
	in, err := read(opt)
	if err != nil {
		return nil, &InputError{err}
	}
	if err := opt.folder(); err != nil {
		return nil, err
	}
	parts, err := group.Split(in.rows, in.spec.Fixed)
	if err != nil {
		return nil, &InputError{err}
	}
	if len(parts) == 0 {
		in.dropped = reading.Dropped(in.rows)
		return nil, &InputError{fmt.Errorf("none of %d rows can be used: %s", len(in.rows), results.Reasons(in.dropped))}
	}
	out := make([]results.Each, 0, len(parts))
	fitted := 0
	names := map[string]int{}
	for _, p := range parts {
		e := results.Each{Name: p.String()}
		if names[e.Name]++; names[e.Name] > 1 { // configurations of one name in several folders
			e.Name += fmt.Sprintf(" %d", names[e.Name])
		}
		e.Fit, e.Why = in.fitPart(ctx, &p, &e)
		var wrong *InputError
		switch {
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case e.Why == nil:
			fitted++
		case !errors.As(e.Why, &wrong):
			return nil, e.Why
		}
		out = append(out, e)
	}
	if fitted == 0 {
		return nil, &InputError{fmt.Errorf("none of %d groups can be fitted; the first, %s: %w", len(out), out[0].Name, out[0].Why)}
	}
	return out, nil
}

// fitPart fits a part of the rows.
func (in *input) fitPart(ctx context.Context, p *group.Part, e *results.Each) (*results.Fit, error) {
	own := *in
	own.rows = p.Rows
	own.opt.Where = p.Where()
	if in.opt.Where != "" {
		own.opt.Where = "(" + in.opt.Where + ") && " + own.opt.Where
	}
	if in.opt.Output != "" {
		own.opt.Output = results.ModelPath(in.opt.Output, e.Name)
		e.Overlay = own.opt.Output
	}
	if in.opt.Log != nil {
		in.opt.Log(e.Name)
	}
	if err := own.pair(ctx); err != nil {
		return nil, &InputError{err}
	}
	j, err := own.job()
	if err != nil {
		return nil, &InputError{err}
	}
	return j.run(ctx, &own)
}

// EachText prints the table of several fits.
func EachText(list []results.Each) string { return results.EachText(list) }

// EachRows is that table with a heading, ratios as numbers.
func EachRows(list []results.Each) [][]string { return results.EachRows(list) }
