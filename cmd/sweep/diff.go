package main

import (
	"io"
	"strings"

	"github.com/spf13/cobra"

	"scoville/cmd/program"
	"scoville/cmd/sweep/codes"
	"scoville/sweep"
)

// diffCommand is sweep diff.
func diffCommand(stdout io.Writer) *cobra.Command {
	o := sweep.DiffOptions{}
	var form program.Form
	c := &cobra.Command{
		Use:   "diff A B",
		Short: "Compare two folders of results: inputs, numbers, ranks",
		Long: strings.TrimSpace(`
Diff compares the results in A (before) with those in B (after):

  inputs    the study line by line, --set, overlays and other files, the
            simulator, and the hardware's numbers with their layer
  designs   every design that both have, a metric a column; A -> B with the
            change and its 95 % interval. Runs of the same seed and replicate met
            the same requests and are paired; else the interval is Welch's.
            ~ = no difference that the runs can show, = equal to the bit
  geomean   over the designs that are ok and not saturated in both
  rank      designs that moved, by --by METRIC (default: the only objective,
            else the first metric); with objectives, who left the front

Designs are matched by the axes that both have. An axis that only one has is
matched by the value that the other's study gives it; where that is not known
(its inputs have changed) the axis is averaged over, with a warning.

Of two folders of searches for the same key the values found stand side by side,
with the change and what the last passes and first fails allow of it.
`) + "\n" + codes.Of("diff"),
		Example: `  sweep diff results/tradeoff results/short
  sweep diff results/tradeoff results/short --metric 'ttft_*' --by ttft_p99_ms
  sweep diff results/tradeoff results/short --csv > changes.csv`,
		Args: cobra.ExactArgs(2),
		RunE: func(c *cobra.Command, args []string) error {
			if err := form.Check(); err != nil {
				return usageError{err}
			}
			dirs := make([]string, len(args))
			for i, name := range args {
				dir, done, err := read(c.Context(), name, false)
				if err != nil {
					return err
				}
				defer done()
				dirs[i] = dir
			}
			o.A, o.B = dirs[0], dirs[1]
			r, err := sweep.Diff(c.Context(), o)
			switch {
			case err != nil:
				return err
			case form.CSV:
				return r.CSV(program.Raw(stdout))
			case form.JSON:
				return program.JSON(stdout, r)
			}
			return program.Compare(stdout, r.Text, better())
		},
	}
	f := c.Flags()
	f.StringArrayVar(&o.Metrics, "metric", nil, "metric, or a pattern such as 'ttft_*' (default: the objectives and the usual ones)")
	f.StringVar(&o.By, "by", "", "metric that ranks the designs")
	form.Flags(c, "a row per design and metric")
	return c
}
