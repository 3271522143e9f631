package engine

// queue is the waiting queue: numbers of requests in the order in which they
// will be admitted. First come first served is a deque; other orders sort by a
// key, equal keys by entry. A preempted request goes before its equals.
type queue struct {
	sorted bool
	items  []int32 // deque: from head on
	head   int
	heap   []queued
	back   int64 // entry numbers given at the back, and (negative) in front
	front  int64
}

type queued struct {
	key, entry int64
	id         int32
}

func (a queued) before(b queued) bool { return a.key < b.key || a.key == b.key && a.entry < b.entry }

func (q *queue) reset(sorted bool) {
	*q = queue{sorted: sorted, items: q.items[:0], heap: q.heap[:0]}
}

func (q *queue) len() int { return len(q.items) - q.head + len(q.heap) }

func (q *queue) first() int32 {
	if q.sorted {
		return q.heap[0].id
	}
	return q.items[q.head]
}

// pop removes the first request.
func (q *queue) pop() {
	if !q.sorted {
		q.head++
		return
	}
	h := q.heap
	n := len(h) - 1
	it := h[n]
	q.heap = h[:n]
	i := 0
	for c := 1; c < n; c = 2*i + 1 {
		if c+1 < n && h[c+1].before(h[c]) {
			c++
		}
		if !h[c].before(it) {
			break
		}
		h[i] = h[c]
		i = c
	}
	if n > 0 {
		h[i] = it
	}
}

// push adds request id behind its equals, or before them if it was preempted.
// A deque puts a preempted request in front of all.
func (q *queue) push(id int32, key int64, preempted bool) {
	switch {
	case q.sorted:
		it := queued{key, q.back, id}
		if q.back++; preempted {
			q.front--
			it.entry = q.front
		}
		q.insert(it)
	case preempted:
		q.pushFront(id)
	default:
		if q.head > 1024 && q.head > len(q.items)/2 {
			q.items = q.items[:copy(q.items, q.items[q.head:])]
			q.head = 0
		}
		q.items = append(q.items, id)
	}
}

func (q *queue) insert(it queued) {
	q.heap = append(q.heap, it)
	i := len(q.heap) - 1
	for i > 0 {
		p := (i - 1) / 2
		if !it.before(q.heap[p]) {
			break
		}
		q.heap[i] = q.heap[p]
		i = p
	}
	q.heap[i] = it
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
