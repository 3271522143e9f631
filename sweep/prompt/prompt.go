// Package prompt answers an interrupt at once, whatever is at work. It is for work
// that knows no context and writes nothing that has to be whole.
package prompt

import (
	"context"
	"fmt"
	"runtime/debug"
)

// Call returns what work returns, or the error of ctx as soon as it ends: work is
// then left behind, and what it returns is lost. A panic of work is one of Call.
func Call[T any](ctx context.Context, work func() (T, error)) (T, error) {
	type result struct {
		value    T
		err      error
		panicked any
	}
	var none T
	if err := ctx.Err(); err != nil {
		return none, err
	}
	done := make(chan result, 1)
	go func() {
		var r result
		defer func() {
			if v := recover(); v != nil {
				r.panicked = fmt.Sprintf("%v\n%s", v, debug.Stack())
			}
			done <- r
		}()
		r.value, r.err = work()
	}()
	select {
	case r := <-done:
		if r.panicked != nil {
			panic(r.panicked)
		}
		return r.value, r.err
	case <-ctx.Done():
		return none, ctx.Err()
	}
}
