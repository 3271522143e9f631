package main

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"scoville/cmd/program"
	"scoville/sweep"
)

// listCommand is sweep list.
func listCommand(stdout io.Writer) *cobra.Command {
	kinds := []string{"keys", "design", "models", "chips", "metrics", "columns", "reference"}
	return &cobra.Command{
		Use:   "list keys|design|models|chips|metrics|columns|reference [PART]",
		Short: "List the study keys, models, chips, metrics or columns whose name contains PART",
		Long: `List prints the words a study may use: the keys of its scenario with type,
unit, allowed values, default and meaning; those of its design (axes, samples,
replicates, searches, objectives, limits); the models and chips of the catalogue;
the metrics of the results; the columns of their tables (METRIC stands for each
metric, AXIS for each axis). list reference writes all of them but models and chips
as one page of Markdown.`,
		Example: `  sweep list keys onchip
  sweep list design replicates
  sweep list models llama
  sweep list metrics ttft
  sweep list columns points.`,
		Args:      cobra.RangeArgs(1, 2),
		ValidArgs: kinds,
		RunE: func(_ *cobra.Command, args []string) error {
			part := ""
			if len(args) == 2 {
				part = args[1]
			}
			return program.Page(stdout, func(w io.Writer) error {
				if !sweep.List(w, args[0], part) {
					return usageError{fmt.Errorf("no list of %q: keys, design, models, chips, metrics, columns or reference", args[0])}
				}
				return nil
			})
		},
	}
}
