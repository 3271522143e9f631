package main

import (
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"scoville/cmd/program"
	"scoville/sweep"
)

// statusCommand is sweep status.
func statusCommand(stdout io.Writer) *cobra.Command {
	var form program.Form
	c := &cobra.Command{
		Use:   "status DIR",
		Short: "Say how far a sweep is, and what to do next",
		Long: strings.TrimSpace(`
Status says how far the sweep in a folder of results is: who writes to it, runs
planned, done and failed with an example of each cause, how fast it goes and how long
it will take, the same for its shards, and the commands that go on. It only reads and
disturbs nobody who writes; what it sees is a few seconds old. A process of another
machine counts as running as long as its lock file is there. Failures are those of all
runs that the folder knows, also of runs that an edited study does not plan any more.
`) + "\n" + exitCodes,
		Example: `  sweep status results/grid
  sweep status results/grid --json | jq .left_s`,
		Args: cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			if err := form.Check(); err != nil {
				return usageError{err}
			}
			if err := local("status", args[0]); err != nil {
				return err
			}
			now := time.Now()
			r, err := sweep.StatusOf(c.Context(), args[0], now)
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
