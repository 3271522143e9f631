package main

import (
	"io"
	"os"
	"runtime"
	"strings"

	"github.com/spf13/cobra"

	"scoville/sweep"
)

// planCommand is sweep plan.
func planCommand(stdout io.Writer) *cobra.Command {
	var points, explain string
	var set []string
	c := &cobra.Command{
		Use:   "plan STUDY",
		Short: "Say what a study would run, without running it",
		Long: strings.TrimSpace(`
Plan checks a study and every point of it, and says what would run. It tries up
to 8 runs, for 2 seconds at most, and estimates from them how long the study
takes on all cores. It writes no results.
`) + "\n" + exitCodes,
		Example: `  sweep plan studies/grid.toml
  sweep plan studies/grid.toml --points points.csv
  sweep plan studies/grid.toml --explain hardware.weight_bandwidth_gb_s`,
		Args: cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			p, err := sweep.Load(args[0], set)
			if err != nil {
				return err
			}
			if points != "" {
				if err := writePoints(points, p); err != nil {
					return err
				}
			}
			if explain != "" {
				return sweep.Explain(stdout, p, explain)
			}
			return sweep.Describe(c.Context(), stdout, p, runtime.GOMAXPROCS(0))
		},
	}
	f := c.Flags()
	f.StringVar(&points, "points", "", "write the points to this CSV file")
	f.StringVar(&explain, "explain", "", "say what a study key is at the first point, and which layer set it")
	f.StringArrayVar(&set, "set", nil, "PATH=VALUE over everything in the study")
	return c
}

func writePoints(file string, p *sweep.Plan) error {
	f, err := os.Create(file)
	if err != nil {
		return err
	}
	err = sweep.WritePoints(f, p)
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	return err
}
