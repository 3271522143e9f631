package program

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"
)

// Program is a command as a function of its arguments and streams, with the
// words and the exit code of its errors.
type Program struct {
	Run      func(ctx context.Context, args []string, stdout, stderr io.Writer) error
	Message  func(error) string
	ExitCode func(error) int
}

// Main runs a program as a process and ends it; all it writes goes through a
// Door. The first interrupt, or the end of the terminal, cancels its context, the
// second ends the process at once. Writing to a reader that has gone is an error
// of that write, not the end; a program with no other error ends with 0.
func Main(p Program) {
	signals := []os.Signal{os.Interrupt, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) { // else somebody wants it to outlive the terminal
		signals = append(signals, syscall.SIGHUP)
	}
	ctx, stop := signal.NotifyContext(context.Background(), signals...)
	go func() {
		<-ctx.Done()
		stop()
	}()
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
	stdout, stderr := NewDoor(os.Stdout), NewDoor(os.Stderr)
	err := p.guarded(ctx, os.Args[1:], stdout, stderr)
	if Seen(err) && p.ExitCode(err) == 1 { // and nothing else is wrong
		os.Exit(0)
	}
	if err != nil {
		fmt.Fprintln(stderr, p.Message(err))
	}
	os.Exit(p.ExitCode(err))
}

// Seen reports whether an error is that of a write to standard output whose reader
// has seen enough, as head does: nothing that a program was asked for is missing.
func Seen(err error) bool {
	p, ok := errors.AsType[*fs.PathError](err)
	return ok && p.Path == os.Stdout.Name() && errors.Is(p.Err, syscall.EPIPE)
}

// guarded is Run with a panic as an error: a fault of the program must not end
// with the exit code of bad usage.
func (p Program) guarded(ctx context.Context, args []string, stdout, stderr io.Writer) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("internal error: %v\n%s", v, debug.Stack())
		}
	}()
	return p.Run(ctx, args, stdout, stderr)
}
