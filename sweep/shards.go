package sweep

import (
	"context"
	"errors"
	"fmt"
	"os"

	"scoville/sweep/again"
	"scoville/sweep/campaign"
	"scoville/sweep/cluster"
	"scoville/sweep/merge"
	"scoville/sweep/results"
	"scoville/sweep/shard"
)

// ShardDone is what a shard did, and which others have not finished.
type ShardDone = cluster.Shard

// MissingError is an error of Merge: runs are missing.
type MissingError = cluster.MissingError

// Damage is a journal that is not whole.
type Damage = merge.Damage

// ErrDisagree says that two shards hold different results of one run.
var ErrDisagree = merge.ErrDisagree

// job is what the shards of a plan have in common.
func (o *Options) job(out *Outcome) *cluster.Job {
	return &cluster.Job{
		Plan: out.Plan, Dir: out.Dir, Name: o.Name, File: o.File, Set: o.Set, Campaign: o.campaign(),
		Damaged: o.Damaged,
		Meta:    func(p *Plan) results.Meta { return meta(p, *o) },
	}
}

// runShard runs a part of a study.
func runShard(ctx context.Context, o Options, out *Outcome) (*Outcome, error) {
	s, err := shard.Parse(o.Shard, os.Getenv)
	if err == nil && o.Point != "" {
		err = errors.New("--shard and --point: one of them")
	}
	if err == nil {
		err = shard.Check(out.Plan)
	}
	if err != nil {
		return nil, again.Input(err)
	}
	if out.Shard, err = o.job(out).Run(ctx, s); err != nil {
		return nil, err
	}
	out.Counts = out.Shard.Counts
	return out, nil
}

// Merge makes tables of what the shards in the folder of the results and in
// further folders keep; it simulates no point of a study of several. Missing runs
// are a *MissingError, different results of one run ErrDisagree, runs of another
// version of the simulator ErrForeign. It uses File, Set, Dir, Jobs and Progress of
// the options.
func Merge(ctx context.Context, o Options, folders []string) (*Outcome, error) {
	p, err := LoadContext(ctx, o.File, o.Set)
	if err != nil {
		return nil, err
	}
	out := &Outcome{Plan: p, Dir: o.Dir}
	if out.Dir == "" {
		if out.Dir, err = p.Study.Folder(); err != nil {
			return nil, again.Input(err)
		}
	}
	ended, err := o.job(out).Merge(ctx, folders, func(set *results.Set, ended *campaign.Outcome) error {
		out.Counts, out.Searches, out.Recalled = ended.Counts, ended.Searches, ended.Recalled
		return o.explain(ctx, set, out)
	})
	if err != nil {
		return nil, err
	}
	out.Recalled = ended.Recalled
	return out, nil
}

// StudyOf is the study, and the --set values, that the shards in a folder of results,
// or the results themselves, were made of; set, where it is not nil, counts in place of
// those values. Shards of different values are an *InputError.
func StudyOf(dir string, set []string) (string, []string, error) {
	file, set, err := cluster.Sets(dir, set)
	if err == nil && file == "" {
		err = fmt.Errorf("%s holds no shards and no results", dir)
	}
	if err != nil {
		return "", nil, again.Input(err)
	}
	return file, set, nil
}
