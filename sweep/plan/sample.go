package plan

import (
	"fmt"
	"slices"
	"strings"

	"scoville/sweep/sample"
	"scoville/sweep/study"
)

// row gives the design row i of the sample, in place of a baseline and its
// changes.
func (b *builder) row(i int) error {
	level, err := b.plan.Study.Sample.Row(i)
	if err != nil {
		return err
	}
	for _, relative := range []bool{false, true} {
		if err := b.add([]study.Level{level}, relative); err != nil {
			return err
		}
	}
	return nil
}

// pointsOfRows gathers which point each row of a sample became; without a
// sample, inner is 0 and it gathers nothing.
type pointsOfRows struct {
	list  [][]int32
	inner int
}

// add takes the point of the next design.
func (r *pointsOfRows) add(point int) {
	if r.inner == 0 {
		return
	}
	if n := len(r.list); n == 0 || len(r.list[n-1]) == r.inner {
		r.list = append(r.list, make([]int32, 0, r.inner))
	}
	last := &r.list[len(r.list)-1]
	*last = append(*last, int32(point))
}

// Sample is the design of the plan as its results keep it; nil if the study has
// none.
func (p *Plan) Sample() *sample.Record {
	if p.Study.Sample == nil {
		return nil
	}
	r := &sample.Record{Design: p.Study.Sample.Design, Combinations: len(p.rows.list), Rows: slices.Clone(p.rows.list)}
	r.Compact()
	return r
}

// sampleNotes says what became of the rows of a sample.
func (p *Plan) sampleNotes() (notes []string) {
	s := p.Study.Sample
	if s == nil {
		return nil
	}
	block, broken, blocks := s.Block(), 0, 0
	for _, list := range p.rows.list {
		for ; len(list) >= block; list = list[block:] {
			blocks++
			if slices.Contains(list[:block], sample.NoPoint) {
				broken++
			}
		}
	}
	if broken > 0 && block > 1 {
		what := map[string]string{sample.Morris: "trajectories", sample.Saltelli: "blocks"}[s.Method]
		notes = append(notes, fmt.Sprintf("warning: rules of [[where]] break %s of %s %s of %d rows that belong together: their effects are not of the whole space. Better narrow [sample.space]",
			grouped(fmt.Sprint(broken)), grouped(fmt.Sprint(blocks)), what, block))
	}
	for i := range s.Dims {
		d := &s.Dims[i]
		switch bins := d.Bins(); {
		case s.Method == sample.LHS && bins > s.N:
		case s.Method == sample.LHS && bins > 1 && s.N%bins != 0:
			notes = append(notes, fmt.Sprintf("%s: %d rows on %d values: some come up once more than others; n a multiple of %d gives each its share", d.Path, s.N, bins, bins))
		case s.Method == sample.Morris && d.Kind == sample.Levels && bins > 2 && !numeric(p.Study, d.Path):
			notes = append(notes, fmt.Sprintf("%s: names have no order: its mu and its sigma mean nothing, its mu* is the mean change between levels as far apart in the list as the steps", d.Path))
		}
	}
	return notes
}

// numeric reports whether the levels of a sampled path are numbers.
func numeric(st *study.Study, path string) bool {
	for _, a := range st.Sample.Axes() {
		if a.Name == path {
			return !slices.ContainsFunc(a.Levels, func(l study.Level) bool { return len(l.Values) > 0 && isText(l.Values[0].Value) })
		}
	}
	return false
}

func isText(v any) bool {
	switch v.(type) {
	case string, bool:
		return true
	}
	return false
}

// Sampled describes the sample of a plan for people: its size and each
// parameter's space; "" if there is none.
func (p *Plan) Sampled() string {
	s := p.Study.Sample
	if s == nil {
		return ""
	}
	var b strings.Builder
	rows := fmt.Sprintf("%s rows", grouped(fmt.Sprint(s.N)))
	if s.Block() > 1 {
		rows = fmt.Sprintf("%s x %d rows = %s", grouped(fmt.Sprint(s.N)), s.Block(), grouped(fmt.Sprint(s.Rows())))
	}
	dummy := ""
	if s.Dummy {
		dummy = " and a dummy"
	}
	fmt.Fprintf(&b, "sample  %s, %s, seed %d; %d parameters%s\n", s.Method, rows, s.Seed, len(s.Dims), dummy)
	width := 0
	for i := range s.Dims {
		width = max(width, len(s.Dims[i].Path))
	}
	for i := range s.Dims {
		fmt.Fprintf(&b, "        %-*s  %s\n", width, s.Dims[i].Path, s.Dims[i].Text())
	}
	return b.String()
}
