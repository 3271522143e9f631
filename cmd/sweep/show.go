package main

import (
	"errors"
	"fmt"
	"io"
	"runtime"
	"strings"

	"github.com/spf13/cobra"

	"scoville/cmd/program"
	"scoville/cmd/sweep/codes"
	"scoville/sweep"
)

// showCommand is sweep show.
func showCommand(stdout io.Writer) *cobra.Command {
	o := sweep.ShowOptions{}
	var form program.Form
	c := &cobra.Command{
		Use:   "show DIR",
		Short: "Explain one point of results",
		Long: strings.TrimSpace(`
Show explains one point of the results in DIR: every value that is not a
default, with the layer that set it and how well it is known; what memory
holds; what a step, a request and the run spend their time on and what bounds
them; the largest contributors; what 10 % more of each resource would buy, by
paired runs; where the queue waits for the KV pool, what it would be with memory
for every request; and how to run the point alone.

It simulates the point again from DIR/study.toml and the inputs that stand
where they stood (manifest.json says where, and their SHA-256), and says
whether the numbers are those of runs.parquet to the bit. Where a file has
changed it names it and stops.

Without --point it explains the only point, or the only baseline.
`) + "\n" + codes.Of("show"),
		Example: `  sweep show results/sensitivity --point 4
  sweep show results/sensitivity --point 384d --quick
  sweep show results/sensitivity --point 4 --quick --json > point.json`,
		Args: cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			if err := form.Check(); err != nil {
				return usageError{err}
			}
			if o.Jobs < 1 {
				return usageError{fmt.Errorf("-j %d: at least one simulation must run at a time", o.Jobs)}
			}
			dir, done, err := read(c.Context(), args[0], false)
			if err != nil {
				return err
			}
			defer done()
			o.Dir = dir
			x, err := sweep.Show(c.Context(), o)
			if x == nil {
				return err
			}
			return errors.Join(form.Write(stdout, x, func() ([][]string, error) { return program.Tidy(x) }, func(w io.Writer) error {
				return program.Page(w, x.Text)
			}), err)
		},
	}
	f := c.Flags()
	f.StringVar(&o.Point, "point", "", "index, id or unique beginning of an id, as in points.parquet")
	f.IntVarP(&o.Jobs, "jobs", "j", runtime.GOMAXPROCS(0), "simulations at a time")
	f.BoolVar(&o.Quick, "quick", false, "leave out what 10 % more of each resource would buy")
	form.Flags(c, "each value of the explanation, a row each,")
	return c
}
