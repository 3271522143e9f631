package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/spf13/cobra"

	"scoville/calibrate"
	"scoville/cmd/program"
	"scoville/report/fitted"
)

const fitHelp = `
Fit reads files of measurements in any of these forms: JSON of vllm bench serve
(also with its requests, also several objects a file), of vllm bench sweep, latency
and throughput, of inference-perf and InferenceX; console blocks of vllm bench serve
in logs and Markdown; results of guidellm, genai-bench, llmperf and fmbench; rows of
aiconfigurator; grids of offline batches; logs of requests and of engine steps;
tables whose header names scenario keys and metrics with units. Names may be files,
patterns in quotes, or folders; files may be gzipped. It fits the parameters of the
performance model to TTFT and TPOT together, predicts what it held out, and writes
OUT.toml, OUT.fit.json, OUT.residuals.parquet and OUT.html, a page that says whether
the fit can be trusted and for what, with every row, parameter and residual. It
takes tens of seconds, with many rows minutes. One fit is about one chip and engine
era: choose with --where. Several models of them share the chip's parameters and
have their own of what depends on the model, tied by priors: OUT.toml then holds for
any model, OUT.MODEL.toml for each. Grids and steps share all parameters. Requests
are numbered by arrival: --where 'request < 100' fits to the first hundred. With
--each every chip, model and engine version gets a fit and an overlay of its own,
OUT.CHIP-MODEL-VERSION.toml, and a table sums up.

Rows are held out as --holdout says: a share of the conditions at random
(fraction=0.2, with seed=1 and seeds=5 unless given), each of N random parts in
turn (folds=5), each value of a key in turn (by=concurrency, rate, prompt, output,
tp, model or a scenario key; of load only the levels between others), or the rows
of a filter ('workload.prompt_tokens >= 8192'). max_error_ratio=0.15 is a gate on
the held-out medians. Pairs are joined by commas: fraction=0.2,seed=7. It replaces
[holdout] of a specification. Unless said, servers hold out each interior level of
load, batches and steps 20 % at random.

Runs beyond saturation are not fitted; their throughput is predicted and compared
apart. Columns that no server can have measured (seconds under a name in ms, TTFT and
TPOT exchanged) are refused, with their lines; what else looks wrong is printed.
`

// fitCommand is calibrate fit.
func fitCommand(stdout, stderr io.Writer) *cobra.Command {
	o := calibrate.Options{}
	each := false
	var form program.Form
	c := &cobra.Command{
		Use:   "fit [FILE...]",
		Short: "Fit parameters to files of measured latencies and write an overlay",
		Long:  strings.TrimSpace(fitHelp) + "\n" + codes("fit"),
		Example: `  calibrate fit studies/measured/h100.csv -o studies/calibrated.toml
  calibrate fit studies/measured/h100.csv --where 'tp == 8' --holdout fraction=0.2,seeds=1 -o tp8.toml
  calibrate fit 'studies/measured/*.csv' --each --set engine.version='vllm 0.11'`,
		RunE: func(c *cobra.Command, args []string) error {
			if err := form.Check(); err != nil {
				return usageError{err}
			}
			if err := someFiles(args, o.Spec); err != nil {
				return err
			}
			if o.Jobs < 1 {
				return usageError{fmt.Errorf("-j %d: at least one simulation must run at a time", o.Jobs)}
			}
			if !strings.HasSuffix(o.Output, ".toml") {
				return usageError{fmt.Errorf("-o %s: an overlay is a .toml file", o.Output)}
			}
			o.Files = args
			o.Log = func(line string) { fmt.Fprintln(stderr, line) }
			if each {
				return fitEach(c.Context(), o, stdout, form)
			}
			f, err := calibrate.Run(c.Context(), o)
			if err != nil {
				return err
			}
			if err := fitted.Write(o.Output); err != nil {
				return fmt.Errorf("%s is written, but not its page: %w", o.Output, err)
			}
			rows, err := program.Rows(f.Parameters)
			if err == nil {
				err = answer(stdout, form, f, rows, calibrate.Text(f)+files(o.Output))
			}
			if err != nil {
				return err
			}
			return unmet(f.Gates)
		},
	}
	f := c.Flags()
	inputFlags(c, &o)
	f.StringVarP(&o.Output, "output", "o", "calibrated.toml", "overlay to write")
	f.IntVarP(&o.Jobs, "jobs", "j", runtime.GOMAXPROCS(0), "simulations at a time")
	f.BoolVar(&each, "each", false, "a fit and an overlay for each chip, model and engine version, and a table of all")
	form.Flags(c, "the parameters, with --each the table of all fits,")
	f.StringVar(&o.Holdout, "holdout", "", "what is held out: fraction=0.2, folds=5, by=concurrency, or a filter of rows")
	return c
}

