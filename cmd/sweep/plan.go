package main

import (
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

// planCommand is sweep plan.
func planCommand(stdout io.Writer) *cobra.Command {
	var form program.Form
	var points, explain string
	var set []string
	c := &cobra.Command{
		Use:   "plan STUDY",
		Short: "Say what a study would run, without running it",
		Long: strings.TrimSpace(`
Plan checks a study and every point of it, and says what would run. It tries up
to 8 runs, for 2 seconds at most, and estimates from them how long the study
takes on all cores. It writes no results.
`) + "\n" + codes.Of("plan"),
		Example: `  sweep plan studies/tradeoff.toml
  sweep plan studies/tradeoff.toml --points points.csv
  sweep plan studies/sensitivity.toml --explain hardware.weight_bandwidth_gb_s
  sweep plan studies/sensitivity.toml --csv | head -3`,
		Args: cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			p, err := sweep.LoadContext(c.Context(), args[0], set)
			if err != nil {
				return err
			}
			if points != "" {
				if err := writePoints(points, args[0], p); err != nil {
					return err
				}
			}
			if form.CSV {
				return sweep.WritePoints(program.Raw(stdout), p)
			}
			if explain != "" {
				return program.Page(stdout, func(w io.Writer) error { return sweep.Explain(w, p, explain) })
			}
			return program.Page(stdout, func(w io.Writer) error { return sweep.Describe(c.Context(), w, p, runtime.GOMAXPROCS(0)) })
		},
	}
	f := c.Flags()
	f.StringVar(&points, "points", "", "write the points to this CSV file")
	f.StringVar(&explain, "explain", "", "say what a study key is at the first point, and which layer set it")
	f.StringArrayVar(&set, "set", nil, "PATH=VALUE over everything in the study")
	form.Table(c, "the points")
	return c
}

// writePoints writes the points to a file, which must not be the study.
func writePoints(file, study string, p *sweep.Plan) error {
	if a, err := os.Stat(file); err == nil {
		if b, err := os.Stat(study); err == nil && os.SameFile(a, b) {
			return usageError{fmt.Errorf("--points %s is the study itself", file)}
		}
	}
	f, err := os.Create(file)
	if err != nil {
		return usageError{fmt.Errorf("--points: %w", err)}
	}
	err = sweep.WritePoints(f, p)
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	return err
}
