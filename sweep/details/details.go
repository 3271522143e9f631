// Package details looks inside a few points of finished results: it simulates the
// first replicate of each again, twice, and keeps what sweep show says of it, what
// the run, a few requests and a few of their steps spend their time on, and how the
// latencies are distributed. It chooses the points by what the tables say, holds
// the rerun against its row, and leaves out what would take long. It writes
// nothing.
package details

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"scoville/core"
	"scoville/core/metrics"
	"scoville/core/table"
	"scoville/core/unit"
	"scoville/sweep/explain"
	"scoville/sweep/plan"
	"scoville/sweep/pool"
	"scoville/sweep/results"
	"scoville/sweep/results/details"
	"scoville/sweep/study"
)

// Input is whose points are looked at.
type Input struct {
	Plan       *plan.Plan
	Dir        string // folder of the results, with tables of the plan
	Objectives []results.Objective
	Jobs       int              // points at a time, at least 1
	Capacities *core.Capacities // shared with the sweep; nil = its own
}

// Make looks at points. Its error is the context's, or of the tables: what goes
// wrong with a point is a note.
func Make(ctx context.Context, in Input) (*details.Details, error) {
	d, err := results.OpenFor(in.Dir, columns(in.Objectives))
	if err != nil {
		return nil, err
	}
	out := &details.Details{Digest: d.Manifest.Digest, Points: []details.Point{}, Notes: []details.Note{}}
	chosen := choose(d)
	if in.Plan.Study.Search != nil {
		if chosen, err = tried(d); err != nil {
			return nil, err
		}
	}
	runs := new(table.Frame)
	if len(chosen) > 0 {
		var events int64
		if runs, events, err = read(ctx, d, chosen); err != nil {
			return nil, err
		}
		chosen = affordable(d, chosen, runs, events, out)
	}
	if in.Capacities == nil {
		in.Capacities = core.NewCapacities()
	}
	points, notes, err := in.look(ctx, d, chosen, runs)
	if err != nil {
		return nil, err
	}
	for i, c := range chosen {
		if notes[i] != "" {
			out.Notes = append(out.Notes, details.Note{Index: index(d, &c), Text: word(notes[i])})
			continue
		}
		n, _ := d.Points.Int(d.Points.Index("runs"), c.row)
		points[i].Index, points[i].Runs = index(d, &c), int(n)
		out.Points = append(out.Points, *points[i])
	}
	slices.SortFunc(out.Points, func(a, b details.Point) int { return cmp.Compare(a.Index, b.Index) })
	return out, nil
}

// index is the point_index of a choice.
func index(d *results.Dataset, c *choice) int {
	i, _ := d.Points.Int(d.Points.Index("point_index"), c.row)
	return int(i)
}

// look looks at every choice: each becomes a point, or a note that says why not.
func (in *Input) look(ctx context.Context, d *results.Dataset, chosen []choice, runs *table.Frame) ([]*details.Point, []string, error) {
	at := map[int]int{} // index of a chosen point -> place in the plan, -1 = none
	for i := range chosen {
		at[index(d, &chosen[i])] = -1
	}
	for i := range in.Plan.Len() {
		if _, wanted := at[in.Plan.Index(i)]; wanted {
			at[in.Plan.Index(i)] = i
		}
	}
	points, notes := make([]*details.Point, len(chosen)), make([]string, len(chosen))
	items := make([]int, len(chosen))
	for i := range items {
		items[i] = i
	}
	p := pool.Pool[struct{}, *details.Point]{
		Workers: max(min(in.Jobs, len(chosen)), 1),
		State:   func() struct{} { return struct{}{} },
		Work: func(ctx context.Context, _ struct{}, item int) (*details.Point, error) {
			c := &chosen[item]
			i := index(d, c)
			if c.search >= 0 {
				return probe(ctx, in, i, c, runs)
			}
			place := at[i]
			if place < 0 {
				return nil, errors.New("the study does not have it")
			}
			pt, err := in.Plan.Point(place)
			if err != nil {
				return nil, err
			}
			return point(ctx, in, i, pt, explain.Input{Point: place, From: c.first, Runs: runs})
		},
		Collect: func(item int, pt *details.Point, err error) error {
			if err == nil {
				pt.Chosen = chosen[item].why
				err = pt.Check()
			}
			if err != nil {
				notes[item] = "could not be looked into: " + firstLine(err)
				return nil
			}
			points[item] = pt
			return nil
		},
	}
	return points, notes, p.Run(ctx, items)
}

