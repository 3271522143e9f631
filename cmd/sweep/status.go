package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"scoville/cmd/program"
	"scoville/cmd/sweep/codes"
	"scoville/sweep"
	"scoville/sweep/store"
)

// statusCommand is sweep status.
func statusCommand(stdout, stderr io.Writer) *cobra.Command {
	var form program.Form
	c := &cobra.Command{
		Use:   "status DIR|URL",
		Short: "Say how far a sweep is, and what to do next",
		Long: strings.TrimSpace(`
Status says how far the sweep in a folder of results is: who writes to it, runs
planned, done and failed with an example of each cause, how fast it goes and how long
it will take, the same for its shards, and the commands that go on. It only reads and
disturbs nobody who writes; what it sees is a few seconds old. A process of another
machine counts as running as long as its lock file is there. Failures are those of all
runs that the folder knows, also of runs that an edited study does not plan any more.

At a URL of an object store (bin/sweep-cloud) it sees what was sent, every half minute,
and who has the lease to write. It takes no table, but all that finished runs gave, some
hundred bytes to a few KB a run, and says how much it took.
`) + "\n" + codes.Of("status"),
		Example: `  sweep status results/tradeoff
  sweep status results/tradeoff --csv
  sweep status results/tradeoff --json > status.json
  sweep-cloud status s3://bucket/grid`,
		Args: cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			if err := form.Check(); err != nil {
				return usageError{err}
			}
			dir, done, err := glance(c.Context(), stderr, args[0])
			if err != nil {
				return err
			}
			defer done()
			now := time.Now()
			r, err := sweep.StatusOf(c.Context(), dir, args[0], now)
			if err != nil {
				return err
			}
			rows := func() ([][]string, error) { return program.Rows(append([]*sweep.Status{r}, r.Shards...)) }
			return form.Write(stdout, r, rows, func(w io.Writer) error {
				return program.Page(w, func(w io.Writer) error { return r.Text(w, now) })
			})
		},
	}
	form.Flags(c, "a row for the sweep and one per shard")
	return c
}

// glance gives a folder to look at: the one that is named, or of a URL a copy of
// what says how far it is.
func glance(ctx context.Context, stderr io.Writer, name string) (dir string, done func(), err error) {
	if !store.Is(name) {
		return name, func() {}, nil
	}
	if dir, err = os.MkdirTemp("", "sweep-"); err != nil {
		return "", nil, err
	}
	done = func() { os.RemoveAll(dir) }
	cost, err := store.Glance(ctx, name, dir)
	if err != nil {
		done()
		return "", nil, err
	}
	fmt.Fprintf(stderr, "fetched %d objects, %.3g MB\n", cost.Objects, float64(cost.Bytes)/1e6)
	return dir, done, nil
}
