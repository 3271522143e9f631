package main

import (
	"context"
	"fmt"
	"io"
	"runtime"

	"github.com/spf13/cobra"

	"scoville/cmd/program"
	"scoville/cmd/sweep/codes"
	"scoville/report"
	"scoville/sweep"
	"scoville/sweep/prompt"
	"scoville/sweep/store"
)

const runHelp = `Run simulates every point of a study and writes to results/NAME report.html, report.md
and plots; the tables runs.parquet, points.parquet, effects.parquet and, of some
studies, searches.parquet and classes.parquet; details.json (what is inside a few
points), manifest.json and a copy of the study; with [output] requests = "all" or
"sample:100" a table of the requests of each run, requests/POINT-sSEED-rREPLICATE.parquet.
The tables do not depend on -j. Results of the same study are replaced as a whole; those
of another are refused. A study of one point is explained, as sweep show does it;
--point runs one point of a study alone.

What finished runs gave is kept in runs.journal beside the tables, by scenario, seed
and replicate. After an interrupt, a kill or a full disk the same command goes on
where it was; an edited study simulates only what is new. The tables come out the
same, to the byte, as of a sweep in one go.

--shard 3/8 runs the points of one of eight parts, and leaves what they gave in
DIR/shards/3-of-8; sweep merge makes the tables of all. --shard auto/8 takes the index
from SLURM_ARRAY_TASK_ID (from 1) or JOB_COMPLETION_INDEX (from 0), --shard auto index
and count from a Slurm array that is submitted whole. A shard may be run again at any
time and goes on where it was. One whose runs are all there exits with 0: those that
failed are told by sweep merge. A study with race is not split.

-o takes URLs of object stores too, s3://BUCKET/PREFIX, gs://BUCKET/PREFIX or
file:///FOLDER, in bin/sweep-cloud, which make cloud builds. Finished runs go up every
half minute (--send-every), the tables at the end, and the same command on another
machine goes on where this one was. One process at a time writes to a URL; a shard has
a folder of its own. --scratch says where the local copy is, which is safe to remove.
A store that does not answer is tried again while runs go on, and for a minute at the
end; then the exit code is 4, and the same command sends what is left. A process that
was killed keeps others out for two minutes; --wait 5m waits for that.
`

