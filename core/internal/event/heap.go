// Package event holds the clock's queue: a binary heap of values in a total
// order. It knows nothing of what the events mean.
package event

import "scoville/core/internal/bulk"

// Item is something that happens at At. Events at the same At leave the heap
// in order of Seq.
type Item struct {
	At    int64
	Seq   uint32
	Value int32
}

func (a Item) before(b Item) bool { return a.At < b.At || a.At == b.At && a.Seq < b.Seq }

// Heap is a binary min-heap of values. The zero Heap is empty and ready.
type Heap struct{ items []Item }

// Len returns the number of events.
func (h *Heap) Len() int { return len(h.items) }

// Reset empties the heap and keeps its memory.
func (h *Heap) Reset() { h.items = h.items[:0] }

// Top returns the earliest event; the heap must not be empty.
func (h *Heap) Top() Item { return h.items[0] }

// Push adds an event.
func (h *Heap) Push(it Item) {
	h.items = bulk.Append(h.items, it)
	i := len(h.items) - 1
	for i > 0 {
		p := (i - 1) / 2
		if !it.before(h.items[p]) {
			break
		}
		h.items[i] = h.items[p]
		i = p
	}
	h.items[i] = it
}

// Pop removes and returns the earliest event; the heap must not be empty.
func (h *Heap) Pop() Item {
	top := h.items[0]
	n := len(h.items) - 1
	it := h.items[n]
	h.items = h.items[:n]
	if n == 0 {
		return top
	}
	i := 0
	for {
		c := 2*i + 1
		if c >= n {
			break
		}
		if c+1 < n && h.items[c+1].before(h.items[c]) {
			c++
		}
		if !h.items[c].before(it) {
			break
		}
		h.items[i] = h.items[c]
		i = c
	}
	h.items[i] = it
	return top
}
