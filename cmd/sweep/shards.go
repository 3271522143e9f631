package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"runtime"
	"strings"

	"github.com/spf13/cobra"

	"scoville/cmd/program"
	"scoville/cmd/sweep/codes"
	"scoville/sweep"
)

// shardDone says what a shard did and what is left before there are tables. A
// shard at a URL knows no others.
func shardDone(w io.Writer, s *sweep.ShardDone, url string) error {
	runs := 0
	for _, n := range s.Counts {
		runs += n
	}
	fmt.Fprintf(w, "shard %d/%d of %s: %d points, %d runs, %d of them simulated now, in %.1f s\n", s.Shard, s.Count, s.Study, s.Points, runs, s.Simulated, s.WallS)
	for _, status := range []string{"failed", "timeout", "infeasible"} {
		if n := s.Counts[status]; n > 0 {
			fmt.Fprintf(w, "  %d %s\n", n, status)
		}
	}
	if url != "" {
		_, err := fmt.Fprintf(w, "next, when all %d shards have finished: sweep merge %s\n", s.Count, sweep.Quote(url))
		return err
	}
	fmt.Fprintf(w, "kept in %s\n", s.Dir)
	if len(s.Others) == 0 {
		_, err := fmt.Fprintf(w, "all %d shards have finished; next: %s\n", s.Count, s.Merge)
		return err
	}
	fmt.Fprintf(w, "%d of %d shards have not finished:\n", len(s.Others), s.Count)
	for i, p := range s.Others {
		if i == 10 {
			fmt.Fprintf(w, "  and %d more\n", len(s.Others)-i)
			break
		}
		fmt.Fprintf(w, "  %s  %s\n", p.Shard, p.State)
	}
	_, err := fmt.Fprintf(w, "when they have: %s\n", s.Merge)
	return err
}

// mergeCommand is sweep merge.
func mergeCommand(stdout, stderr io.Writer) *cobra.Command {
	o, m, form, mode := sweep.Options{}, merging{}, program.Form{}, ""
	c := &cobra.Command{
		Use:   "merge STUDY|DIR [DIR...]",
		Short: "Make the tables of a study of what its shards ran",
		Long: strings.TrimSpace(`
Merge gathers what the shards in the folder of the results (DIR/shards) and in any
further folders know of runs, and writes the tables, the report and the manifest of
the whole study: to the byte those of a sweep on one machine. It simulates nothing.
Given a folder in place of a study it takes the study, and --set, that its shards were
made of.

A run is known by its scenario, seed and replicate: shards of a study that was edited
since count where their runs are still planned, and folders split into other numbers
of shards, or not at all, are as good. If runs are missing, merge names the shards
that have them and the commands that run them, keeps what it gathered, writes no table
and exits with 4. Different results of one run, or runs of another version of the
simulator, are refused (exit code 6); of a run that failed in one shard and not in
another the result counts.
`) + "\n" + codes.Of("merge"),
		Example: `  sweep run studies/tradeoff.toml --shard 1/2
  sweep run studies/tradeoff.toml --shard 2/2
  sweep merge studies/tradeoff.toml
  sweep merge results/tradeoff -o results/all`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			if o.Jobs < 1 {
				return usageError{fmt.Errorf("-j %d: at least 1", o.Jobs)}
			}
			if err := checkWait(m.wait); err != nil {
				return err
			}
			p, err := newProgress(stderr, mode)
			if err != nil {
				return usageError{err}
			}
			o.Progress = p.show
			o.Damaged = func(list []sweep.Damage) { damaged(stderr, list) }
			m.args, m.work = args, func(ctx context.Context) (written bool, err error) {
				folders, err := mergeInput(&o, args)
				if err != nil {
					return false, err
				}
				program.Frugal()
				out, err := sweep.Merge(ctx, o, folders)
				p.end()
				if err != nil {
					return false, err
				}
				return true, show(ctx, stdout, out, form)
			}
			return mergeRemote(c.Context(), stderr, &o, m)
		},
	}
	f := c.Flags()
	f.StringVarP(&o.Dir, "output", "o", "", "folder or URL of the results (default: the folder given, else [output] dir, else results/NAME)")
	f.StringArrayVar(&o.Set, "set", nil, "PATH=VALUE over everything in the study, as the shards had it")
	f.IntVarP(&o.Jobs, "jobs", "j", runtime.GOMAXPROCS(0), "points laid out at a time")
	f.DurationVar(&m.wait, "wait", 0, waitHelp)
	f.StringVar(&m.scratch, "scratch", "", "folder for the local copy of results in an object store (default: in the user's caches)")
	f.StringVar(&mode, "progress", "none", "auto, plain, json or none; on standard error")
	form.Table(c, "the main table of the report, whole,")
	return c
}

// damaged says which journals are not whole.
func damaged(stderr io.Writer, list []sweep.Damage) {
	for _, d := range list {
		fmt.Fprintln(stderr, d)
	}
}

// mergeInput finds the study among the arguments, and returns the folders.
func mergeInput(o *sweep.Options, args []string) ([]string, error) {
	if info, err := os.Stat(args[0]); err != nil || !info.IsDir() {
		o.File = args[0]
		return args[1:], nil
	}
	file, set, err := sweep.StudyOf(args[0], o.Set)
	if err != nil {
		return nil, err
	}
	o.File, o.Set = file, set
	if o.Dir == "" && len(args) == 1 {
		o.Dir = args[0]
	}
	return args, nil
}
