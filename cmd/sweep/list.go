package main

import (
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"scoville/cmd/program"
	"scoville/sweep"
)

// listCommand is sweep list.
func listCommand(stdout io.Writer) *cobra.Command {
	var form program.Form
	c := &cobra.Command{
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
  sweep list metrics ttft --csv
  sweep list columns points.`,
		Args: cobra.RangeArgs(1, 2),
		RunE: func(_ *cobra.Command, args []string) error {
			part := ""
			if len(args) == 2 {
				part = args[1]
			}
			if args[0] == "reference" {
				return sweep.Reference(program.Raw(stdout))
			}
			rows := sweep.Words(args[0], part)
			if rows == nil {
				return usageError{fmt.Errorf("no list of %q: keys, design, models, chips, metrics, columns or reference", args[0])}
			}
			if err := form.Check(); err != nil {
				return usageError{err}
			}
			if len(rows) == 1 && !form.CSV && !form.JSON {
				return usageError{errors.New(sweep.NoWords(args[0], part))}
			}
			return form.Write(stdout, program.Objects(rows), func() ([][]string, error) { return rows, nil }, func(w io.Writer) error {
				return program.Page(w, func(w io.Writer) error { return program.Text(w, rows) })
			})
		},
	}
	form.Flags(c, "the list")
	return c
}
