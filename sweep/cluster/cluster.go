// Package cluster runs the shards of a plan, each on a machine of its own or one
// after the other, and makes of them the results of the whole: tables are laid out
// from what the shards keep of runs, as those of one machine are.
package cluster

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"scoville/core"
	"scoville/sweep/again"
	"scoville/sweep/campaign"
	"scoville/sweep/merge"
	"scoville/sweep/plan"
	"scoville/sweep/request"
	"scoville/sweep/results"
	"scoville/sweep/results/place"
	"scoville/sweep/shard"
	"scoville/sweep/shell"
)

// Job is a plan whose shards are kept beside its results.
type Job struct {
	Plan     *plan.Plan
	Dir      string // of the results
	Name     string // of the results, for commands and messages: a URL that Dir is a copy of; "" = Dir
	File     string // study file, for commands
	Set      []string
	Meta     func(*plan.Plan) results.Meta
	Campaign campaign.Campaign    // how to run; what the shard decides is filled in
	Damaged  func([]merge.Damage) // told by Merge of journals that are not whole; nil = nobody
}

// Shard is what a shard did, and how the others are.
type Shard struct {
	shard.Record
	Dir    string
	Others []Part // that have not finished
	Merge  string // command that makes tables of all
}

// Part is a shard that is not whole.
type Part struct {
	Shard   shard.Shard
	Dir     string
	Missing int    // runs; 0 = not counted
	State   string // in words
	Command string // that runs it
}

// Run runs a shard. What ends it early is a *campaign.StoppedError; then the same
// command goes on.
func (j *Job) Run(ctx context.Context, s shard.Shard) (*Shard, error) {
	part, dir := s.Of(j.Plan), s.Dir(j.Dir)
	if err := j.taken(); err != nil {
		return nil, err
	}
	set, err := j.create(dir, part)
	if err != nil {
		return nil, err
	}
	defer set.Close()
	if err := shard.Begin(dir); err != nil {
		return nil, unable(err)
	}
	c, begun := j.Campaign, time.Now()
	c.Plan, c.Set, c.Dir, c.Part, c.Planned = part, set, dir, true, campaign.Planned(j.Plan)
	out, err := c.Run(ctx)
	if err != nil {
		return nil, err
	}
	host, err := os.Hostname()
	if err != nil {
		return nil, err
	}
	done := &Shard{Dir: dir, Merge: j.command("merge"), Record: shard.Record{
		Shard: s.Index, Count: s.Count, Study: j.Plan.Study.Name, Plan: shard.Digest(j.Plan), Points: part.Len(),
		Counts: out.Counts, Finished: time.Now().UTC().Truncate(time.Second), WallS: time.Since(begun).Seconds(), Host: host,
	}}
	for _, n := range out.Counts {
		done.Simulated += n
	}
	done.Simulated = max(0, done.Simulated+part.DrawRuns()-out.Recalled)
	if err := errors.Join(done.Write(dir), set.Close()); err != nil {
		return nil, unable(err)
	}
	for i := range s.Count {
		other := shard.Shard{Index: i + 1, Count: s.Count}
		if p := j.part(other, done.Plan); p.State != finished {
			done.Others = append(done.Others, p)
		}
	}
	return done, nil
}

// create makes or opens a folder; no link may lead from that of the results, or of
// its shards, to another place.
func (j *Job) create(dir string, p *plan.Plan) (*results.Set, error) {
	err := errors.Join(place.Check(j.Dir), place.Check(filepath.Join(j.Dir, shard.Folder)))
	var set *results.Set
	if err == nil {
		set, err = results.Create(dir, j.Meta(p))
	}
	switch {
	case campaign.IsFull(err):
		return nil, unable(err)
	case err != nil:
		return nil, again.Input(err)
	}
	return set, nil
}

// unable says of an error for want of room that the same command goes on.
func unable(err error) error {
	if campaign.IsFull(err) {
		return campaign.Unable(err)
	}
	return err
}

// taken refuses, before hours of runs, what a merge would refuse after them: the
// folder holds the tables of another study, or of another version.
func (j *Job) taken() error {
	m, err := results.ReadManifest(j.Dir)
	switch {
	case err != nil || m.Digest == "": // none, or what the merge says better
		return nil
	case m.Study == j.Plan.Study.Name && m.Schema == results.Schema && m.SimVersion == core.Version:
		return nil
	}
	return again.Input(fmt.Errorf("%w: %s holds tables of study %s (schema %d, simulator version %d), this is %s (schema %d, version %d); give another folder with -o, or remove that one",
		results.ErrForeign, j.name(), m.Study, m.Schema, m.SimVersion, j.Plan.Study.Name, results.Schema, core.Version))
}

// name is that of the results.
func (j *Job) name() string {
	if j.Name != "" {
		return j.Name
	}
	return j.Dir
}

// command words a verb on the study and its results.
func (j *Job) command(verb string) string { return shell.Command(verb, j.File, j.Set, j.name()) }

const finished = "finished"

// part looks at a shard; digest is that of the plan.
func (j *Job) part(s shard.Shard, digest string) Part {
	p := Part{Shard: s, Dir: s.Dir(j.Dir), Command: j.command("run") + " --shard " + s.String(), State: "not begun"}
	if _, err := os.Stat(p.Dir); err != nil {
		return p
	}
	switch r := shard.Finished(p.Dir); {
	case r != nil && r.Plan == digest:
		p.State = finished
	case r != nil:
		p.State = "finished, of the study before it was edited"
	default:
		p.State = "begun, not finished"
	}
	return p
}