// few is how many runs a study has that are compared in every metric.
const few = 2000

// compared says which columns of the runs are held against a rerun: of a large
// study not most metrics.
func compared(d *results.Dataset) func(table.Column) bool {
	total := 0
	for _, n := range d.Manifest.Counts {
		total += n
	}
	if total <= few {
		return nil
	}
	left := map[string]bool{}
	for _, c := range metrics.Columns() {
		left[c.Name] = !strings.HasPrefix(c.Name, "ttft_") && !strings.HasPrefix(c.Name, "tpot_p") && !strings.HasPrefix(c.Name, "e2e_p")
	}
	return func(c table.Column) bool { return !left[c.Name] }
}

// read reads the chosen points' rows of the runs table, with a row group in memory
// at a time, and how many events all runs took.
func read(ctx context.Context, d *results.Dataset, chosen []choice) (rows *table.Frame, events int64, err error) {
	wanted := map[string]bool{}
	for i := range chosen {
		wanted[id(d, &chosen[i])] = true
	}
	in, err := table.Scan(filepath.Join(d.Dir, results.RunsFile), compared(d))
	if err != nil {
		return nil, 0, err
	}
	defer in.Close()
	ids, took := in.Head().Index("point_id"), in.Head().Index("events")
	if min(ids, took, in.Head().Index("replicate")) < 0 || in.Head().Meta["digest"] != d.Manifest.Digest {
		return nil, 0, errors.New("the runs table is not that of the points")
	}
	for rows = new(table.Frame); ; {
		f, err := in.Next()
		switch {
		case err == io.EOF:
			return rows, events, nil
		case err != nil:
			return nil, 0, err
		case ctx.Err() != nil:
			return nil, 0, ctx.Err()
		}
		var picked []int
		for i := range f.Len() {
			n, _ := f.Int(took, i)
			events += n
			if id, _ := f.String(ids, i); wanted[id] {
				picked = append(picked, i)
			}
		}
		rows.Take(f, picked)
	}
}

// id is the point_id of a choice.
func id(d *results.Dataset, c *choice) string {
	s, _ := d.Points.String(d.Points.Index("point_id"), c.row)
	return s
}

// affordable leaves out, with a note, what would take too long beside the study,
// whose runs took total events.
func affordable(d *results.Dataset, chosen []choice, runs *table.Frame, total int64, out *details.Details) []choice {
	of := map[string]*choice{}
	for i := range chosen {
		of[id(d, &chosen[i])] = &chosen[i]
	}
	ids, replicates, events := runs.Index("point_id"), runs.Index("replicate"), runs.Index("events")
	for i := range runs.Len() {
		id, _ := runs.String(ids, i)
		c := of[id]
		if r, _ := runs.Int(replicates, i); c.events == 0 || int(r) < c.first {
			c.first = int(r)
			c.events, _ = runs.Int(events, i)
		}
	}
	left := max(int64(share*float64(total)), floor)
	kept := chosen[:0:0]
	skipped := 0
	for _, c := range chosen {
		if c.events > left || c.events > maxEvents {
			skipped++
			if skipped <= 3 {
				out.Notes = append(out.Notes, details.Note{Index: index(d, &c), Text: fmt.Sprintf("not looked into: its run takes %.2g million events, too many to simulate twice more beside the study; sweep show explains it", float64(c.events)/1e6)})
			}
			continue
		}
		left -= c.events
		kept = append(kept, c)
	}
	if skipped > 3 {
		out.Notes = append(out.Notes, details.Note{Index: -1, Text: fmt.Sprintf("%d more points are not looked into for the events that they take", skipped-3)})
	}
	return kept
}