// fitEach is calibrate fit --each.
func fitEach(ctx context.Context, o calibrate.Options, stdout io.Writer, form program.Form) error {
	list, err := calibrate.Each(ctx, o)
	if err != nil {
		return err
	}
	text := calibrate.EachText(list)
	for _, e := range list {
		if e.Why != nil || e.Overlay == "" {
			continue
		}
		if err := fitted.Write(e.Overlay); err != nil {
			return fmt.Errorf("%s is written, but not its page: %w", e.Overlay, err)
		}
		text += files(e.Overlay)
	}
	rows := calibrate.EachRows(list)
	if err := answer(stdout, form, program.Objects(rows), rows, text); err != nil {
		return err
	}
	var failed []string
	for _, e := range list {
		if e.Why != nil || len(e.Fit.Gates) > 0 {
			failed = append(failed, e.Name)
		}
	}
	if len(failed) > 0 {
		return fmt.Errorf("%w: of %s", errGate, strings.Join(failed, ", "))
	}
	return nil
}

// files lists what a fit leaves for an overlay.
func files(overlay string) string {
	return "files   " + strings.Join(append(calibrate.Outputs(overlay), fitted.Path(filepath.Clean(overlay))), "  ") + "\n"
}

// someFiles asks for files where neither the arguments nor a specification name
// any.
func someFiles(args []string, specification string) error {
	if len(args) == 0 && specification == "" {
		return usageError{errors.New("give files of measurements, or a --spec whose [data] files names them")}
	}
	return nil
}

// inputFlags are those of fit and check.
func inputFlags(c *cobra.Command, o *calibrate.Options) {
	f := c.Flags()
	f.StringVar(&o.Spec, "spec", "", "specification of the fit (TOML); it may name the files")
	f.StringVar(&o.Model, "model", "", "model, where the files do not say: a catalogue name, a config.json, or a profile (.toml)")
	f.StringVar(&o.Hardware, "hardware", "", "chip, where the files do not say: a catalogue name or a hardware file")
	f.StringArrayVar(&o.Set, "set", nil, "value of a scenario key for all rows, such as engine.tp=8; repeatable")
	f.StringVar(&o.Unit, "unit", "", "unit of latencies whose column names none: ms or s")
	f.BoolVar(&o.Names, "trust-names", false, "take chip, tensor parallelism and engine version from names of files and texts where rows do not say them")
	f.StringVar(&o.Where, "where", "", `rows to use, such as 'tp >= 4 && model ~ "70b"'`)
}

// checkCommand is calibrate check.
func checkCommand(stdout io.Writer) *cobra.Command {
	o := calibrate.Options{}
	var form program.Form
	c := &cobra.Command{
		Use:   "check [FILE...]",
		Short: "Say what a fit would read: columns, units, load, rows left out; no fit",
		Long: strings.TrimSpace(`
Check reads files as fit does, in all its forms, and prints what it understood:
form, columns and their units, how the server was driven, ranges, what is
assumed, what looks wrong (a warm prefix cache, stream chunks that are no
tokens, early stopping, failures, columns in another unit or exchanged, repeats that
differ, values that are not there), rows left out and why, what is still to be
given (--hardware, --model, --set engine.tp=8, --unit) and the next command. A
latency without a unit is an error that asks. What the name of a file suggests
is said, and taken with --trust-names alone; but lengths and batch of offline
runs, and what a sweep wrote into the names of its folders, are read from names.
Patterns such as 'runs/*.json' need no shell.
`) + "\n" + codes("check"),
		Example: `  calibrate check studies/measured/h100.csv
  calibrate check 'studies/measured/*.csv' --where 'tp >= 4 && concurrency <= 32'`,
		RunE: func(c *cobra.Command, args []string) error {
			if err := someFiles(args, o.Spec); err != nil {
				return err
			}
			o.Files = args
			seen, err := calibrate.Check(c.Context(), o)
			if seen.Text == "" {
				return err
			}
			if werr := answer(stdout, form, nil, seen.Rows, seen.Text); err == nil {
				err = werr
			}
			return err
		},
	}
	inputFlags(c, &o)
	form.Table(c, "a row for each row that was read, with whether a fit uses it,")
	return c
}

// answer writes a verb's answer in the form that is asked for.
func answer(w io.Writer, form program.Form, x any, rows [][]string, text string) error {
	return form.Write(w, x, func() ([][]string, error) { return rows, nil }, func(w io.Writer) error {
		return program.Page(w, func(w io.Writer) error {
			_, err := io.WriteString(w, text)
			return err
		})
	})
}
