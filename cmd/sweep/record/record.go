// Package record knows the verbs that hand results on: sweep export and sweep
// report.
package record

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"scoville/cmd/program"
	"scoville/cmd/sweep/codes"
	"scoville/sweep"
)

// Doors are what the verbs share with the others of sweep.
type Doors struct {
	Out, Err io.Writer
	Read     func(ctx context.Context, name string, journals bool) (dir string, done func(), err error) // a folder or URL to read
	Usage    func(error) error                                                                          // makes a usage error
	Better   func() func(metric string) string                                                          // which way a metric should go
}

// Export is sweep export.
func Export(d Doors) *cobra.Command {
	c := &cobra.Command{
		Use:   "export csv|prometheus DIR",
		Short: "Write results for other programs",
		Long:  "Export writes results in the forms of other programs: tables as CSV, predictions as\nmetrics and alert rules of Prometheus.\n" + codes.Of("export"),
		Example: `  sweep export csv results/h100 -o points.csv
  sweep export prometheus results/h100 --point 4 --match model_name=llama -o monitoring`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return d.Usage(fmt.Errorf("export what? csv or prometheus"))
			}
			return d.Usage(fmt.Errorf("no export %q: csv or prometheus", args[0]))
		},
		RunE: func(*cobra.Command, []string) error { return nil },
	}
	c.AddCommand(csvCommand(d), prometheusCommand(d))
	return c
}

func csvCommand(d Doors) *cobra.Command {
	o := sweep.CSVOptions{}
	var file string
	c := &cobra.Command{
		Use:   "csv DIR",
		Short: "Write a table of results as CSV",
		Long: strings.TrimSpace(`
Csv writes a table of the results in DIR (a folder or URL): a header of column
names, a line per row.

  points    a row per point: means with 95 % intervals, effects, state
  runs      a row per point and replicate
  effects   a row per metric and changed parameter
  searches  a row per search, of a study with [search]
  classes   a row per point and class of requests, where there are several
  requests  a row per request, of a study with [output] requests; with the point,
            its axes, replicate and seed before the columns of the files

Numbers are the shortest that read back as the same 64-bit float. What has no
value (NULL) is an empty cell; metrics of saturated points keep their values, with
steady = false. A text that a spreadsheet would take for a formula gets an
apostrophe. Equal results give equal bytes. Tables of any length are streamed.

--where chooses rows, in the expression language of studies: names of columns,
keys of axes and what the study itself sets, a metric for its mean, binding for what
bounds a point.
--columns chooses columns and their order; sweep list columns says what they mean.
`) + "\n" + codes.Of("export"),
		Example: `  sweep export csv results/h100 -o points.csv
  sweep export csv results/h100 --table runs --columns 'rate_rps,replicate,ttft_*' | head
  sweep export csv results/h100 --where 'steady && ttft_p99_ms < 500'`,
		Args: cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			dir, done, err := d.Read(c.Context(), args[0], false)
			if err != nil {
				return err
			}
			defer done()
			o.Dir = dir
			if !c.Flags().Changed("columns") {
				o.Columns = nil
			}
			if file == "" || file == "-" {
				return sweep.CSV(o, program.Until(c.Context(), program.Raw(d.Out))) // its cells are made visible already
			}
			return sweep.ToFile(file, func(w io.Writer) error { return sweep.CSV(o, program.Until(c.Context(), w)) })
		},
	}
	f := c.Flags()
	f.StringVar(&o.Table, "table", "points", strings.Join(sweep.CSVTables(), ", "))
	f.StringVar(&o.Where, "where", "", "condition on the rows, such as 'steady && ttft_p99_ms < 500'")
	f.StringSliceVar(&o.Columns, "columns", nil, "columns to write, in this order: names, or patterns such as 'ttft_*' (default: all)")
	f.StringVarP(&file, "output", "o", "", "file to write (default: standard output)")
	return c
}
