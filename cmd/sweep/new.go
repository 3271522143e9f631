package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"scoville/sweep"
)

// newCommand is sweep new.
func newCommand(stdout io.Writer) *cobra.Command {
	names := sweep.Starts()
	return &cobra.Command{
		Use:   "new " + strings.Join(names, "|"),
		Short: "Write a commented study to start from to standard output",
		Long: strings.TrimSpace(`
New writes a study that runs as it stands, with comments on what to change:

  sensitivity  one parameter at a time around a baseline
  grid         all combinations of a few parameters, and the front of the best
  capacity     the largest rate that keeps service levels
  screen       which of many uncertain parameters decide (Morris)
`) + "\n",
		Example: `  sweep new sensitivity > my.toml
  sweep plan my.toml
  sweep new capacity | grep -A 3 '^.slo'`,
		Args:      cobra.ExactArgs(1),
		ValidArgs: names,
		RunE: func(_ *cobra.Command, args []string) error {
			text, ok := sweep.Start(args[0])
			if !ok {
				return usageError{fmt.Errorf("no study %q to start from: %s", args[0], strings.Join(names, ", "))}
			}
			_, err := io.WriteString(stdout, text)
			return err
		},
	}
}
