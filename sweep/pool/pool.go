// Package pool runs numbered items on a bounded number of workers and hands
// every result to one collector. A panic in an item is that item's error and
// stops nothing. It knows nothing of what an item means.
package pool

import (
	"context"
	"fmt"
	"runtime/debug"
	"time"

	"golang.org/x/sync/errgroup"
)

// Pool is how items are run. S is a worker's scratch state, made once per
// worker and used by it alone; R is the result of an item.
type Pool[S, R any] struct {
	Workers int // at least 1
	State   func() S
	Work    func(ctx context.Context, state S, item int) (R, error)

	// Collect takes each result in the order they finish, on the goroutine that
	// called Run. err is what Work returned, or a *Panic. An error it returns
	// stops the pool.
	Collect func(item int, result R, err error) error

	// Next returns further items to run, after Collect of an item and on the same
	// goroutine; nil = there are none.
	Next func(item int) []int
}

// Panic is a panic of Work as an error.
type Panic struct {
	Value any
	Stack []byte
}

func (p *Panic) Error() string { return fmt.Sprintf("panic: %v", p.Value) }

// done is a finished item.
type done[R any] struct {
	item   int
	result R
	err    error
}

// Patience is how long Run waits for items at work when ctx ends.
const Patience = 300 * time.Millisecond

// Run runs the items, handing them out in order. When ctx ends it hands out no
// more, waits for those at work, and returns ctx's error; items that were cut
// short are not collected. One that does not heed ctx is left alone after
// Patience: whoever interrupts does not wait for a run that cannot be.
func (p *Pool[S, R]) Run(ctx context.Context, items []int) error {
	outer := ctx
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	queue := newQueue(items)
	defer context.AfterFunc(ctx, queue.close)()
	results := make(chan done[R], p.Workers)
	var workers errgroup.Group
	for range p.Workers {
		workers.Go(func() error {
			state := p.State()
			for {
				item, ok := queue.take()
				if !ok || ctx.Err() != nil {
					break
				}
				d := p.do(ctx, &state, item)
				if ctx.Err() != nil && d.err != nil {
					break // cut short
				}
				results <- d
			}
			return nil
		})
	}
	go func() {
		_ = workers.Wait() // workers return no errors
		close(results)
	}()
	late := make(chan struct{})
	defer context.AfterFunc(outer, func() { time.AfterFunc(Patience, func() { close(late) }) })()
	var err error
	for {
		d, ok := next(results, late)
		if !ok {
			break
		}
		if err != nil {
			continue // let the workers finish
		}
		if err = p.Collect(d.item, d.result, d.err); err != nil {
			stop()
			continue
		}
		var more []int
		if p.Next != nil {
			more = p.Next(d.item)
		}
		queue.collected(more)
	}
	if err != nil {
		return err
	}
	return outer.Err()
}

// next returns the next item that is done; false if there is none, or it is late.
func next[R any](results <-chan done[R], late <-chan struct{}) (done[R], bool) {
	select {
	case d, ok := <-results:
		return d, ok
	case <-late:
		go func() { // nobody may hang
			for range results {
			}
		}()
		return done[R]{}, false
	}
}

// do runs one item. After a panic the worker's state is made anew: nobody
// knows what the old one holds.
func (p *Pool[S, R]) do(ctx context.Context, state *S, item int) (d done[R]) {
	d.item = item
	defer func() {
		if v := recover(); v != nil {
			d.err = &Panic{v, debug.Stack()}
			*state = p.State()
		}
	}()
	d.result, d.err = p.Work(ctx, *state, item)
	return d
}
