package program

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
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
// Door. The first interrupt cancels its context, the second ends the process at
// once.
func Main(p Program) {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	go func() {
		<-ctx.Done()
		stop()
	}()
	stdout, stderr := NewDoor(os.Stdout), NewDoor(os.Stderr)
	err := p.Run(ctx, os.Args[1:], stdout, stderr)
	if err != nil {
		fmt.Fprintln(stderr, p.Message(err))
	}
	os.Exit(p.ExitCode(err))
}
