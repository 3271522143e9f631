package pool

import (
	"slices"
	"sync"
)

// queue holds the items that wait for a worker. It ends when every item is
// collected and none was added, or when it is closed.
type queue struct {
	mu      sync.Mutex
	changed *sync.Cond
	items   []int
	open    int // items not collected yet
	closed  bool
}

func newQueue(items []int) *queue {
	q := &queue{items: slices.Clone(items), open: len(items)}
	q.changed = sync.NewCond(&q.mu)
	return q
}

// take waits for the next item; false when there will be none.
func (q *queue) take() (item int, ok bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for len(q.items) == 0 && q.open > 0 && !q.closed {
		q.changed.Wait()
	}
	if q.closed || len(q.items) == 0 {
		return 0, false
	}
	item, q.items = q.items[0], q.items[1:]
	return item, true
}

// collected says that an item is done, and adds others.
func (q *queue) collected(more []int) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.open += len(more) - 1
	q.items = append(q.items, more...)
	if len(more) > 0 || q.open == 0 {
		q.changed.Broadcast()
	}
}

func (q *queue) close() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.closed = true
	q.changed.Broadcast()
}
