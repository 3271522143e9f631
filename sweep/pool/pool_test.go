package pool

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

func upTo(n int) []int {
	items := make([]int, n)
	for i := range items {
		items[i] = i
	}
	return items
}

// Every item is collected once, whatever the number of workers, and a worker's
// state is its own.
func TestRun(t *testing.T) {
	for _, workers := range []int{1, 2, 7} {
		var states atomic.Int64
		got := map[int]int{}
		p := Pool[*int, int]{
			Workers: workers,
			State:   func() *int { states.Add(1); return new(int) },
			Work: func(_ context.Context, own *int, item int) (int, error) {
				*own++ // the race detector sees a shared state
				return item * item, nil
			},
			Collect: func(item, result int, err error) error { got[item] = result; return err },
		}
		if err := p.Run(t.Context(), upTo(100)); err != nil {
			t.Fatal(err)
		}
		if len(got) != 100 || got[9] != 81 || states.Load() != int64(workers) {
			t.Errorf("%d workers: %d results, 9 -> %d, %d states", workers, len(got), got[9], states.Load())
		}
	}
}

// An item that does not heed the end of the context is not waited for.
func TestPatience(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	stuck := make(chan struct{})
	defer close(stuck)
	p := Pool[int, int]{
		Workers: 2,
		State:   func() int { return 0 },
		Work: func(_ context.Context, _, item int) (int, error) {
			if item == 3 {
				cancel()
				<-stuck
			}
			return item, nil
		},
		Collect: func(int, int, error) error { return nil },
	}
	if err := p.Run(ctx, upTo(10)); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// While items wait, every worker is at work, however different their cost.
func TestBusy(t *testing.T) {
	const workers, items = 4, 400
	var at, idle atomic.Int64
	p := Pool[int, int]{
		Workers: workers,
		State:   func() int { return 0 },
		Work: func(_ context.Context, _, item int) (int, error) {
			at.Add(1)
			defer at.Add(-1)
			time.Sleep(time.Duration(item*item%97) * 50 * time.Microsecond)
			if item > workers && item < items-workers && at.Load() < workers-1 { // one may be between two items
				idle.Add(1)
			}
			return item, nil
		},
		Collect: func(int, int, error) error { return nil },
	}
	if err := p.Run(t.Context(), upTo(items)); err != nil {
		t.Fatal(err)
	}
	if idle.Load() > items/2 {
		t.Errorf("workers are idle at %d of %d items", idle.Load(), items)
	}
}

func TestNoItems(t *testing.T) {
	p := Pool[int, int]{Workers: 2, State: func() int { return 0 }}
	if err := p.Run(t.Context(), nil); err != nil {
		t.Error(err)
	}
}

// Errors and panics of items are results; the others go on, and a panic costs
// the worker its state.
func TestItemFaults(t *testing.T) {
	states := 0
	faults := map[int]string{}
	ok := 0
	p := Pool[int, int]{
		Workers: 1,
		State:   func() int { states++; return states },
		Work: func(_ context.Context, _, item int) (int, error) {
			switch item {
			case 3:
				return 0, errors.New("no")
			case 5:
				panic("boom")
			}
			return item, nil
		},
		Collect: func(item, _ int, err error) error {
			if err == nil {
				ok++
				return nil
			}
			faults[item] = err.Error()
			if p, isPanic := errors.AsType[*Panic](err); isPanic && !strings.Contains(string(p.Stack), "pool_test.go") {
				t.Error("the stack does not show where")
			}
			return nil
		},
	}
	if err := p.Run(t.Context(), upTo(10)); err != nil {
		t.Fatal(err)
	}
	if ok != 8 || faults[3] != "no" || faults[5] != "panic: boom" || states != 2 {
		t.Errorf("%d ok, faults %v, %d states", ok, faults, states)
	}
}

// An error of the collector stops the pool and is returned.
func TestCollectorStops(t *testing.T) {
	full := errors.New("disk full")
	var worked atomic.Int64
	p := Pool[int, int]{
		Workers: 2,
		State:   func() int { return 0 },
		Work:    func(context.Context, int, int) (int, error) { worked.Add(1); return 0, nil },
		Collect: func(int, int, error) error { return full },
	}
	if err := p.Run(t.Context(), upTo(10_000)); !errors.Is(err, full) {
		t.Error(err)
	}
	if worked.Load() > 100 {
		t.Errorf("%d items after the collector's error", worked.Load())
	}
}

// When the context ends, finished items stay collected, and those cut short
// are not taken for results.
func TestCancel(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	var got []int
	p := Pool[int, int]{
		Workers: 1,
		State:   func() int { return 0 },
		Work: func(ctx context.Context, _, item int) (int, error) {
			if item == 4 {
				cancel()
				return 0, ctx.Err()
			}
			return item, nil
		},
		Collect: func(item, _ int, err error) error { got = append(got, item); return err },
	}
	if err := p.Run(ctx, upTo(10)); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if !slices.Equal(got, upTo(4)) {
		t.Errorf("collected %v", got)
	}
}

// Items that follow from others run too, also when every worker waits.
func TestNext(t *testing.T) {
	for _, workers := range []int{1, 2, 7} {
		var got []int
		p := Pool[int, int]{
			Workers: workers,
			State:   func() int { return 0 },
			Work:    func(_ context.Context, _, item int) (int, error) { return item, nil },
			Collect: func(item, _ int, err error) error { got = append(got, item); return err },
			Next: func(item int) []int {
				if item < 1 || item > 100 {
					return nil
				}
				return []int{2 * item, 2*item + 1}
			},
		}
		if err := p.Run(t.Context(), []int{1, 0}); err != nil {
			t.Fatal(err)
		}
		slices.Sort(got)
		if !slices.Equal(got, upTo(202)) {
			t.Errorf("%d workers: ran %v", workers, got)
		}
	}
}