// MissingError says which runs there must be before there are tables.
type MissingError struct {
	Runs  int
	Least bool // as many at least
	Parts []Part
	Here  string // command that runs all that is missing
}

// listed bounds the shards that an error lists.
const listed = 20

func (e *MissingError) Error() string {
	var b strings.Builder
	least := ""
	if e.Least {
		least = "at least "
	}
	fmt.Fprintf(&b, "%s%s missing; what is there is gathered, and no tables are written", least, plural(e.Runs))
	for _, p := range e.Parts[:min(len(e.Parts), listed)] {
		fmt.Fprintf(&b, "\n  shard %s (%s): %s missing\n    %s", p.Shard, p.State, plural(p.Missing), p.Command)
	}
	if n := len(e.Parts) - listed; n > 0 {
		var rest []int
		for _, p := range e.Parts[listed:] {
			rest = append(rest, p.Shard.Index)
		}
		fmt.Fprintf(&b, "\n  and %d more: shards %s", n, shard.Ranges(rest))
	}
	fmt.Fprintf(&b, "\nall of them on this machine:\n    %s", e.Here)
	return b.String()
}

func plural(n int) string {
	if n == 1 {
		return "1 run"
	}
	return fmt.Sprintf("%d runs", n)
}

// Merge gathers the shards of the results, and the further folders, and writes the
// tables of the whole; with the set, before it is closed, after does what is left
// to do. Nothing is simulated: if runs are missing the error is a *MissingError.
func (j *Job) Merge(ctx context.Context, folders []string, after func(*results.Set, *campaign.Outcome) error) (*campaign.Outcome, error) {
	var from []string
	for _, dir := range append([]string{j.Dir}, folders...) {
		more, err := merge.Folders(dir)
		if err != nil && (dir != j.Dir || !errors.Is(err, os.ErrNotExist)) {
			return nil, again.Input(err)
		}
		from = append(from, more...)
	}
	set, err := j.create(j.Dir, j.Plan)
	if err != nil {
		return nil, err
	}
	defer set.Close()
	damaged, err := merge.Gather(ctx, j.Dir, from, j.Plan.Limit())
	if len(damaged) > 0 && j.Damaged != nil {
		j.Damaged(damaged)
	}
	if err != nil {
		return nil, unable(err)
	}
	if err := request.Gather(ctx, j.Dir, j.Plan.Study.Requests, from); err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return nil, fmt.Errorf("%w: %w", campaign.ErrDisk, err)
	}
	c := j.Campaign
	c.Plan, c.Set, c.Dir, c.Recall = j.Plan, set, j.Dir, true
	out, err := c.Run(ctx)
	if errors.Is(err, campaign.ErrMissing) {
		return nil, j.missing(ctx, &c)
	}
	if err == nil {
		err = after(set, out)
	}
	return out, errors.Join(err, set.Close())
}

// missing counts what is missing, by shard.
func (j *Job) missing(ctx context.Context, c *campaign.Campaign) error {
	e := &MissingError{
		Least: j.Plan.Study.Search != nil || j.Plan.Study.Until != nil || j.Plan.Study.Race,
		Here:  j.command("run"),
	}
	shards, err := shard.In(j.Dir)
	if err != nil {
		return err
	}
	count := max(1, shard.Count(shards))
	of := map[int][]int{} // points by shard, in one pass over the plan
	for i := range j.Plan.Len() {
		index := shard.Of(j.Plan.ID(i), count)
		of[index] = append(of[index], i)
	}
	var parts []*plan.Plan // of shards that have points: whoever made the folder says how many there are
	indices := slices.Sorted(maps.Keys(of))
	for _, i := range indices {
		parts = append(parts, j.Plan.Points(of[i]))
	}
	missing, err := c.Missing(ctx, parts)
	if err != nil {
		return err
	}
	digest := shard.Digest(j.Plan)
	for i, n := range missing {
		e.Runs += n
		if n > 0 && shard.Count(shards) > 0 {
			p := j.part(shard.Shard{Index: indices[i], Count: count}, digest)
			p.Missing = n
			e.Parts = append(e.Parts, p)
		}
	}
	return e
}

// Sets are the study file and the --set values that the shards in a folder of results
// were run with, or without shards those of the results; set, where it is not nil,
// counts in place of theirs. Shards with different values are an error. The study is
// "" if there is none.
func Sets(dir string, set []string) (study string, _ []string, err error) {
	shards, err := shard.In(dir)
	if err != nil {
		return "", nil, err
	}
	var first *results.Manifest
	var at string
	for _, s := range shards {
		m, err := results.ReadManifest(s.Dir(dir))
		switch {
		case errors.Is(err, os.ErrNotExist):
		case err != nil:
			return "", nil, err
		case first == nil:
			first, at = m, s.Dir("")
		case set == nil && !slices.Equal(first.Set, m.Set):
			return "", nil, fmt.Errorf("shards differ: %s was run with %s, %s with %s; run those again that are not of the study that is meant, or give merge its --set",
				at, sets(first.Set), s.Dir(""), sets(m.Set))
		}
	}
	if first == nil {
		switch first, err = results.ReadManifest(dir); {
		case errors.Is(err, os.ErrNotExist):
			return "", nil, nil
		case err != nil:
			return "", nil, err
		}
	}
	if set == nil {
		set = first.Set
	}
	return first.StudyFile, set, nil
}

// sets words --set values.
func sets(list []string) string {
	if len(list) == 0 {
		return "no --set"
	}
	var words []string
	for _, s := range list {
		words = append(words, "--set "+shell.Quote(s))
	}
	return strings.Join(words, " ")
}