// probe looks at a value that a search tried.
func probe(ctx context.Context, in *Input, index int, c *choice, runs *table.Frame) (*details.Point, error) {
	pt, _, err := in.Plan.Probe(c.search, c.value)
	if err != nil {
		return nil, err
	}
	out, err := point(ctx, in, index, pt, explain.Input{Point: c.search, Probe: pt, From: c.first, Runs: runs})
	if err != nil {
		return nil, err
	}
	out.Baseline, out.Change = false, false // what searches are compared by is the value found
	over := in.Plan.Columns[len(in.Plan.Columns)-1]
	if !slices.ContainsFunc(out.Design, func(p details.Place) bool { return p.Name == over.Path }) && len(out.Design) < details.MaxParts {
		out.Design = append(out.Design, details.Place{Name: word(over.Path), Value: word(study.Show(c.value)), Unit: over.Unit})
	}
	return out, nil
}

// point looks at one point, which has an index in the tables. An error says why it cannot be shown.
func point(ctx context.Context, in *Input, index int, pt *plan.Point, what explain.Input) (*details.Point, error) {
	sc := &pt.Resolved.Scenario
	var s seen
	what.Plan, what.Jobs, what.Quick, what.One, what.Capacities = in.Plan, 1, true, true, in.Capacities
	what.Requests = func(all []metrics.Request) { s = look(sc, all) }
	x, err := explain.Point(ctx, what)
	switch {
	case err != nil:
		return nil, err
	case x.Differs != "":
		return nil, fmt.Errorf("its run does not give the numbers of its row again (%s)", x.Differs)
	case x.Run == nil:
		return nil, fmt.Errorf("it is %s: %s", x.Status, x.Reason)
	}
	f := follow(s.requests)
	o := in.Plan.Options(pt, what.From)
	o.Watch = f.watch
	o.NoCapacity = sc.Workload.Load == 0
	res, err := core.NewSimulator(in.Capacities).Run(ctx, sc, o)
	if err != nil {
		return nil, err
	}
	if res.Status != core.OK {
		return nil, fmt.Errorf("it is %s: %s", res.Status, res.Reason)
	}
	f.tell(s.requests)
	x.Index = index
	var text bytes.Buffer
	if err := x.Text(&text); err != nil {
		return nil, err
	}
	out := &details.Point{
		ID: pt.ID, Baseline: pt.Baseline, Change: pt.OATPath != "", Design: design(in.Plan, x.Place), Verdict: x.Verdict, SLO: []details.Limit{},
		Text: readable(text.String()), Run: spent(&f.all), Latencies: s.latencies, Requests: s.requests,
	}
	for _, l := range sc.SLO {
		out.SLO = append(out.SLO, details.Limit{Metric: word(l.Metric), Max: limit(l.Max), Min: limit(l.Min)})
	}
	return out, nil
}

// limit is a bound that a file can hold.
func limit(v float64) details.Number {
	if v < 0 {
		v = math.NaN()
	}
	return details.Number(v)
}

// design is where a point stands, for people.
func design(p *plan.Plan, places []explain.Place) []details.Place {
	out := []details.Place{}
	for _, x := range places {
		if len(out) == details.MaxParts {
			break
		}
		unit := ""
		for _, c := range p.Columns {
			if c.Path == x.Name {
				unit = c.Unit
			}
		}
		out = append(out, details.Place{Name: word(x.Name), Value: word(study.Show(x.Value)), Unit: unit})
	}
	return out
}

// maxWord is how long a word of others may be, in characters.
const maxWord = 120

// word makes a word of others one that a file can hold.
func word(s string) string {
	s = strings.Map(func(r rune) rune {
		if r == '\n' || r == '\t' {
			return ' '
		}
		return r
	}, s)
	s = unit.Visible(s)
	if r := []rune(s); len(r) > maxWord {
		s = string(r[:maxWord-3]) + "..."
	}
	return s
}

// maxText is how long an explanation may be, in bytes.
const maxText = 60 << 10

// readable is a text that a file can hold.
func readable(s string) string {
	if s = unit.Visible(s); len(s) > maxText {
		s = strings.ToValidUTF8(s[:maxText], "") + "\n..."
	}
	return s
}

// firstLine is an error without the stack of a panic.
func firstLine(err error) string {
	line, _, _ := strings.Cut(err.Error(), "\n")
	return line
}
