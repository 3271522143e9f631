package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"strings"

	"github.com/spf13/cobra"

	"scoville/cmd/program"
	"scoville/cmd/sweep/codes"
	"scoville/sweep"
	"scoville/sweep/store"
)

// errLuck says that the winner of a study does not hold up.
var errLuck = errors.New("the winner does not hold up on fresh replicates")

// confirmCommand is sweep confirm.
func confirmCommand(stdout, stderr io.Writer) *cobra.Command {
	o := sweep.ConfirmOptions{}
	var form program.Form
	mode := ""
	c := &cobra.Command{
		Use:   "confirm DIR",
		Short: "Run the winners again on fresh random draws and say what was luck",
		Long: strings.TrimSpace(`
Confirm takes the best points of the results in DIR, by --by METRIC or else by
the first [[objective]], and with objectives the members of the front besides.
It runs each again on replicates that the study did not use, and compares:

  first against fresh   how much better a point looked than it is
  winner's curse        the same of the winner: the best of many noisy numbers
                        is too good on average
  rank order            pairs of points that hold, turn round, or cannot be told
                        apart; all meet the same fresh requests, so differences
                        are paired
  verdict               holds | tied (another is ahead, by no more than chance)
                        | luck (another is better by more than chance, counting
                        how many tried) | broken (fresh runs fail or saturate) |
                        fixed (nothing is random)

The verdicts luck and broken are exit code 5. The winner's first run is repeated
too and must give its numbers to the bit. Inputs that changed since the results
were written are refused, as by sweep show. The report stays in DIR/confirm.json
until the study runs again.
`) + "\n" + codes.Of("confirm"),
		Example: `  sweep confirm results/tradeoff --top 3 --by tpot_mean_ms
  sweep confirm results/tradeoff --top 2 --by output_tok_s --runs 8 --csv
  sweep confirm results/tradeoff --top 0 --runs 5  # the front alone`,
		Args: cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			switch err := form.Check(); {
			case err != nil:
				return usageError{err}
			case o.Jobs < 1:
				return usageError{fmt.Errorf("-j %d: at least one simulation must run at a time", o.Jobs)}
			case o.Runs < 0 || o.Runs == 1 || o.Runs > 100_000:
				return usageError{fmt.Errorf("--runs %d: from 2 to 100000; one run has no interval", o.Runs)}
			case o.Top < 0:
				return usageError{fmt.Errorf("--top %d: not a number of points", o.Top)}
			}
			p, err := newProgress(stderr, mode)
			if err != nil {
				return usageError{err}
			}
			o.Dir, o.Progress = args[0], p.show
			work := func(ctx context.Context) (written bool, err error) {
				r, err := sweep.Confirm(ctx, o)
				p.end()
				if err != nil {
					return false, err
				}
				rows := func() ([][]string, error) { return program.Rows(r.Points) }
				err = form.Write(stdout, r, rows, func(w io.Writer) error { return program.Page(w, r.Text) })
				if err == nil && !r.Holds() {
					err = errLuck
				}
				return true, err
			}
			if !store.Is(o.Dir) {
				_, err := work(c.Context())
				return err
			}
			return remote{url: o.Dir}.write(c.Context(), stderr, func(ctx context.Context, dir string, _ func()) (bool, error) {
				o.Dir = dir
				return work(ctx)
			})
		},
	}
	f := c.Flags()
	f.IntVar(&o.Top, "top", 5, "points to run again, the best first")
	f.StringVar(&o.By, "by", "", "metric that makes a point the best (default: the first [[objective]])")
	f.IntVar(&o.Runs, "runs", 0, "fresh replicates of each point (default: as many as the study has, at least 5)")
	f.IntVarP(&o.Jobs, "jobs", "j", runtime.GOMAXPROCS(0), "simulations at a time")
	form.Flags(c, "a row per point")
	f.StringVar(&mode, "progress", "auto", "auto, plain, json or none; on standard error")
	return c
}
