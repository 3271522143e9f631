// Package status says how far a sweep is: on its way, stopped or done, alone or in
// shards. It only reads, and never disturbs a process that writes.
package status

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"scoville/core"
	"scoville/sweep/campaign"
	"scoville/sweep/memo"
	"scoville/sweep/results"
	"scoville/sweep/results/lock"
	"scoville/sweep/results/place"
	"scoville/sweep/shard"
	"scoville/sweep/shell"
)

// States of a folder.
const (
	Running  = "running"  // a process writes to it
	Finished = "finished" // everything planned is there: tables, or of a shard all its runs
	Stopped  = "stopped"  // interrupted, killed, or ended early: it can go on
	Waiting  = "waiting"  // for a merge: shards, and no tables of them yet
	Missing  = "missing"  // of a shard: not begun
)

// Report is how far a sweep is.
type Report struct {
	Dir   string   `json:"dir"`
	Shard string   `json:"shard,omitempty"` // "3/8"
	Study string   `json:"study"`
	Point string   `json:"point,omitempty"` // of the study that alone is run; "" = all
	File  string   `json:"study_file"`
	Set   []string `json:"set"`
	State string   `json:"state"`

	Planned int     `json:"planned_runs"`  // draws too; 0 = not known before they ran
	Least   bool    `json:"least"`         // Planned is what there is at least
	Done    int     `json:"done_runs"`     // of Planned
	Known   int     `json:"known_runs"`    // in the journal, with those that are not planned any more
	Failed  int     `json:"failed_runs"`   // of Known: failed or timed out
	Causes  []Cause `json:"failed_causes"` // the most frequent first

	Writer   *lock.Holder `json:"writer"`     // process that writes; nil = none
	RunsPerS *float64     `json:"runs_per_s"` // since it began, while it runs; nil = not known
	LeftS    *float64     `json:"left_s"`     // at this rate
	Begun    time.Time    `json:"begun"`      // of the last campaign
	Grown    time.Time    `json:"grown"`      // last time that the journal was written

	records int // results in the journal

	Tables *time.Time     `json:"tables"` // when they were written; nil = there are none
	Counts map[string]int `json:"counts"` // runs in the tables by status

	Shards []*Report `json:"shards,omitempty"`
	Next   []string  `json:"next"`      // commands
	More   int       `json:"next_more"` // commands that are left out of Next: of shards
	more   []int     // those shards
}

// Cause are the runs without a result for one reason; reasons that differ in their
// numbers alone are one.
type Cause struct {
	Reason    string `json:"reason"` // of the example
	Runs      int    `json:"runs"`
	Point     string `json:"point"` // of the example
	Replicate int    `json:"replicate"`
}

// numbers are what reasons of one kind differ in.
var numbers = regexp.MustCompile(`[0-9]+(\.[0-9]+)?(e[+-]?[0-9]+)?`)

// maxCauses bounds the reasons that are told apart.
const maxCauses = 100

// Of looks at a folder of results, which the user knows as name: of a copy that is
// the URL it was copied from. One that holds neither results nor a beginning of them
// nor shards is os.ErrNotExist, runs of another version of the simulator
// results.ErrForeign. now is the time.
func Of(ctx context.Context, dir, name string, now time.Time) (*Report, error) {
	shards, err := shard.In(dir)
	if err != nil {
		return nil, err
	}
	r, err := one(ctx, dir, name, now)
	if errors.Is(err, os.ErrNotExist) && len(shards) > 0 {
		r, err = &Report{Dir: name, State: Waiting, Causes: []Cause{}}, nil
	}
	if err != nil {
		return nil, err
	}
	if err := r.addShards(ctx, dir, shards, now); err != nil {
		return nil, err
	}
	r.Next = r.next()
	return r, nil
}

// within names the folder of a shard in that which the user knows as name.
func within(name string, s shard.Shard) string {
	if strings.Contains(name, "://") {
		return name + " " + filepath.ToSlash(s.Dir(""))
	}
	return s.Dir(name)
}

