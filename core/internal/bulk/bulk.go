// Package bulk grows, copies and clears slices of any size piece by piece. The
// runtime cannot stop a goroutine in the middle of moving or clearing memory, and
// the first touch of a gigabyte takes seconds, in which the whole process would
// stand still: no garbage is collected, no signal heard, no journal written. It
// knows nothing of what the slices hold.
package bulk

import (
	"slices"
	"unsafe"
)

// pieceBytes is moved or cleared at a time: well below a millisecond.
const pieceBytes = 1 << 16

// piece is how many elements are moved or cleared at a time.
func piece[T any]() int {
	var v T
	return max(1, pieceBytes/max(1, int(unsafe.Sizeof(v))))
}

// Append appends an element as append does.
func Append[T any](s []T, v T) []T {
	if len(s) == cap(s) {
		s = Grow(s, 1)
	}
	return append(s, v)
}

// AppendAll appends the elements of src.
func AppendAll[T any](dst, src []T) []T {
	dst = Grow(dst, len(src))
	n := piece[T]()
	for len(src) > n {
		dst = move(dst, src[:n])
		src = src[n:]
	}
	return move(dst, src)
}

// Grow returns s with room for n elements more. Room grows by a quarter at least,
// as append's of large slices does.
func Grow[T any](s []T, n int) []T {
	switch {
	case cap(s)-len(s) >= n:
		return s
	case len(s) <= piece[T]():
		return slices.Grow(s, n)
	}
	return AppendAll(make([]T, 0, len(s)+max(n, len(s)/4)), s)
}

// Zeroed returns n zero elements, in the memory of s if it has room for them.
func Zeroed[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n) // new memory need not be touched
	}
	s = s[:n]
	k := piece[T]()
	for rest := s; len(rest) > 0; rest = rest[min(k, len(rest)):] {
		wipe(rest[:min(k, len(rest))])
	}
	return s
}

// move and wipe are calls, between which the runtime can stop a goroutine.

//go:noinline
func move[T any](dst, src []T) []T { return append(dst, src...) }

//go:noinline
func wipe[T any](s []T) { clear(s) }
