package main

import (
	"fmt"
	"io"
	"runtime"
	"strings"

	"github.com/spf13/cobra"

	"scoville/calibrate"
	"scoville/cmd/program"
	"scoville/report/fitted"
)

// scoreCommand is calibrate score.
func scoreCommand(stdout io.Writer) *cobra.Command {
	o := calibrate.Options{}
	var limit float64
	var form program.Form
	c := &cobra.Command{
		Use:   "score OVERLAY.toml [FILE...]",
		Short: "Predict measurements with an overlay, without fitting, and say how far off it is",
		Long: strings.TrimSpace(`
Score reads files of measurements as fit does, of any number of chips, models and
engine versions, predicts every row with the values of an overlay, and prints the
same errors: median and 90th percentile of |predicted / measured - 1|, and the
median of predicted / measured - 1 (bias). Rows that the overlay does not hold for
(its applies_to), and rows outside the range of its fit, are named and scored
apart. It writes score.score.json, score.residuals.parquet and score.html into the
current folder, with -o OUT other names: the page has measured against simulated and
the errors against each condition. With --max-error the exit code says whether the
overlay is good enough.
`) + "\n" + codes("score"),
		Example: `  calibrate score studies/calibrated.toml studies/measured/h100.csv --max-error 0.05
  calibrate score studies/calibrated.toml studies/measured/h100.csv --where 'concurrency <= 16' -o low`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			switch err := form.Check(); {
			case err != nil:
				return usageError{err}
			case o.Jobs < 1:
				return usageError{fmt.Errorf("-j %d: at least one simulation must run at a time", o.Jobs)}
			case c.Flags().Changed("max-error") && !(limit > 0 && limit < 10):
				return usageError{fmt.Errorf("--max-error %g: it is a ratio above 0; 0.05 is 5 %%", limit)}
			case !strings.HasSuffix(args[0], ".toml"):
				return usageError{fmt.Errorf("%s: the first argument is an overlay, a .toml file", args[0])}
			}
			if o.Output == "" {
				o.Output = "score"
			}
			if err := someFiles(args[1:], o.Spec); err != nil {
				return err
			}
			o.Files = args[1:]
			s, err := calibrate.Score(c.Context(), args[0], limit, o)
			if err != nil {
				return err
			}
			if err := fitted.WriteScore(o.Output); err != nil {
				return fmt.Errorf("the score is written, but not its page: %w", err)
			}
			rows, err := program.Rows(s.Errors)
			if err == nil {
				err = answer(stdout, form, s, rows, calibrate.ScoreText(s)+"files   "+strings.Join(append(calibrate.ScoreOutputs(o.Output), fitted.ScorePath(o.Output)), "  ")+"\n")
			}
			if err != nil {
				return err
			}
			return unmet(s.Gates)
		},
	}
	f := c.Flags()
	inputFlags(c, &o)
	f.StringVarP(&o.Output, "output", "o", "score", "beginning of the names of the files to write")
	f.Float64Var(&limit, "max-error", 0, "largest median error, a ratio, of mean TTFT and TPOT (else of what the rows have) where the overlay holds; beyond it exit 5")
	f.IntVarP(&o.Jobs, "jobs", "j", runtime.GOMAXPROCS(0), "simulations at a time")
	form.Flags(c, "the table of errors")
	return c
}
