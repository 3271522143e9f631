package history

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"scoville/core/table"
	"scoville/core/unit"
	"scoville/sweep/diff"
	"scoville/sweep/results"
	"scoville/sweep/results/filter"
	"scoville/sweep/results/record"
	"scoville/sweep/results/said"
)

// maxBecause bounds the lines that are shown for a text.
const maxBecause = 3

// find notes the lines in which an entry has every text, none if it lacks one. A
// text has parts between commas, which must be in one line; letter case and the
// width of blanks do not matter. "TTFT high, PCIe bound" is such a line of a study
// that showed it.
func (e *Entry) find(texts []string) {
	lines := e.says()
	var all []string
	for _, t := range texts {
		parts := phrases(t)
		var found []string
		for _, line := range lines {
			if len(found) < maxBecause && has(plain(line), parts) {
				found = append(found, unit.Visible(strings.TrimSpace(line)))
			}
		}
		if found == nil {
			return
		}
		all = append(all, found...)
	}
	e.Because = all
}

func plain(s string) string { return strings.Join(strings.Fields(strings.ToLower(s)), " ") }

func phrases(text string) (out []string) {
	for _, p := range strings.Split(text, ",") {
		if p = plain(p); p != "" {
			out = append(out, p)
		}
	}
	return out
}

func has(line string, parts []string) bool {
	for _, p := range parts {
		if !strings.Contains(line, p) {
			return false
		}
	}
	return true
}

// says are the lines that texts are looked for in: what the study showed, then what
// it was made of.
func (e *Entry) says() (lines []string) {
	add := func(s string) {
		if s != "" {
			lines = append(lines, s)
		}
	}
	if r := e.Record; r != nil {
		for _, s := range r.Symptoms {
			add(s.String())
		}
		for _, b := range r.Bounds {
			add(b.String() + " (" + b.Resource + ")")
		}
		add(r.Effect.String())
		add(r.Found.String())
		for _, c := range r.Causes {
			add(c.String())
		}
		if n := r.States[record.Saturated]; n > 0 {
			add(fmt.Sprintf("saturated: %d of %d points", n, r.Points))
		}
	}
	add(e.Problem)
	add(e.Dir)
	add(e.Study)
	for _, b := range e.Base {
		add("base " + b)
	}
	if e.manifest != nil {
		for _, s := range e.manifest.Set {
			add("--set " + s)
		}
	}
	return append(lines, strings.Split(e.study(), "\n")...)
}

// changes says of each entry, the newest first, what differs from the one of its
// study before it.
func changes(ctx context.Context, all []Entry) {
	before := make([]int, len(all)) // -1 = none
	last := map[string]int{}
	for i := len(all) - 1; i >= 0; i-- {
		before[i] = -1
		if all[i].manifest == nil {
			continue
		}
		if j, ok := last[all[i].Study]; ok {
			before[i] = j
		}
		last[all[i].Study] = i
	}
	each(ctx, len(all), func(i int) {
		e := &all[i]
		switch {
		case e.manifest == nil:
		case before[i] < 0:
			e.Changed = e.first()
		default:
			e.Since = all[before[i]].Dir
			e.Changed = append(e.Changed, differs(&all[before[i]], e)...)
		}
	})
}

// first says what a study varies and stands on.
func (e *Entry) first() []string {
	out := []string{}
	if e.Record != nil {
		for _, v := range e.Record.Varied {
			if v.Levels > 1 {
				out = append(out, v.String())
			}
		}
	}
	for _, s := range e.manifest.Set {
		out = append(out, "--set "+s)
	}
	return out
}

// maxLines bounds the lines of a study that are named as changed.
const maxLines = 6

func differs(a, b *Entry) (out []string) {
	x, y := "", ""
	if a.manifest.StudySHA256 != b.manifest.StudySHA256 {
		x, y = a.study(), b.study()
	}
	for _, in := range diff.Inputs(a.manifest, b.manifest, x, y) {
		if in.What == "study" {
			for i, line := range in.More {
				if i == maxLines {
					out = append(out, fmt.Sprintf("%d more lines of the study", len(in.More)-i))
					break
				}
				out = append(out, strings.Join(strings.Fields(line), " "))
			}
			continue
		}
		none := func(s string) string {
			if s == "" {
				return "none"
			}
			return s
		}
		out = append(out, in.What+" "+none(in.A)+" -> "+none(in.B))
	}
	return out
}

// looked is what a condition found in a folder.
type looked struct {
	cols    []table.Column
	without bool // the table lacks a name, or has it of another kind
	matches []Match
	total   int
	err     error
}

// search keeps the entries with points that meet the condition, and names these.
func (r *Report) search(ctx context.Context, all []Entry, where filter.Rows, most int) (out []Entry, err error) {
	r.Names = where.Distinct()
	found := make([]looked, len(all))
	each(ctx, len(all), func(i int) {
		if all[i].Record != nil {
			found[i] = look(&all[i], where, most)
		}
	})
	var every []table.Column
	known := map[string]bool{}
	fits := false
	for i := range found {
		l := &found[i]
		fits = fits || l.cols != nil && !l.without
		if l.without {
			r.Without++
		}
		for _, c := range l.cols {
			if !known[c.Name] {
				known[c.Name] = true
				every = append(every, c)
			}
		}
		if l.err != nil {
			r.Notes = append(r.Notes, all[i].Dir+": "+reason(all[i].Dir, l.err))
		}
		if l.total > 0 {
			all[i].Matches, all[i].Matched = l.matches, l.total
			out = append(out, all[i])
		}
	}
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if !fits && every != nil {
		if err := where.Check(every); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// look reads the points of a folder that meet a condition.
func look(e *Entry, where filter.Rows, most int) (l looked) {
	path := filepath.Join(e.Dir, results.PointsFile)
	in, err := table.Scan(path, nil)
	if err != nil {
		return looked{err: err}
	}
	defer in.Close()
	if in.Head().Meta["digest"] != e.manifest.Digest {
		return looked{err: errors.New("tables and manifest are of different makings: a write was cut short")}
	}
	l.cols = in.Head().Columns
	if where.Check(l.cols) != nil { // a name that is no column may be a key that the study sets
		where = where.With(said.Values(e.study(), e.manifest.Set))
	}
	if where.Check(l.cols) != nil {
		l.without = true
		return l
	}
	used := where.Uses(l.cols)
	for _, name := range []string{"point_index", "status", "steady"} {
		used[name] = true
	}
	in.Keep(func(c table.Column) bool { return used[c.Name] || c.Path != "" })
	for {
		f, err := in.Next()
		if err == io.EOF {
			return l
		}
		if err != nil {
			return looked{err: err}
		}
		l.frame(f, e.Record, where, most)
	}
}

// frame adds the rows of a frame that meet the condition.
func (l *looked) frame(f *table.Frame, r *record.Record, where filter.Rows, most int) {
	holds, values := where.Of(f), where.Values(f)
	for row := range f.Len() {
		if !holds(row) {
			continue
		}
		if l.total++; most > 0 && len(l.matches) >= most {
			continue
		}
		index, _ := f.Int(f.Index("point_index"), row)
		status, _ := f.String(f.Index("status"), row)
		m := Match{Point: int(index), State: record.State(status, f.Cell(f.Index("steady"), row)), Place: []string{}, Values: values(row)}
		for _, v := range r.Varied {
			if v.Levels > 1 {
				m.Place = append(m.Place, v.Column+" = "+table.Text(f.Cell(f.Index(v.Column), row)))
			}
		}
		l.matches = append(l.matches, m)
	}
}