// one looks at a folder without its shards.
func one(ctx context.Context, dir, name string, now time.Time) (*Report, error) {
	if err := place.Check(dir); err != nil {
		return nil, err
	}
	m, err := results.ReadManifest(dir)
	if err != nil {
		return nil, err
	}
	r := &Report{Dir: name, Study: m.Study, Point: m.Point, File: m.StudyFile, Set: m.Set, State: Stopped, Planned: m.Planned, Causes: []Cause{}}
	s, has := campaign.ReadStanding(dir)
	if has {
		r.Planned, r.Least, r.Begun, r.Done = s.Planned+s.Draws, s.Least, s.Started, s.Done
	}
	if err := r.journal(ctx, dir); err != nil {
		return nil, err
	}
	if !has {
		r.Done = min(r.Known, r.Planned)
	} else if r.Done += r.ran(s); !r.Least {
		r.Done = min(r.Done, r.Planned)
	}
	if m.Digest != "" {
		r.Tables, r.Counts = &m.Written, m.Counts
		if !m.Written.Before(s.Started) {
			r.State = Finished
		}
	}
	if shard.Finished(dir) != nil {
		r.State = Finished
	}
	if r.State == Finished && !r.Least {
		r.Done = r.Planned // also those that cannot run, which no journal has
	}
	if h, ok := lock.Peek(dir); ok {
		r.Writer, r.State = &h, Running
		r.pace(s, now)
	}
	return r, nil
}

// journal counts what is known, without a word to who writes it.
func (r *Report) journal(ctx context.Context, dir string) error {
	info, err := os.Stat(filepath.Join(dir, memo.File))
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	r.Grown = info.ModTime().UTC()
	m, err := memo.Look(ctx, dir)
	if errors.Is(err, memo.ErrForeign) {
		return fmt.Errorf("%w: %s holds runs of another version of the simulator", results.ErrForeign, r.Dir)
	}
	if err != nil {
		return err
	}
	defer m.Close()
	r.Known, r.records = m.Len(), m.Records()
	var b []byte
	causes := map[string]int{}
	for _, k := range m.Keys() {
		if b, _, err = m.Value(b[:0], k); err != nil {
			return err
		}
		status, reason, err := memo.Status(b)
		if err != nil {
			return err
		}
		if status != core.Failed && status != core.Timeout {
			continue
		}
		r.Failed++
		reason = string(status) + ": " + reason
		kind := numbers.ReplaceAllString(reason, "#")
		i, ok := causes[kind]
		if !ok && len(r.Causes) < maxCauses {
			i, ok = len(r.Causes), true
			causes[kind] = i
			r.Causes = append(r.Causes, Cause{Reason: reason, Point: hex.EncodeToString(k.Point[:]), Replicate: int(k.Replicate)})
		}
		if ok {
			r.Causes[i].Runs++
		}
	}
	slices.SortStableFunc(r.Causes, func(a, b Cause) int { return b.Runs - a.Runs })
	return nil
}

// ran is how many runs were simulated since the campaign began, also those that
// ran again.
func (r *Report) ran(s campaign.Standing) int {
	if s.Records < s.Known { // written before records were counted
		return max(0, r.Known-s.Known)
	}
	return max(0, r.records-s.Records)
}

// pace estimates how fast it goes. The journal lags a few seconds behind.
func (r *Report) pace(s campaign.Standing, now time.Time) {
	took := now.Sub(s.Started).Seconds()
	if grown := r.Grown.Sub(s.Started).Seconds(); grown > 0 && now.Sub(r.Grown) < time.Minute {
		took = grown
	}
	if grown := r.ran(s); grown > 0 && took > 0 && !s.Started.IsZero() {
		rate := float64(grown) / took
		r.RunsPerS = &rate
		if r.Planned > 0 {
			left := float64(max(0, r.Planned-r.Done)) / rate
			r.LeftS = &left
		}
	}
}

