// Package history lists the studies that were run, from the records in their
// manifests, and finds those that showed something: by text, and by a condition on
// their points. It opens tables only for a condition, and for results of programs
// that left no record. Folders may be anybody's: what cannot be read is one line that
// says why.
package history

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"scoville/core/scenario/file"
	"scoville/core/unit"
	"scoville/sweep/again"
	"scoville/sweep/results"
	"scoville/sweep/results/filter"
	"scoville/sweep/results/lock"
	"scoville/sweep/results/place"
	"scoville/sweep/results/record"
	"scoville/sweep/shard"
)

// States of a folder.
const (
	Complete = "complete"    // every planned run has a result
	Partial  = "partial"     // tables, in which runs failed or are missing
	Stopped  = "interrupted" // no tables yet, and nobody writes: the same command goes on
	Shard    = "shard"       // part of a sweep: its runs wait for sweep merge
	Running  = "running"     // a process writes to it
	Unread   = "unread"      // Problem says why
)

// Options is what is looked for.
type Options struct {
	Dirs  []string // folders to look below
	Text  []string // texts that a study must have, see Entry.find
	Where string   // condition on points; "" = none
	Most  int      // points named per study; 0 = all
}

// Entry is a folder of results.
type Entry struct {
	Dir     string         `json:"dir"`
	Study   string         `json:"study"`
	State   string         `json:"state"`
	Problem string         `json:"problem,omitempty"` // of an unread folder, or of what of it could not be read
	Begun   time.Time      `json:"begun,omitzero"`
	Written time.Time      `json:"written,omitzero"` // of the tables; zero = none
	Seconds float64        `json:"wall_seconds"`
	Planned int            `json:"planned_runs"`
	Runs    int            `json:"runs"`                    // in the tables
	Since   string         `json:"changed_since,omitempty"` // folder of the study of this name before it; "" = it is the first
	Changed []string       `json:"changed"`                 // inputs that differ from it; of the first what varies and what it stands on
	Base    []string       `json:"overlays"`
	Record  *record.Record `json:"record"` // nil without tables

	Because []string `json:"because,omitempty"` // lines that have the text
	Matches []Match  `json:"matches,omitempty"` // points that meet the condition
	Matched int      `json:"matched,omitempty"` // how many do

	manifest *results.Manifest
}

// Match is a point that meets the condition.
type Match struct {
	Point  int      `json:"point"`
	State  string   `json:"state"`
	Place  []string `json:"place"`  // "axis = value"
	Values []string `json:"values"` // of the names of the condition, in its order; "" = NULL
}

// Report is what was found.
type Report struct {
	Entries []Entry  `json:"studies"` // the newest first
	Names   []string `json:"names"`   // of the condition
	Seen    int      `json:"seen"`    // folders of results
	Without int      `json:"without"` // that have no column of a name of the condition
	Notes   []string `json:"notes,omitempty"`
}

// Find looks below folders. Errors are of the options, *again.InputError, or the
// context's.
func Find(ctx context.Context, o Options) (*Report, error) {
	where, err := filter.Parse(o.Where)
	if err != nil {
		return nil, again.Input(fmt.Errorf("--where: %w", err))
	}
	r := &Report{}
	dirs, notes, err := folders(ctx, o.Dirs)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err != nil {
		return nil, again.Input(err)
	}
	if r.Notes, r.Seen = notes, len(dirs); r.Seen == 0 {
		r.Notes = append(r.Notes, fmt.Sprintf("there are no results at or below %s; sweep run and sweep merge write them", strings.Join(o.Dirs, ", ")))
	}
	all := make([]Entry, len(dirs))
	each(ctx, len(dirs), func(i int) { all[i] = read(dirs[i]) })
	slices.SortStableFunc(all, func(a, b Entry) int {
		return cmp.Or(b.when().Compare(a.when()), cmp.Compare(a.Dir, b.Dir))
	})
	changes(ctx, all)
	if len(o.Text) > 0 {
		each(ctx, len(all), func(i int) { all[i].find(o.Text) })
		all = slices.DeleteFunc(all, func(e Entry) bool { return len(e.Because) == 0 })
		if len(all) == 0 && r.Seen > 0 {
			r.Notes = append(r.Notes, fmt.Sprintf("no folder is named %s, so it was searched as text", unit.Visible(strings.Join(o.Text, " or "))))
		}
	}
	if !where.Empty() {
		all, err = r.search(ctx, all, where, o.Most)
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err != nil {
			return nil, again.Input(fmt.Errorf("--where: %w", err))
		}
	}
	r.Entries = all
	return r, ctx.Err()
}

