package engine

import (
	"scoville/core/internal/bulk"
	"scoville/core/internal/event"
)

// queue is the waiting queue: numbers of requests in the order in which they
// will be admitted. First come first served is a deque; other orders sort by a
// key, equal keys by entry. A preempted request goes before its equals.
type queue struct {
	sorted      bool
	items       []int32 // deque: from head on
	head        int
	heap        event.Heap
	front, back uint32 // next entry numbers before and behind all others
}

func (q *queue) reset(sorted bool) {
	q.heap.Reset()
	*q = queue{sorted: sorted, items: q.items[:0], heap: q.heap, front: 1<<31 - 1, back: 1 << 31}
}

func (q *queue) len() int { return len(q.items) - q.head + q.heap.Len() }

func (q *queue) first() int32 {
	if q.sorted {
		return q.heap.Top().Value
	}
	return q.items[q.head]
}

// pop removes the first request.
func (q *queue) pop() {
	if q.sorted {
		q.heap.Pop()
		return
	}
	q.head++
}

// push adds request id behind its equals, or before them if it was preempted.
// A deque puts a preempted request in front of all.
func (q *queue) push(id int32, key int64, preempted bool) {
	switch {
	case q.sorted && preempted:
		q.heap.Push(event.Item{At: key, Seq: q.front, Value: id})
		q.front--
	case q.sorted:
		q.heap.Push(event.Item{At: key, Seq: q.back, Value: id})
		q.back++
	case preempted:
		q.pushFront(id)
	default:
		if q.head > 1024 && q.head > len(q.items)/2 {
			q.items = q.items[:copy(q.items, q.items[q.head:])]
			q.head = 0
		}
		q.items = bulk.Append(q.items, id)
	}
}

func (q *queue) pushFront(id int32) {
	if q.head == 0 {
		n := len(q.items)
		room := 64 + n/2
		q.items = append(q.items, make([]int32, room)...)
		copy(q.items[room:], q.items[:n])
		q.head = room
	}
	q.head--
	q.items[q.head] = id
}