// addShards looks at the shards of the folder, or of its copy in dir.
func (r *Report) addShards(ctx context.Context, dir string, shards []shard.Shard, now time.Time) error {
	count := shard.Count(shards)
	if count == 0 {
		return nil
	}
	there := map[shard.Shard]bool{}
	for _, s := range shards {
		there[s] = true
	}
	for i := range count {
		s := shard.Shard{Index: i + 1, Count: count}
		name := within(r.Dir, s)
		x := &Report{Dir: name, State: Missing, Causes: []Cause{}}
		if there[s] {
			var err error
			if x, err = one(ctx, s.Dir(dir), name, now); errors.Is(err, os.ErrNotExist) {
				x = &Report{Dir: name, State: Missing, Causes: []Cause{}} // just made
			} else if err != nil {
				return err
			}
		}
		x.Shard, x.Next = s.String(), []string{}
		if r.Study == "" {
			r.Study, r.File, r.Set = x.Study, x.File, x.Set
		}
		r.Shards = append(r.Shards, x)
	}
	if r.Tables != nil || r.Writer != nil {
		return nil
	}
	r.State = Waiting
	r.Planned, r.Done, r.Known, r.Failed, r.Causes = 0, 0, 0, 0, []Cause{}
	for _, x := range r.Shards {
		r.Planned, r.Done, r.Known, r.Failed = r.Planned+x.Planned, r.Done+x.Done, r.Known+x.Known, r.Failed+x.Failed
		r.Least = r.Least || x.Least || x.State == Missing
		if x.State == Running {
			r.State = Running
		}
		r.sum(x)
	}
	slices.SortStableFunc(r.Causes, func(a, b Cause) int { return b.Runs - a.Runs })
	return nil
}

// sum adds the causes and the pace of a shard.
func (r *Report) sum(x *Report) {
	for _, c := range x.Causes {
		i := slices.IndexFunc(r.Causes, func(k Cause) bool {
			return numbers.ReplaceAllString(k.Reason, "#") == numbers.ReplaceAllString(c.Reason, "#")
		})
		switch {
		case i >= 0:
			r.Causes[i].Runs += c.Runs
		case len(r.Causes) < maxCauses:
			r.Causes = append(r.Causes, c)
		}
	}
	if x.RunsPerS != nil {
		rate := *x.RunsPerS
		if r.RunsPerS != nil {
			rate += *r.RunsPerS
		}
		r.RunsPerS = &rate
	}
	if x.LeftS != nil && (r.LeftS == nil || *r.LeftS < *x.LeftS) { // they run side by side
		left := *x.LeftS
		r.LeftS = &left
	}
}

// next says what to do.
func (r *Report) next() []string {
	dir := shell.Short(r.Dir)
	run := shell.Command("run", shell.Short(r.File), r.Set, dir)
	if r.Point != "" {
		run += " --point " + shell.Quote(r.Point)
	}
	switch {
	case len(r.Shards) > 0 && r.Writer == nil && (r.Tables == nil || slices.ContainsFunc(r.Shards, func(x *Report) bool { return x.Grown.After(*r.Tables) })):
		return r.nextShards(dir)
	case r.State == Stopped && r.Failed > 0:
		return []string{run, run + " --only-failed"}
	case r.State == Stopped:
		return []string{run}
	case r.State == Finished && r.Counts[results.Failed]+r.Counts[results.Timeout] > 0:
		return []string{run + " --only-failed"}
	}
	return []string{}
}

// commands bounds those that are listed.
const commands = 20

// nextShards says how to go on with the shards that nobody runs: with the study of the
// shards, which may not be that of the tables.
func (r *Report) nextShards(dir string) []string {
	study, set := shell.Short(r.File), r.Set
	if i := slices.IndexFunc(r.Shards, func(x *Report) bool { return x.Study != "" }); i >= 0 {
		study, set = shell.Short(r.Shards[i].File), r.Shards[i].Set
	}
	run, out := shell.Command("run", study, set, dir), []string{}
	open := false
	for i, x := range r.Shards {
		open = open || x.State != Finished
		if x.State != Stopped && x.State != Missing {
			continue
		}
		if len(out) < commands {
			out = append(out, run+" --shard "+x.Shard)
		} else {
			r.more = append(r.more, i+1)
		}
	}
	r.More = len(r.more)
	if !open {
		out = append(out, shell.Command("merge", study, set, dir))
	}
	return out
}
