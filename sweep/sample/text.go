package sample

import (
	"fmt"
	"slices"
	"strings"

	"scoville/core/unit"
)

// Text describes the design for people: its size and each parameter's space.
func (d *Design) Text() string {
	var b strings.Builder
	rows := unit.Grouped(d.N) + " rows"
	if d.Block() > 1 {
		rows = fmt.Sprintf("%s x %d rows = %s", unit.Grouped(d.N), d.Block(), unit.Grouped(d.Rows()))
	}
	dummy := ""
	if d.Dummy {
		dummy = " and a dummy"
	}
	things := "parameters"
	if len(d.Dims) == 1 {
		things = "parameter"
	}
	fmt.Fprintf(&b, "sample  %s, %s, seed %d; %d %s%s\n", d.Method, rows, d.Seed, len(d.Dims), things, dummy)
	width := 0
	for i := range d.Dims {
		width = max(width, len(d.Dims[i].Path))
	}
	for i := range d.Dims {
		fmt.Fprintf(&b, "        %-*s  %s\n", width, d.Dims[i].Path, d.Dims[i].Text())
	}
	return b.String()
}

// Notes says what may surprise about the rows: blocks that are broken, values
// that do not come up equally often, orders that mean nothing.
func (r *Record) Notes() (notes []string) {
	if r == nil {
		return nil
	}
	broken, blocks := r.broken()
	if broken > 0 && r.Block() > 1 {
		what := map[string]string{Morris: "trajectories", Saltelli: "blocks"}[r.Method]
		notes = append(notes, fmt.Sprintf("warning: rules of [[where]] break %d of %d %s of %d rows that belong together: their effects are not of the whole space; better narrow [sample.space]",
			broken, blocks, what, r.Block()))
	}
	for i := range r.Dims {
		d := &r.Dims[i]
		switch bins := d.Bins(); {
		case r.Method == LHS && bins > 1 && bins <= r.N && r.N%bins != 0:
			notes = append(notes, fmt.Sprintf("%s: %d rows on %d values: some come up once more than others; a multiple of %d rows gives each its share", d.Path, r.N, bins, bins))
		case r.Method == Morris && d.Names && bins > 2:
			notes = append(notes, fmt.Sprintf("%s: names have no order: its mu and sigma mean nothing, and its mu* is the mean change between names that stand apart in the list as the steps do", d.Path))
		}
	}
	return notes
}

// broken counts the blocks of which a row has no point, and all blocks.
func (r *Record) broken() (broken, blocks int) {
	for _, list := range r.Rows {
		for ; len(list) >= r.Block(); list = list[r.Block():] {
			blocks++
			if slices.Contains(list[:r.Block()], NoPoint) {
				broken++
			}
		}
	}
	return broken, blocks
}

// Text is the space of the dimension as a line.
func (d *Dim) Text() string {
	const most = 8
	if d.Kind == Levels {
		if len(d.Values) > most {
			return fmt.Sprintf("%s  ...  %s (%d levels)", strings.Join(d.Values[:most-1], "  "), d.Values[len(d.Values)-1], len(d.Values))
		}
		return strings.Join(d.Values, "  ")
	}
	ends := ""
	switch {
	case d.Min != nil && d.Max != nil:
		ends = fmt.Sprintf("%g .. %g", *d.Min, *d.Max)
	case d.Min != nil:
		ends = fmt.Sprintf("from %g", *d.Min)
	case d.Max != nil:
		ends = fmt.Sprintf("to %g", *d.Max)
	}
	switch {
	case d.Kind == Triangular:
		return fmt.Sprintf("triangular %s, mode %g", ends, d.Mode)
	case d.Kind != Range:
		return strings.TrimSuffix(fmt.Sprintf("%s mean %g, sd %g, %s", d.Kind, d.Mean, d.SD, ends), ", ")
	case d.Relative:
		ends += " of the base"
	case d.Step > 0:
		ends += fmt.Sprintf(" by %g", d.Step)
	}
	if d.Log {
		ends += ", log"
	}
	return ends
}
