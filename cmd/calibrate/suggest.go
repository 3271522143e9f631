package main

import (
	"fmt"
	"io"
	"runtime"
	"strings"

	"github.com/spf13/cobra"

	"scoville/calibrate"
	"scoville/cmd/program"
)

// suggestCommand is calibrate suggest.
func suggestCommand(stdout io.Writer) *cobra.Command {
	var in calibrate.SuggestInput
	var form program.Form
	c := &cobra.Command{
		Use:   "suggest OVERLAY.toml",
		Short: "Say which measurements would narrow the uncertainty most, as commands to run",
		Long: strings.TrimSpace(`
Suggest simulates candidate measurements around the values of an overlay, takes
its covariance for what is known and its model error for the noise, and chooses
the runs that narrow the named predictions most (c-optimal; with several
V-optimal), or without one the parameters (D-optimal): greedily, then by
exchange. It prints the runs as commands of vllm bench serve, each with the 90 %
interval that is expected after it. Candidates that do not fit memory or would be
saturated are left out. Nothing is fitted, measured or written.

A prediction is METRIC@KEY=VALUE,...; candidates are KEY=VALUE,VALUE over the usual
grid (isl 128 to 16384, osl 16 to 512, concurrency 1 to 128). Keys are isl, osl,
concurrency, rate, tp or study keys.
`) + "\n" + codes("suggest"),
		Example: `  calibrate suggest studies/calibrated.toml --predict ttft_mean_ms@isl=8192,osl=256,concurrency=8,tp=4 --runs 2
  calibrate suggest studies/calibrated.toml --runs 2 --candidates isl=512,2048 --candidates tp=2,4`,
		Args: cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			switch {
			case in.Jobs < 1:
				return usageError{fmt.Errorf("-j %d: at least one simulation must run at a time", in.Jobs)}
			case in.Runs < 1 || in.Runs > 100:
				return usageError{fmt.Errorf("--runs %d: from 1 to 100", in.Runs)}
			}
			if err := form.Check(); err != nil {
				return usageError{err}
			}
			s, err := calibrate.Suggest(c.Context(), args[0], in)
			if err != nil {
				return err
			}
			return answer(stdout, form, s, calibrate.SuggestRows(s), calibrate.SuggestText(s))
		},
	}
	f := c.Flags()
	f.StringArrayVar(&in.Predict, "predict", nil, "prediction to narrow, METRIC@KEY=VALUE,KEY=VALUE; may be given again")
	f.StringArrayVar(&in.Candidates, "candidates", nil, "values to choose from, KEY=VALUE,VALUE; may be given again")
	f.IntVar(&in.Runs, "runs", 6, "measurements to suggest")
	f.StringVar(&in.Model, "model", "", "model, where the overlay holds for several or for any: a catalogue name or a config.json")
	f.StringVar(&in.Hardware, "hardware", "", "chip, likewise: a catalogue name or a hardware file")
	f.IntVarP(&in.Jobs, "jobs", "j", runtime.GOMAXPROCS(0), "simulations at a time")
	form.Flags(c, "a row per measurement")
	return c
}
