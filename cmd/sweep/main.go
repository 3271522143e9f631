// Command sweep runs design studies of LLM serving: it expands a TOML study
// into design points, simulates each, and writes tables and a report.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"scoville/cmd/program"
	"scoville/cmd/sweep/codes"
	"scoville/cmd/sweep/complete"
	"scoville/cmd/sweep/record"
	"scoville/sweep"
	"scoville/sweep/store"
)

func main() { program.Main(program.Program{Run: run, Message: message, ExitCode: exitCode}) }

// usageError is a command line that does not parse.
type usageError struct{ error }

// errPartial says that results are written, but some runs have none.
var errPartial = errors.New("some runs have no result")

// errNothing says that every point is infeasible, or that rules left none.
var errNothing = errors.New("no point can run")

// errGate says that results are written, but nothing meets the service levels.
var errGate = errors.New("no search found a value that meets every service level")

func exitCode(err error) int {
	var usage usageError
	var input *sweep.InputError
	var stopped *sweep.StoppedError
	var missing *sweep.MissingError
	var beside *sweep.BesideError
	switch {
	case err == nil:
		return 0
	case errors.Is(err, context.Canceled):
		return 130
	case errors.Is(err, sweep.ErrForeign), errors.Is(err, sweep.ErrLocked), errors.Is(err, sweep.ErrChanged), errors.Is(err, sweep.ErrDisagree):
		return 6
	case errors.As(err, &usage), errors.As(err, &input):
		return 2
	case errors.Is(err, store.ErrUnsent), errors.Is(err, store.ErrAway):
		return 4
	case errors.Is(err, errPartial), errors.Is(err, errNothing):
		return 3
	case errors.Is(err, errGate), errors.Is(err, errLuck):
		return 5
	case errors.As(err, &stopped), errors.As(err, &missing), errors.As(err, &beside), errors.Is(err, sweep.ErrDisk):
		return 4
	}
	return 1
}

// message words an error for the terminal. Errors that point into a file
// start with its name; others with the command's.
func message(err error) string {
	var usage usageError
	var input *sweep.InputError
	var beside *sweep.BesideError
	var stopped *sweep.StoppedError
	switch {
	case errors.As(err, &stopped):
		return "sweep: " + kept(stopped)
	case errors.Is(err, context.Canceled) && !errors.As(err, &beside):
		return "sweep: interrupted"
	case errors.As(err, &input):
		return err.Error()
	case errors.As(err, &usage):
		return "sweep: " + err.Error() + "\n" + program.Hint(err)
	}
	text := "sweep: " + err.Error()
	if errors.As(err, &beside) {
		if errors.Is(err, context.Canceled) {
			text = fmt.Sprintf("sweep: interrupted: the tables in %s are whole, but not what goes with them", beside.Dir)
		}
		text += "\nthe same command writes it"
	}
	return text
}

// kept words a sweep that ended early, and how to go on.
func kept(e *sweep.StoppedError) string {
	text, next := e.Error(), "the same command goes on from there"
	switch {
	case errors.Is(e, context.Canceled):
		text = "interrupted"
	case !errors.Is(e, sweep.ErrDisk):
		next = "--only-failed runs the failed ones again"
	}
	runs := "finished runs"
	if e.Kept >= 0 {
		runs = fmt.Sprintf("%d finished runs", e.Kept)
	}
	return fmt.Sprintf("%s\ntables are as they were; %s are kept: %s", text, runs, next)
}

// doors are what the verbs of other rooms share with those here.
func doors(stdout, stderr io.Writer) record.Doors {
	return record.Doors{Out: stdout, Err: stderr, Read: read, Usage: func(err error) error { return usageError{err} }, Better: better}
}

// better says which way a metric of the results should go.
func better() func(metric string) string {
	known := sweep.Metrics()
	return func(metric string) string { return known[metric] }
}

// run is the command: arguments in, text out.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	return program.Execute(ctx, tree(stdout, stderr), args, program.Streams{Out: stdout, Err: stderr}, func(err error) error { return usageError{err} })
}

// more says where to read on.
const more = `
Read on: studies/GRAMMAR.md, the study language; studies/RUNNING.md, the commands;
studies/REFERENCE.md, every key and column; studies/README.md, studies and answers.`

// tree is the program with its verbs.
func tree(stdout, stderr io.Writer) *cobra.Command {
	root := &cobra.Command{
		Use:   "sweep",
		Short: "Say how fast an LLM will be served before you have the machine",
		Long: strings.TrimSpace(`
sweep expands a TOML study into design points (hardware, engine and load),
simulates the serving of each on all cores, and writes Parquet tables and a
report. The way of a study:

  sweep new sensitivity > my.toml          # a commented study to start from
  sweep plan my.toml                       # what would run
  sweep run my.toml                        # run it: results/sensitivity/
  sweep show results/sensitivity --point 0 # why a point has its numbers
  sweep report results/sensitivity         # report.html again, for a browser
`) + "\n" + codes.Of(""),
		Example: `  sweep run studies/sensitivity.toml
  sweep list keys onchip`,
	}
	program.Verbs(root, stdout, more,
		program.Group{Title: "Make a study", Verbs: []*cobra.Command{newCommand(stdout), listCommand(stdout), profileCommand(stdout, stderr), planCommand(stdout)}},
		program.Group{Title: "Run it", Verbs: []*cobra.Command{runCommand(stdout, stderr), statusCommand(stdout, stderr), mergeCommand(stdout, stderr), submitCommand(stdout)}},
		program.Group{Title: "Read the results", Verbs: []*cobra.Command{showCommand(stdout), record.Report(doors(stdout, stderr)), confirmCommand(stdout, stderr), diffCommand(stdout), record.Export(doors(stdout, stderr)), record.History(doors(stdout, stderr))}},
		program.Group{Title: "Other", Verbs: []*cobra.Command{versionCommand(stdout)}},
	)
	complete.Wire(root)
	return root
}