// each calls f for 0 to n - 1, several at a time, until the context ends.
func each(ctx context.Context, n int, f func(i int)) {
	var wait sync.WaitGroup
	next := make(chan int)
	for range min(n, runtime.GOMAXPROCS(0)) {
		wait.Go(func() {
			for i := range next {
				f(i)
			}
		})
	}
	for i := 0; i < n && ctx.Err() == nil; i++ {
		next <- i
	}
	close(next)
	wait.Wait()
}

// when is the time that sorts entries.
func (e *Entry) when() time.Time {
	if e.Written.IsZero() {
		return e.Begun
	}
	return e.Written
}

// read reads what a folder says of itself.
func read(dir string) Entry {
	e := Entry{Dir: dir, State: Unread, Changed: []string{}, Base: []string{}}
	var m *results.Manifest
	err := place.Check(dir)
	if err == nil {
		m, err = results.ReadManifest(dir)
	}
	if errors.Is(err, os.ErrNotExist) {
		err = fmt.Errorf("there are tables and no %s: another program's, or a folder that lost it", results.ManifestFile)
	}
	if err != nil {
		e.Problem = reason(dir, err)
		return e
	}
	m.Sample, m.Sensitivity = nil, nil // the long parts
	e.Study, e.Begun, e.Planned, e.manifest = m.Study, m.Started, m.Planned, m
	e.Base = append(e.Base, m.Overlays...)
	if m.Schema != results.Schema {
		e.Problem = fmt.Sprintf("result schema %d, this program reads %d", m.Schema, results.Schema)
		return e
	}
	for _, n := range m.Counts {
		e.Runs += n
	}
	switch _, locked := lock.Peek(dir); {
	case locked:
		e.State = Running
	case m.Digest == "" && filepath.Base(filepath.Dir(dir)) == shard.Folder:
		e.State = Shard
	case m.Digest == "":
		e.State = Stopped
	case m.Complete():
		e.State = Complete
	default:
		e.State = Partial
	}
	if m.Digest == "" {
		return e
	}
	e.Written, e.Seconds, e.Record = m.Written, m.WallSeconds, m.Record
	if e.Record == nil {
		if e.Record, err = tabled(dir); err != nil {
			e.Problem = reason(dir, err)
		}
	}
	return e
}

// study is the text of the study, "" where it cannot be read or is not what was run.
func (e *Entry) study() string {
	text, err := file.Read(filepath.Join(e.Dir, results.StudyFile), file.MaxText)
	if err != nil || e.manifest == nil {
		return ""
	}
	if sum := sha256.Sum256(text); hex.EncodeToString(sum[:]) != e.manifest.StudySHA256 {
		return ""
	}
	return string(text)
}

// reason is an error in one line, without the name of the folder.
func reason(dir string, err error) string {
	text := strings.Join(strings.Fields(err.Error()), " ")
	text = strings.ReplaceAll(text, dir+string(filepath.Separator), "")
	return unit.Visible(strings.TrimPrefix(text, "results: "))
}

// tabled makes the record of results whose manifest has none.
func tabled(dir string) (*record.Record, error) {
	d, err := results.Open(dir)
	if err != nil {
		return nil, err
	}
	b := record.New(d.Points.Columns, d.Study, d.Manifest.Set)
	for i := range d.Points.Len() {
		b.Row(d.Points.Row(i))
	}
	effects, err := d.Effects()
	if err != nil {
		return nil, err
	}
	at := record.Index(effects.Columns)
	for i := range effects.Len() {
		b.Effect(at, effects.Row(i))
	}
	for _, j := range d.Manifest.Sensitivity {
		b.Floors(j.Metric, j.Outer, j.Floors)
	}
	searches, err := d.Searches()
	if err != nil || searches == nil {
		return b.Record(), err
	}
	at = record.Index(searches.Columns)
	for i := range searches.Len() {
		b.Search(at, searches.Row(i))
	}
	return b.Record(), nil
}
