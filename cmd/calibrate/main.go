// Command calibrate fits the performance model's hidden parameters to measured
// latencies, through the simulator, and writes an overlay that studies build
// on.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"scoville/calibrate"
	"scoville/cmd/program"
)

func main() { program.Main(program.Program{Run: run, Message: message, ExitCode: exitCode}) }

// usageError is a command line that does not parse.
type usageError struct{ error }

// errGate says that results are written, but a requirement does not hold.
var errGate = errors.New("a requirement does not hold")

// unmet is errGate with the requirements that do not hold; nil if there are none.
func unmet[G fmt.Stringer](gates []G) error {
	if len(gates) == 0 {
		return nil
	}
	words := make([]string, len(gates))
	for i, g := range gates {
		words[i] = g.String()
	}
	return fmt.Errorf("%w: %s", errGate, strings.Join(words, "; "))
}

// exits are the exit codes of the verbs.
var exits = []program.Exit{
	{Code: 0, Means: "done, and every requirement holds"},
	{Code: 1, Means: "internal error"},
	{Code: 2, Means: "bad usage, specification or measurements; nothing was written"},
	{Code: 5, Means: "finished, but not converged, off by more than 50 % of the rows fitted to in the median\n" +
		"(the overlay then counts as assumed), nothing learned, the held-out error above its\n" +
		"limit, or with --each a group without a fit; results written", Verbs: "fit"},
	{Code: 5, Means: "finished, but the error is above --max-error; results written", Verbs: "score"},
	{Code: 130, Means: "interrupted; nothing was written"},
}

// codes are the exit codes of a verb, for its help.
func codes(verb string) string { return program.Exits(exits, verb) }

func exitCode(err error) int {
	var usage usageError
	var input *calibrate.InputError
	switch {
	case err == nil:
		return 0
	case errors.Is(err, context.Canceled):
		return 130
	case errors.As(err, &usage), errors.As(err, &input):
		return 2
	case errors.Is(err, errGate):
		return 5
	}
	return 1
}

// message words an error for the terminal. Errors that point into a file
// start with its name; others with the command's.
func message(err error) string {
	var usage usageError
	var input *calibrate.InputError
	switch {
	case errors.Is(err, context.Canceled):
		return "calibrate: interrupted; nothing was written"
	case errors.As(err, &input):
		return err.Error()
	case errors.As(err, &usage):
		return "calibrate: " + err.Error() + "\n" + program.Hint(err)
	}
	return "calibrate: " + err.Error()
}

// run is the command: arguments in, text out.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	return program.Execute(ctx, tree(stdout, stderr), args, program.Streams{Out: stdout, Err: stderr}, func(err error) error { return usageError{err} })
}

// more says where to read on.
const more = `
Read on: calibrate/README.md, measurements, fits and held-out errors;
studies/calibrations/README.md, the overlays that are shipped.`

// tree is the program with its verbs.
func tree(stdout, stderr io.Writer) *cobra.Command {
	root := &cobra.Command{
		Use:   "calibrate",
		Short: "Fit the performance model to measured latencies",
		Long: strings.TrimSpace(`
calibrate fits the hidden parameters of the performance model (efficiencies,
host times) to latencies measured on real machines, through the simulator, and
writes an overlay: base = ["calibrated.toml"] in a study. The way of a fit:

  calibrate check studies/measured/h100.csv    # what a fit would read
  calibrate fit studies/measured/h100.csv      # calibrated.toml
  calibrate score calibrated.toml other.csv    # how well it predicts other data
  calibrate suggest calibrated.toml            # what to measure next
`) + "\n" + codes(""),
		Example: `  calibrate check studies/measured/h100.csv`,
	}
	program.Verbs(root, stdout, more,
		program.Group{Title: "Calibrate", Verbs: []*cobra.Command{checkCommand(stdout), fitCommand(stdout, stderr), scoreCommand(stdout), suggestCommand(stdout)}},
		program.Group{Title: "Other", Verbs: []*cobra.Command{versionCommand(stdout)}},
	)
	complete(root)
	return root
}
