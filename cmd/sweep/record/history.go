package record

import (
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"scoville/cmd/program"
	"scoville/cmd/sweep/codes"
	"scoville/sweep"
)

const historyHelp = `
History lists the results in and below DIR… (default: results), the newest first:
what state they are in, how many points and runs, the main effect, what binds, and
which calibration they rest on; with --long (and where something is searched) also
what changed against the study of the same name before, all bottlenecks, symptoms
and causes of failures.

A word that is no folder, file or path is searched, in any letter case, in what
each study showed and in its text; parts between commas must stand in one line:

  sweep history pcie
  sweep history 'TTFT high, PCIe bound'

TTFT is high where it is above [slo], without one where its mean is above 200 ms;
TPOT likewise above 15 ms. PCIe is the resource host_link.

--where searches the points, in the expression language of studies, and names those
that meet it with their values: columns of points.parquet (sweep list columns
points.), keys of axes and what the study itself sets (model, hardware, engine.tp), a
metric for its mean, and binding for bound and decode_bound together. Saturated
points meet conditions too, and are called so: their latencies grow with the length
of the run.

The main effect is the largest of a headline metric that is told from noise: of [oat]
a change (a halving counts as much as a doubling), of [sample] an index above that of
the dummy and the scatter between replicates, else a span: largest over smallest mean
along an axis, all else equal, the geometric mean over the combinations of the other
axes, 1 where intervals overlap. A change or span without intervals (one replicate)
is called unresolved.

What cannot be read is a line with the reason. Links are not followed.`

// History is sweep history.
func History(d Doors) *cobra.Command {
	o := sweep.HistoryOptions{}
	var form program.Form
	long := false
	c := &cobra.Command{
		Use:   "history [DIR…] [TEXT…]",
		Short: "List and search the studies that were run",
		Long:  strings.TrimSpace(historyHelp) + "\n" + codes.Of("history"),
		Example: `  sweep history
  sweep history results --long
  sweep history 'TTFT high, PCIe bound'
  sweep history --where 'ttft_p99_ms > 500 && binding ~ "host_link"'
  sweep history --where 'slo_ok && hardware == "h100-sxm"' --csv > found.csv`,
		RunE: func(c *cobra.Command, args []string) error {
			if err := form.Check(); err != nil {
				return d.Usage(err)
			}
			if o.Most < 0 {
				return d.Usage(fmt.Errorf("--points %d: 0 is all", o.Most))
			}
			if (form.CSV || form.JSON) && !c.Flags().Changed("points") {
				o.Most = 0
			}
			dirs, texts := sorted(args)
			o.Dirs, o.Text = dirs, append(texts, o.Text...)
			if len(o.Dirs) == 0 {
				o.Dirs = []string{"results"}
			}
			r, err := sweep.History(c.Context(), o)
			if err != nil {
				return err
			}
			return form.Write(d.Out, r, func() ([][]string, error) { return r.Rows(), nil }, func(w io.Writer) error {
				return program.Page(w, func(w io.Writer) error {
					return r.Text(w, long || o.Where != "" || len(o.Text) > 0)
				})
			})
		},
	}
	f := c.Flags()
	f.StringVar(&o.Where, "where", "", "condition on points, such as 'ttft_p99_ms > 500 && binding ~ \"host_link\"'")
	f.StringArrayVar(&o.Text, "text", nil, "text to search for that is also the name of a folder; may be given again")
	f.IntVar(&o.Most, "points", 5, "points named per study with --where; 0 = all, which --csv and --json have")
	f.BoolVarP(&long, "long", "l", false, "all that is known of each study")
	form.Flags(c, "a row per study, with --where per point,")
	return c
}

// sorted tells folders from texts: what looks like a path, or is there, is taken for a
// folder, so that one that is none is said to be none.
func sorted(args []string) (dirs, texts []string) {
	for _, a := range args {
		_, err := os.Stat(a)
		if err == nil || strings.ContainsRune(a, os.PathSeparator) && !strings.ContainsAny(a, " ,") {
			dirs = append(dirs, a)
		} else {
			texts = append(texts, a)
		}
	}
	return dirs, texts
}