// runCommand is sweep run.
func runCommand(stdout, stderr io.Writer) *cobra.Command {
	o := sweep.Options{}
	r := remote{}
	mode := ""
	var form program.Form
	c := &cobra.Command{
		Use:   "run STUDY",
		Short: "Simulate every point of a study and write the results",
		Long:  runHelp + codes.Of("run"),
		Example: `  sweep run studies/sensitivity.toml
  sweep run studies/sensitivity.toml --point 4
  sweep run studies/sensitivity.toml --csv > effects.csv
  sweep run studies/tradeoff.toml -o results/short -j 2 --set workload.requests=500
  sweep run studies/tradeoff.toml --shard 1/2  # half of it; the other on another machine
  sweep run studies/sensitivity.toml --only-failed`,
		Args: cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			if o.Jobs < 1 {
				return usageError{fmt.Errorf("-j %d: at least one simulation must run at a time", o.Jobs)}
			}
			if o.RunTimeout < 0 {
				return usageError{fmt.Errorf("--run-timeout %v: give a time above 0", o.RunTimeout)}
			}
			if form.CSV && o.Shard != "" {
				return usageError{fmt.Errorf("--csv: a shard has no tables; sweep merge makes those of all")}
			}
			if err := r.check(); err != nil {
				return err
			}
			p, err := newProgress(stderr, mode)
			if err != nil {
				return usageError{err}
			}
			o.File, o.Progress = args[0], p.show
			o.Begun = func(s sweep.Standing) { begun(stderr, s, mode != "none" && mode != "json") }
			work := func(ctx context.Context, name string) (written bool, err error) {
				out, err := sweep.Run(ctx, o)
				p.end()
				switch {
				case err != nil:
					return false, err
				case out.Shard != nil:
					return true, shardDone(stdout, out.Shard, name)
				}
				return true, show(ctx, stdout, out, form)
			}
			if !store.Is(o.Dir) {
				return waiting(c.Context(), stderr, r.wait, func() error {
					_, err := work(c.Context(), "")
					return err
				})
			}
			return runRemote(c.Context(), stderr, &o, r, work)
		},
	}
	f := c.Flags()
	f.StringVarP(&o.Dir, "output", "o", "", "folder or URL of the results (default: [output] dir, else results/NAME)")
	f.IntVarP(&o.Jobs, "jobs", "j", runtime.GOMAXPROCS(0), "simulations at a time")
	f.StringArrayVar(&o.Set, "set", nil, "PATH=VALUE over everything in the study; recorded with the results")
	f.StringVar(&o.Point, "point", "", "run one point alone: its index, its id or the beginning of one; results go to results/NAME-ID")
	f.StringVar(&o.Shard, "shard", "", "run one part of several: INDEX/COUNT, auto/COUNT or auto")
	f.BoolVar(&o.FailFast, "fail-fast", false, "stop at the first run that fails or times out; finished runs are kept")
	f.BoolVar(&o.OnlyFailed, "only-failed", false, "run those again that failed or timed out; without it they count as finished")
	f.BoolVar(&o.Fresh, "fresh", false, "forget what finished runs gave, and run all")
	f.DurationVar(&o.RunTimeout, "run-timeout", 0, "wall time of a run, such as 60s; a run over it is a timeout, which runs again with --only-failed, or when it may take longer (default: any)")
	f.StringVar(&mode, "progress", "auto", "auto, plain, json or none; on standard error")
	f.StringVar(&r.scratch, "scratch", "", "folder for the local copy of results in an object store (default: in the user's caches)")
	f.DurationVar(&r.every, "send-every", store.Interval, "how often what finished runs gave goes to an object store, 1s to 10m")
	f.DurationVar(&r.wait, "wait", 0, waitHelp)
	form.Table(c, "the main table of the report, whole,")
	return c
}

// begun says what of the folder is lost or replaced, and with counts what of a study is done
// already.
func begun(stderr io.Writer, s sweep.Standing, counts bool) {
	if s.Planned >= 300_000 { // its tables will be most of the memory
		program.Frugal()
	}
	for _, line := range s.Lines() {
		fmt.Fprintln(stderr, line)
	}
	switch {
	case !counts:
	case s.Done > 0:
		fmt.Fprintf(stderr, "%d runs planned, %d already done, %d to run\n", s.Planned+s.Draws, s.Done, s.Planned+s.Draws-s.Done)
	case s.Planned == 0 && s.Known > 0:
		fmt.Fprintf(stderr, "%d finished runs are known here\n", s.Known)
	}
}

// show writes the report and prints it, or its main table.
func show(ctx context.Context, stdout io.Writer, out *sweep.Outcome, form program.Form) error {
	program.Frugal()
	r, err := prompt.Call(ctx, func() (*report.Report, error) {
		r, err := report.Load(out.Dir)
		if err != nil {
			return nil, err
		}
		if err := r.Write(); err != nil {
			return nil, &sweep.BesideError{Dir: out.Dir, Err: err}
		}
		return r, nil
	})
	if ctx.Err() != nil {
		return &sweep.BesideError{Dir: out.Dir, Err: ctx.Err()}
	}
	if err != nil {
		return err
	}
	print := func(w io.Writer) error {
		return program.Compare(w, func(to io.Writer) error { return r.Text(to, program.Width(w)) }, better())
	}
	if err := form.Write(stdout, nil, func() ([][]string, error) { return r.Rows(), nil }, print); err != nil && !program.Seen(err) {
		return fmt.Errorf("the results in %s are whole, but could not be printed: %w", out.Dir, err)
	}
	failed := out.Counts["failed"] + out.Counts["timeout"]
	switch {
	case failed == 0 && !out.Feasible():
		return errGate
	case failed > 0:
		return errPartial
	case out.Counts["ok"] == 0:
		return errNothing
	}
	return nil
}
