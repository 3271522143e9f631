package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"scoville/sweep"
)

const waitHelp = "wait so long for a folder that another process writes to, such as 10m, rather than be refused (default: not at all)"

// slowest is how often a folder is looked at that another process writes to.
const slowest = 10 * time.Second

// waiting does something that takes a folder, again and again while another process
// writes to it, for as long as the user wants to wait.
func waiting(ctx context.Context, stderr io.Writer, wait time.Duration, take func() error) error {
	begun := time.Now()
	for pause := time.Second; ; pause = min(2*pause, slowest) {
		err := take()
		left := wait - time.Since(begun)
		if !errors.Is(err, sweep.ErrLocked) || left <= 0 {
			return err
		}
		if pause == time.Second {
			fmt.Fprintf(stderr, "%v\nwaiting for it, %v at most\n", err, wait)
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(min(pause, left)):
		}
	}
}

// checkWait refuses a time that is none.
func checkWait(wait time.Duration) error {
	if wait < 0 {
		return usageError{fmt.Errorf("--wait %v: give a time above 0", wait)}
	}
	return nil
}
